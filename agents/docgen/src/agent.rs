//! What a documentation agent is: six hooks, and what it depends on.

use std::{path::PathBuf, sync::Arc};

use superstep::tools::refine::Form;

use crate::{
    analysis::{self, Data},
    facts::Facts,
    profile::Profile,
};

/// What an agent documents.
#[derive(Clone)]
pub struct AgentContext {
    /// The folder.
    pub root: PathBuf,
    /// What is known about it.
    pub facts: Arc<Facts>,
    /// How many characters of material a prompt may have.
    pub room: usize,
    /// Which kind of model is asked.
    pub profile: Profile,
}

/// An agent that writes one page.
///
/// The first six are the hooks of an agent: a name, what its model is told, how its analysis becomes data, a page
/// and a summary. The last three of them and all others have defaults: an analysis is Markdown with sections.
pub trait DocAgent: Send + Sync {
    /// Its name, which its page has too: small letters, digits and dashes.
    fn name(&self) -> &str;

    /// Instructions for the model.
    fn system_prompt(&self, context: &AgentContext) -> String;

    /// What the model analyses. An agent runs again when this changes, and not otherwise.
    fn human_prompt(&self, context: &AgentContext) -> String;

    /// The analysis as data.
    fn parse(&self, analysis: &str) -> Data {
        analysis::parse(analysis)
    }

    /// The page of the data, without its title.
    fn markdown(&self, data: &Data) -> String {
        analysis::markdown(data)
    }

    /// One sentence about the data.
    fn summary(&self, data: &Data) -> String {
        analysis::summary(data)
    }

    /// The form that the model fills in in place of writing an analysis; nothing if it writes.
    fn form(&self, context: &AgentContext) -> Option<Arc<dyn Form>> {
        let _ = context;
        None
    }

    /// The title of its page.
    fn title(&self) -> String {
        let words = self.name().replace('-', " ");
        let mut letters = words.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string());
        first.unwrap_or_default() + letters.as_str()
    }

    /// What makes an analysis complete, for its grade.
    fn criteria(&self) -> Vec<String> {
        Vec::new()
    }

    /// What the facts alone say, as Markdown; it costs no call and is made anew each time.
    fn facts_markdown(&self, facts: &Facts) -> String {
        let _ = facts;
        String::new()
    }

    /// Agents whose questions help this one, where questions are shared.
    fn similar(&self) -> &[&'static str] {
        &[]
    }
}

/// Whether a text can be the name of an agent, and so of a file.
pub fn is_agent_name(name: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let taken = [
        "index", "recommendations", "changelog", "metadata", "inputs",
    ];
    (1..=40).contains(&name.len())
        && name.chars().all(is_sign)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !taken.contains(&name)
}
