//! Reading a run's events while it goes.

use std::{future::Future, pin::Pin, sync::Arc};

use superstep_core::{error::Error, event::Event, future::BoxFuture, run::RunInput};
use tokio::sync::mpsc;

use crate::{
    env::Sink,
    graph::Graph,
    options::{Outcome, RunOptions},
};

/// How many events may wait for their reader before the run waits too.
const ROOM: usize = 1024;

/// A run and its events. Reading drives the run; dropping it cancels the run.
pub struct EventStream {
    events: mpsc::Receiver<Event>,
    batch: std::collections::VecDeque<Event>,
    run: Option<BoxFuture<'static, Result<Outcome, Error>>>,
    result: Option<Result<Outcome, Error>>,
}

impl Graph {
    /// Runs the graph and shows its events.
    pub fn stream(&self, input: impl Into<RunInput>, options: &RunOptions) -> EventStream {
        let (sink, events) = Sink::new(options.modes, options.subgraphs, ROOM);
        let (graph, input) = (Self(Arc::clone(&self.0)), input.into());
        let options = options.clone();
        let run = async move { graph.run(input, &options, Some(sink)).await };
        EventStream {
            events,
            batch: std::collections::VecDeque::new(),
            run: Some(Box::pin(run)),
            result: None,
        }
    }
}

impl EventStream {
    /// The next event; nothing when the run has ended.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.batch.pop_front() {
                return Some(event);
            }
            let mut arrived = Vec::new();
            let Self {
                events,
                run,
                result,
                ..
            } = self;
            let Some(running) = run.as_mut() else {
                while let Ok(event) = events.try_recv() {
                    arrived.push(event);
                }
                self.batch.extend(arrived);
                return self.batch.pop_front();
            };
            std::future::poll_fn(|cx| {
                if let std::task::Poll::Ready(ended) = Pin::new(&mut *running).poll(cx) {
                    *result = Some(ended);
                    return std::task::Poll::Ready(());
                }
                events.poll_recv_many(cx, &mut arrived, ROOM).map(drop)
            })
            .await;
            if self.result.is_some() {
                self.run = None;
            }
            self.batch.extend(arrived);
        }
    }

    /// Reads the rest and returns how the run ended.
    pub async fn outcome(mut self) -> Result<Outcome, Error> {
        while self.next().await.is_some() {}
        match self.result {
            Some(result) => result,
            None => Err(superstep_core::error::ErrorKind::EmptyInput.into()),
        }
    }

    /// How the run ended, once it has.
    pub fn result(&self) -> Option<&Result<Outcome, Error>> {
        self.result.as_ref()
    }
}
