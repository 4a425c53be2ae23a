//! The spreadsheet agent, run: an instruction in steps, and the workbook that comes of it.

use serde_json::json;
use superstep::model::config::Config;
use superstep_sheets::{Models, Settings, SheetsSession, WORKBOOKS, workbook::Overwrite};

use super::{
    Doing, Hosting, RunAgent,
    hosting::{Hosted, lacks_model, rehearsed},
};
use crate::{
    agents::Agent,
    app::App,
    error::Error,
    resumed::{OpenedThread, StoredThread},
    sheet,
};

pub(super) struct Sheets;

impl RunAgent for Sheets {
    fn open<'a>(
        &self,
        thread: &'a StoredThread<'_>,
        app: &'a mut App<'_>,
    ) -> Doing<'a, OpenedThread> {
        Box::pin(sheet::opened(thread, app))
    }

    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>> {
        Box::pin(hosted(on, app))
    }

    fn check_settings(&self, config: &Config) -> Result<(), Error> {
        sheet::check_sandbox(config)
    }
}

async fn hosted<'s>(mut on: Hosting<'s>, app: &mut App<'_>) -> Result<Hosting<'s>, Error> {
    on.server = on.server.results(WORKBOOKS);
    let opened = sheet::hosted(app).await;
    let demo = Agent::SHEETS.card().demo.as_ref();
    let mut files = demo.into_iter().flat_map(|demo| demo.files);
    let workbook = files.find(|(name, _)| *name == "sales.xlsx");
    let plays = async |missing: &Error, why: &str| -> Result<_, Error> {
        let (true, Some((_, workbook))) = (lacks_model(missing), workbook) else {
            return Ok(None);
        };
        let blobs = on.backends.blobs.as_ref().ok_or(Error::NoSaver)?;
        let workbook = blobs.put(WORKBOOKS, workbook.to_vec()).await?.to_string();
        let models = Models {
            planner: rehearsed(Agent::SHEETS, why)?,
            informer: None,
        };
        let backends = on.backends.clone();
        let agent = superstep_sheets::Sheets::new(models, Settings::default(), backends)?;
        let instruction = "Add the revenue of each sale, and a sheet with the sums by region";
        let input = json!({"problem": {"instruction": instruction, "workbook": workbook}});
        Ok(Some((agent, input)))
    };
    let absent = |why: &str| -> Result<_, Error> {
        let backends = on.backends.clone();
        Ok(superstep_sheets::Sheets::without_model(why, backends)?)
    };
    let hosted = Hosted::opened(Agent::SHEETS, opened, plays, absent, app).await?;
    let mut on = on.add((Agent::SHEETS, "sheets"), hosted, |agent| {
        Box::new(SheetsSession::new(agent, None, Overwrite::Never))
    });
    on.server = on.server.result_field("sheets", "version");
    Ok(on)
}
