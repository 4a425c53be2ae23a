//! Archie, run: a conversation about a folder, over the death of a process, and one question.

use serde_json::{Value as Json, json};
use superstep::{Backends, fs::Roots};
use superstep_archie::{ArchieSession, Settings};

use super::{
    Doing, Hosting, RunAgent,
    hosting::{Hosted, demo_folder, lacks_model, rehearsed},
};
use crate::{
    agents::Agent,
    app::App,
    archie,
    error::Error,
    resumed::{OpenedThread, StoredThread},
};

pub(super) struct Archie;

impl RunAgent for Archie {
    fn open<'a>(
        &self,
        thread: &'a StoredThread<'_>,
        app: &'a mut App<'_>,
    ) -> Doing<'a, OpenedThread> {
        Box::pin(archie::opened(thread, app))
    }

    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>> {
        Box::pin(hosted(on, app))
    }
}

async fn hosted<'s>(on: Hosting<'s>, app: &mut App<'_>) -> Result<Hosting<'s>, Error> {
    let roots = on.roots.clone();
    let opened = archie::hosted(roots.clone(), app).await;
    let plays = async |missing: &Error, why: &str| match lacks_model(missing) {
        true => plays_demo(why, &roots, &on.backends),
        false => Ok(None),
    };
    let absent = |why: &str| -> Result<_, Error> {
        let settings = below(roots.clone());
        let archie = superstep_archie::Archie::without_model(why, settings, on.backends.clone());
        Ok(archie?)
    };
    let hosted = Hosted::opened(Agent::ARCHIE, opened, plays, absent, app).await?;
    let mut on = on.add((Agent::ARCHIE, "archie"), hosted, |it| {
        Box::new(ArchieSession::new(it))
    });
    on.server = on
        .server
        .bookkeeping(superstep_archie::documents::BOOKKEEPING);
    Ok(on)
}

/// Archie, who knows the documents of his demo, and an input about them.
fn plays_demo(
    why: &str,
    roots: &Roots,
    backends: &Backends,
) -> Result<Option<(superstep_archie::Archie, Json)>, Error> {
    let Some(demo) = demo_folder(Agent::ARCHIE) else {
        return Ok(None);
    };
    let documents = demo.join("docs");
    let model = rehearsed(Agent::ARCHIE, why)?;
    let settings = below(roots.clone().and(&documents));
    let agent = superstep_archie::Archie::new(model, settings, backends.clone())?;
    let folder = documents.to_string_lossy();
    let input = json!({"user_input": "One service or two?", "inputs": {"folder": folder}});
    Ok(Some((agent, input)))
}

/// Settings by which threads may name folders below these.
fn below(roots: Roots) -> Settings {
    Settings {
        roots: Some(roots),
        ..Settings::default()
    }
}
