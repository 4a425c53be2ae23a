//! An agent that a program added, run.

use std::sync::Arc;

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
            let answers = thread.talk.answers.as_deref();
            own::resume(thread.agent, thread.thread, answers, agreement, app).await
        })
    }

    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>> {
        Box::pin(hosted(self.0, on, app))
    }
}

async fn hosted<'s>(
    agent: Agent,
    mut on: Hosting<'s>,
    app: &mut App<'_>,
) -> Result<Hosting<'s>, Error> {
    let card = agent.card();
    let content = environment::content_of_server();
    let site = match card.needs_no_model {
        true => Site::without_model(on.backends.clone(), own::NO_MODEL),
        false => match environment::open(&content, app).await {
            Ok(opened) => Site {
                backends: on.backends.clone(),
                model: Arc::new(opened.caller),
            },
            Err(missing) if lacks_model(&missing) => {
                let why = unable(agent, &missing, app)?;
                Site::without_model(on.backends.clone(), &why)
            }
            Err(error) => return Err(error),
        },
    };
    let opened = agent.open(site)?;
    on.server = on
        .server
        .dynamic(&*card.name, opened.graph(), opened.schemas());
    on.server = on.server.description(&*card.name, &*card.about);
    if let Some(example) = &card.example {
        on.server = on.server.example(&*card.name, example.clone());
    }
    if let Some(next) = &card.follow_up {
        on.server = on.server.follow_up(&*card.name, next.clone());
    }
    Ok(on)
}
