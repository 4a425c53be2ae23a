//! Registry of providers: opens the model of a choice.

use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc};

use superstep_core::future::BoxFuture;

use super::choice::Choice;
use crate::{
    call::ManagedModel,
    cassette::Cassette,
    error::ModelError,
    model::Model,
    script::Script,
    spec::{CassetteMode, CassetteSpec},
};

/// A model that is being opened.
pub type Opening<'a> = BoxFuture<'a, Result<Arc<dyn Model>, ModelError>>;

type Opener = Box<dyn for<'a> Fn(&'a Choice) -> Opening<'a> + Send + Sync>;

/// How to open models, by the name of their provider. Scripts and recordings are always there.
pub struct Providers {
    openers: BTreeMap<String, Opener>,
    weights: fn() -> BTreeMap<String, PathBuf>,
    secrets: Vec<String>,
}

impl Default for Providers {
    fn default() -> Self {
        Self::new()
    }
}

impl Providers {
    /// Scripts and recordings.
    pub fn new() -> Self {
        let mut new = Self {
            openers: BTreeMap::new(),
            weights: BTreeMap::new,
            secrets: Vec::new(),
        };
        new.register("script", |choice| {
            Box::pin(async move {
                let file = choice.file.as_deref();
                let file = file.ok_or_else(|| ModelError::settings("`script` needs a file"))?;
                Ok(Arc::new(Script::from_file(file)?) as Arc<dyn Model>)
            })
        });
        new
    }

    /// Adds a provider, in place of an earlier one of the name.
    pub fn register<F>(&mut self, name: impl Into<String>, open: F)
    where
        F: for<'a> Fn(&'a Choice) -> Opening<'a> + Send + Sync + 'static,
    {
        self.openers.insert(name.into(), Box::new(open));
    }

    /// Sets the function that finds the weights of `local:default` and `local:tiny`, by those names.
    pub fn find_weights(&mut self, find: fn() -> BTreeMap<String, PathBuf>) {
        self.weights = find;
    }

    /// The weights of `local` on this machine, by name.
    pub fn weights(&self) -> BTreeMap<String, PathBuf> {
        (self.weights)()
    }

    /// Texts that recordings must never hold.
    pub fn keep_secret(&mut self, secret: impl Into<String>) {
        self.secrets.push(secret.into());
    }

    /// What can be opened.
    pub fn names(&self) -> Vec<String> {
        let names = self.openers.keys().cloned();
        names.chain(["cassette".to_owned()]).collect()
    }

    /// Opens a model, with the call policy that suits it.
    pub async fn open(&self, choice: &Choice) -> Result<ManagedModel, ModelError> {
        let model = match &choice.cassette {
            None => self.plain(choice).await?,
            Some((cassette, recorded)) => self.cassette(cassette, recorded.as_deref()).await?,
        };
        // A recording is made with the settings of the model that is recorded.
        let recorded = choice.cassette.as_ref().and_then(|(_, of)| of.as_deref());
        let asked = recorded.unwrap_or(choice);
        Ok(asked.calls.around(model, &asked.spec.provider))
    }

    async fn plain(&self, choice: &Choice) -> Result<Arc<dyn Model>, ModelError> {
        let provider = &choice.spec.provider;
        let open = self.openers.get(provider);
        let open =
            open.ok_or_else(|| ModelError::settings(format!("there is no provider `{provider}`")))?;
        open(choice).await
    }

    async fn cassette(
        &self,
        cassette: &CassetteSpec,
        recorded: Option<&Choice>,
    ) -> Result<Arc<dyn Model>, ModelError> {
        let cassette = match (&cassette.mode, recorded) {
            (CassetteMode::Replay, _) => Cassette::replay(&cassette.file)?,
            (CassetteMode::Record(_), Some(model)) => {
                Cassette::record(&cassette.file, self.plain(model).await?)?
            }
            (CassetteMode::Auto(_), Some(model)) => {
                Cassette::auto(&cassette.file, self.plain(model).await?)?
            }
            (CassetteMode::Record(spec) | CassetteMode::Auto(spec), None) => {
                return Err(ModelError::settings(format!("`{spec}` was not chosen")));
            }
        };
        // The key that opens the model is known here, so it is kept out of what is recorded.
        let key = match recorded {
            Some(model) => model.key.read(&model.spec.provider)?,
            None => None,
        };
        let key = key.iter().map(|key| key.expose().to_owned());
        let secrets: Vec<String> = key.chain(self.secrets.iter().cloned()).collect();
        Ok(Arc::new(cassette.with_secrets(secrets)))
    }
}

impl fmt::Debug for Providers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
