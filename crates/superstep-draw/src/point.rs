//! Position in the layout, in terminal cells.

/// A cell: column and row.
pub(super) type Point = (i32, i32);
