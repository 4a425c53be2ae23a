//! What is wrong with settings, before a command fails because of it: for `config set` and `doctor`.
//!
//! A file may have settings that are wrong in several places, so `config set` checks the one that it changes, alone:
//! what is wrong elsewhere does not keep anybody from correcting something.

use superstep::model::{
    config::{Config, ConfigFile, Origin, Setting},
    did_you_mean,
};

use crate::{
    agents::{self, Agent},
    environment,
    error::Error,
    running,
};

/// Everything that a command would refuse, or would not use.
pub(crate) fn problems(config: &Config) -> Vec<Error> {
    let mut found = Vec::new();
    found.extend(agents::check_names(config).err());
    for agent in Agent::all() {
        found.extend(agent.check_settings(config).err());
        found.extend(running::of(*agent).check_settings(config).err());
    }
    for file in &config.files {
        let of_agents = file.agents.values().flatten();
        let of_agents = of_agents.filter_map(|(key, setting)| Some((key.as_str(), text(setting)?)));
        let named = of_agents.filter(|(key, _)| key.ends_with("_model"));
        let named = named.map(|(_, setting)| setting);
        let models = file.models.values().cloned();
        for setting in file.model.iter().cloned().chain(models).chain(named) {
            found.extend(environment::check_model(&setting, file).err());
        }
        let nodes = file.models.iter();
        found.extend(nodes.filter_map(|(node, setting)| check_node(node, &setting.origin).err()));
        if let Some(db) = file.db.as_ref().filter(|db| db.value.is_dir()) {
            let (origin, path) = (&db.origin, db.value.display());
            found.push(Error::Usage(format!(
                "{origin}: `db` must be a file, and {path} is a folder"
            )));
        }
    }
    found
}

/// Refuses a setting of a file that a command would refuse.
pub(super) fn one(file: &ConfigFile, key: &str) -> Result<(), Error> {
    let mut config = Config::default();
    config.files.push(only(file, key));
    match problems(&config).into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(()),
    }
}

/// The file with one of its settings alone, and how to reach providers, which models need.
fn only(file: &ConfigFile, key: &str) -> ConfigFile {
    let mut only = file.clone();
    let is_it = |part: &str| key == part;
    only.model = only.model.filter(|_| is_it("model"));
    only.offline = only.offline.filter(|_| is_it("offline"));
    only.db = only.db.filter(|_| is_it("db"));
    only.models
        .retain(|node, _| key == format!("models.{node}"));
    for (agent, settings) in &mut only.agents {
        settings.retain(|name, _| key == format!("agents.{agent}.{name}"));
    }
    only.agents.retain(|_, settings| !settings.is_empty());
    only
}

/// Refuses the model of a node that no agent has: it would never be used.
fn check_node(node: &str, origin: &Origin) -> Result<(), Error> {
    let known = Agent::all()
        .iter()
        .flat_map(|agent| agent.card().model_nodes.iter().cloned());
    let known: Vec<String> = known.collect();
    if known.iter().any(|it| it == node) {
        return Ok(());
    }
    let near = did_you_mean::hint(node, known.iter().map(String::as_str));
    let near = match near.is_empty() {
        true => format!("; there are {}", known.join(", ")),
        false => near,
    };
    Err(Error::Usage(format!(
        "{origin}: no agent has a node `{node}` that calls a model{near}"
    )))
}

/// A setting that is a text.
fn text(setting: &Setting<serde_json::Value>) -> Option<Setting<String>> {
    Some(Setting {
        value: setting.value.as_str()?.to_owned(),
        origin: setting.origin.clone(),
    })
}
