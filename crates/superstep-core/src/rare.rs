//! Parts that few values have.
//!
//! Notes of tasks are made and kept by the thousand, and most have nothing but writes. What the others have is in a box, so
//! that it takes one word where it is not there.

use std::{
    fmt,
    ops::{Deref, DerefMut},
};

/// A part that few values have: it reads as its default until it is written, which puts it into a box.
pub struct Rare<T>(Option<Box<T>>);

/// What a [`Rare`] part reads as where it is not there: its default.
pub trait Blank: Default + 'static {
    /// The default.
    fn blank() -> &'static Self;
}

impl<T> Rare<T> {
    /// Nothing written.
    pub const NONE: Self = Self(None);

    /// Whether it has no box, and so reads as its default.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl<T: Default> Rare<T> {
    /// The part by itself.
    pub fn into_inner(self) -> T {
        self.0.map(|part| *part).unwrap_or_default()
    }
}

impl<T: Blank> Deref for Rare<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or_else(|| T::blank())
    }
}

impl<T: Blank> DerefMut for Rare<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T: Blank + PartialEq> From<T> for Rare<T> {
    fn from(part: T) -> Self {
        match part == *T::blank() {
            true => Self::NONE,
            false => Self(Some(Box::new(part))),
        }
    }
}

impl<T> Default for Rare<T> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<T: Clone> Clone for Rare<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Blank + PartialEq> PartialEq for Rare<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_none() && other.is_none() || **self == **other
    }
}

impl<T: Blank + fmt::Debug> fmt::Debug for Rare<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Blank for Vec<u8> {
        fn blank() -> &'static Self {
            static BLANK: Vec<u8> = Vec::new();
            &BLANK
        }
    }

    #[test]
    fn a_part_that_was_not_written_reads_as_one_that_was_written_empty() {
        let mut written = Rare::<Vec<u8>>::NONE;
        assert!(written.is_empty() && written.is_none());
        written.push(1);
        written.clear();
        assert!(!written.is_none());
        assert_eq!(written, Rare::NONE);
        assert!(Rare::from(written.into_inner()).is_none());
    }
}
