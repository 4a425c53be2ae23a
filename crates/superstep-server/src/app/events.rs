//! What happens on the server, for those who listen to all of it.
//!
//! A handler says which thread it changed. What that means is worked out only while somebody listens, once for all of them,
//! and for several changes of a thread together.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex},
};

use serde_json::{Value as Json, json};
use superstep::{RunId, RunRecord, ThreadId, sync::lock};
use tokio::sync::{Notify, broadcast};

use crate::time;

/// How many events wait for a slow listener, and are kept for one who comes back.
const KEPT: usize = 1024;

/// The most threads that are remembered as changed; beyond that listeners are told to look at all of them.
const MOST_CHANGED: usize = 10_000;

/// An event.
#[derive(Debug)]
pub(crate) struct ServerEvent {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// Whose thread it is about; everybody's without one.
    pub(crate) owner: Option<String>,
    pub(crate) name: &'static str,
    pub(crate) data: Json,
}

/// What happens on the server.
pub(crate) struct ServerEvents {
    /// Tells apart the numbers of this process from those of others.
    pub(crate) origin: i64,
    pub(crate) changed: Mutex<HashMap<ThreadId, Change>>,
    pub(crate) is_changed: Notify,
    sent: Mutex<Sent>,
    listeners: broadcast::Sender<Arc<ServerEvent>>,
}

/// What happened to a thread since it was last looked at.
#[derive(Default)]
pub(crate) struct Change {
    pub(crate) owner: Option<String>,
    pub(crate) ended: Vec<RunId>,
}

/// What listeners were told.
#[derive(Default)]
struct Sent {
    number: u64,
    /// The newest events, oldest first, without a gap.
    kept: VecDeque<Arc<ServerEvent>>,
    /// The questions of threads that were open.
    open: HashMap<ThreadId, HashSet<String>>,
}

impl Default for ServerEvents {
    fn default() -> Self {
        Self {
            origin: time::now(),
            changed: Mutex::default(),
            is_changed: Notify::new(),
            sent: Mutex::default(),
            listeners: broadcast::channel(KEPT).0,
        }
    }
}

impl ServerEvents {
    /// A thread was changed, by whose it is.
    pub(crate) fn change(&self, thread: &ThreadId, owner: Option<&str>) {
        self.note(thread, |change| change.owner = owner.map(str::to_owned));
    }

    /// A run of a thread ended.
    pub(crate) fn end(&self, thread: &ThreadId, run: RunId) {
        self.note(thread, |change| change.ended.push(run));
    }

    fn note(&self, thread: &ThreadId, note: impl FnOnce(&mut Change)) {
        let mut changed = lock(&self.changed);
        if self.listeners.receiver_count() == 0 {
            drop(changed);
            // Whoever comes back later has missed this.
            self.forget();
            return;
        }
        if changed.len() >= MOST_CHANGED && !changed.contains_key(thread) {
            changed.clear();
            drop(changed);
            self.forget();
            self.send(None, "reset", json!({}));
            return;
        }
        note(changed.entry(thread.clone()).or_default());
        drop(changed);
        self.is_changed.notify_one();
    }

    /// Nobody can continue from an event before this.
    fn forget(&self) {
        let mut sent = lock(&self.sent);
        if !sent.kept.is_empty() || !sent.open.is_empty() {
            *sent = Sent {
                number: sent.number,
                ..Sent::default()
            };
        }
        // An event that was missed has a number too.
        sent.number += 1;
    }

    /// Listens from now on, or from after the event with a number. The events since then come first; nothing instead of
    /// them if they are not known any more.
    pub(crate) fn listen(
        &self,
        after: Option<u64>,
    ) -> (
        Option<Vec<Arc<ServerEvent>>>,
        broadcast::Receiver<Arc<ServerEvent>>,
    ) {
        let sent = lock(&self.sent);
        let listener = self.listeners.subscribe();
        let first = sent
            .kept
            .front()
            .map_or(sent.number + 1, |event| event.number);
        let missed = after.filter(|after| *after <= sent.number && *after + 1 >= first);
        let missed = missed.map(|after| {
            let kept = sent.kept.iter();
            kept.filter(|event| event.number > after).cloned().collect()
        });
        (missed, listener)
    }

    pub(crate) fn send(&self, owner: Option<&str>, name: &'static str, data: Json) {
        let mut sent = lock(&self.sent);
        sent.number += 1;
        let event = Arc::new(ServerEvent {
            number: sent.number,
            owner: owner.map(str::to_owned),
            name,
            data,
        });
        if sent.kept.len() == KEPT {
            sent.kept.pop_front();
        }
        sent.kept.push_back(event.clone());
        // The last listener may have left.
        let _heard = self.listeners.send(event);
    }

    /// Which questions were opened and closed, now that these are open and these runs have ended.
    pub(crate) fn questions(
        &self,
        thread: &ThreadId,
        now: HashSet<String>,
        ended: &[RunRecord],
    ) -> [Vec<String>; 2] {
        let mut sent = lock(&self.sent);
        let mut before = sent.open.remove(thread).unwrap_or_default();
        let answered = ended.iter().flat_map(|run| &run.answers);
        let answered = answered.map(ToString::to_string);
        before.extend(answered.filter(|id| !now.contains(id)));
        let opened = now.difference(&before).cloned().collect();
        let closed = before.difference(&now).cloned().collect();
        if !now.is_empty() {
            sent.open.insert(thread.clone(), now);
        }
        [opened, closed]
    }
}
