//! How a run ended, as clients are told: its values, or why it failed.

use serde_json::{Value as Json, json};
use superstep::{
    CheckpointRef, Ending, RunId, RunRecord, StoredError,
    dynamic::{DynAsk, DynGraph, GraphPath, Snapshot, state::Depth},
    saver::At,
};

use crate::{app::App, error::ServerError, forms, time};

/// The code of a run that took more steps than it may; clients know it by a name.
const STEP_LIMIT: &str = "SS1102";

impl App {
    /// Waits until a run has ended, in whatever process it is.
    pub(crate) async fn to_end(&self, run: RunId) -> Result<RunRecord, superstep::Error> {
        Ok(self.saver.runs().ended(run).await?)
    }

    /// Waits for a run, and returns the values that it left, or why it failed.
    pub(crate) async fn end_of(&self, graph: &DynGraph, run: RunId) -> Json {
        let ended = self.end_here(graph, run).await;
        ended.unwrap_or_else(|| json!({ "__error__": stopping() }))
    }

    /// The same; nothing if the server stops before the run has ended.
    pub(crate) async fn end_here(&self, graph: &DynGraph, run: RunId) -> Option<Json> {
        let outcome = tokio::select! {
            outcome = self.outcome(graph, run) => outcome,
            () = self.left_behind(run) => return None,
        };
        Some(outcome.unwrap_or_else(|error| {
            let error = StoredError::from(&error);
            json!({ "__error__": { "error": error.class, "message": error.message } })
        }))
    }

    /// Waits until the server stops before a run has ended: at once when its workers have handed it back, or when the time
    /// that the server has is over.
    pub(crate) async fn left_behind(&self, run: RunId) {
        self.shutdown.wait_drained().await;
        match self.saver.runs().load_run(run).await {
            Ok(Some(run)) if run.waiting().is_some() => {}
            // Another process has it, or its answer is on the way.
            _ => self.shutdown.over().await,
        }
    }

    async fn outcome(&self, graph: &DynGraph, run: RunId) -> Result<Json, superstep::Error> {
        let ended = self.to_end(run).await?;
        let state = state_after(graph, &ended).await?;
        if let Some(failure) = failure(&ended, &state) {
            return Ok(json!({ "__error__": failure }));
        }
        let asks: Vec<DynAsk> = state.asks().cloned().collect();
        Ok(with_interrupts(state.values.to_json(), &asks))
    }
}

/// The state that a run left.
pub(crate) async fn state_after(
    graph: &DynGraph,
    run: &RunRecord,
) -> Result<Snapshot, superstep::Error> {
    let saver = graph.backends().saver.as_ref();
    let newest = match saver {
        Some(saver) => {
            let root = GraphPath::default();
            saver.load(&run.thread, &root, At::Latest).await?
        }
        None => None,
    };
    let newest = newest.and_then(|newest| newest.head().map(|head| head.id));
    // While nothing followed, the thread shows what the run left; later the checkpoint does.
    let at = run.checkpoint.filter(|id| Some(*id) != newest);
    let at = at.map(CheckpointRef::root);
    graph.state(&run.thread, at.as_ref(), Depth::Here).await
}

/// Why a run failed, if it did.
pub(crate) fn failure(run: &RunRecord, state: &Snapshot) -> Option<Json> {
    if let Some(given_up) = given_up(run) {
        return Some(json!({ "error": given_up.code(), "message": told(&given_up) }));
    }
    let Some(Ending::Failed { code, message }) = &run.ending else {
        return None;
    };
    let errors = state.tasks.iter().filter_map(|task| task.error.as_ref());
    let mut errors = errors.filter(|error| error.code == *code && run.started.is_some());
    Some(match errors.next() {
        Some(error) => json!({ "error": error.class, "message": error.message }),
        None if code == STEP_LIMIT => {
            json!({ "error": "GraphRecursionError", "message": message })
        }
        None => json!({ "error": code, "message": message }),
    })
}

/// What the client of a run is told when the server stops first.
pub(super) fn stopping() -> Json {
    let stopping = ServerError::Stopping;
    json!({ "error": stopping.code(), "message": told(&stopping) })
}

/// That a run is not begun again: its server ended as often as it may begin.
pub(super) fn given_up(run: &RunRecord) -> Option<ServerError> {
    let is_cut_short = run.ending == Some(Ending::Interrupted) && run.cancel.is_none();
    let queued = run.queued.as_ref().filter(|_| is_cut_short)?;
    let times = run.attempt;
    (times >= queued.attempts).then_some(ServerError::GaveUp { times })
}

/// An error with what to do about it.
pub(crate) fn told(error: &ServerError) -> String {
    match error.hint() {
        Some(hint) => format!("{error}: {hint}"),
        None => error.to_string(),
    }
}

/// The values of a state, with the questions that were just asked.
pub(super) fn with_interrupts(values: Json, asks: &[DynAsk]) -> Json {
    let mut values = forms::message::shown(values);
    if let (Json::Object(fields), false) = (&mut values, asks.is_empty()) {
        fields.insert("__interrupt__".to_owned(), interrupts(asks));
    }
    values
}

/// Questions as streams show them.
pub(crate) fn interrupts(asks: &[DynAsk]) -> Json {
    let show = |ask: &DynAsk| {
        let schema = ask.schema.as_ref().map(|schema| schema.to_json());
        let mut shown = json!({ "value": ask.value.to_json(), "id": ask.id.to_string(), "response_schema": schema });
        if let (Some(deadline), Json::Object(fields)) = (ask.deadline, &mut shown) {
            let deadline = time::text(deadline.saturating_mul(1000));
            fields.insert("deadline".to_owned(), deadline);
        }
        shown
    };
    asks.iter().map(show).collect()
}
