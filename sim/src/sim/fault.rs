//! Fault injection: crashes, frozen workers, power cuts, clock jumps, requests that are refused, late,
//! or whose outcome is never known.

use superstep_core::error::SaverError;

use super::{Event, Fate, Sim, TaskSlot, session::Session};
use crate::{
    mutation::Mutation,
    report::Broken,
    store::{Op, Request},
};

impl Sim<'_> {
    /// Sends something to the store.
    pub(super) fn send(&mut self, session: &Session, request: Request) {
        let fate = match self.is_faulty() {
            true if self.rng.one_in(60) => {
                self.counts.add("refused: disk full");
                return self.turn_away(session, request, "no space left");
            }
            true if self.rng.one_in(60) => {
                self.counts.add("I/O errors before a write");
                return self.turn_away(session, request, "the medium failed");
            }
            true if self.rng.one_in(60) => {
                self.counts.add("I/O errors after a write");
                Fate::Lost
            }
            _ => Fate::Answered,
        };
        let late = self.bad_luck(25);
        let delay = match late {
            true => self.rng.between(1_000, 15_000),
            false => self.rng.between(0, 5),
        };
        let sent = (request.clone(), fate, session.worker);
        self.sent.insert(request.ticket, sent);
        if late && self.rng.one_in(2) {
            self.counts.add("writes that timed out and came later");
            let answer = Err(SaverError::Io("no answer in time".into()));
            self.after(
                500,
                Event::Reply {
                    worker: session.worker,
                    session: session.id,
                    ticket: request.ticket,
                    answer,
                },
            );
        }
        self.tell(|| format!("worker {} sends {}", session.worker, described(&request)));
        self.after(delay, Event::Arrive(request));
    }

    fn turn_away(&mut self, session: &Session, request: Request, why: &str) {
        self.tell(|| format!("worker {}: {why}", session.worker));
        let event = Event::Reply {
            worker: session.worker,
            session: session.id,
            ticket: request.ticket,
            answer: Err(SaverError::Io(why.into())),
        };
        let sent = (request.clone(), Fate::Lost, session.worker);
        self.sent.insert(request.ticket, sent);
        let delay = self.rng.between(0, 50);
        self.after(delay, event);
    }

    pub(super) fn arrive(&mut self, request: Request) {
        let gone = !self
            .workers
            .iter()
            .filter_map(|worker| worker.session.as_ref())
            .any(|session| session.id == request.session);
        if gone && self.rng.one_in(2) {
            return self.tell(|| format!("{} is lost", described(&request)));
        }
        self.store.push(request);
        let delay = self.rng.between(0, 5);
        self.after(delay, Event::Sync);
    }

    /// One more act of a session; says whether its worker dies after it.
    pub(super) fn dies(&mut self, session: &mut Session) -> bool {
        if let Some(left) = session.acts_left.as_mut() {
            *left = left.saturating_sub(1);
        }
        self.is_faulty() && session.acts_left == Some(0)
    }

    /// What a frozen worker should do waits.
    pub(super) fn postponed(&mut self, event: Event) -> Option<Event> {
        let worker = match &event {
            Event::Wake(worker)
            | Event::Take(worker, _)
            | Event::Task(TaskSlot { worker, .. })
            | Event::Due(TaskSlot { worker, .. })
            | Event::Reply { worker, .. }
            | Event::Renew(worker, _) => *worker,
            Event::Arrive(_) | Event::Sync | Event::Look | Event::Mishap => return Some(event),
        };
        let frozen = self.workers.get(worker).map_or(0, |worker| worker.frozen);
        if frozen <= self.now {
            return Some(event);
        }
        self.after(frozen - self.now, event);
        None
    }

    /// Something goes wrong that no worker does.
    pub(super) fn mishap(&mut self) -> Result<(), Broken> {
        if !self.is_faulty() {
            return Ok(());
        }
        match self.rng.below(8) {
            0 => self.lose_power()?,
            1 | 2 => self.jump(),
            3 | 4 => self.freeze(),
            5 => self.cancel_one()?,
            _ => {}
        }
        let delay = match self.rng.one_in(4) {
            true => self.rng.between(500, 20_000),
            false => self.rng.between(1, 60),
        };
        self.after(delay, Event::Mishap);
        Ok(())
    }

    fn cancel_one(&mut self) -> Result<(), Broken> {
        let worker = self.rng.place(self.workers.len());
        let slot = self.workers.get(worker);
        let awake = slot.filter(|slot| slot.frozen <= self.now);
        let Some(session) = awake.and_then(|slot| slot.session.as_ref()) else {
            return Ok(());
        };
        let id = session.id;
        self.counts.add("cancelled runs");
        self.with(worker, id, Self::cancel)
    }

    fn lose_power(&mut self) -> Result<(), Broken> {
        self.counts.add("power losses");
        let waiting = self.store.waiting();
        let kept = self.rng.place(waiting + 1);
        self.tell(|| format!("power loss: {kept} of {waiting} waiting writes are kept"));
        let (written, lost) = self.store.lose_power(kept);
        for (request, answer) in &written {
            if answer.is_ok() {
                self.oracle.landed(request)?;
            }
        }
        let all = written.into_iter().map(|(request, _)| request).chain(lost);
        for request in all {
            self.reply(&request, Err(SaverError::Io("the power was gone".into())));
        }
        if self.rng.one_in(2) {
            for worker in 0..self.workers.len() {
                self.crash(worker);
            }
        }
        self.oracle.check_kept(&self.store)
    }

    fn jump(&mut self) {
        let far = match self.rng.one_in(3) {
            true => self.rng.between(10_000, 100_000),
            false => self.rng.between(1, 5_000),
        };
        if self.rng.one_in(2) {
            self.counts.add("clock jumps forward");
            self.ahead += far;
            self.tell(|| format!("the clock jumps forward by {far}"));
        } else {
            self.counts.add("clock jumps back");
            self.ahead = self.ahead.saturating_sub(far);
            self.tell(|| format!("the clock jumps back by {far}"));
        }
    }

    fn freeze(&mut self) {
        let worker = self.rng.place(self.workers.len());
        let until = self.now + self.rng.between(100, 30_000);
        self.counts.add("frozen workers");
        self.tell(|| format!("worker {worker} is frozen until {until}"));
        if let Some(worker) = self.workers.get_mut(worker) {
            worker.frozen = until;
        }
    }

    /// A worker dies: its session is gone, its lease is not.
    pub(super) fn crash(&mut self, worker: usize) {
        let ids = self.new_ids();
        let Some(slot) = self.workers.get_mut(worker) else {
            return;
        };
        slot.ids = ids;
        if slot.session.take().is_some() {
            self.crashed(worker);
        }
    }

    /// The session of a worker has died.
    pub(super) fn crashed(&mut self, worker: usize) {
        self.counts.add("crashes");
        self.tell(|| format!("worker {worker} crashes"));
        if self.settings.mutation != Some(Mutation::GivesUp) {
            let delay = self.rng.between(1, 3_000);
            self.after(delay, Event::Wake(worker));
        }
    }
}

