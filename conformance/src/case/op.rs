//! Operations of a case's script.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::MAIN;
use super::fields::{Fields, Flaw, Read, expected};
use super::graph::NodeSet;

/// One operation and what it must answer.
#[derive(Debug, Clone)]
pub struct Op {
    /// The graph it works on.
    pub graph: String,
    /// The thread it works on; none means without a thread.
    pub thread: Option<String>,
    /// The checkpoint it is addressed to, if not the newest.
    pub at: Option<At>,
    /// What to do.
    pub action: Action,
    /// The recorded answer, read by [`crate::compare`].
    pub expect: Json,
    /// Why the answer is an accident of what was recorded, if it is.
    pub quirk: Option<String>,
    /// The operation as written, without the answer, for reports.
    pub source: Map<String, Json>,
}

/// What an operation does. Values, inputs and commands are expressions.
#[derive(Debug, Clone)]
pub enum Action {
    /// Runs the graph.
    Invoke(Run),
    /// Runs the graph and observes it.
    Stream {
        /// The run.
        run: Run,
        /// Stream modes.
        modes: Vec<String>,
        /// Whether subgraphs are observed too.
        subgraphs: bool,
    },
    /// Reads the state.
    GetState {
        /// Whether the states of subgraphs are wanted.
        subgraphs: bool,
    },
    /// Lists checkpoints, newest first.
    History {
        /// At most that many.
        limit: Option<usize>,
        /// Only those before this ordinal.
        before: Option<usize>,
        /// Only those whose metadata has these values.
        filter: Option<Map<String, Json>>,
    },
    /// Writes to the state from outside.
    UpdateState(Update),
    /// Writes several steps from outside.
    BulkUpdate(Vec<Vec<Update>>),
    /// Builds the graph.
    Build,
    /// Removes the thread.
    DeleteThread,
    /// Empties the cache.
    ClearCache {
        /// Only for these nodes.
        nodes: Option<Vec<String>>,
    },
    /// Waits.
    Sleep {
        /// Milliseconds.
        ms: u64,
    },
    /// Sets an external flag.
    SetFlag {
        /// The flag.
        name: String,
        /// Its new value, verbatim.
        value: Json,
    },
    /// Builds all graphs anew over the same saver, store and cache.
    Rebuild {
        /// Graphs that are from now on built from another definition.
        replace: BTreeMap<String, String>,
    },
    /// Works on the long-term store.
    Store {
        /// What to do.
        verb: String,
        /// Arguments of the verb, verbatim.
        fields: Map<String, Json>,
    },
    /// Lists the subgraph nodes.
    Subgraphs {
        /// Whether to look inside them too.
        recurse: bool,
    },
}

/// How to run a graph.
#[derive(Debug, Clone)]
pub struct Run {
    /// What the run starts from.
    pub input: RunInput,
    /// Run context.
    pub context: Option<Json>,
    /// When checkpoints are written, if the case says.
    pub durability: Option<Durability>,
    /// Limit on steps.
    pub recursion_limit: Option<i64>,
    /// Limit on tasks at a time.
    pub max_concurrency: Option<usize>,
    /// Nodes to stop before, instead of the graph's.
    pub interrupt_before: Option<NodeSet>,
    /// Nodes to stop after, instead of the graph's.
    pub interrupt_after: Option<NodeSet>,
    /// Channels of the answer.
    pub output_keys: Option<OutputKeys>,
    /// Whether a resume that answers nothing is an error.
    pub strict_resume: bool,
    /// Reason of a drain asked for before the run starts.
    pub drain_before: Option<String>,
    /// Whether the answer has the second form, in which interrupts are always listed.
    pub v2: bool,
}

/// What a run starts from.
#[derive(Debug, Clone)]
pub enum RunInput {
    /// Nothing new: the thread continues.
    Nothing,
    /// An input expression.
    Value(Json),
    /// A command.
    Command(Box<CommandDef>),
}

/// A command given from outside.
#[derive(Debug, Clone, Default)]
pub struct CommandDef {
    /// Answer to what was asked; an explicit null is kept.
    pub resume: Option<Json>,
    /// Update expression.
    pub update: Option<Json>,
    /// Where to go, an expression.
    pub goto: Option<Json>,
    /// The graph it is meant for.
    pub graph: Option<String>,
    /// Pairs of interrupt value and answer, to be turned into a map by id.
    pub resume_by_value: Option<Vec<(Json, Json)>>,
    /// Answer for an interrupt that does not exist.
    pub resume_unknown_id: Option<Json>,
}

