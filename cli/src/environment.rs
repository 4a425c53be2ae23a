//! Environment of a command: settings, model servers and weights, and the model that is chosen from them.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    sync::Arc,
};

use superstep::model::{
    self, Budget, ManagedModel, Model, Money, NodeModels, call,
    config::{Config, ConfigFile, Origin, Scope, Setting},
    did_you_mean,
    select::{Choice, Consent, DataOwner, Environment, Outcome, Resolution, Verdict},
};

use crate::{
    app::App,
    args::Global,
    dirs,
    error::Error,
    output::{Output, faint, plain, shown, strong},
    reading::ReadingLine,
    trust, weights,
};

/// The environment before any model server is asked.
pub(crate) fn load(global: &Global) -> Result<Environment, Error> {
    let folder = std::env::current_dir()?;
    let user = user_file();
    let config = match global.without_settings {
        true => Config::default(),
        false => Config::load(&folder, user.as_deref(), trust::decision)?,
    };
    let can_ask = !global.no_input && io::stdin().is_terminal() && io::stderr().is_terminal();
    let environment = Environment {
        flag: global.model.clone(),
        config,
        offline: global.offline.then_some(Origin::Flag("--offline")),
        can_ask,
        yes: global.yes,
        ..Environment::of(&model::providers())
    };
    Ok(environment.seen(|name| std::env::var(name).ok()))
}

/// The file with the user's settings, which may be missing.
pub(crate) fn user_file() -> Option<PathBuf> {
    dirs::config().map(|folder| folder.join("config.toml"))
}

/// Whose data is at a path: the project's only if it is in the folder of its file.
pub(crate) fn content_at(global: &Global, path: &Path) -> Result<DataOwner, Error> {
    Ok(match load(global)?.config.is_in_project(path) {
        true => DataOwner::Project,
        false => {
            let path = path.display();
            DataOwner::Elsewhere(format!("{path} is not in the project's folder"))
        }
    })
}

/// Whose data a server has: that of every thread of the database, and what callers send.
pub(crate) fn content_of_server() -> DataOwner {
    DataOwner::Elsewhere("a server has threads and files that are not of the project".into())
}

/// The model, and every source that was considered. Servers of this machine are asked only if needed.
pub(crate) async fn choose(
    global: &Global,
    node: Option<&str>,
    content: &DataOwner,
) -> Result<Resolution, Error> {
    let mut environment = load(global)?;
    environment.content = content.clone();
    Ok(environment.find(node, global.probe).await?)
}

/// Refuses the name of a model that could not be opened, as [`check_model`] does for one of a file.
pub(crate) fn check_name(name: &str, global: &Global) -> Result<(), Error> {
    let setting = Setting {
        value: name.to_owned(),
        origin: Origin::Flag("/model"),
    };
    let file = match load(global)?.config.files.into_iter().next() {
        Some(file) => file,
        None => Config::parse(Path::new("config.toml"), Scope::User, "")?,
    };
    check_model(&setting, &file)
}

/// Refuses a model of a file that could not be opened: a provider that does not exist, a file that is missing. Which
/// models a provider has only it knows.
pub(crate) fn check_model(setting: &Setting<String>, file: &ConfigFile) -> Result<(), Error> {
    let mut environment = Environment::of(&model::providers());
    environment.config.files.push(file.clone());
    let choice = environment.choice(&setting.value, setting.origin.clone())?;
    match choice.file.iter().find(|file| !file.is_file()) {
        Some(file) => Err(unusable(&choice, file, &setting.origin)),
        None => Ok(()),
    }
}

/// Why the file that a model names cannot be opened.
fn unusable(choice: &Choice, file: &Path, origin: &Origin) -> Error {
    let (spec, name) = (&choice.spec, choice.spec.name.as_deref());
    let name = name.unwrap_or_default();
    let is_path = name.contains(['/', '\\']) || name.ends_with(".gguf");
    if spec.provider == "local" && !is_path {
        let near = did_you_mean::hint(name, ["default", "tiny"]);
        return Error::Usage(shown(format!(
            "{origin}: `{spec}` is no model: there are local:default, local:tiny and files of weights{near}"
        )));
    }
    let why = match file.exists() {
        true => "names something that is no regular file",
        false => "names a file that does not exist",
    };
    let file = file.display();
    Error::Usage(shown(format!("{origin}: `{spec}` {why}: {file}")))
}

