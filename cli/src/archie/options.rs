//! Options of Archie: model, settings, database, budget.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::Value as Json;
use superstep::{
    Backends,
    fs::Roots,
    model::{
        Budget, ManagedModel, Model, Money, NodeModels, call,
        config::{Config, Setting},
        did_you_mean,
        select::DataOwner,
    },
    saver::Saver,
};
use superstep_archie::{
    Archie, MODEL_NODES, Profile, Replies, Settings, Spent, approval::Keywords, memory::MemoryPlace,
};

use crate::{
    app::App,
    args::Limits,
    database, dirs,
    environment::{self, OpenedModel},
    error::Error,
    output::faint,
};

/// The settings of `[agents.archie]`, besides `prompts.NAME`.
const KEYS: [&str; 4] = ["keywords", "memory", "document_tokens", "profile"];

/// What an agent is made of.
pub(super) struct AgentOptions {
    caller: ManagedModel,
    nodes: Vec<(String, ManagedModel)>,
    settings: Settings,
    backends: Backends,
    max_cost: Option<Money>,
}

impl AgentOptions {
    pub(super) async fn open(
        limits: &Limits,
        document_tokens: Option<u64>,
        content: &DataOwner,
        app: &mut App<'_>,
    ) -> Result<Self, Error> {
        let config = environment::load(app.global)?.config;
        config.agent_is_trusted("archie")?;
        let mut settings = settings(&config)?;
        settings.pdf = super::pdf::reader()?;
        if let Some(tokens) = document_tokens {
            settings.document_tokens = usize::try_from(tokens).ok();
        }
        if let Some(file) = &limits.memory_file {
            settings.memory = Some(file.clone().into());
        }
        let backends = database::create(app.global)?;
        let OpenedModel { caller, origin } = environment::open(content, app).await?;
        let nodes = environment::open_nodes(&MODEL_NODES, content, app).await?;
        let of_project = nodes.iter().map(|(_, model)| &model.origin);
        let origin = of_project
            .chain([&origin])
            .find(|origin| origin.is_project())
            .unwrap_or(&origin);
        // What is remembered is of all projects: it neither goes to a model that one of them chose,
        // nor is it written by one.
        if origin.is_project() && limits.memory_file.is_none() {
            settings.memory = None;
            app.output.say(&[faint(format!(
                "memory: not used, as the project chose the model ({origin}); --model or \
                 --memory-file uses it"
            ))]);
        }
        // A model on this machine writes a few words a second.
        if caller.id().provider == "local" {
            settings.replies = Replies {
                turn: 320,
                result: 700,
                extract: 500,
            };
        }
        let nodes = nodes.into_iter();
        Ok(Self {
            caller,
            nodes: nodes.map(|(node, model)| (node, model.caller)).collect(),
            settings,
            backends,
            max_cost: limits.max_cost,
        })
    }

    /// Threads may name folders below these alone. What is known of others is not for whoever sends data: it is remembered
    /// in the store, which is one for each owner.
    pub(super) fn below(mut self, roots: Roots) -> Self {
        self.settings.roots = Some(roots);
        self.settings.memory = Some(MemoryPlace::Store);
        self
    }

    pub(super) fn saver(&self) -> Result<Arc<dyn Saver>, Error> {
        self.backends.saver.clone().ok_or(Error::NoSaver)
    }

    /// The model, as threads name it.
    pub(super) fn model_name(&self) -> String {
        self.caller.id().to_string()
    }

    /// The agent. What a thread has spent already counts.
    pub(super) fn archie(&self, spent: Option<Spent>) -> Result<Archie, Error> {
        let mut budget = None;
        if let Some(max_cost) = self.max_cost {
            let limits = call::Limits {
                money: Some(max_cost),
                ..call::Limits::default()
            };
            let spent = spent.unwrap_or_default();
            let spent = call::Spent {
                usage: spent.tokens,
                money: spent.cost.unwrap_or_default(),
                ..call::Spent::default()
            };
            budget = Some(Budget::resumed(limits, spent));
        }
        let within = |caller: &ManagedModel| -> Arc<dyn Model> {
            Arc::new(match &budget {
                Some(budget) => caller.clone().within(budget.clone()),
                None => caller.clone(),
            })
        };
        let mut models = NodeModels::new(within(&self.caller));
        for (node, caller) in &self.nodes {
            models = models.with(node, within(caller));
        }
        let (settings, backends) = (self.settings.clone(), self.backends.clone());
        Ok(Archie::with_models(models, settings, backends)?)
    }
}

/// Settings of `[agents.archie]`. A project may not set which file is written as memory.
pub(super) fn settings(config: &Config) -> Result<Settings, Error> {
    let mut settings = Settings {
        memory: dirs::data().map(|folder| MemoryPlace::Folder {
            path: folder.join("archie"),
            shared: Some(folder.join("archie.json")),
        }),
        ..Settings::default()
    };
    for (key, setting) in config.agent("archie") {
        let wrong = |why: String| Error::Usage(format!("{}: {why}", setting.origin));
        let not = |wanted: &str| wrong(format!("`{key}` must be {wanted}"));
        match key {
            "keywords" => {
                let words = setting.value.as_array().map(|items| {
                    let words = items.iter().filter_map(Json::as_str);
                    words.map(str::to_owned).collect::<Vec<_>>()
                });
                settings.keywords = Keywords::new(words.ok_or_else(|| not("a list of texts"))?);
            }
            "memory" if setting.origin.is_project() => {
                return Err(wrong("`memory` belongs in the user's file".into()));
            }
            "memory" => {
                let file = path(setting)?.ok_or_else(|| not("a path"))?;
                settings.memory = Some(file.into());
            }
            "document_tokens" => {
                let tokens = setting.value.as_u64().and_then(|n| usize::try_from(n).ok());
                let tokens = tokens.filter(|tokens| *tokens > 0);
                settings.document_tokens = Some(tokens.ok_or_else(|| not("a number above 0"))?);
            }
            "profile" => {
                let profile = setting.value.as_str().and_then(Profile::named);
                settings.profile = Some(profile.ok_or_else(|| not("strong or small"))?);
            }
            _ => match key.strip_prefix("prompts.") {
                Some(name) => {
                    let path = path(setting)?.ok_or_else(|| not("a path"))?;
                    let text = prompt(&path)
                        .map_err(|error| wrong(format!("{}: {error}", path.display())))?;
                    let replaced = settings.prompts.replace(name, text);
                    replaced.map_err(|error| wrong(error.to_string()))?;
                }
                None => {
                    let hint = did_you_mean::hint(key, KEYS);
                    return Err(wrong(format!("unknown key `{key}`{hint}")));
                }
            },
        }
    }
    Ok(settings)
}

/// The text of a prompt. A project may bring a pipe, which would block.
fn prompt(path: &Path) -> io::Result<String> {
    superstep::fs::read_text(path, 1 << 20)
}

fn path(setting: &Setting<Json>) -> Result<Option<PathBuf>, Error> {
    let written = setting.value.as_str();
    Ok(written.map(|written| setting.path(written)).transpose()?)
}
