//! Options of the spreadsheet agent: settings of `[agents.sheets]`, its models.

use std::{collections::BTreeMap, sync::Arc};

use superstep::{
    model::{Model, config::Config, select::DataOwner},
    saver::Saver,
};
use superstep_sheets::{
    MODEL_NODES, Models, Sheets, SheetsTable,
    sandbox::{Limits, Sandbox},
};

use super::{moved_in, sandbox};
use crate::{
    app::App,
    args::{Global, SheetRun},
    database, environment,
    error::Error,
};

/// An agent that can be instructed.
pub(super) struct OpenedSheets {
    pub(super) agent: Sheets,
    pub(super) saver: Arc<dyn Saver>,
}

pub(super) async fn open(
    what: &SheetRun,
    content: &DataOwner,
    app: &mut App<'_>,
) -> Result<OpenedSheets, Error> {
    moved_in::versions(app.global).await?;
    let config = environment::load(app.global)?.config;
    config.agent_is_trusted("sheets")?;
    let mut chosen = SheetsTable::read(&config)?;
    chosen.settings.with_informer |= what.informer;
    if let Some(steps) = what.max_steps {
        chosen.settings.max_steps = steps;
    }
    let sandbox = what.sandbox.as_deref().or(chosen.sandbox.as_deref());
    chosen.settings.sandbox = Some(sandbox::open(sandbox)?);
    chosen.settings.calculator = Some(sandbox::calculator()?);
    let backends = database::create(app.global)?;
    let saver = backends.saver.clone().ok_or(Error::NoSaver)?;
    // What is said on the command line counts more than the settings, and those of the agent more than `[models]`.
    let mut own: BTreeMap<String, Arc<dyn Model>> = BTreeMap::new();
    for (node, opened) in environment::open_nodes(&MODEL_NODES, content, app).await? {
        own.insert(node, Arc::new(opened.caller));
    }
    let planner: Arc<dyn Model> = match (&app.global.model, chosen.planner) {
        (None, Some(spec)) => model(&spec, app).await?,
        _ => match own.remove("planner_node") {
            Some(planner) => planner,
            None => Arc::new(environment::open(content, app).await?.caller),
        },
    };
    let informer = match chosen.informer {
        Some(spec) => Some(model(&spec, app).await?),
        None => own.remove("informer_node"),
    };
    let models = Models { planner, informer };
    let agent = Sheets::new(models, chosen.settings, backends)?;
    Ok(OpenedSheets { agent, saver })
}

/// The sandbox of programs and what they may use, by the settings; what is said on the command line
/// counts more.
pub(super) fn programs(
    sandbox: Option<&str>,
    global: &Global,
) -> Result<(Arc<dyn Sandbox>, Limits), Error> {
    let chosen = SheetsTable::read(&environment::load(global)?.config)?;
    let sandbox = sandbox::open(sandbox.or(chosen.sandbox.as_deref()))?;
    Ok((sandbox, chosen.settings.program))
}

/// A model that the user's settings name.
async fn model(spec: &str, app: &mut App<'_>) -> Result<Arc<dyn Model>, Error> {
    let global = Global {
        model: Some(spec.to_owned()),
        ..app.global.clone()
    };
    let output = app.output;
    let mut own = app.with(&global, output);
    let opened = environment::open(&DataOwner::Project, &mut own).await?;
    Ok(Arc::new(opened.caller))
}

/// Refuses a sandbox that cannot be used here. Other settings are checked by the agent.
pub(crate) fn check_sandbox(config: &Config) -> Result<(), Error> {
    let named = config.agent("sheets");
    let (Ok(table), Some(setting)) = (SheetsTable::read(config), named.get("sandbox")) else {
        return Ok(());
    };
    sandbox::open(table.sandbox.as_deref())
        .map(drop)
        .map_err(|error| Error::Usage(format!("{}: `sandbox`: {error}", setting.origin)))
}
