//! `superstep threads show`: what was said, what is asked, what went wrong. `words` makes text of a state.

use std::{
    iter::{once, repeat},
    sync::Arc,
};

use serde_json::{Value as Json, json};
use superstep::{
    Foreign, OpenAsk, Origin,
    dynamic::{Snapshot, SubState},
};
use superstep_agent::{Context, Span};

use super::{
    Status, ThreadReader, ago,
    words::{Utterance, conversation, scalar, shortened},
};
use crate::{
    app::App,
    args::At,
    error::Error,
    output::{Form, Output, bad, count, faint, plain, shown, strong},
    running, suggest, units,
};

/// How much of a field of the state is shown.
const MOST_LETTERS: usize = 400;

pub(super) async fn run(
    reader: &ThreadReader,
    at: &At,
    has_state: bool,
    app: &App<'_>,
) -> Result<(), Error> {
    let output = app.output;
    let agent = reader.agent(&at.thread).await?;
    let mut opened = agent.reader(reader.backends().clone())?;
    let graph = opened.graph().clone();
    let snapshot = reader
        .snapshot(&graph, &at.thread, at.at.as_deref())
        .await?;
    let status = match at.at {
        // As it was then, whatever became of it.
        Some(_) => Status::of(&snapshot),
        None => reader.status(&graph, &snapshot).await?,
    };
    let state = serde_json::to_value(&snapshot.values).map_err(std::io::Error::from)?;
    let mark = reader
        .provenance()?
        .find(&at.thread.as_str().into())
        .await?;
    let cost = reader.cost(&at.thread.as_str().into()).await;
    let model = reader.model(&at.thread.as_str().into(), &state).await;
    if output.form == Form::Json {
        return output.json(&json!({
            "thread": at.thread,
            "agent": agent.name(),
            "status": status,
            "checkpoint": snapshot.checkpoint.map(|id| id.to_string()),
            "made_at": snapshot.checkpoint.map(units::made),
            "step": snapshot.origin.map(|(_, step)| step),
            "imported": of_origin(mark.as_ref(), Origin::Import),
            "over_http": of_origin(mark.as_ref(), Origin::Http),
            "model": model,
            "cost_micro_usd": cost.micro_usd,
            "input_tokens": cost.input_tokens,
            "output_tokens": cost.output_tokens,
            "next": snapshot.next,
            "asks": snapshot.asks().map(ask).collect::<Vec<_>>(),
            "errors": errors(&snapshot),
            "state": state,
            "unfinished": unfinished(&snapshot),
        }));
    }
    let when = snapshot.checkpoint.map(ago).unwrap_or_default();
    let step = snapshot.origin.map_or(0, |(_, step)| step);
    output.data(&[
        strong(shown(&at.thread)),
        plain(format!("  {}", status.as_str())),
        faint(format!("  step {step}, {when}")),
    ])?;
    if cost.calls > 0 {
        output.data(&[faint(format!(
            "{}, {} + {} tokens, {}",
            count(usize::try_from(cost.calls).unwrap_or(usize::MAX), "call"),
            cost.input_tokens,
            cost.output_tokens,
            units::cost(&cost)
        ))])?;
    }
    if let Some(model) = &model {
        output.data(&[faint(format!("begun with {model}"))])?;
    }
    if let Some(mark) = mark {
        let origin = match mark.origin {
            Origin::Import => "imported",
            Origin::Http => "started or edited over HTTP",
        };
        output.data(&[bad(match mark.is_trusted {
            true => format!("{origin}; you agreed to run it"),
            false => format!("{origin}: its content is untrusted; you have not agreed to run it"),
        })])?;
    }
    for error in errors(&snapshot) {
        output.data(&[
            bad(match error.get("code").and_then(Json::as_str) {
                Some(code) => format!("failed [{code}]: "),
                None => "failed: ".to_owned(),
            }),
            plain(error.get("node").and_then(Json::as_str).unwrap_or("")),
            plain(": "),
            plain(error.get("message").and_then(Json::as_str).unwrap_or("")),
        ])?;
    }
    let (list, said) = conversation(&state, agent.name());
    // A question reads as in the inbox, with what the person edited since.
    let global = app.global.clone();
    let context = Context {
        thread: at.thread.clone(),
        commands: Arc::new(move |words| suggest::command(&global, words)),
    };
    let mut asked = Vec::new();
    for ask in snapshot.asks() {
        let ask = OpenAsk::from(ask);
        // A question of another version is shown as it is.
        asked.push(match opened.inbox_question(&ask, &context).await {
            Ok(question) => question.lines,
            Err(_) => vec![vec![plain(scalar(&ask.body))]],
        });
    }
    // What is asked is often the last thing that was said, and a field of the state as well.
    let mut told: Vec<String> = asked.iter().map(|lines| flat(&text_of(lines))).collect();
    told.extend(said.iter().map(|it| flat(&it.text)));
    // An agent without a conversation has nothing else to show, and the words of a run that broke off are no message yet.
    let is_broken = matches!(status, Status::Failed | Status::Interrupted);
    if has_state || said.is_empty() || is_broken {
        fields(&state, (list.as_deref(), &told), output)?;
    }
    for message in &said {
        tell(message, output)?;
    }
    // The call that is asked about is shown there.
    let is_asked =
        |message: &Json| !asked.is_empty() && message.get("tool_calls").is_some_and(has_items);
    for message in unfinished(&snapshot).iter().filter(|it| !is_asked(it)) {
        match Utterance::of(message, agent.name()) {
            Some(said) => tell(&said, output)?,
            None => output.data(&[
                faint("under way: "),
                plain(shortened(&scalar(message), MOST_LETTERS)),
            ])?,
        }
    }
    for lines in asked {
        let last = said.last().map(|it| flat(&it.text));
        if last.is_some_and(|last| last == flat(&text_of(&lines))) {
            output.data(&[faint("waiting for your reply to the message above")])?;
            continue;
        }
        for (line, begin) in lines
            .into_iter()
            .zip(once(strong("asks: ")).chain(repeat(plain("  "))))
        {
            let line: Vec<Span> = once(begin).chain(line).collect();
            output.data(&line)?;
        }
    }
    if status == Status::Waiting {
        let how = match snapshot.asks().next() {
            Some(_) => "answer it with ",
            None => "it was copied at a question; it asks again with ",
        };
        let line = running::of(agent).resume_command(&at.thread, &snapshot, app.global);
        output.say(&[faint(how), plain(shown(&line))]);
    } else if !snapshot.next.is_empty() {
        output.data(&[faint("next: "), plain(snapshot.next.join(", "))])?;
        if matches!(status, Status::Failed | Status::Interrupted) && at.at.is_none() {
            let line = running::of(agent).resume_command(&at.thread, &snapshot, app.global);
            output.say(&[faint("continue it with "), plain(shown(&line))]);
        }
    }
    Ok(())
}

