//! Nodes and tasks of a graph definition, with their policies.

use serde_json::Value as Json;

use super::Program;
use super::fields::{Fields, Flaw, Read, expected};

/// One node.
#[derive(Debug, Clone)]
pub struct NodeDef {
    /// Its name.
    pub name: String,
    /// What it does.
    pub body: NodeBody,
    /// The channels its state is made of; all that are not private if absent.
    pub input: Option<Vec<String>>,
    /// Whether it waits until nothing else is left to run.
    pub defer: bool,
    /// Nodes it may go to; only validated.
    pub destinations: Option<Vec<String>>,
    /// Retry, cache, timeout and error handler.
    pub policies: Policies,
}

/// What a node does.
#[derive(Debug, Clone)]
pub enum NodeBody {
    /// Runs a program.
    Program(Program),
    /// Is another graph, by name.
    Subgraph(String),
}

/// Policies of a node, or the defaults for all nodes of a graph.
#[derive(Debug, Clone, Default)]
pub struct Policies {
    /// Retry policies; the first that matches an error decides.
    pub retry: Option<Vec<RetryDef>>,
    /// Cache of results.
    pub cache: Option<CacheDef>,
    /// Time limits.
    pub timeout: Option<TimeoutDef>,
    /// Program that runs when the node has finally failed.
    pub on_error: Option<Program>,
}

/// A task function, callable from the programs of its graph.
#[derive(Debug, Clone)]
pub struct TaskDef {
    /// Its name.
    pub name: String,
    /// Names its arguments are bound to.
    pub params: Vec<String>,
    /// What it does.
    pub program: Program,
    /// Retry policies.
    pub retry: Option<Vec<RetryDef>>,
    /// Cache of results.
    pub cache: Option<CacheDef>,
    /// Time limits.
    pub timeout: Option<TimeoutDef>,
}

/// One retry policy, without jitter.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryDef {
    /// Attempts in all, the first included.
    pub max_attempts: u32,
    /// Wait before the first retry.
    pub initial_ms: f64,
    /// Factor from one wait to the next.
    pub backoff: f64,
    /// Longest wait.
    pub max_ms: f64,
    /// Which errors are tried again.
    pub retry_on: RetryOn,
}

/// Which error kinds a retry policy covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryOn {
    /// Errors that may go away by themselves.
    Default,
    /// The listed kinds.
    Kinds(Vec<String>),
}

/// Cache policy of a node or task.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheDef {
    /// Expression over `state` (and `args`) that gives the key; the whole input if absent.
    pub key: Option<Json>,
    /// Lifetime of an entry in seconds.
    pub ttl_s: Option<u64>,
}

/// Time limits of a node or task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeoutDef {
    /// Limit on the whole attempt.
    pub run_ms: Option<u64>,
    /// Limit on the time without progress.
    pub idle_ms: Option<u64>,
    /// What counts as progress.
    pub refresh_on: RefreshOn,
}

/// What counts as progress for the idle limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshOn {
    /// Everything the node does that others can see.
    Auto,
    /// Heartbeats alone.
    Heartbeat,
}

impl RetryDef {
    /// Milliseconds to wait before the `retry`-th retry, counted from 1.
    pub fn wait_ms(&self, retry: u32) -> f64 {
        let exponent = i32::try_from(retry.saturating_sub(1)).unwrap_or(i32::MAX);
        self.max_ms
            .min(self.initial_ms * self.backoff.powi(exponent))
    }
}

impl RetryOn {
    /// Whether an error of this kind is tried again.
    pub fn covers(&self, kind: &str) -> bool {
        const PERMANENT: [&str; 6] = [
            "ValueError", "TypeError", "KeyError", "RuntimeError", "TimeoutError",
            "GraphRecursionError",
        ];
        match self {
            RetryOn::Default => !PERMANENT.contains(&kind),
            RetryOn::Kinds(kinds) => kinds.iter().any(|listed| includes(listed, kind)),
        }
    }
}

