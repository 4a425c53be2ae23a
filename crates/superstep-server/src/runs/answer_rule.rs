//! Answers under the program's rule (`owners::answer_rule`).
//!
//! Every answer is a run, so the rule is asked where runs are accepted, whichever protocol they came by. An answer is bound to
//! the question that was looked at: one that names none would else answer whatever the thread asks by then.

use std::collections::HashMap;

use axum::http::StatusCode;
use superstep::{
    CheckpointRef, OpenAsk, ThreadId,
    dynamic::{DynGraph, Resume, state::Depth},
    runs::QueuedInput,
};

use crate::{app::App, owners::visitor::Visitor, refusal::Refusal};

impl App {
    /// Refuses an answer that its caller may not give, and a command that would go around a question that they may not answer.
    pub(super) async fn check_answer(
        &self,
        visitor: &Visitor,
        (graph, thread): (&DynGraph, &ThreadId),
        at: Option<&CheckpointRef>,
        input: &mut QueuedInput,
    ) -> Result<(), Refusal> {
        let QueuedInput::Command(command, resume) = input else {
            return Ok(());
        };
        if !command.update.is_empty() || !command.goto.is_empty() {
            self.check_edit(visitor, (graph, thread), at).await?;
        }
        let (Some(rule), Some(given)) = (&self.answer_rule, &resume) else {
            return Ok(());
        };
        let open = open_asks(graph, thread, at).await?;
        let gone = || {
            let why =
                "the thread does not wait for an answer to this question: look at what it asks now";
            Refusal::new(StatusCode::CONFLICT, why)
        };
        match given {
            Resume::ById(answers) => {
                for id in answers.keys() {
                    let ask = open.iter().find(|ask| ask.id == *id).ok_or_else(gone)?;
                    rule.check(visitor, ask)?;
                }
            }
            Resume::Next(value) => match &*open {
                [] => return Err(gone()),
                [ask] => {
                    rule.check(visitor, ask)?;
                    *resume = Some(Resume::ById(HashMap::from([(ask.id, value.clone())])));
                }
                _ => {
                    let why = "several questions are open: `command.resume` must be `{ID: ANSWER}`";
                    return Err(Refusal::invalid(why));
                }
            },
        }
        Ok(())
    }

    /// Refuses to edit a thread by one who may not answer what it asks: an edit would decide that.
    pub(crate) async fn check_edit(
        &self,
        visitor: &Visitor,
        (graph, thread): (&DynGraph, &ThreadId),
        at: Option<&CheckpointRef>,
    ) -> Result<(), Refusal> {
        let Some(rule) = &self.answer_rule else {
            return Ok(());
        };
        let open = open_asks(graph, thread, at).await?;
        open.iter().try_for_each(|ask| rule.check(visitor, ask))
    }
}

async fn open_asks(
    graph: &DynGraph,
    thread: &ThreadId,
    at: Option<&CheckpointRef>,
) -> Result<Vec<OpenAsk>, Refusal> {
    let at = at.filter(|at| at.id.is_some());
    let state = graph.state(thread, at, Depth::Here).await?;
    Ok(state.asks().map(OpenAsk::from).collect())
}
