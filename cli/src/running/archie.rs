//! Archie, run: a conversation about a folder, over the death of a process, and one question.

use std::{path::PathBuf, sync::Arc};

use serde_json::{Value as Json, json};
use superstep::fs::Roots;
use superstep_archie::{ArchieSession, Settings};

use super::{
    Doing, Hosting, RunAgent, Scene,
    hosting::{Hosted, lacks_model, plays_example, unable},
    rehearsal,
};
use crate::{
    agents::{Agent, Rehearsed},
    app::App,
    archie,
    error::Error,
    resumed::Resumed,
};

pub(super) struct Archie;

impl RunAgent for Archie {
    fn resume<'a>(&self, thread: Resumed<'a>, app: &'a mut App<'_>) -> Doing<'a, ()> {
        Box::pin(async move {
            let agreement = thread.agreement(app).await?;
            archie::resume(thread, agreement, app).await
        })
    }

    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>> {
        Box::pin(hosted(on, app))
    }

    fn scene(&self) -> Option<&'static Scene> {
        Some(&SCENE)
    }
}

async fn hosted<'s>(on: Hosting<'s>, app: &mut App<'_>) -> Result<Hosting<'s>, Error> {
    let mut roots = on.roots.clone();
    // What was uploaded may be read too, unless that would show an owner what others uploaded.
    if on.what.owners.is_none() {
        roots = on.uploads.iter().fold(roots, Roots::and);
    }
    let demo = rehearsal::prepare(Agent::ARCHIE, &SCENE);
    let hosted = match (archie::hosted(roots.clone(), app).await, demo) {
        (Ok(agent), _) => Hosted::ready(Box::new(ArchieSession::new(agent))),
        (Err(missing), Some(demo)) if lacks_model(&missing) => {
            let why = plays_example(Agent::ARCHIE, &missing, app)?;
            let (agent, input) = rehearsed(&why, demo.join("docs"), roots, &on)?;
            Hosted::rehearsing(Box::new(ArchieSession::new(agent)), input, &missing)
        }
        (Err(missing), _) => {
            let why = unable(Agent::ARCHIE, &missing, app)?;
            let agent =
                superstep_archie::Archie::without_model(&why, below(roots), on.backends.clone())?;
            Hosted::unable(Box::new(ArchieSession::new(agent)), &missing)
        }
    };
    let mut on = on.add(Agent::ARCHIE, "archie", hosted);
    on.server = on
        .server
        .bookkeeping(superstep_archie::documents::BOOKKEEPING);
    Ok(on)
}

/// Archie, who knows the documents of his demo, and an input about them.
fn rehearsed(
    why: &str,
    documents: PathBuf,
    roots: Roots,
    on: &Hosting<'_>,
) -> Result<(superstep_archie::Archie, Json), Error> {
    let marks = &["One service or two", "channel manager", "room inventory"];
    let model = Rehearsed::new(include_str!("../demo/archie.jsonl"), marks, why)?;
    let model = Arc::new(model);
    let agent =
        superstep_archie::Archie::new(model, below(roots.and(&documents)), on.backends.clone())?;
    let folder = documents.to_string_lossy();
    let input = json!({"user_input": "One service or two?", "inputs": {"folder": folder}});
    Ok((agent, input))
}

/// Settings by which threads may name folders below these.
fn below(roots: Roots) -> Settings {
    Settings {
        roots: Some(roots),
        ..Settings::default()
    }
}

const SCENE: Scene = Scene {
    script: include_str!("../demo/archie.txt"),
    files: &[
        (
            "docs/overview.md",
            include_bytes!("../demo/archie/overview.md"),
        ),
        (
            "docs/requirements.md",
            include_bytes!("../demo/archie/requirements.md"),
        ),
        ("docs/notes.txt", include_bytes!("../demo/archie/notes.txt")),
        ("replies.jsonl", include_bytes!("../demo/archie.jsonl")),
        (
            "answers.txt",
            b"Nobody may pay twice; that comes first.\n/approve\n",
        ),
    ],
    leaves: &[],
};
