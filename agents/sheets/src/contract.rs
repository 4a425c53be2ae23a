//! The spreadsheet agent as front ends know it.

use std::sync::{Arc, LazyLock};

use serde_json::json;
use superstep::{Backends, model::config::Config};
use superstep_agent::{
    Agent, AgentError, Card, Demo, NoModel, OpenAgent, READ_ONLY, Site, demo_files,
};
use superstep_workbook::Overwrite;

use crate::{Models, NewError, Settings, Sheets, SheetsSession, SheetsTable};

/// The spreadsheet agent in a registry.
#[derive(Clone, Copy, Debug)]
pub struct SheetsAgent;

/// Nodes that call a model.
pub const MODEL_NODES: [&str; 2] = ["planner_node", "informer_node"];

// No paths: those of a foreign thread are not used at all. Its result is a version, and is exported by name.
static CARD: LazyLock<Card> = LazyLock::new(|| Card {
    titles: vec!["/problem/instruction".into()],
    model_nodes: MODEL_NODES.map(str::to_owned).into(),
    example: Some(
        json!({"problem": {"instruction": "Add a sheet with the sums by region", "workbook": ""}}),
    ),
    input_schema: Some(json!({
        "type": "object",
        "required": ["problem"],
        "properties": {
            "problem": {
                "type": "object",
                "title": "Task",
                "required": ["instruction"],
                "properties": {
                    "instruction": {"type": "string", "title": "Instruction", "description": "What to do with the workbook."},
                    "workbook": {"type": "string", "title": "Workbook", "description": "The workbook to work on.", "x-ui": "file"},
                    "file": {"type": "string", "title": "File name", "x-ui": "file-name"},
                },
            },
            "max_steps": {"type": "integer", "minimum": 1, "title": "Steps", "description": "The most steps.", "x-ui": "advanced"},
        },
    })),
    // Without a workbook it continues from the version that the thread has come to.
    follow_up: Some(json!({"problem": {"instruction": "$text"}})),
    demo: Some(Demo {
        script: include_str!("../demo/script.txt"),
        files: demo_files!["sales.xlsx", "replies.jsonl"],
        marks: &["sums by region"],
        ..Demo::default()
    }),
    ..Card::new(
        "sheets",
        "Works on spreadsheets step by step; the input is never modified",
    )
});

impl Agent for SheetsAgent {
    fn card(&self) -> &Card {
        &CARD
    }

    fn open(&self, site: Site) -> Result<Box<dyn OpenAgent>, AgentError> {
        let models = Models {
            planner: site.model(),
            informer: None,
        };
        let sheets = Sheets::new(models, Settings::default(), site.backends)?;
        Ok(Box::new(SheetsSession::new(sheets, None, Overwrite::Never)))
    }

    fn check_settings(&self, config: &Config) -> Result<(), AgentError> {
        SheetsTable::read(config)?;
        Ok(())
    }
}

impl Sheets {
    /// The agent without a model, for reading threads and their workbooks.
    pub fn reader(backends: Backends) -> Result<Self, NewError> {
        Self::without_model(READ_ONLY, backends)
    }

    /// The agent without a model. Calls are refused with this reason.
    pub fn without_model(why: &str, backends: Backends) -> Result<Self, NewError> {
        let models = Models {
            planner: Arc::new(NoModel::new(why)),
            informer: None,
        };
        Self::new(models, Settings::default(), backends)
    }
}
