//! A checkpoint as a line of an archive: a record whose layout is a number, and its notes.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::Archived;
use crate::{
    command::{Command, Goto, Send},
    id::{CheckpointId, GraphPath},
    policy::Durability,
    record::{
        Change, Effect, Layout, NoteExtras, Pending, PlainAnswer, Record, Source, StartValue,
        TaskNote, Write,
    },
    table::{ChannelIx, NodeIx, TriggerIx},
    value::Value,
};

/// See [`Record`] and [`Archived`] for what the fields are.
#[derive(Serialize, Deserialize)]
pub(super) struct Row {
    id: CheckpointId,
    parent: Option<CheckpointId>,
    step: i64,
    source: Source,
    #[serde(default)]
    durability: Durability,
    pub(super) layout: usize,
    full: bool,
    changes: Vec<(ChannelIx, Change)>,
    pending: Pending,
    touched: Option<Vec<TriggerIx>>,
    last_ran: Vec<NodeIx>,
    last_seen: u64,
    clock: u64,
    paused_at: u64,
    parents: Arc<BTreeMap<GraphPath, CheckpointId>>,
    tasks: Vec<TaskNote>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    notes: Option<Vec<TaskNote>>,
}

impl Row {
    pub(super) fn new(archived: &Archived, layout: usize) -> Self {
        let Archived { record, notes } = archived.clone();
        let Record {
            id,
            parent,
            step,
            source,
            durability,
            layout: _,
            changes,
            full,
            pending,
            touched,
            last_ran,
            last_seen,
            clock,
            paused_at,
            parents,
            tasks,
        } = Arc::unwrap_or_clone(record);
        Self {
            id,
            parent,
            step,
            source,
            durability,
            layout,
            full,
            changes,
            pending,
            touched,
            last_ran,
            last_seen,
            clock,
            paused_at,
            parents,
            tasks,
            notes,
        }
    }

    pub(super) fn archived(self, layout: Arc<Layout>) -> Archived {
        let record = Record {
            id: self.id,
            parent: self.parent,
            step: self.step,
            source: self.source,
            durability: self.durability,
            layout,
            changes: self.changes,
            full: self.full,
            pending: self.pending,
            touched: self.touched,
            last_ran: self.last_ran,
            last_seen: self.last_seen,
            clock: self.clock,
            paused_at: self.paused_at,
            parents: self.parents,
            tasks: self.tasks,
        };
        Archived {
            record: Arc::new(record),
            notes: self.notes,
        }
    }

    /// Visits every value. The patterns name all fields, so that a new one is not forgotten.
    pub(super) fn each_value<E>(
        &mut self,
        visit: &mut dyn FnMut(&mut Value) -> Result<(), E>,
    ) -> Result<(), E> {
        for (_, change) in &mut self.changes {
            match change {
                Change::Set(value) | Change::Extend(value) => visit(value)?,
                Change::Clear => {}
            }
        }
        let Pending {
            start,
            fired: _,
            sends,
            held: _,
        } = &mut self.pending;
        match start {
            Some(StartValue::Input(value)) => visit(value)?,
            Some(StartValue::Command(command)) => of_command(command, visit)?,
            None => {}
        }
        if !sends.is_empty() {
            for send in Arc::make_mut(sends) {
                visit(&mut send.arg)?;
            }
        }
        let notes = self.notes.iter_mut().flatten();
        for note in self.tasks.iter_mut().chain(notes) {
            of_note(note, visit)?;
        }
        Ok(())
    }
}

fn of_command<E>(
    command: &mut Command,
    visit: &mut dyn FnMut(&mut Value) -> Result<(), E>,
) -> Result<(), E> {
    let Command {
        update,
        goto,
        target: _,
    } = command;
    for (_, value) in update {
        visit(value)?;
    }
    for goto in goto {
        match goto {
            Goto::Send(Send { arg, .. }) => visit(arg)?,
            Goto::Node(_) => {}
        }
    }
    Ok(())
}

fn of_note<E>(
    note: &mut TaskNote,
    visit: &mut dyn FnMut(&mut Value) -> Result<(), E>,
) -> Result<(), E> {
    let TaskNote {
        key: _,
        output,
        extras,
    } = note;
    for write in output.iter_mut().flatten() {
        match write {
            Write::State(_, value) | Write::Return(value) => visit(value)?,
            Write::Send(send) => visit(&mut send.arg)?,
            Write::Fire(_) | Write::Join(..) => {}
        }
    }
    if extras.is_none() {
        return Ok(());
    }
    let NoteExtras {
        asks,
        answers,
        asked: _,
        given,
        refused: _,
        error: _,
        handled: _,
        effects,
        resume,
        answered: _,
        offset: _,
        name: _,
        args: _,
        layout: _,
    } = &mut **extras;
    for ask in asks {
        visit(&mut ask.value)?;
        ask.schema.as_mut().map_or(Ok(()), &mut *visit)?;
    }
    for answer in answers.iter_mut().chain(given.values_mut()) {
        visit(answer)?;
    }
    for effect in effects.values_mut() {
        match effect {
            Effect::Done(value) => visit(value)?,
            Effect::Started | Effect::Failed => {}
        }
    }
    match resume {
        Some(PlainAnswer::Given(value)) => visit(value),
        Some(PlainAnswer::Taken) | None => Ok(()),
    }
}
