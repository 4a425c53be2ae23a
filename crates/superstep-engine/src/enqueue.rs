//! Runs on their way to the queue of a saver.

use std::collections::HashMap;

use superstep_core::{
    ask::Resume,
    checkpoint::Loaded,
    error::{Error, ErrorKind, Unmatched},
    graph_state::{
        migrate::{Writes, migrate_value},
        plain::fields_of,
    },
    id::{AskId, ThreadId},
    run::RunInput,
    runs::{EnqueueRun, OnBusy, QueuedInput, QueuedOptions, RunQuery, RunRecord},
};

use crate::{
    check_answer::expired, clock::unix_millis, graph::DynGraph, options::RunOptions, state::Depth,
};

impl DynGraph {
    /// Puts a run of this graph into the queue of its saver, for a [`Worker`](crate::Worker) of any
    /// process; durable when it returns. `run` says on which thread, with what and how, and what to do
    /// when the thread is busy. One that would have effects of the others repeated ([`OnBusy::Rollback`]) is
    /// refused (SS1205). A plain answer is for the question that is open now (see [`DynGraph::prepare_queued`]).
    pub async fn enqueue(&self, run: EnqueueRun) -> Result<RunRecord, Error> {
        let graph = self.0.plan.name.clone();
        let run = self.prepare_queued(EnqueueRun { graph, ..run }).await?;
        if run.on_busy == OnBusy::Rollback {
            self.refuse_rollback(&run.thread).await?;
        }
        Ok(self.saver()?.run_queue().enqueue(run).await?)
    }

    /// Readies a run for the queue, for those who put it there themselves.
    ///
    /// It says of which version of the state its input is: a program of another version migrates the input. If that
    /// is not declared the run stays in the queue, with the reason ([`DynGraph::stale_runs`]).
    ///
    /// A plain answer is bound to the one question that is open now: when the run's turn
    /// comes, the thread may ask another, and whoever answered has not seen that one. If the question is
    /// answered by somebody else meanwhile, the run fails with SS1105. So does this call if no question is open, or
    /// none of the answered ids while no run of the thread could still ask. An answer that does not fit its question
    /// is SS1015.
    pub async fn prepare_queued(&self, mut run: EnqueueRun) -> Result<EnqueueRun, Error> {
        self.stamp_version(&mut run.options, &run.input);
        let sealed = self.refuse_sealed_queued(&run.input).map_err(Error::from);
        sealed.map_err(|error| error.at_thread(Some(&run.thread)))?;
        if let QueuedInput::Value(input) = &run.input {
            let checked = self.check_input(input);
            checked.map_err(|error| error.at_thread(Some(&run.thread)))?;
        }
        let QueuedInput::Command(_, Some(resume)) = &mut run.input else {
            return Ok(run);
        };
        // A run from an earlier checkpoint asks again there.
        if run.options.at.as_ref().is_some_and(|at| at.id.is_some()) {
            return Ok(run);
        }
        let state = self.state(&run.thread, None, Depth::Here).await?;
        let checked = self.check_answers(state.asks(), resume);
        checked.map_err(|error| error.at_thread(Some(&run.thread)))?;
        if let Some(ask) = expired(state.asks(), resume, self.0.clock.now()) {
            let error = Error::from(ErrorKind::AskExpired { id: ask.id });
            return Err(error.at_thread(Some(&run.thread)));
        }
        let mut open: Vec<AskId> = state.asks().map(|ask| ask.id).collect();
        open.dedup();
        let is_late = match (open.as_slice(), &*resume) {
            ([id], Resume::Next(answer)) => {
                *resume = Resume::ById(HashMap::from([(*id, answer.clone())]));
                run.options.strict_resume = Some(true);
                false
            }
            (open, Resume::Next(_)) => open.is_empty(),
            // An id may be known before what it asks is stored.
            (open, Resume::ById(answers)) => {
                let is_open = answers.keys().all(|id| open.contains(id));
                let strict = run.options.strict_resume == Some(true);
                strict && !is_open && !self.is_under_way(&run.thread).await?
            }
        };
        if !is_late {
            return Ok(run);
        }
        let reason = Unmatched::NotPending;
        let error = Error::from(ErrorKind::UnknownAsk {
            reason,
            pending: open,
        });
        Err(error.at_thread(Some(&run.thread)))
    }

    /// Notes of which version of the state an input is, if it has a part of one.
    pub(crate) fn stamp_version(&self, options: &mut QueuedOptions, input: &QueuedInput) {
        let names: Vec<&str> = match input {
            QueuedInput::Value(value) => value
                .as_map()
                .map(|map| map.keys().map(|name| &**name).collect())
                .unwrap_or_default(),
            QueuedInput::Command(command, _) if !command.update.is_empty() => {
                command.update.iter().map(|(name, _)| &**name).collect()
            }
            _ => return (options.state_version, options.state_shape) = (None, None),
        };
        let state = self.0.plan.state.as_ref();
        options.state_version = state.map(|state| state.version);
        options.state_shape = state.and_then(|state| state.hash_of(names));
    }

