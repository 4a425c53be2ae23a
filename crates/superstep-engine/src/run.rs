//! Running a graph to its end: as the root of a run, or inside a task of another graph.

use std::{
    collections::HashSet,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::SystemTime,
};

use superstep_core::{
    ask::Ask,
    checkpoint::Loaded,
    command::Output,
    error::{Error, ErrorKind},
    event::{Ending, Modes, TraceIds},
    future::BoxFuture,
    id::ThreadId,
    plan::{Keys, Pauses, Persist},
    record::open_asks,
    run::{Begin, Buffers, Halt, Loop, ParentContext, RunConfig, RunInput, Stop, Suspension},
    runs::{BeginRun, InputKind, RunCost, RunQuery, answered, noted},
    saver::{At, Claimed},
    value::Value,
};

use crate::{
    check_answer::expired,
    clock::{now_micros, unix_millis, until},
    continuation::Identity,
    ctx::{Above, ChildContext, DynCtx, RunsInside},
    driver::{self, Began},
    env::{Env, LimitedRun, Sink},
    event_log::{EventLogWriter, FindPlan},
    graph::{Backends, DynGraph},
    instrument::LiveSpan,
    metrics::Measured,
    node::Node,
    options::{DynOutcome, RunOptions, Status},
    repeats::Going,
    run_entry::RunEntry,
    stop::StopSignal,
};
use superstep_core::sync::lock;
use tokio::time::Instant;

impl DynGraph {
    /// Runs the graph until it is done, asks, pauses or fails.
    pub async fn invoke(
        &self,
        input: impl Into<RunInput>,
        options: &RunOptions,
    ) -> Result<DynOutcome, Error> {
        self.run(input.into(), options, None).await
    }

    pub(crate) async fn run(
        &self,
        input: RunInput,
        options: &RunOptions,
        sink: Option<Sink>,
    ) -> Result<DynOutcome, Error> {
        let begun = self.begin(input, options, sink, &mut None).await;
        let begun = begun.map_err(|error| error.at_thread(options.thread.as_ref()))?;
        begun.finish(None).await
    }

    /// Runs a claimed run to its end. One that cannot begin stays in `claimed`.
    pub(crate) async fn run_claimed(
        &self,
        input: RunInput,
        options: &RunOptions,
        claimed: &mut Option<Claimed>,
    ) -> Result<DynOutcome, Error> {
        let begun = self.begin(input, options, None, claimed).await;
        let begun = begun.map_err(|error| error.at_thread(options.thread.as_ref()))?;
        begun.finish(None).await
    }

