//! What is printed: answers, questions, errors, and states step by step.

use serde_json::{Value as Json, json};
use superstep::{
    Checkpoint, OpenAsk,
    tools::{Approval, OutcomeQuestion},
};
use superstep_atris::{
    Answer, AtrisState, Error as AtrisError, Node, Question, Status, tools::Source,
};

use super::said::OUTCOMES;
use crate::{
    error::Error,
    output::{Form, Output, Span, bad, faint, good, plain, strong},
    table::cut,
};

/// The most characters of a value in a difference.
const LONGEST: usize = 160;

/// The last answer of a thread. No answer is an exit code.
pub(super) fn answer(
    state: &AtrisState,
    thread: &str,
    explain: bool,
    output: &Output,
) -> Result<(), Error> {
    let Some(answer) = state.last() else {
        return Err(Error::Missing {
            what: format!("thread `{thread}` has no answer"),
            hint: "ask with `superstep atris ask QUESTION`",
        });
    };
    if output.form == Form::Json {
        let mut line = json!({
            "thread": thread,
            "operation": answer.operation,
            "parameters": answer.parameters,
            "status": answer.status,
            "answer": answer.answer,
            "sources": answer.sources,
            "error": answer.error,
            "understood": answer.understood,
            "reading": answer.reading,
        });
        if let (true, Some(line)) = (explain, line.as_object_mut()) {
            line.insert("facts".into(), json!(answer.facts));
        }
        output.json(&line)?;
    } else {
        text(answer, explain, output)?;
    }
    match answer.status {
        Status::Failed | Status::Refused => Err(Error::Reported { exit: 1 }),
        Status::Answered | Status::Partial | Status::Empty => Ok(()),
    }
}

fn text(answer: &Answer, explain: bool, output: &Output) -> Result<(), Error> {
    let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
    for line in &answer.reading {
        output.data(&[faint("("), plain(line), faint(")")])?;
    }
    match (&answer.table, is_terminal) {
        (Some(table), true) => {
            let mut lines = answer.answer.lines();
            output.data(&[plain(lines.next().unwrap_or_default())])?;
            crate::table::columns(&table.columns, &table.rows, output)?;
            // What is behind the records: remarks about the reply.
            for line in lines.skip(table.rows.len()) {
                output.data(&[plain(line)])?;
            }
        }
        _ => {
            for line in answer.answer.lines() {
                output.data(&[plain(line)])?;
            }
        }
    }
    if let Some(understood) = &answer.understood {
        output.data(&[faint("(understood as: "), plain(understood), faint(")")])?;
    }
    if explain {
        for fact in &answer.facts {
            let source = answer.sources.get(fact.source);
            let place = source.map(|source| place_of(source, &answer.sources));
            let place = place.unwrap_or_default();
            output.data(&[
                faint("  "),
                strong(&fact.text),
                faint(format!(" is {} of {place}", fact.field)),
            ])?;
        }
    }
    for source in &answer.sources {
        let line = format!("source: {} {}", source.operation, source.url);
        output.note(&[faint(line)]);
    }
    Ok(())
}

/// The operation of a source; where several are of one, with the path that was asked.
fn place_of(source: &Source, all: &[Source]) -> String {
    let same = all.iter().filter(|it| it.operation == source.operation);
    let path = source.url.split("/v1/").nth(1).unwrap_or_default();
    match same.count() {
        0 | 1 => source.operation.clone(),
        _ => format!("{} /v1/{path}", source.operation),
    }
}

/// A heading for a question of the agent.
fn asks(text: &str) -> [Span; 2] {
    [strong("? "), plain(text)]
}

/// What the person is asked, and for programs the command that answers it.
pub(super) fn question(
    ask: &OpenAsk,
    next: &str,
    thread: &str,
    output: &Output,
) -> Result<(), Error> {
    let event = |kind: &str, question: &str| {
        let open = AtrisError::Unanswered {
            question: question.to_owned(),
        };
        json!({
            "event": "question", "thread": thread, "id": ask.id, "code": open.code(), "kind": kind,
            "question": question, "next": next,
        })
    };
    if ask.is::<Approval>() {
        let approval = ask.question::<Approval>()?;
        if output.form == Form::Json {
            return output.json(&event("approve", &approval.description));
        }
        for line in approval.description.lines() {
            output.say(&[plain(line)]);
        }
        output.say(&asks("May it be done? y or n"));
        return Ok(());
    }
    if ask.is::<OutcomeQuestion>() {
        let question = ask.question::<OutcomeQuestion>()?;
        if output.form == Form::Json {
            let mut line = event("outcome", &question.description);
            if let Some(line) = line.as_object_mut() {
                line.insert("options".into(), json!(OUTCOMES));
                line.insert("call".into(), json!(question.action_request.args));
            }
            return output.json(&line);
        }
        output.say(&[plain(call_of(&question))]);
        for line in question.description.lines() {
            output.say(&asks(line));
        }
        for what in [
            "yes: it happened",
            "no: it did not, and is not made",
            "repeat: it did not; it is made now",
            "unknown: it stays unknown, and is not made again",
        ] {
            output.say(&[plain(format!("  {what}"))]);
        }
        return Ok(());
    }
    let question = ask.question::<Question>()?;
    if let (Form::Text, Some(understood)) = (output.form, &question.understood) {
        output.say(&[faint("(understood so far: "), plain(understood), faint(")")]);
    }
    if output.form == Form::Json {
        let kind = match question.options.is_empty() {
            true => "missing",
            false => "choose",
        };
        let mut line = event(kind, &question.question);
        if let Some(line) = line.as_object_mut() {
            line.insert("options".into(), json!(question.options));
            line.insert("parameter".into(), json!(question.parameter));
            line.insert("understood".into(), json!(question.understood));
        }
        return output.json(&line);
    }
    output.say(&asks(&question.question));
    for (number, option) in (1..).zip(&question.options) {
        output.say(&[strong(format!("  {number}. ")), plain(option)]);
    }
    Ok(())
}

