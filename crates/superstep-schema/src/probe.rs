//! The schema of a type that may or may not have one, for macros that see a concrete type.
//!
//! `Probe::<T>::new().schema()` finds [`Known`] where `T` has a schema. Where it has none, method
//! lookup takes one more reference and finds [`Unknown`].

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde_json::Value as Json;

use crate::json_of;

/// A type that may have a schema.
pub struct Probe<T>(PhantomData<T>);

impl<T> Probe<T> {
    /// Of that type.
    #[allow(clippy::new_without_default, reason = "it is for macros only")]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

/// Types that have a schema.
pub trait Known {
    /// It.
    fn schema(&self) -> Option<Json>;
}

impl<T: JsonSchema> Known for Probe<T> {
    fn schema(&self) -> Option<Json> {
        Some(json_of::<T>())
    }
}

/// All types.
pub trait Unknown {
    /// Nothing.
    fn schema(&self) -> Option<Json>;
}

impl<T> Unknown for &Probe<T> {
    fn schema(&self) -> Option<Json> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Known as _, Probe, Unknown as _};

    struct Plain;

    #[test]
    #[allow(clippy::needless_borrow, reason = "the reference is the point")]
    fn a_type_without_a_schema_is_no_error() {
        assert!((&Probe::<u8>::new()).schema().is_some());
        assert!((&Probe::<Plain>::new()).schema().is_none());
    }
}