    /// Begins a run: leases its thread, checks what it is fed, records it. A claimed run has its lease and
    /// its record already.
    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn has room for its arguments twice, in every run"
    )]
    pub(crate) fn begin(
        &self,
        input: RunInput,
        options: &RunOptions,
        sink: Option<Sink>,
        claimed: &mut Option<Claimed>,
    ) -> impl Future<Output = Result<BegunRun, Error>> + Send {
        async move {
            options.check()?;
            self.refuse_sealed_input(&input)?;
            if let RunInput::Value(input) = &input {
                self.check_input(input)?;
            }
            let Backends {
                saver,
                store,
                cache,
                recorder,
                ..
            } = &self.0.backends;
            if saver.is_some() && options.thread.is_none() {
                let why = "a graph with a saver needs a thread".to_owned();
                return Err(ErrorKind::BadArgument { why }.into());
            }
            let lease = match (saver, &options.thread) {
                (Some(saver), Some(thread)) if claimed.is_none() => {
                    Some(saver.lease(thread).await?)
                }
                _ => None,
            };
            let leased = lease
                .as_ref()
                .or(claimed.as_ref().map(|claimed| &claimed.lease));
            let (epoch, recorded) = (leased.map_or(0, |lease| lease.epoch), leased.is_some());
            let is_traced = options.log.has(Modes::SPANS)
                || options.traceparent.is_some()
                || LiveSpan::is_wanted();
            let started = match is_traced || options.log != Modes::NONE {
                true => now_micros(),
                false => 0,
            };
            let log = match (saver, &options.thread) {
                _ if options.log == Modes::NONE => None,
                (Some(saver), Some(thread)) => Some(Arc::new(EventLogWriter::new(
                    saver,
                    thread,
                    epoch,
                    options,
                    &self.0.plan.name,
                    self.plan_at(),
                    started,
                ))),
                _ => return Err(ErrorKind::NoSaver.into()),
            };
            let Identity { context, caller } = self.identity(&input, options).await?;
            let stored = options.begun(&context, &caller);
            let budget = match options.budget.is_unlimited() {
                true => None,
                // In a box: few runs are limited, and all would have room for it.
                false => Some(Box::pin(self.limited(options)).await?),
            };
            let trace = is_traced.then(|| {
                let thread = options.thread.as_ref().map_or("", ThreadId::as_str);
                let number = match recorded {
                    true => epoch,
                    false => self.0.ids.next(None).0 as u64,
                };
                TraceIds::new(thread, number, Some(started), options.traceparent)
            });
            let env = Arc::new(Env {
                thread: options.thread.clone(),
                run: recorded.then(|| options.run.unwrap_or_else(|| self.new_run_id())),
                saver: saver.clone(),
                epoch,
                store: store.clone(),
                cache: cache.clone(),
                context,
                caller,
                durability: options.durability,
                limit: options.limit,
                max_concurrency: options.max_concurrency,
                fidelity: options.fidelity,
                ids: self.0.ids.clone(),
                drain: options.drain.for_run(),
                stop: StopSignal::default(),
                grace: options.grace,
                clock: self.0.clock.clone(),
                sink,
                log,
                privacy: options.privacy.clone(),
                addresses: options.at.as_ref().map(|at| Arc::new(at.addresses())),
                parks: recorded && !stored.context_unstored,
                cost: Arc::default(),
                budget,
                recorder: recorder.clone(),
                trace,
            });
            let scope = Scope {
                output: options.output_keys(&self.0.plan, env.sink.is_some())?,
                shown: match &env.log {
                    Some(_) => options.output_keys(&self.0.plan, true)?,
                    None => None,
                },
                pause_before: options.pause_before.clone(),
                pause_after: options.pause_after.clone(),
                strict_resume: options.strict_resume,
                strict_input: options.strict_input,
                keep_asks: options.keep_asks,
            };
            let fed = match &input {
                RunInput::Nothing => InputKind::Nothing,
                RunInput::Value(_) => InputKind::Input,
                RunInput::Command(..) => InputKind::Command,
            };
            if let (Some(saver), Some(thread), Some(at)) = (saver, &options.thread, &options.at) {
                let going = Going::Run(&input);
                self.refuse_repeats(saver, thread, at, going).await?;
            }
            // Before the loop makes ids of its own.
            let mark = env.ids.next(None);
            let mut parent = ParentContext::default();
            let found = match claimed {
                Some(claimed) if env.addresses.is_none() => Whereabouts {
                    loaded: std::mem::replace(&mut claimed.loaded, Ok(None))?,
                    addressed: false,
                },
                _ => self.locate(&env, &mut parent).await?,
            };
            // A run that continues its thread where that is now: answers must fit what is asked there, and new input
            // must not drop an effect of which nobody knows whether it happened.
            if options.at.is_none()
                && let (Some(loaded), Some(saver), Some(thread)) =
                    (&found.loaded, saver, &env.thread)
            {
                if env.fidelity.checks_answer_schemas()
                    && let RunInput::Command(_, Some(resume)) = &input
                {
                    self.check_answers(open_asks(&*loaded.notes).into_iter(), resume)?;
                }
                if let RunInput::Command(_, Some(resume)) = &input
                    && let Some(ask) = expired(open_asks(&*loaded.notes), resume, env.clock.now())
                {
                    self.refuse_late(saver, options.run, ask).await?;
                }
                self.refuse_input(saver, thread, loaded, &input).await?;
            }
            let (noted, answers) = match (&input, &found.loaded) {
                (RunInput::Command(_, resume), Some(loaded)) => {
                    let answered = resume.as_ref().map(|it| answered(it, &loaded.notes));
                    (noted(&loaded.notes), answered.unwrap_or_default())
                }
                _ => (0, Vec::new()),
            };
            let run = self.open(&env, parent, scope, input, found)?;
            let entry = match (saver, &env.thread, env.run) {
                (Some(saver), Some(thread), Some(run)) => {
                    let begin = BeginRun {
                        thread: thread.clone(),
                        epoch,
                        run,
                        graph: self.0.plan.name.clone(),
                        input: fed,
                        deadline: options.deadline.map(unix_millis),
                        metadata: options.metadata.clone(),
                        mark,
                        noted,
                        options: stored,
                        answers,
                    };
                    // In a box: the answer is large, and a run would have room for it to its end.
                    let leased = match (lease, claimed.take()) {
                        (Some(lease), _) => Some((lease, None)),
                        (None, claimed) => claimed.map(|it| {
                            let record = Some(it.record).filter(|_| !it.others_wait);
                            (it.lease, record)
                        }),
                    };
                    match leased {
                        Some((lease, record)) => {
                            let saver = saver.clone();
                            let entry = RunEntry::begin(saver, lease, begin, record);
                            Some(Box::pin(entry).await?)
                        }
                        None => None,
                    }
                }
                _ => None,
            };
            Ok(BegunRun {
                graph: self.clone(),
                env,
                run,
                entry,
                deadline: options.deadline,
            })
        }
    }

    /// What a run may take, and what it and its thread have taken before.
    async fn limited(&self, options: &RunOptions) -> Result<Arc<LimitedRun>, Error> {
        let (mut run, mut thread) = (RunCost::default(), RunCost::default());
        if let (Some(saver), Some(on)) = (&self.0.backends.saver, &options.thread) {
            for record in saver.runs().load_runs(on, &RunQuery::default()).await? {
                thread = thread.and(record.cost);
                if Some(record.id) == options.run {
                    run = record.cost;
                }
            }
        }
        let budget = options.budget;
        Ok(Arc::new(LimitedRun {
            budget,
            run,
            thread,
        }))
    }

    /// Finds where a graph is.
    async fn locate(&self, env: &Env, parent: &mut ParentContext) -> Result<Whereabouts, Error> {
        let addresses = env.addresses.as_ref();
        let address = addresses.and_then(|named| named.get(&parent.namespace).copied());
        let at = match (address, &parent.replay) {
            (Some(id), _) => At::Id(id),
            (None, Some(replay)) if parent.nested => {
                parent.resuming = None;
                if replay.first_visit(&parent.namespace) {
                    At::Before(replay.before())
                } else {
                    At::Latest
                }
            }
            _ => At::Latest,
        };
        let loaded = match (&env.saver, &env.thread) {
            (Some(saver), Some(thread)) => saver.load(thread, &parent.namespace, at).await?,
            _ => None,
        };
        if let (None, Some(id)) = (&loaded, address) {
            return Err(ErrorKind::UnknownCheckpoint { id }.into());
        }
        let addressed = address.is_some();
        Ok(Whereabouts { loaded, addressed })
    }

    /// Starts the loop. Not part of the future of a run, which stays small without it.
    fn open(
        &self,
        env: &Env,
        mut parent: ParentContext,
        scope: Scope,
        input: RunInput,
        Whereabouts { loaded, addressed }: Whereabouts,
    ) -> Result<Box<Loop>, Error> {
        let head = match &loaded {
            Some(loaded) => self.0.head(loaded)?.map(|(head, _)| Box::new(head)),
            None => None,
        };
        let nested = parent.nested;
        if nested && env.fidelity.restarts_ended_graphs() && ended_before(loaded.as_ref(), &parent)
        {
            parent.resuming = Some(false);
        }
        let begin = Begin {
            plan: self.0.plan.clone(),
            config: RunConfig {
                thread: env.thread.clone(),
                limit: env.limit,
                durability: env.durability,
                saves: env.saver.is_some() && env.thread.is_some(),
                modes: env.modes_at(nested),
                log: env.logged_modes(),
                findable: !nested
                    || env
                        .log
                        .as_ref()
                        .is_some_and(|log| log.finds(&self.0.plan, &parent.namespace)),
                output: scope.output,
                shown: scope.shown,
                pause_before: scope.pause_before,
                pause_after: scope.pause_after,
                strict_resume: scope.strict_resume,
                strict_input: scope.strict_input,
                keep_asks: scope.keep_asks,
                fidelity: env.fidelity,
                ids: env.ids.clone(),
                drain: env.drain.clone(),
                parent,
            },
            head,
            addressed,
            own_address: nested && addressed,
            superseded: addressed && loaded.is_some_and(|loaded| loaded.superseded),
            input,
            buffers: self.0.buffers.take(),
        };
        Loop::begin(begin)
    }

    /// Finds the plans of this graph and those below it, for readers of its log.
    fn plan_at(&self) -> Box<FindPlan> {
        let root = self.clone();
        Box::new(move |namespace| {
            let (graph, _) = root.at_namespace(namespace).ok()?;
            Some(graph.0.plan.clone())
        })
    }

    /// Begins to run the graph inside a task of another one.
    async fn begin_nested<'a>(
        &self,
        ctx: &'a DynCtx,
        input: Option<Value>,
    ) -> Result<NestedRun<'a>, Halt> {
        let ChildContext {
            graph,
            continues,
            mut parent,
        } = ctx.child_context();
        let mut env = ctx.0.step.env.clone();
        if continues && env.addresses.is_some() {
            Arc::make_mut(&mut env).addresses = None;
        }
        match self.0.persist {
            Persist::PerCall => {}
            Persist::PerThread => {
                parent.namespace = parent.namespace.position();
                if env.fidelity.refuses_shared_histories() {
                    ctx.claim_history(&parent.namespace, graph).await?;
                }
            }
            Persist::Off => Arc::make_mut(&mut env).saver = None,
        }
        let inside = ctx.runs_inside();
        let found = self.locate(&env, &mut parent).await?;
        let input = input.map_or(RunInput::Nothing, RunInput::Value);
        let run = self.open(&env, parent, Scope::default(), input, found)?;
        let above = Above {
            ctx: ctx.clone(),
            graph,
        };
        Ok(NestedRun {
            env,
            run,
            above,
            inside,
        })
    }

    /// Runs the graph inside a task of another one, on new input if there is any. The future is large: whoever
    /// awaits it has it in a box.
    pub(crate) async fn run_nested(
        &self,
        ctx: &DynCtx,
        input: Option<Value>,
    ) -> Result<Option<Value>, Halt> {
        ctx.alive()?;
        let NestedRun {
            env,
            mut run,
            above,
            inside: _inside,
        } = self.begin_nested(ctx, input).await?;
        let stop = driver::drive(&mut run, &self.0, &env, Some(above), None).await;
        lock(&ctx.0.progress)
            .seen_below
            .extend(run.seen_messages().cloned());
        let output = run.output();
        self.0.buffers.keep(Buffers::of(run));
        match stop {
            Stop::Done => Ok(output),
            Stop::Suspended(suspension) => {
                lock(&ctx.0.progress).suspend(&suspension);
                Err(Halt::Suspended(suspension))
            }
            Stop::Parent(command) => Err(Halt::Parent(command)),
            Stop::Failed(error) => Err(Halt::Error(error)),
        }
    }
}

