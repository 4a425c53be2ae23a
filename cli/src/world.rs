//! What is so on this machine when a model is chosen, and the choice.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    sync::Arc,
};

use superstep_model::{
    Caller, Model, Policy,
    config::{Config, Origin},
    select::{Choice, Consent, Content, Outcome, Probe, Resolution, Verdict, Way, World, resolve},
};

use crate::{
    args::Global,
    failure::Failure,
    folders,
    output::{Output, faint, plain, strong},
    person::Person,
    providers::{self, OTHER_PORTS},
    trust, weights,
};

/// All that is known before any server on this machine is asked.
pub(crate) fn look(global: &Global) -> Result<World, Failure> {
    let folder = std::env::current_dir()?;
    let user = user_file();
    let config = Config::load(&folder, user.as_deref(), trust::decision)?;
    let can_ask = !global.no_input && io::stdin().is_terminal() && io::stderr().is_terminal();
    let world = World {
        flag: global.model.clone(),
        config,
        offline: global.offline.then_some(Origin::Flag("--offline")),
        providers: providers::registered().names(),
        weights: weights::cached(),
        can_ask,
        yes: global.yes,
        ..World::default()
    };
    Ok(world.seen(|name| std::env::var(name).ok()))
}

/// The file with the user's settings, which may be missing.
pub(crate) fn user_file() -> Option<PathBuf> {
    folders::config().map(|folder| folder.join("config.toml"))
}

/// Whose data it is that lies there: the project's only if it is in the folder of its file.
pub(crate) fn content_at(global: &Global, path: &Path) -> Result<Content, Failure> {
    Ok(match look(global)?.config.is_in_project(path) {
        true => Content::Project,
        false => {
            let path = path.display();
            Content::Elsewhere(format!("{path} is not in the project's folder"))
        }
    })
}

/// The model, and every way to one. Servers of this machine are asked only if it comes to that.
pub(crate) async fn choose(
    global: &Global,
    node: Option<&str>,
    content: &Content,
) -> Result<Resolution, Failure> {
    let mut world = look(global)?;
    world.content = content.clone();
    let first = resolve(&world, node)?;
    let servers = first.chain.iter().find(|link| link.way == Way::LocalServer);
    if servers.is_some_and(|link| link.verdict == Verdict::NotReached) {
        return Ok(first);
    }
    world.ollama = providers::ask_ollama().await;
    if global.probe && !is_useful(&world.ollama) {
        for port in OTHER_PORTS {
            world.ports.push((port, providers::ask_port(port).await));
        }
    }
    Ok(resolve(&world, node)?)
}

/// A model that was opened, and why it was chosen.
pub(crate) struct Opened {
    pub(crate) caller: Caller,
    pub(crate) origin: Origin,
}

/// The model that answers, with rules around it. Says which one it is.
pub(crate) async fn open(
    global: &Global,
    content: &Content,
    output: &Output,
    person: &mut Person,
) -> Result<Opened, Failure> {
    let mut resolution = choose(global, None, content).await?;
    if let Outcome::Pull(consent) = resolution.outcome {
        if consent == Consent::Ask && !weights::is_wanted(output, person).await? {
            return Err(resolution.nothing().into());
        }
        weights::pull_for_use(output, person).await?;
        resolution = choose(global, None, content).await?;
    }
    let choice = resolution.choice()?;
    let providers = providers::registered();
    let model = tokio::select! {
        model = providers.open(choice) => model?,
        () = person.pressed() => return Err(Failure::Cancelled),
    };
    banner(choice, &*model, output);
    let policy = Policy::of(model.caps());
    Ok(Opened {
        caller: Caller::new(model as Arc<dyn Model>, policy),
        origin: choice.origin.clone(),
    })
}

fn banner(choice: &Choice, model: &dyn Model, output: &Output) {
    let line = choice.banner(model);
    match line.split_once(" · ") {
        Some((name, rest)) => output.say(&[strong(name), faint(format!(" · {rest}"))]),
        None => output.say(&[plain(line)]),
    }
}

fn is_useful(probe: &Probe) -> bool {
    matches!(probe, Probe::Has(offered) if !offered.is_empty())
}
