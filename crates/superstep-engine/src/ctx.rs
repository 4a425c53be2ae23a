//! What a running task can see and do: read state, ask, emit, journal, call tasks and graphs.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use superstep_core::{
    ask::{Answers, Ask},
    board::Board,
    checkpoint::Parents,
    command::Output,
    error::ErrorKind,
    event::{Event, EventKind, Told},
    id::{AskId, CheckpointId, Namespace, TaskId, ThreadId},
    plan::{Plan, ReadKey, route::Window},
    policy::{CachePolicy, RetryPolicy, Timeouts},
    record::{Effect, StoredError, TaskKey},
    run::{
        EffectError, Halt, Nest, Replay, RunInput, TaskInput,
        settle::CallSpec,
        task::{input_value, task_id},
    },
    saver::BoxFuture,
    table::NodeIx,
    value::Value,
};
use tokio::{sync::oneshot, time::Instant};

use crate::{env::Env, graph::Graph, mailbox::Mailbox, store::Store};

/// What all tasks of one graph's run share.
pub(crate) struct RunInfo {
    pub(crate) plan: Arc<Plan>,
    pub(crate) env: Arc<Env>,
    pub(crate) namespace: Namespace,
    pub(crate) nested: bool,
    pub(crate) parents: Parents,
    pub(crate) answers: Answers,
    pub(crate) above: Option<Above>,
    pub(crate) requests: Mailbox,
}

/// The graph whose task runs another one, and that task.
#[derive(Clone)]
pub(crate) struct Above {
    pub(crate) run: Arc<RunInfo>,
    pub(crate) task: Attempt,
}

/// One attempt of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// The number of the task in its step. Tasks of later steps have the same numbers.
    pub(crate) at: usize,
    /// Counts the attempts of all tasks of the graph's run.
    pub(crate) serial: u64,
}

impl RunInfo {
    /// Stores the graphs above up to where they are, so that a run that starts again finds its way
    /// to what this one stores.
    async fn anchor(&self) -> Result<(), Halt> {
        let above: Vec<_> =
            std::iter::successors(self.above.as_ref(), |above| above.run.above.as_ref()).collect();
        for Above { run, task } in above.into_iter().rev() {
            let task = *task;
            run.stored(|reply| Request::Anchor { task, reply }).await?;
        }
        Ok(())
    }

    /// Has something stored by the run, and waits for it. A run that has ended, or in which the
    /// task has, stores nothing.
    async fn stored(
        &self,
        request: impl FnOnce(oneshot::Sender<()>) -> Request,
    ) -> Result<(), Halt> {
        let (reply, answer) = oneshot::channel();
        let sent = self.requests.send(request(reply));
        sent.map_err(|_closed| ErrorKind::TaskEnded)?;
        answer.await.map_err(|_dropped| ErrorKind::TaskEnded.into())
    }
}

/// What the tasks of one step share. Every task has its own, so that nobody holds the board when
/// the last of them ends: the step's writes then go in place.
pub(crate) struct StepInfo {
    pub(crate) run: Arc<RunInfo>,
    pub(crate) board: Arc<dyn Board>,
    pub(crate) checkpoint: CheckpointId,
    pub(crate) window: Window,
    pub(crate) resuming: Option<bool>,
    pub(crate) replay: Option<Replay>,
}

impl std::ops::Deref for StepInfo {
    type Target = RunInfo;

    fn deref(&self) -> &RunInfo {
        &self.run
    }
}

/// What a running task wants from the run.
pub(crate) enum Request {
    Call {
        by: Attempt,
        n: u32,
        spec: CallSpec,
        body: TaskBody,
        reply: oneshot::Sender<Result<Value, Halt>>,
    },
    Journal {
        task: Attempt,
        key: String,
        effect: Effect,
        answers: Vec<Value>,
        reply: oneshot::Sender<()>,
    },
    Anchor {
        task: Attempt,
        reply: oneshot::Sender<()>,
    },
}

/// The function of a called task.
pub type TaskBody =
    Arc<dyn Fn(Ctx, Vec<Value>) -> BoxFuture<'static, Result<Value, Halt>> + Send + Sync>;

/// A task's own memory over its attempts.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) answers: Vec<Value>,
    /// How many of them this attempt has used.
    pub(crate) used: usize,
    pub(crate) open: Vec<Ask>,
    pub(crate) effects: BTreeMap<String, Effect>,
    pub(crate) fresh_effects: Vec<(String, Effect)>,
    /// The keys of the effects of this attempt.
    pub(crate) keys: BTreeSet<String>,
    pub(crate) streamed: Vec<String>,
    pub(crate) graphs: u32,
    pub(crate) calls: u32,
    pub(crate) spans: u32,
    /// The attempt is over: whatever still has its context can do nothing with it.
    pub(crate) ended: bool,
}

