//! A memory saver with one fault.

use std::sync::{Arc, Mutex, MutexGuard};

use superstep_core::{
    archive::Archive,
    checkpoint::{Loaded, NextRecord},
    clock::UnixMillis,
    error::SaverError,
    event::{Cursor, Entry, Logged},
    future::MaybeReady,
    id::{CheckpointId, GraphPath, ThreadId},
    record::{PlainAnswer, Record},
    saver::{
        AfterRuns, At, Commit, Events, HistoryQuery, Keep, Lease, Notes, Retained, Retention,
        RunQueue, Runs, Saver, Schedules, ThreadCounts, ThreadPage, ThreadQuery, ThreadRecords,
    },
};
use superstep_engine::memory::MemorySaver;

use super::answer::{Answer, now};
use super::fault::Fault;
use super::fault_memory::Memory;
use super::keeping;
use super::mangle;

pub(crate) struct Broken {
    fault: Fault,
    inner: MemorySaver,
    memory: Mutex<Memory>,
}

fn root() -> GraphPath {
    GraphPath::default()
}

impl Broken {
    pub(crate) fn new(fault: Fault) -> Self {
        Self {
            fault,
            inner: MemorySaver::new(),
            memory: Mutex::default(),
        }
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap()
    }

    fn thread(&self, thread: &ThreadId) -> ThreadId {
        match self.fault {
            Fault::FoldsThreads => thread.as_str().to_lowercase().into(),
            _ => self.memory().aliases.get(thread).unwrap_or(thread).clone(),
        }
    }

    fn namespace(&self, namespace: &GraphPath) -> GraphPath {
        match self.fault {
            Fault::OneNamespace => root(),
            Fault::FoldsNamespaces => GraphPath::from(&*namespace.as_str().to_lowercase()),
            _ => namespace.clone(),
        }
    }

    fn all(&self, thread: &ThreadId, namespace: &GraphPath) -> Vec<Loaded> {
        now(self
            .inner
            .history(thread, namespace, &HistoryQuery::default()))
        .unwrap()
    }

    fn newest(&self, thread: &ThreadId, namespace: &GraphPath) -> Option<CheckpointId> {
        let loaded = now(self.inner.load(thread, namespace, At::Latest)).unwrap();
        loaded.and_then(|loaded| Some(loaded.head()?.id))
    }

    fn claim(&self, asked: &ThreadId) -> Answer<Lease> {
        let thread = match self.fault {
            Fault::OneLeaseForAll => "one".into(),
            _ => self.thread(asked),
        };
        let lease = match now(self.inner.lease(&thread)) {
            Err(_) if self.is(Fault::GrantsEveryLease) => {
                let epoch = self.memory().epochs[&thread];
                return Ok(Lease::new(epoch, || {}));
            }
            lease => lease?,
        };
        let mut memory = self.memory();
        memory.epochs.insert(thread.clone(), lease.epoch);
        memory.leased.insert(thread.clone());
        let base = memory.bases.get(&thread).copied().unwrap_or(0);
        match self.fault {
            Fault::NeverReleases => {
                let epoch = lease.epoch;
                std::mem::forget(lease);
                Ok(Lease::new(epoch, || {}))
            }
            Fault::EpochStandsStill => Ok(Lease::new(1, move || drop(lease))),
            Fault::EpochsBeginAgain | Fault::EpochsBeginAgainInCopies => {
                Ok(Lease::new(lease.epoch - base, move || drop(lease)))
            }
            _ => Ok(lease),
        }
    }

    /// The epoch that the inner saver is told.
    fn epoch(&self, thread: &ThreadId, epoch: u64, ignores: bool) -> u64 {
        let memory = self.memory();
        let newest = memory.epochs.get(thread).copied();
        match self.fault {
            Fault::EpochStandsStill => newest.unwrap_or(epoch),
            Fault::OneLeaseForAll => memory.epochs.get(&"one".into()).map_or(epoch, |_| epoch),
            Fault::EpochsBeginAgain => epoch + memory.bases.get(thread).copied().unwrap_or(0),
            _ if ignores => newest.unwrap_or(epoch),
            _ => epoch,
        }
    }

