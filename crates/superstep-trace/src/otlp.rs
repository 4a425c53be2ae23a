//! Traces as OpenTelemetry has them: a run is a trace, each branch a span.
//!
//! [`attribute`] says what a span carries, `wire` how it is written. Ids come from the log, so
//! exporting twice gives the same spans.

pub mod attribute;
mod wire;

use superstep_core::{
    event::{SpanError, SpanKind},
    id::ThreadId,
};

pub use attribute::{Attribute, Worth};

use crate::tree::{Branch, Kind, Run, RunTree, Status};

/// The version of the semantic conventions that attributes follow.
pub const CONVENTIONS: &str = "1.37.0";

/// So many spans, or so many bytes of text in them, are one request.
const BATCH: usize = 512;
const BATCH_BYTES: usize = 2 * 1024 * 1024;

/// Who sends traces.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The service, `service.name`.
    pub service: String,
    /// The LangSmith project, if the traces go there.
    pub project: Option<String>,
}

impl Default for Origin {
    fn default() -> Self {
        Self {
            service: "superstep".to_owned(),
            project: None,
        }
    }
}

/// A branch as a span.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OtlpSpan {
    /// The trace.
    pub trace: u128,
    /// The span.
    pub id: u64,
    /// The span it is part of; for a run the one of its caller.
    pub parent: Option<u64>,
    /// Its name, such as `chat small-1`.
    pub name: String,
    /// Whether it calls somebody else.
    pub role: Role,
    /// When it started, in nanoseconds since 1970.
    pub started: u64,
    /// When it ended.
    pub ended: u64,
    /// What is said about it.
    pub attributes: Vec<Attribute>,
    /// What went wrong in it.
    pub exception: Option<SpanError>,
    /// The trace and the span it continues with.
    pub follows: Option<(u128, u64)>,
    /// Whether it is known to have gone well or wrong.
    pub state: State,
}

/// Which side of a call a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It calls nobody.
    Internal,
    /// It asks somebody else.
    Client,
}

/// Whether a span went well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Neither well nor wrong: it waits, or was cut.
    Unset,
    /// Well.
    Ok,
    /// Wrong.
    Error,
}

impl RunTree {
    /// All runs as spans.
    pub fn to_otlp(&self, origin: &Origin) -> Vec<OtlpSpan> {
        let runs = self.runs.iter();
        runs.flat_map(|run| {
            let before = run.continues.and_then(|number| self.run(number));
            let mut spans = spans(&self.thread, run, origin);
            if let (Some(root), Some(before)) = (spans.first_mut(), before) {
                root.follows = Some((before.trace, before.root.id.0));
            }
            spans
        })
        .collect()
    }
}

/// Spans as requests of the OTLP/HTTP protocol (`ExportTraceServiceRequest`), in batches.
pub fn requests(spans: &[OtlpSpan], origin: &Origin) -> Vec<Vec<u8>> {
    let mut requests = Vec::new();
    let mut rest = spans;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = rest.iter().take(BATCH).take_while(|span| {
            bytes += span.weight();
            bytes <= BATCH_BYTES
        });
        // One that is larger than a request goes alone.
        let (batch, after) = rest.split_at(fits.count().max(1));
        requests.push(wire::protobuf(batch, origin));
        rest = after;
    }
    requests
}

impl OtlpSpan {
    /// About how many bytes it takes.
    fn weight(&self) -> usize {
        let attributes = self.attributes.iter().map(|said| match &said.worth {
            Worth::Text(text) => said.key.len() + text.len(),
            _ => said.key.len() + 16,
        });
        100 + attributes.sum::<usize>()
    }
}

/// Spans as one request in OTLP's JSON encoding, as collectors read from files.
pub fn request_json(spans: &[OtlpSpan], origin: &Origin) -> serde_json::Value {
    wire::json(spans, origin)
}

/// A run as spans, the root first.
pub fn spans(thread: &ThreadId, run: &Run, origin: &Origin) -> Vec<OtlpSpan> {
    let mut walk = Walk {
        thread,
        run,
        origin,
        spans: Vec::new(),
    };
    let began = walk.began(&run.root).unwrap_or(0);
    walk.branch(&run.root, run.parent.map(|parent| parent.0), began);
    walk.spans
}

struct Walk<'a> {
    thread: &'a ThreadId,
    run: &'a Run,
    origin: &'a Origin,
    spans: Vec<OtlpSpan>,
}

impl Walk<'_> {
    /// The builder bounds the depth of the tree. Says when the branch ended.
    fn branch(&mut self, branch: &Branch, parent: Option<u64>, above: u64) -> u64 {
        let started = branch.started.or_else(|| self.began(branch));
        let started = started.unwrap_or(above);
        let at = self.spans.len();
        self.spans.push(self.span(branch, parent, started));
        let mut latest = started;
        for child in &branch.children {
            latest = latest.max(self.branch(child, Some(branch.id.0), started));
        }
        // What was cut ends with the last thing that is known of it.
        let ended = branch.ended.unwrap_or(latest).max(started);
        if let Some(span) = self.spans.get_mut(at) {
            span.ended = nanos(ended);
        }
        ended
    }

    fn began(&self, branch: &Branch) -> Option<u64> {
        let first = branch.children.iter().filter_map(|child| self.began(child));
        branch.started.or_else(|| first.min()).or(branch.ended)
    }

    fn span(&self, branch: &Branch, parent: Option<u64>, started: u64) -> OtlpSpan {
        let state = match branch.status {
            Status::Done | Status::Reused => State::Ok,
            Status::Failed => State::Error,
            _ => State::Unset,
        };
        let role = match branch.kind {
            Kind::Span(SpanKind::Model) => Role::Client,
            _ => Role::Internal,
        };
        OtlpSpan {
            trace: self.run.trace,
            id: branch.id.0,
            parent,
            name: name(branch),
            role,
            started: nanos(started),
            ended: nanos(started),
            attributes: attribute::of(branch, self.thread, self.run, self.origin),
            exception: branch.error.clone(),
            follows: None,
            state,
        }
    }
}

fn name(branch: &Branch) -> String {
    let name = &branch.name;
    match branch.kind {
        Kind::Graph => format!("invoke_agent {name}"),
        Kind::Span(SpanKind::Model) => format!("chat {}", attribute::asked(branch)),
        Kind::Span(SpanKind::Tool) => format!("execute_tool {name}"),
        _ => name.to_string(),
    }
}

fn nanos(micros: u64) -> u64 {
    micros.saturating_mul(1000)
}
