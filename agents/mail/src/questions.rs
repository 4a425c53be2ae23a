//! The assistant's open questions: listed over all threads, answered in the thread they are asked in.
//!
//! An answer is bound to its question by the digest, which contains the scope. A copy of a thread has the questions of
//! the thread it was made of until its tasks run and ask anew. An answer to what was shown is then bound to what is
//! asked, if that is the same.

use serde_json::{Value as Json, json};
use superstep::{
    Ask as _, AskId, CheckpointId, OpenAsk, Outcome, ThreadId,
    dynamic::GraphPath,
    saver::At,
    tools::approval::{is_for, rebound},
};

use crate::{AgentError, Answer, Asked, InboxItem, Item, MailAgent, MailState, key::PREFIX};

/// How often a run continues after an answer of another thread was refused. A turn has fewer calls.
const MOST_REFUSALS: usize = 16;

/// The open questions of all threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inbox {
    /// The questions, those that have waited longest first.
    pub items: Vec<InboxItem>,
    /// Threads that may have questions, and cannot be read.
    pub unreadable: Vec<UnreadableThread>,
}

/// A thread that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableThread {
    /// The thread.
    pub thread: String,
    /// The stable code.
    pub code: &'static str,
    /// What is wrong.
    pub why: String,
}

impl MailAgent {
    /// The open questions of a thread, as questions of this assistant: they name its mode.
    pub async fn open(&self, thread: &str) -> Result<Vec<InboxItem>, AgentError> {
        let found = self.graph().state(thread).await?;
        Ok(self.items(thread, &found.asks))
    }

    fn items(&self, thread: &str, asks: &[OpenAsk]) -> Vec<InboxItem> {
        let items = asks.iter();
        let items = items.filter_map(|ask| InboxItem::of(thread, ask, self.mode()));
        items.collect()
    }

    /// The open questions of a thread, if it is of this mailbox.
    async fn own(&self, thread: &str) -> Result<Vec<InboxItem>, AgentError> {
        let found = self.graph().state(thread).await?;
        let bound = self.services.check_account(found.state.account.as_deref());
        Ok(match bound {
            Ok(()) => self.items(thread, &found.asks),
            Err(_) => Vec::new(),
        })
    }

    /// The open questions of all threads of this mailbox, copies included. A thread that cannot be read
    /// keeps no other from being listed.
    pub async fn inbox(&self) -> Result<Inbox, AgentError> {
        let mut inbox = Inbox::default();
        let mut found = Vec::new();
        for thread in self.saver.threads().await.map_err(superstep::Error::from)? {
            let open = match self.waiting_since(&thread).await {
                Ok(None) => continue,
                Ok(Some(since)) => self.own(thread.as_str()).await.map(|open| (since, open)),
                // Threads of other graphs may be in the same file.
                Err(_) if !thread.as_str().starts_with(PREFIX) => continue,
                Err(error) => Err(error),
            };
            match open {
                Ok(open) => found.push(open),
                Err(error) => inbox.unreadable.push(UnreadableThread {
                    thread: thread.to_string(),
                    code: error.code(),
                    why: error.to_string(),
                }),
            }
        }
        // Equal for a thread and its copy, which stay in order of name.
        found.sort_by_key(|(since, _)| *since);
        inbox.items = found.into_iter().flat_map(|(_, open)| open).collect();
        Ok(inbox)
    }

    /// The checkpoint at which a thread waits for an answer to a question of this assistant; nothing
    /// if it does not.
    async fn waiting_since(&self, thread: &ThreadId) -> Result<Option<CheckpointId>, AgentError> {
        let root = GraphPath::default();
        let loaded = self.saver.load(thread, &root, At::Latest).await;
        let Some(loaded) = loaded.map_err(superstep::Error::from)? else {
            return Ok(None);
        };
        let mut asks = loaded.notes.iter().flat_map(|note| note.open_asks());
        let is_ours = asks.any(|ask| ask.kind.as_deref() == Some(Asked::KIND));
        let since = loaded.head().map(|record| record.id);
        Ok(since.filter(|_| is_ours))
    }

