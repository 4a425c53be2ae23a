//! Options of Archie: model, settings, database, budget.

use std::sync::Arc;

use superstep::{
    Backends,
    fs::Roots,
    model::{Budget, ManagedModel, Model, Money, NodeModels, call, select::DataOwner},
    saver::Saver,
};
use superstep_archie::{Archie, MODEL_NODES, Replies, Settings, Spent, memory::MemoryPlace};

use crate::{
    app::App,
    args::Limits,
    database, dirs, environment,
    error::Error,
    opened_model::{self, OpenedModel},
    output::faint,
};

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
        let mut settings = Settings {
            memory: dirs::data().map(|folder| MemoryPlace::Folder {
                path: folder.join("archie"),
                shared: Some(folder.join("archie.json")),
            }),
            ..Settings::default()
        }
        .configured(&config)?;
        settings.pdf = super::pdf::reader()?;
        if let Some(tokens) = document_tokens {
            settings.document_tokens = usize::try_from(tokens).ok();
        }
        if let Some(file) = &limits.memory_file {
            settings.memory = Some(file.clone().into());
        }
        let backends = database::create(app.global)?;
        let OpenedModel { caller, origin } = opened_model::open(content, app).await?;
        let nodes = opened_model::open_nodes(&MODEL_NODES, content, app).await?;
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
                turn: Some(320),
                result: Some(700),
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
