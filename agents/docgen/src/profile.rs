//! How much a small model is asked for.
//!
//! It chooses among numbered facts ([`crate::numbered`]) and fills in a form ([`crate::findings`]), and the program writes the
//! page and cites. The graph, the pages and the checks are those of every profile.

pub use superstep::tools::guided::Profile;

/// How many characters of facts a small model reads.
pub(crate) const SMALL_ROOM: usize = 2_400;

/// How many tokens it writes.
pub(crate) const SMALL_REPLY: u32 = 400;
