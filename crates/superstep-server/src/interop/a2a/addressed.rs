//! For which task a message is, and whether it was taken before.

use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};
use superstep::{
    RunQuery, RunRecord,
    dynamic::{DynGraph, state::Depth},
    text::hex,
};

use super::{CallError, INVALID, Visit};
use crate::refusal::Refusal;

/// Where the mark of its message is in the metadata of a run.
pub(super) const MESSAGE: &str = "a2a_message";

/// The mark of a message: the same for one that is sent again, as after a lost connection. Nothing if it has no id.
pub(super) fn mark(message: &Json) -> Option<String> {
    let id = message.get("messageId").and_then(Json::as_str)?;
    let hash = hex(&Sha256::digest(message.to_string()));
    Some(hash).filter(|_| !id.is_empty())
}

/// The ids of questions, as a run shows them.
pub(super) fn ids(asked: &Json) -> impl Iterator<Item = String> {
    let all = asked.as_array().map(Vec::as_slice).unwrap_or_default();
    let id = |ask: &Json| Some(ask.get("id")?.as_str()?.to_owned());
    all.iter().filter_map(id)
}

impl Visit {
    /// The ids of the questions that a thread waits for.
    pub(super) async fn open_asks(&self, thread: &str) -> Result<Vec<String>, CallError> {
        let Some(record) = self.app.find_record(&self.caller, thread).await? else {
            return Ok(Vec::new());
        };
        let hosted = record
            .graph()
            .and_then(|it| self.app.registry.graph(it).ok());
        let Some(hosted) = hosted else {
            return Ok(Vec::new());
        };
        let at = record.thread(thread);
        let state = hosted.graph.state(&at, None, Depth::Here).await?;
        Ok(state.asks().map(|ask| ask.id.to_string()).collect())
    }

    /// The run that a message of this mark was taken as.
    pub(super) async fn taken_before(
        &self,
        thread: &str,
        mark: &str,
    ) -> Result<Option<(RunRecord, DynGraph)>, CallError> {
        let Some(record) = self.app.find_record(&self.caller, thread).await? else {
            return Ok(None);
        };
        let runs = self.app.saver.runs();
        let runs = runs
            .load_runs(&record.thread(thread), &RunQuery::default())
            .await
            .map_err(Refusal::from)?;
        let is_of = |run: &RunRecord| {
            let of = run.metadata.get(MESSAGE).map(|it| it.to_json());
            of.as_ref().and_then(Json::as_str) == Some(mark)
        };
        let Some(run) = runs.into_iter().find(is_of) else {
            return Ok(None);
        };
        let (run, hosted) = self
            .app
            .find_run(&self.caller, thread, &run.id.to_string())
            .await?;
        Ok(Some((run, hosted.graph.clone())))
    }

    /// What is said to a task, as the answer to what that task asked.
    pub(super) async fn answer_to(
        &self,
        thread: &str,
        run: &str,
        said: Json,
    ) -> Result<Json, CallError> {
        let (run, hosted) = self.app.find_run(&self.caller, thread, run).await?;
        if run.ending.is_none() {
            let why = "the task is worked on; it takes a message when it asks for one";
            return Err(CallError(INVALID, why.to_owned()));
        }
        let end = self.app.end_of(&hosted.graph, run.id).await;
        let asked: Vec<String> = end.get("__interrupt__").into_iter().flat_map(ids).collect();
        match &asked[..] {
            [] => {
                let why = "the task has ended and asks nothing; leave `taskId` out to begin another in its context";
                Err(CallError(INVALID, why.to_owned()))
            }
            _ if is_by_id(&said, &asked) => Ok(said),
            [one] => Ok(Json::Object(Map::from_iter([(one.clone(), said)]))),
            _ => {
                let why = "the task asks several questions; answer them with data, by their ids";
                Err(CallError(INVALID, why.to_owned()))
            }
        }
    }
}

/// Whether answers are given by the ids of the questions.
fn is_by_id(said: &Json, asked: &[String]) -> bool {
    let keys = said.as_object().map(|fields| fields.keys());
    keys.is_some_and(|mut keys| keys.len() > 0 && keys.all(|key| asked.contains(key)))
}
