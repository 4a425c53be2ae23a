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

use toml::{Table, Value};

use super::standard::summary;
use crate::{
    agent::{AgentContext, Data, DocAgent, is_agent_name},
    analysis,
    error::Error,
    material::{self, Material},
};

const FRAME: &str = include_str!("../../prompts/frame.md");

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
        .map_err(|error: toml::de::Error| wrong(error.message().to_owned()))?;
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
        "imports" => Material::Imports,
        "debt" => Material::Debt,
        "counts" => Material::Counts,
        _ => {
            let known = [
                "tree",
                "components",
                "dependencies",
                "entry_points",
                "symbols",
                "imports",
                "debt",
                "counts",
            ];
            let hint = superstep::model::did_you_mean::hint(name, known);
            return Err(format!("there is no material `{name}`{hint}"));
        }
    })
}

impl DocAgent for CustomAgent {
    fn name(&self) -> &str {
        &self.name
    }

    fn system_prompt(&self, _: &AgentContext) -> String {
        let points: Vec<String> = self
            .criteria
            .iter()
            .map(|point| format!("- {point}"))
            .collect();
        format!(
            "{FRAME}\nYour task: {}\n\nPoints, one heading each:\n{}\n",
            self.system,
            points.join("\n")
        )
    }

    fn human_prompt(&self, context: &AgentContext) -> String {
        let mut text = format!("{}\n\n", self.human);
        if self.words.is_empty() {
            text.push_str(&material::render(&self.material, context));
            return text;
        }
        let half = AgentContext {
            room: context.room / 2,
            ..context.clone()
        };
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        text.push_str(&material::render(&self.material, &half));
        text.push_str(&material::excerpts(&words, &half, half.room));
        text
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
        let plain = self.name.replace('-', " ");
        self.title.clone().unwrap_or(plain)
    }

    fn criteria(&self) -> Vec<String> {
        self.criteria.clone()
    }
}
