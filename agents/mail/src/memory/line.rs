//! One line of a note, as a small model words it: added, or in the place of another one.
//!
//! A small model that gives back a whole note loses lines of it. So it is asked for the line alone, and the program
//! changes the note.

use serde::Deserialize;
use serde_json::json;
use superstep::{
    model::{Message, Model, Schema},
    tools::guided::Guide,
};

use crate::{parse::one_line, prompt::filled};

/// The most characters of a line.
const LONGEST: usize = 160;

const EXAMPLES: [(&str, &str); 4] = [
    (
        "Notes:\n1. Short, friendly and to the point.\n2. Answer every question of the mail.\n\nThe user did not want a drafted reply \
         as it was, and said: please sign with Kim, not with my whole name",
        r#"{"line": "Sign replies with Kim.", "replaces": 0}"#,
    ),
    (
        "Notes:\n1. Meetings of 30 minutes are preferred.\n2. Meetings are within working hours.\n\nThe user changed a proposed \
         meeting before it was used. These words are the user's own:\n- `end_time` changed from 2026-03-02T10:30:00 to \
         2026-03-02T10:45:00",
        r#"{"line": "Meetings of 45 minutes are preferred.", "replaces": 1}"#,
    ),
    (
        "Notes:\n1. Advertising and newsletters can be ignored.\n\nThe user ignored a mail that was shown for information from \
         builds@tools.example: nothing is to be done about this mail.",
        r#"{"line": "Build reports from tools.example can be ignored.", "replaces": 0}"#,
    ),
    (
        "Notes:\n1. Short, friendly and to the point.\n\nThe user changed a drafted reply before it was used. These words are the \
         user's own:\n- in `response_text`: put in \"Thursday\"; 1 words were taken out",
        r#"{"line": "", "replaces": 0}"#,
    ),
];

#[derive(Deserialize)]
struct NoteLine {
    line: String,
    /// The number of a line, from 1; 0 for none.
    replaces: usize,
}

/// A note with the line that a small model makes of what a person did.
pub(super) async fn worded(
    model: &dyn Model,
    owner: &str,
    old: &str,
    feedback: &str,
) -> Result<String, String> {
    let lines = lines(old);
    let schema = json!({
        "type": "object",
        "properties": {
            "line": {"type": "string", "maxLength": LONGEST},
            "replaces": {"type": "integer", "minimum": 0, "maximum": lines.len()},
        },
        "required": ["line", "replaces"],
        "additionalProperties": false,
    });
    let schema = Schema::new("note_line", schema).map_err(|error| error.to_string())?;
    let system = filled(
        include_str!("../../prompts/small/memory.md"),
        &[("owner", owner)],
    );
    let guide = Guide::form(schema, system).examples(&EXAMPLES);
    let numbered = lines.iter().zip(1..);
    let numbered = numbered.map(|(line, number)| format!("{number}. {}\n", said(line)));
    let numbered: String = numbered.collect();
    let about = Message::user(format!("Notes:\n{numbered}\n{feedback}"));
    let answer = guide.ask::<NoteLine>(model, about).await;
    let line = answer.map_err(|error| error.to_string())?.value;
    Ok(changed(old, &line))
}

/// The lines of a note that say something.
fn lines(note: &str) -> Vec<&str> {
    let lines = note.lines();
    lines.filter(|line| !line.trim().is_empty()).collect()
}

/// A line without its mark.
fn said(line: &str) -> &str {
    line.trim().trim_start_matches(['-', '*', ' '])
}

/// The note with the line in it. An empty one, and one that is there already, changes nothing.
fn changed(old: &str, new: &NoteLine) -> String {
    let text = one_line(said(&new.line), LONGEST);
    let mut lines = lines(old);
    let is_known = |line: &&str| said(line).eq_ignore_ascii_case(&text);
    if text.is_empty() || lines.iter().any(is_known) {
        return old.to_owned();
    }
    let line = format!("- {text}");
    let at = new.replaces.checked_sub(1);
    match at.and_then(|at| lines.get_mut(at)) {
        Some(replaced) => *replaced = &line,
        None => lines.push(&line),
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_added_or_takes_the_place_of_one_and_all_others_stay() {
        let note = |line: &str, replaces: usize| {
            let line = line.to_owned();
            changed("- a\n\n- b", &NoteLine { line, replaces })
        };
        assert_eq!(note("c", 0), "- a\n- b\n- c");
        assert_eq!(note("- c\nd", 2), "- a\n- c d");
        assert_eq!(note("c", 9), "- a\n- b\n- c");
        for nothing in ["", " - ", "A"] {
            assert_eq!(note(nothing, 1), "- a\n\n- b", "{nothing}");
        }
    }
}