    fn store(&self, commit: Commit) -> Answer<NextRecord> {
        let Commit {
            thread,
            namespace,
            epoch,
            record,
            events,
        } = commit;
        let mut record = Arc::unwrap_or_clone(record);
        let (thread, namespace) = (self.thread(&thread), self.namespace(&namespace));
        let ignores = self.is(Fault::CommitIgnoresEpoch);
        let mut epoch = self.epoch(&thread, epoch, ignores);
        let mut guest = None;
        if ignores || self.is(Fault::OneLeaseForAll) {
            // Whoever comes is let in.
            if let Ok(lease) = now(self.inner.lease(&thread)) {
                epoch = lease.epoch;
                guest = Some(lease);
            }
        }
        mangle::record(self.fault, &mut record);
        self.relink(&thread, &namespace, &mut record);
        if self.is(Fault::LosesSomeCommits) {
            let mut memory = self.memory();
            memory.commits += 1;
            if memory.commits.is_multiple_of(150) {
                return Ok(NextRecord::Changes);
            }
        }
        let full = record.full;
        let events = self.written(&thread, Fault::LosesEventsOfCommits, events);
        let commit = |record| {
            let events = events.clone();
            let (thread, namespace) = (thread.clone(), namespace.clone());
            now(self.inner.commit(Commit {
                thread,
                namespace,
                epoch,
                record: Arc::new(record),
                events,
            }))
        };
        let copy = record.clone();
        let mut next = commit(record);
        drop(guest);
        if let Err(SaverError::Corrupt(_)) = next {
            let adopted = Record {
                parent: None,
                full: true,
                ..copy
            };
            match self.fault {
                Fault::SwallowsRefusals => next = Ok(NextRecord::Changes),
                Fault::UnknownParentsAreAdopted => next = commit(adopted),
                Fault::RefusedCommitsStay => drop(commit(adopted)),
                Fault::RefusedEventsStay => drop(self.append(&thread, epoch, events)),
                _ => {}
            }
        }
        match self.fault {
            Fault::NeverAsksForEverything => next.map(|_| NextRecord::Changes),
            Fault::AlwaysAsksForEverything => next.map(|_| NextRecord::Everything),
            Fault::OneTailForAllBranches => {
                let mut memory = self.memory();
                let tail = memory.tails.entry((thread, namespace)).or_default();
                *tail = if full { 0 } else { *tail + 1 };
                let long = *tail >= 64;
                next.map(|_| {
                    if long {
                        NextRecord::Everything
                    } else {
                        NextRecord::Changes
                    }
                })
            }
            _ => next,
        }
    }

    fn relink(&self, thread: &ThreadId, namespace: &GraphPath, record: &mut Record) {
        let newest = self
            .newest(thread, namespace)
            .filter(|newest| *newest < record.id);
        match self.fault {
            Fault::BeginningsAreJoined if record.parent.is_none() => record.parent = newest,
            Fault::ForgetsForks if record.parent.is_some() => record.parent = newest,
            Fault::LosesTasksOfForks if record.parent != newest => record.tasks.clear(),
            Fault::OneLayout => {
                let mut memory = self.memory();
                let layout = memory.layouts.entry(thread.clone());
                record.layout = layout.or_insert_with(|| record.layout.clone()).clone();
            }
            _ => {}
        }
    }

