//! How several writes to one channel become one value (dynamic layer).

pub(crate) mod messages;

use std::{fmt, sync::Arc};

use crate::{error::Failure, message, value::Value};

/// A user's own reducer: current value and write to new value.
pub type ReduceFn = Arc<dyn Fn(Value, Value) -> Result<Value, Failure> + Send + Sync>;

/// Combines the current value (left) with a write (right).
#[derive(Clone)]
pub enum Reducer {
    /// Numbers add; strings and lists concatenate.
    Add,
    /// The write becomes the last element.
    Append,
    /// The greater one.
    Max,
    /// The lesser one.
    Min,
    /// Shallow object merge; the write wins.
    Merge,
    /// Elements not yet in the list are added.
    Union,
    /// Messages: appended, or replaced and removed by id.
    Messages(message::Unknown),
    /// A function.
    Custom(ReduceFn),
}

/// A reduced value, and whether it is the old list with `Some(n)` elements behind it.
pub(crate) struct Reduced {
    pub(crate) value: Value,
    pub(crate) appended: Option<usize>,
}

impl Reducer {
    /// Wraps a function.
    pub fn custom(
        reduce: impl Fn(Value, Value) -> Result<Value, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self::Custom(Arc::new(reduce))
    }

    pub(crate) fn reduce(
        &self,
        left: Value,
        right: Value,
        index: &mut Option<messages::Index>,
    ) -> Result<Reduced, Failure> {
        let replaced = |value| Reduced {
            value,
            appended: None,
        };
        Ok(match self {
            Self::Add => add(left, right)?,
            Self::Append => append(left, Arc::new(vec![right]))?,
            Self::Max => replaced(if less(&left, &right)? { right } else { left }),
            Self::Min => replaced(if less(&right, &left)? { right } else { left }),
            Self::Merge => replaced(merge(left, right)?),
            Self::Union => union(left, right)?,
            Self::Messages(unknown) => messages::add(left, right, *unknown, index)?,
            Self::Custom(reduce) => replaced(reduce(left, right)?),
        })
    }
}

impl fmt::Debug for Reducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "Add",
            Self::Append => "Append",
            Self::Max => "Max",
            Self::Min => "Min",
            Self::Merge => "Merge",
            Self::Union => "Union",
            Self::Messages(_) => "Messages",
            Self::Custom(_) => "Custom",
        })
    }
}

pub(crate) fn misfit(what: &str, left: &Value, right: &Value) -> Failure {
    Failure::new(
        "TypeError",
        format!("cannot {what} {} and {}", left.kind(), right.kind()),
    )
    .permanent()
}

fn add(left: Value, right: Value) -> Result<Reduced, Failure> {
    let value = match (left, right) {
        (left @ Value::List(_), Value::List(items)) => return append(left, items),
        (Value::Int(a), Value::Int(b)) => Value::Int(
            a.checked_add(b)
                .ok_or_else(|| Failure::new("Overflow", format!("{a} + {b}")).permanent())?,
        ),
        (Value::Float(a), Value::Float(b)) => Value::Float(a + b),
        (Value::Int(a), Value::Float(b)) | (Value::Float(b), Value::Int(a)) => {
            Value::Float(a as f64 + b)
        }
        (Value::Str(a), Value::Str(b)) => Value::from(format!("{a}{b}")),
        (left, right) => return Err(misfit("add", &left, &right)),
    };
    Ok(Reduced {
        value,
        appended: None,
    })
}

/// Grows the list in place when the channel is its only holder.
pub(crate) fn append(left: Value, items: Arc<Vec<Value>>) -> Result<Reduced, Failure> {
    let Value::List(mut list) = left else {
        return Err(misfit("append to", &left, &Value::List(items)));
    };
    let appended = Some(items.len());
    match Arc::try_unwrap(items) {
        Ok(owned) => Arc::make_mut(&mut list).extend(owned),
        Err(shared) => Arc::make_mut(&mut list).extend(shared.iter().cloned()),
    }
    Ok(Reduced {
        value: Value::List(list),
        appended,
    })
}

fn less(left: &Value, right: &Value) -> Result<bool, Failure> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Ok(a < b),
        (Value::Float(a), Value::Float(b)) => Ok(a < b),
        (Value::Int(a), Value::Float(b)) => Ok((*a as f64) < *b),
        (Value::Float(a), Value::Int(b)) => Ok(*a < *b as f64),
        (Value::Str(a), Value::Str(b)) => Ok(a < b),
        _ => Err(misfit("compare", left, right)),
    }
}

fn merge(left: Value, right: Value) -> Result<Value, Failure> {
    match (left, right) {
        (Value::Map(mut into), Value::Map(from)) => {
            let target = Arc::make_mut(&mut into);
            target.extend(from.iter().map(|(k, v)| (k.clone(), v.clone())));
            Ok(Value::Map(into))
        }
        (left, right) => Err(misfit("merge", &left, &right)),
    }
}

fn union(left: Value, right: Value) -> Result<Reduced, Failure> {
    let (Value::List(into), Value::List(from)) = (&left, &right) else {
        return Err(misfit("unite", &left, &right));
    };
    let mut fresh: Vec<Value> = Vec::new();
    for item in from.iter() {
        if !into.contains(item) && !fresh.contains(item) {
            fresh.push(item.clone());
        }
    }
    append(left, Arc::new(fresh))
}
