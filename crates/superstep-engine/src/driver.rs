//! Driver of the loop on tokio: runs tasks, stores, streams; it decides nothing.
//!
//! A task's future is polled once in place; only what is not ready then is spawned. Dropping the
//! run drops or aborts everything it started.

mod attempt;
mod idle;
mod slots;
mod step_measure;
mod wind_down;

use std::{
    collections::HashMap,
    future::{Future, poll_fn},
    hash::{BuildHasher, RandomState},
    pin::Pin,
    sync::{Arc, Mutex, Weak},
    task::Poll,
    time::Duration,
};

use superstep_core::{
    checkpoint::NextRecord,
    clock::UnixMillis,
    command::Output,
    error::Error,
    event::{Entry, EventKind, Logged},
    future::{BoxFuture, MaybeReady},
    id::CheckpointId,
    policy::{Durability, Refresh},
    record::{Record, TaskKey, TaskNote, Write},
    run::{Act, Called, Done, Halt, Loop, Stop, Task},
    saver::{Commit, Notes},
    value::Value,
};
use tokio::{sync::oneshot, task::JoinSet, time::Instant};

use attempt::{AttemptEnd, RunningAttempt, guarded, limited};
use slots::Slots;
use step_measure::StepMeasure;
use wind_down::Handles;

use crate::{
    cache::CacheKey,
    clock::until,
    ctx::{
        Above, Attempt, CtxInner, DynCtx, Heartbeat, Journal, Request, RunInfo, StepInfo,
        TaskAnswers, TaskBody, TaskProgress, call_body,
    },
    env::Env,
    event_log::Line,
    graph::GraphInner,
    instrument::LiveSpan,
    requests::Requests,
    write_behind::{PendingStore, WriteBehind},
};

/// Hears that what a run was fed is stored, and its first tasks start.
pub(crate) type Began = oneshot::Sender<()>;

/// Drives one graph of a run to its end.
pub(crate) async fn drive(
    run: &mut Loop,
    graph: &Arc<GraphInner>,
    env: &Arc<Env>,
    above: Option<Above>,
    began: Option<Began>,
) -> Stop {
    let parent = &run.config().parent;
    let info = Arc::new(RunInfo {
        plan: run.plan().clone(),
        env: env.clone(),
        namespace: parent.namespace.clone(),
        nested: parent.nested,
        parents: parent.parents.clone(),
        answers: parent.answers.clone(),
        above,
        requests: Requests::default(),
    });
    let mut driver = Driver {
        graph,
        env,
        info: Listening(info),
        spawned: None,
        handles: Handles::default(),
        starting: Vec::new(),
        step: None,
        span: LiveSpan::none(),
        measure: None,
        attempts: 0,
        running: Vec::new(),
        extras: None,
        slots: Slots::new(env.max_concurrency, &graph.plan).map(Box::new),
        write_behind: WriteBehind::default(),
        lines: Vec::new(),
        began,
    };
    let stop = driver.run(run).await;
    driver.finish(stop).await
}

/// After so many steps that never waited, a run lets others have their turn, so that an endless one
/// can be cancelled.
const ROUNDS: u32 = 64;

/// How to answer who called a task.
type Reply = oneshot::Sender<Result<Value, Halt>>;

enum Woken {
    Done(usize, Box<AttemptEnd>),
    Again(usize),
    /// The time has come that a suspended task waits for.
    Due(usize),
}

/// What the tasks of a run share, while their requests are read; when it is dropped, nobody reads them any more.
struct Listening(Arc<RunInfo>);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.requests.close();
    }
}

struct Driver<'a> {
    graph: &'a Arc<GraphInner>,
    env: &'a Arc<Env>,
    info: Listening,
    /// Tasks that wait for something; none in most runs.
    spawned: Option<JoinSet<Woken>>,
    /// How to end them before their time.
    handles: Handles,
    /// New tasks, until they are polled; kept for its room.
    starting: Vec<(usize, RunningAttempt)>,
    step: Option<i64>,
    span: LiveSpan,
    measure: Option<Box<StepMeasure>>,
    /// How many attempts of tasks were started.
    attempts: u64,
    /// The running attempt of each task of the step, by the task's number.
    running: Vec<Option<u64>>,
    /// None in most runs, and in a box so that those have no room for it.
    extras: Option<Box<Extras>>,
    /// Which tasks may run at once, if that is limited.
    slots: Option<Box<Slots>>,
    write_behind: WriteBehind<'a>,
    /// For the log: what was emitted since something was stored or awaited.
    lines: Vec<Line>,
    began: Option<Began>,
}

