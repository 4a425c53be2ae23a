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
    question_view::Choices,
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

/// A question in both forms.
pub(crate) fn question(ask: &OpenAsk, thread: &str) -> Notice {
    let lines = lines(ask).into_iter();
    let lines = lines.map(|line| Block::Line(Weight::Say, line));
    let blocks = [Block::EndOfPieces].into_iter().chain(lines);
    Notice::named(
        "question",
        json!({"thread": thread, "id": ask.id, "kind": ask.kind, "question": ask.body}),
    )
    .with(blocks.collect())
}

pub(crate) fn present(ask: &OpenAsk, with: &Context) -> Prompt {
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
        ..Prompt::new(question(ask, &with.thread))
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
    let choices = Choices::of(ask);
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
        (words(&ask.body, &choices), None, "")
    };
    let text = text.lines().map(str::to_owned).chain(choices.lines());
    let text = text.map(|line| vec![plain(line)]);
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

/// A question without a form of its own: a text as it is, an object field by field. Its options are listed below it.
fn words(body: &Json, choices: &Choices) -> String {
    match body {
        Json::String(text) => text.clone(),
        Json::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.filter(|(name, _)| !choices.has_field(name));
            let lines = fields.map(|(name, value)| match value {
                Json::String(text) => format!("{name}: {text}"),
                other => format!("{name}: {other}"),
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

/// A typed line.
pub(crate) enum Typed {
    /// A verdict on a call.
    Verdict(Verdict),
    /// Anything else.
    Reading(Reading),
}

/// Reads an answer: a verdict where a call is approved, an option of those that are listed, JSON where it fits the schema,
/// otherwise the text itself.
pub(crate) fn read(ask: &OpenAsk, text: &str) -> Typed {
    let text = text.trim();
    if text.is_empty() {
        return Typed::Reading(Reading::Empty);
    }
    let lower = text.to_lowercase();
    if let Ok(approval) = ask.question::<Approval>() {
        return match lower.as_str() {
            "y" | "yes" | "accept" => Typed::Verdict(Verdict::Accept),
            "n" | "no" | "ignore" => Typed::Verdict(Verdict::Ignore),
            _ if approval.config.allow_respond => {
                Typed::Verdict(Verdict::Response(text.to_owned()))
            }
            _ => unclear("y or n"),
        };
    }
    if let Ok(outcome) = ask.question::<OutcomeQuestion>() {
        let resolution = match lower.as_str() {
            "yes" => Resolution::Happened("a person said that it happened".into()),
            "no" => Resolution::Abandon,
            "repeat" => Resolution::Repeat,
            "unknown" => Resolution::StillUnknown,
            _ => return unclear("yes, no, repeat or unknown, as a whole word"),
        };
        let digest = outcome.digest;
        let answer = ask.answer::<OutcomeQuestion>(&OutcomeAnswer { digest, resolution });
        return match answer {
            Ok(answer) => Typed::Reading(Reading::Answer(answer.into())),
            Err(error) => unclear(error.to_string()),
        };
    }
    let choices = Choices::of(ask);
    let kind = ask.schema.as_ref().and_then(|schema| schema.get("type"));
    let value = match (choices.chosen(text), choices.expected()) {
        (Some(answer), _) => answer.clone(),
        (None, Some(expected)) => return unclear(expected),
        (None, None) if kind.and_then(Json::as_str) == Some("string") => text.into(),
        (None, None) => match serde_json::from_str(text) {
            Ok(Json::Array(items)) => items.into(),
            Ok(Json::Object(fields)) => fields.into(),
            _ if is_about_call(&ask.body) => return unclear(VERDICTS),
            Ok(value) => value,
            Err(_) => text.into(),
        },
    };
    Typed::Reading(Reading::Answer(Answer::from((ask.id, value))))
}

/// What a question about a call takes from an inbox.
const VERDICTS: &str =
    "accept, edit, respond or ignore, as inboxes send them: words alone decide nothing";

/// Whether a question is about a call, in the form that inboxes know.
fn is_about_call(body: &Json) -> bool {
    let has_call = |body: &Json| body.get("action_request").is_some_and(Json::is_object);
    has_call(body) || body.get(0).is_some_and(has_call)
}

fn unclear(expected: impl Into<String>) -> Typed {
    Typed::Reading(Reading::Unclear(expected.into()))
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
