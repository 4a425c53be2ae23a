//! Settings of an agent, read from its table in settings files. Errors name the file and the line.

use std::{fmt::Display, path::PathBuf};

use serde_json::Value as Json;
use superstep::model::{
    config::{Config, Origin, Setting},
    did_you_mean,
};

use crate::usage_error::UsageError;

/// The largest prompt, in bytes.
const LARGEST_PROMPT: u64 = 1 << 20;

/// A setting in the table of an agent.
#[derive(Clone, Copy, Debug)]
pub struct AgentSetting<'a> {
    key: &'a str,
    setting: &'a Setting<Json>,
}

/// The settings in the table `[agents.NAME]`, by key; for each key the file that counts.
pub fn settings_of<'a>(config: &'a Config, name: &str) -> Vec<AgentSetting<'a>> {
    let all = config.agent(name).into_iter();
    all.map(|(key, setting)| AgentSetting { key, setting })
        .collect()
}

impl<'a> AgentSetting<'a> {
    /// The key, such as `prompts.initial`.
    pub fn key(self) -> &'a str {
        self.key
    }

    /// The place.
    pub fn origin(self) -> &'a Origin {
        &self.setting.origin
    }

    /// The value as a function reads it. `wanted` names what it must be.
    pub fn must_be<T>(
        self,
        wanted: &str,
        read: impl FnOnce(&'a Json) -> Option<T>,
    ) -> Result<T, UsageError> {
        let wrong = || self.wrong(format!("`{}` must be {wanted}", self.key));
        read(&self.setting.value).ok_or_else(wrong)
    }

    /// A text.
    pub fn text(self) -> Result<&'a str, UsageError> {
        self.must_be("a text", Json::as_str)
    }

    /// A list of texts.
    pub fn texts(self, wanted: &str) -> Result<Vec<String>, UsageError> {
        self.must_be(wanted, |value| {
            let items = value.as_array()?.iter();
            items.map(|item| item.as_str().map(str::to_owned)).collect()
        })
    }

    /// True or false.
    pub fn flag(self) -> Result<bool, UsageError> {
        self.must_be("true or false", Json::as_bool)
    }

    /// A path. In a project's file it must lead to something below its folder.
    pub fn path(self) -> Result<PathBuf, UsageError> {
        let written = self.must_be("a path", Json::as_str)?;
        Ok(self.setting.path(written)?)
    }

    /// The text of a prompt, in a file. A project may name a pipe, which is refused because reading it would block.
    pub fn prompt(self) -> Result<String, UsageError> {
        let path = self.path()?;
        superstep::fs::read_text(&path, LARGEST_PROMPT)
            .map_err(|error| self.wrong(format!("{}: {error}", path.display())))
    }

    /// Refuses the setting in a project's file.
    pub fn users_only(self) -> Result<(), UsageError> {
        match self.setting.origin.is_project() {
            true => Err(self.wrong(format!("`{}` belongs in the user's file", self.key))),
            false => Ok(()),
        }
    }

    /// An error about the setting.
    pub fn wrong(self, why: impl Display) -> UsageError {
        UsageError::Wrong(format!("{}: {why}", self.setting.origin))
    }

    /// The error of a key that is none of these.
    pub fn unknown(self, keys: &[&str]) -> UsageError {
        let hint = did_you_mean::hint(self.key, keys.iter().copied());
        self.wrong(format!("unknown key `{}`{hint}", self.key))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use superstep::model::config::Scope;

    use super::*;
    use crate::failure::Failure as _;

    #[test]
    fn errors_name_the_place_of_a_setting() {
        let text = "[agents.poet]\nlines = \"two\"\n";
        let file = Config::parse(Path::new("superstep.toml"), Scope::Project, text);
        let mut config = Config::default();
        config.files.push(file.unwrap());
        let lines = settings_of(&config, "poet")[0];
        assert_eq!(lines.text().unwrap(), "two");
        assert!(lines.texts("a list of texts").is_err());
        let errors = [
            (lines.flag().unwrap_err(), "`lines` must be true or false"),
            (
                lines.users_only().unwrap_err(),
                "`lines` belongs in the user's file",
            ),
            (
                lines.unknown(&["line"]),
                "unknown key `lines`; did you mean `line`?",
            ),
        ];
        for (error, why) in errors {
            assert_eq!(error.to_string(), format!("superstep.toml:2: {why}"));
            assert_eq!((error.code(), error.exit()), ("SS6050", 2));
        }
    }
}
