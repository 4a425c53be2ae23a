//! The dialogue of any graph: questions and results as they are, answers by the schema of the question.

use serde_json::{Value as Json, json};
use superstep::{
    Modes, OpenAsk, RunOptions, ThreadId,
    dynamic::{DynEvent, DynGraph, EventKind, state::Depth},
    future::BoxFuture,
    model::Message,
    text::reveal,
    tools::{Approval, OutcomeAnswer, OutcomeQuestion, Resolution, Verdict, approval::Action},
};

use crate::{
    block::{Block, Weight},
    context::Context,
    failure::AgentError,
    notice::{Notice, Report},
    prompt::{Answer, Decides, Prompt, Reading},
    question_id::short_id,
    span::{Span, faint, plain, strong},
    words::count,
};

/// Options of the runs of a graph, with what every conversation needs.
pub(crate) fn options(of_graph: RunOptions) -> RunOptions {
    RunOptions {
        modes: Modes::MESSAGES.with(Modes::CUSTOM),
        log: Modes::TRACE,
        // New input would drop an open question, and a misspelled field would be lost.
        keep_asks: true,
        strict_input: true,
        ..of_graph
    }
}

/// The name of the thread.
pub(crate) fn thread(with: &Context) -> Notice {
    let line = Block::Line(Weight::Note, vec![faint("thread "), plain(&with.thread)]);
    Notice::named("thread", json!({"thread": with.thread})).with(vec![line])
}

/// Words of a model in an event; empty if it has none.
pub(crate) fn streamed(event: &DynEvent) -> String {
    let EventKind::Message { message, .. } = &event.kind else {
        return String::new();
    };
    let message = serde_json::from_value::<Message>(message.to_json());
    message.map(|message| message.text()).unwrap_or_default()
}

/// Words of a model as they arrive.
pub(crate) fn token(text: String) -> Vec<Notice> {
    match text.is_empty() {
        true => Vec::new(),
        false => vec![Notice::named("token", json!({"text": text})).with(vec![Block::Piece(text)])],
    }
}

pub(crate) fn present(ask: &OpenAsk, with: &Context) -> Prompt {
    let mut blocks = vec![Block::EndOfPieces];
    blocks.extend(
        lines(ask)
            .into_iter()
            .map(|line| Block::Line(Weight::Say, line)),
    );
    let notice = Notice::named(
        "question",
        json!({"thread": with.thread, "id": ask.id, "kind": ask.kind, "question": ask.body}),
    );
    let decides = match () {
        // Which calls a model wants is not known before it is asked.
        () if ask.is::<Approval>() || ask.is::<OutcomeQuestion>() => Decides::Outcome,
        () => Decides::Content,
    };
    let is_content = decides == Decides::Content;
    Prompt {
        decides,
        // Nobody has seen a call that a pipe would approve.
        takes_pipe: is_content,
        later: match is_content {
            true => Vec::new(),
            false => vec![later(ask, with)],
        },
        ..Prompt::new(notice.with(blocks))
    }
}

/// How to answer a question about a call later: by its id, as another one may be open by then.
fn later(ask: &OpenAsk, with: &Context) -> Notice {
    let id = short_id(ask.id);
    let resume = with.command(&["threads", "resume", &with.thread]);
    let named = ["threads", "resume", &with.thread, "--question", &id];
    let written = format!("{} --answers FILE", with.command(&named));
    let lines = [("answer it with ", resume), ("or with        ", written)];
    let line =
        |(how, command): (&str, String)| Block::Line(Weight::Say, vec![faint(how), plain(command)]);
    Notice::people(lines.map(line).into())
}

fn lines(ask: &OpenAsk) -> Vec<Vec<Span>> {
    let (text, call, hint) = if let Ok(approval) = ask.question::<Approval>() {
        let hint = match approval.config.allow_respond {
            true => "May it be done? y, n, or words for the agent",
            false => "May it be done? y or n",
        };
        (approval.description, Some(approval.action_request), hint)
    } else if let Ok(outcome) = ask.question::<OutcomeQuestion>() {
        let hint = "Did it happen? yes, no, repeat or unknown";
        (outcome.description, Some(outcome.action_request), hint)
    } else {
        (words(&ask.body), None, "")
    };
    let text = text.lines().map(|line| vec![plain(line)]);
    let call = call.iter().flat_map(call_lines);
    let hint = (!hint.is_empty()).then(|| vec![strong("? "), plain(hint)]);
    text.chain(call).chain(hint).collect()
}

