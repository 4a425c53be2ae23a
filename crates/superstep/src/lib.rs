//! A durable agent-graph runtime.
//!
//! A graph is a state, nodes and edges. It runs in steps: all nodes that are due run concurrently on
//! the state as it was when the step began, and their updates are applied together. Every step is
//! committed before the next one starts, so a run can stop at a question for a person and resume
//! days later, in another process: nothing is lost, and no effect happens twice.
//!
//! The [`guide`] explains one concept per page and has a [cookbook](guide::cookbook);
//! [`guide::from_langgraph`] says what is called what.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use superstep::prelude::*;
//!
//! /// One channel per field.
//! #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
//! struct Mail {
//!     subject: String,
//!     reply: Option<String>,
//!     #[reduce(Append)]
//!     log: Vec<String>,
//! }
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
//! enum Node {
//!     Draft,
//!     Send,
//! }
//!
//! /// A question and the type of its answer.
//! #[derive(Serialize, Deserialize, Ask)]
//! #[ask(answer = bool)]
//! struct Approve {
//!     text: String,
//! }
//!
//! async fn draft(mail: Snap<Mail>) -> MailUpdate {
//!     Mail::update().reply(format!("re: {}", mail.subject)).log(["drafted".to_owned()])
//! }
//!
//! async fn send(mail: Snap<Mail>, ctx: Ctx) -> Result<MailUpdate, NodeError> {
//!     let text = mail.reply.clone().unwrap_or_default();
//!     if !ctx.ask(Approve { text })? {
//!         return Ok(Mail::update().reply(None));
//!     }
//!     // An error leaves the outcome unknown; `EffectError::not_done` allows another attempt.
//!     let id: u64 = ctx.once("send", || async { Ok(42) }).await?;
//!     Ok(Mail::update().log([format!("sent as {id}")]))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let graph = Graph::<Mail, Node>::builder()
//!     .saver(MemorySaver::default())
//!     .node(Node::Draft, draft)
//!     .node(Node::Send, send)
//!     .start(Node::Draft)
//!     .edge(Node::Draft, Node::Send)
//!     .finish(Node::Send)
//!     .build()?;
//!
//! let outcome = graph.run("thread 1", Mail::update().subject("hello")).await?;
//! let ask = outcome.ask::<Approve>()?;
//! assert_eq!(ask.question.text, "re: hello");
//! let outcome = graph.answer("thread 1", [ask.answer(true)]).await?;
//! assert_eq!(outcome.state().log, ["drafted", "sent as 42"]);
//! # Ok(()) }
//! ```
//!
//! [`Graph`] runs graphs, [`GraphBuilder`] builds them, [`FromTask`] lists what a node may take,
//! [`IntoCommand`] what it may return. [`dynamic`] is the layer below, for graphs that are data.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `sqlite` (default) | threads, event logs and the long-term store in one file |
//! | `trace` (default), `otlp` | the run tree of a thread; sent to a collector |
//! | `tracing` | runs, steps, nodes and calls of models as spans of the crate `tracing` |
//! | `encryption` | what is stored in the file is encrypted |
//! | `model`, `remote` | language models: the trait, scripts, recordings; providers over HTTP |
//! | `tools`, `mcp` | tools, approvals, a tool-calling agent; tools of MCP servers |
//! | `local`, `vectors` | a language model, and an embedder for semantic search, inside the process |
//! | `http`, `tls` | the HTTP client that models, traces and agents share; its TLS policy alone |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod new_error;

pub use new_error::NewError;
#[doc(inline)]
pub use superstep_coded::Coded;
pub use superstep_core::{
    Value,
    archive::{Archive, ArchiveError},
    caller::Caller,
    error::{Category, Coded, Error, ErrorKind, Failure, SaverError},
    event::{
        Cursor, Ending, Facts, Modes, Span, SpanEnd, SpanError, SpanId, SpanKind, SpanPhase,
        SpanStart, TraceParent,
    },
    future,
    id::{AskId, CheckpointId, RunId, TaskId, ThreadId},
    plan::{BuildError, BuildErrors, Persist},
    policy::{CachePolicy, Durability, Refresh, RetryOn, RetryPolicy, Timeouts},
    record::StoredError,
    run::{Drain, EffectError, Fidelity},
    runs::{self, Cancel, CancelRequest, RunQuery, RunRecord, RunStatus},
    saver::{self, HistoryQuery, Saver},
    sync,
};
#[doc(inline)]
pub use superstep_derive::*;
#[doc(inline)]
pub use superstep_draw as draw;
#[doc(inline)]
pub use superstep_engine::{
    Backends, Canceller, CheckpointRef, Fit, Foreign, LogItem, OpenSpan, Origin, Provenance,
    Recovery, RunOptions, UnknownEffect, WhichEffect,
    cache::Cache,
    memory::{self, MemoryCache, MemorySaver, MemoryStore},
    metrics::{self, Measured, Recorder},
    typed::{
        Append, Ask, Asked, Call, Checkpoint, Command, Context, Ctx, Event, EventStream, Failed,
        Follow, FromTask, Graph, GraphBuilder, Handler, Input, IntoCommand, Keep, Last, Max, Merge,
        Min, Needs, NodeError, NodeOptions, Nodes, OpenAsk, OptionalFromTask, Outcome, Overwrite,
        Put, Raise, Reduced, Reducer, Res, RunEvents, RunOutcome, Running, Schemas, Snap, State,
        Store, Sum, TaskCtx, ToParent, Undo, Update, field, reducer::Total,
    },
};
#[doc(inline)]
pub use superstep_schema as schema;
#[doc(inline)]
pub use superstep_store as store;
#[doc(inline)]
pub use superstep_text::{self as text, Secret};

