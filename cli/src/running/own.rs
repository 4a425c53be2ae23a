//! An agent that a program added, run.

use superstep_agent::Site;

use super::{
    Doing, Hosting, Resumed, RunAgent,
    hosting::{lacks_model, unable},
};
use crate::{agents::Agent, app::App, environment, error::Error, own};

pub(super) struct Own(pub(super) Agent);

impl RunAgent for Own {
    fn resume<'a>(&self, thread: Resumed<'a>, app: &'a mut App<'_>) -> Doing<'a, ()> {
        Box::pin(async move {
            let agreement = thread.agreement(app).await?;
            let stored = own::StoredThread {
                agent: thread.agent,
                name: thread.thread,
                question: thread.question,
                answers: thread.talk.answers.as_deref(),
            };
            own::resume(stored, agreement, app).await
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
    let site = match own::site(agent, &content, on.backends.clone(), app).await {
        Ok(site) => site,
        Err(missing) if lacks_model(&missing) => {
            let why = unable(agent, &missing, app)?;
            Site::without_model(on.backends.clone(), &why)
        }
        Err(error) => return Err(error),
    };
    let opened = agent.open(site)?;
    let id = agent.name();
    let mut on = on.described(agent, id, None);
    on.server = on.server.dynamic(id, opened.graph(), opened.schemas());
    // Only its author knows what it acts on.
    Ok(on.for_owners_if_shared(id, agent))
}