impl DynCtx {
    /// Runs another graph as part of this task.
    pub async fn run_graph(
        &self,
        graph: &DynGraph,
        input: impl Into<Value>,
    ) -> Result<Option<Value>, Halt> {
        self.beat_if_auto();
        let input = Some(input.into()).filter(|input: &Value| !input.is_null());
        Box::pin(graph.run_nested(self, input)).await
    }
}

/// Where a graph is.
struct Whereabouts {
    /// Nothing if nobody has run it.
    loaded: Option<Loaded>,
    /// The caller named this checkpoint.
    addressed: bool,
}

/// A graph that has begun inside a task of another one.
struct NestedRun<'a> {
    env: Arc<Env>,
    run: Box<Loop>,
    above: Above,
    inside: RunsInside<'a>,
}

/// A run that has begun: its thread is leased, and what it is fed was checked.
pub(crate) struct BegunRun {
    graph: DynGraph,
    pub(crate) env: Arc<Env>,
    run: Box<Loop>,
    pub(crate) entry: Option<RunEntry>,
    deadline: Option<SystemTime>,
}

impl BegunRun {
    /// Runs to the end. `began` hears when what the run was fed is stored.
    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn has room for its arguments twice, in every run"
    )]
    pub(crate) fn finish(
        mut self,
        began: Option<Began>,
    ) -> impl Future<Output = Result<DynOutcome, Error>> + Send {
        async move {
            let span = LiveSpan::run(&self.env, &self.graph.0.plan.name);
            let measure = RunMeasure::begin(&self.env, &self.graph);
            let stop = span.clone().within(self.drive(began)).await;
            if let Stop::Failed(error) = &stop {
                span.failed(error.code());
            }
            if let Some(measure) = measure {
                measure.end(&stop);
            }
            // Whoever has the outcome may continue with the thread, in this process or another.
            if let Some(entry) = self.entry.take() {
                let cost = *lock(&self.env.cost);
                entry.end(&self.graph, &stop, cost, &self.env.drain).await;
            }
            let output = self.run.output();
            self.graph.0.buffers.keep(Buffers::of(self.run));
            outcome(stop, output).map_err(|error| error.at_thread(self.env.thread.as_ref()))
        }
    }

    async fn drive(&mut self, began: Option<Began>) -> Stop {
        let Self {
            graph,
            env,
            run,
            entry,
            deadline,
        } = self;
        let drive = async {
            if let Some(log) = &env.log {
                log.start(env.durability, run.checkpoint());
            }
            let mut stop = driver::drive(run, &graph.0, env, None, began).await;
            if let Some(log) = &env.log {
                stop = log.end(stop, run.checkpoint()).await;
            }
            stop
        };
        // Pinned here, so that all ways to drive it share its room.
        let drive = pin!(drive);
        let drive = pin!(within(env, entry.as_ref(), *deadline, drive));
        match &env.log {
            None => drive.await,
            // Many runs are not logged, and would have room for it.
            Some(log) => Box::pin(log.along(drive)).await,
        }
    }
}