    fn remember(&self, notes: Notes) -> Answer<()> {
        let Notes {
            thread,
            namespace,
            epoch,
            durability,
            checkpoint,
            mut notes,
            events,
        } = notes;
        let (thread, namespace) = (self.thread(&thread), self.namespace(&namespace));
        let mut epoch = self.epoch(&thread, epoch, self.is(Fault::NoteIgnoresEpoch));
        let mut _guest = None;
        if self.is(Fault::OneLeaseForAll)
            && let Ok(lease) = now(self.inner.lease(&thread))
        {
            epoch = lease.epoch;
            _guest = Some(lease);
        }
        notes
            .iter_mut()
            .for_each(|note| mangle::note(self.fault, note));
        match self.fault {
            Fault::LosesNotes => notes.clear(),
            Fault::FirstNoteOnly => notes.truncate(1),
            Fault::NotesOfTheNewestOnly if self.newest(&thread, &namespace) != Some(checkpoint) => {
                notes.clear();
            }
            Fault::KeepsTakenAnswers => {
                notes.retain(|note| note.extras.resume != Some(PlainAnswer::Taken));
            }
            Fault::NotesReplace => {
                let place = (thread.clone(), namespace.clone(), checkpoint);
                let mut memory = self.memory();
                let last = memory.notes.entry(place).or_default();
                last.extend(notes.iter().map(|note| (note.key.clone(), note.clone())));
            }
            _ => {}
        }
        let events = self.written(&thread, Fault::LosesEventsOfNotes, events);
        let store = |namespace: GraphPath| {
            let (thread, notes, events) = (thread.clone(), notes.clone(), events.clone());
            now(self.inner.note(Notes {
                thread,
                namespace,
                epoch,
                durability,
                checkpoint,
                notes,
                events,
            }))
        };
        if self.is(Fault::NotesOfAllNamespaces) {
            drop(store(root()));
        }
        match store(namespace) {
            Err(SaverError::Corrupt(_)) if self.is(Fault::SwallowsRefusals) => Ok(()),
            answer => answer,
        }
    }

    /// Entries as the faults store them.
    fn written(&self, thread: &ThreadId, loses: Fault, mut events: Vec<Logged>) -> Vec<Logged> {
        if self.is(loses) {
            events.clear();
        }
        for event in &mut events {
            match (self.fault, &mut event.entry) {
                (Fault::ForgetsWhereStatesAre, Entry::Event(logged_event)) => {
                    logged_event.state = None
                }
                (Fault::ForgetsCheckpointsOfEntries, _) => event.checkpoint = None,
                _ => {}
            }
        }
        if !events.is_empty() {
            self.memory().logged.insert(thread.clone());
        }
        events
    }

    fn append(&self, thread: &ThreadId, epoch: u64, events: Vec<Logged>) -> Answer<()> {
        let thread = thread.clone();
        let events = self.written(&thread, Fault::LosesEventsAlone, events);
        let answer = now(self.inner.log(Events {
            thread,
            epoch,
            events,
        }));
        match answer {
            Err(SaverError::Corrupt(_)) if self.is(Fault::CursorsMayShrink) => Ok(()),
            Err(SaverError::Conflict { .. }) if self.is(Fault::LogIgnoresEpoch) => Ok(()),
            answer => answer,
        }
    }

