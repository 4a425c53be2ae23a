//! Deterministic ids of spans.

use superstep_core::{
    event::SpanId,
    id::{GraphPath, TaskId, ThreadId},
};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The id of a run. The time keeps runs of equally named threads apart that never met.
pub(super) fn trace(thread: &ThreadId, number: u64, started: Option<u64>) -> u128 {
    let mut bytes = b"run ".to_vec();
    bytes.extend_from_slice(thread.as_str().as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(&number.to_be_bytes());
    bytes.extend_from_slice(&started.unwrap_or(0).to_be_bytes());
    xxh3_128(&bytes).max(1)
}

/// The id of a run's own graph.
pub(super) fn root(trace: u128) -> SpanId {
    of(trace, b"root", 0)
}

/// The id of a graph below.
pub(super) fn graph(trace: u128, namespace: &GraphPath, n: usize) -> SpanId {
    of(trace, format!("graph {namespace}").as_bytes(), n)
}

/// The id of a task that the run starts for the `n`-th time.
pub(super) fn task(trace: u128, task: TaskId, n: usize) -> SpanId {
    of(trace, &task.0.to_be_bytes(), n)
}

fn of(trace: u128, what: &[u8], n: usize) -> SpanId {
    let mut bytes = trace.to_be_bytes().to_vec();
    bytes.extend_from_slice(what);
    bytes.extend_from_slice(&(n as u64).to_be_bytes());
    SpanId(xxh3_64(&bytes).max(1))
}
