//! The texts that the assistant's calls of a model begin with. They are the files of the folder `prompts`, and can
//! be replaced by a text of one's own.
//!
//! A text has places such as `{{owner}}`, which are filled for each call. A place that does not exist would be filled
//! with nothing, unnoticed, so a text that has one is refused.

use superstep::model::did_you_mean;

/// What a call of the model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Sorting a mail: answer, notify, ignore.
    Triage,
    /// Handling a mail with tools.
    Respond,
    /// Wording what an act of the owner teaches.
    Memory,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Triage, Self::Respond, Self::Memory];

    /// Its name, which is that of its file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Triage => "triage",
            Self::Respond => "respond",
            Self::Memory => "memory",
        }
    }

    /// What is filled in.
    pub fn places(self) -> &'static [&'static str] {
        match self {
            Self::Triage => &[
                "owner", "background", "preferences", "today", "hours", "zone",
            ],
            Self::Respond => &[
                "owner", "background", "response_preferences", "cal_preferences", "today", "hours",
                "zone",
            ],
            Self::Memory => &["owner", "notes"],
        }
    }

    /// The places without which what the owner taught would not be read.
    fn needed(self) -> &'static [&'static str] {
        match self {
            Self::Triage => &["preferences"],
            Self::Respond => &["response_preferences", "cal_preferences"],
            Self::Memory => &["notes"],
        }
    }
}

/// Why a text is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// There is no prompt of that name.
    #[error("there is no prompt `{name}`; there are triage, respond, memory")]
    Unknown {
        /// The name.
        name: String,
    },
    /// It says nothing.
    #[error("the prompt `{name}` is empty")]
    Empty {
        /// Which.
        name: &'static str,
    },
    /// It has a place that is never filled.
    #[error("the prompt `{name}` has the place `{{{{{place}}}}}`, which is never filled{near}")]
    Place {
        /// Which.
        name: &'static str,
        /// The place.
        place: String,
        /// What may be meant.
        near: String,
    },
    /// It leaves out what the owner taught.
    #[error("the prompt `{name}` needs the place `{{{{{place}}}}}`")]
    Missing {
        /// Which.
        name: &'static str,
        /// The place.
        place: &'static str,
    },
}

/// The texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompts {
    triage: String,
    respond: String,
    memory: String,
}

impl Default for Prompts {
    fn default() -> Self {
        Self {
            triage: include_str!("../prompts/triage.md").to_owned(),
            respond: include_str!("../prompts/respond.md").to_owned(),
            memory: include_str!("../prompts/memory.md").to_owned(),
        }
    }
}

impl Prompts {
    /// The text of a stage.
    pub fn of(&self, stage: Stage) -> &str {
        match stage {
            Stage::Triage => &self.triage,
            Stage::Respond => &self.respond,
            Stage::Memory => &self.memory,
        }
    }

    /// Replaces the text of that name.
    pub fn replace(&mut self, name: &str, text: impl Into<String>) -> Result<(), PromptError> {
        let text = text.into();
        let stage = Stage::ALL.into_iter().find(|stage| stage.name() == name);
        let Some(stage) = stage else {
            let name = name.to_owned();
            return Err(PromptError::Unknown { name });
        };
        let name = stage.name();
        if text.trim().is_empty() {
            return Err(PromptError::Empty { name });
        }
        let used = places(&text);
        let is_odd = |place: &&&str| !stage.places().contains(*place);
        if let Some(place) = used.iter().find(is_odd) {
            let near = did_you_mean::hint(place, stage.places().iter().copied());
            let place = (*place).to_owned();
            return Err(PromptError::Place { name, place, near });
        }
        if let Some(place) = stage.needed().iter().find(|place| !used.contains(*place)) {
            return Err(PromptError::Missing { name, place });
        }
        *match stage {
            Stage::Triage => &mut self.triage,
            Stage::Respond => &mut self.respond,
            Stage::Memory => &mut self.memory,
        } = text;
        Ok(())
    }
}

/// The places of a text.
fn places(text: &str) -> Vec<&str> {
    let parts = text.split("{{").skip(1);
    parts
        .filter_map(|part| Some(part.split_once("}}")?.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_that_come_with_it_are_taken() {
        let own = Prompts::default();
        let mut replaced = Prompts::default();
        for stage in Stage::ALL {
            replaced.replace(stage.name(), own.of(stage)).unwrap();
        }
        assert_eq!(replaced, own);
    }

    #[test]
    fn a_text_that_would_be_filled_with_nothing_or_forget_what_was_taught_is_refused() {
        let mut prompts = Prompts::default();
        let before = prompts.clone();
        let mut refused = |name: &str, text: &str| {
            let error = prompts.replace(name, text).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            refused("triage", "Sort the mail of {{ownr}}: {{preferences}}"),
            "the prompt `triage` has the place `{{ownr}}`, which is never filled; did you mean `owner`?"
        );
        assert_eq!(
            refused("respond", "Answer. {{response_preferences}}"),
            "the prompt `respond` needs the place `{{cal_preferences}}`"
        );
        assert_eq!(refused("memory", " \n"), "the prompt `memory` is empty");
        assert!(refused("reply", "x").contains("there are triage"));
        assert_eq!(prompts, before);
    }
}
