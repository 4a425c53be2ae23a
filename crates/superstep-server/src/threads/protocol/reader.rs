//! Reading a thread's log as events of the protocol, run after run.

use serde_json::{Value as Json, json};
use superstep::{
    Cursor, Ending, LogItem, Modes, RunId, RunRecord, ThreadId,
    dynamic::{DynFollow, DynGraph},
};

use super::{
    events::{Events, ProtocolEvent},
    filter::Filter,
};
use crate::{
    app::App,
    owners::visitor::Visitor,
    refusal::Refusal,
    runs::end::{failure, state_after},
    time,
};

/// How many events one entry of the log can become, and how many entries a run can log: together with the
/// number of the run they make a number that JavaScript can count to.
const PARTS: u64 = 1 << 8;
const ENTRIES: u64 = 1 << 24;

/// The events that the protocol is made of.
const MODES: Modes = Modes::ALL;

/// The number of an event.
fn number(cursor: Cursor, part: usize) -> u64 {
    let part = u64::try_from(part).unwrap_or(PARTS - 1).min(PARTS - 1);
    let n = cursor.n.min(ENTRIES - 1);
    (cursor.epoch * ENTRIES + n) * PARTS + part
}

/// The run whose event has a number.
fn epoch(number: u64) -> u64 {
    number / PARTS / ENTRIES
}

/// A client that reads a thread, which need not exist yet.
#[derive(Clone)]
pub(super) struct Subscriber {
    pub(super) caller: Visitor,
    pub(super) id: String,
    thread: ThreadId,
}

impl Subscriber {
    pub(super) async fn new(app: &App, caller: Visitor, id: String) -> Result<Self, Refusal> {
        let thread = app.stored_thread(&caller, &id).await?;
        Ok(Self { caller, id, thread })
    }
}

/// Where a reader is.
pub(super) struct ThreadLog<'a> {
    app: &'a App,
    reader: Subscriber,
    /// The last entry of runs that are over.
    after: Option<Cursor>,
    /// What the client has.
    since: u64,
    run: Option<InRun<'a>>,
}

/// A run that is being read.
struct InRun<'a> {
    record: RunRecord,
    reader: DynFollow,
    events: Events,
    graph: &'a DynGraph,
    /// What is known of it before its log says anything.
    first: Option<Cursor>,
}

/// An event with its number.
pub(super) struct Numbered {
    pub(super) seq: u64,
    pub(super) emitted: ProtocolEvent,
    at: Option<u64>,
    id: String,
}

impl Numbered {
    /// As it is sent.
    pub(super) fn shown(&self) -> Json {
        let millis = self.at.map(|at| at / 1000);
        let millis = millis.unwrap_or_else(|| u64::try_from(time::now() / 1000).unwrap_or(0));
        json!({
            "type": "event",
            "event_id": self.id,
            "seq": self.seq,
            "method": self.emitted.method,
            "params": {
                "namespace": self.emitted.namespace,
                "timestamp": millis,
                "data": self.emitted.data,
            },
        })
    }
}

impl<'a> ThreadLog<'a> {
    /// Reads a thread after an event that the client has.
    pub(super) fn new(app: &'a App, reader: Subscriber, filter: &Filter) -> Self {
        let since = filter.since.unwrap_or(0);
        // What was before in the same run is read again: events depend on those before them.
        let before = epoch(since).checked_sub(1).filter(|epoch| *epoch > 0);
        Self {
            app,
            reader,
            after: before.map(Cursor::end_of),
            since,
            run: None,
        }
    }

    /// The next events that the client does not have, of any kind; waits for them. The thread must be the client's when
    /// they come, whatever it was when the reader began.
    pub(super) async fn next(&mut self) -> Result<Vec<Numbered>, Refusal> {
        loop {
            let (cursor, at, emitted) = self.step().await?;
            let run = self.app_run_id();
            let numbered = emitted
                .into_iter()
                .enumerate()
                .map(|(part, emitted)| Numbered {
                    seq: number(cursor, part),
                    emitted,
                    at,
                    id: format!("{run}:{}-{}.{part}", cursor.epoch, cursor.n),
                });
            let new: Vec<_> = numbered.filter(|event| event.seq > self.since).collect();
            if !new.is_empty() {
                let Subscriber { caller, id, .. } = &self.reader;
                self.app.check_reader(caller, id).await?;
                return Ok(new);
            }
        }
    }

