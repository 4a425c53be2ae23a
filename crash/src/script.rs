//! Scripts: what people and programs do with a graph. They are idempotent: each act follows from the
//! state of the thread, so a new process resumes where the last one died.

mod queue;

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep_core::{
    ask::Ask,
    edit::Update,
    error::{Error, ErrorKind},
    id::{CheckpointId, GraphPath, ThreadId},
    policy::Durability,
    record::Effect,
    run::RunInput,
    saver::{HistoryQuery, Keep, Saver},
    snapshot::Snapshot,
    value::Value,
};
use superstep_engine::{CheckpointRef, DynGraph, RunOptions, input, state::Depth};

use crate::{
    Fallible,
    graphs::{CANCELLED, MENDED, Scene, receipt},
    line::Line,
    vfs,
    work_dir::{Target, WorkDir},
};

/// What becomes of a disk that has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DiskRecovery {
    /// It keeps to the plan.
    #[default]
    AsPlanned,
    /// It works again after the first error that was noticed.
    AfterError,
}

/// The thread all of it happens on.
pub const THREAD: &str = "t";
/// The copy that the chain is given at its end.
pub const COPY: &str = "copy";

/// The disk failed, or is full.
const DISK_ERRORS: [&str; 2] = ["SS2006", "SS2008"];

/// A graph on a saver in a work directory.
pub struct Session {
    /// Which graph.
    pub scene: Scene,
    /// The graph.
    pub graph: DynGraph,
    /// Its saver.
    pub saver: Arc<dyn Saver>,
    /// Its work directory.
    pub work_dir: WorkDir,
    /// How many disk errors a worker retries.
    pub retries: u32,
    /// What becomes of a disk that has failed.
    pub recovery: DiskRecovery,
    /// How durable runs are.
    pub durability: Durability,
    /// Whether all that was acknowledged to earlier processes must be there.
    pub keeps_all: bool,
}

/// What is done next.
enum Act {
    Run(RunInput, &'static str),
    Edit,
    Fork(CheckpointId),
    Prune,
    Copy,
    Nothing,
}

impl Session {
    /// Does all that is left to do.
    pub async fn play(&self) -> Fallible<()> {
        let mut retries = self.retries;
        loop {
            match self.play_on().await {
                Ok(()) => return Ok(()),
                Err(error) if DISK_ERRORS.contains(&error.code()) && retries > 0 => {
                    retries -= 1;
                    if self.recovery == DiskRecovery::AfterError {
                        vfs::heal();
                    }
                    self.work_dir
                        .append(&Line::Op(format!("failed: {error:?}")))?;
                }
                Err(error) => return Err(Box::new(error)),
            }
        }
    }

    async fn play_on(&self) -> Result<(), Error> {
        if self.scene == Scene::Queued {
            return self.play_queue().await;
        }
        // Far more than any script has; without it, a thread that makes no progress would loop forever.
        for _ in 0..200 {
            let snapshot = self.look(THREAD).await?;
            let done = match self.next(&snapshot).await? {
                Act::Nothing => return Ok(()),
                Act::Run(input, name) => {
                    self.run(input).await?;
                    name
                }
                Act::Edit => {
                    self.edit(None, json!({ "edited": true })).await?;
                    "edit"
                }
                Act::Fork(at) => {
                    let at = CheckpointRef::root(at);
                    let update = json!({ "edited": true, "forked": true });
                    self.edit(Some(&at), update).await?;
                    "fork"
                }
                Act::Prune => {
                    self.saver.prune(&THREAD.into(), Keep::Latest).await?;
                    "prune"
                }
                Act::Copy => {
                    self.saver.copy(&THREAD.into(), &COPY.into()).await?;
                    "copy"
                }
            };
            self.tell(&Line::Op(done.to_owned()))?;
        }
        let why = "the script does not end".to_owned();
        Err(ErrorKind::BadArgument { why }.into())
    }

