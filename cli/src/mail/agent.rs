//! Opening the e-mail assistant with its model, account and database.

use std::sync::Arc;

use superstep::{
    Modes,
    model::{Budget, Model, Money, call, select::DataOwner},
};
use superstep_mail::MailAgent;

use super::Account;
use crate::{app::App, database, environment, error::Error};

/// Opens the assistant. What is wrong with the account shows before a model is looked for.
pub(crate) async fn open(
    account: &Account,
    max_cost: Option<Money>,
    app: &mut App<'_>,
) -> Result<MailAgent, Error> {
    let opened = tokio::select! {
        opened = account.open() => opened?,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    let backends = database::create(app.global)?;
    let content = DataOwner::Elsewhere(super::NOT_OF_PROJECT.into());
    let mut caller = environment::open(&content, app).await?.caller;
    if let Some(max_cost) = max_cost {
        caller = caller.within(Budget::new(call::Limits {
            money: Some(max_cost),
            ..call::Limits::default()
        }));
    }
    account.tell(app.output);
    let model: Arc<dyn Model> = Arc::new(caller);
    let agent = MailAgent::new(
        model,
        opened.mailbox,
        opened.calendar,
        opened.settings,
        backends,
    )?;
    Ok(agent.with_options(|options| options.log = Modes::TRACE))
}
