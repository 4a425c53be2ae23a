//! The spreadsheet agent, run: an instruction in steps, and the workbook that comes of it.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::model::config::Config;
use superstep_sheets::{SheetsSession, Versions, workbook::Overwrite};

use super::{
    Doing, Hosting, RunAgent, Scene,
    hosting::{Hosted, lacks_model, plays_example, unable},
};
use crate::{
    agents::{Agent, Rehearsed},
    app::App,
    error::Error,
    resumed::Resumed,
    sheet,
};

/// The workbook of the demo.
const WORKBOOK: &[u8] = include_bytes!("../demo/sheets/sales.xlsx");

pub(super) struct Sheets;

impl RunAgent for Sheets {
    fn resume<'a>(&self, thread: Resumed<'a>, app: &'a mut App<'_>) -> Doing<'a, ()> {
        Box::pin(sheet::resume(thread, app))
    }

    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>> {
        Box::pin(hosted(on, app))
    }

    fn scene(&self) -> Option<&'static Scene> {
        Some(&SCENE)
    }

    fn check_settings(&self, config: &Config) -> Result<(), Error> {
        sheet::check_sandbox(config)
    }
}

async fn hosted<'s>(mut on: Hosting<'s>, app: &mut App<'_>) -> Result<Hosting<'s>, Error> {
    let versions = sheet::hosted_versions(on.uploads.clone(), app.global)?;
    on.server = on.server.results(versions.folder());
    let session = |agent| Box::new(SheetsSession::new(agent, None, Overwrite::Never));
    let hosted = match sheet::hosted(on.uploads.clone(), app).await {
        Ok(agent) => Hosted::ready(session(agent)),
        Err(missing) if lacks_model(&missing) => {
            let why = plays_example(Agent::SHEETS, &missing, app)?;
            let (agent, input) = rehearsed(&why, versions, &on)?;
            Hosted::rehearsing(session(agent), input, &missing)
        }
        Err(missing) => {
            let why = unable(Agent::SHEETS, &missing, app)?;
            let agent =
                superstep_sheets::Sheets::without_model(&why, versions, on.backends.clone())?;
            Hosted::unable(session(agent), &missing)
        }
    };
    let mut on = on.add(Agent::SHEETS, "sheets", hosted);
    on.server = on.server.result_field("sheets", "version");
    Ok(on)
}

/// The spreadsheet agent with the workbook of its demo, and an input about it.
fn rehearsed(
    why: &str,
    versions: Arc<dyn Versions>,
    on: &Hosting<'_>,
) -> Result<(superstep_sheets::Sheets, Json), Error> {
    let workbook = versions.put(WORKBOOK)?;
    let marks = &["sums by region"];
    let model = Rehearsed::new(include_str!("../demo/sheets.jsonl"), marks, why)?;
    let agent = superstep_sheets::Sheets::new(
        superstep_sheets::Models {
            planner: Arc::new(model),
            informer: None,
        },
        versions,
        superstep_sheets::Settings::default(),
        on.backends.clone(),
    )?;
    let instruction = "Add the revenue of each sale, and a sheet with the sums by region";
    let input = json!({"problem": {"instruction": instruction, "workbook": workbook}});
    Ok((agent, input))
}

const SCENE: Scene = Scene {
    script: include_str!("../demo/sheets.txt"),
    files: &[
        ("sales.xlsx", WORKBOOK),
        ("replies.jsonl", include_bytes!("../demo/sheets.jsonl")),
    ],
    leaves: &[],
};
