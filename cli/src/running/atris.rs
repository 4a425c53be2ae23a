//! Atris, run: questions to Audius, or to a fake one.

use superstep::dynamic::Snapshot;
use superstep_agent::OpenAgent;
use superstep_atris::AtrisSession;

use super::{
    Doing, Hosting, RunAgent,
    hosting::{Hosted, plays_nothing},
};
use crate::{agents::Agent, app::App, args::Global, atris, error::Error, resumed::Resumed};

pub(super) struct Atris;

impl RunAgent for Atris {
    fn resume<'a>(&'a self, thread: Resumed<'a>, app: &'a mut App<'_>) -> Doing<'a, ()> {
        // It asks by itself, as its other commands do.
        Box::pin(atris::resume(thread, app))
    }

    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>> {
        Box::pin(hosted(on, app))
    }

    fn resume_command(&self, thread: &str, snapshot: &Snapshot, global: &Global) -> String {
        let state = serde_json::to_value(&snapshot.values).unwrap_or_default();
        // A copy that was made at a question asks it again first.
        let asks = snapshot.asks().map(|ask| (ask.id, ask.kind.as_deref()));
        atris::resuming(thread, &state, &asks.collect::<Vec<_>>(), global)
    }
}

async fn hosted<'s>(mut on: Hosting<'s>, app: &mut App<'_>) -> Result<Hosting<'s>, Error> {
    let opened = match atris::hosted(on.what.fake_audius, app).await {
        Ok((agent, Some(fake))) => {
            on.lives.push(Box::new(fake));
            Ok(agent)
        }
        Ok((agent, None)) => Ok(agent),
        Err(missing) => Err(missing),
    };
    let absent = |_: &str| Ok(superstep_atris::Atris::reader(on.backends.clone())?);
    let hosted = Hosted::opened(Agent::ATRIS, opened, plays_nothing, absent, app).await?;
    // The page answers by the id of the question.
    let front = |agent| -> Box<dyn OpenAgent> {
        Box::new(AtrisSession::new(agent, Box::new(|_, _| String::new())))
    };
    Ok(on.add((Agent::ATRIS, "atris"), hosted, front))
}
