//! Measurement of steps.

use std::sync::Arc;

use tokio::time::Instant;

use crate::{env::Env, graph::GraphInner, metrics::Measured};

/// A step that is measured, from its first task until this is dropped.
pub(super) struct StepMeasure {
    env: Arc<Env>,
    graph: Arc<str>,
    began: Instant,
}

impl StepMeasure {
    pub(super) fn begin(env: &Arc<Env>, graph: &GraphInner) -> Option<Box<Self>> {
        env.recorder.as_ref()?;
        Some(Box::new(Self {
            env: env.clone(),
            graph: graph.plan.name.clone(),
            began: Instant::now(),
        }))
    }
}

impl Drop for StepMeasure {
    fn drop(&mut self) {
        self.env.measure(|| Measured::Step {
            graph: &self.graph,
            took: self.began.elapsed(),
        });
    }
}
