//! Meetings that wait for an answer: until it comes their time counts as taken for what other threads propose.
//!
//! They are in the store, not read from the threads, so that looking into the calendar loads no thread. What nobody answers
//! is forgotten after a while, and so is what belongs to a thread that begins anew.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use superstep::store::{Namespace, Prefix, PutOptions, Search, Store, StoreError, TtlOnRead};

use crate::{Event, EventId, Span, When, bookkeeping::PROPOSALS, key::key, parse::one_line};

/// How long a meeting that nobody answers counts.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How many are read.
const MOST: usize = 500;

/// The meetings that wait; cheap to clone.
#[derive(Clone)]
pub(crate) struct Proposals {
    store: Arc<dyn Store>,
}

/// A meeting that waits.
#[derive(Serialize, Deserialize)]
struct Proposal {
    thread: String,
    title: String,
    span: Span,
}

impl Proposals {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Notes that a call of a thread proposes a meeting.
    pub(crate) async fn put(
        &self,
        thread: &str,
        call: &str,
        (title, span): (&str, Span),
    ) -> Result<(), StoreError> {
        let proposal = Proposal {
            thread: thread.to_owned(),
            title: one_line(title, 200),
            span,
        };
        let value = serde_json::to_value(proposal).map_err(broken)?;
        let options = PutOptions {
            ttl: Some(KEPT),
            ..PutOptions::default()
        };
        let space = space(thread)?;
        self.store.put(&space, &key(&[call]), value, options).await
    }

    /// Forgets what a call proposed: it was answered.
    pub(crate) async fn remove(&self, thread: &str, call: &str) -> Result<(), StoreError> {
        self.store.delete(&space(thread)?, &key(&[call])).await
    }

    /// Forgets what a thread proposed.
    pub(crate) async fn forget(&self, thread: &str) -> Result<(), StoreError> {
        let space = space(thread)?;
        for found in self.under(space.labels().to_vec()).await? {
            self.store.delete(&space, &found.0).await?;
        }
        Ok(())
    }

    /// What other threads propose, as events.
    pub(crate) async fn others(&self, thread: &str) -> Result<Vec<Event>, StoreError> {
        let found = self.under(PROPOSALS.map(str::to_owned).to_vec()).await?;
        let others = found.into_iter().filter(|(_, it)| it.thread != thread);
        Ok(others
            .map(|(_, proposal)| Event {
                id: EventId("not in the calendar yet".into()),
                title: format!(
                    "{} (proposed; waits for the owner's answer)",
                    proposal.title
                ),
                when: When::Times(proposal.span),
                is_free: false,
                attendees: Vec::new(),
            })
            .collect())
    }

    async fn under(&self, labels: Vec<String>) -> Result<Vec<(String, Proposal)>, StoreError> {
        let search = Search {
            prefix: Prefix::new(labels).map_err(broken)?,
            limit: MOST,
            ttl: TtlOnRead::Keep,
            ..Search::default()
        };
        let found = self.store.search(search).await?.into_iter();
        found
            .map(|found| {
                let proposal = serde_json::from_value(found.item.value).map_err(broken)?;
                Ok((found.item.key, proposal))
            })
            .collect()
    }
}

fn space(thread: &str) -> Result<Namespace, StoreError> {
    let [assistant, proposals] = PROPOSALS;
    Namespace::new([assistant, proposals, &key(&[thread])]).map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> StoreError {
    StoreError::backend(error.to_string())
}
