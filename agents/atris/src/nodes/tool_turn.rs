//! Node `tool_turn`: what the last reply of a strong model asks for, in its order.

use serde_json::{Map, Value as Json};
use superstep::{
    Ctx, NodeError, Res, Snap,
    model::{Label, Message, ToolCall, ToolReply, message::ToolStatus},
};

use super::select_api::may_be_called;
use crate::{
    answer::Answer,
    catalogue::{Catalogue, Operation, Parameters},
    draft::{AnswerContext, Draft},
    research::{
        ANSWER, CALL, COMPUTE, Computing, FIND, MAX_CALLS, Progress, RecordSet, Research, found,
    },
    services::Services,
    state::{AtrisState, AtrisStateUpdate},
    tools::Source,
};

pub(crate) async fn tool_turn(
    state: Snap<AtrisState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    let mut messages = state.messages.clone().unwrap_or_default();
    let reply = messages.iter().rev().find_map(Message::reply).cloned();
    let reply = reply.unwrap_or_default();
    let mut turn = Turn {
        state: &state,
        services: &services,
        ctx: &ctx,
        research: state.research.clone().unwrap_or_default(),
        sources: state.sources.clone().unwrap_or_default(),
        host: state.selected_host.clone(),
        parameters: state.parameters.clone(),
        answer: None,
    };
    for call in &reply.invalid_tool_calls {
        let why = format!("the arguments are no JSON object: {}", call.error);
        messages.push(read(&call.id, &call.name, Observed::refused(why)));
    }
    let is_alone = reply.tool_calls.len() == 1;
    for call in &reply.tool_calls {
        let observed = turn.observed(call, is_alone).await?;
        if let ToolStatus::Error = observed.status {
            let why = observed.text.clone();
            ctx.emit(Progress::Refused { why }).await;
        }
        messages.push(read(&call.id, &call.name, observed));
    }
    Ok(AtrisState::update()
        .messages(messages)
        .research(turn.research)
        .sources(turn.sources)
        .selected_host(turn.host)
        .parameters(turn.parameters)
        .answer(turn.answer))
}

/// The result of a tool, as the model reads it.
struct Observed {
    text: String,
    status: ToolStatus,
    label: Label,
}

impl Observed {
    /// The program's own words about what cannot be done.
    fn refused(why: String) -> Self {
        Self {
            text: why,
            status: ToolStatus::Error,
            label: Label::Tool,
        }
    }

    /// Data of strangers.
    fn records(text: String) -> Self {
        Self {
            text,
            status: ToolStatus::Success,
            label: Label::Untrusted,
        }
    }
}

fn read(id: &str, name: &str, observed: Observed) -> Message {
    let reply = ToolReply {
        tool_call_id: id.to_owned(),
        name: name.to_owned(),
        content: observed.text.into(),
        status: observed.status,
    };
    Message::from(reply).labeled(observed.label)
}

/// The tools at work.
struct Turn<'a> {
    state: &'a AtrisState,
    services: &'a Services,
    ctx: &'a Ctx,
    research: Research,
    sources: Vec<Source>,
    host: Option<String>,
    parameters: Option<Parameters>,
    answer: Option<Answer>,
}