fn has_items(list: &Json) -> bool {
    list.as_array().is_some_and(|list| !list.is_empty())
}

/// The mark of a thread, if others shaped it in this way.
fn of_origin(mark: Option<&Foreign>, origin: Origin) -> Option<Json> {
    let mark = mark.filter(|mark| mark.origin == origin)?;
    Some(json!({"trusted": mark.is_trusted}))
}

/// The text of lines.
fn text_of(lines: &[Vec<Span>]) -> String {
    let texts = lines
        .iter()
        .map(|line| line.iter().map(Span::text).collect());
    texts.collect::<Vec<String>>().join(" ")
}

/// A text without the ends of its lines, to be compared.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A message: who says it, and the text below its first line indented.
fn tell(said: &Utterance, output: &Output) -> Result<(), Error> {
    let mut lines = said.text.trim_end().split('\n');
    let first = lines.next().unwrap_or_default();
    output.data(&[strong(format!("{}: ", said.who)), plain(first)])?;
    lines.try_for_each(|line| output.data(&[plain(format!("  {line}"))]))
}

fn ask(ask: &superstep::dynamic::DynAsk) -> Json {
    json!({"id": ask.id.to_string(), "value": ask.value, "kind": ask.kind})
}

fn errors(snapshot: &Snapshot) -> Vec<Json> {
    let failed = snapshot.tasks.iter().filter_map(|task| {
        let error = task.error.as_ref()?;
        Some(json!({"node": &*task.name, "code": error.code, "message": error.message}))
    });
    failed.collect()
}

/// The messages of subgraphs that are not finished, which the state does not have yet: calls that were
/// made are among them.
fn unfinished(snapshot: &Snapshot) -> Vec<Json> {
    let mut messages = Vec::new();
    for task in &snapshot.tasks {
        let Some(SubState::Snapshot(inner)) = &task.state else {
            continue;
        };
        let state = serde_json::to_value(&inner.values).unwrap_or_default();
        let known = state.get("inherited").and_then(Json::as_u64).unwrap_or(0);
        let all = state.get("messages").and_then(Json::as_array);
        let new = all.into_iter().flatten();
        messages.extend(new.skip(usize::try_from(known).unwrap_or(0)).cloned());
        messages.extend(unfinished(inner));
    }
    messages
}

/// What the state says in plain values, and which other fields it has. What is empty, and what the conversation shows,
/// is left out.
fn fields(
    state: &Json,
    (conversation, told): (Option<&str>, &[String]),
    output: &Output,
) -> Result<(), Error> {
    let mut others = Vec::new();
    for (name, value) in state.as_object().into_iter().flatten() {
        if conversation == Some(name) {
            continue;
        }
        let text = match value {
            Json::Null | Json::Bool(false) => continue,
            Json::Number(number) if number.as_f64() == Some(0.0) => continue,
            Json::String(text) if text.is_empty() => continue,
            Json::Array(items) if items.is_empty() => continue,
            Json::Object(fields) if fields.is_empty() => continue,
            Json::String(text) => text.clone(),
            Json::Array(items) if items.iter().all(Json::is_string) => scalar(value),
            Json::Array(_) | Json::Object(_) => {
                others.push(name.as_str());
                continue;
            }
            other => other.to_string(),
        };
        if told.contains(&flat(&text)) {
            continue;
        }
        let text = shortened(text.trim_end(), MOST_LETTERS);
        let mut lines = text.split('\n');
        let first = lines.next().unwrap_or_default();
        output.data(&[faint(format!("{name}: ")), plain(first)])?;
        lines.try_for_each(|line| output.data(&[plain(format!("  {line}"))]))?;
    }
    match others.is_empty() {
        true => Ok(()),
        false => output.data(&[faint(format!("--json also has: {}", others.join(", ")))]),
    }
}
