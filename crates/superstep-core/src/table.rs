//! Dense tables addressed by typed ids.
//!
//! A compiled graph names its channels, nodes and triggers by small integers so that the run loop
//! never touches a string. An id is only minted by the table it belongs to, which is why
//! [`Table::row`] needs no check. Read [`crate::plan`] next.

use std::marker::PhantomData;

/// A typed position in a [`Table`].
pub trait Key: Copy + Eq {
    /// The id of row `ix`.
    fn at(ix: usize) -> Self;
    /// The row this id names.
    fn ix(self) -> usize;
}

macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub struct $name(u32);

        impl Key for $name {
            fn at(ix: usize) -> Self {
                Self(u32::try_from(ix).unwrap_or(u32::MAX))
            }
            fn ix(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

keys! {
    /// A state channel of a plan.
    ChannelIx,
    /// A node of a plan.
    NodeIx,
    /// A trigger of a plan: the entry, an edge into a node, or a join.
    TriggerIx,
}

/// Rows addressed by `K`.
#[derive(Clone, Debug)]
pub struct Table<K, T> {
    rows: Vec<T>,
    key: PhantomData<fn(K)>,
}

impl<K, T> Default for Table<K, T> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            key: PhantomData,
        }
    }
}

impl<K: Key, T> Table<K, T> {
    /// Appends a row and returns its id.
    pub fn push(&mut self, row: T) -> K {
        self.rows.push(row);
        K::at(self.rows.len() - 1)
    }

    /// The row of an id that this table minted.
    #[expect(
        clippy::indexing_slicing,
        reason = "ids are minted by the table they index"
    )]
    pub fn row(&self, key: K) -> &T {
        &self.rows[key.ix()]
    }

    /// The row of an id that this table minted, for writing.
    #[expect(
        clippy::indexing_slicing,
        reason = "ids are minted by the table they index"
    )]
    pub fn row_mut(&mut self, key: K) -> &mut T {
        &mut self.rows[key.ix()]
    }

    /// The row, if the id belongs to this table.
    pub fn get(&self, key: K) -> Option<&T> {
        self.rows.get(key.ix())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All rows in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.rows.iter()
    }

    /// All ids in order.
    pub fn keys(&self) -> impl Iterator<Item = K> + use<K, T> {
        (0..self.rows.len()).map(K::at)
    }

    /// All rows with their ids.
    pub fn entries(&self) -> impl Iterator<Item = (K, &T)> {
        self.rows
            .iter()
            .enumerate()
            .map(|(ix, row)| (K::at(ix), row))
    }
}

impl<K: Key, T> FromIterator<T> for Table<K, T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        Self {
            rows: rows.into_iter().collect(),
            key: PhantomData,
        }
    }
}
