//! What the derived code of a state does to one field: fold, look, restore.

use std::any::{Any, TypeId};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value as Json;
use superstep_core::{
    channel,
    channel_state::{Folded, Recording},
    error::{ErrorKind, Failure},
    record::Change,
    value::{DecodeError, Value},
};

use super::{
    reducer::{Last, Reduced, Reducer, Undo},
    state::{Keep, Writes},
};

/// What an update does to one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Put<W, T> {
    /// Reduce this into the value.
    Write(W),
    /// The value becomes this, whatever the reducer.
    Overwrite(T),
}

impl<W, T> Put<W, T> {
    /// What is reduced into the value, unless it is an overwrite.
    pub fn written(&self) -> Option<&W> {
        match self {
            Self::Write(write) => Some(write),
            Self::Overwrite(_) => None,
        }
    }
}

/// What a list of text is set to: an array, a slice or a `Vec` of texts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of text",
    label = "not a list of text",
    note = "give an array or a Vec of String, or an array of &str; `push_` and the name of the field adds one text"
)]
pub trait IntoTexts {
    /// The list.
    fn into_texts(self) -> Vec<String>;
}

impl IntoTexts for Vec<String> {
    fn into_texts(self) -> Vec<String> {
        self
    }
}

impl<const N: usize> IntoTexts for [String; N] {
    fn into_texts(self) -> Vec<String> {
        self.into()
    }
}

impl<const N: usize> IntoTexts for [&str; N] {
    fn into_texts(self) -> Vec<String> {
        self.map(str::to_owned).into()
    }
}

impl IntoTexts for &[&str] {
    fn into_texts(self) -> Vec<String> {
        self.iter().map(|text| (*text).to_owned()).collect()
    }
}

impl IntoTexts for &[String] {
    fn into_texts(self) -> Vec<String> {
        self.to_vec()
    }
}

/// Adds an item to what an update appends to a list.
pub fn push<T>(put: &mut Option<Put<Vec<T>, Vec<T>>>, item: T) {
    match put {
        Some(Put::Write(items) | Put::Overwrite(items)) => items.push(item),
        None => *put = Some(Put::Write(vec![item])),
    }
}

/// A write that replaces a field's value; as plain data `{"__overwrite__": value}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Overwrite<T> {
    /// The new value.
    #[serde(rename = "__overwrite__")]
    pub value: T,
}

/// A type a field may have.
pub trait Data: Clone + Send + Sync + Serialize + DeserializeOwned + 'static {}
impl<T: Clone + Send + Sync + Serialize + DeserializeOwned + 'static> Data for T {}

