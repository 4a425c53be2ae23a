//! Kinds of nodes and routers that every registry has.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value as Json};
use superstep_core::{
    command::Output,
    error::Failure,
    future::BoxFuture,
    plan::{Destination, RouteView},
    run::Halt,
    value::Value,
};

use crate::{ctx::DynCtx, node::Node};

fn parse_config<T: DeserializeOwned>(config: &Json) -> Result<T, String> {
    let config = match config {
        Json::Null => Json::Object(Map::new()),
        config => config.clone(),
    };
    serde_json::from_value(config).map_err(|error| error.to_string())
}

/// Does nothing.
pub(super) struct Pass;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

pub(super) fn pass(config: &Json) -> Result<Pass, String> {
    parse_config(config).map(|Nothing {}| Pass)
}

impl Node for Pass {
    fn run(&self, _: DynCtx) -> BoxFuture<'static, Result<Output, Halt>> {
        Box::pin(std::future::ready(Ok(Output::Nothing)))
    }
}

/// Writes values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Set {
    values: Map<String, Json>,
}

pub(super) fn set(config: &Json) -> Result<Set, String> {
    parse_config(config)
}

impl Node for Set {
    fn run(&self, _: DynCtx) -> BoxFuture<'static, Result<Output, Halt>> {
        let values = Value::from(&Json::Object(self.values.clone()));
        Box::pin(std::future::ready(Ok(Output::Update(values))))
    }
}

/// Asks a question and writes the answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    question: Json,
    into: String,
}

pub(super) fn ask(config: &Json) -> Result<Question, String> {
    parse_config(config)
}

impl Node for Question {
    fn run(&self, ctx: DynCtx) -> BoxFuture<'static, Result<Output, Halt>> {
        let (question, into) = (Value::from(&self.question), self.into.clone());
        Box::pin(async move {
            let answer = ctx.ask(question)?;
            Ok(Output::Update(Value::map([(into, answer)])))
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ByChannel {
    channel: String,
}

/// Decides for the value of a channel.
pub(super) fn channel(
    config: &Json,
) -> Result<impl Fn(&RouteView<'_>) -> Result<Vec<Destination>, Failure> + use<>, String> {
    let ByChannel { channel } = parse_config(config)?;
    let route = move |view: &RouteView<'_>| -> Result<Vec<Destination>, Failure> {
        Ok(vec![Destination::Key(view.get(&channel)?)])
    };
    Ok(route)
}
