//! Answers checked before a run is started with them.

use std::sync::Arc;

use serde_json::Value as Json;
use superstep_core::{
    ask::{Ask, Resume},
    clock::UnixMillis,
    error::{Error, ErrorKind, Unmatched},
    id::{AskId, RunId, ThreadId},
    saver::Saver,
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

    /// Refuses an answer (SS1124) to a question whose time is over, unless the answer was in the queue in time.
    pub(crate) async fn refuse_late(
        &self,
        saver: &Arc<dyn Saver>,
        run: Option<RunId>,
        ask: &Ask,
    ) -> Result<(), Error> {
        let record = match run {
            Some(run) => saver.runs().load_run(run).await?,
            None => None,
        };
        let came = record.filter(|it| it.queued.is_some()).map(|it| it.created);
        match came.is_some_and(|came| ask.deadline.is_some_and(|deadline| came < deadline)) {
            true => Ok(()),
            false => Err(ErrorKind::AskExpired { id: ask.id }.into()),
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

/// The first of the answered questions whose time is over.
pub(crate) fn expired<'a>(
    asks: impl IntoIterator<Item = &'a Ask>,
    resume: &Resume,
    now: UnixMillis,
) -> Option<&'a Ask> {
    let is_answered = |ask: &Ask| match resume {
        Resume::Next(_) => true,
        Resume::ById(answers) => answers.contains_key(&ask.id),
    };
    let is_over = |ask: &Ask| ask.deadline.is_some_and(|deadline| deadline <= now);
    asks.into_iter()
        .find(|ask| is_over(ask) && is_answered(ask))
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
