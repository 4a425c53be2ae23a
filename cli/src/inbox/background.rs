//! Runs in the background, while the person reads other questions: each continues a thread whose questions were answered.
//! Two runs of one thread follow each other: it takes one at a time.
//!
//! They are tasks of their own, so that they also continue while an editor is open. A run that is dropped is stopped: its
//! answer is kept, and `mail ingest` continues it.

use std::{
    future::{pending, poll_fn},
    pin::Pin,
    sync::Arc,
    task::Poll,
};

use superstep_agent::{
    AfterAnswers, AgentError, Context, Desk, InboxAnswer, InboxQuestion, QuestionKey,
};
use tokio::task::JoinHandle;

use crate::error::Error;

/// One run, which ends with this.
struct Run {
    thread: String,
    questions: Vec<InboxQuestion>,
    work: JoinHandle<Result<AfterAnswers, AgentError>>,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// Answers to questions of one thread.
pub(super) type Given = Vec<(InboxQuestion, InboxAnswer)>;

/// The runs that continue.
#[derive(Default)]
pub(super) struct Runs {
    all: Vec<Run>,
    /// Answers for threads that have a run.
    waiting: Vec<(Arc<dyn Desk>, Given)>,
}

fn thread_of(given: &Given) -> String {
    let first = given.first();
    first.map_or_else(String::new, |(question, _)| question.thread.clone())
}

fn questions_of(given: &Given) -> Vec<InboxQuestion> {
    given.iter().map(|(question, _)| question.clone()).collect()
}

impl Runs {
    /// Answers questions of one thread together and continues its run.
    pub(super) fn start(&mut self, desk: Arc<dyn Desk>, given: Given) {
        let thread = thread_of(&given);
        if self.all.iter().any(|run| run.thread == thread) {
            self.waiting.push((desk, given));
            return;
        }
        let questions = questions_of(&given);
        let context = Context {
            thread: thread.clone(),
            // They are completed where they are drawn.
            commands: Arc::new(|words| format!("superstep {}", words.join(" "))),
        };
        let work = async move { desk.give(&given, &context, Box::pin(pending())).await };
        self.all.push(Run {
            thread,
            questions,
            work: tokio::spawn(work),
        });
    }

    pub(super) fn len(&self) -> usize {
        self.all.len() + self.waiting.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a question is being answered.
    pub(super) fn has(&self, key: &QuestionKey) -> bool {
        let running = self.all.iter().flat_map(|run| &run.questions);
        let waiting = self.waiting.iter().flat_map(|(_, given)| given);
        let mut all = running.chain(waiting.map(|(question, _)| question));
        all.any(|question| question.key() == *key)
    }

    /// The next run that ends. Without runs it never does; nothing is lost if this is not waited for.
    pub(super) async fn ended(&mut self) -> (Vec<InboxQuestion>, Result<AfterAnswers, Error>) {
        poll_fn(|context| {
            for at in 0..self.all.len() {
                let Some(run) = self.all.get_mut(at) else {
                    break;
                };
                if let Poll::Ready(ended) = Pin::new(&mut run.work).poll(context) {
                    let mut run = self.all.swap_remove(at);
                    let questions = std::mem::take(&mut run.questions);
                    // The questions of the other agents can still be answered.
                    let ended = ended.map_err(|error| Error::Missing {
                        what: format!("the desk of the agent failed: {error}"),
                        hint: "report it to the author of the agent; the thread is kept",
                    });
                    self.start_waiting(&run.thread);
                    return Poll::Ready((questions, ended.and_then(|ended| Ok(ended?))));
                }
            }
            Poll::Pending
        })
        .await
    }

    /// Starts what waited for the run of a thread.
    fn start_waiting(&mut self, thread: &str) {
        let mut waiting = self.waiting.iter();
        if let Some(at) = waiting.position(|(_, given)| thread_of(given) == thread) {
            let (desk, given) = self.waiting.remove(at);
            self.start(desk, given);
        }
    }

    /// Stops all of them, waits until they have stopped, and gives what they were about.
    pub(super) async fn stop(&mut self) -> Vec<InboxQuestion> {
        let mut stopped = Vec::new();
        for mut run in std::mem::take(&mut self.all) {
            run.work.abort();
            let _cancelled = (&mut run.work).await;
            stopped.append(&mut run.questions);
        }
        for (_, given) in std::mem::take(&mut self.waiting) {
            stopped.extend(questions_of(&given));
        }
        stopped
    }
}