    /// Answers open questions of a thread, any number of them, and continues. An answer that does not
    /// fit is refused, and its question stays open.
    ///
    /// The answers are given in the mode of this assistant, or in a dry run if they say so. What is
    /// approved in a dry run is never made for real, whoever continues with the thread. They are bound
    /// to the thread: a copy of it is asked again.
    pub async fn answer(
        &self,
        thread: &str,
        answers: impl IntoIterator<Item = (AskId, Answer)>,
    ) -> Result<Outcome<MailState>, AgentError> {
        self.check_thread(thread).await?;
        let mut shown = self.graph().state(thread).await?.asks;
        let mut given = Vec::new();
        for (ask, answer) in answers {
            let Some(item) = find(&shown, ask).and_then(Item::of) else {
                return Err(AgentError::NotOpen { ask });
            };
            let answer = answer.within(self.mode());
            let answer = match answer.digest {
                None => item.answered(answer),
                Some(_) => answer,
            };
            given.push((ask, json!([answer])));
        }
        let mut tries = 0..=given.len();
        loop {
            let error = match self.graph().answer(thread, given.clone()).await {
                Ok(outcome) => return Ok(outcome),
                Err(error) => error,
            };
            if !error.is_answer_misfit() || tries.next().is_none() {
                return Err(error.into());
            }
            let now = self.graph().state(thread).await?.asks;
            match all_rebound(&given, &shown, &now) {
                Some(again) => given = again,
                None => return Err(error.into()),
            }
            shown = now;
        }
    }

    /// Resumes a run that was interrupted or failed. An answer that was given in another thread
    /// is not taken: its question is open again.
    pub async fn resume(&self, thread: &str) -> Result<Outcome<MailState>, AgentError> {
        self.check_thread(thread).await?;
        let mut refusals = 0..MOST_REFUSALS;
        loop {
            match self.graph().resume(thread).await {
                Err(error) if error.is_answer_misfit() && refusals.next().is_some() => {}
                outcome => return Ok(outcome?),
            }
        }
    }

    /// Agrees to run a foreign thread. Approvals that it brought along stay without effect, and are asked again.
    pub async fn trust(&self, thread: &str) -> Result<(), AgentError> {
        let (provenance, thread) = (&self.services.provenance, thread.into());
        if let Some(mark) = provenance.find(&thread).await? {
            provenance.trust(&thread, &mark, &[]).await?;
        }
        Ok(())
    }

    /// Refuses a thread of another mailbox, and a foreign one that no person agreed to run.
    pub(crate) async fn check_thread(&self, thread: &str) -> Result<(), AgentError> {
        let state = self.graph().state(thread).await?.state;
        self.services.check_account(state.account.as_deref())?;
        let mark = self.services.provenance.find(&thread.into()).await?;
        match mark.is_some_and(|mark| !mark.is_trusted) {
            true => Err(AgentError::Foreign {
                thread: thread.to_owned(),
            }),
            false => Ok(()),
        }
    }
}

fn find(all: &[OpenAsk], ask: AskId) -> Option<&OpenAsk> {
    all.iter().find(|open| open.id == ask)
}

/// The answers as they fit what is asked now; nothing if no question is repeated, or if one was refused for another
/// reason.
fn all_rebound(
    answers: &[(AskId, Json)],
    shown: &[OpenAsk],
    now: &[OpenAsk],
) -> Option<Vec<(AskId, Json)>> {
    let (mut again, mut is_rebound) = (Vec::new(), false);
    for (ask, answer) in answers {
        // One that is not open any more was taken.
        let Some(now) = find(now, *ask) else {
            continue;
        };
        let shown = find(shown, *ask)?;
        again.push(match shown == now {
            true if is_for(answer, now) => (*ask, answer.clone()),
            true => return None,
            false => {
                is_rebound = true;
                rebound(answer, shown, now)?
            }
        });
    }
    is_rebound.then_some(again)
}
