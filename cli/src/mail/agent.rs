//! Opening the e-mail assistant with its model, account and database.

use superstep::{
    Modes,
    model::{Budget, Money, select::DataOwner},
};
use superstep_mail::{MailAgent, MailParts, account::MailAccount};

use crate::{app::App, database, error::Error, opened_model};

/// The assistant, and what its calls cost.
pub(crate) struct OpenedAgent {
    pub(crate) agent: MailAgent,
    pub(crate) budget: Budget,
}

impl std::ops::Deref for OpenedAgent {
    type Target = MailAgent;

    fn deref(&self) -> &MailAgent {
        &self.agent
    }
}

/// Opens the assistant. What is wrong with the account shows before a model is looked for.
pub(crate) async fn open(
    account: &MailAccount,
    max_cost: Option<Money>,
    app: &mut App<'_>,
) -> Result<OpenedAgent, Error> {
    let opened = tokio::select! {
        opened = account.open() => opened?,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    let backends = database::create(app.global)?;
    let content = DataOwner::Elsewhere(super::NOT_OF_PROJECT.into());
    let budget = opened_model::budget(max_cost);
    let nodes = &superstep_mail::MODEL_NODES;
    let models = opened_model::open_models(nodes, &content, &budget, app).await?;
    app.output.say(&account.mode_line());
    let agent = MailAgent::new(MailParts {
        models,
        mailbox: opened.mailbox,
        calendar: opened.calendar,
        settings: opened.settings,
        backends,
    })?;
    Ok(OpenedAgent {
        agent: agent.with_options(|options| options.log = Modes::TRACE),
        budget,
    })
}
