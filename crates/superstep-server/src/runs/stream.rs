//! Reading along with a run: from its beginning, from where a client was, or from now on.
//!
//! What a client gets is made of the run's log, so it is the same for the client that started the run,
//! for one that comes back, and for one that comes after a restart of the server.

use std::str::FromStr;

use axum::body::Bytes;
use serde_json::Value as Json;
use superstep::{
    Cursor, Ending, LogItem, Modes, RunId, RunQuery, RunRecord,
    dynamic::{DynEvent, DynFollow, DynGraph},
};
use tokio::{sync::mpsc, time};

use super::{
    end::{failure, state_after, stopping, with_interrupts},
    kwargs::RunKwargs,
    stream_mode::Mode,
    waiting::BEAT,
    wire::{Frame, RunPlace, Wire},
};
use crate::app::App;

/// A sign of life.
pub(crate) const HEARTBEAT: &[u8] = b": heartbeat\r\n\r\n";

/// Where a client is in the stream of a run: an entry of the log, and how many frames of it the client
/// has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EventId {
    cursor: Cursor,
    part: u64,
}

impl EventId {
    /// Before everything.
    pub(super) const ZERO: Self = Self {
        cursor: Cursor { epoch: 0, n: 0 },
        part: 0,
    };

    /// The entry of the log.
    pub(crate) fn cursor(self) -> Cursor {
        self.cursor
    }

    /// The frame that comes before what a run logs.
    const FIRST: Self = Self {
        cursor: Cursor { epoch: 0, n: 1 },
        part: 0,
    };

    pub(crate) fn new(cursor: Cursor, part: usize) -> Self {
        let part = u64::try_from(part).unwrap_or(u64::MAX);
        Self { cursor, part }
    }
}

impl std::fmt::Display for EventId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cursor, part } = self;
        write!(f, "{}-{}", cursor.epoch, cursor.n)?;
        match part {
            0 => Ok(()),
            part => write!(f, ".{part}"),
        }
    }
}

impl FromStr for EventId {
    type Err = ();

    /// Reads an id; `0` and `-1` stand before everything.
    fn from_str(text: &str) -> Result<Self, ()> {
        if matches!(text, "0" | "-1") {
            return Ok(Self::ZERO);
        }
        let (epoch, rest) = text.split_once('-').ok_or(())?;
        let (n, part) = rest.split_once('.').unwrap_or((rest, "0"));
        let number = |digits: &str| digits.parse::<u64>().map_err(|_| ());
        let cursor = Cursor {
            epoch: number(epoch)?,
            n: number(n)?,
        };
        let part = number(part)?;
        Ok(Self { cursor, part })
    }
}

/// From where a client reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Since {
    /// All of the run.
    Start,
    /// What follows a frame that it has.
    After(EventId),
    /// What happens from now on.
    Now,
}

/// Why a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// The run has ended, and its client has all of it.
    Run,
    /// The client is gone.
    Client,
}

/// A client that reads along with a run.
pub(super) struct Along {
    graph: DynGraph,
    run: RunId,
    kwargs: RunKwargs,
    wire: Wire,
    modes: Modes,
    has_ids: bool,
    has_progress: bool,
    since: Since,
}

impl Along {
    pub(crate) fn new(
        (graph, name): (&DynGraph, &str),
        run: &RunRecord,
        kwargs: &RunKwargs,
        modes: Vec<Mode>,
        since: Since,
    ) -> Self {
        let place = RunPlace::new(run, kwargs, name);
        let engine = Mode::engine(&modes);
        let has_progress = modes.contains(&Mode::Progress);
        Self {
            graph: graph.clone(),
            run: run.id,
            wire: Wire::new(place, modes, kwargs.stream_subgraphs),
            kwargs: kwargs.clone(),
            modes: engine,
            has_ids: kwargs.stream_resumable,
            has_progress,
            since,
        }
    }

    /// Passes the events of the run to a client, until one of them is over.
    pub(crate) async fn pass(mut self, app: &App, out: &mpsc::Sender<Bytes>) -> Over {
        let run = self.run;
        let failure = tokio::select! {
            passed = self.passed(app, out) => match passed {
                Ok(over) => return over,
                Err(error) => serde_json::json!({ "error": error.code(), "message": error.to_string() }),
            },
            () = app.left_behind(run) => stopping(),
        };
        match out.send(Frame::new("error", failure).bytes(None)).await {
            Ok(()) => Over::Run,
            Err(_) => Over::Client,
        }
    }

    async fn passed(
        &mut self,
        app: &App,
        out: &mpsc::Sender<Bytes>,
    ) -> Result<Over, superstep::Error> {
        let record = app.saver.runs().load_run(self.run).await?;
        let Some(record) = record else {
            return Ok(Over::Run);
        };
        let input = input_of(&record, &self.kwargs);
        let first = self.wire.begin(&input);
        if !self.send(out, first, EventId::FIRST).await {
            return Ok(Over::Client);
        }
        if record.attempt > 1 && !self.pass_earlier(app, &record, out).await? {
            return Ok(Over::Client);
        }
        let mut reader = self.graph.follow_run(self.run, None, self.modes);
        reader = reader.with_subgraphs();
        if self.since == Since::Now {
            while let Some((_, item)) = reader.next_stored().await? {
                if let LogItem::Event(event) = item {
                    self.wire.frames(&event, None);
                }
            }
            if record.ending.is_some() {
                return Ok(Over::Run);
            }
            self.since = Since::Start;
        }
        let Some(ending) = self.pass_items(app, &mut reader, out).await? else {
            return Ok(Over::Client);
        };
        self.pass_end(app, ending, out).await
    }