    fn entries(
        &self,
        asked: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> Answer<Vec<Logged>> {
        let thread = self.thread(asked);
        let (after, limit) = match self.fault {
            Fault::CursorIsInclusive => (after.map(Cursor::before), limit),
            Fault::CursorCountsInItsRunOnly => (after.filter(|after| after.n < 40), limit),
            Fault::IgnoresEventLimit => (after, usize::MAX),
            _ => (after, limit),
        };
        let mut found = now(self.inner.events(&thread, after, limit))?;
        let memory = self.memory();
        match self.fault {
            Fault::EventsInReverse => found.reverse(),
            Fault::EventsByNumber => found.sort_by_key(|entry| entry.cursor.n),
            Fault::OneLogForAll => {
                for other in memory.logged.iter().filter(|other| **other != thread) {
                    found.extend(now(self.inner.events(other, after, limit))?);
                }
            }
            Fault::CopyLosesEvents if memory.copied.contains(&thread) => found.clear(),
            Fault::DeleteLeavesEvents => {
                let left = memory.events.get(&thread).cloned().unwrap_or_default();
                found.splice(0..0, left);
            }
            Fault::PruneLeavesEvents => {
                if let Some(kept) = memory.events.get(&thread) {
                    return Ok(kept.clone());
                }
            }
            Fault::PruneDropsEveryEvent if memory.cuts.contains_key(&thread) => found.clear(),
            _ => {}
        }
        Ok(found)
    }

    fn read(&self, asked: &ThreadId, namespace: &GraphPath, at: At) -> Answer<Option<Loaded>> {
        let (thread, namespace) = (self.thread(asked), self.namespace(namespace));
        if self.hides(asked, &namespace)? {
            return Ok(None);
        }
        if self.is(Fault::ReadingIsUse) {
            drop(now(self.inner.lease(&thread)));
        }
        let load = |at| now(self.inner.load(&thread, &namespace, at));
        let loaded = match (self.fault, at) {
            (Fault::UnknownThreadIsAnError, _) if self.newest(&thread, &root()).is_none() => {
                return Err(SaverError::NoThread { thread });
            }
            (Fault::LatestIsOneBehind, At::Latest) => match self.newest(&thread, &namespace) {
                Some(newest) => load(At::Before(newest))?.or(load(At::Latest)?),
                None => None,
            },
            (Fault::IdFindsTheNearest, At::Id(id)) => load(At::Id(id))?.or(load(At::Before(id))?),
            (Fault::BeforeIsInclusive, At::Before(id)) => {
                load(At::Id(id))?.or(load(At::Before(id))?)
            }
            (Fault::SignedIds, At::Latest) => {
                let all = self.all(&thread, &namespace);
                all.into_iter()
                    .max_by_key(|loaded| loaded.head().map(|r| r.id.0 as i128))
            }
            _ => load(at)?,
        };
        Ok(loaded.and_then(|loaded| self.shown(asked, &thread, &namespace, loaded)))
    }

    /// Whether a whole namespace cannot be seen.
    fn hides(&self, asked: &ThreadId, namespace: &GraphPath) -> Answer<bool> {
        let memory = self.memory();
        if self.is(Fault::ReadingNeedsTheLease) && memory.leased.contains(asked) {
            return Err(SaverError::Busy {
                thread: asked.clone(),
            });
        }
        Ok(memory.without_namespaces.contains(asked) && !namespace.is_root())
    }

    /// A checkpoint as the faults show it.
    fn shown(
        &self,
        asked: &ThreadId,
        thread: &ThreadId,
        namespace: &GraphPath,
        mut loaded: Loaded,
    ) -> Option<Loaded> {
        let head = loaded.head()?.clone();
        let memory = self.memory();
        if let Some(cut) = memory.cuts.get(thread)
            && namespace.is_root()
        {
            if head.id < *cut {
                return None;
            }
            if self.is(Fault::PruneBreaksChains) {
                let all = loaded.chain.iter().cloned();
                loaded.chain = all.filter(|record| record.id >= *cut).collect();
            }
        }
        if memory.without_notes.contains(asked) {
            loaded.notes.clear();
        }
        if let Some(notes) = memory
            .notes
            .get(&(thread.clone(), namespace.clone(), head.id))
        {
            loaded.notes = notes.values().cloned().collect();
        }
        match self.fault {
            Fault::ChainGoesBackTooFar => {
                let first = loaded.chain.first().and_then(|record| record.parent);
                let before = first.map(|id| now(self.inner.load(thread, namespace, At::Id(id))));
                let before = before.and_then(|before| before.unwrap());
                let older = before.map(|before| before.chain).unwrap_or_default();
                loaded.chain = older.iter().chain(loaded.chain.iter()).cloned().collect();
            }
            Fault::ChainIsTheHead => loaded.chain = vec![head].into(),
            Fault::NeverSuperseded => loaded.superseded = false,
            Fault::SomeNotesAreEnough => loaded.notes.truncate(1000),
            Fault::TasksOutrankNotes => {
                let all = self.all(thread, namespace);
                let heads = all.iter().rev().filter_map(Loaded::head);
                for child in heads.filter(|record| record.parent == Some(head.id)) {
                    for task in &child.tasks {
                        let mut known = loaded.notes.iter_mut();
                        let known = known.find(|note| note.key == task.key);
                        known.into_iter().for_each(|note| note.absorb(task.clone()));
                    }
                }
            }
            _ => {}
        }
        Some(loaded)
    }

    fn list(
        &self,
        asked: &ThreadId,
        namespace: &GraphPath,
        query: &HistoryQuery,
    ) -> Answer<Vec<Loaded>> {
        let thread = self.thread(asked);
        let namespace = match self.fault {
            Fault::HistoryOfTheRoot => root(),
            _ => self.namespace(namespace),
        };
        if self.hides(asked, &namespace)? {
            return Ok(Vec::new());
        }
        let mut query = query.clone();
        match self.fault {
            Fault::IgnoresLimit => query.limit = None,
            Fault::IgnoresBefore => query.before = None,
            Fault::IgnoresSource => query.source = None,
            Fault::IgnoresStep => query.step = None,
            _ => {}
        }
        let mut found = match self.fault {
            Fault::LimitsBeforeFiltering => {
                let all = self.all(&thread, &namespace).into_iter();
                let page = all.take(query.limit.unwrap_or(usize::MAX));
                let wants = |loaded: &Loaded| loaded.head().is_some_and(|r| query.wants(r));
                page.filter(wants).collect()
            }
            _ => now(self.inner.history(&thread, &namespace, &query))?,
        };
        if self.is(Fault::OldestFirst) {
            found.reverse();
        }
        let shown = found.into_iter();
        let shown = shown.filter_map(|one| self.shown(asked, &thread, &namespace, one));
        let mut shown: Vec<Loaded> = shown.collect();
        if self.is(Fault::HistoryShowsHeads) {
            for loaded in &mut shown {
                loaded.chain = loaded.chain.last().cloned().into_iter().collect();
            }
        }
        Ok(shown)
    }

    fn names(&self) -> Answer<Vec<ThreadId>> {
        let mut names = now(self.inner.threads())?;
        let memory = self.memory();
        names.extend(memory.aliases.keys().cloned());
        if self.is(Fault::LeaseMakesThread) {
            names.extend(memory.leased.iter().cloned());
        }
        if self.is(Fault::LogMakesThread) {
            names.extend(memory.logged.iter().cloned());
        }
        names.sort();
        names.dedup();
        if self.is(Fault::ListsInReverse) {
            names.reverse();
        }
        Ok(names)
    }

    fn erase(&self, thread: &ThreadId) -> Answer<()> {
        let thread = self.thread(thread);
        let known = self.newest(&thread, &root()).is_some();
        match self.fault {
            Fault::DeleteNeedsAThread if !known => return Err(SaverError::NoThread { thread }),
            Fault::DeletesByPrefix => {
                let names = now(self.inner.threads())?.into_iter();
                let mut alike = names.filter(|name| name.as_str().starts_with(thread.as_str()));
                return alike.try_for_each(|name| now(self.inner.delete(&name)));
            }
            _ => {}
        }
        let below = GraphPath::from("a:1");
        let left: Vec<Loaded> = self.all(&thread, &below);
        let noted: Vec<Loaded> = self.all(&thread, &root());
        let logged_event = now(self.inner.events(&thread, None, usize::MAX))?;
        match now(self.inner.delete(&thread)) {
            Err(SaverError::Busy { .. }) if self.is(Fault::DeletesTheLeased) => return Ok(()),
            answer => answer?,
        }
        match self.fault {
            Fault::DeleteLeavesANamespace => {
                let lease = now(self.inner.lease(&thread))?;
                for record in left.iter().rev().filter_map(Loaded::head) {
                    let record = record.clone();
                    let (thread, namespace) = (thread.clone(), below.clone());
                    let epoch = lease.epoch;
                    now(self.inner.commit(Commit {
                        thread,
                        namespace,
                        epoch,
                        record,
                        events: Vec::new(),
                    }))?;
                }
            }
            Fault::DeleteLeavesEvents => drop(self.memory().events.insert(thread, logged_event)),
            Fault::DeleteLeavesNotes => {
                for loaded in &noted {
                    let id = loaded.head().unwrap().id;
                    let notes = loaded
                        .notes
                        .iter()
                        .map(|note| (note.key.clone(), note.clone()));
                    let place = (thread.clone(), root(), id);
                    self.memory().notes.insert(place, notes.collect());
                }
            }
            Fault::EpochsBeginAgain => {
                let mut memory = self.memory();
                let newest = memory.epochs.get(&thread).copied().unwrap_or(0);
                memory.bases.insert(thread, newest);
            }
            _ => {}
        }
        Ok(())
    }

    fn duplicate(&self, from: &ThreadId, to: &ThreadId) -> Answer<()> {
        if self.is(Fault::CopySharesState) && self.newest(from, &root()).is_some() {
            self.memory().aliases.insert(to.clone(), from.clone());
            return Ok(());
        }
        if self.is(Fault::CopiedNamesStayTaken) && !self.memory().copied.insert(to.clone()) {
            return Err(SaverError::Exists { thread: to.clone() });
        }
        let (inner_from, inner_to) = (self.thread(from), self.thread(to));
        let answer = match now(self.inner.copy(&inner_from, &inner_to)) {
            Err(SaverError::Exists { .. }) if self.is(Fault::CopyOverwrites) => Ok(()),
            Err(SaverError::NoThread { .. }) if self.is(Fault::CopiesNothing) => Ok(()),
            answer => answer,
        };
        match self.fault {
            Fault::CopyLosesEvents => drop(self.memory().copied.insert(to.clone())),
            Fault::EpochsBeginAgainInCopies => {
                let mut memory = self.memory();
                let newest = memory.epochs.values().max().copied().unwrap_or(0);
                memory.bases.insert(to.clone(), newest);
            }
            Fault::CopyLosesNotes => drop(self.memory().without_notes.insert(to.clone())),
            Fault::CopyLosesNamespaces => drop(self.memory().without_namespaces.insert(to.clone())),
            _ => {}
        }
        answer
    }

    fn take_in(&self, thread: &ThreadId, archive: Archive) -> Answer<()> {
        if self.is(Fault::ImportsShareState) {
            let mut memory = self.memory();
            let first = memory.copied.iter().next().cloned();
            memory.copied.insert(thread.clone());
            if let Some(first) = first {
                memory.aliases.insert(thread.clone(), first);
                return Ok(());
            }
        }
        keeping::import(&self.inner, self.fault, &self.thread(thread), archive)
    }

    fn cut(&self, asked: &ThreadId, keep: Keep) -> Answer<()> {
        let thread = self.thread(asked);
        let keep = match (self.fault, keep) {
            (Fault::PruneKeepsTheNewestOnly, _) => Keep::Latest,
            (Fault::EachPruneTakesMore, Keep::Last(n)) => {
                let mut memory = self.memory();
                memory.prunes += 1;
                Keep::Last(n.saturating_add(1).saturating_sub(memory.prunes))
            }
            _ => keep,
        };
        match self.fault {
            Fault::PanicsOnPrune => panic!("no pruning today"),
            Fault::PrunesNothing => return Ok(()),
            Fault::PrunesTheRootOnly | Fault::PruneBreaksChains => {
                let n = match keep {
                    Keep::Latest => 1,
                    Keep::Last(n) => n,
                };
                let all = self.all(&thread, &root());
                let cut = all.iter().take(n).next_back().and_then(Loaded::head);
                let cut = cut.ok_or_else(|| SaverError::NoThread {
                    thread: thread.clone(),
                })?;
                self.memory().cuts.insert(thread, cut.id);
                return Ok(());
            }
            Fault::PrunesEveryThread => {
                for name in now(self.inner.threads())? {
                    now(self.inner.prune(&name, keep))?;
                }
                return Ok(());
            }
            Fault::PruneLeavesEvents => {
                let all = now(self.inner.events(&thread, None, usize::MAX))?;
                self.memory().events.insert(thread.clone(), all);
            }
            Fault::PruneDropsEveryEvent => {
                let newest = self.newest(&thread, &root());
                let cut = newest.into_iter().map(|newest| (thread.clone(), newest));
                self.memory().cuts.extend(cut);
            }
            Fault::PruneLosesNotes => drop(self.memory().without_notes.insert(thread.clone())),
            Fault::PruneDropsWhatIsBelow => {
                self.memory().without_namespaces.insert(thread.clone());
            }
            _ => {}
        }
        match now(self.inner.prune(&thread, keep)) {
            Err(SaverError::NoThread { .. }) if self.is(Fault::PrunesTheUnknown) => Ok(()),
            Err(SaverError::Busy { .. }) if self.is(Fault::PrunesTheLeased) => Ok(()),
            answer => answer,
        }
    }
}

impl Saver for Broken {
    fn lease(&self, thread: &ThreadId) -> MaybeReady<'_, Lease> {
        MaybeReady::now(self.claim(thread))
    }

