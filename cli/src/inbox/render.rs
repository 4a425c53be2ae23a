//! Rendering of questions and effects of answers, as text and as the JSON of Agent Inbox.

use serde_json::{Value as Json, json};
use superstep::text::single_line;
use superstep_mail::{Answer, AnswerKind, Mode, Topic, UnreadableThread, tools};

use super::{
    answer::{After, Effect},
    description::{changes, described},
    question::Question,
};
use crate::{
    error::Error,
    output::{Form, Output, Span, bad, faint, good, plain, shown, strong},
};

/// How many characters of an id are shown; rarely more are needed.
pub(super) const ID: usize = 8;

/// How many lines of a reply are shown before it is sent.
const FIRST: usize = 8;

/// How many lines of anything else.
const MOST: usize = 16;

/// A question in one line.
pub(super) fn line(question: &Question, output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        return output.json(&wire(question));
    }
    let id: String = question.id().chars().take(ID).collect();
    let [warning, edited] = marks(question);
    output.data(&[
        strong(format!("{id}  ")),
        faint(format!("{:<11}", question.when())),
        plain(format!("{:<17}", question.asks())),
        warning,
        edited,
        plain(format!("{}  ", question.sender)),
        strong(&question.subject),
    ])
}

/// The marks of a question: `!` for a warning, and whether a person changed it.
pub(super) fn marks(question: &Question) -> [Span; 2] {
    let warning = match described(question).warnings.is_empty() {
        true => "  ",
        false => "! ",
    };
    let edited = match question.edit.is_some() {
        true => "edited  ",
        false => "",
    };
    [bad(warning), good(edited)]
}

/// A question in lines, as it is accepted.
pub(super) fn lines(question: &Question) -> Vec<Vec<Span>> {
    described(question).lines
}

/// That a dry run left a question open, and how to do it for real.
pub(super) fn not_done(
    question: &Question,
    is_kept: bool,
    how: &str,
    output: &Output,
) -> Result<(), Error> {
    if output.form == Form::Json {
        return output.json(&json!({
            "event": "not_done", "thread": question.thread, "id": question.id(), "dry_run": true,
            "edit_kept": is_kept, "command": how,
        }));
    }
    output.data(&[
        strong("not sent"),
        plain(match is_kept {
            true => ": this is a dry run. Your changes are kept with the question. For real: ",
            false => ": this is a dry run, and the question stays open. For real: ",
        }),
        plain(how),
    ])
}

/// A thread that may have questions and cannot be read.
pub(super) fn unreadable(thread: &UnreadableThread, output: &Output) -> Result<(), Error> {
    let UnreadableThread { thread, code, why } = thread;
    if output.form == Form::Json {
        return output.json(&json!({"thread": thread, "error": {"code": code, "message": why}}));
    }
    output.say(&[
        bad(format!("[{code}] ")),
        strong(thread),
        plain(format!(" cannot be read: {}", single_line(why))),
    ]);
    output.say(&[
        faint("  superstep db check shows what is damaged; to remove it: "),
        plain(format!("superstep threads delete {thread}")),
    ]);
    Ok(())
}

/// The lines of a question that a person changed.
pub(super) fn diff(question: &Question, output: &Output) -> Result<(), Error> {
    let Some(args) = &question.edit else {
        return Err(Error::Missing {
            what: "this question was not edited".into(),
            hint: "leave out --diff to see all of it",
        });
    };
    if output.form == Form::Json {
        return output.json(&wire(question));
    }
    let lines = changes(question, args);
    lines.iter().try_for_each(|spans| output.data(spans))
}

/// A question with all that belongs to it.
pub(super) fn show(question: &Question, output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        return output.json(&wire(question));
    }
    output.data(&[
        strong(question.id()),
        plain(format!("  {}", question.asks())),
        faint(format!("  {}", shown(&question.thread))),
    ])?;
    lines(question)
        .iter()
        .try_for_each(|spans| output.data(spans))
}

/// Questions with all that belongs to them, and the commands that answer them.
pub(super) fn to_answer(
    questions: &[Question],
    how: impl Fn(&str) -> String,
    output: &Output,
) -> Result<(), Error> {
    for question in questions {
        show(question, output)?;
        let id: String = question.id().chars().take(ID).collect();
        output.say(&[
            faint("answer it with "),
            plain(how(&id)),
            faint(", or "),
            plain("edit"),
            faint(", "),
            plain("respond"),
            faint(", "),
            plain("ignore"),
        ]);
    }
    Ok(())
}

/// A question as inboxes know it: a list of one interrupt.
fn wire(question: &Question) -> Json {
    json!({
        "thread": question.thread, "id": question.id(), "sender": question.sender,
        "subject": question.subject, "date": question.date.map(|date| date.to_string()),
        "sent_at": question.date.map(|date| format!("{date:.3}")),
        "edited_args": question.edit, "interrupts": [question.item],
    })
}

