//! Atris as front ends know it.

use std::sync::LazyLock;

use serde_json::json;
use superstep::{Backends, model::config::Config};
use superstep_agent::{Agent, AgentError, Card, Demo, OpenAgent, PlainAgent, Site};

use crate::{Atris, AtrisSession, AtrisTable, Audius, MODEL_NODES, NewError, Settings};

/// Atris in a registry.
#[derive(Clone, Copy, Debug)]
pub struct AtrisAgent;

static CARD: LazyLock<Card> = LazyLock::new(|| Card {
    titles: vec!["/message_history/0/question".into(), "/query".into()],
    model_nodes: MODEL_NODES.map(str::to_owned).into(),
    example: Some(json!({"query": "What are the top 5 trending tracks this week?"})),
    input_schema: Some(json!({
        "type": "object",
        "required": ["query"],
        "properties": {
            "query": {"type": "string", "title": "Question", "description": "A question about artists, tracks or playlists."},
        },
    })),
    demo: Some(Demo {
        script: include_str!("../demo/script.txt"),
        ..Demo::default()
    }),
    ..Card::new("atris", "Answers questions about Audius from its API").taking("query")
});

impl Agent for AtrisAgent {
    fn card(&self) -> &Card {
        &CARD
    }

    fn open(&self, site: Site) -> Result<Box<dyn OpenAgent>, AgentError> {
        let atris = Atris::with_models(Some(site.models), Settings::default(), site.backends)?;
        Ok(Box::new(PlainAgent::from(atris.graph().clone())))
    }

    fn reader(&self, backends: Backends) -> Result<Box<dyn OpenAgent>, AgentError> {
        // What answers a question is named by the front end, by the id of the question.
        let session = AtrisSession::new(Atris::reader(backends)?, Box::new(|_, _| String::new()));
        Ok(Box::new(session))
    }

    fn check_settings(&self, config: &Config) -> Result<(), AgentError> {
        let table = AtrisTable::read(config)?;
        // The client refuses wrong hosts.
        Audius::new(table.settings.client)?;
        Ok(())
    }
}

impl Atris {
    /// Atris without a model, for reading threads.
    pub fn reader(backends: Backends) -> Result<Self, NewError> {
        Self::new(None, Settings::default(), backends)
    }
}
