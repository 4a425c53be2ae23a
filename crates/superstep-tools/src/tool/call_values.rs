//! What `#[tool]` functions take and return: arguments that come from the agent and not from a model,
//! arguments that a model gives, and outputs.

use serde::de::DeserializeOwned;
use superstep_core::caller::Caller;
use superstep_engine::typed::{Context, Res, Snap, State, Store};
use superstep_model::Content;
use superstep_schema::JsonSchema;

use super::{
    ToolOutput,
    ctx::{Need, ToolCtx},
    error::ToolError,
};

/// An argument of a tool that comes from its agent: it is no part of what a model gives.
///
/// `#[tool]` knows these by their names: `ToolCtx`, `Res<T>`, `Context<T>`, `Caller`, `Store`,
/// `Snap<T>`, and an `Option` of one of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not come from an agent",
    label = "not an argument that an agent gives",
    note = "a tool may take ToolCtx, Res<Service>, Context<T>, Caller, Store and Snap<State> of superstep, and an Option of those that may be absent; other arguments come from the model"
)]
pub trait FromCall: Sized {
    /// Takes it out of the call.
    fn from_call(ctx: &ToolCtx) -> Result<Self, ToolError>;

    /// What has to be there for it.
    fn need() -> Option<Need> {
        None
    }
}

impl FromCall for ToolCtx {
    fn from_call(ctx: &ToolCtx) -> Result<Self, ToolError> {
        Ok(ctx.clone())
    }
}

impl<T: Send + Sync + 'static> FromCall for Res<T> {
    fn from_call(ctx: &ToolCtx) -> Result<Self, ToolError> {
        ctx.service()
    }

    fn need() -> Option<Need> {
        Some(Need::of::<T>())
    }
}

impl<T: DeserializeOwned + Clone + Send + Sync + 'static> FromCall for Context<T> {
    fn from_call(ctx: &ToolCtx) -> Result<Self, ToolError> {
        ctx.context()
    }
}

impl FromCall for Caller {
    fn from_call(ctx: &ToolCtx) -> Result<Self, ToolError> {
        Ok(ctx.caller().clone())
    }
}

impl FromCall for Store {
    fn from_call(ctx: &ToolCtx) -> Result<Self, ToolError> {
        ctx.store()
    }

    fn need() -> Option<Need> {
        Some(Need::store())
    }
}

impl<S: State> FromCall for Snap<S> {
    fn from_call(ctx: &ToolCtx) -> Result<Self, ToolError> {
        ctx.state()
    }
}

/// An argument of a tool that its agent may lack: the tool takes `Option<T>`, and `None` if it is absent. One
/// that is there and cannot be read stops the run, as without the `Option`.
#[diagnostic::on_unimplemented(
    message = "`Option<{Self}>` does not come from an agent",
    label = "an agent never lacks it",
    note = "a tool may take Option<Res<Service>>, Option<Context<T>> and Option<Store> of superstep; ToolCtx, Caller and Snap<State> are always there"
)]
pub trait OptionalFromCall: Sized {
    /// Takes it out of the call, if the agent has it.
    fn find(ctx: &ToolCtx) -> Result<Option<Self>, ToolError>;
}

impl<T: OptionalFromCall> FromCall for Option<T> {
    fn from_call(ctx: &ToolCtx) -> Result<Self, ToolError> {
        T::find(ctx)
    }
}

impl<T: Send + Sync + 'static> OptionalFromCall for Res<T> {
    fn find(ctx: &ToolCtx) -> Result<Option<Self>, ToolError> {
        Ok(ctx.find_service())
    }
}

impl<T: DeserializeOwned + Clone + Send + Sync + 'static> OptionalFromCall for Context<T> {
    fn find(ctx: &ToolCtx) -> Result<Option<Self>, ToolError> {
        ctx.find_context()
    }
}

impl OptionalFromCall for Store {
    fn find(ctx: &ToolCtx) -> Result<Option<Self>, ToolError> {
        Ok(ctx.find_store())
    }
}

/// An argument of a tool that a model gives.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "a model cannot be told what this looks like",
    note = "add `#[derive(serde::Deserialize, superstep::schemars::JsonSchema)]` and `#[schemars(crate = \"superstep::schemars\")]` to it"
)]
pub trait FromModel: JsonSchema + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema + DeserializeOwned> FromModel for T {}

/// What a tool returns, unless it is marked `json`.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}` as text",
    label = "not text",
    note = "return a String, or write data as JSON: `#[tool(.., json)]`"
)]
pub trait IntoOutput {
    /// What the model reads.
    fn into_output(self) -> ToolOutput;
}

macro_rules! texts {
    ($($text:ty),*) => {
        $(impl IntoOutput for $text {
            fn into_output(self) -> ToolOutput {
                self.into()
            }
        })*
    };
}
texts!(String, &str, Box<str>, std::borrow::Cow<'_, str>, Content);

impl IntoOutput for ToolOutput {
    fn into_output(self) -> ToolOutput {
        self
    }
}
