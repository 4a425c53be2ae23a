//! The e-mail assistant as front ends know it.

use std::sync::{Arc, LazyLock};

use serde_json::json;
use superstep::Backends;
use superstep_agent::{
    Agent, AgentError as ContractError, Card, Demo, OpenAgent, PlainAgent, READ_ONLY, Site,
    demo_files,
};

use crate::{
    AgentError, MailAgent, MailParts, Settings,
    no_account::{NoCalendar, NoMailbox},
};

/// The e-mail assistant in a registry.
#[derive(Clone, Copy, Debug)]
pub struct MailContract;

/// The name of the assistant among agents.
pub(crate) const NAME: &str = "mail";

/// Nodes that call a model.
pub const MODEL_NODES: [&str; 3] = ["triage_router", "llm_call", "update_memory"];

static CARD: LazyLock<Card> = LazyLock::new(|| {
    let mail = json!({
        "from": {"email": "ann@example.com"},
        "to": [{"email": "max@example.com"}],
        "subject": "Meeting next week?",
        "text": "Hello Max,\n\ncan we meet on Wednesday, for half an hour?\n\nAnn",
    });
    Card {
        graphs: vec!["email_assistant".into()],
        titles: vec!["/email_input/mail/subject".into()],
        model_nodes: MODEL_NODES.map(str::to_owned).into(),
        example: Some(
            json!({"email_input": {"id": "meeting.eml", "thread": "meeting.eml", "mail": mail}}),
        ),
        input_schema: Some(json!({
            "type": "object",
            "required": ["email_input"],
            "properties": {
                "email_input": {"type": "object", "title": "Mail", "description": "The mail to handle.", "x-ui": "mail"},
            },
        })),
        demo: Some(Demo {
            script: include_str!("../demo/script.txt"),
            files: demo_files![
                "mail/meeting.eml", "mail/sale.eml", "mail/backup.eml", "meetings/week.ics",
                "replies.jsonl"
            ],
            leaves: &["mail/sent"],
            marks: &["meeting.eml", "ann@example.org"],
        }),
        ..Card::new(NAME, "Reads mail, and asks before it acts")
    }
});

impl Agent for MailContract {
    fn card(&self) -> &Card {
        &CARD
    }

    fn open(&self, site: Site) -> Result<Box<dyn OpenAgent>, ContractError> {
        let agent = without_account("there is no mail account", site)?;
        Ok(Box::new(agent.front()))
    }
}

impl MailAgent {
    /// The assistant without a model and an account, for reading questions and notes.
    pub fn reader(backends: Backends) -> Result<Self, AgentError> {
        Self::without_account(READ_ONLY, backends)
    }

    /// The assistant as front ends open it: its graph, and its questions in an inbox.
    pub fn front(&self) -> PlainAgent {
        PlainAgent::from(self.graph().clone()).with_desk(self.clone())
    }

    /// The assistant without a model and an account. Calls are refused with this reason.
    pub fn without_account(why: &str, backends: Backends) -> Result<Self, AgentError> {
        without_account(why, Site::without_model(backends, why))
    }
}

/// The assistant without an account, whose calls of mailbox and calendar are refused with this reason.
fn without_account(why: &str, site: Site) -> Result<MailAgent, AgentError> {
    MailAgent::new(MailParts {
        models: site.models,
        mailbox: Arc::new(NoMailbox::new(why)),
        calendar: Arc::new(NoCalendar::default()),
        settings: Settings::default(),
        backends: site.backends,
    })
}
