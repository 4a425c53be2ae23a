//! Settings of the documentation agents in settings files: the table `[agents.docs]`.

use std::sync::Arc;

use serde_json::Value as Json;
use superstep::model::config::Config;
use superstep_agent::{AgentSetting, UsageError, settings_of};

use super::{Depth, Settings};
use crate::{
    agent::DocAgent,
    agents::{choose, standard_agents},
    error::Error,
    profile::Profile,
};

/// The keys.
const KEYS: [&str; 12] = [
    "depth", "max_iterations", "clarity_threshold", "min_improvement", "self_questioning",
    "parallel_answers", "learn_thresholds", "share_questions", "tools", "agents",
    "prompt_characters", "profile",
];

/// Keys that ask for more than one call per page.
const REFINING: [&str; 5] = [
    "depth", "max_iterations", "clarity_threshold", "min_improvement", "self_questioning",
];

/// Settings from files, before agents are chosen.
#[derive(Clone, Default)]
pub struct DocsTable {
    /// The settings. Agents are chosen by [`DocsTable::with_agents`].
    pub settings: Settings,
    /// The names of the agents; all agents if there are none.
    pub agents: Vec<String>,
    /// True if a setting asks for more than one call per page.
    pub is_refined: bool,
}

impl DocsTable {
    /// Settings of `[agents.docs]`, besides the profile.
    pub fn read(config: &Config) -> Result<Self, UsageError> {
        let mut table = Self::default();
        let all = settings_of(config, "docs");
        // The depth comes first, because the others change what it says.
        for it in all.iter().filter(|it| it.key() == "depth") {
            table.settings.refine = it.must_be("quick, normal or deep", depth)?.config();
        }
        for it in all {
            table.is_refined |= REFINING.contains(&it.key());
            let number = || it.must_be("a number", Json::as_f64);
            let settings = &mut table.settings;
            let refine = &mut settings.refine;
            match it.key() {
                "depth" | "profile" => {}
                "max_iterations" => refine.max_iterations = small(it)?,
                "clarity_threshold" => refine.clarity_threshold = number()?,
                "min_improvement" => refine.min_improvement = number()?,
                "self_questioning" => refine.enable_self_questioning = it.flag()?,
                "parallel_answers" => refine.parallel_answers = it.flag()?,
                "learn_thresholds" => settings.learn_thresholds = it.flag()?,
                "share_questions" => settings.share_questions = it.flag()?,
                "tools" => settings.tools = it.flag()?,
                "prompt_characters" => settings.room = small(it)?,
                "agents" => table.agents = it.texts("a list of names")?,
                _ => return Err(it.unknown(&KEYS)),
            }
        }
        Ok(table)
    }

    /// The profile of `[agents.docs]`.
    pub fn profile(config: &Config) -> Result<Option<Profile>, UsageError> {
        let all = settings_of(config, "docs").into_iter();
        let mut set = all.filter(|it| it.key() == "profile");
        let named = |value: &Json| value.as_str().and_then(Profile::named);
        set.next()
            .map(|it| it.must_be("strong or small", named))
            .transpose()
    }

    /// The settings with the agents that are named, of those that come with the library and these. Settings that make no
    /// sense are refused.
    pub fn with_agents(self, more: Vec<Arc<dyn DocAgent>>) -> Result<Settings, Error> {
        let mut settings = self.settings;
        let mut agents = standard_agents();
        agents.extend(more);
        settings.pages.clone_from(&agents);
        settings.agents = choose(agents, &self.agents)?;
        settings.check()?;
        Ok(settings)
    }
}

fn depth(value: &Json) -> Option<Depth> {
    match value.as_str()? {
        "quick" => Some(Depth::Quick),
        "normal" => Some(Depth::Normal),
        "deep" => Some(Depth::Deep),
        _ => None,
    }
}

fn small<T: TryFrom<u64>>(setting: AgentSetting<'_>) -> Result<T, UsageError> {
    let number = setting.must_be("a whole number", Json::as_u64)?;
    setting.must_be("a small number", |_| T::try_from(number).ok())
}
