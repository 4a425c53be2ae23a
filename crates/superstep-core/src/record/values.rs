//! Whether the values of a record can be stored, exported and imported.

use super::{Change, Effect, Pending, PlainAnswer, Record, StartValue, TaskNote, Write};
use crate::{
    command::{Command, Goto},
    value::Value,
};

impl Record {
    /// Whether no value is nested deeper than [`crate::value::MAX_DEPTH`]; see
    /// [`crate::value::Value::fits`].
    pub fn fits(&self) -> bool {
        let changes = self.changes.iter().all(|(_, change)| match change {
            Change::Set(value) | Change::Extend(value) => value.fits(),
            Change::Clear => true,
        });
        let Pending { start, sends, .. } = &self.pending;
        let starts = match start {
            Some(StartValue::Input(value)) => value.fits(),
            Some(StartValue::Command(command)) => command_fits(command),
            None => true,
        };
        let sent = sends.iter().all(|send| send.arg.fits());
        changes && starts && sent && self.tasks.iter().all(TaskNote::fits)
    }
}

fn command_fits(command: &Command) -> bool {
    let goes = command.goto.iter().all(|goto| match goto {
        Goto::Send(send) => send.arg.fits(),
        Goto::Node(_) => true,
    });
    goes && command.update.iter().all(|(_, value)| value.fits())
}

impl TaskNote {
    /// Whether no value is nested deeper than [`crate::value::MAX_DEPTH`].
    pub fn fits(&self) -> bool {
        let written = self.output.iter().flatten().all(|write| match write {
            Write::State(_, value) | Write::Return(value) => value.fits(),
            Write::Send(send) => send.arg.fits(),
            Write::Fire(_) | Write::Join(..) => true,
        });
        let asked =
            self.extras.asks.iter().all(|ask| {
                ask.value.fits() && ask.schema.as_ref().is_none_or(|schema| schema.fits())
            });
        let done = self.extras.effects.values().all(|effect| match effect {
            Effect::Done(value) => value.fits(),
            Effect::Started | Effect::Failed => true,
        });
        let resumed = match &self.extras.resume {
            Some(PlainAnswer::Given(value)) => value.fits(),
            Some(PlainAnswer::Taken) | None => true,
        };
        let mut answers = self.extras.answers.iter().chain(self.extras.given.values());
        written && asked && done && resumed && answers.all(Value::fits)
    }
}
