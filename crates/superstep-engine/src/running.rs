//! A run that was started, and continues by itself.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use superstep_core::{
    error::{Error, ErrorKind},
    event::Event,
    id::{RunId, ThreadId},
    run::{Drain, RunInput},
};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

use crate::{
    env::Sink,
    graph::DynGraph,
    options::{DynOutcome, RunOptions},
    stop::StopSignal,
};

/// A run that was started. It continues by itself, on the runtime that started it: whoever drops this or
/// a part of it lets go of the run, and does not stop it.
///
/// It is a future of how the run ends. Its parts can be moved to different places, as those of a
/// child process can.
#[derive(Debug)]
#[non_exhaustive]
pub struct DynRunning {
    /// The run, by which anybody can follow and cancel it ([`DynGraph::follow_run`],
    /// [`DynGraph::cancel`]).
    pub id: RunId,
    /// Its thread; a graph without a saver needs none.
    pub thread: Option<ThreadId>,
    /// Its events, of the run's `modes`.
    pub events: DynRunEvents,
    /// How it ends.
    pub outcome: DynRunOutcome,
    canceller: Canceller,
}

impl DynGraph {
    /// Starts a run, and returns once it has begun: its thread is leased, its input fits, the run is
    /// recorded, and what it was fed is stored. A busy thread, an answer to a question that is not
    /// open, or a thread that does not fit the graph is an error here, and no run.
    ///
    /// The run then continues by itself on the tokio runtime. From here on a crash does not lose it:
    /// [`DynGraph::resume_interrupted`] continues it. (With [`Durability::Exit`] nothing is stored before
    /// its end, by choice.)
    ///
    /// [`Durability::Exit`]: superstep_core::policy::Durability::Exit
    ///
    /// ```
    /// # use serde_json::json;
    /// # use superstep_engine::{Backends, DynCtx, DynGraphBuilder, RunOptions, Status, memory::MemorySaver};
    /// # use superstep_core::run::Halt;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let graph = DynGraphBuilder::new().last_value("x")
    /// #     .node("work", |_: DynCtx| async { Ok::<_, Halt>(json!({ "x": 1 })) })
    /// #     .edge("__start__", "work").backends(Backends::on(MemorySaver::new())).build()?;
    /// let mut running = graph.start(json!({ "x": 0 }), &RunOptions::on("thread 1")).await?;
    /// println!("run {} has begun", running.id);
    /// while let Some(event) = running.events.next().await {
    ///     println!("{event:?}");
    /// }
    /// assert_eq!(running.await?.status, Status::Done);
    /// # Ok(()) }
    /// ```
    pub async fn start(
        &self,
        input: impl Into<RunInput>,
        options: &RunOptions,
    ) -> Result<DynRunning, Error> {
        let thread = options.thread.as_ref();
        let start = self.start_run(input.into(), options);
        start.await.map_err(|error| error.at_thread(thread))
    }

    async fn start_run(&self, input: RunInput, options: &RunOptions) -> Result<DynRunning, Error> {
        let (sink, events) = Sink::keeping(options.modes, options.subgraphs);
        let begun = self.begin(input, options, Some(sink), &mut None).await?;
        let (began, has_begun) = oneshot::channel();
        let env = begun.env.clone();
        let id = begun.entry.as_ref().map(|entry| entry.run);
        let canceller = Canceller {
            stop: env.stop.clone(),
            drain: env.drain.clone(),
        };
        let thread = options.thread.clone();
        let task = tokio::spawn(async move {
            let outcome = begun.finish(Some(began)).await;
            if let Some(sink) = &env.sink {
                sink.end();
            }
            outcome.map_err(|error| error.at_thread(env.thread.as_ref()))
        });
        let mut outcome = DynRunOutcome(RunEnd::Not(task));
        if has_begun.await.is_err() {
            // It ended before anything ran; what it was fed may not be stored.
            let ended = (&mut outcome).await?;
            outcome = DynRunOutcome(RunEnd::With(Some(Ok(ended))));
        }
        Ok(DynRunning {
            id: id.or(options.run).unwrap_or_else(|| self.new_run_id()),
            thread,
            events: DynRunEvents(Some(events)),
            outcome,
            canceller,
        })
    }
}

impl DynRunning {
    /// Cancels the run: its tasks are dropped where they wait, those that look out for it
    /// ([`DynCtx::cancelled`](crate::DynCtx::cancelled)) are notified first. It ends with
    /// [`ErrorKind::Cancelled`], unless it is over before; its thread can be resumed.
    pub fn cancel(&self, reason: impl Into<String>) {
        self.canceller.cancel(reason);
    }

    /// Cancels the run from elsewhere in this process.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }
}

impl Future for DynRunning {
    type Output = Result<DynOutcome, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.outcome).poll(cx)
    }
}

/// Cancels a run of this process; cheap to clone. [`DynGraph::cancel`] cancels one of any process.
#[derive(Clone)]
pub struct Canceller {
    stop: StopSignal,
    drain: Drain,
}

impl Canceller {
    /// Ends the run at once, as [`DynRunning::cancel`] does.
    pub fn cancel(&self, reason: impl Into<String>) {
        let reason = reason.into();
        self.stop.send(ErrorKind::Cancelled { reason });
    }

    /// Ends the run after the step that runs.
    pub fn drain(&self, reason: impl Into<String>) {
        self.drain.request(reason);
    }
}

impl std::fmt::Debug for Canceller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Canceller").finish_non_exhaustive()
    }
}

/// The events of a run that continues by itself: a [`Stream`] that ends with the run.
///
/// The run does not wait for its reader: what is not read is kept until this is dropped. Others
/// read the run's log ([`DynGraph::follow_run`]).
#[derive(Debug)]
pub struct DynRunEvents(Option<mpsc::UnboundedReceiver<Option<Event>>>);

impl DynRunEvents {
    /// The next event; nothing when the run has ended.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl Stream for DynRunEvents {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let Some(events) = &mut self.0 else {
            return Poll::Ready(None);
        };
        let next = ready!(events.poll_recv(cx)).flatten();
        if next.is_none() {
            self.0 = None;
        }
        Poll::Ready(next)
    }
}

/// How a run ends that continues by itself: a future. Who drops it lets go of the run.
#[derive(Debug)]
pub struct DynRunOutcome(RunEnd);

#[derive(Debug)]
enum RunEnd {
    Not(JoinHandle<Result<DynOutcome, Error>>),
    With(Option<Result<DynOutcome, Error>>),
}

impl Future for DynRunOutcome {
    type Output = Result<DynOutcome, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let ended = match &mut self.0 {
            RunEnd::Not(task) => match ready!(Pin::new(task).poll(cx)) {
                Ok(outcome) => outcome,
                Err(lost) if lost.is_panic() => {
                    let message = "the driver of the run".to_owned();
                    Err(ErrorKind::Panicked { message }.into())
                }
                Err(_shut_down) => {
                    let reason = "its runtime was shut down".to_owned();
                    Err(ErrorKind::Cancelled { reason }.into())
                }
            },
            RunEnd::With(outcome) => outcome.take().unwrap_or_else(|| {
                let why = "the outcome of a run was awaited twice".to_owned();
                Err(ErrorKind::BadArgument { why }.into())
            }),
        };
        self.0 = RunEnd::With(None);
        Poll::Ready(ended)
    }
}
