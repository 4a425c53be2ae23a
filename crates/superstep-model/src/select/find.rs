//! Model servers of this machine, asked when the choice of a model depends on them.

use super::{
    environment::{Environment, Probe},
    resolve::{Resolution, Source, Verdict, resolve},
};
use crate::{error::ModelError, spec::is_loopback};

/// Ports that model servers commonly use, besides Ollama's.
const OTHER_PORTS: [u16; 3] = [8080, 8000, 1234];

impl Environment {
    /// Resolves the model of a node, or of everything. It asks the servers of this machine if no earlier
    /// source has a model; with `other_ports`, also at ports other than Ollama's.
    pub async fn find(
        &mut self,
        node: Option<&str>,
        other_ports: bool,
    ) -> Result<Resolution, ModelError> {
        let first = resolve(self, node)?;
        let mut chain = first.chain.iter();
        let servers = chain.find(|link| link.source == Source::LocalServer);
        if servers.is_some_and(|link| link.verdict == Verdict::NotReached) {
            return Ok(first);
        }
        self.ollama = self.ask_ollama().await;
        let has_models = matches!(&self.ollama, Probe::Has(offered) if !offered.is_empty());
        if other_ports && !has_models {
            for port in OTHER_PORTS {
                self.ports.push((port, ask_port(port).await));
            }
        }
        resolve(self, node)
    }

    /// Asks the Ollama server of this machine for its models. `SUPERSTEP_OLLAMA` is another address of it; an
    /// empty one forbids to ask.
    pub async fn ask_ollama(&self) -> Probe {
        let address = self.vars.get("SUPERSTEP_OLLAMA").map(String::as_str);
        match address.unwrap_or("http://127.0.0.1:11434") {
            "" => Probe::NotAsked,
            far if !is_loopback(far) => Probe::Silent(format!("{far} is not on this machine")),
            address => ask_ollama(address).await,
        }
    }
}

#[cfg(feature = "remote")]
use super::remote::{ask_ollama, ask_port};

#[cfg(not(feature = "remote"))]
async fn ask_ollama(_: &str) -> Probe {
    Probe::NotAsked
}

#[cfg(not(feature = "remote"))]
async fn ask_port(_: u16) -> Probe {
    Probe::NotAsked
}