fn described(request: &Request) -> String {
    let Request {
        epoch,
        namespace,
        op,
        ..
    } = request;
    match op {
        Op::Commit(record) => format!(
            "step {} {:?} as {:x} after {:x?} in `{namespace}`, epoch {epoch}",
            record.step,
            record.source,
            record.id.0,
            record.parent.map(|parent| parent.0)
        ),
        Op::Note(at, notes) => {
            let notes: Vec<String> = notes
                .iter()
                .map(|note| {
                    format!(
                        "{:?}{}{}{}{}",
                        note.key,
                        note.output.as_ref().map_or("", |_| " finished"),
                        note.extras.error.as_ref().map_or("", |_| " failed"),
                        match note.extras.asks.as_slice() {
                            [] => String::new(),
                            asks => format!(" asks {}", asks.len()),
                        },
                        match (
                            note.extras.answers.as_slice(),
                            &note.extras.resume,
                            &note.extras.effects
                        ) {
                            ([], None, effects) if effects.is_empty() => String::new(),
                            (answers, resume, effects) =>
                                format!(" {answers:?} {resume:?} {effects:?}"),
                        }
                    )
                })
                .collect();
            format!(
                "notes {} at {:x} in `{namespace}`, epoch {epoch}",
                notes.join(", "),
                at.0
            )
        }
    }
}