impl Scratch {
    /// Ends the attempt, and gives what the next one must know.
    pub(crate) fn end(&mut self) -> Self {
        let ended = Self {
            ended: true,
            ..Self::default()
        };
        std::mem::replace(self, ended)
    }
}

pub(crate) struct CtxInner {
    pub(crate) step: StepInfo,
    pub(crate) task: Attempt,
    pub(crate) node: NodeIx,
    pub(crate) name: Arc<str>,
    pub(crate) key: TaskKey,
    /// The namespace a called task stands in; others stand in their graph's.
    pub(crate) home: Option<Namespace>,
    pub(crate) input: TaskInput,
    pub(crate) attempt: u32,
    pub(crate) scratch: Mutex<Scratch>,
    pub(crate) pulse: Option<Pulse>,
}

/// When a task last gave a sign of life.
pub(crate) struct Pulse {
    start: Instant,
    last: AtomicU64,
    auto: bool,
}

impl Pulse {
    pub(crate) fn new(auto: bool) -> Self {
        Self {
            start: Instant::now(),
            last: AtomicU64::new(0),
            auto,
        }
    }

    fn beat(&self) {
        let micros = u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last.store(micros, Ordering::Relaxed);
    }

    pub(crate) fn silence(&self) -> Duration {
        let last = Duration::from_micros(self.last.load(Ordering::Relaxed));
        self.start.elapsed().saturating_sub(last)
    }
}

/// The context of one running task; cheap to clone.
#[derive(Clone)]
pub struct Ctx(pub(crate) Arc<CtxInner>);