    /// What is wrong with the runs on record when all is done.
    pub async fn violations(&self) -> Result<Vec<String>, Error> {
        match self.scene {
            Scene::Queued => self.wrong_runs().await,
            _ => Ok(Vec::new()),
        }
    }

    /// What is left when all is done, as text that can be compared.
    pub async fn result(&self) -> Result<String, Error> {
        if self.scene == Scene::Queued {
            return self.queue_result().await;
        }
        let mut threads = serde_json::Map::new();
        for thread in self.saver.threads().await? {
            let snapshot = self.look(thread.as_str()).await?;
            let next: Vec<&str> = snapshot.next.iter().map(|node| &**node).collect();
            let mut values = snapshot.values.to_json();
            if self.scene == Scene::Agent {
                without_ids(&mut values);
            }
            let shown = json!({ "values": values, "next": next });
            threads.insert(thread.to_string(), shown);
        }
        Ok(Json::Object(threads).to_string())
    }

    async fn look(&self, thread: &str) -> Result<Snapshot, Error> {
        self.graph.state(&thread.into(), None, Depth::Here).await
    }

    async fn next(&self, snapshot: &Snapshot) -> Result<Act, Error> {
        if snapshot.checkpoint.is_none() {
            return Ok(Act::Run(self.input(1), "start"));
        }
        // One at a time, so that the others are open over several runs.
        let text = |ask: &&Ask| ask.value.to_json().to_string();
        if let Some(ask) = snapshot.asks().min_by_key(text) {
            let answer = self.answer(ask)?;
            return Ok(Act::Run(input::answers([(ask.id, answer)]), "answer"));
        }
        if !snapshot.next.is_empty() {
            return Ok(Act::Run(input::go_on(), "go on"));
        }
        match self.scene {
            Scene::Chain => self.after_the_chain(snapshot).await,
            _ => Ok(Act::Nothing),
        }
    }

    /// What a person says to a question.
    fn answer(&self, ask: &Ask) -> Result<Value, Error> {
        let digest = ask.value.get("digest").map(Value::to_json);
        let said = match ask.kind.as_deref() {
            Some("tool_approval") => json!({ "type": "accept", "digest": digest }),
            Some("unknown_outcome") => {
                let text = |value: Option<&Value>| {
                    let text = value.and_then(Value::as_str);
                    text.unwrap_or_default().to_owned()
                };
                let key = text(ask.value.get("key"));
                self.tell(&Line::Unknown(key.clone()))?;
                let call = ask.value.get("action_request");
                let who = text(call.and_then(|call| call.get("args")?.get("who")));
                match self.work_dir.has(&key).map_err(outside)? {
                    true => json!({ "type": "happened", "digest": digest, "args": receipt(&who) }),
                    false => json!({ "type": "repeat", "digest": digest }),
                }
            }
            _ => format!("answer to {}", ask.value.as_str().unwrap_or_default()).into(),
        };
        Ok(said.into())
    }

    fn input(&self, turn: i64) -> RunInput {
        let input = match self.scene {
            Scene::Chain => json!({ "turn": turn, "n": 0, "end": 4 }),
            Scene::Nested => json!({ "round": 0 }),
            Scene::Agent => json!({ "messages": [{ "type": "human", "content": "pay them" }] }),
            _ => json!({ "log": [] }),
        };
        Value::from(input).into()
    }

