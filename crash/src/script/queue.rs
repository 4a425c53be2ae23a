//! The script of queued runs: orders are accepted, two are cancelled, a schedule is due three times, and a
//! worker does what waits. Runs have ids that the script knows, so a new process sees what was accepted.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value as Json, json};
use superstep_core::{
    clock::UnixMillis,
    error::{Error, ErrorKind},
    id::RunId,
    runs::{EnqueueRun, QueuedInput, RunQuery, RunRecord, RunStatus},
    schedules::{CronSchedule, Missed},
};
use superstep_engine::{RunOptions, Worker};

use super::{Session, outside};
use crate::{
    graphs::{HELD, HOLDING},
    line::Line,
};

/// When the schedule is due first: 2026-01-01 in UTC.
const FIRST: UnixMillis = 1_767_225_600_000;
/// How often it is due, once a minute.
const TICKS: i64 = 3;
/// The schedule, and the thread of its runs.
const CLOCK: &str = "clock";

/// A run that is put into the queue.
struct Order {
    id: RunId,
    thread: &'static str,
    name: &'static str,
    fate: Fate,
}

/// What becomes of an order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Done,
    /// It is due a little later.
    Later,
    /// It is cancelled while it waits.
    Dropped,
    /// It is cancelled while it runs.
    Stopped,
}

const fn order(id: u128, thread: &'static str, name: &'static str, fate: Fate) -> Order {
    let id = RunId(id);
    Order {
        id,
        thread,
        name,
        fate,
    }
}

const ORDERS: [Order; 5] = [
    order(1, "ann", "tea", Fate::Done),
    order(2, "ann", "milk", Fate::Dropped),
    order(3, "ann", "cake", Fate::Done),
    order(4, "bob", "soup", Fate::Later),
    order(5, "eve", HELD, Fate::Stopped),
];

impl Session {
    /// Accepts what was not accepted yet, and works until nothing is left.
    pub(super) async fn play_queue(&self) -> Result<(), Error> {
        for order in &ORDERS {
            self.accept(order).await?;
        }
        self.accept_schedule().await?;
        let options = RunOptions {
            strict_resume: true,
            durability: self.durability,
            log: self.scene.log(),
            ..RunOptions::default()
        };
        let worker = Worker::new([self.graph.clone()], options)?;
        while !self.is_all_over().await? {
            let changed = self.saver.run_queue().queue_changed();
            let worked = tokio::select! {
                worked = worker.work_once() => worked?,
                error = self.stop_what_holds() => return Err(error),
            };
            let Some(worked) = worked else {
                changed.await?;
                continue;
            };
            match worked.outcome {
                Err(error) if !matches!(&*error.kind, ErrorKind::Cancelled { .. }) => {
                    return Err(error);
                }
                _ => self.tell(&Line::Op(ended(worked.run)))?,
            }
        }
        Ok(())
    }

    async fn accept(&self, order: &Order) -> Result<(), Error> {
        let accepted = format!("accepted {}", order.id);
        let found = match self.graph.find_run(order.id).await? {
            Some(found) => found,
            None if self.keeps_all && self.was_told(&accepted)? => {
                let why = format!("the order {} was accepted and is lost", order.name);
                return Err(ErrorKind::BadArgument { why }.into());
            }
            None => {
                let input = QueuedInput::Value(json!({ "order": order.name }).into());
                let run = EnqueueRun {
                    run: order.id,
                    after: match order.fate {
                        Fate::Later => Duration::from_millis(5),
                        _ => Duration::ZERO,
                    },
                    ..self.graph.queued(order.thread, input)
                };
                let found = self.graph.enqueue(run).await?;
                self.tell(&Line::Op(accepted))?;
                found
            }
        };
        if order.fate == Fate::Dropped && !found.status().has_ended() {
            self.graph.cancel(order.id, "not wanted any more").await?;
        }
        Ok(())
    }

    /// A schedule whose times have all been missed, each of which gets its run.
    async fn accept_schedule(&self) -> Result<(), Error> {
        let schedules = self.saver.schedules();
        if schedules.load_schedule(CLOCK).await?.is_some() {
            return Ok(());
        }
        let accepted = "accepted the schedule".to_owned();
        if self.keeps_all && self.was_told(&accepted)? {
            let why = "the schedule was accepted and is lost".to_owned();
            return Err(ErrorKind::BadArgument { why }.into());
        }
        let schedule = CronSchedule {
            graph: self.graph.plan().name.clone(),
            thread: Some(CLOCK.into()),
            input: QueuedInput::Value(json!({ "order": "tick" }).into()),
            missed: Missed::Each,
            next: Some(FIRST),
            end: Some(FIRST + TICKS * 60_000),
            ..CronSchedule::new(CLOCK, "* * * * *")
        };
        schedules.put_schedule(schedule).await?;
        self.tell(&Line::Op(accepted))
    }

