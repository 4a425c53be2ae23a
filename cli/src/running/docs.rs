//! The documentation agents, run: facts of a code base, and pages that agents refine.

use superstep::Value;
use superstep_agent::OpenAgent;
use superstep_docgen::DocsSession;

use super::{
    Doing, Hosting, RunAgent,
    hosting::{Hosted, tell},
};
use crate::{
    agents::Agent,
    app::App,
    docs,
    error::Error,
    resumed::{OpenedThread, StoredThread},
};

pub(super) struct Docgen;

impl RunAgent for Docgen {
    fn open<'a>(
        &self,
        thread: &'a StoredThread<'_>,
        app: &'a mut App<'_>,
    ) -> Doing<'a, OpenedThread> {
        Box::pin(docs::opened(thread, app))
    }

    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>> {
        Box::pin(hosted(on, app))
    }
}

async fn hosted<'s>(on: Hosting<'s>, app: &mut App<'_>) -> Result<Hosting<'s>, Error> {
    let (agent, missing) = docs::hosted(on.roots.clone(), app).await?;
    if let Some(missing) = &missing {
        tell(Agent::DOCS, "writes what the facts say", missing, app)?;
    }
    let hosted = Hosted::ready(agent, missing.as_ref());
    let front = |agent| -> Box<dyn OpenAgent> { Box::new(DocsSession::new(agent, Value::Null)) };
    let on = on.add((Agent::DOCS, "docs"), hosted, front);
    // It writes pages into the folders that are served.
    Ok(on.for_owners_if_shared("docs", Agent::DOCS))
}
