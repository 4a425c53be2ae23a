//! An agent that a program added, run.

use superstep_agent::Site;

use super::{
    Doing, Hosting, OpenedDesk, RunAgent,
    hosting::{Hosted, lacks_model, unable},
};
use crate::{
    agents::Agent, app::App, args::InboxArgs, database, environment, error::Error, own,
    resumed::Resumed,
};

pub(super) struct Own(pub(super) Agent);

impl RunAgent for Own {
    fn resume<'a>(&self, thread: Resumed<'a>, app: &'a mut App<'_>) -> Doing<'a, ()> {
        Box::pin(async move {
            let agreement = thread.agreement(app).await?;
            own::resume(thread, agreement, app).await
        })
    }

    fn desk<'a>(&self, with: &'a InboxArgs, app: &'a mut App<'_>) -> Doing<'a, Option<OpenedDesk>> {
        let agent = self.0;
        Box::pin(async move {
            let reader = agent.reader(database::create(app.global)?)?;
            if reader.desk().is_none() {
                return Ok(None);
            }
            let budget = environment::budget(with.max_cost);
            let opened = own::open(agent, &own::content_of(true), &budget, app).await?;
            Ok(opened.desk().map(|desk| OpenedDesk {
                agent: opened,
                desk,
                budget,
            }))
        })
    }

    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>> {
        Box::pin(hosted(self.0, on, app))
    }
}

async fn hosted<'s>(
    agent: Agent,
    on: Hosting<'s>,
    app: &mut App<'_>,
) -> Result<Hosting<'s>, Error> {
    let content = environment::content_of_server();
    let parts = (on.backends.clone(), &environment::budget(None));
    let hosted = match own::site(agent, &content, parts, app).await {
        Ok(site) => Hosted::ready(agent.open(site)?),
        Err(missing) if lacks_model(&missing) => {
            let why = unable(agent, &missing, app)?;
            let site = Site::without_model(on.backends.clone(), &why);
            Hosted::unable(agent.open(site)?, &missing)
        }
        Err(error) => return Err(error),
    };
    let id = agent.name();
    let on = on.add(agent, id, hosted);
    // Only its author knows what it acts on.
    Ok(on.for_owners_if_shared(id, agent))
}
