//! Models by name, and from the environment of the process.

use super::{environment::Environment, open::Providers};
use crate::{call::ManagedModel, config::Origin, error::ModelError};

impl Providers {
    /// Scripts, recordings and, with the feature `remote`, the [known providers](crate::spec::KNOWN) over HTTP.
    pub fn built_in() -> Self {
        #[cfg_attr(not(feature = "remote"), allow(unused_mut, reason = "nothing to add"))]
        let mut providers = Self::new();
        #[cfg(feature = "remote")]
        super::remote::register(&mut providers);
        providers
    }

    /// Opens a model by its name, such as `anthropic:claude-sonnet-4-5`. Keys and addresses come from the variables
    /// of the process; settings files are not read.
    pub async fn open_named(&self, name: &str) -> Result<ManagedModel, ModelError> {
        let choice = self.seen().choice(name, Origin::Call("model::open"))?;
        self.open(&choice).await
    }

    /// Opens the first model that the variables of the process, the Ollama server of this machine or its weights
    /// lead to. Settings files are not read.
    pub async fn open_from_env(&self) -> Result<ManagedModel, ModelError> {
        let resolution = self.seen().find(None, false).await?;
        self.open(resolution.choice()?).await
    }

    fn seen(&self) -> Environment {
        Environment::of(self).seen(|name| std::env::var(name).ok())
    }
}

impl Environment {
    /// An environment of which only the providers and the weights are known.
    pub fn of(providers: &Providers) -> Self {
        Self {
            providers: providers.names(),
            weights: providers.weights(),
            ..Self::default()
        }
    }
}
