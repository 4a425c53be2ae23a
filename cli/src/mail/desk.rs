//! The e-mail assistant with a model, an account and a database.

use std::sync::Arc;

use superstep_core::event::Modes;
use superstep_mail::MailAgent;
use superstep_model::{Budget, Model, Money, call, select::Content};

use super::Account;
use crate::{args::Global, database, failure::Failure, output::Output, person::Person, world};

/// Opens the assistant. What is wrong with the account shows before a model is looked for.
pub(crate) async fn open(
    account: &Account,
    max_cost: Option<&str>,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<MailAgent, Failure> {
    let most: Option<Money> = max_cost.map(str::parse).transpose().map_err(|error| {
        let error: <Money as std::str::FromStr>::Err = error;
        Failure::Usage(format!("--max-cost: {error}"))
    })?;
    let opened = tokio::select! {
        opened = account.open() => opened?,
        () = person.pressed() => return Err(Failure::Cancelled),
    };
    let backends = database::backends(global)?;
    let content = Content::Elsewhere(super::NOT_OF_PROJECT.into());
    let mut caller = world::open(global, &content, output, person).await?.caller;
    if let Some(most) = most {
        caller = caller.within(Budget::new(call::Limits {
            money: Some(most),
            ..call::Limits::default()
        }));
    }
    account.tell(output);
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