/// What to do about an effect that was started and may have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// Say so.
    Report,
    /// Run it again: its target tells repetitions by their key.
    Repeat,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ctx {
    /// What the task gets: the state as its node reads it, or a send's argument.
    pub fn input(&self) -> Value {
        let step = &self.0.step;
        input_value(
            &step.plan,
            &*step.board,
            step.window,
            self.0.node,
            &self.0.input,
        )
    }

    /// One key of what the task gets.
    pub fn get(&self, key: &str) -> Value {
        match &self.0.input {
            TaskInput::State => {
                let step = &self.0.step;
                let found = step.plan.nodes.row(self.0.node).reads.key(&step.plan, key);
                match found {
                    Some(ReadKey::Channel(channel)) => step.board.get(*channel).unwrap_or_default(),
                    Some(ReadKey::Managed(_, managed)) => step.window.managed(*managed),
                    None => Value::Null,
                }
            }
            _ => self.input().get(key).cloned().unwrap_or_default(),
        }
    }

    /// One key of what the task gets, as a Rust value.
    pub fn read<T: serde::de::DeserializeOwned>(&self, key: &str) -> Result<T, Halt> {
        serde_json::from_value(self.get(key).to_json()).map_err(|error| {
            let what = format!("key `{key}`");
            let why = error.to_string();
            ErrorKind::Decode { what, why }.into()
        })
    }

    /// The arguments of a called task.
    pub fn args(&self) -> &[Value] {
        match &self.0.input {
            TaskInput::Call(args) => args,
            _ => &[],
        }
    }

    /// In an error handler: the node that failed and its error.
    pub fn error(&self) -> Option<(&Arc<str>, &StoredError)> {
        match &self.0.input {
            TaskInput::Failed(_, error, node) => Some((node, error)),
            _ => None,
        }
    }

    /// The state when the step began.
    pub fn board(&self) -> &Arc<dyn Board> {
        &self.0.step.board
    }

    /// What an entrypoint saved in the run before.
    pub fn previous(&self) -> Value {
        let step = &self.0.step;
        step.plan
            .previous
            .and_then(|ix| step.board.get(ix))
            .unwrap_or_default()
    }

    /// The caller's context of the run.
    pub fn context(&self) -> &Value {
        &self.0.step.env.context
    }

    /// The node's name.
    pub fn node(&self) -> &Arc<str> {
        &self.0.name
    }

    /// The thread, if the run has one.
    pub fn thread(&self) -> Option<&ThreadId> {
        self.0.step.env.thread.as_ref()
    }

    /// The step.
    pub fn step(&self) -> i64 {
        self.0.step.window.step
    }

    /// Which attempt this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.0.attempt
    }

    /// The task's id: equal on every attempt, after a crash too.
    pub fn task_id(&self) -> TaskId {
        let CtxInner {
            step, key, name, ..
        } = &*self.0;
        task_id(
            &step.plan,
            &step.namespace,
            step.checkpoint,
            step.window.step,
            key,
            name,
        )
    }

    /// The long-term store.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.beat_if_auto();
        self.0.step.env.store.as_ref()
    }

    fn home(&self) -> &Namespace {
        self.0.home.as_ref().unwrap_or(&self.0.step.namespace)
    }

    fn namespace(&self) -> Namespace {
        self.home().task(&self.0.name, self.task_id())
    }

    /// What the attempt remembers, while it goes on.
    fn scratch(&self) -> Result<MutexGuard<'_, Scratch>, Halt> {
        let scratch = lock(&self.0.scratch);
        match scratch.ended {
            true => Err(ErrorKind::TaskEnded.into()),
            false => Ok(scratch),
        }
    }

    /// Whether the attempt goes on; an error if it has ended.
    pub(crate) fn alive(&self) -> Result<(), Halt> {
        self.scratch().map(drop)
    }

    /// Asks a question. Returns the answer once there is one; until then the error ends the task,
    /// and the run reports the question.
    pub fn ask(&self, question: impl Into<Value>) -> Result<Value, Halt> {
        self.ask_with(question.into(), None)
    }

    /// Asks a question and tells clients the JSON schema of the answer.
    pub fn ask_with(&self, question: Value, schema: Option<Value>) -> Result<Value, Halt> {
        let mut scratch = self.scratch()?;
        if let Some(answer) = scratch.answers.get(scratch.used).cloned() {
            scratch.used += 1;
            return Ok(answer);
        }
        if let Some(answer) = self.0.step.answers.take_next() {
            scratch.answers.push(answer.clone());
            scratch.used += 1;
            return Ok(answer);
        }
        let id = AskId::of(&self.namespace(), scratch.answers.len());
        let ask = Ask {
            id,
            value: question,
            schema,
            kind: None,
        };
        scratch.open.push(ask.clone());
        Err(Halt::Asked(vec![ask]))
    }

    /// Asks a question whose answer has a type. An answer of another type is given back: the
    /// question stays open.
    pub(crate) fn ask_as<T>(
        &self,
        kind: &'static str,
        question: impl FnOnce() -> Result<Value, Halt>,
        decode: impl FnOnce(Value) -> Result<T, String>,
    ) -> Result<T, Halt> {
        let ask = |value, at| Ask {
            id: AskId::of(&self.namespace(), at),
            value,
            schema: None,
            kind: Some(kind.into()),
        };
        let mut scratch = self.scratch()?;
        let given = scratch.answers.get(scratch.used).cloned();
        let answer = given.or_else(|| {
            let next = self.0.step.answers.take_next();
            scratch.answers.extend(next.clone());
            next
        });
        if let Some(answer) = answer {
            let why = match decode(answer) {
                Ok(decoded) => {
                    scratch.used += 1;
                    return Ok(decoded);
                }
                Err(why) => why,
            };
            let used = scratch.used;
            scratch.answers.truncate(used);
            return Err(Halt::from(ErrorKind::BadAnswer {
                kind: kind.to_owned(),
                why,
                asked: Some(Box::new(ask(question()?, used))),
            }));
        }
        let ask = ask(question()?, scratch.answers.len());
        scratch.open.push(ask.clone());
        Err(Halt::Asked(vec![ask]))
    }

    /// Passes data to readers of the run's `custom` events.
    pub async fn emit(&self, data: impl Into<Value>) {
        self.beat_if_auto();
        self.tell(EventKind::Custom(data.into())).await;
    }

    /// Passes a message, or a piece of one, to readers of `messages` events.
    pub async fn emit_message(&self, message: Value) {
        self.beat_if_auto();
        if let Some(id) = superstep_core::message::id(&message) {
            let mut scratch = lock(&self.0.scratch);
            // Pieces of one message come one after the other; its id is kept once.
            if scratch.streamed.last().is_none_or(|last| last != id) {
                scratch.streamed.push(id.to_owned());
            }
        }
        let node = self.0.name.clone();
        self.tell(EventKind::Message { message, node }).await;
    }

    pub(crate) async fn tell(&self, kind: EventKind) {
        let step = &self.0.step;
        let shows = step.env.reads(step.nested, kind.mode());
        let log = step.env.log.as_ref();
        let log = log.filter(|log| log.modes.has(kind.mode()));
        // What outlives its task is not heard.
        if !shows && log.is_none() || self.alive().is_err() {
            return;
        }
        let event = Event {
            namespace: self.home().clone(),
            step: step.window.step,
            kind,
        };
        if let Some(log) = log {
            let told = Told {
                event: event.clone(),
                below: step.nested,
                state: None,
            };
            // A graph that is not stored has no checkpoint to belong to but those above it.
            let above = step.parents.values().max().copied();
            let checkpoint = match step.env.saver {
                Some(_) => Some(step.checkpoint),
                None => above,
            };
            log.tell(told, checkpoint).await;
        }
        if shows {
            step.env.emit(event).await;
        }
    }

    /// Tells an idle limit that the task is alive.
    pub fn heartbeat(&self) {
        if let Some(pulse) = &self.0.pulse {
            pulse.beat();
        }
    }

    pub(crate) fn beat_if_auto(&self) {
        if let Some(pulse) = &self.0.pulse
            && pulse.auto
        {
            pulse.beat();
        }
    }

    /// Asks the run to stop after this step.
    pub fn drain(&self, reason: impl Into<String>) {
        self.0.step.env.drain.request(reason);
    }

    /// Runs an effect at most once per task: journaled as started before and as done after, so
    /// that another attempt gets the result back.
    ///
    /// An error of the effect leaves its outcome unknown, as a crash does: the request may have
    /// arrived although no answer came. That is reported (SS1202), by this attempt and by every
    /// later one, and never followed by a silent second try; `Graph::settle` records what somebody
    /// found out. Only [`EffectError::not_done`] says that nothing happened, and that another
    /// attempt may try again.
    ///
    /// The key names the effect within its task. Another attempt that uses it means the same
    /// effect; a second effect of one attempt needs another key (SS3050).
    ///
    /// ```
    /// # use superstep_core::run::{EffectError, Halt};
    /// # use superstep_engine::Ctx;
    /// # struct Bank;
    /// # impl Bank {
    /// #     async fn connect() -> Result<Self, std::io::Error> { Ok(Self) }
    /// #     async fn transfer(&self, _: i64) -> Result<u64, std::io::Error> { Ok(42) }
    /// # }
    /// # async fn node(ctx: Ctx) -> Result<(), Halt> {
    /// let transfer = || async {
    ///     // No connection, no transfer: safe to try again.
    ///     let bank = Bank::connect().await.map_err(EffectError::not_done)?;
    ///     // No answer is no proof that nothing happened: `?` leaves the outcome unknown.
    ///     Ok(bank.transfer(100).await?)
    /// };
    /// let receipt: u64 = ctx.once("transfer", transfer).await?;
    /// # drop(receipt); Ok(()) }
    /// ```
    pub async fn once<T, F, Fut>(&self, key: &str, effect: F) -> Result<T, Halt>
    where
        T: serde::Serialize + serde::de::DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, EffectError>>,
    {
        self.effect(key, Unknown::Report, effect).await
    }

    /// [`Ctx::once`], for effects that may be repeated too.
    pub(crate) async fn effect<T, F, Fut>(
        &self,
        key: &str,
        unknown: Unknown,
        effect: F,
    ) -> Result<T, Halt>
    where
        T: serde::Serialize + serde::de::DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, EffectError>>,
    {
        let known = {
            let mut scratch = self.scratch()?;
            if !scratch.keys.insert(key.to_owned()) {
                let key = key.to_owned();
                return Err(ErrorKind::EffectKeyReused { key }.into());
            }
            scratch.effects.get(key).cloned()
        };
        let unclear = |cause| {
            let key = key.to_owned();
            Halt::from(ErrorKind::UnknownOutcome { key, cause })
        };
        match known {
            Some(Effect::Done(value)) => return decode_effect(key, value),
            Some(Effect::Started) if unknown == Unknown::Report => return Err(unclear(None)),
            // Its start is on record already.
            Some(Effect::Started) => {}
            Some(Effect::Failed) | None => self.journal(key, Effect::Started).await?,
        }
        // Its start is stored, which may have taken longer than the attempt.
        self.alive()?;
        let done = effect().await.and_then(|result| {
            let value = serde_json::to_value(&result)?;
            Ok((result, value))
        });
        match done {
            Ok((result, value)) => {
                self.journal(key, Effect::Done(value.into())).await?;
                Ok(result)
            }
            Err(error) if error.is_not_done() => {
                self.journal(key, Effect::Failed).await?;
                Err(error.into_halt())
            }
            Err(error) => match unknown {
                Unknown::Report => Err(unclear(Some(error.to_string()))),
                Unknown::Repeat => Err(error.into_halt()),
            },
        }
    }

    async fn journal(&self, key: &str, effect: Effect) -> Result<(), Halt> {
        let answers = {
            let mut scratch = self.scratch()?;
            match &effect {
                Effect::Failed => scratch.effects.remove(key),
                kept => scratch.effects.insert(key.to_owned(), kept.clone()),
            };
            scratch.fresh_effects.push((key.to_owned(), effect.clone()));
            scratch.answers.iter().take(scratch.used).cloned().collect()
        };
        let run = &self.0.step.run;
        if run.env.saver.is_none() {
            return Ok(());
        }
        if effect == Effect::Started {
            run.anchor().await?;
        }
        run.stored(|reply| Request::Journal {
            task: self.0.task,
            key: key.to_owned(),
            effect,
            answers,
            reply,
        })
        .await
    }

    /// Starts a task of this task; await what it returns. It runs once: another attempt of the
    /// caller gets the stored result of its n-th call.
    pub fn call(&self, task: &CallTask, args: Vec<Value>) -> Calling {
        self.beat_if_auto();
        let (reply, answer) = oneshot::channel();
        let Ok(mut scratch) = self.scratch() else {
            return Calling(answer);
        };
        let n = scratch.calls;
        scratch.calls += 1;
        drop(scratch);
        let spec = CallSpec {
            name: task.name.clone(),
            args,
            retry: task.retry.clone(),
            cache: task.cache.clone(),
            timeouts: task.timeouts,
        };
        let body = task.body.clone();
        let _ended = self.0.step.requests.send(Request::Call {
            by: self.0.task,
            n,
            spec,
            body,
            reply,
        });
        Calling(answer)
    }

    /// Runs another graph as part of this task.
    pub async fn run_graph(
        &self,
        graph: &Graph,
        input: impl Into<Value>,
    ) -> Result<Option<Value>, Halt> {
        self.beat_if_auto();
        graph.run_nested(self, RunInput::from(input.into())).await
    }

    /// Where the next graph of this task stands.
    pub(crate) fn next_nest(&self) -> Nest {
        let step = &self.0.step;
        let n = {
            let mut scratch = lock(&self.0.scratch);
            scratch.graphs += 1;
            scratch.graphs - 1
        };
        let mut parents = step.parents.clone();
        if step.env.saver.is_some() {
            Arc::make_mut(&mut parents).insert(step.namespace.clone(), step.checkpoint);
        }
        Nest {
            namespace: self.namespace().call(n),
            nested: true,
            resuming: step.resuming,
            replay: step.replay.clone(),
            parents,
            answers: step.answers.clone(),
        }
    }
}

