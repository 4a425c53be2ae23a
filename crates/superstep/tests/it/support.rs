//! What tests of whole runs share.

use superstep::prelude::*;

/// Runs a thread to its end.
pub(crate) async fn finished<S: State, N: Nodes>(
    graph: &Graph<S, N>,
    thread: &str,
    input: impl Into<S::Update>,
) -> Snap<S> {
    let outcome = graph.run(thread, input).await.unwrap();
    outcome.done().unwrap()
}
