//! `superstep explain`: what an error code means and what to do, as `docs/errors.md` lists it.

use serde_json::json;
use superstep::model::did_you_mean;

use crate::{
    error::Error,
    output::{Form, Output, faint, plain, shown, strong},
};

/// The page that lists every code; an installed binary has it with it.
const PAGE: &str = include_str!("explain/errors.md");

/// What is said about a code.
#[derive(Debug, PartialEq, Eq)]
struct Explained<'a> {
    code: &'a str,
    /// The heading that it is below.
    about: &'a str,
    what: String,
    hint: String,
}

/// Explains a code, or lists all of them.
pub(crate) fn run(code: Option<&str>, output: &Output) -> Result<(), Error> {
    let all = rows(PAGE);
    let Some(code) = code else {
        return list(&all, output);
    };
    let wanted = wanted(code);
    let Some(found) = all.iter().find(|row| row.code == wanted) else {
        let near = did_you_mean::hint(&wanted, all.iter().map(|row| row.code));
        return Err(Error::Missing {
            what: shown(format!("there is no error code `{code}`{near}")),
            hint: "`superstep explain` lists all codes",
        });
    };
    if output.form == Form::Json {
        return output.json(&json!({
            "code": found.code, "group": found.about, "message": found.what, "hint": found.hint,
        }));
    }
    output.data(&[strong(found.code), faint(format!("  {}", found.about))])?;
    output.data(&[plain(format!("  what happened  {}", found.what))])?;
    output.data(&[plain(format!("  what to do     {}", found.hint))])
}

/// All codes, by what they are about.
fn list(all: &[Explained<'_>], output: &Output) -> Result<(), Error> {
    let mut about = "";
    for row in all {
        if output.form == Form::Json {
            output.json(&json!({
                "code": row.code, "group": row.about, "message": row.what, "hint": row.hint,
            }))?;
            continue;
        }
        if about != row.about {
            about = row.about;
            output.data(&[strong(about)])?;
        }
        output.data(&[plain(format!("  {}  {}", row.code, row.what))])?;
    }
    Ok(())
}

/// A code as it is written in the page: people type it in small letters, in brackets, or without its letters.
fn wanted(code: &str) -> String {
    let code = code.trim().trim_matches(['[', ']']).to_uppercase();
    match code.starts_with("SS") {
        true => code,
        false => format!("SS{code}"),
    }
}

/// The rows of all tables of the page.
fn rows(page: &str) -> Vec<Explained<'_>> {
    let mut about = "";
    let mut rows = Vec::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            about = heading.split(" (").next().unwrap_or(heading);
        }
        // A bar inside of a cell is written with a backslash.
        let line = line.replace("\\|", "\u{0}");
        let cells: Vec<String> = line
            .split('|')
            .map(|cell| cell.trim().replace('\u{0}', "|"))
            .collect();
        let [_, code, what, hint, ..] = cells.as_slice() else {
            continue;
        };
        let known = page.find(&format!("| {code} |"));
        let code = known.and_then(|at| page.get(at + 2..at + 2 + code.len()));
        let Some(code) = code.filter(|code| code.starts_with("SS")) else {
            continue;
        };
        rows.push(Explained {
            code,
            about,
            what: what.clone(),
            hint: hint.clone(),
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_page_are_found_however_they_are_written() {
        let all = rows(PAGE);
        assert!(all.len() > 100, "{}", all.len());
        for code in ["SS5016", "ss5016", "[SS5016]", "5016"] {
            let found = all.iter().find(|row| row.code == wanted(code)).unwrap();
            assert!(!found.what.is_empty() && !found.about.is_empty());
        }
    }

    #[test]
    fn a_bar_within_a_cell_does_not_end_it() {
        let page =
            "## Group (SS1xxx)\n| code | what | do |\n|---|---|---|\n| SS1001 | a \\| b | c |\n";
        let wanted = Explained {
            code: "SS1001",
            about: "Group",
            what: "a | b".into(),
            hint: "c".into(),
        };
        assert_eq!(rows(page), [wanted]);
    }
}