    fn app_run_id(&self) -> String {
        let run = self.run.as_ref().map(|run| run.record.id.to_string());
        run.unwrap_or_default()
    }

    /// What the next entry of the log becomes.
    async fn step(
        &mut self,
    ) -> Result<(Cursor, Option<u64>, Vec<ProtocolEvent>), superstep::Error> {
        let Some(mut run) = self.run.take() else {
            return self.find_run().await;
        };
        if let Some(first) = run.first.take() {
            let emitted = vec![run.events.begin()];
            self.run = Some(run);
            return Ok((first, None, emitted));
        }
        let (cursor, item) = match run.reader.next_ever().await {
            Ok(next) => next,
            Err(error) => {
                self.run = Some(run);
                return Err(error);
            }
        };
        self.after = Some(cursor);
        let at = run.reader.at();
        let emitted = match item {
            LogItem::Event(event) => run.events.of(&event),
            LogItem::Ended(Ending::Drained { .. }) if run.record.cancel.is_none() => {
                // It was handed back to the queue, and continues.
                return Ok((cursor, at, Vec::new()));
            }
            LogItem::Ended(ending) => {
                let why = why(self.app, run.record.id, run.graph, &ending).await?;
                return Ok((cursor, at, run.events.end(&ending, why.as_deref())));
            }
            // Another attempt, or a run after one that was cut short.
            LogItem::Started { .. } => {
                self.after = Some(cursor.before());
                return Ok((cursor, at, Vec::new()));
            }
        };
        self.run = Some(run);
        Ok((cursor, at, emitted))
    }

    /// Waits for the next run.
    async fn find_run(
        &mut self,
    ) -> Result<(Cursor, Option<u64>, Vec<ProtocolEvent>), superstep::Error> {
        let Some(any) = self.app.registry.all().first() else {
            return std::future::pending().await;
        };
        let mut reader = any
            .graph
            .follow(self.reader.thread.clone(), self.after, Modes::NONE);
        let (cursor, _) = reader.next_ever().await?;
        self.after = Some(cursor);
        let thread = &self.reader.thread;
        let record = self.app.run_of_lease(thread, cursor.epoch).await?;
        if let Some(record) = record
            && let Some(hosted) = self.app.registry.of_run(&record)
        {
            let reader = hosted
                .graph
                .follow(self.reader.thread.clone(), Some(cursor), MODES);
            self.run = Some(InRun {
                record,
                reader: reader.with_subgraphs(),
                events: Events::new(hosted.name()),
                graph: &hosted.graph,
                first: Some(cursor),
            });
        }
        Ok((cursor, None, Vec::new()))
    }
}

/// Why a run failed, in the words of what failed.
async fn why(
    app: &App,
    run: RunId,
    graph: &DynGraph,
    ending: &Ending,
) -> Result<Option<String>, superstep::Error> {
    if !matches!(ending, Ending::Failed { .. }) {
        return Ok(None);
    }
    let ended = app.to_end(run).await?;
    let state = state_after(graph, &ended).await?;
    let why = failure(&ended, &state);
    let why = why.as_ref().and_then(|why| why.get("message")?.as_str());
    Ok(why.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_with_the_log_and_name_their_run() {
        let at = |epoch, n, part| number(Cursor { epoch, n }, part);
        let all = [at(1, 1, 0), at(1, 1, 1), at(1, 2, 0), at(2, 1, 0)];
        assert!(all.is_sorted());
        assert_eq!(all.map(epoch), [1, 1, 1, 2]);
        assert!(at(1 << 20, 1 << 23, 255) < 1 << 53);
    }
}
