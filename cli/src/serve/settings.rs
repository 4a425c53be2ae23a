//! The settings of `superstep serve` as its operator reads and changes them in the browser: the model, keys of providers and
//! weights. They are those of `config`, `login` and `model pull`.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value as Json, json};
use superstep::{
    model::{
        select::{Environment, Probe},
        spec::KNOWN,
    },
    store::BoxFuture,
};
use superstep_server::{OperatorSettings, SettingsChange, SettingsError};
use tokio::sync::Notify;

use crate::{
    app::App,
    args::{Global, Serve},
    database, environment,
    error::Error,
    login,
    model::list,
    settings, trust,
    weights::{self, Download},
};

/// The variable that names the model.
const MODEL: &str = "SUPERSTEP_MODEL";

/// Settings of a server that runs.
#[derive(Clone)]
pub(super) struct ServeSettings {
    global: Global,
    roots: Vec<PathBuf>,
    owners: Vec<String>,
    shared: Vec<String>,
    database: PathBuf,
    download: Arc<Mutex<Option<Download>>>,
    restart: Arc<Notify>,
}

impl ServeSettings {
    pub(super) fn new(what: &Serve, owners: Vec<String>, app: &App<'_>) -> Result<Self, Error> {
        let roots = match what.root.is_empty() {
            true => vec![std::env::current_dir()?],
            false => what.root.clone(),
        };
        Ok(Self {
            global: app.global.clone(),
            roots,
            owners,
            shared: what.share.iter().map(|it| it.name().to_owned()).collect(),
            database: database::path(app.global)?.value,
            download: Arc::default(),
            restart: Arc::default(),
        })
    }

    /// Waits until the operator wants the server to start again.
    pub(super) async fn restarted(&self) {
        self.restart.notified().await;
    }

    async fn all(&self) -> Result<Json, Error> {
        let environment = environment::load(&self.global)?;
        let ollama = environment.ask_ollama().await;
        let rows = list::rows(&environment, &ollama);
        let rows = rows.iter().map(|row| {
            json!({ "name": row.name, "is_ready": row.is_ready, "state": row.state, "about": row.about })
        });
        let rows: Vec<Json> = rows.collect();
        let offered: Vec<String> = match &ollama {
            Probe::Has(offered) => offered
                .iter()
                .map(|model| format!("ollama:{}", model.name))
                .collect(),
            _ => Vec::new(),
        };
        let display = |path: &PathBuf| path.display().to_string();
        let project = environment.config.project.as_ref();
        let project = project.map(|file| {
            json!({
                "file": display(&file.path),
                "state": trust::state(file.trust),
                "is_in_force": file.trust.is_in_force(),
            })
        });
        let model = model(&self.global, &environment);
        let keys: Vec<Json> = keys(&environment).collect();
        let download = self.download().as_ref().map(Download::shown);
        Ok(json!({
            "model": model,
            "models": rows,
            "ollama": offered,
            "keys": keys,
            "download": download,
            "is_offline": environment.offline.is_some(),
            "roots": self.roots.iter().map(display).collect::<Vec<_>>(),
            "owners": self.owners,
            "shared": self.shared,
            "project": project,
            "settings_file": environment::user_file().as_ref().map(display),
            "database": display(&self.database),
        }))
    }

    async fn make(&self, change: SettingsChange) -> Result<(), Error> {
        match change {
            SettingsChange::Model { name } => {
                check_model(&name)?;
                settings::put("model", &name).map(drop)
            }
            SettingsChange::Key { provider, key } => {
                let stored = login::store(&provider, key.expose(), true, &self.global);
                stored.await.map(drop)
            }
            SettingsChange::RemoveKey { provider } => login::remove(&provider).map(drop),
            SettingsChange::Download { name } => self.begin_download(&name),
            SettingsChange::Restart => {
                self.restart.notify_one();
                Ok(())
            }
            _ => Err(Error::Usage("this change is not known here".into())),
        }
    }

