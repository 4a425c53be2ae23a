//! Options of the documentation agents: settings of `[agents.docs]`, flags, the model, budgets.

use std::{collections::BTreeMap, sync::Arc};

use superstep::{
    fs::Roots,
    model::{
        Budget, ManagedModel, Model, NodeModels,
        call::{self, Price},
        config::{Config, Setting},
        did_you_mean,
        select::DataOwner,
    },
};
use superstep_docgen::{
    Depth, Docgen, Profile, Settings,
    agents::{choose, custom_agents, standard_agents},
};

use crate::{
    app::App,
    args::{DocsDepth, DocsProfile, MakeDocs},
    database, environment,
    error::Error,
    output::{faint, plain},
};

/// The settings of `[agents.docs]`.
const KEYS: [&str; 12] = [
    "depth",
    "max_iterations",
    "clarity_threshold",
    "min_improvement",
    "self_questioning",
    "parallel_answers",
    "learn_thresholds",
    "share_questions",
    "tools",
    "agents",
    "prompt_characters",
    "profile",
];

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

pub(super) async fn open(
    make: &MakeDocs,
    content: &DataOwner,
    app: &mut App<'_>,
) -> Result<OpenedDocs, Error> {
    open_below(make, content, None, app).await
}

/// The same for requests of others, which may name folders below these alone.
pub(super) async fn open_below(
    make: &MakeDocs,
    content: &DataOwner,
    roots: Option<Roots>,
    app: &mut App<'_>,
) -> Result<OpenedDocs, Error> {
    let config = environment::load(app.global)?.config;
    config.agent_is_trusted("docs")?;
    let is_refined = is_refined(&config, make);
    let profile = profile(&config, make)?;
    let mut settings = settings(&config, make)?;
    settings.roots = roots;
    let backends = database::create(app.global)?;
    let caller = match make.no_model {
        true => None,
        false => match environment::open(content, app).await {
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
    let mut models = caller
        .clone()
        .map(|caller| NodeModels::new(Arc::new(caller)));
    if let Some(usual) = models.take() {
        let agents: Vec<&str> = settings.agents.iter().map(|agent| agent.name()).collect();
        let own = environment::open_nodes(&agents, content, app).await?;
        let all = own.into_iter().fold(usual, |all, (agent, opened)| {
            own_prices.insert(agent.to_string(), opened.caller.price());
            all.with(agent, Arc::new(within(opened.caller)))
        });
        models = Some(all);
    }
    Ok(OpenedDocs {
        docgen: Docgen::with_models(models, settings, backends)?,
        price: caller.and_then(|caller| caller.price()),
        own_prices,
    })
}

/// Refuses settings that cannot be used.
pub(super) fn check(config: &Config) -> Result<(), Error> {
    let make = MakeDocs::default();
    profile(config, &make)?;
    settings(config, &make).map(drop)
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

/// Settings of `[agents.docs]`, and flags, which win.
pub(super) fn settings(config: &Config, make: &MakeDocs) -> Result<Settings, Error> {
    let mut settings = Settings::default();
    let mut names: Vec<String> = Vec::new();
    // The depth comes first: the others change what it says.
    for (key, setting) in config.agent("docs") {
        if key == "depth" {
            settings.refine = depth(setting)?.config();
        }
    }
    for (key, setting) in config.agent("docs") {
        let wrong = |why: String| Error::Usage(format!("{}: {why}", setting.origin));
        let not = |wanted: &str| wrong(format!("`{key}` must be {wanted}"));
        let yes = || setting.value.as_bool().ok_or_else(|| not("true or false"));
        let number = || setting.value.as_f64().ok_or_else(|| not("a number"));
        let whole = || setting.value.as_u64().ok_or_else(|| not("a whole number"));
        let refine = &mut settings.refine;
        match key {
            "depth" | "profile" => {}
            "max_iterations" => {
                refine.max_iterations =
                    u32::try_from(whole()?).map_err(|_| not("a small number"))?;
            }
            "clarity_threshold" => refine.clarity_threshold = number()?,
            "min_improvement" => refine.min_improvement = number()?,
            "self_questioning" => refine.enable_self_questioning = yes()?,
            "parallel_answers" => refine.parallel_answers = yes()?,
            "learn_thresholds" => settings.learn_thresholds = yes()?,
            "share_questions" => settings.share_questions = yes()?,
            "tools" => settings.tools = yes()?,
            "prompt_characters" => {
                settings.room = usize::try_from(whole()?).map_err(|_| not("a small number"))?;
            }
            "agents" => {
                let list = setting
                    .value
                    .as_array()
                    .ok_or_else(|| not("a list of names"))?;
                let list = list.iter().map(|it| it.as_str().map(str::to_owned));
                names = list
                    .collect::<Option<_>>()
                    .ok_or_else(|| not("a list of names"))?;
            }
            _ => {
                let hint = did_you_mean::hint(key, KEYS);
                return Err(wrong(format!("unknown key `{key}`{hint}")));
            }
        }
    }
    flags(&mut settings, make);
    let mut agents = standard_agents();
    if let Some(file) = &make.agents_file {
        let text = superstep::fs::read_text(file, LARGEST)
            .map_err(|error| Error::Usage(format!("{}: {error}", file.display())))?;
        agents.extend(custom_agents(&text).map_err(|error| error.in_file(file))?);
    }
    if !make.agents.is_empty() {
        names.clone_from(&make.agents);
    }
    settings.pages.clone_from(&agents);
    settings.agents = choose(agents, &names)?;
    settings.check()?;
    Ok(settings)
}

/// Whether somebody asked for more than one call per page.
fn is_refined(config: &Config, make: &MakeDocs) -> bool {
    let wishes = [
        "depth",
        "max_iterations",
        "clarity_threshold",
        "min_improvement",
        "self_questioning",
    ];
    make.depth.is_some()
        || make.max_iterations.is_some()
        || make.clarity_threshold.is_some()
        || make.min_improvement.is_some()
        || config.agent("docs").keys().any(|key| wishes.contains(key))
}

/// The profile that somebody asked for.
fn profile(config: &Config, make: &MakeDocs) -> Result<Option<Profile>, Error> {
    if let Some(profile) = make.profile {
        return Ok(Some(match profile {
            DocsProfile::Strong => Profile::Strong,
            DocsProfile::Small => Profile::Small,
        }));
    }
    let all = config.agent("docs");
    let Some(setting) = all.get("profile") else {
        return Ok(None);
    };
    let profile = setting.value.as_str().and_then(Profile::named);
    let wrong = || format!("{}: `profile` must be strong or small", setting.origin);
    profile.map(Some).ok_or_else(|| Error::Usage(wrong()))
}

fn depth(setting: &Setting<serde_json::Value>) -> Result<Depth, Error> {
    match setting.value.as_str() {
        Some("quick") => Ok(Depth::Quick),
        Some("normal") => Ok(Depth::Normal),
        Some("deep") => Ok(Depth::Deep),
        _ => Err(Error::Usage(format!(
            "{}: `depth` must be quick, normal or deep",
            setting.origin
        ))),
    }
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
