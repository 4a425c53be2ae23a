//! Reading a run's events while it goes.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::Stream;
use superstep_core::{error::Error, event::Event, future::BoxFuture, run::RunInput};
use tokio::sync::mpsc;

use crate::{
    env::Sink,
    graph::DynGraph,
    options::{DynOutcome, RunOptions},
};

/// How many events may wait for their reader before the run waits too.
const ROOM: usize = 1024;

/// A run and its events. Reading drives the run; dropping it cancels the run.
///
/// It is a [`Stream`] of the events. How the run ended, be it with an error, is not among them: see
/// [`DynEventStream::outcome`] and [`DynEventStream::result`].
pub struct DynEventStream {
    events: mpsc::Receiver<Event>,
    batch: VecDeque<Event>,
    run: Option<BoxFuture<'static, Result<DynOutcome, Error>>>,
    result: Option<Result<DynOutcome, Error>>,
}

impl DynGraph {
    /// Runs the graph and shows its events.
    pub fn stream(&self, input: impl Into<RunInput>, options: &RunOptions) -> DynEventStream {
        let (sink, events) = Sink::new(options.modes, options.subgraphs, ROOM);
        let (graph, input) = (Self(Arc::clone(&self.0)), input.into());
        let options = options.clone();
        let run = async move { graph.run(input, &options, Some(sink)).await };
        DynEventStream {
            events,
            batch: VecDeque::new(),
            run: Some(Box::pin(run)),
            result: None,
        }
    }
}

impl Stream for DynEventStream {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let this = &mut *self;
        loop {
            if let Some(event) = this.batch.pop_front() {
                return Poll::Ready(Some(event));
            }
            let Some(run) = this.run.as_mut() else {
                while let Ok(event) = this.events.try_recv() {
                    this.batch.push_back(event);
                }
                return Poll::Ready(this.batch.pop_front());
            };
            if let Poll::Ready(ended) = run.as_mut().poll(cx) {
                (this.run, this.result) = (None, Some(ended));
                continue;
            }
            let mut arrived = Vec::new();
            match this.events.poll_recv_many(cx, &mut arrived, ROOM) {
                // Nobody emits any more, and the run wakes its reader when it ends.
                Poll::Pending | Poll::Ready(0) => return Poll::Pending,
                Poll::Ready(_) => this.batch.extend(arrived),
            }
        }
    }
}

impl DynEventStream {
    /// The next event; nothing when the run has ended.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Reads the rest and returns how the run ended.
    pub async fn outcome(mut self) -> Result<DynOutcome, Error> {
        while self.next().await.is_some() {}
        match self.result {
            Some(result) => result,
            None => Err(superstep_core::error::ErrorKind::EmptyInput.into()),
        }
    }

    /// How the run ended, once it has.
    pub fn result(&self) -> Option<&Result<DynOutcome, Error>> {
        self.result.as_ref()
    }
}
