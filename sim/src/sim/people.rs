//! Actors around a thread: workers that look for work, people who answer, and readers.

use std::collections::HashMap;

use superstep_core::{
    ErrorKind, Value,
    ask::{Ask, Resume},
    checkpoint::Loaded,
    graph_state::GraphState,
    id::{AskId, GraphPath},
    run::{Act, ParentContext, RunInput, Stop},
};

use super::{
    Event, FaultMode, Sim,
    session::{Running, Session},
};
use crate::{
    mutation::Mutation,
    reference::plain,
    report::{Broken, Promise, broken},
};

/// What a worker takes the thread for.
#[derive(Clone, Debug)]
pub(super) enum Intent {
    /// To start it or to continue.
    GoOn,
    /// To answer the one open question.
    Plain,
    /// To answer questions that were open when it looked.
    ById(Vec<Ask>),
}

impl Sim<'_> {
    /// A worker looks at the thread, and wants it if there is something to do.
    pub(super) fn wake(&mut self, worker: usize) -> Result<(), Broken> {
        let loaded = self.store.load(&GraphPath::default());
        self.oracle.loads(&GraphPath::default(), loaded.as_ref())?;
        if let Some(loaded) = &loaded
            && self.is_over(loaded)?
        {
            self.over = true;
            return Ok(());
        }
        let open = loaded.as_ref().map(open_asks).unwrap_or_default();
        let intent = match open.as_slice() {
            [] => Intent::GoOn,
            _ if self.bad_luck(6) => Intent::GoOn,
            [_] if self.graph.asks_in_turn && self.rng.one_in(2) => Intent::Plain,
            _ => {
                let mut some = open.clone();
                some.retain(|_| !self.rng.one_in(3));
                Intent::ById(if some.is_empty() { open } else { some })
            }
        };
        // Whoever answers may take a while, and others answer meanwhile.
        let delay = match intent {
            Intent::GoOn => self.rng.between(0, 5),
            _ if self.bad_luck(3) => self.rng.between(500, 30_000),
            _ => self.rng.between(0, 800),
        };
        self.after(delay, Event::Take(worker, intent));
        Ok(())
    }

    /// A worker leases the thread and starts a run.
    pub(super) fn take(&mut self, worker: usize, intent: Intent) -> Result<(), Broken> {
        let Ok(epoch) = self.store.lease(self.wall.now()) else {
            let delay = self.rng.between(50, 2_000);
            self.after(delay, Event::Wake(worker));
            return Ok(());
        };
        self.serial += 1;
        let mut session = Session {
            id: self.serial,
            worker,
            epoch,
            graphs: Vec::new(),
            acts_left: None,
            troubled: false,
            strict: self.rng.one_in(2),
            cancelled: false,
            ended: None,
        };
        if self.bad_luck(2) {
            session.acts_left = Some(u32::try_from(self.rng.between(1, 40)).unwrap_or(1));
        }
        let overtakes = self.workers.iter().any(|worker| worker.session.is_some());
        if overtakes {
            self.counts.add("takeovers");
        }
        self.counts.add("runs");
        if !self.is_faulty() {
            self.calm_runs += 1;
        }
        self.oracle.granted(epoch)?;
        self.tell(|| format!("worker {worker} takes the thread, epoch {epoch}, {intent:?}"));
        let loaded = self.store.load(&GraphPath::default());
        self.oracle.loads(&GraphPath::default(), loaded.as_ref())?;
        let input = self.input(worker, &intent, loaded.as_ref());
        let id = session.id;
        match self.open(
            &session,
            self.graph,
            ParentContext::default(),
            input,
            loaded,
        )? {
            Ok(run) => session.graphs.push(Running::new(run, None)),
            Err(error) => {
                // Somebody else answered first.
                let late = matches!(*error.kind, ErrorKind::UnknownAsk { .. });
                if !late {
                    return broken(Promise::Explained, error.to_string());
                }
                self.counts.add("answers refused");
                self.store.release(epoch);
                let delay = self.rng.between(1, 500);
                self.after(delay, Event::Wake(worker));
                return Ok(());
            }
        }
        if let Some(slot) = self.workers.get_mut(worker) {
            slot.session = Some(session);
        }
        self.after(3_000, Event::Renew(worker, id));
        self.with(worker, id, |sim, session| sim.pump(session, 0))
    }

    fn input(&mut self, worker: usize, intent: &Intent, loaded: Option<&Loaded>) -> RunInput {
        let begun = loaded
            .and_then(Loaded::head)
            .is_some_and(|head| head.clock > 0);
        if !begun {
            return RunInput::Value(Value::map([("n", Value::from(0))]));
        }
        let open = loaded.map(open_asks).unwrap_or_default();
        match (intent, open.as_slice()) {
            (Intent::Plain, [ask]) => {
                self.counts.add("answers given");
                let answer = self.answer_to(worker, ask);
                RunInput::Command(Box::default(), Some(Resume::Next(answer)))
            }
            (Intent::ById(asks), _) => {
                let mut given: HashMap<AskId, Value> = HashMap::new();
                for ask in asks {
                    self.counts.add("answers given");
                    if !open.contains(ask) {
                        self.counts.add("answers to answered questions");
                    }
                    given.insert(ask.id, self.answer_to(worker, ask));
                }
                if self.settings.mutation == Some(Mutation::MixesAnswers)
                    && let (Some(first), Some(last)) = (asks.first(), asks.last())
                {
                    let mixed = self.answer_to(worker, first);
                    given.insert(last.id, mixed);
                }
                RunInput::Command(Box::default(), Some(Resume::ById(given)))
            }
            _ => RunInput::Nothing,
        }
    }

    /// An answer says which question it is for, and who gave it.
    fn answer_to(&mut self, worker: usize, ask: &Ask) -> Value {
        self.serial += 1;
        let question = ask.value.as_str().unwrap_or_default();
        format!("{question}#{worker}.{}", self.serial).into()
    }

    /// Somebody reads the thread, or a graph in it.
    pub(super) fn look(&mut self) -> Result<(), Broken> {
        let places = self.store.namespaces();
        let place = match self.rng.one_in(2) {
            true => places.get(self.rng.place(places.len())).cloned(),
            false => None,
        };
        let namespace = place.unwrap_or_default();
        let loaded = self.store.load(&namespace);
        self.oracle.loads(&namespace, loaded.as_ref())?;
        if let (Some(loaded), Some(reference)) = (&loaded, self.reference) {
            self.counts.add("looks");
            reference.check(self.graph, &namespace, loaded, &self.oracle.above)?;
        }
        let delay = match self.rng.one_in(3) {
            true => self.rng.between(100, 4_000),
            false => self.rng.between(1, 40),
        };
        self.after(delay, Event::Look);
        Ok(())
    }

    fn is_over(&self, loaded: &Loaded) -> Result<bool, Broken> {
        let begun = loaded.head().is_some_and(|head| head.clock > 0);
        match GraphState::restore(&self.graph.plan, loaded, None) {
            Ok(restored) => {
                let due = restored.state.due(&self.graph.plan, None);
                Ok(begun && due.is_empty())
            }
            Err(kind) => broken(Promise::Loads, kind.to_string()),
        }
    }

    /// The thread is through: all of it is as after a quiet run, and stays so.
    pub(super) fn check_end(&mut self) -> Result<(), Broken> {
        self.oracle.check_kept(&self.store)?;
        self.check_stays_over()?;
        let Some(reference) = self.reference else {
            return Ok(());
        };
        for namespace in self.store.namespaces() {
            if let Some(loaded) = self.store.load(&namespace) {
                reference.check(self.graph, &namespace, &loaded, &self.oracle.above)?;
            }
        }
        let happened: Vec<&str> = self.external_effects.keys().collect();
        if happened != reference.effects {
            let detail = format!("effects {happened:?}, not {:?}", reference.effects);
            return broken(Promise::SameEnd, detail);
        }
        if self.settings.fault_mode == FaultMode::Quiet && self.counts.of("I/O errors") > 0 {
            return broken(Promise::Explained, "an I/O error in a quiet history");
        }
        Ok(())
    }

    fn check_stays_over(&mut self) -> Result<(), Broken> {
        let session = Session {
            id: 0,
            worker: 0,
            epoch: 0,
            graphs: Vec::new(),
            acts_left: None,
            troubled: false,
            strict: true,
            cancelled: false,
            ended: None,
        };
        let loaded = self.store.load(&GraphPath::default());
        let opened = self.open(
            &session,
            self.graph,
            ParentContext::default(),
            RunInput::Nothing,
            loaded,
        )?;
        let mut run = match opened {
            Ok(run) => run,
            Err(error) => return broken(Promise::StaysOver, error.to_string()),
        };
        while let Some(act) = run.next_act() {
            match act {
                Act::Stop(Stop::Done) => {
                    let end = plain(&run.output().unwrap_or_default());
                    return match self.reference {
                        Some(reference) if reference.end != end => {
                            let detail = format!("{end} instead of {}", reference.end);
                            broken(Promise::SameEnd, detail)
                        }
                        _ => Ok(()),
                    };
                }
                Act::Emit(_) | Act::Note(..) => {}
                other => return broken(Promise::StaysOver, format!("{other:?}")),
            }
        }
        broken(Promise::StaysOver, "the run does not end")
    }
}

fn open_asks(loaded: &Loaded) -> Vec<Ask> {
    let open = loaded.notes.iter().flat_map(|note| note.open_asks());
    open.cloned().collect()
}
