//! An agent that is a row of a table: what it is asked, and what it reads.

use std::sync::Arc;

use superstep::tools::refine::Form;

use super::frame;
use crate::{
    agent::{AgentContext, DocAgent},
    agents::parts::Part,
    facts::Facts,
    findings::Findings,
    inert,
    material::{self, Material},
    numbered,
    profile::Profile,
};

/// An agent that comes with the library.
#[derive(Debug)]
pub struct Standard {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// What it is about, in one sentence for the model.
    pub(super) task: &'static str,
    /// The points of its analysis.
    pub(super) points: &'static [&'static str],
    pub(super) material: &'static [Material],
    /// What its page has from the facts.
    pub(super) parts: &'static [Part],
    pub(super) similar: &'static [&'static str],
}

impl Standard {
    fn findings(&self, context: &AgentContext) -> Findings {
        let points = self.points.iter().map(|point| (*point).to_owned());
        Findings::new(points.collect(), numbered::facts(self.material, context))
    }
}

/// Facts for a small model, line by line without keys that names hold.
pub(super) fn redacted(facts: &str) -> String {
    let lines: Vec<String> = facts.lines().map(inert::line).collect();
    lines.join("\n") + "\n"
}

impl DocAgent for &'static Standard {
    fn name(&self) -> &str {
        self.name
    }

    fn system_prompt(&self, context: &AgentContext) -> String {
        match context.profile {
            Profile::Strong => frame::strong(self.task, &self.criteria()),
            Profile::Small => frame::small(self.task, &self.findings(context)),
        }
    }

    fn human_prompt(&self, context: &AgentContext) -> String {
        match context.profile {
            Profile::Strong => material::render(self.material, context),
            Profile::Small => redacted(&self.findings(context).numbered()),
        }
    }

    fn form(&self, context: &AgentContext) -> Option<Arc<dyn Form>> {
        (context.profile == Profile::Small).then(|| Arc::new(self.findings(context)) as _)
    }

    fn title(&self) -> String {
        self.title.to_owned()
    }

    fn criteria(&self) -> Vec<String> {
        self.points
            .iter()
            .map(|point| (*point).to_owned())
            .collect()
    }

    fn facts_markdown(&self, facts: &Facts) -> String {
        let parts: Vec<String> = self
            .parts
            .iter()
            .filter_map(|part| part.render(facts))
            .collect();
        match parts.is_empty() && !self.parts.is_empty() {
            true => "The facts have nothing for this page.\n".to_owned(),
            false => parts.join("\n"),
        }
    }

    fn similar(&self) -> &[&'static str] {
        self.similar
    }
}
