//! Prompts: one text per stage, for each profile.
//!
//! The texts are the files in `prompts/`, those of small models in `prompts/small`. They have no placeholders: the program
//! puts the documents and the conversation before them, so that whoever replaces one replaces plain words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use superstep::tools::guided::Profile;

use crate::error::Error;

/// The name of the text that all stages share.
const SYSTEM: &str = "system";

/// Said to a model that can look up what it is not shown.
pub(crate) const LOOKUP: &str = include_str!("../prompts/lookup.md");

/// Said to a model that is shown sections and cannot look up the rest.
pub(crate) const EXCERPTS: &str = include_str!("../prompts/excerpts.md");

/// What a call of the model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The first turn of an analysis.
    Initial,
    /// A further turn.
    Followup,
    /// The result, once the person has approved.
    Final,
    /// A turn about a result that was written.
    Revise,
    /// What the person stated, for the memory. Its name is that of the entities which earlier versions extracted.
    Extract,
    /// A single question.
    Ask,
    /// A context document.
    Context,
}

impl Stage {
    /// All stages.
    pub const ALL: [Self; 7] = [
        Self::Initial,
        Self::Followup,
        Self::Final,
        Self::Revise,
        Self::Extract,
        Self::Ask,
        Self::Context,
    ];

    /// Its name, by which its prompt is replaced.
    pub fn name(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Followup => "followup",
            Self::Final => "final",
            Self::Revise => "revise",
            Self::Extract => "extract",
            Self::Ask => "ask",
            Self::Context => "context",
        }
    }

    /// The node whose model makes its calls.
    pub(crate) fn node(self) -> &'static str {
        match self {
            Self::Initial | Self::Followup | Self::Final | Self::Revise => "analysis_prepare",
            Self::Extract => "remember",
            Self::Ask => "ask",
            Self::Context => "build_context",
        }
    }

    fn text(self, profile: Profile) -> &'static str {
        let is_small = profile == Profile::Small;
        let text = match self {
            Self::Initial if is_small => include_str!("../prompts/small/initial.md"),
            Self::Followup if is_small => include_str!("../prompts/small/followup.md"),
            Self::Final if is_small => include_str!("../prompts/small/final.md"),
            // A small model answers about a result; it does not write one anew.
            Self::Ask | Self::Revise if is_small => include_str!("../prompts/small/ask.md"),
            Self::Initial => include_str!("../prompts/initial.md"),
            Self::Followup => include_str!("../prompts/followup.md"),
            Self::Final => include_str!("../prompts/final.md"),
            Self::Revise => include_str!("../prompts/revise.md"),
            Self::Extract => include_str!("../prompts/remember.md"),
            Self::Ask => include_str!("../prompts/ask.md"),
            Self::Context => include_str!("../prompts/context.md"),
        };
        text.trim_end()
    }
}

/// The texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompts {
    /// Texts of a caller, by name.
    replaced: BTreeMap<String, String>,
}

impl Prompts {
    /// The text of a stage, for models of that profile.
    pub fn of(&self, stage: Stage, profile: Profile) -> &str {
        let replaced = self.replaced.get(stage.name());
        replaced.map_or_else(|| stage.text(profile), String::as_str)
    }

    /// The text that comes first in every call.
    pub fn system(&self, profile: Profile) -> &str {
        let own = match profile {
            Profile::Strong => include_str!("../prompts/system.md"),
            Profile::Small => include_str!("../prompts/small/system.md"),
        };
        let replaced = self.replaced.get(SYSTEM);
        replaced.map_or_else(|| own.trim_end(), String::as_str)
    }

    /// Replaces the text of that name: `system`, or that of a stage.
    pub fn replace(&mut self, name: &str, text: impl Into<String>) -> Result<(), Error> {
        let text = text.into();
        if text.trim().is_empty() {
            return Err(Error::settings(format!("the prompt `{name}` is empty")));
        }
        let known = Stage::ALL.map(Stage::name);
        if name != SYSTEM && !known.contains(&name) {
            let known = known.join(", ");
            let why = format!("no prompt `{name}`; there are system, {known}");
            return Err(Error::settings(why));
        }
        self.replaced.insert(name.to_owned(), text);
        Ok(())
    }
}
