//! An agent that is a row of a table: what it is asked, and what it reads.

use crate::{
    agent::{AgentContext, Data, DocAgent},
    agents::parts::Part,
    analysis,
    facts::Facts,
    material::{self, Material},
};

const FRAME: &str = include_str!("../../prompts/frame.md");

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

impl DocAgent for &'static Standard {
    fn name(&self) -> &str {
        self.name
    }

    fn system_prompt(&self, _: &AgentContext) -> String {
        let points: Vec<String> = self
            .points
            .iter()
            .map(|point| format!("- {point}"))
            .collect();
        format!(
            "{FRAME}\nYour task: {}\n\nPoints, one heading each:\n{}\n",
            self.task,
            points.join("\n")
        )
    }

    fn human_prompt(&self, context: &AgentContext) -> String {
        material::render(self.material, context)
    }

    fn parse(&self, analysis: &str) -> Data {
        analysis::parse(analysis)
    }

    fn markdown(&self, data: &Data) -> String {
        analysis::markdown(data)
    }

    fn summary(&self, data: &Data) -> String {
        summary(data)
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
        parts.join("\n")
    }

    fn similar(&self) -> &[&'static str] {
        self.similar
    }
}

/// How much an analysis says, in one sentence.
pub(super) fn summary(data: &Data) -> String {
    let titles: Vec<&str> = analysis::sections(data)
        .map(|(title, _)| title)
        .filter(|it| !it.is_empty())
        .collect();
    let count = analysis::recommendations(data).count();
    match titles.is_empty() {
        true => "No analysis, facts alone".to_owned(),
        false => format!("{}; {count} recommendations", titles.join(", ")),
    }
}