    /// The runs of this graph in the queue that no worker begins, since their input, or the thread that they wake, is of
    /// another version of the state and no migration leads to that of the worker. [`RunRecord::problem`] says why. They
    /// wait for a worker of their version, or for a program that declares the migration; or they are cancelled
    /// ([`DynGraph::cancel`]).
    pub async fn stale_runs(&self) -> Result<Vec<RunRecord>, Error> {
        let (queue, name) = (self.saver()?.run_queue(), &self.0.plan.name);
        Ok(queue.stale_runs(name).await?)
    }

    /// What a queued run is fed, in this graph's version of the state.
    pub(crate) fn migrate_queued(
        &self,
        input: QueuedInput,
        options: &QueuedOptions,
        loaded: Option<&Loaded>,
    ) -> Result<QueuedInput, String> {
        let plan = &self.0.plan;
        let own = plan.state.map(|state| state.version);
        let other = options.state_version.filter(|from| Some(*from) != own);
        let (Some(from), Some(migrate)) = (other, &self.0.typed.migrate) else {
            return Ok(input);
        };
        let migrate = |writes: Writes| {
            let names = writes.iter().map(|(name, _)| &**name);
            let shape = plan.state.and_then(|shape| shape.hash_of(names));
            let is_same = shape.is_some() && shape == options.state_shape;
            let first = writes.first().map(|(name, _)| name.clone());
            let changed = first.as_deref().filter(|_| !is_same);
            let state = loaded.and_then(|loaded| fields_of(loaded, from));
            migrate.update(plan, from, writes, changed, &state.unwrap_or_default())
        };
        Ok(match input {
            QueuedInput::Value(value) => QueuedInput::Value(migrate_value(&value, migrate)?),
            QueuedInput::Command(mut command, resume) => {
                command.update = migrate(command.update)?;
                QueuedInput::Command(command, resume)
            }
            nothing => nothing,
        })
    }

    async fn is_under_way(&self, thread: &ThreadId) -> Result<bool, Error> {
        let runs = self.saver()?.runs();
        let runs = runs.load_runs(thread, &RunQuery::default()).await?;
        Ok(runs.iter().any(|run| run.ending.is_none()))
    }

    /// A run of this graph to put into the queue: on this thread, with this input, and with the options
    /// that its worker has for every run.
    pub fn queued(&self, thread: impl Into<ThreadId>, input: QueuedInput) -> EnqueueRun {
        let graph = self.0.plan.name.clone();
        EnqueueRun {
            input,
            ..EnqueueRun::new(thread, self.new_run_id(), graph)
        }
    }

    /// A run of this graph to put into the queue, as [`DynGraph::start`] would start it: the options go
    /// with it. Streams of events, what to return and how to stop belong to the process that runs it.
    ///
    /// ```
    /// # use serde_json::json;
    /// # use superstep_engine::{Backends, DynCtx, DynGraphBuilder, RunOptions, Worker, memory::MemorySaver};
    /// # use superstep_core::{run::Halt, runs::{EnqueueRun, OnBusy}};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let graph = DynGraphBuilder::new().last_value("by").name("count")
    /// #     .node("work", |ctx: DynCtx| async move { Ok::<_, Halt>(json!({ "by": ctx.context() })) })
    /// #     .edge("__start__", "work").backends(Backends::on(MemorySaver::new())).build()?;
    /// let options = RunOptions {
    ///     context: json!("ann").into(),
    ///     limit: 10,
    ///     ..RunOptions::on("thread 1")
    /// };
    /// let run = graph.to_queue(json!({ "by": "" }), &options)?;
    /// graph.enqueue(EnqueueRun { on_busy: OnBusy::Interrupt, ..run }).await?;
    /// let worker = Worker::new([graph], RunOptions::default())?;
    /// let worked = worker.work_once().await?.expect("a run waits");
    /// assert_eq!(worked.outcome?.output, Some(json!({ "by": "ann" }).into()));
    /// # Ok(()) }
    /// ```
    pub fn to_queue(
        &self,
        input: impl Into<RunInput>,
        options: &RunOptions,
    ) -> Result<EnqueueRun, Error> {
        let Some(thread) = options.thread.clone() else {
            let why = "a queued run needs a thread".to_owned();
            return Err(ErrorKind::BadArgument { why }.into());
        };
        options.check()?;
        let input = input.into();
        // One that continues its thread and brings no context gets one when it begins.
        let is_given = matches!(input, RunInput::Value(_)) || !options.context.is_null();
        if let Some(check) = self.0.typed.check_context.filter(|_| is_given) {
            check(&options.context)?;
        }
        let input = match input {
            RunInput::Nothing => QueuedInput::Nothing,
            RunInput::Value(value) => QueuedInput::Value(value),
            RunInput::Command(command, resume) => QueuedInput::Command(*command, resume),
        };
        let run = options.run.unwrap_or_else(|| self.new_run_id());
        Ok(EnqueueRun {
            input,
            options: options.queued(),
            deadline: options.deadline.map(unix_millis),
            metadata: options.metadata.clone(),
            ..EnqueueRun::new(thread, run, self.0.plan.name.clone())
        })
    }
}
