//! Profiles: how agents ask a strong model, and how a small one.
//!
//! A small model can sort facts and put one into words; it cannot weigh, and much of what it writes freely is made up.
//! So it is asked for less: it chooses among numbered facts ([`crate::numbered`]) and fills in a form
//! ([`crate::findings`]), and the program writes the page and cites. The graph, the pages and the checks are the same.

use serde::{Deserialize, Serialize};
use superstep::model::Caps;

/// Which kind of model agents ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// One that reads much, writes an analysis and cites by itself.
    #[default]
    Strong,
    /// One that chooses facts and words them.
    Small,
}

/// How many characters of facts a small model reads.
pub(crate) const SMALL_ROOM: usize = 2_400;

/// How many tokens it writes.
pub(crate) const SMALL_REPLY: u32 = 400;

impl Profile {
    /// The profile that suits a model.
    pub fn of(caps: Caps) -> Self {
        match caps.small {
            true => Self::Small,
            false => Self::Strong,
        }
    }

    /// The profile of that name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "strong" => Some(Self::Strong),
            "small" => Some(Self::Small),
            _ => None,
        }
    }
}