/// A run that is measured.
struct RunMeasure {
    env: Arc<Env>,
    graph: Arc<str>,
    began: Instant,
    ending: Ending,
}

impl RunMeasure {
    /// In a box: most runs are not measured, and all would have room for it.
    fn begin(env: &Arc<Env>, graph: &DynGraph) -> Option<Box<Self>> {
        env.recorder.as_ref()?;
        let graph = graph.0.plan.name.clone();
        env.measure(|| Measured::RunBegan { graph: &graph });
        Some(Box::new(Self {
            env: env.clone(),
            graph,
            began: Instant::now(),
            ending: Ending::Interrupted,
        }))
    }

    fn end(mut self, stop: &Stop) {
        self.ending = Ending::from(stop);
    }
}

/// A run that is dropped was cut short.
impl Drop for RunMeasure {
    fn drop(&mut self) {
        self.env.measure(|| Measured::Run {
            graph: &self.graph,
            ending: &self.ending,
            took: self.began.elapsed(),
            cost: *lock(&self.env.cost),
        });
    }
}

/// Drives a run, and ends it before its time if somebody cancels it or its deadline passes.
async fn within(
    env: &Env,
    entry: Option<&RunEntry>,
    deadline: Option<SystemTime>,
    mut run: Pin<&mut impl Future<Output = Stop>>,
) -> Stop {
    let Some(cause) = stopping(env, entry, deadline) else {
        return run.await;
    };
    // A reason that is there already comes before the first task.
    if deadline.is_some_and(|deadline| unix_millis(deadline) <= env.clock.now()) {
        env.stop.send(ErrorKind::DeadlinePassed);
    } else if let Some(reason) = entry.and_then(|entry| entry.cancelled_before(&env.drain)) {
        env.stop.send(ErrorKind::Cancelled { reason });
    }
    tokio::select! {
        biased;
        stop = &mut run => return stop,
        why = cause => env.stop.send(why),
    }
    run.await
}

