//! Atris, run: questions to Audius, or to a fake one.

use superstep::dynamic::Snapshot;

use superstep_atris::AtrisSession;

use super::{
    Doing, Hosting, RunAgent, Scene,
    hosting::{Hosted, unable},
};
use crate::{agents::Agent, app::App, args::Global, atris, error::Error, resumed::Resumed};

pub(super) struct Atris;

impl RunAgent for Atris {
    fn resume<'a>(&self, thread: Resumed<'a>, app: &'a mut App<'_>) -> Doing<'a, ()> {
        // It asks by itself, as its other commands do.
        Box::pin(atris::resume(thread, app))
    }

    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>> {
        Box::pin(hosted(on, app))
    }

    fn scene(&self) -> Option<&'static Scene> {
        Some(&SCENE)
    }

    fn resume_command(&self, thread: &str, snapshot: &Snapshot, global: &Global) -> String {
        let state = serde_json::to_value(&snapshot.values).unwrap_or_default();
        // A copy that was made at a question asks it again first.
        let asks = snapshot.asks().map(|ask| (ask.id, ask.kind.as_deref()));
        atris::resuming(thread, &state, &asks.collect::<Vec<_>>(), global)
    }
}

async fn hosted<'s>(mut on: Hosting<'s>, app: &mut App<'_>) -> Result<Hosting<'s>, Error> {
    // The page answers by the id of the question.
    let session = |agent| Box::new(AtrisSession::new(agent, Box::new(|_, _| String::new())));
    let hosted = match atris::hosted(on.what.fake_audius, app).await {
        Ok((agent, fake)) => {
            if let Some(fake) = fake {
                on.lives.push(Box::new(fake));
            }
            Hosted::ready(session(agent))
        }
        Err(missing) => {
            unable(Agent::ATRIS, &missing, app)?;
            let agent = superstep_atris::Atris::reader(on.backends.clone())?;
            Hosted::unable(session(agent), &missing)
        }
    };
    Ok(on.add(Agent::ATRIS, "atris", hosted))
}

const SCENE: Scene = Scene {
    script: include_str!("../demo/atris.txt"),
    files: &[],
    leaves: &[],
};
