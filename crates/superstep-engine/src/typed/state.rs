//! What a typed state is: a struct whose fields are channels. `#[derive(State)]` writes all of it.

use std::any::Any;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value as Json;
use superstep_core::{
    channel_state::{Folded, Recording},
    error::ErrorKind,
    plan::FieldShape,
    record::Change,
    value::{DecodeError, Map, Value},
};

use super::reducer::Undo;

/// How long a field keeps its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Until the next write; stored.
    Stored,
    /// For the step after the write, then it is the default again.
    Ephemeral,
    /// Until the next write, but never stored: a thread that is continued has the default.
    Untracked,
}

/// The writes of one step to a field.
pub type Writes<'a> = &'a mut dyn ExactSizeIterator<Item = Value>;

/// A graph's state: a plain struct, one channel per field.
///
/// Made by `#[derive(State)]`; fields are addressed by their position.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use superstep::State;
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// struct Mail {
///     subject: String,
///     #[reduce(Append)]
///     log: Vec<String>,
///     #[state(ephemeral)]
///     alert: Option<String>,
/// }
///
/// let update = Mail::update().subject("hi").log(["made".to_owned()]);
/// assert_eq!(Mail::VERSION, 1);
/// # drop(update);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the state of a graph",
    note = "add `#[derive(Clone, Default, Serialize, Deserialize, State)]` to the struct"
)]
pub trait State: Clone + Default + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// A partial change of the state.
    type Update: Update<State = Self> + From<Self>;

    /// The declared version.
    const VERSION: u32;

    /// Names of the fields, and how long each keeps its value.
    const FIELDS: &'static [(&'static str, Keep)];

    /// Types and reducers of the fields as text, to see that a stored state has the same ones.
    const SHAPES: &'static [FieldShape];

    /// Names of the fields that only nodes write.
    const SEALED: &'static [&'static str] = &[];

    /// An empty update.
    fn update() -> Self::Update {
        Self::Update::default()
    }

    /// Folds the writes of one step into a field.
    fn fold(
        &mut self,
        field: usize,
        writes: Writes<'_>,
        recording: Recording,
    ) -> Result<Folded, ErrorKind>;

    /// Folds writes into a field for a look, and returns how to take that back.
    fn try_fold(&mut self, field: usize, writes: Vec<Value>) -> Result<Undo<Self>, ErrorKind>;

    /// Applies a stored change to a field.
    fn restore(&mut self, field: usize, change: &Change) -> Result<(), DecodeError>;

    /// The value of a field.
    fn get(&self, field: usize) -> Option<Value>;

    /// A field where it is, for a graph that shares it.
    fn field(&self, field: usize) -> Option<&dyn Any>;

    /// The write that gives a field a value of its type, whatever its reducer.
    fn overwrite(field: usize, value: &dyn Any) -> Result<Value, DecodeError>;

    /// The write that leads from a field's value to another of its type; nothing if they are the same.
    fn lead(&self, field: usize, after: &dyn Any) -> Result<Option<Value>, DecodeError>;

    /// Gives a field its default again.
    fn reset(&mut self, field: usize);

    /// The JSON schema of the state; nothing if it has none. The derive takes that of a struct which
    /// derives `superstep::schemars::JsonSchema` too.
    fn schema() -> Option<Json> {
        None
    }

    /// Brings plain data of an older version to this one.
    fn migrate(from: u32, data: Json) -> Result<Json, String> {
        let _ = data;
        Err(format!(
            "no migration leads from version {from} to version {}",
            Self::VERSION
        ))
    }

    /// Brings an update of an older version, an object of writes, to this one; nothing if no migration of updates is
    /// declared.
    fn migrate_update(from: u32, data: Json) -> Result<Option<Json>, String> {
        let _ = (from, data);
        Ok(None)
    }
}

/// A partial change of a state: what a node returns, and what a run is fed.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use superstep::{State, Update};
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// struct Mail {
///     subject: String,
///     reply: Option<String>,
/// }
///
/// // Made by `Mail::update()`; fields that are not set keep their values.
/// let update: MailUpdate = Mail::update().reply(None);
/// assert_eq!(update.into_value().to_json(), serde_json::json!({"reply": null}));
/// ```
pub trait Update: Clone + Default + Send + Sync + 'static {
    /// The state it changes.
    type State: State<Update = Self>;

    /// The writes, by field.
    fn into_writes(self) -> Vec<(usize, Value)>;

    /// Reads one write back.
    fn read_write(&mut self, field: usize, value: Value) -> Result<(), DecodeError>;

    /// The writes as an object by field name.
    fn into_value(self) -> Value {
        let name = |field| Self::State::FIELDS.get(field).map(|(name, _)| *name);
        let writes = self.into_writes().into_iter();
        Value::map(writes.filter_map(|(field, value)| Some((name(field)?, value))))
    }

    /// Reads an object of writes; names that are no fields are skipped.
    fn from_value(value: &Value) -> Result<Self, DecodeError> {
        let mut update = Self::default();
        let mut read = |map: &Map| {
            for (field, (name, _)) in Self::State::FIELDS.iter().enumerate() {
                if let Some(value) = map.get(name) {
                    update.read_write(field, value.clone())?;
                }
            }
            Ok(())
        };
        match value {
            Value::Map(map) => read(map)?,
            Value::List(parts) => parts.iter().filter_map(Value::as_map).try_for_each(read)?,
            _ => {}
        }
        Ok(update)
    }
}
