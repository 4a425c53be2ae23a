//! Diagrams that are lists of lines: sequences, classes, states, entities.

use super::{Invalid, flow::short};

fn each(
    lines: &[(usize, &str)],
    mut check: impl FnMut(&str) -> Result<i32, String>,
) -> Result<(), Invalid> {
    let mut open = 0_i32;
    for (number, line) in lines {
        let wrong = |why: String| Invalid { line: *number, why };
        open += check(line).map_err(wrong)?;
        if open < 0 {
            return Err(wrong("a block ends that was not begun".into()));
        }
    }
    match open {
        0 => Ok(()),
        _ => Err(Invalid {
            line: lines.last().map_or(1, |(number, _)| *number),
            why: "a block does not end".into(),
        }),
    }
}

fn unknown(line: &str) -> String {
    format!("`{}` is not understood", short(line))
}

fn is_name(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || "_-. ~".contains(c))
}

/// Two names with one of these between them, and what is behind a colon.
fn relation<'a>(line: &'a str, arrows: &[&str]) -> Option<(&'a str, &'a str, Option<&'a str>)> {
    let (whole, words) = match line.split_once(" : ").or_else(|| line.split_once(": ")) {
        Some((whole, words)) => (whole, Some(words)),
        None => (line, None),
    };
    let found = arrows.iter().find_map(|arrow| whole.split_once(arrow));
    found.map(|(one, other)| (one, other, words))
}

pub(super) fn sequence(lines: &[(usize, &str)]) -> Result<(), Invalid> {
    let arrows = ["-->>", "->>", "--x", "-x", "--)", "-)", "-->", "->"];
    each(lines, |line| {
        let word = line.split_whitespace().next().unwrap_or_default();
        match word {
            "participant" | "actor" | "title" | "autonumber" | "activate" | "deactivate"
            | "Note" | "note" => Ok(0),
            "loop" | "alt" | "opt" | "par" | "critical" | "break" | "rect" => Ok(1),
            "else" | "and" | "option" => Ok(0),
            "end" => Ok(-1),
            _ => match relation(line, &arrows) {
                Some((one, other, Some(_)))
                    if is_name(one) && is_name(other.trim_start_matches(['+', '-'])) =>
                {
                    Ok(0)
                }
                _ => Err(unknown(line)),
            },
        }
    })
}

pub(super) fn class(lines: &[(usize, &str)]) -> Result<(), Invalid> {
    let arrows = [
        "<|--", "--|>", "<|..", "..|>", "*--", "--*", "o--", "--o", "-->", "<--", "..>", "<..",
        "--", "..",
    ];
    let mut inside = false;
    each(lines, |line| {
        if inside {
            if line == "}" {
                inside = false;
                return Ok(-1);
            }
            return Ok(0);
        }
        let word = line.split_whitespace().next().unwrap_or_default();
        if word == "class" && line.ends_with('{') {
            inside = true;
            return Ok(1);
        }
        if matches!(word, "class" | "direction" | "note" | "<<interface>>") {
            return Ok(0);
        }
        let without: String = line.split('"').step_by(2).collect();
        match relation(&without, &arrows) {
            Some((one, other, _)) if is_name(one) && is_name(other) => Ok(0),
            // `Shop : +open()`
            None if line.split_once(':').is_some_and(|(name, _)| is_name(name)) => Ok(0),
            _ => Err(unknown(line)),
        }
    })
}

pub(super) fn state(lines: &[(usize, &str)]) -> Result<(), Invalid> {
    each(lines, |line| {
        if line == "}" {
            return Ok(-1);
        }
        if line.starts_with("state ") {
            return Ok(i32::from(line.ends_with('{')));
        }
        if line.starts_with("direction ")
            || line.starts_with("note ")
            || line == "end note"
            || line == "--"
        {
            return Ok(0);
        }
        let is_state = |text: &str| text.trim() == "[*]" || is_name(text);
        match relation(line, &["-->"]) {
            Some((one, other, _)) if is_state(one) && is_state(other) => Ok(0),
            None if line.split_once(':').is_some_and(|(name, _)| is_name(name)) => Ok(0),
            _ => Err(unknown(line)),
        }
    })
}

pub(super) fn entity(lines: &[(usize, &str)]) -> Result<(), Invalid> {
    let (left, right) = (["|o", "||", "}o", "}|"], ["o|", "||", "o{", "|{"]);
    let mut arrows: Vec<String> = Vec::new();
    for one in left {
        for middle in ["--", ".."] {
            arrows.extend(right.iter().map(|other| format!("{one}{middle}{other}")));
        }
    }
    let arrows: Vec<&str> = arrows.iter().map(String::as_str).collect();
    let mut inside = false;
    each(lines, |line| {
        if inside {
            if line == "}" {
                inside = false;
                return Ok(-1);
            }
            return match line.split_whitespace().count() >= 2 {
                true => Ok(0),
                false => Err("an attribute has a type and a name".into()),
            };
        }
        if line.ends_with('{') && is_name(line.trim_end_matches('{')) {
            inside = true;
            return Ok(1);
        }
        match relation(line, &arrows) {
            Some((one, other, Some(_))) if is_name(one) && is_name(other) => Ok(0),
            None if is_name(line) && !line.contains(' ') => Ok(0),
            _ => Err(unknown(line)),
        }
    })
}
