//! Questions and what came of answers, in words and in the form that inboxes know.

use serde_json::{Value as Json, json};
use superstep_core::show::{self, Hidden};
use superstep_mail::{Topic, tools};

use super::{
    answer::{After, Told},
    question::Question,
};
use crate::{
    failure::Failure,
    output::{Form, Output, Piece, bad, faint, good, plain, strong},
};

/// How many letters of an id are shown; rarely more are needed to tell questions apart.
pub(super) const ID: usize = 8;

/// What a question of a dry run says about itself.
const DRY: &str = "(dry run: nothing will leave)";

/// A question in one line.
pub(super) fn line(number: usize, question: &Question, output: &Output) -> Result<(), Failure> {
    if output.form == Form::Json {
        return output.json(&wire(question));
    }
    let id: String = question.id().chars().take(ID).collect();
    output.data(&[
        faint(format!("{number:>3}  ")),
        strong(format!("{id}  ")),
        plain(format!("{:<18}", question.asks())),
        plain(format!("{}  ", question.sender)),
        strong(&question.subject),
        faint(format!("  {}", question.thread)),
    ])
}

/// A question with all that belongs to it.
pub(super) fn show(question: &Question, output: &Output) -> Result<(), Failure> {
    if output.form == Form::Json {
        return output.json(&wire(question));
    }
    output.data(&[
        strong(question.id()),
        plain(format!("  {}", question.asks())),
        faint(format!("  {}", question.thread)),
    ])?;
    lines(question)
        .iter()
        .try_for_each(|pieces| output.data(pieces))
}

/// A question as inboxes know it: a list of one interrupt.
fn wire(question: &Question) -> Json {
    json!({
        "thread": question.thread, "id": question.id(), "sender": question.sender,
        "subject": question.subject, "interrupts": [question.item],
    })
}

/// What a question is about, with what must not be overlooked in strong letters. That stands before
/// anything a mail says: before the recipients of a reply, in the list of guests of a meeting.
pub(super) fn lines(question: &Question) -> Vec<Vec<Piece>> {
    let action = question.item.action_request.action.as_str();
    let mut lines = Vec::new();
    let hidden = Hidden::of_json(&Json::Object(question.item.action_request.args.clone()));
    if !hidden.is_empty() {
        let warning = format!("! The arguments hold {hidden}; they are shown as <U+...>.");
        lines.push(vec![bad(warning)]);
    }
    let mut is_ours = question.item.description.starts_with("# ");
    let mut is_head = is_ours;
    for line in show::clean(&question.item.description).lines() {
        let line = line.replace('\t', "    ");
        is_ours &= line != "---";
        // Whether it is one is decided by whoever answers, and said there.
        if is_ours && line == DRY {
            continue;
        }
        is_head &= is_ours && !line.starts_with("To: ");
        let is_flag = match action {
            tools::SEND => is_head && line.starts_with("**"),
            tools::SCHEDULE => is_ours && line.starts_with("- ") && line.ends_with("**"),
            _ => false,
        };
        let piece = match () {
            () if is_flag => bad(format!("! {}", line.replace("**", ""))),
            () if is_head && line.starts_with("# ") => strong(line.trim_start_matches("# ")),
            () if line == "---" => faint("────────"),
            () => plain(line),
        };
        lines.push(vec![piece]);
    }
    let args = &question.item.action_request.args;
    if !args.is_empty() {
        lines.push(Vec::new());
        lines.push(vec![faint("arguments")]);
    }
    for (key, value) in args {
        let text = match value {
            Json::String(text) => text.clone(),
            Json::Array(items) => {
                let texts = items.iter().map(|item| match item {
                    Json::String(text) => text.clone(),
                    other => other.to_string(),
                });
                texts.collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        };
        let text = show::reveal(&text).replace('\t', "    ");
        let mut rows = text.lines();
        let first = rows.next().unwrap_or_default();
        let key = show::line(&show::reveal(key));
        lines.push(vec![faint(format!("  {key}: ")), plain(first)]);
        lines.extend(rows.map(|row| vec![plain(format!("    {row}"))]));
    }
    lines
}

/// What came of an answer.
pub(super) fn after(after: &After, output: &Output) -> Result<(), Failure> {
    if output.form == Form::Json {
        return events(after, output);
    }
    for told in &after.told {
        output.data(&words(told))?;
    }
    output.data(&ending(after))?;
    for (at, question) in after.open.iter().enumerate() {
        line(at + 1, question, output)?;
    }
    Ok(())
}

/// Something that happened, in words.
pub(super) fn words(told: &Told) -> Vec<Piece> {
    match told {
        Told::Call {
            tool,
            text,
            is_error,
        } => {
            let text = plain(show::line(text));
            let tool = format!("{}: ", show::line(tool));
            vec![if *is_error { bad(tool) } else { good(tool) }, text]
        }
        Told::Learned(topic) => vec![
            good("learnt: "),
            plain(format!("the note `{}` changed", note(*topic))),
        ],
        Told::Remark(text) => vec![faint(show::line(text))],
    }
}

pub(super) fn ending(after: &After) -> Vec<Piece> {
    match (after.open.len(), after.is_done) {
        (0, true) => vec![
            good("done"),
            faint(": nothing is left to do about this mail"),
        ],
        (0, false) => vec![
            plain("not finished"),
            faint("; `superstep mail ingest` goes on"),
        ],
        (1, _) => vec![strong("one question is open")],
        (count, _) => vec![strong(format!("{count} questions are open"))],
    }
}

fn note(topic: Topic) -> &'static str {
    match topic {
        Topic::Triage => "triage",
        Topic::Response => "response",
        Topic::Calendar => "calendar",
    }
}

fn events(after: &After, output: &Output) -> Result<(), Failure> {
    let thread = &after.thread;
    if let Some((id, answer)) = &after.answered {
        output.json(&json!({
            "event": "answered", "thread": thread, "id": id, "answer": [answer],
        }))?;
    }
    for told in &after.told {
        output.json(&match told {
            Told::Call {
                tool,
                text,
                is_error,
            } => json!({
                "event": "call", "thread": thread, "tool": tool, "text": text,
                "status": if *is_error { "error" } else { "success" },
            }),
            Told::Learned(topic) => {
                json!({"event": "learned", "thread": thread, "note": note(*topic)})
            }
            Told::Remark(text) => json!({"event": "remark", "thread": thread, "text": text}),
        })?;
    }
    let status = match (after.open.is_empty(), after.is_done) {
        (false, _) => "waiting",
        (true, true) => "done",
        (true, false) => "cut",
    };
    let open: Vec<Json> = after.open.iter().map(wire).collect();
    output.json(&json!({
        "event": "ended", "thread": thread, "status": status, "questions": open,
    }))
}
