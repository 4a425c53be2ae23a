//! How a documentation is recognized: the file that every one has, and what that calls itself.

/// The name of the file.
pub(crate) const METADATA: &str = "metadata.json";

/// What the file calls itself.
pub(crate) const FORMAT: &str = "superstep-docs";
