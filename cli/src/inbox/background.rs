//! Runs in the background, while the person reads other questions: each continues one that was answered.
//!
//! They are tasks of their own, so that they also continue while an editor is open. A run that is dropped is stopped: its
//! answer is kept, and `mail ingest` continues it.

use std::{
    future::{pending, poll_fn},
    io,
    pin::Pin,
    sync::Arc,
    task::Poll,
};

use superstep_mail::Answer;
use tokio::task::JoinHandle;

use super::{
    answer::{self, After},
    question::{Question, QuestionKey},
};
use crate::{error::Error, mail::OpenedAgent};

/// One run, which ends with this.
struct Run {
    question: Question,
    work: JoinHandle<Result<After, Error>>,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// The runs that continue.
#[derive(Default)]
pub(super) struct Runs(Vec<Run>);

impl Runs {
    /// Answers a question and continues its run.
    pub(super) fn start(&mut self, agent: Arc<OpenedAgent>, question: Question, answer: Answer) {
        let asked = question.clone();
        let work = async move { answer::give(&agent, &asked, answer, pending()).await };
        self.0.push(Run {
            question,
            work: tokio::spawn(work),
        });
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a question is being answered.
    pub(super) fn has(&self, key: &QuestionKey) -> bool {
        self.0.iter().any(|run| run.question.key() == *key)
    }

    /// The next run that ends. Without runs it never does; nothing is lost if this is not waited for.
    pub(super) async fn ended(&mut self) -> (Question, Result<After, Error>) {
        poll_fn(|context| {
            for at in 0..self.0.len() {
                let Some(run) = self.0.get_mut(at) else {
                    break;
                };
                if let Poll::Ready(ended) = Pin::new(&mut run.work).poll(context) {
                    let question = self.0.swap_remove(at).question.clone();
                    let ended = ended.map_err(|error| Error::Io(io::Error::other(error)));
                    return Poll::Ready((question, ended.and_then(|ended| ended)));
                }
            }
            Poll::Pending
        })
        .await
    }

    /// Stops all of them, waits until they have stopped, and gives what they were about.
    pub(super) async fn stop(&mut self) -> Vec<Question> {
        let mut stopped = Vec::new();
        for mut run in std::mem::take(&mut self.0) {
            run.work.abort();
            let _cancelled = (&mut run.work).await;
            stopped.push(run.question.clone());
        }
        stopped
    }
}
