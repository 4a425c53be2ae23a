//! Ids for tests of graphs. The guide [`testing`](crate::guide::testing) has time, models and snapshots, too.

use std::sync::{Arc, Mutex};

use superstep_core::{
    id::{CheckpointId, IdSource},
    sync::lock,
};

/// Ids of checkpoints and runs that count from one, so that two runs of a test have the same.
///
/// Clones count on. Graphs on one saver share one of them, also over a restart in the test: ids are never given twice.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::prelude::*;
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use superstep::testing::CountedIds;
///
/// async fn history() -> Result<String, Box<dyn std::error::Error>> {
///     let graph = Graph::<Mail, Node>::builder()
///         .saver(MemorySaver::new())
///         .ids(CountedIds::default())
///         .node(Node::Draft, || async { Mail::update().subject("hi") })
///         .start(Node::Draft)
///         .finish(Node::Draft)
///         .build()?;
///     graph.run("t", Mail::update()).await?;
///     let run = graph.runs("t", &Default::default()).await?.remove(0);
///     let state = graph.state("t").await?;
///     Ok(format!("run {}, checkpoint {:?}: {:?}", run.id, state.id, state.state))
/// }
/// assert_eq!(history().await?, history().await?);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct CountedIds(Arc<Mutex<u128>>);

impl IdSource for CountedIds {
    fn next(&self, floor: Option<CheckpointId>) -> CheckpointId {
        let mut last = lock(&self.0);
        let floor = floor.map_or(0, |id| id.0);
        *last = (*last).max(floor).saturating_add(1);
        CheckpointId(*last)
    }
}
