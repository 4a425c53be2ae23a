//! Runs graphs on a saver and records everything observable.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use superstep_core::{
    edit::Update,
    error::Error,
    future::BoxFuture,
    id::{CheckpointId, GraphPath, IdSource, ThreadId},
    plan::BuildErrors,
    run::RunInput,
    saver::{HistoryQuery, Saver},
    snapshot::Snapshot,
};
use superstep_engine::{
    Backends, CheckpointRef, DynGraph, DynOutcome, RunOptions, memory::MemorySaver, state::Depth,
};

use super::fixture::Bench;
use super::model::alike;
use super::records::{id, number};
use crate::kit::{Failure, Verdict, equal};

/// A piece that is played on a saver.
pub(super) type Play = fn(Stage) -> BoxFuture<'static, Result<Stage, Failure>>;

/// Plays a piece on the saver under test and on memory; both must look the same.
pub(super) async fn like_memory(bench: &Bench<'_>, play: Play) -> Verdict {
    let fixture = bench.open().await?;
    let wanted = play(Stage::new(Arc::new(MemorySaver::new()))).await?;
    let got = play(Stage::new(fixture.saver)).await?;
    for ((what, got), (_, wanted)) in got.lines.iter().zip(&wanted.lines) {
        alike(what, got, wanted)?;
    }
    equal("how much was seen", got.lines.len(), wanted.lines.len())
}

/// A saver with graphs on it.
pub(super) struct Stage {
    pub(super) backends: Backends,
    pub(super) saver: Arc<dyn Saver>,
    lines: Vec<(String, String)>,
}

impl Stage {
    fn new(saver: Arc<dyn Saver>) -> Self {
        let backends = Backends {
            saver: Some(saver.clone()),
            ids: Some(Arc::new(Counted::default())),
            ..Backends::default()
        };
        Self {
            backends,
            saver,
            lines: Vec::new(),
        }
    }

    pub(super) async fn run(
        &mut self,
        graph: &DynGraph,
        input: impl Into<RunInput>,
        options: &RunOptions,
    ) -> Result<DynOutcome, Failure> {
        let outcome = graph.invoke(input, options).await?;
        self.saw("the outcome of a run", format!("{outcome:?}"));
        Ok(outcome)
    }

    /// A run that must fail.
    pub(super) async fn fail(
        &mut self,
        graph: &DynGraph,
        input: impl Into<RunInput>,
        options: &RunOptions,
    ) -> Verdict {
        match graph.invoke(input, options).await {
            Ok(outcome) => Err(Failure(format!("a run should have failed: {outcome:?}"))),
            Err(error) => {
                self.saw("the error of a run", error.to_string());
                Ok(())
            }
        }
    }

    pub(super) async fn edit(
        &mut self,
        graph: &DynGraph,
        thread: &str,
        at: Option<u64>,
        update: Update,
    ) -> Verdict {
        let at = at.map(|n| CheckpointRef::root(id(n)));
        let made = graph
            .update_state(&thread.into(), at.as_ref(), update)
            .await?;
        self.saw("the checkpoint of an edit", format!("{made:?}"));
        Ok(())
    }

    /// Looks at a thread: now, with its subgraphs, and at every checkpoint.
    pub(super) async fn look(&mut self, graph: &DynGraph, thread: &str) -> Verdict {
        let thread = ThreadId::from(thread);
        let now = graph.state(&thread, None, Depth::Subgraphs).await?;
        self.saw("the state of a thread", format!("{now:?}"));
        for mut snapshot in checkpoints(graph, &thread).await? {
            // Another run of the same has another id.
            let _by = snapshot.run.take();
            let n = snapshot.checkpoint.map_or(0, number);
            self.saw(
                &format!("checkpoint {n} in the history"),
                format!("{snapshot:?}"),
            );
            let at = snapshot.checkpoint.map(CheckpointRef::root);
            let alone = graph.state(&thread, at.as_ref(), Depth::Subgraphs).await?;
            self.saw(&format!("checkpoint {n} alone"), format!("{alone:?}"));
        }
        Ok(())
    }

    fn saw(&mut self, what: &str, text: String) {
        self.lines.push((what.to_owned(), text));
    }
}

/// All checkpoints of a thread, newest first.
pub(super) async fn checkpoints(
    graph: &DynGraph,
    thread: &ThreadId,
) -> Result<Vec<Snapshot>, Failure> {
    let (root, all) = (GraphPath::default(), HistoryQuery::default());
    Ok(graph.history(thread, &root, &all).await?)
}

/// Ids that count, so that two runs of the same graph make the same ones.
#[derive(Default)]
struct Counted(AtomicU64);

impl IdSource for Counted {
    fn next(&self, floor: Option<CheckpointId>) -> CheckpointId {
        let floor = floor.map_or(0, number);
        self.0.fetch_max(floor, Ordering::Relaxed);
        id(self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(format!("a graph failed: {error}"))
    }
}

impl From<BuildErrors> for Failure {
    fn from(errors: BuildErrors) -> Self {
        Self(format!("a graph of the kit does not build: {errors}"))
    }
}
