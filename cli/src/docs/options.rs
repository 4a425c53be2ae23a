//! Options of the documentation agents: settings of `[agents.docs]`, flags, the model, budgets.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use superstep::{
    fs::Roots,
    model::{
        Budget, ManagedModel, Model, NodeModels,
        call::{self, Price},
        config::Config,
        select::DataOwner,
    },
};
use superstep_docgen::{
    Depth, DocAgent, Docgen, DocsTable, Profile, Settings, agents::custom_agents,
};

use crate::{
    app::App,
    args::{DocsDepth, DocsProfile, MakeDocs},
    database, environment,
    error::Error,
    opened_model,
    output::{faint, plain},
};

/// The largest file of agents.
const LARGEST: u64 = 1 << 20;

/// Agents that can be run.
pub(super) struct OpenedDocs {
    pub(super) docgen: Docgen,
    /// The price of the usual model, and those of agents with one of their own, where they are known.
    price: Option<Price>,
    own_prices: BTreeMap<String, Option<Price>>,
}

impl OpenedDocs {
    /// What the model of an agent costs, if that is known.
    pub(super) fn price(&self, agent: &str) -> Option<&Price> {
        let own = self.own_prices.get(agent);
        own.unwrap_or(&self.price).as_ref()
    }
}

/// Opens them. Requests of others may name folders below the roots alone.
pub(super) async fn open(
    make: &MakeDocs,
    content: &DataOwner,
    roots: Option<Roots>,
    app: &mut App<'_>,
) -> Result<OpenedDocs, Error> {
    let config = environment::load(app.global)?.config;
    config.agent_is_trusted("docs")?;
    let profile = profile(&config, make)?;
    let (mut settings, is_refined) = settings(&config, make)?;
    settings.roots = roots;
    let backends = database::create(app.global)?;
    let caller = match make.no_model {
        true => None,
        false => match opened_model::open(content, app).await {
            Ok(opened) => Some(opened.caller),
            // What would be done can be said without one.
            Err(error) if make.dry_run && error.is_no_model() => {
                app.output
                    .note(&[faint("there is no model, so no price is known")]);
                None
            }
            Err(error) => {
                if error.is_no_model() {
                    app.output.say(&[plain(
                        "docs: without a model, --no-model writes what the facts alone give",
                    )]);
                }
                return Err(error);
            }
        },
    };
    let budget = budget(make);
    let within = |caller: ManagedModel| match &budget {
        Some(budget) => caller.within(budget.clone()),
        None => caller,
    };
    let caller = caller.map(within);
    if let Some(caller) = &caller {
        let profile = profile.unwrap_or_else(|| Profile::of(caller.caps()));
        settings = settings.with_profile(profile, is_refined);
    }
    let mut own_prices = BTreeMap::new();
    let mut models = None;
    if let Some(caller) = &caller {
        let mut all = NodeModels::new(Arc::new(caller.clone()));
        let agents: Vec<&str> = settings.agents.iter().map(|agent| agent.name()).collect();
        for (agent, opened) in opened_model::open_nodes(&agents, content, app).await? {
            own_prices.insert(agent.clone(), opened.caller.price());
            all = all.with(agent, Arc::new(within(opened.caller)));
        }
        models = Some(all);
    }
    Ok(OpenedDocs {
        docgen: Docgen::with_models(models, settings, backends)?,
        price: caller.and_then(|caller| caller.price()),
        own_prices,
    })
}

/// The budget of the command line, if there is one.
fn budget(make: &MakeDocs) -> Option<Budget> {
    let limits = call::Limits {
        tokens: make.max_tokens,
        money: make.max_cost,
        wall: make.max_minutes,
    };
    (limits != call::Limits::default()).then(|| Budget::new(limits))
}

/// Settings of `[agents.docs]`, and flags, which win. Also whether more than one call per page is wanted.
fn settings(config: &Config, make: &MakeDocs) -> Result<(Settings, bool), Error> {
    let mut table = DocsTable::read(config)?;
    flags(&mut table.settings, make);
    if !make.agents.is_empty() {
        table.agents.clone_from(&make.agents);
    }
    let is_refined = table.is_refined
        || make.depth.is_some()
        || make.max_iterations.is_some()
        || make.clarity_threshold.is_some()
        || make.min_improvement.is_some();
    let custom = make.agents_file.as_deref().map(custom);
    let settings = table.with_agents(custom.transpose()?.unwrap_or_default())?;
    Ok((settings, is_refined))
}

/// The agents of a file.
fn custom(file: &Path) -> Result<Vec<Arc<dyn DocAgent>>, Error> {
    let text = superstep::fs::read_text(file, LARGEST)
        .map_err(|error| Error::Usage(format!("{}: {error}", file.display())))?;
    Ok(custom_agents(&text).map_err(|error| error.in_file(file))?)
}

/// The profile that somebody asked for.
fn profile(config: &Config, make: &MakeDocs) -> Result<Option<Profile>, Error> {
    Ok(match make.profile {
        Some(DocsProfile::Strong) => Some(Profile::Strong),
        Some(DocsProfile::Small) => Some(Profile::Small),
        None => DocsTable::profile(config)?,
    })
}

fn flags(settings: &mut Settings, make: &MakeDocs) {
    if let Some(depth) = make.depth {
        settings.refine = match depth {
            DocsDepth::Quick => Depth::Quick,
            DocsDepth::Normal => Depth::Normal,
            DocsDepth::Deep => Depth::Deep,
        }
        .config();
    }
    let refine = &mut settings.refine;
    refine.max_iterations = make.max_iterations.unwrap_or(refine.max_iterations);
    refine.clarity_threshold = make.clarity_threshold.unwrap_or(refine.clarity_threshold);
    refine.min_improvement = make.min_improvement.unwrap_or(refine.min_improvement);
    refine.enable_self_questioning &= !make.no_self_questioning;
    refine.parallel_answers |= make.parallel_answers;
    refine.approve_above = make.approve_above.or(refine.approve_above);
}