/// When checkpoints are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Before the next step starts.
    Sync,
    /// While the next step runs.
    Async,
    /// When the run ends.
    Exit,
}

/// Channels of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputKeys {
    /// One channel, as a bare value.
    One(String),
    /// Several, as an object.
    Many(Vec<String>),
}

/// A write from outside.
#[derive(Debug, Clone)]
pub struct Update {
    /// What is written, an expression.
    pub values: Option<Json>,
    /// The node it counts as.
    pub as_node: Option<String>,
}

/// A checkpoint by its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// The n-th checkpoint of the thread, oldest first.
    Root(usize),
    /// A checkpoint of a subgraph.
    Sub {
        /// Task indices from the root snapshot down.
        path: Vec<usize>,
        /// Root checkpoint to start from; the newest if absent.
        of: Option<usize>,
        /// The m-th checkpoint of that subgraph instead of the one found.
        ordinal: Option<usize>,
        /// Whether the subgraph is addressed without a checkpoint.
        latest: bool,
    },
}

const COMMON: &[&str] = &["op", "graph", "thread", "at", "quirk", "expect"];
const RUN: &[&str] = &[
    "input", "command", "context", "durability", "recursion_limit", "max_concurrency",
    "interrupt_before", "interrupt_after", "output_keys", "strict_resume", "control", "version",
];

impl Read for Op {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        let thread = match fields.raw("thread") {
            None => Some("1".to_owned()),
            Some(_) => fields.maybe("thread")?,
        };
        let mut source: Map<String, Json> = Map::read(value)?;
        source.remove("expect");
        Ok(Op {
            graph: fields.or("graph", MAIN.to_owned())?,
            thread,
            at: fields.maybe("at")?,
            action: action(&fields, &source)?,
            expect: fields.need("expect")?,
            quirk: fields.maybe("quirk")?,
            source,
        })
    }
}

fn action(fields: &Fields<'_>, source: &Map<String, Json>) -> Result<Action, Flaw> {
    let name: String = fields.need("op")?;
    let (action, own): (_, &[&[&str]]) = match name.as_str() {
        "invoke" => (Action::Invoke(run(fields)?), &[RUN]),
        "stream" => {
            let stream = Action::Stream {
                run: run(fields)?,
                modes: fields.need("modes")?,
                subgraphs: fields.or("subgraphs", false)?,
            };
            (stream, &[RUN, &["modes", "subgraphs", "strict_order"]])
        }
        "get_state" => {
            let subgraphs = fields.or("subgraphs", false)?;
            (Action::GetState { subgraphs }, &[&["subgraphs"]])
        }
        "history" => {
            let history = Action::History {
                limit: fields.maybe("limit")?,
                before: fields.maybe("before")?,
                filter: fields.maybe("filter")?,
            };
            (history, &[&["limit", "before", "filter"]])
        }
        "update_state" => {
            let update = Action::UpdateState(update(fields)?);
            (update, &[&["values", "as_node", "sub_graph"]])
        }
        "bulk_update" => {
            let steps = fields.need("supersteps")?;
            (Action::BulkUpdate(steps), &[&["supersteps", "sub_graph"]])
        }
        "build" => (Action::Build, &[]),
        "delete_thread" => (Action::DeleteThread, &[]),
        "clear_cache" => {
            let nodes = fields.maybe("nodes")?;
            (Action::ClearCache { nodes }, &[&["nodes"]])
        }
        "sleep" => {
            let ms = fields.need("ms")?;
            (Action::Sleep { ms }, &[&["ms"]])
        }
        "set_flag" => {
            let name = fields.need("name")?;
            let value = fields.need("value")?;
            (Action::SetFlag { name, value }, &[&["name", "value"]])
        }
        "rebuild" => {
            let replace = fields.or_empty("replace")?;
            (Action::Rebuild { replace }, &[&["replace"]])
        }
        "store" => return store(fields, source),
        "subgraphs" => {
            let recurse = fields.or("recurse", false)?;
            (Action::Subgraphs { recurse }, &[&["recurse"]])
        }
        other => {
            let why = format!("there is no operation {other:?}");
            return Err(Flaw::new(why).under("op"));
        }
    };
    let mut known = vec![COMMON];
    known.extend(own);
    fields.only(&known)?;
    Ok(action)
}

