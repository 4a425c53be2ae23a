//! Profiles: how agents ask a strong model, and how a small one.
//!
//! A small model can sort, fill in a form, choose and put a decision into words; it cannot weigh, and much of what it writes
//! freely is made up. An agent that knows this asks it for less, within the same graph and with the same questions to
//! people. Which profile it is follows from the model ([`Caps::small`]); whoever brings another model may say otherwise.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use superstep_model::Caps;

/// Which kind of model an agent asks.
///
/// ```
/// use superstep_model::Caps;
/// use superstep_tools::guided::Profile;
///
/// let mut caps = Caps::local();
/// caps.small = true;
/// assert_eq!(Profile::of(caps), Profile::Small);
/// assert_eq!("strong".parse(), Ok(Profile::Strong));
/// assert!("large".parse::<Profile>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// One that reads much, works with tools and cites by itself.
    #[default]
    Strong,
    /// One that sorts, chooses and words.
    Small,
}

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

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Small => "small",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no profile has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no profile: write strong or small")]
pub struct NoProfile(pub String);

impl FromStr for Profile {
    type Err = NoProfile;

    fn from_str(name: &str) -> Result<Self, NoProfile> {
        Self::named(name).ok_or_else(|| NoProfile(name.to_owned()))
    }
}
