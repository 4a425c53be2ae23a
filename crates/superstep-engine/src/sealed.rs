//! Sealed fields: input and edits from outside the graph must not name them.

use superstep_core::{
    command::{Command, Output},
    edit::Update,
    error::{Error, ErrorKind},
    id::GraphPath,
    run::RunInput,
    runs::QueuedInput,
    value::Value,
};

use crate::{graph::DynGraph, options::CheckpointRef};

impl DynGraph {
    /// Refuses an input or a command of a caller that writes sealed fields.
    pub(crate) fn refuse_sealed_input(&self, input: &RunInput) -> Result<(), ErrorKind> {
        match input {
            RunInput::Nothing => Ok(()),
            RunInput::Value(value) => self.refuse_sealed(|names| keys(value, names)),
            RunInput::Command(command, _) => self.refuse_sealed(|names| updated(command, names)),
        }
    }

    /// Refuses a queued input or command that writes sealed fields.
    pub(crate) fn refuse_sealed_queued(&self, input: &QueuedInput) -> Result<(), ErrorKind> {
        match input {
            QueuedInput::Value(value) => self.refuse_sealed(|names| keys(value, names)),
            QueuedInput::Command(command, _) => self.refuse_sealed(|names| updated(command, names)),
            _ => Ok(()),
        }
    }

    /// Refuses an edit that names sealed fields, before anything is written.
    pub fn check_update(&self, at: Option<&CheckpointRef>, update: &Update) -> Result<(), Error> {
        let root = GraphPath::default();
        let (graph, _) = self.at_namespace(at.map_or(&root, |at| &at.namespace))?;
        Ok(graph.refuse_sealed_edit(&update.output)?)
    }

    /// Refuses an edit that writes sealed fields.
    pub(crate) fn refuse_sealed_edit(&self, output: &Output) -> Result<(), ErrorKind> {
        self.refuse_sealed(|names| self.written(output, names))
    }

    fn refuse_sealed(&self, collect: impl FnOnce(&mut Vec<String>)) -> Result<(), ErrorKind> {
        let sealed = self.0.typed.sealed;
        if sealed.is_empty() {
            return Ok(());
        }
        let mut names = Vec::new();
        collect(&mut names);
        names.retain(|name| sealed.contains(&name.as_str()));
        match names.is_empty() {
            true => Ok(()),
            false => Err(ErrorKind::SealedFields { names }),
        }
    }

    fn written(&self, output: &Output, names: &mut Vec<String>) {
        match output {
            Output::Nothing | Output::Final { .. } => {}
            Output::Update(value) => keys(value, names),
            Output::Writes(writes) => names.extend(writes.iter().map(|(channel, _)| {
                let name = &self.0.plan.channels.row(*channel).name;
                name.to_string()
            })),
            Output::Command(command) => updated(command, names),
            Output::Many(outputs) => {
                for output in outputs {
                    self.written(output, names);
                }
            }
        }
    }
}

fn keys(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Map(map) => names.extend(map.iter().map(|(name, _)| name.to_string())),
        Value::List(parts) => parts.iter().for_each(|part| keys(part, names)),
        _ => {}
    }
}

fn updated(command: &Command, names: &mut Vec<String>) {
    names.extend(command.update.iter().map(|(name, _)| name.to_string()));
}