    /// The frames of an event.
    async fn frames(&mut self, app: &App, event: &DynEvent, at: Option<u64>) -> Vec<Frame> {
        let mut frames = self.wire.frames(event, at);
        if self.has_progress {
            frames.extend(app.progress(&self.kwargs.graph_id, event).await);
        }
        frames
    }

    /// Passes what attempts before the present one logged.
    async fn pass_earlier(
        &mut self,
        app: &App,
        record: &RunRecord,
        out: &mpsc::Sender<Bytes>,
    ) -> Result<bool, superstep::Error> {
        let before = RunQuery {
            limit: Some(1),
            before: Some(record.id),
            ..RunQuery::default()
        };
        let before = app.saver.runs().load_runs(&record.thread, &before).await?;
        let before = before.first().and_then(|run| run.epoch);
        let after = before.map(Cursor::end_of);
        let mut reader = self.graph.follow(record.thread.clone(), after, self.modes);
        reader = reader.with_subgraphs();
        while let Some((cursor, item)) = reader.next_stored().await? {
            if record.epoch.is_some_and(|epoch| cursor.epoch >= epoch) {
                break;
            }
            if let LogItem::Event(event) = item {
                let frames = self.frames(app, &event, reader.at()).await;
                if !self.send(out, frames, EventId::new(cursor, 0)).await {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Passes what the run logs; nothing if the client goes away.
    async fn pass_items(
        &mut self,
        app: &App,
        reader: &mut DynFollow,
        out: &mpsc::Sender<Bytes>,
    ) -> Result<Option<(EventId, Ending)>, superstep::Error> {
        let mut beat = time::interval_at(time::Instant::now() + BEAT, BEAT);
        loop {
            tokio::select! {
                item = reader.next() => match item? {
                    Some((cursor, LogItem::Event(event))) => {
                        let frames = self.frames(app, &event, reader.at()).await;
                        if !frames.is_empty() {
                            beat.reset();
                        }
                        if !self.send(out, frames, EventId::new(cursor, 0)).await {
                            return Ok(None);
                        }
                    }
                    // It was handed back to the queue, or ends so by itself, which its record then says.
                    Some((_, LogItem::Ended(Ending::Drained { .. }))) => {}
                    Some((cursor, LogItem::Ended(ending))) => {
                        return Ok(Some((EventId::new(cursor, 0), ending)));
                    }
                    Some((_, LogItem::Started { .. })) => {}
                    None => return Ok(Some((EventId::ZERO, Ending::Done))),
                },
                () = out.closed() => return Ok(None),
                _ = beat.tick() => {
                    if out.send(Bytes::from_static(HEARTBEAT)).await.is_err() {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Passes how the run ended.
    async fn pass_end(
        &mut self,
        app: &App,
        (at, ending): (EventId, Ending),
        out: &mpsc::Sender<Bytes>,
    ) -> Result<Over, superstep::Error> {
        let is_failed = matches!(ending, Ending::Failed { .. });
        let wants_end = !self.wire.end(&Json::Null).is_empty();
        if !is_failed && !wants_end {
            return Ok(Over::Run);
        }
        let ended = app.to_end(self.run).await?;
        let state = state_after(&self.graph, &ended).await?;
        let frames = match failure(&ended, &state) {
            Some(failure) => vec![Frame::new("error", failure)],
            None => self.wire.end(&with_interrupts(state.values.to_json(), &[])),
        };
        Ok(match self.send(out, frames, at).await {
            true => Over::Run,
            false => Over::Client,
        })
    }

    /// Sends the frames that the client does not have.
    async fn send(&self, out: &mpsc::Sender<Bytes>, frames: Vec<Frame>, at: EventId) -> bool {
        for (part, frame) in frames.iter().enumerate() {
            let id = EventId::new(at.cursor, part);
            let is_new = match self.since {
                Since::Start => true,
                Since::After(had) => id > had,
                Since::Now => false,
            };
            let text = self.has_ids.then(|| id.to_string());
            if is_new && out.send(frame.bytes(text.as_deref())).await.is_err() {
                return false;
            }
        }
        true
    }
}

/// What a run was fed, as its client gave it.
fn input_of(run: &RunRecord, kwargs: &RunKwargs) -> Json {
    let shown = kwargs.shown(run);
    let field = |name: &str| shown.get(name).filter(|it| !it.is_null()).cloned();
    field("input").or(field("command")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_as_it_is_written_and_comes_after_those_before_it() {
        let at = |epoch, n, part| EventId::new(Cursor { epoch, n }, part);
        for id in [at(1, 2, 0), at(7, 900, 3), EventId::ZERO] {
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        assert!(at(1, 2, 0) < at(1, 2, 1) && at(1, 9, 5) < at(2, 1, 0));
        assert_eq!("-1".parse(), Ok(EventId::ZERO));
        assert_eq!("".parse::<EventId>(), Err(()));
        assert_eq!("1.2".parse::<EventId>(), Err(()));
    }
}
