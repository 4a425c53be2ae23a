//! The environment that a model is chosen in: settings, variables, servers, weights.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use crate::config::{Config, Origin};
use crate::spec::KNOWN;

/// Everything that the choice of a model depends on.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `--model`.
    pub flag: Option<String>,
    /// Variables that say something and are no secrets.
    pub vars: BTreeMap<String, String>,
    /// Variables that hold a key. Only that they do is known here.
    pub keys: BTreeSet<String>,
    /// The files.
    pub config: Config,
    /// Where it was said that nothing may leave the machine, if it was.
    pub offline: Option<Origin>,
    /// Names that can be opened.
    pub providers: Vec<String>,
    /// What the Ollama server on this machine says.
    pub ollama: Probe,
    /// What answers at other ports of this machine, if they were asked.
    pub ports: Vec<(u16, Probe)>,
    /// Weights in the cache: `default`, `tiny`, and where they are.
    pub weights: BTreeMap<String, PathBuf>,
    /// Whether there is a person to ask.
    pub can_ask: bool,
    /// `--yes`.
    pub yes: bool,
    /// Whose data the model is to get.
    pub content: DataOwner,
}

/// Whose data a model gets. What is not of the project does not go to a model of its choosing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DataOwner {
    /// The project's, or what a person says.
    #[default]
    Project,
    /// Not the project's; why.
    Elsewhere(String),
}

/// What came of asking a server on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Probe {
    /// It was not asked.
    #[default]
    NotAsked,
    /// It is not there, or no such server.
    Silent(String),
    /// It has these models.
    Has(Vec<Offered>),
}

/// A model that a server offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// Its name.
    pub name: String,
    /// How many parameters it has, where that is known.
    pub parameters: Option<u64>,
    /// The family it belongs to, where that is known.
    pub family: Option<String>,
}

/// Variables that say something about models and are no secrets.
const VARS: [&str; 6] = [
    "SUPERSTEP_MODEL", "SUPERSTEP_MODEL_FILE", "SUPERSTEP_OFFLINE", "SUPERSTEP_AUTO_PULL",
    "OPENAI_BASE_URL", "OPENAI_MODEL",
];

impl Environment {
    /// Takes what matters from the environment and the settings: variables, the names of those that
    /// hold keys, and whether anything may leave the machine.
    #[must_use]
    pub fn seen(mut self, var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| var(name).filter(|value| !value.trim().is_empty());
        for name in VARS {
            if let Some(value) = set(name) {
                self.vars.insert(name.to_owned(), value.trim().to_owned());
            }
        }
        // An empty one says that the server is not to be asked.
        let own = var("SUPERSTEP_OLLAMA").map(|address| match address.trim() {
            bare if !bare.is_empty() && !bare.contains("://") => ollama_address(bare),
            whole => whole.to_owned(),
        });
        let address = own.or_else(|| Some(ollama_address(&set("OLLAMA_HOST")?)));
        if let Some(address) = address {
            self.vars.insert("SUPERSTEP_OLLAMA".to_owned(), address);
        }
        let files = self.config.files.iter();
        let named = files
            .flat_map(|file| file.providers.values())
            .filter_map(|provider| provider.key_env.as_ref())
            .map(|name| name.value.clone());
        let usual = KNOWN.iter().filter_map(|known| known.key_env);
        let names: BTreeSet<String> = usual.map(str::to_owned).chain(named).collect();
        self.keys = names
            .into_iter()
            .filter(|name| set(name).is_some())
            .collect();
        let said = self.vars.get("SUPERSTEP_OFFLINE");
        if self.offline.is_none() && said.is_some_and(|value| is_on(value)) {
            self.offline = Some(Origin::Env("SUPERSTEP_OFFLINE".into()));
        }
        if self.offline.is_none() {
            self.offline = self.config.offline().map(|setting| setting.origin.clone());
        }
        self
    }
}

impl Offered {
    /// Whether it can hold a conversation worth having: no embedder, and three thousand million
    /// parameters at least.
    pub(super) fn is_useful(&self) -> bool {
        let embeds = |text: &str| text.contains("embed") || text.contains("bert");
        let family = self.family.as_deref().unwrap_or_default();
        let is_large = self.parameters.is_some_and(|count| count >= 2_900_000_000);
        is_large && !embeds(&self.name) && !embeds(family)
    }
}

/// The address in Ollama's own variable, which may lack the scheme, the host or the port. A server that listens on all
/// addresses is asked at the loopback.
fn ollama_address(host: &str) -> String {
    let host = host.trim().trim_end_matches('/');
    let (scheme, rest, usual) = match host.split_once("://") {
        Some(("https", rest)) => ("https", rest, "443"),
        Some((scheme, rest)) => (scheme, rest, "80"),
        None => ("http", host, "11434"),
    };
    let (name, port) = match rest.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => (name, port),
        _ => (rest, usual),
    };
    let name = match name {
        "" | "0.0.0.0" | "[::]" => "127.0.0.1",
        named => named,
    };
    format!("{scheme}://{name}:{port}")
}

pub(super) fn is_on(value: &str) -> bool {
    !matches!(value, "" | "0" | "false" | "no" | "off")
}

#[cfg(test)]
mod tests {
    use super::ollama_address;

    #[test]
    fn ollamas_own_variable_may_lack_parts_of_an_address() {
        for (host, address) in [
            ("127.0.0.1:11500", "http://127.0.0.1:11500"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            (":8000", "http://127.0.0.1:8000"),
            ("http://localhost:9000/", "http://localhost:9000"),
            ("https://gpu.example", "https://gpu.example:443"),
            ("[::1]:7000", "http://[::1]:7000"),
        ] {
            assert_eq!(ollama_address(host), address, "{host}");
        }
    }
}
