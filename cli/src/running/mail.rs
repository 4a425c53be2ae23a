//! The e-mail assistant, run: mails, questions, and what is sent.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::{
    Backends,
    model::{NodeModels, config::Config},
};
use superstep_mail::{
    Address, FolderCalendar, FolderMailbox, MailAgent, MailId, MailParts, Settings,
    account::MailAccount, ingest_graph,
};
use superstep_server::thread_uuid;

use super::{
    Doing, Hosting, OpenedDesk, RunAgent,
    hosting::{Hosted, demo_folder, rehearsed},
    notes::Notes,
};
use crate::{
    agents::Agent,
    app::App,
    args::{InboxArgs, Serve},
    error::Error,
    mail::{self, OpenedAgent, account},
};

/// The id under which clients know it, and its shorter name.
const EMAIL: (&str, &str) = ("email_assistant", "mail");

/// The id of the graph that takes in mail.
const INGEST: &str = "mail_ingest";

pub(super) struct Mail;

impl RunAgent for Mail {
    fn desk<'a>(&self, with: &'a InboxArgs, app: &'a mut App<'_>) -> Doing<'a, Option<OpenedDesk>> {
        Box::pin(async move {
            let account = account::read(&with.account, app.global)?;
            let OpenedAgent { agent, budget } = mail::open(&account, with.max_cost, app).await?;
            Ok(Some(OpenedDesk {
                desk: Arc::new(agent.clone()),
                agent: Box::new(agent.front()),
                budget,
            }))
        })
    }

    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>> {
        Box::pin(hosted(on, app))
    }

    fn check_settings(&self, config: &Config) -> Result<(), Error> {
        Ok(MailAccount::check_settings(config)?)
    }

    fn has_account(&self) -> bool {
        true
    }
}

async fn hosted<'s>(on: Hosting<'s>, app: &mut App<'_>) -> Result<Hosting<'s>, Error> {
    let opened = open(on.what, app).await;
    let has_account = opened.is_ok();
    // Mail of somebody's own is not mixed with that of a demo.
    let plays = async |missing: &Error, why: &str| match missing {
        Error::NoAccount => plays_demo(why, &on.backends).await,
        _ => Ok(None),
    };
    let absent = |why: &str| Ok(MailAgent::without_account(why, on.backends.clone())?);
    let hosted = Hosted::opened(Agent::MAIL, opened, plays, absent, app).await?;
    let agent = hosted.agent.clone();
    let on = on.add((Agent::MAIL, EMAIL.0), hosted, |it| Box::new(it.front()));
    // It sends from the mailbox of the user, and reads their calendar.
    let mut on = on.for_owners_if_shared(EMAIL.0, Agent::MAIL);
    on.server = on
        .server
        .alias(EMAIL.1, EMAIL.0)
        .bookkeeping(superstep_mail::BOOKKEEPING)
        .store_editor(Notes(agent.memory().clone()));
    match has_account {
        true => with_ingest(on, &agent),
        false => Ok(on),
    }
}

/// Adds the graph that takes in what arrives, for schedules. The mailbox is that of the server, not of its owners.
fn with_ingest<'s>(mut on: Hosting<'s>, agent: &MailAgent) -> Result<Hosting<'s>, Error> {
    let graph = ingest_graph::graph(agent, |thread| thread_uuid(thread).to_string())?;
    let about = format!(
        "Takes in new mail, for schedules ({})",
        ingest_graph::mode(agent.mode())
    );
    on.server = on
        .server
        .graph(INGEST, &graph)
        .description(INGEST, about)
        .example(INGEST, json!({"minutes_since": 60, "limit": 20}))
        .not_for_owners(INGEST);
    Ok(on)
}

async fn open(what: &Serve, app: &mut App<'_>) -> Result<MailAgent, Error> {
    let account = account::read(&what.account, app.global)?;
    Ok(mail::open(&account, None, app).await?.agent)
}

/// The e-mail assistant over the mails of its demo, in a dry run, and one of them as its input.
async fn plays_demo(why: &str, backends: &Backends) -> Result<Option<(MailAgent, Json)>, Error> {
    let Some(demo) = demo_folder(Agent::MAIL) else {
        return Ok(None);
    };
    let owner = Address::new("max@example.com");
    let mailbox = FolderMailbox::open(demo.join("mail"), owner)?;
    let calendar = FolderCalendar::open(demo.join("meetings"), "Europe/Berlin")?;
    let agent = MailAgent::new(MailParts {
        models: NodeModels::new(rehearsed(Agent::MAIL, why)?),
        mailbox: Arc::new(mailbox),
        calendar: Arc::new(calendar),
        settings: Settings::default(),
        backends: backends.clone(),
    })?;
    let mail = agent.email_input(&MailId("meeting.eml".into())).await?;
    Ok(Some((agent, json!({ "email_input": mail }))))
}
