//! Agents of a user's file: prompts and criteria, no Rust.
//!
//! ```toml
//! [[agents]]
//! name = "accessibility"
//! title = "Accessibility"
//! system = "Review what the material shows of accessibility."
//! human = "Look at components of the user interface first."
//! criteria = ["Keyboard", "Contrast", "Labels"]
//! material = ["tree", "symbols", "dependencies"]
//! words = ["button", "label", "aria"]
//! ```

use std::sync::Arc;

use superstep::tools::refine::Form;
use toml::{Table, Value};

use super::{frame, standard::redacted};
use crate::{
    agent::{AgentContext, DocAgent, is_agent_name},
    error::Error,
    findings::Findings,
    material::{self, Material},
    numbered,
    profile::Profile,
};

/// The most agents of a file.
const MOST: usize = 20;

/// An agent of a user's file.
#[derive(Clone, Debug, Default)]
pub struct CustomAgent {
    name: String,
    title: Option<String>,
    system: String,
    human: String,
    criteria: Vec<String>,
    material: Vec<Material>,
    words: Vec<String>,
}

/// The agents of a text in TOML, or what is wrong with it.
pub fn custom_agents(text: &str) -> Result<Vec<Arc<dyn DocAgent>>, Error> {
    let wrong = |why: String| Error::Settings { why };
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| wrong(placed(&error, text)))?;
    let listed = table.get("agents").and_then(Value::as_array);
    let listed = listed.ok_or_else(|| wrong("a file of agents has `[[agents]]` tables".into()))?;
    if listed.len() > MOST {
        return Err(wrong(format!("a file may have {MOST} agents")));
    }
    let mut agents: Vec<Arc<dyn DocAgent>> = super::standard_agents();
    let known = agents.len();
    for (number, entry) in listed.iter().enumerate() {
        let place = format!("agent {}", number + 1);
        let entry = entry
            .as_table()
            .ok_or_else(|| wrong(format!("{place}: it must be a table")))?;
        let agent = one(entry).map_err(|why| wrong(format!("{place}: {why}")))?;
        if agents.iter().any(|other| other.name() == agent.name) {
            return Err(wrong(format!(
                "{place}: there is an agent `{}` already",
                agent.name
            )));
        }
        agents.push(Arc::new(agent));
    }
    Ok(agents.split_off(known))
}

/// What is wrong with a text, and on which line of it.
fn placed(error: &toml::de::Error, text: &str) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) => format!(
            "line {}: {}",
            before.matches('\n').count() + 1,
            error.message()
        ),
        None => error.message().to_owned(),
    }
}

fn one(entry: &Table) -> Result<CustomAgent, String> {
    let mut agent = CustomAgent::default();
    for (key, value) in entry {
        let text = || {
            value
                .as_str()
                .map(str::to_owned)
                .ok_or_else(|| format!("`{key}` must be a text"))
        };
        let texts = || {
            let all = value
                .as_array()
                .ok_or_else(|| format!("`{key}` must be a list of texts"))?;
            let all = all.iter().map(|it| it.as_str().map(str::to_owned));
            all.collect::<Option<Vec<String>>>()
                .ok_or_else(|| format!("`{key}` must be a list of texts"))
        };
        match key.as_str() {
            "name" => agent.name = text()?,
            "title" => agent.title = Some(text()?),
            "system" => agent.system = text()?,
            "human" => agent.human = text()?,
            "criteria" => agent.criteria = texts()?,
            "words" => agent.words = texts()?.iter().map(|it| it.to_lowercase()).collect(),
            "material" => {
                agent.material = texts()?
                    .iter()
                    .map(|it| kind(it))
                    .collect::<Result<_, _>>()?;
            }
            _ => {
                let known = [
                    "name", "title", "system", "human", "criteria", "words", "material",
                ];
                let hint = superstep::model::did_you_mean::hint(key, known);
                return Err(format!("unknown key `{key}`{hint}"));
            }
        }
    }
    if !is_agent_name(&agent.name) {
        return Err(
            "`name` must be small letters, digits and dashes, and not that of another page".into(),
        );
    }
    if agent.system.trim().is_empty() {
        return Err("`system` says what the agent does; it is missing".into());
    }
    if agent.material.is_empty() {
        agent.material = vec![Material::Tree, Material::Symbols];
    }
    Ok(agent)
}

fn kind(name: &str) -> Result<Material, String> {
    Ok(match name {
        "tree" => Material::Tree,
        "components" => Material::Components,
        "dependencies" => Material::Dependencies,
        "entry_points" => Material::EntryPoints,
        "symbols" => Material::Symbols,
        "outline" => Material::Outline,
        "flow" => Material::Flow,
        "imports" => Material::Imports,
        "debt" => Material::Debt,
        "counts" => Material::Counts,
        _ => {
            let known = [
                "tree", "components", "dependencies", "entry_points", "symbols", "outline", "flow",
                "imports", "debt", "counts",
            ];
            let hint = superstep::model::did_you_mean::hint(name, known);
            return Err(format!("there is no material `{name}`{hint}"));
        }
    })
}

/// The same with half of the room, for material that comes in two parts.
fn half(context: &AgentContext) -> AgentContext {
    AgentContext {
        room: context.room / 2,
        ..context.clone()
    }
}

impl CustomAgent {
    /// What a small model chooses from.
    fn findings(&self, context: &AgentContext) -> Findings {
        let points = match self.criteria.is_empty() {
            true => vec![self.title()],
            false => self.criteria.clone(),
        };
        if self.words.is_empty() {
            return Findings::new(points, numbered::facts(&self.material, context));
        }
        let half = half(context);
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let mut facts = numbered::facts(&self.material, &half);
        let more = numbered::about(&words, context, facts.len().max(4));
        facts.extend(more);
        Findings::new(points, facts)
    }
}

impl DocAgent for CustomAgent {
    fn name(&self) -> &str {
        &self.name
    }

    fn system_prompt(&self, context: &AgentContext) -> String {
        match context.profile {
            Profile::Strong => frame::strong(&self.system, &self.criteria),
            Profile::Small => frame::small(&self.system, &self.findings(context)),
        }
    }

    fn human_prompt(&self, context: &AgentContext) -> String {
        if context.profile == Profile::Small {
            let facts = redacted(&self.findings(context).numbered());
            return format!("{}\n\n{facts}", self.human);
        }
        let mut text = format!("{}\n\n", self.human);
        if self.words.is_empty() {
            text.push_str(&material::render(&self.material, context));
            return text;
        }
        let half = half(context);
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        text.push_str(&material::render(&self.material, &half));
        text.push_str(&material::definitions(&words, &half, half.room));
        text
    }

    fn form(&self, context: &AgentContext) -> Option<Arc<dyn Form>> {
        (context.profile == Profile::Small).then(|| Arc::new(self.findings(context)) as _)
    }

    fn title(&self) -> String {
        let plain = self.name.replace('-', " ");
        self.title.clone().unwrap_or(plain)
    }

    fn criteria(&self) -> Vec<String> {
        self.criteria.clone()
    }
}