/// What few tasks of the step have, by the task's number.
#[derive(Default)]
struct Extras {
    /// What tasks that may be tried again remember.
    progress: HashMap<usize, TaskProgress>,
    /// Called tasks.
    bodies: HashMap<usize, TaskBody>,
    /// What the cache has for tasks that have not started.
    looked_up: HashMap<usize, LookedUp>,
    /// Where results are kept.
    keys: HashMap<usize, (CacheKey, Option<Duration>)>,
    /// Who waits for the result of a called task: the caller, and how to answer it.
    replies: HashMap<usize, Vec<(usize, Reply)>>,
}

/// A task that has not started, and what the cache has for it.
struct LookedUp {
    key: Result<CacheKey, Error>,
    found: Option<Vec<Write>>,
}

impl<'a> Driver<'a> {
    async fn run(&mut self, run: &mut Loop) -> Stop {
        let mut rounds: u32 = 0;
        loop {
            loop {
                let acting = match run.next_act() {
                    None => break,
                    Some(Act::Run(at)) => {
                        if self.env.stop.why().is_none() {
                            self.start(run, at).await;
                        }
                        continue;
                    }
                    Some(Act::Stop(stop)) => return stop,
                    Some(act) => self.act(run, act),
                };
                if let Err(error) = acting.await {
                    return Stop::Failed(error.at_thread(self.env.thread.as_ref()));
                }
            }
            if !self.lines.is_empty()
                && let Err(error) = self.log_lines().await
            {
                return Stop::Failed(error.at_thread(self.env.thread.as_ref()));
            }
            if let Some(began) = self.began.take()
                && let Err(error) = self.announce(began).await
            {
                return Stop::Failed(error.at_thread(self.env.thread.as_ref()));
            }
            if let Some(why) = self.env.stop.why() {
                // Few runs are ended so, and all would have room for it.
                return Box::pin(self.wind_down(run, why.clone())).await;
            }
            self.start_waiting(run).await;
            if !self.starting.is_empty() {
                self.poll_starting(run).await;
                rounds += 1;
                if rounds.is_multiple_of(ROUNDS) {
                    tokio::task::yield_now().await;
                }
            } else if let Some(stop) = self.wait(run).await {
                return stop;
            }
        }
    }