    fn load(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        at: At,
    ) -> MaybeReady<'_, Option<Loaded>> {
        MaybeReady::now(self.read(thread, namespace, at))
    }

    fn history(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        query: &HistoryQuery,
    ) -> MaybeReady<'_, Vec<Loaded>> {
        MaybeReady::now(self.list(thread, namespace, query))
    }

    fn commit(&self, commit: Commit) -> MaybeReady<'_, NextRecord> {
        if self.is(Fault::StartsWhenAwaited) {
            return MaybeReady::Later(Box::pin(async move { self.store(commit) }));
        }
        MaybeReady::now(self.store(commit))
    }

    fn note(&self, notes: Notes) -> MaybeReady<'_, ()> {
        MaybeReady::now(self.remember(notes))
    }

    fn log(&self, events: Events) -> MaybeReady<'_, ()> {
        let thread = self.thread(&events.thread);
        MaybeReady::now(self.append(&thread, events.epoch, events.events))
    }

    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> MaybeReady<'_, Vec<Logged>> {
        MaybeReady::now(self.entries(thread, after, limit))
    }

    fn changed(&self, thread: &ThreadId) -> MaybeReady<'_, ()> {
        match self.fault {
            Fault::NeverWakes => MaybeReady::Later(Box::pin(std::future::pending())),
            Fault::WakesOnlyWhoAwaits => {
                let thread = thread.clone();
                MaybeReady::Later(Box::pin(async move { self.inner.changed(&thread).await }))
            }
            _ => self.inner.changed(thread),
        }
    }

    fn threads(&self) -> MaybeReady<'_, Vec<ThreadId>> {
        MaybeReady::now(self.names())
    }

    fn find_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadPage> {
        self.inner.find_threads(query)
    }

    fn count_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadCounts> {
        self.inner.count_threads(query)
    }

    fn delete(&self, thread: &ThreadId) -> MaybeReady<'_, ()> {
        MaybeReady::now(self.erase(thread))
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> MaybeReady<'_, ()> {
        MaybeReady::now(self.duplicate(from, to))
    }

    fn prune(&self, thread: &ThreadId, keep: Keep) -> MaybeReady<'_, ()> {
        MaybeReady::now(self.cut(thread, keep))
    }

    fn export(&self, thread: &ThreadId) -> MaybeReady<'_, Archive> {
        MaybeReady::now(keeping::export(
            &self.inner,
            self.fault,
            &self.thread(thread),
        ))
    }

    fn import(&self, thread: &ThreadId, archive: Archive) -> MaybeReady<'_, ()> {
        MaybeReady::now(self.take_in(thread, archive))
    }

    fn retain(&self, retention: &Retention, now: UnixMillis) -> MaybeReady<'_, Retained> {
        MaybeReady::now(keeping::retain(&self.inner, self.fault, retention, now))
    }

    fn now(&self) -> MaybeReady<'_, UnixMillis> {
        self.inner.now()
    }

    fn runs(&self) -> &dyn Runs {
        self.inner.runs()
    }

    fn run_queue(&self) -> &dyn RunQueue {
        self.inner.run_queue()
    }

    fn schedules(&self) -> &dyn Schedules {
        self.inner.schedules()
    }

    fn thread_records(&self) -> &dyn ThreadRecords {
        self.inner.thread_records()
    }

    fn after_runs(&self) -> &dyn AfterRuns {
        self.inner.after_runs()
    }
}
