//! A run as clients see it.

use serde_json::{Value as Json, json};
use superstep::{RunRecord, RunStatus};

use super::{
    end::{given_up, told},
    kwargs::{RunKwargs, own_metadata},
};
use crate::{forms::thread_name::public, time};

pub(crate) fn status(run: &RunRecord) -> &'static str {
    match run.status() {
        _ if given_up(run).is_some() => "error",
        // One that sleeps continues by itself: who waits for it waits on.
        RunStatus::Queued | RunStatus::Sleeping => "pending",
        RunStatus::Idle | RunStatus::Running => "running",
        RunStatus::Failed => "error",
        RunStatus::Cancelled | RunStatus::Interrupted | RunStatus::Drained => "interrupted",
        // Also one that asks: the next run answers.
        _ => "success",
    }
}

/// Whether a run was taken back: to clients it is as if it had never been.
pub(crate) fn is_taken_back(run: &RunRecord) -> bool {
    let rolls_back = |cancel: &superstep::CancelRequest| cancel.how.undoes();
    run.ending.is_some() && run.cancel.as_ref().is_some_and(rolls_back)
}

pub(crate) fn shown(run: &RunRecord) -> Json {
    let kwargs = RunKwargs::of(run);
    let times = [Some(run.created), run.started, run.ended];
    let updated = times.into_iter().flatten().max().unwrap_or(run.created);
    let micros = |millis: i64| time::text(millis.saturating_mul(1000));
    let mut shown = json!({
        "run_id": run.id.to_string(),
        "thread_id": public(&run.thread),
        "assistant_id": run.metadata.get("assistant_id").map(|id| id.to_json()),
        "metadata": own_metadata(run),
        "status": status(run),
        "kwargs": kwargs.shown(run),
        "multitask_strategy": match &*kwargs.multitask_strategy {
            "" => "enqueue",
            strategy => strategy,
        },
        "created_at": micros(run.created),
        "updated_at": micros(updated),
    });
    if let (Some(sleep), Json::Object(fields)) = (run.sleeping(), &mut shown) {
        fields.insert("sleeps_until".to_owned(), micros(sleep.until));
    }
    if let (true, Some(problem), Json::Object(fields)) = (run.is_stale(), &run.problem, &mut shown)
    {
        fields.insert("problem".to_owned(), problem.as_str().into());
    }
    if let (Some(error), Json::Object(fields)) = (given_up(run), &mut shown) {
        fields.insert("error".to_owned(), told(&error).into());
    }
    shown
}
