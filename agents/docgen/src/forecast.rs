//! The forecast: what a run would do, and what it takes at most, without one call.

use serde::{Deserialize, Serialize};
use superstep::tools::refine::{Sizes, Takes};

use crate::{
    agent::{AgentContext, DocAgent},
    error::Error,
    metadata::Metadata,
    review,
    services::Services,
    settings::Request,
    tools,
};

/// What a run will do, and what it will take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forecast {
    /// The agents.
    pub agents: Vec<ForecastAgent>,
    /// Files that are read.
    pub files: u32,
    /// Files that are not.
    pub skipped: u32,
    /// Tokens of all agents, read and written, if each takes as much as it may.
    pub most_tokens: u64,
    /// Tokens of all agents if each is refined once and looks nothing up.
    pub usual_tokens: u64,
}

/// What an agent will do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForecastAgent {
    /// Its name.
    pub name: String,
    /// Its result is there already.
    pub is_kept: bool,
    /// Tokens of its first prompt, roughly.
    pub prompt_tokens: u64,
    /// Calls at least.
    pub fewest_calls: u32,
    /// Calls at most: look-ups and repairs of data that cannot be read among them.
    pub most_calls: u32,
    /// Tokens at most, read and written.
    pub most_tokens: u64,
    /// What it takes if it is refined once and looks nothing up.
    pub usual: Takes,
    /// What it takes at most.
    pub most: Takes,
}

impl Services {
    pub(crate) fn forecast(&self, request: &Request) -> Result<Forecast, Error> {
        let context = self.context(request)?;
        let old = Metadata::read(&request.output).ok().flatten();
        let (planned, _) = self.plan(request, &context, old.as_ref(), &Default::default())?;
        let mut forecast = Forecast {
            files: context.facts.counts.files,
            skipped: context.facts.skipped.total(),
            ..Forecast::default()
        };
        for planned in planned {
            let mut about = ForecastAgent {
                is_kept: planned.is_kept,
                name: planned.name,
                ..ForecastAgent::default()
            };
            if !about.is_kept && !request.no_model {
                self.weigh(&mut about, &context);
            }
            let total = |sum: u64, takes: &Takes| sum.saturating_add(takes.usage.total());
            forecast.most_tokens = total(forecast.most_tokens, &about.most);
            forecast.usual_tokens = total(forecast.usual_tokens, &about.usual);
            forecast.agents.push(about);
        }
        Ok(forecast)
    }

    /// How many tokens the first call of an agent needs, its reply at full length: what budgets are asked for.
    pub(crate) fn first_call(&self, agent: &dyn DocAgent, context: &AgentContext) -> u64 {
        let prompt = agent.system_prompt(context).len() + agent.human_prompt(context).len();
        let prompt = u64::try_from(prompt.div_ceil(4)).unwrap_or(u64::MAX);
        let reply = self.settings.refine.max_tokens.unwrap_or(0);
        prompt.saturating_add(u64::from(reply))
    }

    fn weigh(&self, about: &mut ForecastAgent, context: &AgentContext) {
        let mut agents = self.settings.agents.iter();
        let Some(agent) = agents.find(|it| it.name() == about.name) else {
            return;
        };
        let prompt = agent.system_prompt(context).len() + agent.human_prompt(context).len();
        let criteria: usize = agent.criteria().iter().map(String::len).sum();
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        // Without a model it is not known whether it can call tools; then it is taken to be able to.
        let has_tools =
            self.settings.tools && (self.model(&about.name)).is_none_or(|model| model.caps().tools);
        let sizes = Sizes {
            prompt: number(prompt + criteria),
            attached: number(review::most_bytes(
                context,
                self.settings.refine.max_iterations,
            )),
            looked_up: has_tools.then(|| number(tools::most_bytes(context))),
            has_form: agent.form(context).is_some(),
        };
        let refine = &self.settings.refine;
        about.prompt_tokens = number(prompt / 4);
        about.fewest_calls = refine.fewest_calls();
        about.usual = refine.refined_once(&sizes);
        about.most = refine.at_most(&sizes);
        about.most_calls = about.most.calls;
        about.most_tokens = about.most.usage.total();
    }
}
