//! Tasks: what one does, piece by piece, with time and faults between the pieces.

use superstep_core::{
    Error, ErrorKind, Failure, Value,
    ask::Ask,
    command::Output,
    id::AskId,
    record::Effect,
    run::{Act, Done, Halt, RunInput, Stop, Suspension},
};

use super::{
    Event, Sim, TaskSlot,
    job::{Phase, Scratch},
    session::{Ended, Letter, Running, Session, Urgency},
};
use crate::{
    graphs::{Piece, number},
    mutation::Mutation,
    reference::plain,
    report::{Broken, Promise, broken},
    store::Op,
};

/// What a piece led to.
enum Next {
    /// The next piece, or the end.
    Brought(Option<Value>),
    /// The same piece continues later.
    Same(Phase),
    /// Something is stored first.
    Journal(String, Effect, Phase),
    /// A graph is run first.
    Call,
    /// The task is over.
    Halt(Halt),
}

impl Sim<'_> {
    /// Does the next piece of a task.
    pub(super) fn go_on(&mut self, session: &mut Session, place: TaskSlot) -> Result<(), Broken> {
        let Some(running) = session.graphs.get(place.graph) else {
            return Ok(());
        };
        if running.over || session.cancelled {
            return Ok(());
        }
        if self.is_blocked(session, place.graph) {
            let delay = self.rng.between(1, 4);
            self.after(delay, Event::Task(place));
            return Ok(());
        }
        self.start_job(session, place)?;
        let Some(next) = self.piece(session, place)? else {
            return Ok(());
        };
        if self.dies(session) {
            session.ended = Some(Ended::Crashed);
            return Ok(());
        }
        let Some(running) = session.graphs.get_mut(place.graph) else {
            return Ok(());
        };
        let Some(job) = running.jobs.get_mut(&place.task) else {
            return Ok(());
        };
        match next {
            Next::Brought(value) => {
                job.through += 1;
                job.brought.extend(value);
                job.phase = Phase::Ready;
            }
            Next::Same(phase) => job.phase = phase,
            Next::Journal(key, effect, then) => {
                job.phase = Phase::Storing(Box::new(then));
                return self.journal(session, place, key, effect);
            }
            Next::Call => {
                job.phase = Phase::Calling;
                return self.call(session, place);
            }
            Next::Halt(halt) => return self.done(session, place, Err(halt)),
        }
        self.later(place);
        Ok(())
    }

    pub(super) fn task_delay(&mut self) -> u64 {
        match self.bad_luck(25) {
            true => self.rng.between(500, 15_000),
            false => self.rng.between(0, 20),
        }
    }

    /// Starts a suspended task again, if others of its step still run.
    pub(super) fn wake_task(&mut self, session: &mut Session, place: TaskSlot) {
        let Some(running) = session.graphs.get_mut(place.graph) else {
            return;
        };
        if running.over || session.cancelled || !running.run.wake(place.task) {
            return;
        }
        running.jobs.insert(place.task, Default::default());
        self.counts.add("timers that were due beside other tasks");
        self.later(place);
    }

    fn later(&mut self, place: TaskSlot) {
        let delay = self.task_delay();
        self.after(delay, Event::Task(place));
    }

    fn start_job(&mut self, session: &mut Session, place: TaskSlot) -> Result<(), Broken> {
        let epoch = session.epoch;
        let Some(running) = session.graphs.get_mut(place.graph) else {
            return Ok(());
        };
        let Some(task) = running.run.task(place.task) else {
            return Ok(());
        };
        let fresh = running.jobs.get(&place.task);
        if fresh.is_none_or(|job| job.script.is_some()) {
            return Ok(());
        }
        let (namespace, checkpoint) = (running.namespace(), running.run.checkpoint());
        self.oracle
            .starts(epoch, &namespace, checkpoint, &task.key)?;
        let sync = self.durability == superstep_core::policy::Durability::Sync;
        if sync && !self.oracle.has_landed(&namespace, checkpoint) {
            let detail = format!("`{}` starts from {checkpoint}", task.name);
            return broken(Promise::StoredFirst, detail);
        }
        let input = running.run.input_value(task);
        let script = (self.graph_of(running).script)(&task.name, &input);
        let known = Scratch {
            answers: task.note.extras.answers.clone(),
            effects: task.note.extras.effects.clone(),
            ..Scratch::default()
        };
        let (name, attempt) = (task.name.clone(), task.failures);
        let Some(running) = session.graphs.get_mut(place.graph) else {
            return Ok(());
        };
        running.scratches.entry(place.task).or_insert(known).used = 0;
        if let Some(job) = running.jobs.get_mut(&place.task) {
            job.script = Some(script);
        }
        self.counts.add("task attempts");
        self.tell(|| format!("worker {} starts `{name}`, attempt {attempt}", place.worker));
        Ok(())
    }

    /// Does what the task is at; nothing if it waits or is over.
    fn piece(&mut self, session: &mut Session, place: TaskSlot) -> Result<Option<Next>, Broken> {
        let epoch = session.epoch;
        let Some(running) = session.graphs.get_mut(place.graph) else {
            return Ok(None);
        };
        let Some(job) = running.jobs.get_mut(&place.task) else {
            return Ok(None);
        };
        if let Some(halt) = job.end.take() {
            return Ok(Some(Next::Halt(halt)));
        }
        let Some(script) = &job.script else {
            return Ok(None);
        };
        let phase = match std::mem::take(&mut job.phase) {
            waits @ (Phase::Storing(_) | Phase::Calling) => {
                job.phase = waits;
                return Ok(None);
            }
            Phase::Anchored(key, effect, then) => {
                job.phase = Phase::Storing(then);
                self.write_journal(session, place, key, effect)?;
                return Ok(None);
            }
            phase => phase,
        };
        let Some(piece) = script.pieces.get(job.through).cloned() else {
            let output = (script.output)(&job.brought);
            self.done(session, place, Ok(output))?;
            return Ok(None);
        };
        Ok(Some(match piece {
            Piece::Flaky if self.bad_luck(4) => Next::Halt(flaky("try again")),
            Piece::Flaky => Next::Brought(None),
            Piece::Doomed => Next::Halt(Failure::new("Doomed", "it cannot be").permanent().into()),
            Piece::Ask(question) => self.ask(running, place, &question)?,
            Piece::Once(key) => self.once(session, place, key, phase)?,
            Piece::Settle(key) => {
                self.counts.add("effects that were settled");
                Next::Brought(Some(self.external_effects.settle(&key)))
            }
            Piece::Nap => self.nap(running, place, epoch, &phase)?,
            Piece::Child => Next::Call,
        }))
    }

    /// Waits for a time that is stored first, and ends the attempt until then. One that is stored is never set
    /// again.
    fn nap(
        &mut self,
        running: &mut Running,
        place: TaskSlot,
        epoch: u64,
        phase: &Phase,
    ) -> Result<Next, Broken> {
        let key = "__sleep:0".to_owned();
        let (namespace, at) = (running.namespace(), running.run.checkpoint());
        let Some(task) = running.run.task(place.task) else {
            return Ok(Next::Brought(None));
        };
        let timer = (namespace, at, task.key.clone());
        let scratch = running.scratches.get(&place.task);
        let known = scratch.and_then(|scratch| match scratch.effects.get(&key)? {
            Effect::Done(wake) => wake.as_i64(),
            _ => None,
        });
        // Who was overtaken knows what was there before.
        if let Some(stored) = self.timers.get(&timer)
            && epoch == self.store.epoch()
            && known != Some(*stored)
        {
            let detail = format!("a timer for {stored} is found as {known:?}");
            return broken(Promise::Kept, detail);
        }
        let Some(wake) = known else {
            self.counts.add("timers");
            let wake = i64::try_from(self.now + self.rng.between(0, 1_000)).unwrap_or(i64::MAX);
            return Ok(Next::Journal(
                key,
                Effect::Done(wake.into()),
                Phase::Settled,
            ));
        };
        if matches!(phase, Phase::Settled) {
            self.timers.insert(timer, wake);
        } else {
            self.counts.add("timers that were found again");
        }
        if u64::try_from(wake).is_ok_and(|wake| wake > self.now) {
            self.counts.add("sleeps");
            return Ok(Next::Halt(Halt::Suspended(Suspension::until(wake))));
        }
        Ok(Next::Brought(None))
    }

    fn ask(
        &mut self,
        running: &mut Running,
        place: TaskSlot,
        question: &str,
    ) -> Result<Next, Broken> {
        let namespace = running.run.task_namespace(place.task);
        let answers = running.run.config().parent.answers.clone();
        let Some(scratch) = running.scratches.get_mut(&place.task) else {
            return Ok(Next::Brought(None));
        };
        if scratch.used == scratch.answers.len() {
            scratch.answers.extend(answers.take_next());
        }
        let Some(answer) = scratch.answers.get(scratch.used).cloned() else {
            self.counts.add("asks");
            let ask = Ask {
                id: AskId::of(&namespace, scratch.answers.len()),
                value: question.into(),
                schema: None,
                kind: None,
                deadline: None,
            };
            self.tell(|| format!("worker {} asks `{question}`", place.worker));
            return Ok(Next::Halt(Halt::Suspended(Suspension::on(ask))));
        };
        scratch.used += 1;
        if plain(&answer) != *question {
            let detail = format!("`{question}` gets {answer}");
            return broken(Promise::RightAnswer, detail);
        }
        self.counts.add("answers taken");
        self.tell(|| format!("worker {}: `{question}` takes {answer}", place.worker));
        Ok(Next::Brought(Some(answer)))
    }

    fn once(
        &mut self,
        session: &mut Session,
        place: TaskSlot,
        key: String,
        phase: Phase,
    ) -> Result<Next, Broken> {
        let above = session.graphs.first().map(|root| root.run.checkpoint());
        let Some(running) = session.graphs.get_mut(place.graph) else {
            return Ok(Next::Brought(None));
        };
        let Some(scratch) = running.scratches.get_mut(&place.task) else {
            return Ok(Next::Brought(None));
        };
        let with = Value::list(scratch.taken());
        Ok(match phase {
            Phase::Begun => {
                let Some(task) = running.run.task(place.task) else {
                    return Ok(Next::Brought(None));
                };
                let above = above.filter(|_| running.caller.is_some());
                let (at, namespace) = (running.run.checkpoint(), running.namespace());
                self.oracle
                    .effect_starts(&namespace, at, &task.key, &key, above)?;
                if self.bad_luck(10) {
                    self.counts.add("effects that did not happen");
                    return Ok(Next::Journal(key, Effect::Failed, Phase::Missed));
                }
                self.tell(|| format!("worker {}: effect `{key}` happens", place.worker));
                self.counts.add("effects");
                let value = self.external_effects.happen(&key, &with)?;
                if self.bad_luck(12) {
                    self.counts.add("effects whose answer was lost");
                    let cause = Some("no answer".to_owned());
                    return Ok(Next::Halt(ErrorKind::UnknownOutcome { key, cause }.into()));
                }
                Next::Same(Phase::Happened(value))
            }
            Phase::Happened(value) => Next::Journal(key, Effect::Done(value), Phase::Settled),
            Phase::Settled => {
                self.external_effects.is_stored(&key);
                Next::Brought(Some(key.into()))
            }
            Phase::Missed => Next::Halt(flaky("the effect did not happen")),
            _ => match scratch.effects.get(&key) {
                Some(Effect::Done(_)) => {
                    self.counts.add("effects that were done before");
                    self.external_effects.check_fit(&key, &with)?;
                    Next::Brought(Some(key.into()))
                }
                Some(Effect::Started) => {
                    self.counts.add("effects reported unknown");
                    Next::Halt(ErrorKind::UnknownOutcome { key, cause: None }.into())
                }
                Some(Effect::Failed) | None => Next::Journal(key, Effect::Started, Phase::Begun),
            },
        })
    }

    /// Stores an effect before the task continues. What the place of the task hangs off comes first.
    fn journal(
        &mut self,
        session: &mut Session,
        place: TaskSlot,
        key: String,
        effect: Effect,
    ) -> Result<(), Broken> {
        let Some(running) = session.graphs.get_mut(place.graph) else {
            return Ok(());
        };
        let mut is_first = false;
        if let Some(scratch) = running.scratches.get_mut(&place.task) {
            let known = match &effect {
                Effect::Failed => scratch.effects.remove(&key),
                kept => scratch.effects.insert(key.clone(), kept.clone()),
            };
            is_first = known.is_none();
            scratch.fresh.push((key.clone(), effect.clone()));
        }
        let Some((above, _)) = running.caller.filter(|_| is_first) else {
            return self.write_journal(session, place, key, effect);
        };
        let Some(root) = session.graphs.get_mut(above) else {
            return Ok(());
        };
        let acts = root.run.anchor();
        let running = session.graphs.get_mut(place.graph);
        if let Some(job) = running.and_then(|running| running.jobs.get_mut(&place.task))
            && let Phase::Storing(then) = std::mem::take(&mut job.phase)
        {
            job.phase = Phase::Storing(Box::new(Phase::Anchored(key, effect, then)));
        }
        self.store_now(session, above, (place.graph, place.task), acts)
    }

    fn write_journal(
        &mut self,
        session: &mut Session,
        place: TaskSlot,
        key: String,
        effect: Effect,
    ) -> Result<(), Broken> {
        let Some(running) = session.graphs.get_mut(place.graph) else {
            return Ok(());
        };
        let taken = running.scratches.get(&place.task).map(Scratch::taken);
        let acts = running
            .run
            .journal(place.task, key, effect, taken.unwrap_or_default());
        self.store_now(session, place.graph, (place.graph, place.task), acts)
    }

    /// Sends what a task waits for, behind what is still on its way.
    fn store_now(
        &mut self,
        session: &mut Session,
        at: usize,
        waiter: (usize, usize),
        acts: Vec<Act>,
    ) -> Result<(), Broken> {
        let Some(running) = session.graphs.get_mut(at) else {
            return Ok(());
        };
        // Somebody has to hear that what went on behind has failed.
        if let Some(error) = running.failed_behind() {
            return self.stopped(session, at, Stop::Failed(error.into()));
        }
        for act in acts {
            let op = match act {
                Act::Commit(record) => Op::Commit(record),
                Act::Note(checkpoint, notes) => Op::Note(checkpoint, notes),
                _ => continue,
            };
            running.outbox.push_back(Letter {
                op,
                urgency: Urgency::AtOnce,
                waiters: Vec::new(),
            });
        }
        let hurries = self.settings.mutation == Some(Mutation::HurriesEffects);
        match running.outbox.back_mut().filter(|_| !hurries) {
            Some(last) => last.waiters.push(waiter),
            None => self.journaled(session, waiter.0, waiter.1),
        }
        self.post(session, at);
        Ok(())
    }

    /// What a task waits for is stored.
    pub(super) fn journaled(&mut self, session: &mut Session, graph: usize, task: usize) {
        let (worker, id) = (session.worker, session.id);
        let running = session.graphs.get_mut(graph);
        let Some(job) = running.and_then(|running| running.jobs.get_mut(&task)) else {
            return;
        };
        job.phase = match std::mem::take(&mut job.phase) {
            Phase::Storing(then) => *then,
            other => other,
        };
        self.later(TaskSlot {
            worker,
            session: id,
            graph,
            task,
        });
    }

    /// Runs a graph inside a task.
    fn call(&mut self, session: &mut Session, place: TaskSlot) -> Result<(), Broken> {
        let Some(child) = self.graph.child.as_deref() else {
            return Ok(());
        };
        let Some(running) = session.graphs.get_mut(place.graph) else {
            return Ok(());
        };
        let n = running.scratches.get_mut(&place.task).map_or(0, |scratch| {
            scratch.graphs += 1;
            scratch.graphs - 1
        });
        let input = running
            .run
            .task(place.task)
            .map(|task| number(&running.run.input_value(task)));
        let parent = self.child_context(running, place.task, n);
        let namespace = parent.namespace.clone();
        let loaded = self.store.load(&namespace);
        self.oracle.loads(&namespace, loaded.as_ref())?;
        self.counts.add("graphs in graphs");
        let input = Value::map([("n", Value::from(input.unwrap_or_default()))]);
        match self.open(session, child, parent, RunInput::Value(input), loaded)? {
            Ok(run) => {
                let caller = Some((place.graph, place.task));
                session.graphs.push(Running::new(run, caller));
                self.pump(session, session.graphs.len() - 1)
            }
            Err(error) => self.done(session, place, Err(Halt::Error(error))),
        }
    }

    /// The graph that a task runs is over.
    pub(super) fn child_stopped(
        &mut self,
        session: &mut Session,
        graph: usize,
        task: usize,
        stop: Stop,
        output: Option<Value>,
    ) -> Result<(), Broken> {
        let place = TaskSlot {
            worker: session.worker,
            session: session.id,
            graph,
            task,
        };
        let halt = match stop {
            Stop::Done => None,
            Stop::Suspended(suspension) => Some(Halt::Suspended(suspension)),
            Stop::Parent(command) => Some(Halt::Parent(command)),
            Stop::Failed(error) => Some(Halt::Error(error)),
        };
        let running = session.graphs.get_mut(graph);
        let Some(job) = running.and_then(|running| running.jobs.get_mut(&task)) else {
            return Ok(());
        };
        job.phase = Phase::Ready;
        match halt {
            Some(halt) => job.end = Some(halt),
            None => {
                job.through += 1;
                job.brought.extend(output);
            }
        }
        self.later(place);
        Ok(())
    }

    /// A task is over.
    fn done(
        &mut self,
        session: &mut Session,
        place: TaskSlot,
        result: Result<Output, Halt>,
    ) -> Result<(), Broken> {
        let Some(running) = session.graphs.get_mut(place.graph) else {
            return Ok(());
        };
        running.jobs.remove(&place.task);
        let Some(scratch) = running.scratches.get_mut(&place.task) else {
            return Ok(());
        };
        let until = match &result {
            Err(Halt::Suspended(it)) => it.until.and_then(|until| u64::try_from(until).ok()),
            _ => None,
        };
        let done = Done {
            result,
            answers: scratch.taken(),
            effects: std::mem::take(&mut scratch.fresh),
            streamed: Vec::new(),
            seen_below: Vec::new(),
        };
        running.run.done(place.task, done);
        if let Some(until) = until.filter(|_| !running.run.has_stopped()) {
            let delay = until.saturating_sub(self.now);
            self.after(delay, Event::Due(place));
        }
        self.pump(session, place.graph)
    }
}

fn flaky(why: &str) -> Halt {
    Halt::Error(Error::from(Failure::new("Flaky", why)))
}
