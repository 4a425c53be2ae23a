//! Schema and parsing of the arguments of a `#[tool]` function.

use std::sync::Mutex;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use superstep_core::future::BoxFuture;
use superstep_model::ToolSpec;
use superstep_schema::JsonSchema;

use super::{ParsedCall, ToolCtx, ToolError, ToolOutput};
use superstep_core::sync::lock;

/// The description of a tool whose arguments are the fields of `A`.
pub fn spec<A: JsonSchema>(name: &str, description: &str) -> ToolSpec {
    let mut parameters = superstep_schema::json_of::<A>();
    // The name of a generated type tells a model nothing.
    if let Json::Object(keywords) = &mut parameters {
        keywords.remove("title");
    }
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters,
    }
}

/// How a function is called with its arguments.
type Run<A> = fn(A, ToolCtx) -> BoxFuture<'static, Result<ToolOutput, ToolError>>;

/// A call of a function, or what is wrong with its arguments.
pub fn parse<A: DeserializeOwned + Send + 'static>(
    args: &Map<String, Json>,
    run: Run<A>,
) -> Result<Box<dyn ParsedCall>, Vec<String>> {
    let parsed = decode(args).map_err(|problem| vec![problem])?;
    Ok(Box::new(TypedCall {
        args: args.clone(),
        parsed: Mutex::new(Some(parsed)),
        run,
    }))
}

fn decode<A: DeserializeOwned>(args: &Map<String, Json>) -> Result<A, String> {
    let args = Json::Object(args.clone());
    serde_json::from_value(args).map_err(|error| error.to_string())
}

/// The function takes its arguments by value, so a second attempt decodes them again.
struct TypedCall<A> {
    args: Map<String, Json>,
    parsed: Mutex<Option<A>>,
    run: Run<A>,
}

impl<A: DeserializeOwned + Send> ParsedCall for TypedCall<A> {
    fn run(&self, ctx: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        let mut parsed = lock(&self.parsed);
        let args = match parsed.take() {
            Some(args) => Ok(args),
            None => decode(&self.args),
        };
        match args {
            Ok(args) => (self.run)(args, ctx),
            Err(why) => Box::pin(async { Err(ToolError::Failed(why)) }),
        }
    }
}