/// Waits for a reason to end the run before its time; nothing if there can be none.
fn stopping<'a>(
    env: &'a Env,
    entry: Option<&'a RunEntry>,
    deadline: Option<SystemTime>,
) -> Option<impl Future<Output = ErrorKind> + 'a> {
    if entry.is_none() && deadline.is_none() {
        return None;
    }
    // In a box, since few runs have a deadline.
    let passed = |deadline| Box::pin(until(&*env.clock, unix_millis(deadline)));
    let mut passed = deadline.map(passed);
    Some(async move {
        let mut cancelled = pin!(entry.map(|entry| entry.cancelled(&env.drain)));
        poll_fn(|cx| {
            if let Some(passed) = &mut passed
                && passed.as_mut().poll(cx).is_ready()
            {
                return Poll::Ready(ErrorKind::DeadlinePassed);
            }
            match cancelled.as_mut().as_pin_mut() {
                Some(cancelled) => cancelled
                    .poll(cx)
                    .map(|reason| ErrorKind::Cancelled { reason }),
                None => Poll::Pending,
            }
        })
        .await
    })
}

/// Whether a graph that lives as long as its thread has nothing to resume: it ended in an
/// earlier call, and the call that is continued had not begun when the run was cut short.
fn ended_before(loaded: Option<&Loaded>, parent: &ParentContext) -> bool {
    let head = loaded.and_then(Loaded::head);
    head.is_some_and(|head| head.pending.is_empty() && head.parents != parent.parents)
}

