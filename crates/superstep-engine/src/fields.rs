//! Fields that callers write: those of an input, a command or an edit, checked before anything is stored.

use superstep_core::{
    command::{Command, Output},
    error::{Error, ErrorKind},
    runs::QueuedInput,
    value::Value,
};

use crate::graph::DynGraph;

/// A field with the value that is written to it.
pub(crate) type Field<'a> = (&'a str, &'a Value);

impl DynGraph {
    /// Refuses an input or a command with a field that the state of a typed graph does not have (SS1120) or has in
    /// another type (SS1013). Nothing is run and nothing is written. Dynamic graphs take any names.
    pub fn check_fields(&self, input: &QueuedInput) -> Result<(), Error> {
        let mut fields = Vec::new();
        match input {
            QueuedInput::Value(value @ (Value::Map(_) | Value::Typed(_))) => {
                of_value(value, &mut fields);
            }
            QueuedInput::Value(other) if self.has_named_fields() => {
                let why = format!("it must be an object, is {}", other.kind());
                let what = "the input".to_owned();
                return Err(ErrorKind::Decode { what, why }.into());
            }
            QueuedInput::Command(command, _) => of_command(command, &mut fields),
            _ => {}
        }
        Ok(self.refuse_misfits("the input", &fields)?)
    }

    /// The fields of an edit.
    pub(crate) fn fields_of<'a>(&'a self, output: &'a Output, fields: &mut Vec<Field<'a>>) {
        match output {
            Output::Nothing | Output::Final { .. } => {}
            Output::Update(value) => of_value(value, fields),
            Output::Writes(writes) => fields.extend(writes.iter().map(|(channel, value)| {
                let name: &str = &self.0.plan.channels.row(*channel).name;
                (name, value)
            })),
            Output::Command(command) => of_command(command, fields),
            Output::Many(outputs) => {
                for output in outputs {
                    self.fields_of(output, fields);
                }
            }
        }
    }

    /// Refuses fields that a typed state does not have, or has in another type.
    pub(crate) fn refuse_misfits(&self, of: &str, fields: &[Field<'_>]) -> Result<(), ErrorKind> {
        if !self.has_named_fields() {
            return Ok(());
        }
        let plan = &self.0.plan;
        let empty = (plan.fresh)();
        let mut names = Vec::new();
        for (name, value) in fields {
            match plan.channel(name) {
                // A reducer may refuse what would suit the state of the thread; a type suits no state.
                Some(channel) => {
                    if let Err(misfit @ ErrorKind::Decode { .. }) = empty.peek(channel, &[*value]) {
                        return Err(misfit);
                    }
                }
                None => names.push((*name).to_owned()),
            }
        }
        match names.is_empty() {
            true => Ok(()),
            false => Err(ErrorKind::UnknownKeys {
                of: of.to_owned(),
                names,
            }),
        }
    }

    /// Whether it has a typed state; one that is a single value has no names.
    fn has_named_fields(&self) -> bool {
        let plan = &self.0.plan;
        plan.state.is_some() && plan.root.or(plan.previous).is_none()
    }
}

/// The fields of an object, or of the objects of a list.
pub(crate) fn of_value<'a>(value: &'a Value, fields: &mut Vec<Field<'a>>) {
    match value {
        Value::Map(map) => fields.extend(map.iter().map(|(name, value)| (&**name, value))),
        Value::List(parts) => parts.iter().for_each(|part| of_value(part, fields)),
        _ => {}
    }
}

/// The fields that a command writes.
pub(crate) fn of_command<'a>(command: &'a Command, fields: &mut Vec<Field<'a>>) {
    fields.extend(command.update.iter().map(|(name, value)| (&**name, value)));
}
