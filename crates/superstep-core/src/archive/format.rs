//! The format of an archive: its name, its version, and the bounds of a line.

use crate::value::MAX_DEPTH;

/// What an archive says first that it is.
pub(super) const FORMAT: &str = "superstep thread";

/// The version of the format.
pub const VERSION: u64 = 2;

/// The bytes that a line may have.
pub const LONGEST_LINE: usize = 1 << 28;

/// How deep brackets of a line may be nested: around a value of [`MAX_DEPTH`] there is room for the
/// fields of a record, and the key of a task, which a saver nests as deep, has two brackets per level.
pub(super) const DEEPEST: usize = 2 * MAX_DEPTH + 32;