/// A call as it would be made: the tool and every argument, hidden characters revealed. Lines within a text have a bar,
/// so that none of them looks like another argument; what fits a line comes last, next to the question.
fn call_lines(call: &Action) -> Vec<Vec<Span>> {
    let mut args: Vec<(&String, String)> = call
        .args
        .iter()
        .map(|(name, value)| match value {
            Json::String(text) => (name, text.clone()),
            other => (name, other.to_string()),
        })
        .collect();
    args.sort_by_key(|(_, text)| !has_lines(text));
    let mut lines = vec![vec![plain("  "), strong(reveal(&call.action))]];
    for (name, text) in args {
        let name = reveal(name);
        if !has_lines(&text) {
            lines.push(vec![plain(format!("    {name}: {}", reveal(&text)))]);
            continue;
        }
        let inside: Vec<&str> = text.split(is_end).collect();
        let how_many = count(inside.len(), "line");
        lines.push(vec![plain(format!("    {name}, {how_many}:"))]);
        lines.extend(
            inside
                .into_iter()
                .map(|line| vec![plain(format!("      | {}", reveal(line)))]),
        );
    }
    lines
}

fn has_lines(text: &str) -> bool {
    text.contains(is_end)
}

/// Whether a terminal may end a line here.
fn is_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// A question without a form of its own: a text as it is, an object field by field.
fn words(body: &Json) -> String {
    match body {
        Json::String(text) => text.clone(),
        Json::Object(fields) => {
            let lines = fields.iter().map(|(name, value)| match value {
                Json::String(text) => format!("{name}: {text}"),
                other => format!("{name}: {other}"),
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

/// Reads an answer: a verdict where a call is approved, JSON where it fits the schema, otherwise the text itself.
pub(crate) fn read(ask: &OpenAsk, text: &str) -> Reading {
    let text = text.trim();
    if text.is_empty() {
        return Reading::Empty;
    }
    let lower = text.to_lowercase();
    if let Ok(approval) = ask.question::<Approval>() {
        let verdict = match lower.as_str() {
            "y" | "yes" | "accept" => Verdict::Accept,
            "n" | "no" | "ignore" => Verdict::Ignore,
            _ if approval.config.allow_respond => Verdict::Response(text.to_owned()),
            _ => return Reading::Unclear("y or n".into()),
        };
        return answered(ask.answer::<Approval>(&approval.answer(verdict)));
    }
    if let Ok(outcome) = ask.question::<OutcomeQuestion>() {
        let resolution = match lower.as_str() {
            "yes" => Resolution::Happened("a person said that it happened".into()),
            "no" => Resolution::Abandon,
            "repeat" => Resolution::Repeat,
            "unknown" => Resolution::StillUnknown,
            _ => return Reading::Unclear("yes, no, repeat or unknown, as a whole word".into()),
        };
        let digest = outcome.digest;
        return answered(ask.answer::<OutcomeQuestion>(&OutcomeAnswer { digest, resolution }));
    }
    let kind = ask.schema.as_ref().and_then(|schema| schema.get("type"));
    let value = match (kind.and_then(Json::as_str), lower.as_str()) {
        (Some("boolean"), "y" | "yes" | "true") => Json::Bool(true),
        (Some("boolean"), "n" | "no" | "false") => Json::Bool(false),
        (Some("boolean"), _) => return Reading::Unclear("y or n".into()),
        (Some("string"), _) => Json::String(text.to_owned()),
        _ => serde_json::from_str(text).unwrap_or_else(|_| Json::String(text.to_owned())),
    };
    Reading::Answer(Answer::from((ask.id, value)))
}

fn answered(answer: Result<(superstep::AskId, Json), superstep::Error>) -> Reading {
    match answer {
        Ok(answer) => Reading::Answer(answer.into()),
        Err(error) => Reading::Unclear(error.to_string()),
    }
}

pub(crate) fn state<'a>(
    graph: DynGraph,
    with: &'a Context,
) -> BoxFuture<'a, Result<Json, AgentError>> {
    Box::pin(async move {
        let thread = ThreadId::from(with.thread.as_str());
        let snapshot = graph.state(&thread, None, Depth::Here).await?;
        Ok(snapshot.values.to_json())
    })
}

/// The last reply of a conversation, or the whole state. A reply that was shown as it arrived is not shown again.
pub(crate) fn report<'a>(
    graph: DynGraph,
    with: &'a Context,
    streamed: String,
) -> BoxFuture<'a, Result<Report, AgentError>> {
    Box::pin(async move {
        let state = state(graph, with).await?;
        let messages = state.get("messages").and_then(Json::as_array);
        let last = messages.and_then(|all| all.last()).cloned();
        let last = last.and_then(|last| serde_json::from_value::<Message>(last).ok());
        let text = match last.map(|last| last.text()).filter(|text| !text.is_empty()) {
            Some(text) => text,
            None => serde_json::to_string_pretty(&state).unwrap_or_default(),
        };
        let mut blocks = vec![Block::EndOfPieces];
        if streamed.is_empty() || !streamed.trim_end().ends_with(text.trim()) {
            let lines = text.lines();
            blocks.extend(lines.map(|line| Block::Line(Weight::Data, vec![plain(line)])));
        }
        let result = Notice::named("result", json!({"thread": with.thread, "state": state}));
        Ok(Report {
            notices: vec![result.with(blocks)],
            exit: None,
        })
    })
}
