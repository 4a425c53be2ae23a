//! Options of the spreadsheet agent: settings of `[agents.sheets]`, its models, its versions.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use superstep::{
    model::{
        Model,
        config::{Config, Setting},
        did_you_mean,
        select::DataOwner,
    },
    saver::Saver,
};
use superstep_sheets::{
    FolderVersions, MODEL_NODES, Models, Settings, Sheets, Versions,
    sandbox::{Limits, Sandbox},
};

use super::sandbox;
use crate::{
    app::App,
    args::{Global, SheetRun},
    database, environment,
    error::Error,
};

/// The settings of `[agents.sheets]`.
const KEYS: [&str; 9] = [
    "max_steps",
    "informer",
    "overwrites",
    "sandbox",
    "program_seconds",
    "planner_model",
    "informer_model",
    "prompts.planner",
    "prompts.informer",
];

/// An agent that can be instructed.
pub(super) struct OpenedSheets {
    pub(super) agent: Sheets,
    pub(super) saver: Arc<dyn Saver>,
}

/// Those that a project cannot choose: what is lost unasked, what contains programs, where content goes.
const USERS: [&str; 5] = [
    "overwrites",
    "sandbox",
    "program_seconds",
    "planner_model",
    "informer_model",
];

/// What the settings say.
struct Chosen {
    settings: Settings,
    sandbox: Option<String>,
    planner: Option<String>,
    informer: Option<String>,
}

pub(super) async fn open(
    what: &SheetRun,
    content: &DataOwner,
    app: &mut App<'_>,
) -> Result<OpenedSheets, Error> {
    let versions = Arc::new(versions(app.global)?);
    open_with(what, versions, content, app).await
}

/// The same with versions of one's own.
pub(super) async fn open_with(
    what: &SheetRun,
    versions: Arc<dyn Versions>,
    content: &DataOwner,
    app: &mut App<'_>,
) -> Result<OpenedSheets, Error> {
    let config = environment::load(app.global)?.config;
    config.agent_is_trusted("sheets")?;
    let mut chosen = settings(&config)?;
    chosen.settings.with_informer |= what.informer;
    if let Some(steps) = what.max_steps {
        chosen.settings.max_steps = steps;
    }
    let sandbox = what.sandbox.as_deref().or(chosen.sandbox.as_deref());
    chosen.settings.sandbox = Some(sandbox::open(sandbox)?);
    chosen.settings.calculator = Some(sandbox::calculator()?);
    plain_versions(what)?;
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
    let agent = Sheets::new(models, versions, chosen.settings, backends)?;
    Ok(OpenedSheets { agent, saver })
}

/// The sandbox of programs and what they may use, by the settings; what is said on the command line
/// counts more.
pub(super) fn programs(
    sandbox: Option<&str>,
    global: &Global,
) -> Result<(Arc<dyn Sandbox>, Limits), Error> {
    let chosen = settings(&environment::load(global)?.config)?;
    let sandbox = sandbox::open(sandbox.or(chosen.sandbox.as_deref()))?;
    Ok((sandbox, chosen.settings.program))
}

/// Where versions of workbooks are: beside the database.
pub(super) fn versions(global: &Global) -> Result<FolderVersions, Error> {
    let path = database::path(global)?.value;
    Ok(FolderVersions::beside(&path))
}

/// Refuses to store workbooks as they are beside a database that is encrypted.
fn plain_versions(what: &SheetRun) -> Result<(), Error> {
    #[cfg(feature = "encryption")]
    if crate::key::from_environment()?.is_some() && !what.plain_versions {
        return Err(Error::Usage(
            "the database is encrypted, and versions of workbooks are files beside it that are not; \
             --plain-versions stores them all the same"
                .into(),
        ));
    }
    let _ = what;
    Ok(())
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

/// Refuses settings that cannot be used here.
pub(super) fn check(config: &Config) -> Result<(), Error> {
    let chosen = settings(config)?;
    if let Some(name) = &chosen.sandbox {
        let named = config.agent("sheets");
        let origin = named
            .get("sandbox")
            .map(|setting| setting.origin.to_string());
        sandbox::open(Some(name)).map_err(|error| {
            Error::Usage(format!(
                "{}: `sandbox`: {error}",
                origin.unwrap_or_default()
            ))
        })?;
    }
    Ok(())
}

/// Settings of `[agents.sheets]`. A project cannot choose all of them.
fn settings(config: &Config) -> Result<Chosen, Error> {
    let mut chosen = Chosen {
        settings: Settings::default(),
        sandbox: None,
        planner: None,
        informer: None,
    };
    for (key, setting) in config.agent("sheets") {
        let wrong = |why: String| Error::Usage(format!("{}: {why}", setting.origin));
        let not = |wanted: &str| wrong(format!("`{key}` must be {wanted}"));
        let is_users = USERS.contains(&key);
        if setting.origin.is_project() && is_users {
            return Err(wrong(format!("`{key}` belongs in the user's file")));
        }
        let number = || setting.value.as_u64().ok_or_else(|| not("a number"));
        let text = || setting.value.as_str().ok_or_else(|| not("a text"));
        let settings = &mut chosen.settings;
        match key {
            "max_steps" => {
                let steps = u32::try_from(number()?).ok().filter(|steps| *steps > 0);
                settings.max_steps = steps.ok_or_else(|| not("a number from 1"))?;
            }
            "informer" => {
                let is_on = setting.value.as_bool();
                settings.with_informer = is_on.ok_or_else(|| not("true or false"))?;
            }
            "overwrites" => settings.overwrites = number()?,
            "sandbox" => chosen.sandbox = Some(text()?.to_owned()),
            "program_seconds" => {
                let seconds = Some(number()?).filter(|it| (1..=3600).contains(it));
                let seconds = seconds.ok_or_else(|| not("a number from 1 to 3600"))?;
                settings.program.time = Duration::from_secs(seconds);
            }
            "planner_model" => chosen.planner = Some(text()?.to_owned()),
            "informer_model" => chosen.informer = Some(text()?.to_owned()),
            "prompts.planner" => settings.planner_prompt = Some(prompt(setting, text()?)?),
            "prompts.informer" => settings.informer_prompt = Some(prompt(setting, text()?)?),
            _ => {
                let hint = did_you_mean::hint(key, KEYS);
                return Err(wrong(format!("unknown key `{key}`{hint}")));
            }
        }
    }
    Ok(chosen)
}

/// The text of a prompt. A project may bring a pipe, which would block.
fn prompt(setting: &Setting<serde_json::Value>, written: &str) -> Result<String, Error> {
    let path = setting.path(written)?;
    superstep::fs::read_text(&path, 1 << 20)
        .map_err(|error| Error::Usage(format!("{}: {}: {error}", setting.origin, path.display())))
}
