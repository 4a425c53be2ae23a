//! Settings of the spreadsheet agent in settings files: the table `[agents.sheets]`.

use std::time::Duration;

use serde_json::Value as Json;
use superstep::model::config::Config;
use superstep_agent::{AgentSetting, UsageError, settings_of};

use super::Settings;

/// The keys.
const KEYS: [&str; 9] = [
    "max_steps", "informer", "overwrites", "sandbox", "program_seconds", "planner_model",
    "informer_model", "prompts.planner", "prompts.informer",
];

/// The keys that a project cannot set: what is lost without a question, what contains programs, where content goes.
const USERS: [&str; 5] = [
    "overwrites", "sandbox", "program_seconds", "planner_model", "informer_model",
];

/// Settings from files, with names of what the program opens.
#[derive(Clone, Default)]
pub struct SheetsTable {
    /// The settings without a sandbox.
    pub settings: Settings,
    /// The name of the sandbox.
    pub sandbox: Option<String>,
    /// The model of the planner.
    pub planner: Option<String>,
    /// The model of the informer.
    pub informer: Option<String>,
}

impl SheetsTable {
    /// Settings of `[agents.sheets]`.
    pub fn read(config: &Config) -> Result<Self, UsageError> {
        let mut table = Self::default();
        for it in settings_of(config, "sheets") {
            if USERS.contains(&it.key()) {
                it.users_only()?;
            }
            let number = || it.must_be("a number", Json::as_u64);
            let text = || it.text().map(str::to_owned);
            let settings = &mut table.settings;
            match it.key() {
                "max_steps" => {
                    let steps = u32::try_from(number()?).ok().filter(|steps| *steps > 0);
                    settings.max_steps = it.must_be("a number from 1", |_| steps)?;
                }
                "informer" => settings.with_informer = it.flag()?,
                "overwrites" => settings.overwrites = number()?,
                "sandbox" => table.sandbox = Some(text()?),
                "program_seconds" => {
                    let seconds = Some(number()?).filter(|it| (1..=3600).contains(it));
                    let seconds = it.must_be("a number from 1 to 3600", |_| seconds)?;
                    settings.program.time = Duration::from_secs(seconds);
                }
                "planner_model" => table.planner = Some(text()?),
                "informer_model" => table.informer = Some(text()?),
                "prompts.planner" => settings.planner_prompt = Some(prompt(it)?),
                "prompts.informer" => settings.informer_prompt = Some(prompt(it)?),
                _ => return Err(it.unknown(&KEYS)),
            }
        }
        Ok(table)
    }
}

fn prompt(setting: AgentSetting<'_>) -> Result<String, UsageError> {
    setting.text()?;
    setting.prompt()
}
