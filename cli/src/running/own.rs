//! An agent of a file, or one that a program added, run.

use superstep_agent::Site;

use super::{
    Doing, Hosting, OpenedDesk, RunAgent,
    hosting::{Hosted, lacks_model, plays_nothing},
};
use crate::{
    agents::Agent,
    app::App,
    args::InboxArgs,
    database, environment,
    error::Error,
    opened_model, own,
    resumed::{OpenedThread, StoredThread},
};

pub(super) struct Own(pub(super) Agent);

impl RunAgent for Own {
    fn open<'a>(
        &self,
        thread: &'a StoredThread<'_>,
        app: &'a mut App<'_>,
    ) -> Doing<'a, OpenedThread> {
        Box::pin(opened(self.0, thread, app))
    }

    fn desk<'a>(&self, with: &'a InboxArgs, app: &'a mut App<'_>) -> Doing<'a, Option<OpenedDesk>> {
        let agent = self.0;
        Box::pin(async move {
            let reader = agent.reader(database::create(app.global)?)?;
            if reader.desk().is_none() {
                return Ok(None);
            }
            let budget = opened_model::budget(with.max_cost);
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

async fn opened(
    agent: Agent,
    thread: &StoredThread<'_>,
    app: &mut App<'_>,
) -> Result<OpenedThread, Error> {
    let opened = match thread.is_done {
        true => agent.reader(database::read_only(app.global)?)?,
        false => {
            let budget = opened_model::budget(thread.talk.limits.max_cost);
            own::open(agent, &own::content_of(true), &budget, app).await?
        }
    };
    Ok((opened, Box::new(())))
}

async fn hosted<'s>(
    agent: Agent,
    on: Hosting<'s>,
    app: &mut App<'_>,
) -> Result<Hosting<'s>, Error> {
    let content = environment::content_of_server();
    let parts = (on.backends.clone(), &opened_model::budget(None));
    let opened = match own::site(agent, &content, parts, app).await {
        Ok(site) => Ok(agent.open(site)?),
        // A server is there without an agent whose tools nobody approved yet.
        Err(missing) if lacks_model(&missing) || agent.file().is_some() => Err(missing),
        Err(error) => return Err(error),
    };
    let absent = |why: &str| agent.open(Site::without_model(on.backends.clone(), why));
    let hosted = Hosted::opened(agent, opened, plays_nothing, absent, app).await?;
    let id = agent.name();
    let on = on.add((agent, id), hosted, |opened| opened);
    // Only its author knows what it acts on.
    Ok(on.for_owners_if_shared(id, agent))
}