/// Settings for the root graph of a run only.
#[derive(Default)]
struct Scope {
    output: Option<Keys>,
    shown: Option<Keys>,
    pause_before: Pauses,
    pause_after: Pauses,
    strict_resume: bool,
    strict_input: bool,
    keep_asks: bool,
}

/// What a caller sees of how a run ended.
fn outcome(stop: Stop, output: Option<Value>) -> Result<DynOutcome, Error> {
    let Suspension { asks, until } = match stop {
        Stop::Done => {
            return Ok(DynOutcome {
                output,
                asks: Vec::new(),
                status: Status::Done,
                until: None,
            });
        }
        Stop::Suspended(suspension) => suspension,
        Stop::Parent(_) => return Err(ErrorKind::NoParent.into()),
        Stop::Failed(error) => return Err(error),
    };
    let status = match (asks.is_empty(), until) {
        (false, _) => Status::Waiting,
        (true, Some(_)) => Status::Sleeping,
        (true, None) => Status::Paused,
    };
    Ok(DynOutcome {
        output,
        asks: distinct(asks),
        status,
        until,
    })
}

fn distinct(asks: Vec<Ask>) -> Vec<Ask> {
    let mut seen = HashSet::new();
    asks.into_iter().filter(|ask| seen.insert(ask.id)).collect()
}

/// Runs a graph as a node: its output is the node's update.
pub(crate) struct SubgraphNode(pub(crate) DynGraph);

impl Node for SubgraphNode {
    fn run(&self, ctx: DynCtx) -> BoxFuture<'static, Result<Output, Halt>> {
        let graph = self.0.clone();
        Box::pin(async move {
            let output = graph.run_nested(&ctx, Some(ctx.input())).await?;
            Ok(output.map_or(Output::Nothing, Output::from))
        })
    }
}
