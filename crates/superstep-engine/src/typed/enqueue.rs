//! Runs of a typed graph on their way to the queue of its saver, now or at times of a calendar. Whoever runs them is a
//! [`Worker`](crate::Worker).

use serde::Serialize;
use superstep_core::{
    error::Error,
    id::{AskId, ThreadId},
    run::RunInput,
    runs::{EnqueueRun, QueuedInput, RunRecord},
    schedules::CronSchedule,
};

use super::{
    graph::{Graph, plain},
    nodes::Nodes,
    state::{State, Update as _},
};
use crate::input;

impl<S: State, N: Nodes> Graph<S, N> {
    /// Puts a run into the queue of the saver, for a [`Worker`](crate::Worker) of any process; durable when it
    /// returns. It brings the graph's options and context along, and waits for other runs of its thread;
    /// [`Graph::to_queue`] makes a run that does otherwise.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let graph = Graph::<Mail, Node>::builder().name("mail").saver(MemorySaver::new())
    /// #     .node(Node::Draft, || async { Mail::update().log(["drafted"]) })
    /// #     .start(Node::Draft).finish(Node::Draft).build()?;
    /// use superstep::{RunOptions, RunStatus, dynamic::Worker};
    ///
    /// let queued = graph.enqueue("t", Mail::update().subject("hi")).await?;
    /// assert_eq!(queued.status(), RunStatus::Queued);
    ///
    /// let worker = Worker::new([graph.dynamic().clone()], RunOptions::default())?;
    /// worker.work_once().await?;
    /// assert_eq!(graph.state("t").await?.state.log, ["drafted"]);
    /// # Ok(()) }
    /// ```
    pub async fn enqueue(
        &self,
        thread: impl Into<ThreadId>,
        input: impl Into<S::Update>,
    ) -> Result<RunRecord, Error> {
        self.enqueue_run(self.to_queue(thread, input)?).await
    }

    /// A run on new input, to change and to put into the queue with [`Graph::enqueue_run`].
    pub fn to_queue(
        &self,
        thread: impl Into<ThreadId>,
        input: impl Into<S::Update>,
    ) -> Result<EnqueueRun, Error> {
        let input = RunInput::Value(input.into().into_value());
        self.to_queue_with(thread.into(), input)
    }

    /// A run that continues its thread, as [`Graph::resume`] would.
    pub fn to_queue_resume(&self, thread: impl Into<ThreadId>) -> Result<EnqueueRun, Error> {
        self.to_queue_with(thread.into(), RunInput::Nothing)
    }

    /// A run that brings answers to questions, as [`Graph::answer`] would.
    pub fn to_queue_answer<A: Serialize>(
        &self,
        thread: impl Into<ThreadId>,
        answers: impl IntoIterator<Item = (AskId, A)>,
    ) -> Result<EnqueueRun, Error> {
        self.to_queue_with(thread.into(), input::answers(plain(answers)?))
    }

    /// Puts a run into the queue; `run` says what to do when its thread is busy, when it is due, and how often it
    /// may begin.
    pub async fn enqueue_run(&self, run: EnqueueRun) -> Result<RunRecord, Error> {
        self.inner.enqueue(run).await
    }

    fn to_queue_with(&self, thread: ThreadId, input: RunInput) -> Result<EnqueueRun, Error> {
        self.inner.to_queue(input, &self.on(thread))
    }

    /// Stores a schedule: its runs get this input, the graph's caller and its context, and begin when a worker is
    /// there at their time. One with the same id is replaced; an expression or a time zone that is none is refused (SS1111).
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Report { day: String }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Write }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let graph = Graph::<Report, Node>::builder().name("report").saver(MemorySaver::new())
    /// #     .node(Node::Write, || async {}).start(Node::Write).finish(Node::Write).build()?;
    /// use superstep::schedules::CronSchedule;
    ///
    /// let weekdays = CronSchedule::new("morning", "30 8 * * MON-FRI");
    /// let stored = graph.schedule(weekdays, Report::update().day("today")).await?;
    /// assert!(stored.next.is_some());
    /// assert_eq!(graph.schedules().await?.len(), 1);
    /// assert!(graph.unschedule("morning").await?);
    /// # Ok(()) }
    /// ```
    pub async fn schedule(
        &self,
        schedule: CronSchedule,
        input: impl Into<S::Update>,
    ) -> Result<CronSchedule, Error> {
        let mut schedule = CronSchedule {
            input: QueuedInput::Value(input.into().into_value()),
            ..schedule
        };
        let own = &self.options;
        let (options, context) = (&mut schedule.options, &own.context);
        options.caller = options.caller.take().or_else(|| own.caller.clone());
        if options.context.is_none() && !context.is_null() {
            options.context = Some(context.clone());
        }
        self.inner.schedule(schedule).await
    }

    /// The runs of this graph in the queue that no worker begins, since they are of another version of the state and
    /// no migration leads to that of the worker. [`RunRecord::problem`] says why.
    pub async fn stale_runs(&self) -> Result<Vec<RunRecord>, Error> {
        self.inner.stale_runs().await
    }

    /// The schedules of this graph, in order of id.
    pub async fn schedules(&self) -> Result<Vec<CronSchedule>, Error> {
        self.inner.schedules().await
    }

    /// Deletes a schedule; returns whether there was one. Runs that are in the queue stay.
    pub async fn unschedule(&self, id: &str) -> Result<bool, Error> {
        self.inner.unschedule(id).await
    }
}
