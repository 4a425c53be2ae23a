//! Archie as front ends know him.

use std::sync::{Arc, LazyLock};

use serde_json::json;
use superstep::{Backends, BuildErrors, model::config::Config};
use superstep_agent::{
    Agent, AgentError, Card, Demo, NamedPath, NoModel, OpenAgent, READ_ONLY, Site, demo_files,
};

use crate::{Archie, ArchieSession, Settings};

/// Archie in a registry.
#[derive(Clone, Copy, Debug)]
pub struct ArchieAgent;

/// Nodes that call a model.
pub const MODEL_NODES: [&str; 4] = ["analysis_prepare", "remember", "build_context", "ask"];

static CARD: LazyLock<Card> = LazyLock::new(|| Card {
    titles: vec!["/analysis_history/0/content".into(), "/user_input".into()],
    paths: vec![NamedPath {
        verb: "reads, and writes its result to,".into(),
        place: "/inputs/folder".into(),
    }],
    model_nodes: MODEL_NODES.map(str::to_owned).into(),
    example: Some(
        json!({"user_input": "What is decided here, and what is open?", "inputs": {"folder": "."}}),
    ),
    input_schema: Some(json!({
        "type": "object",
        "required": ["user_input"],
        "properties": {
            "user_input": {"type": "string", "title": "Question", "description": "What you want to know or decide."},
            "inputs": {
                "type": "object",
                "title": "Documents",
                "properties": {
                    "folder": {"type": "string", "title": "Folder", "description": "The folder to read.", "x-ui": "folder"},
                    "uploads": {
                        "type": "array",
                        "title": "Files",
                        "description": "Uploaded files to read in place of a folder.",
                        "x-ui": "files",
                        "items": {
                            "type": "object",
                            "required": ["name", "sha256"],
                            "properties": {"name": {"type": "string"}, "sha256": {"type": "string"}},
                        },
                    },
                },
            },
        },
    })),
    // What was approved stays unless the reply changes it.
    follow_up: Some(json!({"user_input": "$text"})),
    demo: Some(Demo {
        script: include_str!("../demo/script.txt"),
        files: demo_files![
            "docs/overview.md", "docs/requirements.md", "docs/notes.txt", "replies.jsonl",
            "answers.txt"
        ],
        marks: &["One service or two", "channel manager", "room inventory"],
        ..Demo::default()
    }),
    ..Card::new(
        "archie",
        "Talks about a folder of documents until you approve the analysis",
    )
});

impl Agent for ArchieAgent {
    fn card(&self) -> &Card {
        &CARD
    }

    fn open(&self, site: Site) -> Result<Box<dyn OpenAgent>, AgentError> {
        let archie = Archie::with_models(site.models, Settings::default(), site.backends)?;
        Ok(Box::new(ArchieSession::new(archie)))
    }

    fn check_settings(&self, config: &Config) -> Result<(), AgentError> {
        Settings::default().configured(config)?;
        Ok(())
    }
}

impl Archie {
    /// Archie without a model, for reading threads.
    pub fn reader(backends: Backends) -> Result<Self, BuildErrors> {
        Self::without_model(READ_ONLY, Settings::default(), backends)
    }

    /// Archie without a model. Calls are refused with this reason.
    pub fn without_model(
        why: &str,
        settings: Settings,
        backends: Backends,
    ) -> Result<Self, BuildErrors> {
        Self::new(Arc::new(NoModel::new(why)), settings, backends)
    }
}
