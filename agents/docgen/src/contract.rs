//! The documentation agents as front ends know them.

use std::sync::LazyLock;

use serde_json::json;
use superstep::{Backends, Value, model::config::Config};
use superstep_agent::{Agent, AgentError, Card, Demo, NamedPath, OpenAgent, Site, demo_files};

use crate::{Docgen, DocsSession, DocsTable, NewError, Settings, agents::standard_agents};

/// The documentation agents in a registry.
#[derive(Clone, Copy, Debug)]
pub struct DocsAgent;

static CARD: LazyLock<Card> = LazyLock::new(|| {
    let path = |verb: &str, place: &str| NamedPath {
        verb: verb.into(),
        place: place.into(),
    };
    Card {
        graphs: vec!["DocumentationGeneration-Complete".into()],
        titles: vec!["/request/root".into()],
        paths: vec![
            path("documents", "/request/root"),
            path("writes pages to", "/request/output"),
        ],
        model_nodes: standard_agents()
            .iter()
            .map(|agent| agent.name().to_owned())
            .collect(),
        example: Some(json!({"request": {"root": "."}})),
        input_schema: Some(json!({
            "type": "object",
            "required": ["request"],
            "properties": {
                "request": {
                    "type": "object",
                    "title": "Code base",
                    "required": ["root"],
                    "properties": {
                        "root": {"type": "string", "title": "Folder", "description": "The code to document.", "x-ui": "folder"},
                        "output": {"type": "string", "title": "Pages go to", "description": "The folder of the pages.", "x-ui": "advanced"},
                        "no_model": {"type": "boolean", "title": "Facts only", "description": "Ask no model.", "x-ui": "advanced"},
                        "since": {"type": ["string", "null"], "title": "Changed since", "description": "A commit: only what changed since then is documented.", "x-ui": "advanced"},
                        "force": {"type": "boolean", "title": "Write all pages again", "x-ui": "advanced"},
                        "approve_above": {"type": ["integer", "null"], "minimum": 0, "title": "Ask above", "description": "Rounds that take more tokens than this need your approval.", "x-ui": "advanced"},
                    },
                },
            },
        })),
        demo: Some(Demo {
            script: include_str!("../demo/script.txt"),
            files: demo_files![
                "shop/pyproject.toml", "shop/shop/cart.py", "shop/shop/main.py", "replies.jsonl"
            ],
            ..Demo::default()
        }),
        ..Card::new(
            "docs",
            "Documents a code base; what it claims is checked against facts",
        )
    }
});

impl Agent for DocsAgent {
    fn card(&self) -> &Card {
        &CARD
    }

    fn open(&self, site: Site) -> Result<Box<dyn OpenAgent>, AgentError> {
        let docgen = Docgen::with_models(Some(site.models), Settings::default(), site.backends)?;
        Ok(Box::new(DocsSession::new(docgen, Value::Null)))
    }

    fn reader(&self, backends: Backends) -> Result<Box<dyn OpenAgent>, AgentError> {
        let docgen = Docgen::reader(backends)?;
        Ok(Box::new(DocsSession::new(docgen, Value::Null)))
    }

    fn check_settings(&self, config: &Config) -> Result<(), AgentError> {
        DocsTable::profile(config)?;
        DocsTable::read(config)?.with_agents(Vec::new())?;
        Ok(())
    }
}

impl Docgen {
    /// The agents without a model, for reading threads.
    pub fn reader(backends: Backends) -> Result<Self, NewError> {
        Self::new(None, Settings::default(), backends)
    }
}