    /// Cancels the run that holds the worker, as another process would; returns only with an error.
    async fn stop_what_holds(&self) -> Error {
        let stop = async {
            let orders = ORDERS.iter().filter(|order| order.fate == Fate::Stopped);
            for order in orders {
                // The books may be those of an earlier attempt, whose run is to begin again.
                while !(self.work_dir.has(HOLDING).map_err(outside)?
                    && self.runs_now(order).await?)
                {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                self.graph.cancel(order.id, "the campaign").await?;
            }
            Ok(())
        };
        match stop.await {
            Ok(()) => std::future::pending().await,
            Err(error) => error,
        }
    }

    async fn runs_now(&self, order: &Order) -> Result<bool, Error> {
        let found = self.graph.find_run(order.id).await?;
        Ok(found.is_some_and(|run| run.status() == RunStatus::Running))
    }

    async fn is_all_over(&self) -> Result<bool, Error> {
        let schedule = self.saver.schedules().load_schedule(CLOCK).await?;
        if schedule.is_none_or(|schedule| schedule.next.is_some()) {
            return Ok(false);
        }
        let runs = self.all_runs().await?;
        Ok(runs.iter().all(|run| run.status().has_ended()))
    }

    async fn all_runs(&self) -> Result<Vec<RunRecord>, Error> {
        let threads = ORDERS.iter().map(|order| order.thread).chain([CLOCK]);
        let mut runs = Vec::new();
        for thread in threads.collect::<BTreeSet<_>>() {
            runs.extend(self.graph.runs(thread, &RunQuery::default()).await?);
        }
        Ok(runs)
    }

    /// What is wrong with the runs at the end: each was to end once, as planned.
    pub(super) async fn wrong_runs(&self) -> Result<Vec<String>, Error> {
        let (mut wrong, runs) = (Vec::new(), self.all_runs().await?);
        for run in &runs {
            let order = ORDERS.iter().find(|order| order.id == run.id);
            let status = run.status();
            let is_right = match order.map(|order| order.fate) {
                Some(Fate::Dropped) => status == RunStatus::Cancelled && run.attempt == 0,
                // Its process may be killed after the request, and before it has stopped.
                Some(Fate::Stopped) => {
                    matches!(status, RunStatus::Cancelled | RunStatus::Interrupted)
                }
                Some(Fate::Done | Fate::Later) | None => status == RunStatus::Done,
            };
            if !is_right {
                wrong.push(format!("run {} ended as {status}", run.id));
            }
        }
        let ticks = runs.iter().filter(|run| run.thread.as_str() == CLOCK);
        let ticks = ticks.count();
        if i64::try_from(ticks) != Ok(TICKS) {
            wrong.push(format!(
                "a schedule was due {TICKS} times and ran {ticks} times"
            ));
        }
        if runs.len() != ORDERS.len() + ticks {
            wrong.push(format!("{} runs are on record", runs.len()));
        }
        for run in runs.iter().filter(|_| self.keeps_all) {
            let told = self.told(&ended(run.id))?;
            if told > 1 {
                wrong.push(format!("run {} ended {told} times", run.id));
            }
        }
        Ok(wrong)
    }

    /// What the threads hold in the end. How far the run came that was stopped does not matter.
    pub(super) async fn queue_result(&self) -> Result<String, Error> {
        let mut threads = serde_json::Map::new();
        for thread in ["ann", "bob", CLOCK] {
            let state = self.look(thread).await?;
            threads.insert(thread.to_owned(), state.values.to_json());
        }
        Ok(Json::Object(threads).to_string())
    }

    fn was_told(&self, op: &str) -> Result<bool, Error> {
        Ok(self.told(op)? > 0)
    }

    /// How often an operation was acknowledged.
    fn told(&self, op: &str) -> Result<usize, Error> {
        let lines = self.work_dir.lines().map_err(outside)?;
        let is_it = |line: &&Line| matches!(line, Line::Op(told) if told == op);
        Ok(lines.iter().filter(is_it).count())
    }
}

fn ended(run: RunId) -> String {
    format!("ended {run}")
}
