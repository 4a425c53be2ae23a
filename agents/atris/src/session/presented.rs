//! Questions to a person: lines for people, an event for programs with the command that answers.

use serde_json::{Value as Json, json};
use superstep::{
    Error as RunError, OpenAsk,
    tools::{Approval, OutcomeQuestion},
};
use superstep_agent::{Block, Notice, Span, Weight, faint, plain, strong};

use super::typed_answer::OUTCOMES;
use crate::{Error, Question};

/// A question. `next` is the command that answers it.
pub(super) fn notice(ask: &OpenAsk, next: &str, thread: &str) -> Result<Notice, RunError> {
    let shown = if ask.is::<Approval>() {
        approval(ask.question()?)
    } else if ask.is::<OutcomeQuestion>() {
        outcome(ask.question()?)
    } else {
        missing(ask.question()?)
    };
    let question = shown.question;
    let open = Error::Unanswered {
        question: question.clone(),
    };
    let mut fields = json!({
        "thread": thread, "id": ask.id, "code": open.code(), "kind": shown.kind, "question": question,
        "next": next,
    });
    if let (Some(fields), Json::Object(more)) = (fields.as_object_mut(), shown.more) {
        fields.extend(more);
    }
    let lines = shown.lines.into_iter();
    let blocks = lines.map(|line| Block::Line(Weight::Say, line)).collect();
    Ok(Notice::named("question", fields).with(blocks))
}

/// A question in both forms.
struct Shown {
    kind: &'static str,
    question: String,
    /// More fields of its event.
    more: Json,
    lines: Vec<Vec<Span>>,
}

fn approval(approval: Approval) -> Shown {
    let lines = approval.description.lines().map(|line| vec![plain(line)]);
    let lines = lines.chain([heading("May it be done? y or n")]).collect();
    Shown {
        kind: "approve",
        question: approval.description,
        more: Json::Null,
        lines,
    }
}

fn outcome(question: OutcomeQuestion) -> Shown {
    let mut lines = vec![vec![plain(call_of(&question))]];
    lines.extend(question.description.lines().map(heading));
    let said = [
        "yes: it happened",
        "no: it did not, and is not made",
        "repeat: it did not; it is made now",
        "unknown: it stays unknown, and is not made again",
    ];
    lines.extend(said.map(|said| vec![plain(format!("  {said}"))]));
    Shown {
        kind: "outcome",
        question: question.description,
        more: json!({"options": OUTCOMES, "call": question.action_request.args}),
        lines,
    }
}

fn missing(question: Question) -> Shown {
    let understood = question.understood.as_ref();
    let understood =
        understood.map(|it| vec![faint("(understood so far: "), plain(it), faint(")")]);
    let mut lines: Vec<Vec<Span>> = understood.into_iter().collect();
    lines.push(heading(&question.question));
    let options = (1..).zip(&question.options);
    let options = options
        .map(|(number, option): (u32, _)| vec![strong(format!("  {number}. ")), plain(option)]);
    lines.extend(options);
    Shown {
        kind: match question.options.is_empty() {
            true => "missing",
            false => "choose",
        },
        more: json!({
            "options": question.options, "parameter": question.parameter,
            "understood": question.understood,
        }),
        question: question.question,
        lines,
    }
}

/// The first line of a question.
fn heading(text: &str) -> Vec<Span> {
    vec![strong("? "), plain(text)]
}

/// The call that a question about an outcome is about: its operation and parameters.
pub(super) fn call_of(question: &OutcomeQuestion) -> String {
    let args = &question.action_request.args;
    let operation = args.get("operation").and_then(Json::as_str);
    let parameters = args.get("parameters").unwrap_or(&Json::Null);
    format!("{} {parameters}", operation.unwrap_or("a call"))
}
