//! The tokio shell around the loop: runs tasks, stores, streams; nothing is decided here.
//!
//! A task's future is polled once in place; only what is not ready then is spawned. Dropping the
//! run drops or aborts everything it started.

use std::{
    any::Any,
    collections::HashMap,
    future::{Future, poll_fn},
    hash::{BuildHasher, RandomState},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use superstep_core::{
    command::Output,
    error::{Error, ErrorKind, Limit},
    id::CheckpointId,
    policy::Refresh,
    record::{Record, TaskKey, TaskNote},
    run::{Act, Done, Durability, Halt, Loop, Stop, Task, settle::Called},
    saver::{BoxFuture, Commit, NextRecord, Notes, Reply},
    value::Value,
};
use tokio::{sync::oneshot, task::JoinSet};

use crate::{
    behind::{Behind, Store},
    cache::CacheKey,
    ctx::{Ctx, CtxInner, Pulse, Request, RunInfo, Scratch, StepInfo, TaskBody, call_body, lock},
    env::Env,
    graph::GraphInner,
    mailbox::{Inbox, Mailbox},
};

/// Drives one graph of a run to its end.
pub(crate) async fn drive(run: &mut Loop, graph: &Arc<GraphInner>, env: &Arc<Env>) -> Stop {
    let (requests, inbox) = Mailbox::new();
    let nest = &run.config().nest;
    let info = Arc::new(RunInfo {
        plan: run.plan().clone(),
        env: env.clone(),
        namespace: nest.namespace.clone(),
        nested: nest.nested,
        parents: nest.parents.clone(),
        answers: nest.answers.clone(),
        requests,
    });
    let mut shell = Shell {
        graph,
        env,
        info,
        inbox,
        spawned: None,
        starting: Vec::new(),
        ready: Vec::new(),
        step: None,
        scratches: HashMap::new(),
        bodies: HashMap::new(),
        keys: HashMap::new(),
        replies: HashMap::new(),
        behind: Behind::default(),
    };
    let stop = shell.run(run).await;
    shell.finish(stop).await
}

/// After so many steps that never waited, a run lets others have their turn, so that an endless one
/// can be cancelled.
const ROUNDS: u32 = 64;

enum Woken {
    Done(usize, Box<Ended>),
    Again(usize),
}

struct Shell<'a> {
    graph: &'a Arc<GraphInner>,
    env: &'a Arc<Env>,
    info: Arc<RunInfo>,
    inbox: Inbox,
    /// Tasks that wait for something; none in most runs.
    spawned: Option<JoinSet<Woken>>,
    starting: Vec<(usize, Running)>,
    /// Empty between uses; kept for its room, as is `starting`.
    ready: Vec<(usize, Ended)>,
    step: Option<i64>,
    /// What tasks that may be tried again in this step remember.
    scratches: HashMap<usize, Scratch>,
    bodies: HashMap<usize, TaskBody>,
    keys: HashMap<usize, (CacheKey, Option<Duration>)>,
    replies: HashMap<usize, Vec<oneshot::Sender<Result<Value, Halt>>>>,
    behind: Behind<'a>,
}

impl<'a> Shell<'a> {
    async fn run(&mut self, run: &mut Loop) -> Stop {
        let mut rounds: u32 = 0;
        loop {
            while let Some(act) = run.next_act() {
                let act = match act {
                    Act::Run(at) => {
                        self.start(run, at);
                        continue;
                    }
                    Act::Stop(stop) => return stop,
                    other => other,
                };
                if let Err(error) = self.act(run, act).await {
                    return Stop::Failed(error.at_thread(self.env.thread.as_ref()));
                }
            }
            if !self.starting.is_empty() {
                self.poll_starting(run).await;
                rounds += 1;
                if rounds.is_multiple_of(ROUNDS) {
                    tokio::task::yield_now().await;
                }
            } else if let Err(error) = self.wait(run).await {
                return Stop::Failed(error.at_thread(self.env.thread.as_ref()));
            }
        }
    }

    async fn act(&mut self, run: &mut Loop, act: Act) -> Result<(), Error> {
        match act {
            Act::Run(_) | Act::Stop(_) => {}
            Act::Wait(wait) => {
                let delay = wait.delay + random_up_to(wait.jitter);
                self.spawned.get_or_insert_default().spawn(async move {
                    tokio::time::sleep(delay).await;
                    Woken::Again(wait.task)
                });
            }
            Act::Commit(record) => {
                let Some(reply) = self.commit(run, *record) else {
                    return Ok(());
                };
                let wants_all = if run.config().durability == Durability::Async {
                    self.behind.push(Store::Commit(reply)).await?;
                    self.behind.takes_wish()
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
                    self.behind.push(Store::Other(reply)).await?;
                } else {
                    reply.await?;
                }
            }
            Act::Keep(at, writes) => {
                if let (Some((key, ttl)), Some(cache)) = (self.keys.remove(&at), &self.env.cache) {
                    cache.put(key, writes, ttl);
                }
            }
            Act::Emit(event) => self.env.emit(*event).await,
        }
        Ok(())
    }

    /// Starts to store a step; nothing to wait for if there is no saver.
    fn commit(&self, run: &Loop, record: Record) -> Option<Reply<'a, NextRecord>> {
        let (saver, thread) = (self.env.saver.as_ref()?, self.env.thread.as_ref()?);
        Some(saver.commit(Commit {
            thread: thread.clone(),
            namespace: run.config().nest.namespace.clone(),
            epoch: self.env.epoch,
            record,
        }))
    }

    fn note(
        &self,
        run: &Loop,
        checkpoint: CheckpointId,
        notes: Vec<TaskNote>,
    ) -> Option<Reply<'a, ()>> {
        let (saver, thread) = (self.env.saver.as_ref()?, self.env.thread.as_ref()?);
        Some(saver.note(Notes {
            thread: thread.clone(),
            namespace: run.config().nest.namespace.clone(),
            epoch: self.env.epoch,
            durability: run.config().durability,
