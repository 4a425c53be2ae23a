//! What nodes share: the model, the settings, and the facts of the folder, taken once per process.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use superstep::{
    model::{Model, NodeModels},
    sync::lock,
    tools::RefineConfig,
};

use crate::{
    agent::AgentContext,
    error::Error,
    facts::{Facts, Lookup, scan},
    metadata::{INPUTS, METADATA, Metadata},
    output::{self, Doubt},
    pages,
    plan::{self, Keys},
    result::AgentResult,
    settings::{Request, Settings},
    since,
    state::Planned,
    watch::{Refusals, Spent},
};

pub(crate) struct Services {
    pub(crate) models: Option<NodeModels>,
    pub(crate) settings: Settings,
    facts: Mutex<Option<(Request, Arc<Facts>)>>,
    /// What agents took so far in this process, by the folder they write to and their name.
    spent: Mutex<BTreeMap<(PathBuf, String), Spent>>,
    /// Providers that refused their key in this run.
    pub(crate) refusals: Arc<Refusals>,
    /// How many agents work at once.
    pub(crate) turns: tokio::sync::Semaphore,
}

impl Services {
    pub(crate) fn new(models: Option<NodeModels>, settings: Settings) -> Self {
        Self {
            models,
            turns: tokio::sync::Semaphore::new(settings.at_once.max(1)),
            settings,
            facts: Mutex::default(),
            spent: Mutex::default(),
            refusals: Arc::default(),
        }
    }

    /// Where the calls of an agent are counted, from now on or from where they were.
    pub(crate) fn spent(&self, request: &Request, agent: &str, is_new: bool) -> Spent {
        let mut all = lock(&self.spent);
        let key = (request.output.clone(), agent.to_owned());
        if is_new {
            all.remove(&key);
        }
        all.entry(key).or_default().clone()
    }

    /// Whether a model is asked.
    pub(crate) fn asks(&self, request: &Request) -> bool {
        self.models.is_some() && !request.no_model
    }

    /// Refuses to replace analyses of a model, which were paid for, by facts alone.
    pub(crate) fn spares_analyses(&self, request: &Request) -> Result<(), Error> {
        if request.force || self.asks(request) {
            return Ok(());
        }
        let old = Metadata::read(&request.output).ok().flatten();
        match old.and_then(|old| old.model) {
            None => Ok(()),
            Some(model) => Err(Error::Output {
                path: superstep::text::single_line(&request.output.display().to_string()),
                why: format!(
                    "it holds pages written by {}; --force replaces them with facts only",
                    superstep::text::single_line(&model)
                ),
            }),
        }
    }

    /// What becomes of pages that may be of others.
    pub(crate) fn doubt(&self, request: &Request) -> Doubt {
        match request.force {
            true => Doubt::SetAside,
            false => Doubt::Refuse,
        }
    }

    /// Whether there is a place for the pages.
    pub(crate) fn can_write(&self, request: &Request) -> Result<(), Error> {
        let agents = self.settings.agents.iter();
        let pages = agents.map(|agent| format!("{}.md", agent.name()));
        let pages: Vec<String> = pages.collect();
        let own = pages::OWN.into_iter().chain([METADATA, INPUTS]);
        let names = pages.iter().map(String::as_str).chain(own);
        output::check(&request.output, names, self.doubt(request))
    }

    /// Takes the facts of a folder anew.
    pub(crate) fn scan(&self, request: &Request) -> Result<Arc<Facts>, Error> {
        let order = self.settings.order(&request.output, &request.root);
        let facts = Arc::new(scan(&request.root, &order)?);
        let mut known = lock(&self.facts);
        *known = Some((request.clone(), facts.clone()));
        Ok(facts)
    }

    /// The facts of a folder, as they were taken in this process.
    pub(crate) fn context(&self, request: &Request) -> Result<Arc<AgentContext>, Error> {
        let known = lock(&self.facts).clone();
        let facts = match known {
            Some((of, facts)) if of == *request => facts,
            _ => self.scan(request)?,
        };
        Ok(Arc::new(AgentContext {
            root: request.root.clone(),
            facts,
            room: self.settings.room,
            profile: self.settings.profile,
        }))
    }

    /// The model of an agent, if there is one.
    pub(crate) fn model(&self, agent: &str) -> Option<Arc<dyn Model>> {
        self.models.as_ref().map(|models| models.of(agent).clone())
    }

    /// The name of the model that agents without one of their own use, with its provider.
    pub(crate) fn usual_name(&self) -> String {
        let models = self.models.as_ref();
        models.map_or_else(String::new, |models| models.usual().id().to_string())
    }

    /// The name of the model of an agent, with its provider.
    pub(crate) fn model_name(&self, agent: &str) -> String {
        self.model(agent)
            .map(|model| model.id().to_string())
            .unwrap_or_default()
    }

    /// How an agent is refined: as configured, with what was learned from earlier runs if that is wanted.
    pub(crate) fn config(&self, agent: &str, old: Option<&Metadata>) -> RefineConfig {
        let mut config = self.settings.refine.clone();
        if self.settings.learn_thresholds {
            let history = old.and_then(|old| old.history.get(agent));
            config.earlier_scores = history.cloned().unwrap_or_default();
        }
        config
    }

    /// Which agents run. Results that are still right are given too.
    pub(crate) fn plan(
        &self,
        request: &Request,
        context: &AgentContext,
        old: Option<&Metadata>,
        before: &BTreeMap<String, AgentResult>,
    ) -> Result<(Vec<Planned>, BTreeMap<String, AgentResult>), Error> {
        let changed = match &request.since {
            Some(reference) => Some(since::changed(&request.root, reference)?),
            None => None,
        };
        let lookup = Lookup::new(&context.facts);
        let (mut plan, mut kept) = (Vec::new(), BTreeMap::new());
        for agent in &self.settings.agents {
            let name = agent.name();
            let config = self.config(name, None);
            let keys = Keys::of(
                &**agent,
                context,
                &config,
                &self.model_name(name),
                self.settings.tools,
            );
            let known = before
                .get(name)
                .into_iter()
                .chain(old.and_then(|old| old.agent(name)));
            let known: Vec<&AgentResult> = known
                .filter(|_| !request.force && !request.no_model)
                .collect();
            let mut usable = known
                .iter()
                .find(|it| plan::is_current(it, &keys, &context.facts));
            usable = usable.or_else(|| known.iter().find(|it| plan::is_moved(it, &keys, &lookup)));
            if let (None, Some(changed)) = (usable, &changed) {
                let prompt = agent.human_prompt(context);
                let is_touched = |result: &&&AgentResult| {
                    let read = &result.metadata.read;
                    changed
                        .iter()
                        .any(|path| prompt.contains(path) || read.iter().any(|(it, _)| it == path))
                };
                let fits =
                    |it: &&&AgentResult| it.status.is_finished() && it.metadata.earlier.is_none();
                usable = known.iter().filter(fits).find(|it| !is_touched(it));
            }
            if let Some(result) = usable {
                let mut result = (*result).clone();
                if result.metadata.shape == keys.shape {
                    // It is right for the material of today.
                    keys.put_into(&mut result);
                }
                kept.insert(name.to_owned(), result);
            }
            plan.push(Planned {
                name: name.to_owned(),
                key: keys.whole,
                is_kept: usable.is_some(),
            });
        }
        Ok((plan, kept))
    }
}
