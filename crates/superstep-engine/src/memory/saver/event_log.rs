//! The log of one thread.
//!
//! Entries repeat each other: a call of a model has all messages of the one before. So an entry is
//! kept as bytes, and what is in several of them is kept once (`codec::parts`).

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use superstep_core::{
    codec::{
        BlobId,
        parts::{self, ByHash},
    },
    error::SaverError,
    event::{Cursor, Entry, Logged},
    id::CheckpointId,
};

/// The entries of a thread's log, in order of their cursors.
#[derive(Clone, Default)]
pub(super) struct EventLog {
    entries: Vec<StoredEntry>,
    parts: HashMap<BlobId, Arc<[u8]>>,
}

#[derive(Clone)]
struct StoredEntry {
    cursor: Cursor,
    checkpoint: Option<CheckpointId>,
    at: Option<u64>,
    body: Body,
}

#[derive(Clone)]
enum Body {
    /// Without its parts.
    Packed(Arc<[u8]>),
    /// It has no form as bytes.
    Whole(Box<Entry>),
}

impl EventLog {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether these entries can follow what is there.
    pub(super) fn takes(&self, epoch: u64, entries: &[Logged]) -> Result<(), SaverError> {
        let mut newest = self.entries.last().map(|entry| entry.cursor);
        for entry in entries {
            let cursor = entry.cursor;
            if cursor.epoch != epoch || newest >= Some(cursor) {
                let why = format!("entry {cursor} of the log does not follow what is there");
                return Err(SaverError::Corrupt(why));
            }
            newest = Some(cursor);
        }
        Ok(())
    }

    pub(super) fn append(&mut self, entries: Vec<Logged>) {
        for logged in entries {
            let body = self.pack(logged.entry);
            self.entries.push(StoredEntry {
                cursor: logged.cursor,
                checkpoint: logged.checkpoint,
                at: logged.at,
                body,
            });
        }
    }

    fn pack(&mut self, entry: Entry) -> Body {
        let bytes = rmp_serde::to_vec_named(&entry);
        let Some(split) = bytes.ok().and_then(|it| parts::split(&it, &ByHash).ok()) else {
            return Body::Whole(Box::new(entry));
        };
        for (id, part) in split.parts {
            self.parts.entry(id).or_insert(part.bytes);
        }
        Body::Packed(split.bytes.into())
    }

    pub(super) fn after(
        &self,
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<Vec<Logged>, SaverError> {
        let start = self
            .entries
            .partition_point(|entry| Some(entry.cursor) <= after);
        let entries = self.entries.iter().skip(start).take(limit);
        entries.map(|kept| self.logged(kept)).collect()
    }

    fn logged(&self, kept: &StoredEntry) -> Result<Logged, SaverError> {
        let corrupt =
            |why: String| SaverError::Corrupt(format!("entry {} of a log: {why}", kept.cursor));
        let entry = match &kept.body {
            Body::Whole(entry) => Entry::clone(entry),
            Body::Packed(bytes) => {
                let joined = parts::join(bytes, &mut |id| self.part(id));
                let bytes = joined.map_err(|error| corrupt(error.to_string()))?;
                rmp_serde::from_slice(&bytes).map_err(|error| corrupt(error.to_string()))?
            }
        };
        Ok(Logged {
            cursor: kept.cursor,
            checkpoint: kept.checkpoint,
            at: kept.at,
            entry,
        })
    }

    fn part(&self, id: BlobId) -> Result<Arc<[u8]>, String> {
        let part = self.parts.get(&id);
        part.cloned().ok_or_else(|| "a part is missing".to_owned())
    }

    /// Drops what belongs to checkpoints before the oldest that is left.
    pub(super) fn prune(&mut self, oldest: Option<CheckpointId>) {
        self.entries.retain(|entry| entry.checkpoint >= oldest);
        let mut used = BTreeSet::new();
        for kept in &self.entries {
            let Body::Packed(bytes) = &kept.body else {
                continue;
            };
            if parts::reach(bytes, &mut |id| self.part(id), &mut used).is_err() {
                return;
            }
        }
        self.parts.retain(|id, _| used.contains(id));
    }
}

#[cfg(test)]
mod tests {
    use superstep_core::{
        event::{Event, EventKind, LoggedEvent, Span, SpanId, SpanKind, SpanPhase, SpanStart},
        id::{GraphPath, TaskId},
        value::Value,
    };

    use super::*;

    /// A call of a model after so many messages.
    fn call(n: u64, messages: usize) -> Logged {
        let message = |n: usize| {
            let text = format!("message {n} ").repeat(40);
            Value::map([("role", Value::from("user")), ("content", text.into())])
        };
        let inputs = Value::map([("messages", Value::list((0..messages).map(message)))]);
        let span = Span {
            id: SpanId(n),
            parent: None,
            task: TaskId(1),
            node: "model".into(),
            attempt: 1,
            kind: SpanKind::Model,
            name: "small".into(),
            phase: SpanPhase::Started(SpanStart::from(inputs)),
        };
        let event = Event {
            namespace: GraphPath::default(),
            step: 1,
            kind: EventKind::Span(Box::new(span)),
        };
        let logged_event = LoggedEvent {
            event,
            below: false,
            state: None,
        };
        Logged {
            cursor: Cursor { epoch: 1, n },
            checkpoint: Some(CheckpointId(u128::from(n))),
            at: Some(n),
            entry: Entry::Event(Box::new(logged_event)),
        }
    }

    fn bytes(event_log: &EventLog) -> usize {
        let bodies = event_log.entries.iter().map(|kept| match &kept.body {
            Body::Packed(bytes) => bytes.len(),
            Body::Whole(entry) => panic!("{entry:?}"),
        });
        let parts = event_log.parts.values().map(|part| part.len());
        bodies.chain(parts).sum()
    }

    #[test]
    fn a_call_of_a_long_conversation_takes_as_much_as_one_of_a_short_one() {
        let grows = |turn: usize| {
            let mut event_log = EventLog::default();
            event_log.append(vec![call(1, 2 * turn)]);
            let before = bytes(&event_log);
            for n in 1..=20 {
                event_log.append(vec![call(n + 1, 2 * (turn + n as usize))]);
            }
            (bytes(&event_log) - before) / 20
        };
        let (tenth, thousandth) = (grows(10), grows(1000));
        assert!(
            thousandth < tenth + 700,
            "{tenth} bytes per turn at first, {thousandth} at last"
        );
    }

    #[test]
    fn what_is_left_after_pruning_reads_as_before_and_the_rest_is_gone() {
        let mut event_log = EventLog::default();
        let calls: Vec<Logged> = (1..=30).map(|n| call(n, 3 * n as usize)).collect();
        event_log.append(calls.clone());
        let other = Logged {
            entry: call(1, 500).entry,
            ..call(31, 0)
        };
        event_log.append(vec![other]);
        let whole = event_log.after(None, 30);
        assert_eq!(whole, Ok(calls.clone()));
        event_log.entries.pop();
        event_log.prune(Some(CheckpointId(11)));
        assert_eq!(event_log.after(None, 100), Ok(calls[10..].to_vec()));
        let mut again = EventLog::default();
        again.append(calls[10..].to_vec());
        assert_eq!(bytes(&event_log), bytes(&again));
        event_log.prune(Some(CheckpointId(99)));
        assert_eq!(bytes(&event_log), 0);
    }
}