/// The store checks the arguments of its verbs itself: they are the same inside programs.
fn store(fields: &Fields<'_>, source: &Map<String, Json>) -> Result<Action, Flaw> {
    let verb = fields.need("do")?;
    let argument = |key: &String| key != "do" && !COMMON.contains(&key.as_str());
    let arguments = source.iter().filter(|(key, _)| argument(key));
    let fields = arguments
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Ok(Action::Store { verb, fields })
}

fn run(fields: &Fields<'_>) -> Result<Run, Flaw> {
    let input = match (fields.maybe("command")?, fields.maybe("input")?) {
        (Some(command), None) => RunInput::Command(Box::new(command)),
        (None, Some(input)) => RunInput::Value(input),
        (None, None) => RunInput::Nothing,
        (Some(_), Some(_)) => return Err(Flaw::new("given besides input").under("command")),
    };
    let v2 = match fields.maybe::<String>("version")?.as_deref() {
        None | Some("v1") => false,
        Some("v2") => true,
        Some(other) => {
            let why = format!("there is no version {other:?}");
            return Err(Flaw::new(why).under("version"));
        }
    };
    let control: Option<Control> = fields.maybe("control")?;
    Ok(Run {
        input,
        context: fields.maybe("context")?,
        durability: fields.maybe("durability")?,
        recursion_limit: fields.maybe("recursion_limit")?,
        max_concurrency: fields.maybe("max_concurrency")?,
        interrupt_before: fields.maybe("interrupt_before")?,
        interrupt_after: fields.maybe("interrupt_after")?,
        output_keys: fields.maybe("output_keys")?,
        strict_resume: fields.or("strict_resume", false)?,
        drain_before: control.and_then(|control| control.drain_before),
        v2,
    })
}

fn update(fields: &Fields<'_>) -> Result<Update, Flaw> {
    Ok(Update {
        values: fields.maybe("values")?,
        as_node: fields.maybe("as_node")?,
    })
}

impl Read for Update {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        fields.only(&[&["values", "as_node"]])?;
        update(&fields)
    }
}

struct Control {
    drain_before: Option<String>,
}

impl Read for Control {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        fields.only(&[&["drain_before"]])?;
        let drain_before = fields.maybe("drain_before")?;
        Ok(Control { drain_before })
    }
}

impl Read for CommandDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        let plain: &[&str] = &["resume", "update", "goto", "graph"];
        fields.only(&[plain, &["resume_by_value", "resume_unknown_id"]])?;
        Ok(CommandDef {
            resume: fields.raw("resume").cloned(),
            update: fields.raw("update").cloned(),
            goto: fields.raw("goto").cloned(),
            graph: fields.maybe("graph")?,
            resume_by_value: fields.maybe("resume_by_value")?,
            resume_unknown_id: fields.raw("resume_unknown_id").cloned(),
        })
    }
}

impl Read for (Json, Json) {
    fn read(value: &Json) -> Result<Self, Flaw> {
        match value.as_array().map(Vec::as_slice) {
            Some([first, second]) => Ok((first.clone(), second.clone())),
            _ => Err(expected("a pair", value)),
        }
    }
}

impl Read for Durability {
    fn read(value: &Json) -> Result<Self, Flaw> {
        match value.as_str() {
            Some("sync") => Ok(Durability::Sync),
            Some("async") => Ok(Durability::Async),
            Some("exit") => Ok(Durability::Exit),
            _ => Err(expected("\"sync\", \"async\" or \"exit\"", value)),
        }
    }
}

impl Read for OutputKeys {
    fn read(value: &Json) -> Result<Self, Flaw> {
        match value {
            Json::String(name) => Ok(OutputKeys::One(name.clone())),
            other => Vec::read(other).map(OutputKeys::Many),
        }
    }
}

impl Read for At {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        fields.only(&[&["ordinal", "sub", "of", "latest"]])?;
        let Some(path) = fields.maybe("sub")? else {
            return fields.need("ordinal").map(At::Root);
        };
        Ok(At::Sub {
            path,
            of: fields.maybe("of")?,
            ordinal: fields.maybe("ordinal")?,
            latest: fields.or("latest", false)?,
        })
    }
}
