//! Ids of a run's trace and its spans, and the place in a caller's trace that a run is part of.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::SpanId;
use crate::id::{GraphPath, TaskId};

/// A span of a trace, as the `traceparent` header of W3C Trace Context names it.
///
/// ```
/// use superstep_core::event::TraceParent;
///
/// let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/// let parent: TraceParent = header.parse()?;
/// assert!(parent.sampled);
/// assert_eq!(parent.to_string(), header);
/// # Ok::<(), superstep_core::event::trace::ParseTraceParentError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TraceParent {
    /// The trace.
    pub trace: u128,
    /// The span.
    pub span: SpanId,
    /// Whether the caller records its part of the trace.
    pub sampled: bool,
}

/// Text is no place in a trace.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a traceparent: expected `00-TRACE-SPAN-FLAGS` in hexadecimal digits")]
pub struct ParseTraceParentError(pub String);

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = u8::from(self.sampled);
        write!(f, "00-{:032x}-{}-{flags:02x}", self.trace, self.span)
    }
}

impl FromStr for TraceParent {
    type Err = ParseTraceParentError;

    fn from_str(text: &str) -> Result<Self, ParseTraceParentError> {
        let hex = |part: Option<&str>, digits: usize| {
            let is_hex = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
            let part = part.filter(|it| it.len() == digits && it.bytes().all(is_hex))?;
            u128::from_str_radix(part, 16).ok()
        };
        let read = || {
            let mut parts = text.trim().split('-');
            let version = hex(parts.next(), 2).filter(|version| *version != 0xff)?;
            let trace = hex(parts.next(), 32).filter(|trace| *trace != 0)?;
            let span = hex(parts.next(), 16).filter(|span| *span != 0)?;
            let flags = hex(parts.next(), 2)?;
            // Later versions may say more.
            let is_whole = version > 0 || parts.next().is_none();
            is_whole.then_some(Self {
                trace,
                span: SpanId(u64::try_from(span).ok()?),
                sampled: flags & 1 == 1,
            })
        };
        read().ok_or_else(|| ParseTraceParentError(text.to_owned()))
    }
}

impl TryFrom<String> for TraceParent {
    type Error = ParseTraceParentError;

    fn try_from(text: String) -> Result<Self, ParseTraceParentError> {
        text.parse()
    }
}

impl From<TraceParent> for String {
    fn from(parent: TraceParent) -> Self {
        parent.to_string()
    }
}

/// The ids of one run's trace. They follow from the log of the run, so that whoever reads it finds the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceIds {
    own: u128,
    parent: Option<TraceParent>,
}

impl TraceIds {
    /// The ids of the run of a thread under the lease `number`, which is part of the trace of its caller if that has one.
    /// The time keeps runs of equally named threads apart that never met.
    pub fn new(
        thread: &str,
        number: u64,
        started: Option<u64>,
        parent: Option<TraceParent>,
    ) -> Self {
        let mut bytes = b"run ".to_vec();
        bytes.extend_from_slice(thread.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(&number.to_be_bytes());
        bytes.extend_from_slice(&started.unwrap_or(0).to_be_bytes());
        Self {
            own: xxh3_128(&bytes).max(1),
            parent,
        }
    }

    /// The trace: that of the caller, or the run's own.
    pub fn trace(&self) -> u128 {
        self.parent.map_or(self.own, |parent| parent.trace)
    }

    /// The caller's span that the run is part of.
    pub fn parent(&self) -> Option<SpanId> {
        self.parent.map(|parent| parent.span)
    }

    /// The span of the run: of its own graph.
    pub fn root(&self) -> SpanId {
        self.of(b"root", 0)
    }

    /// The span of a graph below.
    pub fn graph(&self, namespace: &GraphPath, n: usize) -> SpanId {
        self.of(format!("graph {namespace}").as_bytes(), n)
    }

    /// The span of a task that the run starts. `n` is zero the first time.
    pub fn task(&self, task: TaskId, n: usize) -> SpanId {
        self.of(&task.0.to_be_bytes(), n)
    }

    /// A span of the run as the parent of what others do for it.
    pub fn place(&self, span: SpanId) -> TraceParent {
        TraceParent {
            trace: self.trace(),
            span,
            sampled: self.parent.is_none_or(|parent| parent.sampled),
        }
    }

    fn of(&self, what: &[u8], n: usize) -> SpanId {
        let mut bytes = self.own.to_be_bytes().to_vec();
        bytes.extend_from_slice(what);
        bytes.extend_from_slice(&(n as u64).to_be_bytes());
        SpanId(xxh3_64(&bytes).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn what_is_no_traceparent_is_refused() {
        for wrong in [
            "",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert!(wrong.parse::<TraceParent>().is_err(), "{wrong}");
        }
        let later = format!("01{}-more", &HEADER[2..]);
        assert_eq!(later.parse::<TraceParent>(), HEADER.parse());
    }

    #[test]
    fn runs_of_one_caller_share_its_trace_and_have_spans_of_their_own() {
        let parent: TraceParent = HEADER.parse().unwrap();
        let of = |number| TraceIds::new("t", number, Some(1), Some(parent));
        let (a, b) = (of(1), of(2));
        assert_eq!((a.trace(), a.parent()), (parent.trace, Some(parent.span)));
        assert_eq!(a.trace(), b.trace());
        assert_ne!(a.root(), b.root());
        assert_eq!(a.place(a.root()).trace, parent.trace);
    }
}