    fn begin_download(&self, name: &str) -> Result<(), Error> {
        if let Some(origin) = environment::load(&self.global)?.offline {
            return Err(Error::Usage(format!(
                "cannot download while offline ({origin})"
            )));
        }
        if !weights::catalogue().iter().any(|(known, _)| *known == name) {
            return Err(Error::Usage(format!(
                "there are no weights `{name}` to download"
            )));
        }
        let mut download = self.download();
        if download.as_ref().is_some_and(Download::is_under_way) {
            return Err(Error::Usage("a download is under way".into()));
        }
        *download = Some(Download::begin(name)?);
        Ok(())
    }

    fn download(&self) -> MutexGuard<'_, Option<Download>> {
        self.download.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OperatorSettings for ServeSettings {
    fn read(&self) -> BoxFuture<'_, Result<Json, SettingsError>> {
        Box::pin(async { self.all().await.map_err(|error| refused(&error)) })
    }

    fn change(&self, change: SettingsChange) -> BoxFuture<'_, Result<(), SettingsError>> {
        Box::pin(async { self.make(change).await.map_err(|error| refused(&error)) })
    }
}

/// An error as a page shows it, with what to do about it.
fn refused(error: &Error) -> SettingsError {
    let mut parts = error.lines();
    parts.extend(error.hints().into_iter().map(str::to_owned));
    let text = parts.join("; ");
    match error {
        Error::Io(_) | Error::File(_) => SettingsError::Failed(text),
        _ => SettingsError::Invalid(text),
    }
}

/// The name of the model, and where it is from. A flag or a variable counts more than the settings.
fn model(global: &Global, environment: &Environment) -> Option<Json> {
    let named = |name: &str, origin: &str, is_fixed| {
        Some(json!({ "name": name, "origin": origin, "is_fixed": is_fixed }))
    };
    if let Some(name) = &global.model {
        return named(name, "--model", true);
    }
    if let Ok(name) = std::env::var(MODEL)
        && !name.is_empty()
    {
        return named(&name, MODEL, true);
    }
    let mut files = environment.config.files.iter();
    let setting = files.find_map(|file| file.model.as_ref())?;
    named(&setting.value, &setting.origin.to_string(), false)
}

/// Providers with keys: whether there is one, and whether it is stored here.
fn keys(environment: &Environment) -> impl Iterator<Item = Json> {
    let providers = KNOWN
        .iter()
        .filter_map(|known| Some((known.name, known.key_env?)));
    providers.map(move |(name, usual)| {
        let settings = environment.config.provider(name);
        let env = settings.and_then(|it| it.key_env.as_ref());
        let env = env.map_or(usual, |it| &it.value);
        let place = match settings {
            Some(it) if it.key_cmd.is_some() => Some("command"),
            Some(it) if it.key_file.is_some() => Some("file"),
            _ => environment.keys.contains(env).then_some("environment"),
        };
        json!({ "provider": name, "env": env, "place": place })
    })
}

/// Refuses what is no model of a provider or of the catalogue: an address could be sent a key, and a file could be any.
fn check_model(name: &str) -> Result<(), Error> {
    let (provider, model) = name.split_once(':').unwrap_or((name, ""));
    let is_known = match provider {
        "local" => weights::catalogue()
            .iter()
            .any(|(known, _)| *known == model),
        provider => KNOWN.iter().any(|known| known.name == provider),
    };
    match is_known && !name.contains('@') {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "`{name}` cannot be set in the browser: name a provider, such as `anthropic` or `ollama:qwen3:8b`, or a local model. \
             Addresses and files are set with `superstep config set model`"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_of_a_provider_or_of_the_catalogue() {
        for name in ["anthropic", "ollama:qwen3:8b", "openai:gpt-x"] {
            assert!(check_model(name).is_ok(), "{name}");
        }
        for name in [
            "",
            "openai@http://127.0.0.1:9/v1:gpt-x",
            "openai:gpt@http://127.0.0.1:9",
            "script:/etc/passwd",
            "cassette:x",
            "local:/tmp/weights.gguf",
        ] {
            assert!(check_model(name).is_err(), "{name}");
        }
    }
}
