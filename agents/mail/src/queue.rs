//! Queue of mail that arrived while its thread had open questions.
//!
//! It waits in the store, not in the thread: writing to a thread would take its open questions away.
//! The graph takes the next one when the questions are decided and what they were about is done. A mail
//! is taken out when the graph is finished with it, so what a killed process left is found here too.

use std::sync::Arc;

use superstep::{
    ThreadId,
    store::{
        ListNamespaces, Namespace, Pattern, Prefix, PutOptions, Search, Store, StoreError,
        TtlOnRead,
    },
};

use crate::{MailId, bookkeeping::QUEUE, input::EmailInput, key::key};

/// How much may wait.
const MOST: usize = 100_000;

/// The mail that waits; cheap to clone.
#[derive(Clone)]
pub(crate) struct Queue {
    store: Arc<dyn Store>,
}

impl Queue {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Puts a mail at the end; one that is there stays where it is.
    pub(crate) async fn put(
        &self,
        thread: &ThreadId,
        input: &EmailInput,
    ) -> Result<(), StoreError> {
        let value = serde_json::to_value(input);
        let value = value.map_err(broken)?;
        let key = key(&[&input.id.0]);
        let space = space(thread)?;
        self.store
            .put(&space, &key, value, PutOptions::default())
            .await
    }

    /// What waits for a thread, the oldest first.
    pub(crate) async fn list(&self, thread: &ThreadId) -> Result<Vec<EmailInput>, StoreError> {
        let space = space(thread)?;
        self.under(space.labels()).await?.into_iter().collect()
    }

    /// What waits for any thread, and what threads are not finished with. What cannot be read keeps
    /// nothing else from being found.
    pub(crate) async fn all(&self) -> Result<Vec<Result<EmailInput, StoreError>>, StoreError> {
        let labels = QUEUE.map(str::to_owned);
        let error = match self.under(&labels).await {
            Ok(all) => return Ok(all),
            Err(error) => error,
        };
        // A store fails a search as a whole, so each thread is searched alone.
        let list = ListNamespaces {
            prefix: Pattern::new(labels),
            limit: MOST,
            ..ListNamespaces::default()
        };
        let Ok(spaces) = self.store.list_namespaces(list).await else {
            return Err(error);
        };
        let mut found = Vec::new();
        for space in spaces {
            match self.under(space.labels()).await {
                Ok(all) => found.extend(all),
                Err(error) => found.push(Err(error)),
            }
        }
        Ok(found)
    }

    async fn under(
        &self,
        labels: &[String],
    ) -> Result<Vec<Result<EmailInput, StoreError>>, StoreError> {
        let search = Search {
            prefix: Prefix::new(labels.to_vec()).map_err(broken)?,
            limit: MOST,
            ttl: TtlOnRead::Keep,
            ..Search::default()
        };
        let found = self.store.search(search).await?;
        let read = |value| serde_json::from_value(value).map_err(broken);
        let found = found.into_iter();
        Ok(found.map(|found| read(found.item.value)).collect())
    }

    pub(crate) async fn remove(&self, thread: &ThreadId, id: &MailId) -> Result<(), StoreError> {
        self.store.delete(&space(thread)?, &key(&[&id.0])).await
    }
}

fn space(thread: &ThreadId) -> Result<Namespace, StoreError> {
    let thread = key(&[&thread.to_string()]);
    let [one, two] = QUEUE;
    let space = Namespace::new([one, two, &thread]);
    space.map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> StoreError {
    StoreError::backend(error.to_string())
}
