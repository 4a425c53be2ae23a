//! Answers checked before a run is started with them.

use serde_json::Value as Json;
use superstep_core::{
    ask::Ask,
    error::{Error, ErrorKind, Unmatched},
    id::{AskId, ThreadId},
};
use superstep_schema::Schema;

use crate::{graph::DynGraph, state::Depth};

impl DynGraph {
    /// Whether an answer fits a question that a thread waits for, by the schema of the question.
    /// Nothing is run and nothing is written. A question without a schema takes any answer here; what
    /// asked it decides when it runs.
    pub async fn check_answer(
        &self,
        thread: &ThreadId,
        id: AskId,
        answer: &Json,
    ) -> Result<Ask, Error> {
        let snapshot = self.state(thread, None, Depth::Here).await?;
        let Some(ask) = snapshot.asks().find(|ask| ask.id == id).cloned() else {
            let pending = snapshot.asks().map(|ask| ask.id).collect();
            return Err(ErrorKind::UnknownAsk {
                reason: Unmatched::NotPending,
                pending,
            }
            .into());
        };
        if let Some(schema) = &ask.schema
            && let Ok(schema) = Schema::new("answer", schema.to_json())
        {
            let problems: Vec<String> = schema
                .check(answer)
                .iter()
                .map(ToString::to_string)
                .collect();
            if !problems.is_empty() {
                return Err(misfit(ask, problems.join("; ")));
            }
        }
        Ok(ask)
    }
}

/// The error of an answer that does not fit its question.
pub(crate) fn misfit(ask: Ask, why: String) -> Error {
    ErrorKind::BadAnswer {
        kind: ask.kind.as_deref().unwrap_or_default().to_owned(),
        why,
        asked: Some(Box::new(ask)),
    }
    .into()
}