/// Whether errors of kind `kind` count as `listed`. Only two kinds have others below them.
fn includes(listed: &str, kind: &str) -> bool {
    match listed {
        "Exception" => true,
        "RuntimeError" => kind == "RuntimeError" || kind == "GraphRecursionError",
        _ => listed == kind,
    }
}

const POLICY_FIELDS: &[&str] = &["retry", "cache", "timeout", "on_error"];

impl Read for NodeDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        let own: &[&str] = &["name", "do", "subgraph", "input", "defer", "destinations"];
        fields.only(&[own, POLICY_FIELDS])?;
        let body = match (fields.maybe("do")?, fields.maybe("subgraph")?) {
            (Some(program), None) => NodeBody::Program(program),
            (None, Some(graph)) => NodeBody::Subgraph(graph),
            (None, None) => return Err(Flaw::new("missing (and no subgraph)").under("do")),
            (Some(_), Some(_)) => return Err(Flaw::new("given besides do").under("subgraph")),
        };
        Ok(NodeDef {
            name: fields.need("name")?,
            body,
            input: fields.maybe("input")?,
            defer: fields.or("defer", false)?,
            destinations: fields.maybe("destinations")?,
            policies: policies(&fields)?,
        })
    }
}

impl Read for Policies {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        fields.only(&[POLICY_FIELDS])?;
        policies(&fields)
    }
}

fn policies(fields: &Fields<'_>) -> Result<Policies, Flaw> {
    Ok(Policies {
        retry: retry(fields)?,
        cache: fields.maybe("cache")?,
        timeout: fields.maybe("timeout")?,
        on_error: fields.maybe("on_error")?,
    })
}

/// One policy may stand for a list of one.
pub(super) fn retry(fields: &Fields<'_>) -> Result<Option<Vec<RetryDef>>, Flaw> {
    match fields.raw("retry") {
        Some(Json::Object(_)) => Ok(Some(vec![fields.need("retry")?])),
        _ => fields.maybe("retry"),
    }
}

impl Read for TaskDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        fields.only(&[&["name", "params", "do", "retry", "cache", "timeout"]])?;
        Ok(TaskDef {
            name: fields.need("name")?,
            params: fields.or_empty("params")?,
            program: fields.need("do")?,
            retry: retry(&fields)?,
            cache: fields.maybe("cache")?,
            timeout: fields.maybe("timeout")?,
        })
    }
}

impl Read for RetryDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        let known = &[
            "max_attempts", "initial_ms", "backoff", "max_ms", "retry_on",
        ];
        fields.only(&[known])?;
        Ok(RetryDef {
            max_attempts: fields.or("max_attempts", 3)?,
            initial_ms: fields.or("initial_ms", 1.0)?,
            backoff: fields.or("backoff", 1.0)?,
            max_ms: fields.or("max_ms", 1000.0)?,
            retry_on: fields.or("retry_on", RetryOn::Default)?,
        })
    }
}

impl Read for RetryOn {
    fn read(value: &Json) -> Result<Self, Flaw> {
        match value {
            Json::String(word) if word == "default" => Ok(RetryOn::Default),
            Json::Array(_) => Vec::read(value).map(RetryOn::Kinds),
            other => Err(expected("\"default\" or a list of kinds", other)),
        }
    }
}

impl Read for CacheDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        fields.only(&[&["key", "ttl_s"]])?;
        Ok(CacheDef {
            key: fields.raw("key").cloned(),
            ttl_s: fields.maybe("ttl_s")?,
        })
    }
}

impl Read for TimeoutDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        fields.only(&[&["run_ms", "idle_ms", "refresh_on"]])?;
        Ok(TimeoutDef {
            run_ms: fields.maybe("run_ms")?,
            idle_ms: fields.maybe("idle_ms")?,
            refresh_on: fields.or("refresh_on", RefreshOn::Auto)?,
        })
    }
}

impl Read for RefreshOn {
    fn read(value: &Json) -> Result<Self, Flaw> {
        match value.as_str() {
            Some("auto") => Ok(RefreshOn::Auto),
            Some("heartbeat") => Ok(RefreshOn::Heartbeat),
            _ => Err(expected("\"auto\" or \"heartbeat\"", value)),
        }
    }
}