    /// Says that the run has begun, once that is stored.
    async fn announce(&mut self, began: Began) -> Result<(), Error> {
        self.write_behind.flush().await?;
        let _nobody_waits = began.send(());
        Ok(())
    }

    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn has room for its arguments twice, in every run"
    )]
    fn act(&mut self, run: &mut Loop, act: Act) -> impl Future<Output = Result<(), Error>> + Send {
        async move {
            match act {
                Act::Run(_) | Act::Stop(_) => {}
                Act::Wait(wait) => {
                    let delay = wait.delay + random_up_to(wait.jitter);
                    let waiting = async move {
                        tokio::time::sleep(delay).await;
                        Woken::Again(wait.task)
                    };
                    let handle = self.spawned.get_or_insert_default().spawn(waiting);
                    self.handles.add(handle, Weak::new());
                }
                Act::Commit(record) => {
                    let Some(reply) = self.commit(run, record) else {
                        return Ok(());
                    };
                    let wants_all = if run.config().durability == Durability::Async {
                        self.write_behind.push(PendingStore::Commit(reply)).await?;
                        self.write_behind.takes_wish()
                    } else {
                        reply.await? == NextRecord::Everything
                    };
                    if wants_all {
                        run.snapshot_next();
                    }
                }
                Act::Note(checkpoint, notes) => {
                    let Some(reply) = self.note(run, checkpoint, notes) else {
                        return Ok(());
                    };
                    if run.config().durability == Durability::Async {
                        self.write_behind.push(PendingStore::Other(reply)).await?;
                    } else {
                        reply.await?;
                    }
                }
                Act::Keep(at, writes) => {
                    let kept = self.extras.as_mut();
                    let kept = kept.and_then(|extras| extras.keys.remove(&at));
                    if let (Some((key, ttl)), Some(cache)) = (kept, &self.env.cache) {
                        let _not_kept = cache.put(key, writes, ttl).await;
                    }
                }
                Act::Emit(mut event) => {
                    self.clean(&mut event.kind);
                    if let Some(slow) = self.env.emit(*event) {
                        slow.await;
                    }
                }
                Act::Log(at, mut logged) => {
                    self.clean(&mut logged.event.kind);
                    self.lines.push((at, Entry::Event(logged)));
                }
            }
            Ok(())
        }
    }

    fn clean(&self, kind: &mut EventKind) {
        if let EventKind::Span(span) = kind {
            self.env.privacy.redact(span);
        }
    }

    /// Starts to store a step; nothing to wait for if there is no saver.
    fn commit(&mut self, run: &Loop, record: Arc<Record>) -> Option<MaybeReady<'a, NextRecord>> {
        let (saver, thread) = (self.env.saver.as_ref()?, self.env.thread.as_ref()?);
        let (thread, namespace) = (thread.clone(), run.config().parent.namespace.clone());
        let epoch = self.env.epoch;
        Some(self.with_events(|events| {
            saver.commit(Commit {
                thread,
                namespace,
                epoch,
                record,
                events,
            })
        }))
    }

    fn note(
        &mut self,
        run: &Loop,
        checkpoint: CheckpointId,
        notes: Vec<TaskNote>,
    ) -> Option<MaybeReady<'a, ()>> {
        let (saver, thread) = (self.env.saver.as_ref()?, self.env.thread.as_ref()?);
        let (thread, namespace) = (thread.clone(), run.config().parent.namespace.clone());
        let (epoch, durability) = (self.env.epoch, run.config().durability);
        Some(self.with_events(|events| {
            saver.note(Notes {
                thread,
                namespace,
                epoch,
                durability,
                checkpoint,
                notes,
                events,
            })
        }))
    }

    /// Calls the saver with what is to be logged.
    fn with_events<T>(&mut self, call: impl FnOnce(Vec<Logged>) -> T) -> T {
        match &self.env.log {
            None => call(Vec::new()),
            Some(log) => log.send(&mut self.lines, call),
        }
    }

    async fn log_lines(&mut self) -> Result<(), Error> {
        match &self.env.log {
            None => Ok(()),
            Some(log) => Ok(log.add(&mut self.lines).await?),
        }
    }

    /// Stores at once, after what is still on its way, whatever the run's durability.
    async fn store_now(&mut self, run: &Loop, acts: Vec<Act>) -> Result<(), Error> {
        self.write_behind.flush().await?;
        for act in acts {
            match act {
                Act::Commit(record) => {
                    if let Some(reply) = self.commit(run, record) {
                        reply.await?;
                    }
                }
                Act::Note(checkpoint, notes) => {
                    if let Some(reply) = self.note(run, checkpoint, notes) {
                        reply.await?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Waits for what is still being stored; a run is not over before that.
    async fn finish(&mut self, stop: Stop) -> Stop {
        let stored = self.write_behind.flush().await.map_err(Error::from);
        let logged = self.log_lines().await;
        match stored.and(logged) {
            Ok(()) => stop,
            Err(error) => Stop::Failed(error.at_thread(self.env.thread.as_ref())),
        }
    }

    fn step_info(&mut self, run: &Loop) -> StepInfo {
        let window = run.window();
        if self.step != Some(window.step) {
            self.step = Some(window.step);
            self.span = LiveSpan::step(&self.graph.plan.name, window.step);
            // The one before ends first.
            self.measure = None;
            self.measure = StepMeasure::begin(self.env, self.graph);
            if let Some(extras) = &mut self.extras {
                extras.progress.clear();
                extras.bodies.clear();
                extras.keys.clear();
                extras.looked_up.clear();
            }
            self.handles.clear();
            if let Some(slots) = &mut self.slots {
                slots.clear();
            }
        }
        let (resuming, replay) = run.child_flags();
        StepInfo {
            run: self.info.0.clone(),
            channels: run.state().channels.clone(),
            checkpoint: run.checkpoint(),
            window,
            resuming,
            replay: replay.cloned(),
        }
    }

    /// What the cache has for a task. Those after it are asked for along with it.
    async fn look_up(&mut self, run: &Loop, at: usize) -> Option<LookedUp> {
        let extras = self.extras.get_or_insert_default();
        if let Some(looked_up) = extras.looked_up.remove(&at) {
            return Some(looked_up);
        }
        let mut asked = Vec::new();
        let mut keys = Vec::new();
        for (at, task) in (at..).map_while(|at| Some((at, run.task(at)?))) {
            let Some(key) = cache_key(run, task, &self.graph.plan.name) else {
                continue;
            };
            let key = key.map(|key| key.of(&self.env.caller));
            if let Ok(key) = &key {
                asked.push(at);
                keys.push(key.clone());
            }
            extras.looked_up.insert(at, LookedUp { key, found: None });
        }
        let found = match &self.env.cache {
            Some(cache) if !keys.is_empty() => cache.get(keys).await.unwrap_or_default(),
            _ => Vec::new(),
        };
        for (at, found) in asked.iter().zip(found) {
            if let Some(looked_up) = extras.looked_up.get_mut(at) {
                looked_up.found = found;
            }
        }
        extras.looked_up.remove(&at)
    }

    /// Starts a task, or ends it with what the cache has for its input.
    async fn start(&mut self, run: &mut Loop, at: usize) {
        let step = self.step_info(run);
        let has_policy = run.task(at).is_some_and(|task| task.cache.is_some());
        let looked_up = match has_policy {
            true => Box::pin(self.look_up(run, at)).await,
            false => None,
        };
        match looked_up {
            Some(LookedUp {
                found: Some(writes),
                ..
            }) => self.cached(run, at, writes),
            looked_up => self.launch(run, at, step, looked_up.map(|it| it.key)),
        }
    }

    fn launch(
        &mut self,
        run: &mut Loop,
        at: usize,
        step: StepInfo,
        key: Option<Result<CacheKey, Error>>,
    ) {
        let Some(task) = run.task(at) else { return };
        if let Some(slots) = &mut self.slots
            && !slots.admit(at, task)
        {
            return;
        }
        if let Some(Ok(key)) = &key {
            let ttl = task.cache.as_ref().and_then(|policy| policy.ttl);
            let extras = self.extras.get_or_insert_default();
            extras.keys.insert(at, (key.clone(), ttl));
        }
        let known = self.extras.as_mut();
        let known = known.and_then(|extras| extras.progress.remove(&at));
        let progress = match known {
            Some(mut progress) => {
                progress.rewind(self.env.fidelity);
                progress
            }
            None => TaskProgress {
                answers: TaskAnswers::new(&task.note),
                journal: Journal::of(&task.note),
                ..TaskProgress::default()
            },
        };
        self.attempts += 1;
        let serial = self.attempts;
        let attempt = Attempt { at, serial };
        if self.running.len() <= at {
            self.running.resize(at + 1, None);
        }
        if let Some(running) = self.running.get_mut(at) {
            *running = Some(serial);
        }
        let timed = task.timeouts.run.is_some() || task.timeouts.idle.is_some();
        let ctx = DynCtx(Arc::new(CtxInner {
            task: attempt,
            node: task.node,
            name: task.name.clone(),
            key: task.key.clone(),
            home: run.caller_of(task),
            input: task.input.clone(),
            attempt: task.failures + 1,
            progress: Mutex::new(progress),
            heartbeat: timed.then(|| Heartbeat::new(task.timeouts.refresh == Refresh::Auto)),
            step,
        }));
        let span = self.span.task(&ctx);
        let body = self.extras.as_ref();
        let body = body.and_then(|extras| extras.bodies.get(&at));
        let future: BoxFuture<'static, Result<Output, Halt>> = {
            let _entered = span.enter();
            match (key, body) {
                (Some(Err(error)), _) => Box::pin(std::future::ready(Err(Halt::Error(error)))),
                (_, Some(body)) => guarded(|| call_body(body, ctx.clone())),
                (_, None) => match self.graph.node(task.node) {
                    Some(node) => guarded(|| node.run(ctx.clone())),
                    None => Box::pin(std::future::ready(Ok(Output::Nothing))),
                },
            }
        };
        let future = if timed {
            limited(future, ctx.clone(), task.timeouts)
        } else {
            future
        };
        let repeats = !task.retry.is_empty();
        if self.starting.capacity() == 0 {
            // Most steps have one task, and a list that grows by itself has room for four.
            self.starting.reserve_exact(1);
        }
        self.starting.push((
            at,
            RunningAttempt {
                future,
                began: self.measure.as_ref().map(|_| Instant::now()),
                ctx,
                repeats,
                span,
            },
        ));
    }

    fn cached(&mut self, run: &mut Loop, at: usize, writes: Vec<Write>) {
        run.cached(at, writes);
        self.answer_callers(run, at, None);
    }

    /// Polls new tasks once; those that wait for something are spawned.
    async fn poll_starting(&mut self, run: &mut Loop) {
        let mut starting = std::mem::take(&mut self.starting);
        poll_fn(|cx| {
            for (at, mut running) in starting.drain(..) {
                match Pin::new(&mut running).poll(cx) {
                    Poll::Ready(ended) => {
                        // The last task to end must leave nobody who holds the state.
                        drop(running);
                        self.ended(run, at, ended);
                    }
                    Poll::Pending => {
                        let spawned = self.spawned.get_or_insert_default();
                        let ctx = Arc::downgrade(&running.ctx.0);
                        let task = async move { Woken::Done(at, Box::new(running.await)) };
                        self.handles.add(spawned.spawn(task), ctx);
                    }
                }
            }
            Poll::Ready(())
        })
        .await;
        self.starting = starting;
    }

    fn ended(&mut self, run: &mut Loop, at: usize, AttemptEnd { done, progress }: AttemptEnd) {
        if let Some(progress) = progress {
            let extras = self.extras.get_or_insert_default();
            extras.progress.insert(at, *progress);
        }
        if self.env.stop.why().is_some() && done.result.is_err() {
            // It ended because the run does; it runs again when the thread resumes.
            return;
        }
        self.done(run, at, done);
    }

    fn done(&mut self, run: &mut Loop, at: usize, done: Done) {
        if let Some(running) = self.running.get_mut(at) {
            *running = None;
        }
        let error = match &done.result {
            Err(Halt::Error(error)) => Some(error.clone()),
            _ => None,
        };
        let suspension = match &done.result {
            Err(Halt::Suspended(suspension)) => Some(suspension.clone()),
            _ => None,
        };
        run.done(at, done);
        if let Some(until) = suspension.as_ref().and_then(|it| it.until)
            && !run.has_stopped()
        {
            self.wake_at(at, until);
        }
        let called = self.extras.as_ref();
        if called.is_some_and(|extras| extras.replies.contains_key(&at)) {
            let halt = error.map(Halt::Error);
            let halt = halt.or(suspension.map(Halt::Suspended));
            self.answer_callers(run, at, halt);
        }
        if let Some(slots) = &mut self.slots {
            slots.leave(at);
        }
    }

    /// Wakes a suspended task at a time, if others of its step still run then.
    fn wake_at(&mut self, at: usize, time: UnixMillis) {
        let clock = self.env.clock.clone();
        let waiting = async move {
            until(&*clock, time).await;
            Woken::Due(at)
        };
        let handle = self.spawned.get_or_insert_default().spawn(waiting);
        self.handles.add(handle, Weak::new());
    }

    /// Starts tasks that waited for others to end.
    async fn start_waiting(&mut self, run: &mut Loop) {
        while let Some(at) = self.slots.as_mut().and_then(|slots| slots.next()) {
            self.start(run, at).await;
        }
    }

    fn wait_for_call(&mut self, by: usize, at: usize, reply: Reply) {
        let extras = self.extras.get_or_insert_default();
        extras.replies.entry(at).or_default().push((by, reply));
        if let Some(slots) = &mut self.slots {
            slots.calls(by, at);
        }
    }

    /// Sends the callers of a task its result, unless it is tried again.
    fn answer_callers(&mut self, run: &Loop, at: usize, halt: Option<Halt>) {
        let Some(task) = run.task(at) else { return };
        let result = match (task.returned(), halt) {
            (Some(value), _) => Ok(value),
            (None, Some(halt)) if !task.is_running() => Err(halt),
            _ => return,
        };
        let replies = self.extras.as_mut();
        let replies = replies.and_then(|extras| extras.replies.remove(&at));
        for (by, reply) in replies.into_iter().flatten() {
            if let Some(slots) = &mut self.slots {
                slots.called(by);
            }
            let copy = match &result {
                Ok(value) => Ok(value.clone()),
                Err(Halt::Error(error)) => Err(Halt::Error(error.clone())),
                Err(Halt::Suspended(suspension)) => Err(Halt::Suspended(suspension.clone())),
                Err(Halt::Parent(command)) => Err(Halt::Parent(command.clone())),
            };
            let _gone = reply.send(copy);
        }
    }

    async fn wait(&mut self, run: &mut Loop) -> Option<Stop> {
        tokio::select! {
            biased;
            error = poll_fn(|cx| self.write_behind.poll_failure(cx)) => {
                let error = Error::from(error).at_thread(self.env.thread.as_ref());
                return Some(Stop::Failed(error));
            }
            request = poll_fn(|cx| self.info.0.requests.poll_next(cx)) => {
                // Few tasks request anything, and every run would have room for it.
                return Box::pin(self.request(run, request)).await;
            }
            // What is to be done about it is found out in the next round.
            () = self.env.stop.sent() => {}
            Some(woken) = async { self.spawned.as_mut()?.join_next().await } => match woken {
                Ok(Woken::Done(at, ended)) => self.ended(run, at, *ended),
                Ok(Woken::Again(at)) => self.start(run, at).await,
                Ok(Woken::Due(at)) if run.wake(at) => self.start(run, at).await,
                Ok(Woken::Due(_)) => {}
                Err(_aborted) => {}
            },
        }
        None
    }

    /// Whether an attempt still runs. Its number may be that of another task by now.
    fn is_running(&self, Attempt { at, serial }: Attempt) -> bool {
        self.running.get(at).copied().flatten() == Some(serial)
    }

    async fn request(&mut self, run: &mut Loop, request: Box<Request>) -> Option<Stop> {
        let (Request::Journal { task, .. }
        | Request::Anchor { task, .. }
        | Request::HasTwin { task, .. }
        | Request::Call { by: task, .. }) = &*request;
        if !self.is_running(*task) {
            // The reply is dropped, which the sender sees.
            return None;
        }
        match *request {
            Request::Journal {
                task,
                key,
                effect,
                answers,
                reply,
            } => {
                let acts = run.journal(task.at, key, effect, answers);
                return self.store_for(run, acts, reply).await;
            }
            Request::Anchor { task: _, reply } => {
                let acts = run.anchor();
                return self.store_for(run, acts, reply).await;
            }
            Request::HasTwin { task, reply } => {
                let _gone = reply.send(run.has_twin(task.at));
            }
            Request::Call {
                by,
                n,
                spec,
                body,
                reply,
            } => match run.call(by.at, n, spec) {
                Some(Called::Finished(value)) => {
                    let _gone = reply.send(Ok(value));
                }
                Some(Called::Run(at)) => {
                    let extras = self.extras.get_or_insert_default();
                    extras.bodies.insert(at, body);
                    self.wait_for_call(by.at, at, reply);
                    self.start(run, at).await;
                }
                Some(Called::Running(at)) => self.wait_for_call(by.at, at, reply),
                None => drop(reply),
            },
        }
        None
    }

    /// Stores what a task waits for. A failure ends the run, whatever the task would make of it:
    /// what is on its way may still arrive, and only another lease keeps it out.
    async fn store_for(
        &mut self,
        run: &Loop,
        acts: Vec<Act>,
        reply: oneshot::Sender<()>,
    ) -> Option<Stop> {
        match self.store_now(run, acts).await {
            Ok(()) => {
                let _gone = reply.send(());
                None
            }
            Err(error) => Some(Stop::Failed(error.at_thread(self.env.thread.as_ref()))),
        }
    }
}

/// The key of a task whose results are kept.
fn cache_key(run: &Loop, task: &Task, graph: &Arc<str>) -> Option<Result<CacheKey, Error>> {
    let policy = task.cache.as_ref()?;
    let owner: Arc<str> = match task.key {
        TaskKey::Call(..) => format!("task {}", task.name).into(),
        _ => format!("{graph}/{}", task.name).into(),
    };
    let input = run.input_value(task);
    Some(match &policy.key {
        None => Ok(CacheKey::new(owner, &input)),
        Some(key) => match key(&input) {
            Ok(input) => Ok(CacheKey::new(owner, &input)),
            Err(failure) => Err(failure.into()),
        },
    })
}

fn random_up_to(most: Duration) -> Duration {
    if most.is_zero() {
        return most;
    }
    let share = RandomState::new().hash_one(0_u8) as f64 / u64::MAX as f64;
    most.mul_f64(share)
}
