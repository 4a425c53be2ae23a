//! How writes to one field become one value.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{BuildHasher, Hash},
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};
use superstep_core::error::Failure;

/// Takes a reduction back.
pub type Undo<T> = Box<dyn FnOnce(&mut T)>;

/// How writes to a field of type `T` become one value.
///
/// ```
/// use superstep_core::error::Failure;
/// use superstep_engine::typed::{Reduced, Reducer};
///
/// /// Keeps the longest text.
/// struct Longest;
///
/// impl Reducer<String> for Longest {
///     type Write = String;
///     fn reduce(current: &mut String, write: String) -> Result<Reduced, Failure> {
///         if write.len() > current.len() {
///             *current = write;
///         }
///         Ok(Reduced::Replaced)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not reduce a field of type `{T}`",
    label = "this reducer does not fit the field",
    note = "Append takes a Vec, Sum a number, Merge a map, Max and Min an ordered type; or implement `Reducer<{T}>`"
)]
pub trait Reducer<T>: 'static {
    /// What a node writes; often a part of `T` rather than a whole one.
    type Write: Clone + Send + Sync + Serialize + DeserializeOwned + 'static;

    /// Whether a second task of a step may write too.
    const SHARED: bool = true;

    /// Folds one write into the value.
    fn reduce(current: &mut T, write: Self::Write) -> Result<Reduced, Failure>;

    /// A write that leads from one value to another, if there is one: what a subgraph that shares the field
    /// did to it. Without one the new value overwrites the field. It is tried before it is used.
    fn difference(before: &T, after: &T) -> Option<Self::Write> {
        let _ = (before, after);
        None
    }

    /// Folds one write and returns how to take it back: a router sees the state with the writes of
    /// its own node, and nothing else may.
    fn try_reduce(current: &mut T, write: Self::Write) -> Result<Undo<T>, Failure>
    where
        T: Clone + 'static,
    {
        let before = current.clone();
        match Self::reduce(current, write) {
            Ok(_) => Ok(Box::new(move |current| *current = before)),
            Err(failure) => {
                *current = before;
                Err(failure)
            }
        }
    }
}

/// What a write did to a value; decides what is stored of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduced {
    /// Anything: the new value is stored.
    Replaced,
    /// As plain data the value is what it was with the write's elements behind it, or with the
    /// write's entries set: only the write is stored.
    Extended,
}

/// Replaces the value; a second writer in the same step is a conflict.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use superstep::prelude::*;
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// struct Mail {
///     /// Without `#[reduce(…)]` this is the reducer.
///     #[reduce(Last)]
///     subject: String,
/// }
///
/// let update = Mail::update().subject("hi");
/// # drop(update);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Last;

impl<T: Clone + Send + Sync + Serialize + DeserializeOwned + 'static> Reducer<T> for Last {
    type Write = T;
    const SHARED: bool = false;

    fn difference(_: &T, after: &T) -> Option<T> {
        Some(after.clone())
    }

    fn reduce(current: &mut T, write: T) -> Result<Reduced, Failure> {
        *current = write;
        Ok(Reduced::Replaced)
    }

    fn try_reduce(current: &mut T, write: T) -> Result<Undo<T>, Failure> {
        let before = std::mem::replace(current, write);
        Ok(Box::new(move |current| *current = before))
    }
}

/// Extends a `Vec`; only what was added is stored.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use superstep::prelude::*;
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// struct Mail {
///     #[reduce(Append)]
///     log: Vec<String>,
/// }
///
/// let update = Mail::update().log(["one more".to_owned()]);
/// # drop(update);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Append;

impl<T> Reducer<Vec<T>> for Append
where
    T: Clone + Send + Sync + Serialize + DeserializeOwned + 'static,
{
    type Write = Vec<T>;

    fn difference(before: &Vec<T>, after: &Vec<T>) -> Option<Vec<T>> {
        after.get(before.len()..).map(<[T]>::to_vec)
    }

    fn reduce(current: &mut Vec<T>, write: Vec<T>) -> Result<Reduced, Failure> {
        current.extend(write);
        Ok(Reduced::Extended)
    }

    fn try_reduce(current: &mut Vec<T>, write: Vec<T>) -> Result<Undo<Vec<T>>, Failure> {
        let before = current.len();
        current.extend(write);
        Ok(Box::new(move |current| current.truncate(before)))
    }
}

/// Adds numbers; an overflow is an error.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use superstep::prelude::*;
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// struct Usage {
///     #[reduce(Sum)]
///     tokens: u64,
/// }
///
/// let update = Usage::update().tokens(120);
/// # drop(update);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sum;

/// What [`Sum`] adds.
pub trait Total: Clone + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// The sum, unless it does not fit.
    fn plus(&self, other: &Self) -> Option<Self>;

    /// What must be added to `other` for this, if there is such a value.
    fn minus(&self, other: &Self) -> Option<Self> {
        let _ = other;
        None
    }
}

macro_rules! totals {
    ($($int:ty)+) => {$(
        impl Total for $int {
            fn plus(&self, other: &Self) -> Option<Self> {
                self.checked_add(*other)
            }
            fn minus(&self, other: &Self) -> Option<Self> {
                self.checked_sub(*other)
            }
        }
    )+};
}
totals!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize Duration);

impl Total for f32 {
    fn plus(&self, other: &Self) -> Option<Self> {
        Some(self + other)
    }
    fn minus(&self, other: &Self) -> Option<Self> {
        Some(self - other)
    }
}
impl Total for f64 {
    fn plus(&self, other: &Self) -> Option<Self> {
        Some(self + other)
    }
    fn minus(&self, other: &Self) -> Option<Self> {
        Some(self - other)
    }
}

