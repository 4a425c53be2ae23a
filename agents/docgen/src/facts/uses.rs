//! What a text says that imports and entry points are found by, and that is no fact itself.

use std::collections::BTreeMap;

/// What one text says; forgotten once imports are resolved.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// The package that a file of Go or Java says it is part of.
    pub(super) package: Option<String>,
    /// Names that a file of Go or Java uses, with the first line of each.
    pub(super) names: BTreeMap<String, u32>,
    /// The line of `if __name__ == "__main__":`.
    pub(super) guard: Option<u32>,
}