/// A model that was opened, and why it was chosen.
pub(crate) struct OpenedModel {
    pub(crate) caller: ManagedModel,
    pub(crate) origin: Origin,
}

impl OpenedModel {
    /// With the line that shows how far a prompt was read.
    fn new(mut caller: ManagedModel, choice: &Choice, output: &Output) -> Self {
        if let Some(line) = ReadingLine::of(output) {
            caller = caller.observed(line);
        }
        let origin = choice.origin.clone();
        Self { caller, origin }
    }
}

/// Opens the model that is used, with its call policy, and prints which one it is.
pub(crate) async fn open(content: &DataOwner, app: &mut App<'_>) -> Result<OpenedModel, Error> {
    let mut resolution = choose(app.global, None, content).await?;
    if let Outcome::Pull(consent) = resolution.outcome {
        if consent == Consent::Ask && !weights::is_wanted(app).await? {
            return Err(resolution.nothing().into());
        }
        weights::pull_for_use(app).await?;
        resolution = choose(app.global, None, content).await?;
    }
    for link in &resolution.chain {
        let verdict = match &link.verdict {
            Verdict::Taken(what) => format!("taken: {what}"),
            Verdict::Skipped(why) => why.clone(),
            Verdict::NotReached => "not reached".to_owned(),
        };
        let line = format!("  {}: {verdict}", link.source);
        app.output.detail(&[faint(line)]);
    }
    let choice = resolution.choice()?;
    let model = open_choice(choice, app).await?;
    banner(choice, &model, app.output);
    Ok(OpenedModel::new(model, choice, app.output))
}

async fn open_choice(choice: &Choice, app: &mut App<'_>) -> Result<ManagedModel, Error> {
    let missing = choice.file.iter().find(|file| !file.exists());
    if let (Some(file), "local") = (missing, &*choice.spec.provider) {
        return Err(unusable(choice, file, &choice.origin));
    }
    let providers = model::providers();
    tokio::select! {
        model = providers.open(choice) => Ok(model?),
        () = app.terminal.ctrl_c() => Err(Error::Cancelled),
    }
}

/// Models that the settings give to single nodes of an agent (`[models] NODE = "…"`).
pub(crate) async fn open_nodes(
    nodes: &[&str],
    content: &DataOwner,
    app: &mut App<'_>,
) -> Result<Vec<(String, OpenedModel)>, Error> {
    // A model that is named on the command line is for every node.
    if app.global.model.is_some() {
        return Ok(Vec::new());
    }
    let config = load(app.global)?.config;
    // What a project names and nobody agreed to is refused where it is chosen, not passed over.
    let without_consent = config.without_consent();
    let without_consent = without_consent.and_then(|project| project.settings.as_ref());
    let mut opened = Vec::new();
    for node in nodes {
        let mut files = config.files.iter().chain(without_consent);
        if !files.any(|file| file.models.contains_key(*node)) {
            continue;
        }
        let resolution = choose(app.global, Some(node), content).await?;
        let choice = resolution.choice()?;
        let model = open_choice(choice, app).await?;
        app.output
            .note(&[faint(format!("{node}: {}", choice.banner(&model)))]);
        let model = OpenedModel::new(model, choice, app.output);
        opened.push(((*node).to_owned(), model));
    }
    Ok(opened)
}

/// The models of an agent: the usual one, and those that the settings give to single nodes. Their calls stay within a budget.
pub(crate) async fn open_models(
    nodes: &[&str],
    content: &DataOwner,
    budget: &Budget,
    app: &mut App<'_>,
) -> Result<NodeModels, Error> {
    let within = |opened: OpenedModel| Arc::new(opened.caller.within(budget.clone()));
    let usual = NodeModels::new(within(open(content, app).await?));
    let own = open_nodes(nodes, content, app).await?.into_iter();
    Ok(own.fold(usual, |models, (node, opened)| {
        models.with(node, within(opened))
    }))
}

/// A limit of money for the calls of a command.
pub(crate) fn budget(max_cost: Option<Money>) -> Budget {
    Budget::new(call::Limits {
        money: max_cost,
        ..call::Limits::default()
    })
}

fn banner(choice: &Choice, model: &dyn Model, output: &Output) {
    let line = choice.banner(model);
    match line.split_once(" · ") {
        Some((name, rest)) => output.note(&[strong(name), faint(format!(" · {rest}"))]),
        None => output.note(&[plain(line)]),
    }
}
