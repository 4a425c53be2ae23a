//! Providers over HTTP: opens their models, and lists them.

use std::{sync::Arc, time::Duration};

use super::{
    choice::Choice,
    environment::{Offered, Probe},
    open::{Opening, Providers},
};
use crate::{
    error::{ErrorKind, ModelError},
    model::Model,
    remote::{
        Address, Anthropic, Client, Dimensions, Embeddings, Listed, OpenAi, Settings, Site, list,
        openai::Dialect,
    },
    spec::{Api, KNOWN, Known},
};

/// How long a provider may take to list its models.
const LISTING: Duration = Duration::from_secs(10);

pub(super) fn register(providers: &mut Providers) {
    for known in KNOWN {
        providers.register(known.name, open);
    }
}

fn open(choice: &Choice) -> Opening<'_> {
    Box::pin(async move {
        let client = Client::new(&Settings::default())?;
        let site = choice.site()?;
        let name = match &choice.spec.name {
            Some(name) => name.clone(),
            None => first(choice).await?,
        };
        if choice.api == Some(Api::Anthropic) {
            return Ok(Arc::new(Anthropic::new(client, site, name)) as Arc<dyn Model>);
        }
        let mut dialect = Dialect::of(&site.address, &name);
        if choice.spec.provider != "openai" {
            dialect.provider.clone_from(&choice.spec.provider);
        }
        let model = OpenAi::with_dialect(client, site, name, dialect);
        Ok(Arc::new(model) as Arc<dyn Model>)
    })
}

/// The first model of a server that was named without one.
async fn first(choice: &Choice) -> Result<String, ModelError> {
    let first = choice.models().await?.into_iter().next();
    let first = first.map(|offered| offered.name);
    first.ok_or_else(|| {
        let message = "the server lists none".to_owned();
        let model = choice.spec.to_string();
        ErrorKind::UnknownModel { model, message }.into()
    })
}

impl Choice {
    /// Asks its provider for the models that it has.
    pub async fn models(&self) -> Result<Vec<Offered>, ModelError> {
        let client = Client::new(&Settings::default())?;
        let site = self.site()?;
        let listed = match (self.spec.provider.as_str(), self.api) {
            ("ollama", _) => list::ollama(&client, &site.address, LISTING).await?,
            (_, Some(Api::Anthropic)) => list::anthropic(&client, &site, LISTING).await?,
            _ => list::openai(&client, &site, LISTING).await?,
        };
        Ok(listed.into_iter().map(Offered::from).collect())
    }

    /// Opens it as a model for embeddings. One text is embedded first, for the length of the vectors.
    pub async fn embeddings(&self) -> Result<Embeddings, ModelError> {
        let Some(name) = self
            .spec
            .name
            .as_deref()
            .filter(|_| self.api == Some(Api::ChatCompletions))
        else {
            return Err(ModelError::settings(format!(
                "`{}` is no model for embeddings; name one as provider:name",
                self.spec
            )));
        };
        let (client, site) = (Client::new(&Settings::default())?, self.site()?);
        let of = |count| {
            Embeddings::new(
                client.clone(),
                site.clone(),
                name,
                Dimensions::Native(count),
            )
        };
        let length = of(0).native_length().await?;
        Ok(of(length))
    }

    /// Its address and its key.
    fn site(&self) -> Result<Site, ModelError> {
        let provider = &self.spec.provider;
        let base = self.base.as_deref().unwrap_or_default();
        let address = Address::new(base)?;
        let key = self.key.read(provider)?;
        let own = Known::named(provider).filter(|known| known.base == base);
        // Without it the call would fail all the same, but later and with fewer words.
        if let (None, Some(name)) = (&key, own.and_then(|known| known.key_env)) {
            let message = format!("there is no key in ${name}");
            let provider = provider.clone();
            return Err(ErrorKind::Auth { provider, message }.into());
        }
        Ok(Site { address, key })
    }
}

/// Asks the Ollama server at an address for its models.
pub(super) async fn ask_ollama(address: &str) -> Probe {
    let asked = async {
        let client = Client::new(&Settings::default())?;
        list::ollama(&client, &Address::new(address)?, list::PROBE).await
    };
    probed(asked.await)
}

/// Asks the server at a port of this machine for its models, if it speaks chat completions.
pub(super) async fn ask_port(port: u16) -> Probe {
    let asked = async {
        let client = Client::new(&Settings::default())?;
        let address = Address::new(&format!("http://127.0.0.1:{port}/v1"))?;
        let site = Site { address, key: None };
        list::openai(&client, &site, list::PROBE).await
    };
    probed(asked.await)
}

fn probed(listed: Result<Vec<Listed>, ModelError>) -> Probe {
    match listed {
        Ok(listed) => Probe::Has(listed.into_iter().map(Offered::from).collect()),
        Err(error) => Probe::Silent(match error.kind() {
            ErrorKind::Connect { .. } => "nothing there".into(),
            ErrorKind::TimedOut { .. } => "no answer in time".into(),
            _ => format!("no model server: {error}"),
        }),
    }
}

impl From<Listed> for Offered {
    fn from(listed: Listed) -> Self {
        Self {
            name: listed.name,
            parameters: listed.parameters,
            family: listed.family,
        }
    }
}
