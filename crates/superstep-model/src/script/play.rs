//! Playback of a step: deltas, delays and faults.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::Stream;
use tokio::time::{Sleep, sleep};

use super::step::{Break, Call, Step, Tokens};
use crate::{
    delta::{Delta, Deltas},
    error::{ErrorKind, ModelError},
    model_id::ModelId,
    request::{Request, ToolChoice},
    usage::{Finish, Usage},
};

/// Starts the reply of a step. An error before the first piece is one of the call itself.
pub(super) async fn stream(
    model: &ModelId,
    step: Step,
    request: &Request,
    number: usize,
) -> Result<Deltas, ModelError> {
    if let Some(delay) = step.delay_ms {
        sleep(Duration::from_millis(delay)).await;
    }
    let before = step.after.unwrap_or(0);
    if let (Some(error), 0) = (&step.error, before) {
        return Err(error.error(model));
    }
    let mut pieces: VecDeque<Result<Delta, ModelError>> =
        pieces(model, &step, request, number).map(Ok).collect();
    let mut end = End::Done;
    if let Some(error) = &step.error {
        pieces.truncate(before);
        pieces.push_back(Err(error.error(model)));
    }
    match step.breaks {
        None => {}
        Some(Break::Hang) => {
            pieces.truncate(before);
            end = End::Never;
        }
        Some(Break::Cut) => {
            pieces.retain(|piece| !matches!(piece, Ok(Delta::Finish(_) | Delta::Usage(_))));
            pieces.truncate(step.after.unwrap_or(usize::MAX));
        }
        Some(Break::Disconnect) => {
            pieces.truncate(before);
            pieces.push_back(Err(ErrorKind::Connect {
                host: model.to_string(),
                message: "the connection was lost".into(),
            }
            .into()));
        }
    }
    Ok(Deltas::new(Playing {
        pieces,
        pace: step.pace_ms.map(Duration::from_millis),
        pause: None,
        end,
    }))
}

/// All pieces of a reply that does not break.
fn pieces(
    model: &ModelId,
    step: &Step,
    request: &Request,
    number: usize,
) -> impl Iterator<Item = Delta> {
    let mut said = vec![Delta::From {
        model: model.name.clone(),
        weights: None,
    }];
    if let Some(thought) = &step.reasoning {
        said.push(Delta::Reasoning(thought.clone()));
        said.push(Delta::ReasoningEnd {
            signature: None,
            hidden: None,
        });
    }
    let texts = step.text.iter().chain(&step.chunks);
    said.extend(texts.cloned().map(Delta::Text));
    let mut calls = step.calls.clone();
    if let Some(data) = &step.data {
        // Where data is asked for by way of a tool, that is how it is given.
        match (&request.tool_choice, data.as_object()) {
            (ToolChoice::Tool(name), Some(args)) if request.output.is_none() => calls.push(Call {
                name: name.clone(),
                args: args.clone(),
                ..Call::default()
            }),
            _ => said.push(Delta::Text(data.to_string())),
        }
    }
    let has_calls = !calls.is_empty();
    for (index, call) in (0..).zip(calls) {
        let id = call.id.unwrap_or_else(|| format!("call_{number}_{index}"));
        said.push(Delta::Call {
            index,
            id: Some(id),
            name: call.name,
        });
        let json = call
            .raw
            .unwrap_or_else(|| serde_json::Value::Object(call.args).to_string());
        said.push(Delta::Args { index, json });
    }
    match step.usage {
        Tokens::Absent => {}
        Tokens::Given(usage) => said.push(Delta::Usage(usage)),
        Tokens::Counted => said.push(Delta::Usage(counted(&said, request))),
    }
    let usual = if has_calls {
        Finish::ToolCalls
    } else {
        Finish::Stop
    };
    let finish = step.finish.clone().unwrap_or(usual);
    said.push(Delta::Finish(finish));
    said.into_iter()
}

fn counted(said: &[Delta], request: &Request) -> Usage {
    let tokens = |bytes: usize| u64::try_from(bytes / 4 + 1).unwrap_or(u64::MAX);
    let output = said.iter().map(|piece| match piece {
        Delta::Text(text) | Delta::Reasoning(text) => text.len(),
        Delta::Call { name, .. } => name.len(),
        Delta::Args { json, .. } => json.len(),
        _ => 0,
    });
    let input = request.messages.iter().map(|message| message.text().len());
    Usage {
        input: tokens(input.sum()),
        output: tokens(output.sum()),
        ..Usage::default()
    }
}

enum End {
    Done,
    Never,
}

struct Playing {
    pieces: VecDeque<Result<Delta, ModelError>>,
    pace: Option<Duration>,
    pause: Option<Pin<Box<Sleep>>>,
    end: End,
}

impl Stream for Playing {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(pause) = &mut self.pause {
            if pause.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.pause = None;
        }
        match (self.pieces.pop_front(), &self.end) {
            (Some(piece), _) => {
                self.pause = self.pace.map(|pace| Box::pin(sleep(pace)));
                Poll::Ready(Some(piece))
            }
            (None, End::Done) => Poll::Ready(None),
            // Only dropping the call ends it.
            (None, End::Never) => Poll::Pending,
        }
    }
}