/// Prints what an answer will do, before it does it.
pub(super) fn about_to(
    question: &Question,
    answer: &Answer,
    mode: Mode,
    output: &Output,
) -> Result<(), Error> {
    let changed = question.edit_of(answer);
    let changed = changed.map_or_else(Vec::new, |args| changes(question, &args));
    let shown = first_lines(question);
    if output.form == Form::Json {
        let texts = shown.iter().chain(&changed);
        let texts = texts.map(|line| line.iter().map(Span::text).collect::<String>());
        return output.announce_json(&json!({
            "event": "about_to", "thread": question.thread, "id": question.id(), "mode": mode,
            "action_request": question.item.action_request, "answer": [answer],
            "lines": texts.collect::<Vec<_>>(),
        }));
    }
    let how = match mode {
        Mode::Dry => faint("  in a dry run"),
        Mode::Send => bad("  for real"),
    };
    let id: String = question.id().chars().take(ID).collect();
    let mut lines = vec![vec![strong(format!("{id}  {}", question.asks())), how]];
    match answer.kind {
        AnswerKind::Accept | AnswerKind::Edit => lines.extend(shown),
        AnswerKind::Ignore => lines.push(vec![plain("ignored: it is not done")]),
        AnswerKind::Response => lines.push(vec![plain("not done: the assistant gets your words")]),
    }
    if !changed.is_empty() {
        lines.push(vec![strong("your changes")]);
        lines.extend(changed);
    }
    output.announce(&lines)
}

/// To whom, the subject and the first lines of a reply; the first lines of anything else.
fn first_lines(question: &Question) -> Vec<Vec<Span>> {
    let mut all = lines(question);
    let starts = |line: &Vec<Span>, with: &str| {
        let first = line.first().map_or("", Span::text);
        first.starts_with(with)
    };
    let to = all.iter().position(|line| starts(line, "To: "));
    let subject = to.and_then(|to| {
        let rest = all.iter().skip(to);
        let found = rest.enumerate().find(|(_, line)| starts(line, "Subject: "));
        found.map(|(place, _)| to + place)
    });
    let is_reply = question.item.action_request.action.starts_with(tools::SEND);
    let most = match subject.filter(|_| is_reply) {
        // An empty line is between the subject and the text.
        Some(subject) => subject + 2 + FIRST,
        None => MOST,
    };
    let hidden = all.len().saturating_sub(most);
    all.truncate(most);
    if hidden > 0 {
        let id: String = question.id().chars().take(ID).collect();
        all.push(vec![faint(format!(
            "… {hidden} more lines: superstep inbox show {id}"
        ))]);
    }
    all
}

/// The effects of an answer, and the command that continues a run that has not ended.
pub(super) fn after(after: &After, ingest: &str, output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        return events(after, output);
    }
    for effect in &after.effects {
        output.data(&words(effect))?;
    }
    output.data(&ending(after, ingest))?;
    after.open.iter().try_for_each(|open| line(open, output))
}

/// An effect as text.
pub(super) fn words(effect: &Effect) -> Vec<Span> {
    match effect {
        Effect::Call {
            tool,
            text,
            is_error,
        } => {
            let text = plain(single_line(text));
            let tool = format!("{}: ", single_line(tool));
            vec![if *is_error { bad(tool) } else { good(tool) }, text]
        }
        Effect::Learned(topic) => vec![
            good("learned: "),
            plain(format!("the note `{}` changed", note(*topic))),
        ],
        Effect::Remark(text) => vec![faint(single_line(text))],
    }
}

/// How the run stands, and the command that continues it.
pub(super) fn ending(after: &After, ingest: &str) -> Vec<Span> {
    match (after.open.len(), after.is_done) {
        (0, true) => vec![good("done"), faint(": this mail is finished")],
        (0, false) => vec![
            plain("not finished"),
            faint(format!("; `{ingest}` continues")),
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

fn events(after: &After, output: &Output) -> Result<(), Error> {
    let thread = &after.thread;
    let first = after.answered.first();
    let is_dry = first.map(|(_, answer)| answer.mode != Some(Mode::Send));
    for (id, answer) in &after.answered {
        output.json(&json!({
            "event": "answered", "thread": thread, "id": id, "answer": [answer],
            "dry_run": is_dry,
        }))?;
    }
    for effect in &after.effects {
        output.json(&match effect {
            Effect::Call {
                tool,
                text,
                is_error,
            } => json!({
                "event": "call", "thread": thread, "tool": tool, "text": text,
                "dry_run": is_dry,
                "status": if *is_error { "error" } else { "success" },
            }),
            Effect::Learned(topic) => {
                json!({"event": "learned", "thread": thread, "note": note(*topic)})
            }
            Effect::Remark(text) => json!({"event": "remark", "thread": thread, "text": text}),
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