fn decode_effect<T: serde::de::DeserializeOwned>(key: &str, value: Value) -> Result<T, Halt> {
    serde_json::from_value(value.to_json()).map_err(|error| {
        let what = format!("the stored result of effect `{key}`");
        ErrorKind::Decode {
            what,
            why: error.to_string(),
        }
        .into()
    })
}

/// A task that nodes and entrypoints can call.
#[derive(Clone)]
pub struct CallTask {
    /// Its name.
    pub name: Arc<str>,
    /// Its function.
    pub body: TaskBody,
    /// Retries.
    pub retry: Vec<RetryPolicy>,
    /// Result cache.
    pub cache: Option<CachePolicy>,
    /// Limits.
    pub timeouts: Timeouts,
}

impl CallTask {
    /// A task from an async function of its context and arguments.
    pub fn new<F, Fut>(name: impl Into<Arc<str>>, body: F) -> Self
    where
        F: Fn(Ctx, Vec<Value>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, Halt>> + Send + 'static,
    {
        Self {
            name: name.into(),
            body: Arc::new(move |ctx, args| Box::pin(body(ctx, args))),
            retry: Vec::new(),
            cache: None,
            timeouts: Timeouts::default(),
        }
    }
}

/// A called task on its way.
#[derive(Debug)]
pub struct Calling(oneshot::Receiver<Result<Value, Halt>>);

impl Future for Calling {
    type Output = Result<Value, Halt>;

    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        std::pin::Pin::new(&mut self.0)
            .poll(cx)
            .map(|answer| match answer {
                Ok(result) => result,
                Err(_dropped) => Err(ErrorKind::TaskEnded.into()),
            })
    }
}

/// Turns the body of a called task into a node's result.
pub(crate) fn call_body(body: &TaskBody, ctx: Ctx) -> BoxFuture<'static, Result<Output, Halt>> {
    let args = ctx.args().to_vec();
    let running = body(ctx, args);
    Box::pin(async move {
        running.await.map(|value| Output::Final {
            value,
            save: Value::Null,
        })
    })
}
