//! Prompts, one text per stage.
//!
//! The texts are the files in `prompts/`. They have no placeholders: the program puts the documents
//! and the conversation before them, so that whoever replaces one replaces plain words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::Error;

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
    /// Which entities there are in the documents.
    Extract,
    /// A single question.
    Ask,
    /// A context document.
    Context,
}

impl Stage {
    /// All stages.
    pub const ALL: [Self; 6] = [
        Self::Initial,
        Self::Followup,
        Self::Final,
        Self::Extract,
        Self::Ask,
        Self::Context,
    ];

    /// Its name, which is that of its file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Followup => "followup",
            Self::Final => "final",
            Self::Extract => "extract",
            Self::Ask => "ask",
            Self::Context => "context",
        }
    }

    /// The node that makes its calls.
    pub(crate) fn node(self) -> &'static str {
        match self {
            Self::Initial | Self::Followup | Self::Final => "analysis_prepare",
            Self::Extract => "graph_extraction",
            Self::Ask => "ask",
            Self::Context => "build_context",
        }
    }
}

/// The texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompts {
    /// What does not change from stage to stage; it comes first in every call.
    pub system: String,
    stages: BTreeMap<Stage, String>,
}

impl Default for Prompts {
    fn default() -> Self {
        let own = |stage| match stage {
            Stage::Initial => include_str!("../prompts/initial.md"),
            Stage::Followup => include_str!("../prompts/followup.md"),
            Stage::Final => include_str!("../prompts/final.md"),
            Stage::Extract => include_str!("../prompts/extract.md"),
            Stage::Ask => include_str!("../prompts/ask.md"),
            Stage::Context => include_str!("../prompts/context.md"),
        };
        let stages = Stage::ALL.map(|stage| (stage, own(stage).trim_end().to_owned()));
        Self {
            system: include_str!("../prompts/system.md").trim_end().to_owned(),
            stages: stages.into(),
        }
    }
}

impl Prompts {
    /// The text of a stage.
    pub fn of(&self, stage: Stage) -> &str {
        self.stages.get(&stage).map_or("", String::as_str)
    }

    /// Replaces the text of that name: `system`, or that of a stage.
    pub fn replace(&mut self, name: &str, text: impl Into<String>) -> Result<(), Error> {
        let text = text.into();
        if text.trim().is_empty() {
            return Err(Error::settings(format!("the prompt `{name}` is empty")));
        }
        if name == "system" {
            self.system = text;
            return Ok(());
        }
        let Some(stage) = Stage::ALL.into_iter().find(|stage| stage.name() == name) else {
            let known = Stage::ALL.map(Stage::name).join(", ");
            let why = format!("no prompt `{name}`; there are system, {known}");
            return Err(Error::settings(why));
        };
        self.stages.insert(stage, text);
        Ok(())
    }
}