/// Folds the writes of one step into a field, which is named for errors.
pub type Fold<T> =
    fn(&mut T, (&'static str, Keep), Writes<'_>, Recording) -> Result<Folded, ErrorKind>;

/// Folds writes for a look.
pub type TryFold<T> = fn(&mut T, &'static str, Vec<Value>) -> Result<Undo<T>, ErrorKind>;

/// What a field's reducer does to it. The one place that asks whether the two fit, so that the
/// compiler complains once.
pub struct Ops<T> {
    /// Folds the writes of one step.
    pub fold: Fold<T>,
    /// Folds writes for a look, and returns how to take that back.
    pub try_fold: TryFold<T>,
    /// Applies a stored change.
    pub restore: fn(&mut T, &Change) -> Result<(), DecodeError>,
    /// The write that gives the field a value, whatever its reducer.
    pub overwrite: fn(&dyn Any) -> Result<Value, DecodeError>,
    /// The write that leads from the field's value to another; nothing if they are the same.
    pub lead: fn(&T, &dyn Any) -> Result<Option<Value>, DecodeError>,
}

impl<T: Data> Ops<T> {
    /// Those of a reducer.
    pub const fn of<R: Reducer<T>>() -> Self {
        Self {
            fold: fold::<T, R>,
            try_fold: try_fold::<T, R>,
            restore: restore::<T, R>,
            overwrite: overwrite::<T, R>,
            lead: lead::<T, R>,
        }
    }
}

/// The write as it travels through the loop.
pub fn into_value<W: Data, T: Data>(put: Put<W, T>) -> Value {
    match put {
        Put::Write(write) => Value::typed(write),
        Put::Overwrite(value) => Value::typed(Overwrite { value }),
    }
}

/// Reads a write back: from its Rust value, or from plain data when it was stored.
pub fn from_value<W: Data, T: Data>(value: Value) -> Result<Put<W, T>, DecodeError> {
    if let Value::Typed(cell) = &value {
        let any: &dyn Any = &**cell;
        if let Some(overwrite) = any.downcast_ref::<Overwrite<T>>() {
            return Ok(Put::Overwrite(overwrite.value.clone()));
        }
        if any.is::<W>() {
            return value.take().map(Put::Write);
        }
    }
    let value = match value {
        Value::Typed(cell) => {
            let json = cell.to_json().map_err(|error| misfit::<W>(&error))?;
            Value::from(json)
        }
        plain => plain,
    };
    let Some(new) = channel::overwrite(&value) else {
        return value.take().map(Put::Write);
    };
    match new.clone().take() {
        Ok(new) => Ok(Put::Overwrite(new)),
        // A map may have an entry of that name.
        Err(error) => value.take().map(Put::Write).map_err(|_| error),
    }
}

/// A write to a field with this reducer. Where it is the new value, what looks like an overwrite may be that value.
fn read<T: Data, R: Reducer<T>>(value: Value) -> Result<Put<R::Write, T>, DecodeError> {
    if is_last::<R>()
        && !matches!(value, Value::Typed(_))
        && let Ok(write) = value.clone().take()
    {
        return Ok(Put::Write(write));
    }
    from_value(value)
}

fn misfit<T>(error: &dyn std::fmt::Display) -> DecodeError {
    DecodeError {
        expected: std::any::type_name::<T>(),
        why: error.to_string(),
    }
}

fn undecodable(name: &str, error: &DecodeError) -> ErrorKind {
    ErrorKind::Decode {
        what: format!("a write to field `{name}`"),
        why: error.to_string(),
    }
}

fn fold<T: Data, R: Reducer<T>>(
    current: &mut T,
    (name, keep): (&'static str, Keep),
    writes: Writes<'_>,
    recording: Recording,
) -> Result<Folded, ErrorKind> {
    one_writer::<T, R>(name, writes.len())?;
    let stores = recording == Recording::On && keep != Keep::Untracked;
    let mut extended = Vec::with_capacity(if stores { writes.len() } else { 0 });
    let (mut grown, mut overwritten) = (true, false);
    for value in writes {
        let kept = value.clone();
        match read::<T, R>(value).map_err(|error| undecodable(name, &error))? {
            Put::Overwrite(_) if overwritten => {
                return Err(ErrorKind::DoubleOverwrite {
                    by: Vec::new(),
                    channel: name.into(),
                });
            }
            Put::Overwrite(value) => {
                *current = value;
                (overwritten, grown) = (true, false);
                extended.clear();
            }
            Put::Write(_) if overwritten => {}
            Put::Write(write) => {
                let reduced = R::reduce(current, write).map_err(|failure| ErrorKind::Reduce {
                    by: Vec::new(),
                    channel: name.into(),
                    failure,
                })?;
                grown &= reduced == Reduced::Extended;
                if stores {
                    extended.push(kept);
                }
            }
        }
    }
    let change = match (stores, grown) {
        (false, _) => None,
        (true, true) => Some(Change::Extend(joined(extended, name)?)),
        (true, false) => Some(Change::Set(new_value::<T, R>(extended, current))),
    };
    Ok(Folded {
        changed: true,
        available: true,
        change,
    })
}

fn one_writer<T, R: Reducer<T>>(name: &str, writes: usize) -> Result<(), ErrorKind> {
    if R::SHARED || writes < 2 {
        return Ok(());
    }
    Err(ErrorKind::Conflict {
        by: Vec::new(),
        channel: name.into(),
    })
}

/// Whether a write is the new value.
fn is_last<R: 'static>() -> bool {
    TypeId::of::<R>() == TypeId::of::<Last>()
}

/// The value to store: the write itself where it is the value, so that it is not copied.
fn new_value<T: Data, R: Reducer<T>>(mut writes: Vec<Value>, current: &T) -> Value {
    let is_value = is_last::<R>() && writes.len() == 1;
    match writes.pop() {
        Some(write) if is_value => write,
        _ => Value::typed(current.clone()),
    }
}

/// What several tasks added, as one list or object.
fn joined(mut writes: Vec<Value>, name: &str) -> Result<Value, ErrorKind> {
    if writes.len() == 1 {
        return Ok(writes.pop().unwrap_or_default());
    }
    let mut all: Option<Json> = None;
    for write in writes {
        let part = match write {
            Value::Typed(cell) => cell.to_json().map_err(|error| {
                let failure = Failure::from(error).permanent();
                ErrorKind::Reduce {
                    by: Vec::new(),
                    channel: name.into(),
                    failure,
                }
            })?,
            plain => plain.to_json(),
        };
        all = Some(match (all, part) {
            (Some(Json::Array(mut list)), Json::Array(more)) => {
                list.extend(more);
                Json::Array(list)
            }
            (Some(Json::Object(mut map)), Json::Object(more)) => {
                map.extend(more);
                Json::Object(map)
            }
            (_, part) => part,
        });
    }
    Ok(all.map(Value::from).unwrap_or_default())
}

fn try_fold<T: Data, R: Reducer<T>>(
    current: &mut T,
    name: &'static str,
    writes: Vec<Value>,
) -> Result<Undo<T>, ErrorKind> {
    one_writer::<T, R>(name, writes.len())?;
    let mut undo: Vec<Undo<T>> = Vec::with_capacity(writes.len());
    let mut failed = None;
    for value in writes {
        let step = match read::<T, R>(value) {
            Ok(Put::Write(write)) => {
                R::try_reduce(current, write).map_err(|failure| ErrorKind::Reduce {
                    by: Vec::new(),
                    channel: name.into(),
                    failure,
                })
            }
            Ok(Put::Overwrite(value)) => {
                let before = std::mem::replace(current, value);
                Ok(Box::new(move |current: &mut T| *current = before) as Undo<T>)
            }
            Err(error) => Err(undecodable(name, &error)),
        };
        match step {
            Ok(step) => undo.push(step),
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    let back: Undo<T> = Box::new(move |current| {
        for step in undo.into_iter().rev() {
            step(current);
        }
    });
    match failed {
        None => Ok(back),
        Some(error) => {
            back(current);
            Err(error)
        }
    }
}

fn restore<T: Data, R: Reducer<T>>(current: &mut T, change: &Change) -> Result<(), DecodeError> {
    match change {
        Change::Set(value) => *current = value.clone().take()?,
        Change::Extend(value) => {
            let write = value.clone().take::<R::Write>()?;
            R::reduce(current, write).map_err(|failure| misfit::<T>(&failure.message))?;
        }
        Change::Clear => {}
    }
    Ok(())
}

/// A field of another state, whose type was compared with this one when the graph was built.
fn shared<T: Data>(other: &dyn Any) -> Result<&T, DecodeError> {
    let another = || misfit::<T>(&"a field of another type");
    other.downcast_ref().ok_or_else(another)
}

fn overwrite<T: Data, R: Reducer<T>>(value: &dyn Any) -> Result<Value, DecodeError> {
    let value = shared::<T>(value)?.clone();
    Ok(into_value(match is_last::<R>() {
        true => Put::<T, T>::Write(value),
        false => Put::Overwrite(value),
    }))
}

fn lead<T: Data, R: Reducer<T>>(before: &T, after: &dyn Any) -> Result<Option<Value>, DecodeError> {
    let after = shared::<T>(after)?;
    let json = |value: &T| serde_json::to_value(value).map_err(|error| misfit::<T>(&error));
    let wanted = json(after)?;
    if json(before)? == wanted {
        return Ok(None);
    }
    if let Some(write) = R::difference(before, after) {
        let mut tried = before.clone();
        if R::reduce(&mut tried, write.clone()).is_ok() && json(&tried)? == wanted {
            return Ok(Some(into_value(Put::<R::Write, T>::Write(write))));
        }
    }
    let after = after.clone();
    Ok(Some(into_value(Put::<R::Write, T>::Overwrite(after))))
}