#[doc(inline)]
pub use superstep_fs as fs;

#[cfg(any(feature = "http", feature = "tls"))]
#[doc(inline)]
pub use superstep_http as http;

#[cfg(any(feature = "local", feature = "vectors"))]
#[doc(inline)]
pub use superstep_local as local;

#[cfg(feature = "sqlite")]
#[doc(inline)]
pub use superstep_sqlite as sqlite;

#[cfg(feature = "model")]
pub mod model;

#[cfg(feature = "tools")]
#[doc(inline)]
pub use superstep_tools as tools;

/// Schemas of types: derive `JsonSchema` with `#[schemars(crate = "superstep::schemars")]`, or with
/// `use superstep::schemars` in scope.
#[doc(no_inline)]
pub use superstep_schema::schemars;

#[cfg(feature = "trace")]
#[doc(inline)]
pub use superstep_trace as trace;

pub mod guide;
pub mod testing;

pub mod prelude {
    //! What most graphs use, without names that programs have themselves: `Error`, `Event`,
    //! `Command`, `Input`, `Store` and the like are at the root of the crate. `#[reduce(..)]` knows
    //! the reducers without an import.

    pub use crate::{
        Ask, BuildError, BuildErrors, Ctx, EffectError, Graph, IntoCommand, MemorySaver,
        MemoryStore, NodeError, NodeOptions, Nodes, OpenAsk, Outcome, Persist, Res, RetryPolicy,
        Snap, State, Timeouts, Update as _, node,
    };

    #[cfg(feature = "tools")]
    pub use crate::{
        tool,
        tools::{ModelCalls as _, Prompt as _, ReplyText as _},
    };
}

pub mod schedules {
    //! Runs at times of a calendar: what a saver keeps of a schedule, and when it is due.

    pub use superstep_core::schedules::{CronSchedule, FireSchedule, Firing, Missed};
    pub use superstep_engine::{NoSchedule, next_due};
}

pub mod clock {
    //! Time, injected: the trait, the clock of the system, and one for tests; ids that grow with it.

    pub use superstep_core::{
        clock::{Clock, ManualClock, UnixMillis, expiry},
        id::IdSource,
    };
    pub use superstep_engine::clock::{ClockIds, SystemClock, created_at, made_at};
}

pub mod dynamic {
    //! Graphs that are data: JSON-shaped state, string names.
    //!
    //! What the typed layer has too begins with `Dyn` here, so that a program can import both.

    pub use superstep_core::{
        ask::{Ask as DynAsk, Resume},
        channel::{ChannelKind, ChannelSpec, Guard},
        command::{Command as DynCommand, END, Goto, Output, START, Send, Target},
        edit::{AS_COPY, Update as DynUpdate},
        event::{Event as DynEvent, EventKind},
        id::GraphPath,
        message::Unknown,
        past::{Certainty, PastEffect, Repeated},
        plan::{Destination, IntoDestinations, Managed, Pauses, RouteView},
        record::{Effect, Layout, NoteExtras, ReadEffects, Source, TaskNote},
        reducer::Reducer as DynReducer,
        run::{Halt, RunInput},
        snapshot::{Snapshot, SubState},
    };
    pub use superstep_engine::{
        CallTask, DynCtx, DynEventStream, DynFollow, DynGraph, DynGraphBuilder, DynNodeOptions,
        DynOutcome, DynRunEvents, DynRunOutcome, DynRunning, GraphSpec, Node, OutputKeys,
        Placement, Registry, Status, Worked, Worker, builder, input, spec, state,
    };
}

#[doc(hidden)]
pub use superstep_engine::typed::__private;

/// The README's examples run with the doctests; so do those of the pages below.
#[cfg(all(doctest, feature = "tools"))]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(all(doctest, feature = "remote"))]
#[doc = include_str!("../../../docs/calls.md")]
struct Calls;

#[cfg(all(doctest, feature = "remote"))]
#[doc = include_str!("../../../docs/choosing-a-model.md")]
struct ChoosingAModel;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/events.md")]
struct Events;

#[cfg(all(doctest, feature = "mcp"))]
#[doc = include_str!("../../../docs/mcp.md")]
struct Mcp;

#[cfg(all(doctest, feature = "remote"))]
#[doc = include_str!("../../../docs/providers.md")]
struct ProvidersPage;

#[cfg(all(doctest, feature = "model"))]
#[doc = include_str!("../../../docs/recordings.md")]
struct Recordings;

#[cfg(all(doctest, feature = "model"))]
#[doc = include_str!("../../../docs/scripts.md")]
struct Scripts;

#[cfg(all(doctest, feature = "encryption"))]
#[doc = include_str!("../../../docs/sqlite.md")]
struct Sqlite;

#[cfg(all(doctest, feature = "trace"))]
#[doc = include_str!("../../../docs/traces.md")]
struct Traces;