impl<T: Total> Reducer<T> for Sum {
    type Write = T;

    fn difference(before: &T, after: &T) -> Option<T> {
        after.minus(before)
    }

    fn reduce(current: &mut T, write: T) -> Result<Reduced, Failure> {
        let overflow = || Failure::new("Overflow", "the sum does not fit its type").permanent();
        *current = current.plus(&write).ok_or_else(overflow)?;
        Ok(Reduced::Replaced)
    }
}

/// Keeps the greatest.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use superstep::prelude::*;
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// struct Search {
///     #[reduce(Max)]
///     best: f64,
/// }
///
/// let update = Search::update().best(0.8);
/// # drop(update);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Max;

impl<T> Reducer<T> for Max
where
    T: PartialOrd + Clone + Send + Sync + Serialize + DeserializeOwned + 'static,
{
    type Write = T;

    fn difference(_: &T, after: &T) -> Option<T> {
        Some(after.clone())
    }

    fn reduce(current: &mut T, write: T) -> Result<Reduced, Failure> {
        if write > *current {
            *current = write;
        }
        Ok(Reduced::Replaced)
    }
}

/// Keeps the least. `None` is no value: the first that is written takes its place, and it is never the least.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use superstep::prelude::*;
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// struct Offers {
///     #[reduce(Min)]
///     price: Option<u32>,
/// }
///
/// let update = Offers::update().price(Some(20));
/// # drop(update);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Min;

impl<T> Reducer<T> for Min
where
    T: PartialOrd + Clone + Send + Sync + Serialize + DeserializeOwned + 'static,
{
    type Write = T;

    fn difference(_: &T, after: &T) -> Option<T> {
        Some(after.clone())
    }

    fn reduce(current: &mut T, write: T) -> Result<Reduced, Failure> {
        // Of an `Option` the order of types makes `None` the least.
        let is_less = write < *current && !is_none(&write);
        if is_less || is_none(current) {
            *current = write;
        }
        Ok(Reduced::Replaced)
    }
}

fn is_none(value: &impl Serialize) -> bool {
    serde_json::to_value(value).is_ok_and(|json| json.is_null())
}

/// Sets entries of a map; only those are stored.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use superstep::prelude::*;
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// struct Cities {
///     #[reduce(Merge)]
///     people: std::collections::BTreeMap<String, u32>,
/// }
///
/// let update = Cities::update().people([("Rome".to_owned(), 2_800_000)].into());
/// # drop(update);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Merge;

/// Whether an entry has another value than before, as plain data; one that has no such form counts as changed.
fn is_other<V: Serialize>(before: Option<&V>, after: &V) -> bool {
    let json = |value: &V| serde_json::to_value(value).ok();
    match before.map(json) {
        Some(Some(before)) => json(after) != Some(before),
        Some(None) | None => true,
    }
}

fn pairs<'a, K, V, M>(entries: impl Iterator<Item = (&'a K, &'a V)>) -> M
where
    K: Clone + 'a,
    V: Clone + 'a,
    M: FromIterator<(K, V)>,
{
    let owned = entries.map(|(key, value)| (key.clone(), value.clone()));
    owned.collect()
}

impl<K, V> Reducer<BTreeMap<K, V>> for Merge
where
    K: Ord + Clone + Send + Sync + Serialize + DeserializeOwned + 'static,
    V: Clone + Send + Sync + Serialize + DeserializeOwned + 'static,
{
    type Write = BTreeMap<K, V>;

    fn difference(before: &BTreeMap<K, V>, after: &BTreeMap<K, V>) -> Option<Self::Write> {
        let changed = |(key, value): &(&K, &V)| is_other(before.get(*key), *value);
        Some(pairs(after.iter().filter(changed)))
    }

    fn reduce(current: &mut BTreeMap<K, V>, write: Self::Write) -> Result<Reduced, Failure> {
        current.extend(write);
        Ok(Reduced::Extended)
    }

    fn try_reduce(
        current: &mut BTreeMap<K, V>,
        write: Self::Write,
    ) -> Result<Undo<BTreeMap<K, V>>, Failure> {
        let before: Vec<(K, Option<V>)> = write
            .into_iter()
            .map(|(key, value)| (key.clone(), current.insert(key, value)))
            .collect();
        Ok(Box::new(move |current| {
            for (key, value) in before {
                match value {
                    Some(value) => current.insert(key, value),
                    None => current.remove(&key),
                };
            }
        }))
    }
}

impl<K, V, H> Reducer<HashMap<K, V, H>> for Merge
where
    K: Eq + Hash + Clone + Send + Sync + Serialize + DeserializeOwned + 'static,
    V: Clone + Send + Sync + Serialize + DeserializeOwned + 'static,
    H: BuildHasher + Default + Clone + Send + Sync + 'static,
{
    type Write = HashMap<K, V, H>;

    fn difference(before: &HashMap<K, V, H>, after: &HashMap<K, V, H>) -> Option<Self::Write> {
        let changed = |(key, value): &(&K, &V)| is_other(before.get(*key), *value);
        Some(pairs(after.iter().filter(changed)))
    }

    fn reduce(current: &mut HashMap<K, V, H>, write: Self::Write) -> Result<Reduced, Failure> {
        current.extend(write);
        Ok(Reduced::Extended)
    }
}
