//! Environment of a command: settings, and the model that is chosen from them. `opened_model` opens it.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use superstep::model::{
    self,
    config::{Config, ConfigFile, Origin, Scope, Setting},
    did_you_mean,
    select::{Choice, DataOwner, Environment, Key, Outcome, Resolution},
};

use crate::{
    args::Global,
    dirs,
    error::{Error, FileError},
    output::shown,
    trust,
};

/// No file of settings is larger.
const LARGEST: u64 = 1 << 20;

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

/// The user's settings alone: what they say holds whatever is wrong with the project's file.
pub(crate) fn users(global: &Global) -> Result<Config, Error> {
    let mut config = Config::default();
    let file = user_file().filter(|file| !global.without_settings && file.exists());
    if let Some(file) = file {
        let text = superstep::fs::read_text(&file, LARGEST)
            .map_err(|error| FileError::not_read(&file, error))?;
        config.files.push(Config::parse(&file, Scope::User, &text)?);
    }
    Ok(config)
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
    if node.is_none()
        && let Some(choice) = of_thread(global, &environment)
    {
        environment.flag = Some(choice.spec.to_string());
        let mut resolution = environment.find(None, false).await?;
        resolution.outcome = Outcome::Chosen(Box::new(choice));
        return Ok(resolution);
    }
    Ok(environment.find(node, global.probe).await?)
}

/// The model of the thread that is continued, if it can be had in the same way: by its name, with a key that is there, and
/// where no project chooses one.
fn of_thread(global: &Global, environment: &Environment) -> Option<Choice> {
    let name = global
        .thread_model
        .as_deref()
        .filter(|_| global.model.is_none())?;
    let is_of_project = |file: &ConfigFile| file.scope == Scope::Project;
    if environment.config.files.iter().any(is_of_project) {
        return None;
    }
    let choice = environment
        .choice(name, Origin::Found("model of the thread"))
        .ok()?;
    let has_key = match &choice.key {
        Key::Env(name) => environment.keys.contains(name),
        _ => true,
    };
    let is_there = has_key && choice.file.iter().all(|file| file.is_file());
    (is_there && choice.spec.base.is_none()).then_some(choice)
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
pub(crate) fn unusable(choice: &Choice, file: &Path, origin: &Origin) -> Error {
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
