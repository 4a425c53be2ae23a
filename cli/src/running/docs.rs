//! The documentation agents, run: facts of a code base, and pages that agents refine.

use superstep::Value;
use superstep_docgen::DocsSession;

use super::{
    Doing, Hosting, RunAgent, Scene,
    hosting::{Hosted, tell},
};
use crate::{agents::Agent, app::App, docs, error::Error, resumed::Resumed};

pub(super) struct Docgen;

impl RunAgent for Docgen {
    fn resume<'a>(&self, thread: Resumed<'a>, app: &'a mut App<'_>) -> Doing<'a, ()> {
        Box::pin(docs::resume(thread, app))
    }

    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>> {
        Box::pin(hosted(on, app))
    }

    fn scene(&self) -> Option<&'static Scene> {
        Some(&SCENE)
    }
}

async fn hosted<'s>(on: Hosting<'s>, app: &mut App<'_>) -> Result<Hosting<'s>, Error> {
    let (agent, missing) = docs::hosted(on.roots.clone(), app).await?;
    let mut hosted = Hosted::ready(Box::new(DocsSession::new(agent, Value::Null)));
    if let Some(missing) = missing {
        tell(Agent::DOCS, "writes what the facts say", &missing, app)?;
        hosted = hosted.lacking(&missing);
    }
    let on = on.add(Agent::DOCS, "docs", hosted);
    // It writes pages into the folders that are served.
    Ok(on.for_owners_if_shared("docs", Agent::DOCS))
}

const SCENE: Scene = Scene {
    script: include_str!("../demo/docs.txt"),
    files: &[
        (
            "shop/pyproject.toml",
            b"[project]\nname = \"shop\"\nversion = \"0.3.0\"\ndependencies = [\"requests>=2.31\"]\n",
        ),
        (
            "shop/shop/cart.py",
            b"class Cart:\n    def total(self):\n        return sum(self.items)  # HACK: no discounts\n",
        ),
        (
            "shop/shop/main.py",
            b"from shop.cart import Cart\n\ndef main():\n    print(Cart().total())\n",
        ),
        ("replies.jsonl", include_bytes!("../demo/docs.jsonl")),
    ],
    leaves: &[],
};