    async fn after_the_chain(&self, snapshot: &Snapshot) -> Result<Act, Error> {
        let holds = |key| snapshot.values.get(key).and_then(Value::as_bool) == Some(true);
        if snapshot.values.get("turn").and_then(Value::as_i64) == Some(1) {
            return Ok(Act::Run(self.input(2), "start"));
        }
        if holds("forked") {
            let copied = self.saver.threads().await?.contains(&ThreadId::from(COPY));
            let history = self.history().await?;
            return Ok(match (copied, history.len()) {
                (true, _) => Act::Nothing,
                (false, 1) => Act::Copy,
                (false, _) => Act::Prune,
            });
        }
        if !holds("edited") {
            return Ok(Act::Edit);
        }
        let is_third = |snapshot: &&Snapshot| {
            let value = |key| snapshot.values.get(key).and_then(Value::as_i64);
            (value("turn"), value("n")) == (Some(2), Some(2))
        };
        let history = self.history().await?;
        let third = history.iter().find(is_third).and_then(|old| old.checkpoint);
        let why = || ErrorKind::BadArgument {
            why: "the chain lost its middle".to_owned(),
        };
        Ok(Act::Fork(third.ok_or_else(why)?))
    }

    async fn history(&self) -> Result<Vec<Snapshot>, Error> {
        let all = HistoryQuery::default();
        let root = GraphPath::default();
        self.graph.history(&THREAD.into(), &root, &all).await
    }

    async fn edit(&self, at: Option<&CheckpointRef>, values: Json) -> Result<(), Error> {
        let update = Update {
            output: values.into(),
            as_node: Some("say".into()),
        };
        self.graph.update_state(&THREAD.into(), at, update).await?;
        Ok(())
    }

    async fn run(&self, input: RunInput) -> Result<(), Error> {
        let options = RunOptions {
            strict_resume: true,
            durability: self.durability,
            log: self.scene.log(),
            ..RunOptions::on(THREAD)
        };
        let ended = match self.scene {
            Scene::Cancelled => self.run_and_cancel(input, &options).await,
            _ => self.graph.invoke(input, &options).await.map(drop),
        };
        let Err(error) = ended else {
            return Ok(());
        };
        match &*error.kind {
            ErrorKind::UnknownOutcome { key, .. } => self.settle(key).await,
            ErrorKind::Failed(_) if self.scene == Scene::Fanout => {
                let mended = self.work_dir.enter(MENDED, Target::Idempotent);
                mended.map(|_| ()).map_err(outside)
            }
            ErrorKind::Cancelled { .. } if self.scene == Scene::Cancelled => {
                let cancelled = self.work_dir.enter(CANCELLED, Target::Idempotent);
                cancelled.map(|_| ()).map_err(outside)
            }
            _ => Err(error),
        }
    }

    /// Starts a run and has it cancelled, as another process would, unless one was before.
    async fn run_and_cancel(&self, input: RunInput, options: &RunOptions) -> Result<(), Error> {
        let running = self.graph.start(input, options).await?;
        if !self.work_dir.has(CANCELLED).map_err(outside)?
            && let Err(error) = self.graph.cancel(running.id, "the campaign").await
        {
            // The thread is free again only when the run is over.
            running.cancel("the request was not stored");
            let _either_way = running.await;
            return Err(error);
        }
        running.await.map(drop)
    }

    /// A service that knows keys may be asked again; otherwise somebody looks into its books.
    async fn settle(&self, key: &str) -> Result<(), Error> {
        self.tell(&Line::Unknown(key.to_owned()))?;
        let happened = match self.scene.target() {
            Target::Idempotent => false,
            Target::Blind => self.work_dir.has(key).map_err(outside)?,
        };
        let outcome = match happened {
            true => Effect::Done(receipt(key).into()),
            false => Effect::Failed,
        };
        self.graph.settle(&THREAD.into(), key, &outcome).await
    }

    fn tell(&self, line: &Line) -> Result<(), Error> {
        self.work_dir.append(line).map_err(outside)
    }
}

/// Messages have ids that no two runs share.
fn without_ids(values: &mut Json) {
    let messages = values.get_mut("messages").and_then(Json::as_array_mut);
    for message in messages.into_iter().flatten() {
        if let Some(message) = message.as_object_mut() {
            message.remove("id");
        }
    }
}

fn outside(error: std::io::Error) -> Error {
    let why = format!("outside the system: {error}");
    ErrorKind::BadArgument { why }.into()
}