impl Turn<'_> {
    async fn observed(&mut self, call: &ToolCall, is_alone: bool) -> Result<Observed, NodeError> {
        let text = |name: &str| call.args.get(name).and_then(Json::as_str);
        Ok(match call.name.as_str() {
            FIND => match text("words").filter(|words| !words.trim().is_empty()) {
                Some(words) => self.find(words).await,
                None => Observed::refused("`words` is missing".into()),
            },
            CALL => match text("operation") {
                Some(operation) => {
                    return self.call(operation, call.args.get("parameters")).await;
                }
                None => Observed::refused("`operation` is missing".into()),
            },
            COMPUTE => self.compute(&call.args).await,
            ANSWER if !is_alone => Observed::refused(
                "call `answer` alone, after you have read the results of the other tools".into(),
            ),
            ANSWER => self.answer(&call.args).await,
            other => Observed::refused(format!(
                "there is no tool `{other}`; there are {FIND}, {CALL}, {COMPUTE} and {ANSWER}"
            )),
        })
    }

    async fn find(&self, words: &str) -> Observed {
        let progress = Progress::Finding {
            words: words.to_owned(),
        };
        self.ctx.emit(progress).await;
        let has_token = self.services.settings.client.token.is_some();
        match found(words, has_token) {
            // The catalogue is the program's own.
            Ok(text) => Observed {
                text,
                status: ToolStatus::Success,
                label: Label::Tool,
            },
            Err(error) => Observed::refused(error.to_string()),
        }
    }

    async fn call(&mut self, id: &str, given: Option<&Json>) -> Result<Observed, NodeError> {
        let (operation, parameters) = match self.checked(id, given) {
            Ok(checked) => checked,
            Err(why) => return Ok(Observed::refused(why)),
        };
        if self.research.calls_left() == 0 {
            return Ok(Observed::refused(format!(
                "all {MAX_CALLS} calls of this question are made; answer with what you have, and say in `limits` what is missing"
            )));
        }
        self.research.calls += 1;
        let number = self.research.calls;
        let about = called(operation, &parameters);
        let progress = Progress::Calling {
            call: about.clone(),
            number,
            most: MAX_CALLS,
        };
        self.ctx.emit(progress).await;
        let state = AtrisState {
            selected_host: self.host.clone(),
            ..self.state.clone()
        };
        let made = self
            .services
            .call(self.ctx, &state, operation, &parameters, number);
        let response = match made.await? {
            Ok(response) => response,
            Err(error) => {
                let left = self.research.calls_left();
                let text = format!("{about}: {error} [{}]; calls left: {left}", error.code());
                // What a host says is not the program's word.
                return Ok(Observed {
                    label: Label::Untrusted,
                    ..Observed::refused(text)
                });
            }
        };
        let source = self.sources.len();
        self.sources.push(response.source.clone());
        let limit = parameters.get("limit").and_then(Json::as_u64);
        self.parameters = Some(parameters);
        if !response.source.host.is_empty() {
            self.host = Some(response.source.host.clone());
        }
        let id = self.research.next_id('r');
        let set = RecordSet::of_reply(id, about, (source, limit), response);
        let shown = set.shown(Some(self.research.calls_left()));
        self.research.sets.push(set);
        Ok(Observed::records(shown))
    }

    /// The operation with its parameters, if it may be called with them.
    fn checked(
        &self,
        id: &str,
        given: Option<&Json>,
    ) -> Result<(&'static Operation, Parameters), String> {
        let operation = Catalogue::get()
            .and_then(|catalogue| catalogue.require(id))
            .map_err(|error| error.to_string())?;
        if !operation.is_read() {
            return Err(format!(
                "{id} changes something; only operations that read can be called"
            ));
        }
        may_be_called(operation, self.services).map_err(|error| error.to_string())?;
        let mut parameters = match given {
            None | Some(Json::Null) => Parameters::new(),
            Some(Json::Object(given)) => given.clone(),
            // Some models write an object as a text.
            Some(Json::String(text)) => serde_json::from_str(text)
                .map_err(|error| format!("`parameters` is no JSON object: {error}"))?,
            Some(_) => return Err("`parameters` must be an object".into()),
        };
        let usual = self.services.settings.limit.map(Json::from);
        if let (true, Some(limit)) = (operation.parameter("limit").is_some(), usual) {
            parameters.entry("limit").or_insert(limit);
        }
        let checked = operation.check(&parameters).map_err(|faults| {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            format!("nothing was called: {}", faults.join("; "))
        })?;
        Ok((operation, checked))
    }

    async fn compute(&mut self, args: &Map<String, Json>) -> Observed {
        let computing = match Computing::read(args) {
            Ok(computing) => computing,
            Err(why) => return Observed::refused(why),
        };
        let what = computing.words();
        self.ctx.emit(Progress::Computing { what }).await;
        match computing.done(&self.research) {
            Ok(set) => {
                let shown = set.shown(None);
                self.research.sets.push(set);
                Observed::records(shown)
            }
            Err(why) => Observed::refused(why),
        }
    }

    async fn answer(&mut self, args: &Map<String, Json>) -> Observed {
        self.ctx.emit(Progress::Answering).await;
        let draft = match Draft::read(args) {
            Ok(draft) => draft,
            Err(why) => return Observed::refused(why),
        };
        let asked = AnswerContext {
            question: self.state.query.as_deref().unwrap_or_default(),
            before: &self.state.message_history,
            sources: self.state.sources.as_deref().unwrap_or_default(),
            parameters: self.state.parameters.as_ref(),
        };
        let traced = draft.traced(&asked, &self.research);
        // Once it may be a slip; the second time the person is told.
        if !traced.faults.is_empty() && !self.research.is_refused {
            self.research.is_refused = true;
            return Observed::refused(format!(
                "not accepted: {}. Correct it, or leave out what no record says.",
                traced.faults.join("; ")
            ));
        }
        self.answer = Some(draft.answer(&asked, traced));
        Observed {
            text: "accepted".into(),
            status: ToolStatus::Success,
            label: Label::Tool,
        }
    }
}

/// A call in words.
fn called(operation: &Operation, parameters: &Parameters) -> String {
    let given = parameters.iter().map(|(name, value)| match value {
        Json::String(text) => format!("{name} {text}"),
        value => format!("{name} {value}"),
    });
    let given: Vec<String> = given.collect();
    match given.as_slice() {
        [] => operation.id.clone(),
        given => format!("{} with {}", operation.id, given.join(", ")),
    }
}