/// The call that a question about an outcome is about: its operation and parameters.
fn call_of(question: &OutcomeQuestion) -> String {
    let args = &question.action_request.args;
    let operation = args.get("operation").and_then(Json::as_str);
    let parameters = args.get("parameters").unwrap_or(&Json::Null);
    format!("{} {parameters}", operation.unwrap_or("a call"))
}

/// That a process ended during a call that changes something, and nobody was asked yet.
pub(super) fn unsettled(state: &AtrisState, line: &str, output: &Output) -> Result<(), Error> {
    let operation = state.best_api.as_ref().map(|api| api.id.clone());
    let why = format!("the question was not finished; `{line}` does that");
    open(operation.unwrap_or_default(), why, output)
}

/// An outcome that is unknown.
fn open(operation: String, why: String, output: &Output) -> Result<(), Error> {
    let error = AtrisError::UnknownOutcome { operation, why };
    if output.form == Form::Json {
        let open = json!({"code": error.code(), "message": error.to_string()});
        return output.json(&json!({"open": open}));
    }
    output.data(&[
        strong("open: "),
        plain(error.to_string()),
        faint(format!(" [{}]", error.code())),
    ])
}

/// The errors of a thread, most frequent first, then one by one. What is unknown and still asked about comes
/// before.
pub(super) fn errors(
    state: &AtrisState,
    asks: &[OpenAsk],
    is_open: bool,
    output: &Output,
) -> Result<(), Error> {
    for ask in asks.iter().filter(|ask| ask.is::<OutcomeQuestion>()) {
        let question = ask.question::<OutcomeQuestion>()?;
        open(call_of(&question), question.description, output)?;
    }
    for (code, count) in state.error_frequencies() {
        if output.form == Form::Json {
            output.json(&json!({"code": code, "count": count}))?;
        } else {
            output.data(&[strong(&code), plain(format!("  {count} times"))])?;
        }
    }
    for problem in &state.error_history {
        if output.form == Form::Json {
            output.json(&json!({"error": problem}))?;
        } else {
            let operation = problem.operation.as_deref().unwrap_or("no operation");
            let place = format!("  {} {operation}: ", problem.node);
            output.data(&[
                faint(place),
                plain(&problem.message),
                faint(format!(" [{}]", problem.code)),
            ])?;
        }
    }
    if state.error_history.is_empty() && !is_open && output.form == Form::Text {
        output.say(&[plain("no errors")]);
    }
    Ok(())
}

/// The states of a run in order, and what changed from one to the next. `before` were there already.
pub(super) fn steps(
    history: &[Checkpoint<AtrisState, Node>],
    before: usize,
    output: &Output,
) -> Result<(), Error> {
    let new = history.len().saturating_sub(before);
    let mut last = Json::Null;
    let steps = history.iter().take(new).rev().zip(1_u32..);
    for (checkpoint, number) in steps {
        let state = serde_json::to_value(&*checkpoint.state).unwrap_or_default();
        let next: Vec<String> = checkpoint
            .next
            .iter()
            .map(|node| format!("{node:?}"))
            .collect();
        if output.form == Form::Json {
            output
                .json(&json!({"event": "state", "step": number, "next": next, "state": state}))?;
        } else {
            output.say(&[
                strong(format!("state {number}")),
                faint(format!(" next: {}", next.join(", "))),
            ]);
            changes(&last, &state, output);
        }
        last = state;
    }
    Ok(())
}

fn changes(last: &Json, state: &Json, output: &Output) {
    let Some(fields) = state.as_object() else {
        return;
    };
    for (name, value) in fields {
        let old = last.get(name).unwrap_or(&Json::Null);
        if old == value || old.is_null() && value.as_array().is_some_and(Vec::is_empty) {
            continue;
        }
        let short = |value: &Json| cut(&value.to_string(), LONGEST);
        if !old.is_null() {
            output.say(&[bad("  - "), plain(format!("{name}: {}", short(old)))]);
        }
        if !value.is_null() {
            output.say(&[good("  + "), plain(format!("{name}: {}", short(value)))]);
        }
    }
}
