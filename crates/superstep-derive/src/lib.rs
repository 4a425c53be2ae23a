//! The macros of superstep: states, nodes and questions from plain types.
//!
//! Use them through the crate `superstep`, whose paths the generated code names. What they make is
//! described at the traits: `State`, `Nodes`, `Ask`, `tools::Tool`.

mod ask;
mod name;
mod node;
mod nodes;
mod state;
mod tool;

use proc_macro::TokenStream;
use syn::{DeriveInput, ItemFn, parse_macro_input};

/// Makes a struct the state of a graph: one channel a field, and an update type with setters.
///
/// On a field:
/// - `#[reduce(Append)]`: how writes become one value; any type that implements
///   `superstep::Reducer` of the field's type. Without it the last write counts, and two in one
///   step are a conflict.
/// - `#[state(ephemeral)]`: the value is there for the step after the write, then the default.
/// - `#[state(untracked)]`: never stored.
/// - `#[state(sealed)]`: only nodes write it. An input, a command or an edit from outside the graph that names it is
///   refused (SS1122). Use it for what a person decided and for limits that a client must not move.
///
/// A field is named as serde names it: by `#[serde(rename = "...")]`, by the struct's `rename_all`, or as in Rust.
///
/// On the struct:
/// - `#[state(version = 2, migrate(1 => path::to_function))]`: functions from a JSON object of the
///   fields of one version to the next. `migrate_update(1 => path::to_function)`: the same for a JSON object of just the
///   fields that an update writes.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use serde_json::Value;
/// use superstep::State;
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// #[state(version = 2, migrate(1 => add_priority))]
/// struct Mail {
///     subject: String,
///     priority: u8,
///     #[reduce(Append)]
///     log: Vec<String>,
///     #[state(ephemeral)]
///     alert: Option<String>,
/// }
///
/// fn add_priority(mut fields: Value) -> Result<Value, String> {
///     fields["priority"] = 3.into();
///     Ok(fields)
/// }
///
/// let update = Mail::update().subject("hi").log(["made".to_owned()]);
/// let update = update.overwrite_log(Vec::new()); // replaces, whatever the reducer
/// # drop(update);
/// ```
#[proc_macro_derive(State, attributes(state, reduce))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    state::expand(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Makes an enum without fields the nodes of a graph.
///
/// A variant is named in snake case, or by `#[node(name = "...")]`.
///
/// ```
/// use superstep::Nodes;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// enum Node {
///     WriteDraft,
///     #[node(name = "send")]
///     SendMail,
/// }
///
/// assert_eq!(Node::WriteDraft.name(), "write_draft");
/// assert_eq!(Node::SendMail.name(), "send");
/// ```
#[proc_macro_derive(Nodes, attributes(node))]
pub fn derive_nodes(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    nodes::expand(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Makes a type a question: `#[ask(answer = Type, kind = "name", about = self.field)]`.
///
/// Without a kind it is named in snake case. An answer is for the whole question unless `about` names what it is for:
/// then the rest may be worded otherwise when the answer comes.
///
/// ```
/// use serde::Serialize;
/// use superstep::Ask;
///
/// #[derive(Serialize, Ask)]
/// #[ask(answer = bool, kind = "approval")]
/// struct MaySend {
///     text: String,
/// }
///
/// assert_eq!(MaySend::KIND, "approval");
/// ```
#[proc_macro_derive(Ask, attributes(ask))]
pub fn derive_ask(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    ask::expand(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Checks that a function is a node of a graph over a state, argument by argument, so that the
/// compiler points at what does not fit: `#[node(Mail, Top)]`.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// use superstep::prelude::*;
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Top { Draft }
///
/// #[node(Mail, Top)]
/// async fn draft(mail: Snap<Mail>, ctx: Ctx) -> Result<MailUpdate, NodeError> {
///     ctx.emit(mail.subject.len()).await;
///     Ok(Mail::update().reply(format!("re: {}", mail.subject)))
/// }
/// # let _ = draft;
/// ```
#[proc_macro_attribute]
pub fn node(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let graph = parse_macro_input!(attribute as node::Graph);
    let function = parse_macro_input!(item as ItemFn);
    node::expand(&graph, &function).into()
}

/// Makes an async function a tool that models can call: `#[tool(net, send)]`.
///
/// The function stays as it is. Beside it there is a type of the same name in upper camel case that
/// implements `superstep::tools::Tool`. The function's docs are the tool's description; its
/// arguments, each of which has docs of its own, are what a model gives. Arguments of these types
/// come from the agent, and a model does not see them:
///
/// | type | what it is |
/// |---|---|
/// | `Res<T>` | a service of the agent's tools |
/// | `Caller` | who calls, as the program that started the run authenticated them: for whom it works |
/// | `Context<T>` | settings that the caller of the run gave; behind a server the client sends them |
/// | `Snap<S>` | the state of the graph |
/// | `Store` | the long-term store |
/// | `ToolCtx` | the call: its key, its thread, events, heartbeat, questions |
/// | `Option<Res<T>>`, `Option<Context<T>>`, `Option<Store>` | the same, or `None` where there is none |
///
/// It returns `Result<T, E>`, where `T` is text, or anything that can be written as JSON and is marked
/// so: `#[tool(read, json)]`. `E` is `ToolError`, into which `?` turns any error, or any error.
///
/// In the brackets: its capabilities (`pure`, or any of `read`, `net`, `write`, `send`, `exec`), and,
/// where they apply, `idempotent` (its target has one effect per `ToolCtx::key`) and `trusted_output`
/// (nobody else's words are in its output).
///
/// ```
/// use superstep::{prelude::*, tools::{ToolError, Tools}};
///
/// struct Stock {
///     apples: u32,
/// }
///
/// /// How many of a fruit there are.
/// #[tool(read)]
/// async fn count(
///     /// The fruit, in the plural.
///     fruit: String,
///     stock: Res<Stock>,
/// ) -> Result<String, ToolError> {
///     match fruit.as_str() {
///         "apples" => Ok(stock.apples.to_string()),
///         _ => Ok("none".to_owned()),
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tools = Tools::builder().tool(Count).service(Stock { apples: 3 }).build()?;
/// assert_eq!(tools.specs()[0].description, "How many of a fruit there are.");
/// # Ok(()) }
/// ```
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let access = parse_macro_input!(attribute as tool::Access);
    let function = parse_macro_input!(item as ItemFn);
    tool::expand(&access, function)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
