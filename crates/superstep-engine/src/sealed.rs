//! Sealed fields: input and edits from outside the graph must not name them.

use superstep_core::{
    command::Output,
    edit::Update,
    error::{Error, ErrorKind},
    id::GraphPath,
    run::RunInput,
    runs::QueuedInput,
};

use crate::{
    fields::{Field, of_command, of_value},
    graph::DynGraph,
    options::CheckpointRef,
};

impl DynGraph {
    /// Refuses an input or a command of a caller that writes sealed fields.
    pub(crate) fn refuse_sealed_input(&self, input: &RunInput) -> Result<(), ErrorKind> {
        match input {
            RunInput::Nothing => Ok(()),
            RunInput::Value(value) => self.refuse_sealed(|fields| of_value(value, fields)),
            RunInput::Command(command, _) => {
                self.refuse_sealed(|fields| of_command(command, fields))
            }
        }
    }

    /// Refuses a queued input or command that writes sealed fields.
    pub(crate) fn refuse_sealed_queued(&self, input: &QueuedInput) -> Result<(), ErrorKind> {
        match input {
            QueuedInput::Value(value) => self.refuse_sealed(|fields| of_value(value, fields)),
            QueuedInput::Command(command, _) => {
                self.refuse_sealed(|fields| of_command(command, fields))
            }
            _ => Ok(()),
        }
    }

    /// Refuses an edit that names sealed fields, or fields that a typed state does not have or has in another type,
    /// before anything is written.
    pub fn check_update(&self, at: Option<&CheckpointRef>, update: &Update) -> Result<(), Error> {
        let root = GraphPath::default();
        let (graph, _) = self.at_namespace(at.map_or(&root, |at| &at.namespace))?;
        graph.refuse_sealed_edit(&update.output)?;
        let mut fields = Vec::new();
        graph.fields_of(&update.output, &mut fields);
        Ok(graph.refuse_misfits("the update", &fields)?)
    }

    /// Refuses an edit that writes sealed fields.
    pub(crate) fn refuse_sealed_edit(&self, output: &Output) -> Result<(), ErrorKind> {
        self.refuse_sealed(|fields| self.fields_of(output, fields))
    }

    fn refuse_sealed<'a>(
        &self,
        collect: impl FnOnce(&mut Vec<Field<'a>>),
    ) -> Result<(), ErrorKind> {
        let sealed = self.0.typed.sealed;
        if sealed.is_empty() {
            return Ok(());
        }
        let mut fields = Vec::new();
        collect(&mut fields);
        let names = fields.into_iter().map(|(name, _)| name);
        let names: Vec<String> = names
            .filter(|name| sealed.contains(name))
            .map(str::to_owned)
            .collect();
        match names.is_empty() {
            true => Ok(()),
            false => Err(ErrorKind::SealedFields { names }),
        }
    }
}
