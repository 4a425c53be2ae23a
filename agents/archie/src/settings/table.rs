//! Settings of Archie in settings files: the table `[agents.archie]`.

use superstep::{model::config::Config, tools::guided::Profile};
use superstep_agent::{AgentSetting, UsageError, settings_of};

use super::{Replies, Settings};
use crate::approval::Keywords;

/// The keys besides `prompts.NAME`.
const KEYS: [&str; 5] = [
    "keywords", "memory", "document_tokens", "reply_tokens", "profile",
];

impl Settings {
    /// The same settings with those of `[agents.archie]`. A project may not choose the file of the memory.
    pub fn configured(mut self, config: &Config) -> Result<Self, UsageError> {
        for it in settings_of(config, "archie") {
            match it.key() {
                "keywords" => self.keywords = Keywords::new(it.texts("a list of texts")?),
                "memory" => {
                    it.users_only()?;
                    self.memory = Some(it.path()?.into());
                }
                "document_tokens" => {
                    let tokens = tokens_of(it)?;
                    self.document_tokens = usize::try_from(tokens).ok();
                }
                "reply_tokens" => {
                    let tokens = Some(tokens_of(it)?);
                    self.replies = Replies {
                        turn: tokens,
                        result: tokens,
                    };
                }
                "profile" => {
                    let profile = it.must_be("strong or small", |value| {
                        value.as_str().and_then(Profile::named)
                    });
                    self.profile = Some(profile?);
                }
                key => {
                    let Some(name) = key.strip_prefix("prompts.") else {
                        return Err(it.unknown(&KEYS));
                    };
                    let replaced = self.prompts.replace(name, it.prompt()?);
                    replaced.map_err(|error| it.wrong(error))?;
                }
            }
        }
        Ok(self)
    }
}

fn tokens_of(setting: AgentSetting<'_>) -> Result<u32, UsageError> {
    setting.must_be("a number above 0", |value| {
        let tokens = u32::try_from(value.as_u64()?).ok();
        tokens.filter(|tokens| *tokens > 0)
    })
}
