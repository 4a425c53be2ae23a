//! Answers checked before a run is started with them.

use serde_json::Value as Json;
use superstep_core::{
    ask::{Ask, Resume},
    error::{Error, ErrorKind, Unmatched},
    id::{AskId, ThreadId},
};
use superstep_schema::Schema;

use crate::{graph::DynGraph, state::Depth};

impl DynGraph {
    /// Whether an answer fits a question that a thread waits for: by the schema of the question, and by the type
    /// of its answers if the graph says that it asks such questions. Nothing is run and nothing is written; a run
    /// that brings an answer is held against the same. A question with neither takes any answer here; what asked
    /// it decides when it runs.
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
        self.fits(&ask, answer)?;
        Ok(ask)
    }

    /// Refuses answers of which one does not fit its question, before a run begins with any of them: the thread
    /// waits as before.
    pub(crate) fn check_answers<'a>(
        &self,
        asks: impl Iterator<Item = &'a Ask>,
        resume: &Resume,
    ) -> Result<(), Error> {
        let mut open: Vec<&Ask> = Vec::new();
        for ask in asks {
            if open.iter().all(|other| other.id != ask.id) {
                open.push(ask);
            }
        }
        match (resume, open.as_slice()) {
            (Resume::Next(answer), [ask]) => self.fits(ask, &answer.to_json()),
            (Resume::Next(_), _) => Ok(()),
            (Resume::ById(answers), _) => open.iter().try_for_each(|ask| {
                let answer = answers.get(&ask.id);
                answer.map_or(Ok(()), |answer| self.fits(ask, &answer.to_json()))
            }),
        }
    }

    /// Whether an answer fits a question: by its schema, and by the type of its answers if the graph knows that.
    fn fits(&self, ask: &Ask, answer: &Json) -> Result<(), Error> {
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
        let kind = ask.kind.as_deref().unwrap_or_default();
        match self.0.typed.answers.get(kind) {
            Some(check) => check(answer).map_err(|why| misfit(ask, why)),
            None => Ok(()),
        }
    }
}

/// The error of an answer that does not fit its question.
fn misfit(ask: &Ask, why: String) -> Error {
    ErrorKind::BadAnswer {
        kind: ask.kind.as_deref().unwrap_or_default().to_owned(),
        why,
        asked: Some(Box::new(ask.clone())),
    }
    .into()
}
