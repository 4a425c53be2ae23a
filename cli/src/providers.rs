//! Model providers of this build, and model servers of this machine.

#[cfg(not(feature = "remote"))]
use superstep::model::select::Probe;
use superstep::model::select::Providers;

/// Ports at which model servers like to listen, among others.
pub(crate) const OTHER_PORTS: [u16; 3] = [8080, 8000, 1234];

/// Everything that was built in.
pub(crate) fn registered() -> Providers {
    #[cfg_attr(
        not(any(feature = "remote", feature = "local")),
        allow(unused_mut, reason = "nothing to add")
    )]
    let mut providers = Providers::new();
    #[cfg(feature = "local")]
    providers.register("local", local::open);
    #[cfg(feature = "remote")]
    remote::register(&mut providers);
    providers
}

#[cfg(not(feature = "remote"))]
pub(crate) async fn ask_ollama() -> Probe {
    Probe::NotAsked
}

#[cfg(not(feature = "remote"))]
pub(crate) async fn ask_port(_: u16) -> Probe {
    Probe::NotAsked
}

#[cfg(feature = "remote")]
pub(crate) use remote::{ask_ollama, ask_port, embeddings, models};

#[cfg(feature = "local")]
mod local {
    use std::sync::Arc;

    use superstep::local::{
        chat::{LocalModel, Options},
        weights::Cache,
    };
    use superstep::model::{
        ErrorKind, Model,
        select::{Choice, Opening},
    };

    /// Opens the weights; they are read when the first call comes.
    pub(super) fn open(choice: &Choice) -> Opening<'_> {
        Box::pin(async move {
            let Some(file) = choice.file.clone() else {
                let name = choice.spec.name.as_deref().unwrap_or("default");
                let why = format!(
                    "the weights of local:{name} are not downloaded; `superstep model pull {name}` does that"
                );
                return Err(ErrorKind::NoModel { why }.into());
            };
            let options = Options {
                prefix_folder: Cache::from_env().ok().map(|cache| cache.prefixes()),
                ..Options::default()
            };
            let model = LocalModel::open(file, options);
            let model = model.map_err(|error| ErrorKind::Local {
                why: error.to_string(),
            })?;
            Ok(Arc::new(model) as Arc<dyn Model>)
        })
    }
}

#[cfg(feature = "remote")]
mod remote {
    use std::{sync::Arc, time::Duration};

    use superstep::model::{
        ErrorKind, Model, ModelError,
        remote::{
            Address, Anthropic, Client, Dimensions, Embeddings, Listed, OpenAi, Settings, Site,
            list, openai::Dialect,
        },
        select::{Choice, Offered, Opening, Probe, Providers},
        spec::{Api, KNOWN, Known, is_loopback},
    };
    use superstep::store::Embedder;

    use crate::error::Error;

    /// How long a provider may take to list its models.
    const LISTING: Duration = Duration::from_secs(10);

    pub(super) fn register(providers: &mut Providers) {
        for known in KNOWN {
            providers.register(known.name, open);
        }
    }

    /// The models of the provider of a choice.
    pub(crate) async fn models(choice: &Choice) -> Result<Vec<Offered>, ModelError> {
        let client = Client::new(&Settings::default())?;
        let site = site(choice)?;
        let listed = match (choice.spec.provider.as_str(), choice.api) {
            ("ollama", _) => list::ollama(&client, &site.address, LISTING).await?,
            (_, Some(Api::Anthropic)) => list::anthropic(&client, &site, LISTING).await?,
            _ => list::openai(&client, &site, LISTING).await?,
        };
        Ok(listed.into_iter().map(offered).collect())
    }

    /// What the Ollama server of this machine has. `SUPERSTEP_OLLAMA` is another address of it on
    /// this machine; empty, nobody is asked.
    pub(crate) async fn ask_ollama() -> Probe {
        let address = std::env::var("SUPERSTEP_OLLAMA");
        let address = address.as_deref().unwrap_or("http://127.0.0.1:11434");
        if address.is_empty() {
            return Probe::NotAsked;
        }
        if !is_loopback(address) {
            return Probe::Silent(format!("{address} is not on this machine"));
        }
        let asked = async {
            let client = Client::new(&Settings::default())?;
            list::ollama(&client, &Address::new(address)?, list::PROBE).await
        };
        probed(asked.await)
    }

    /// What a server at a port of this machine has, if it speaks chat completions.
    pub(crate) async fn ask_port(port: u16) -> Probe {
        let asked = async {
            let client = Client::new(&Settings::default())?;
            let address = Address::new(&format!("http://127.0.0.1:{port}/v1"))?;
            let site = Site { address, key: None };
            list::openai(&client, &site, list::PROBE).await
        };
        probed(asked.await)
    }

    fn open(choice: &Choice) -> Opening<'_> {
        Box::pin(async move {
            let client = Client::new(&Settings::default())?;
            let site = site(choice)?;
            let name = match &choice.spec.name {
                Some(name) => name.clone(),
                None => only(choice).await?,
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

    /// The model for embeddings of a choice. How long its vectors are it is asked first.
    pub(crate) async fn embeddings(choice: &Choice) -> Result<Arc<dyn Embedder>, Error> {
        let name = match &choice.spec.name {
            Some(name) if choice.api == Some(Api::ChatCompletions) => name.clone(),
            _ => {
                let why = format!(
                    "`{}` is no model for embeddings; name one as provider:name",
                    choice.spec
                );
                return Err(Error::Usage(why));
            }
        };
        let model = |count| {
            let client = Client::new(&Settings::default())?;
            let dimensions = Dimensions::Native(count);
            Ok::<_, ModelError>(Embeddings::new(
                client,
                site(choice)?,
                name.as_str(),
                dimensions,
            ))
        };
        let sample = model(0)?
            .embed(vec!["how long is a vector?".to_owned()])
            .await?;
        let count = sample.first().map_or(0, Vec::len);
        Ok(Arc::new(model(count)?))
    }

    fn site(choice: &Choice) -> Result<Site, ModelError> {
        let provider = &choice.spec.provider;
        let base = choice.base.as_deref().unwrap_or_default();
        let address = Address::new(base)?;
        let key = choice.key.read(provider)?;
        let own = Known::named(provider).filter(|known| known.base == base);
        // Without it the call would fail all the same, but later and with fewer words.
        if let (None, Some(name)) = (&key, own.and_then(|known| known.key_env)) {
            let message = format!("there is no key in ${name}");
            let provider = provider.clone();
            return Err(ErrorKind::Auth { provider, message }.into());
        }
        Ok(Site { address, key })
    }

    /// The first model of a server that was named without one.
    async fn only(choice: &Choice) -> Result<String, ModelError> {
        let first = models(choice).await?.into_iter().next();
        let first = first.map(|offered| offered.name);
        first.ok_or_else(|| {
            let message = "the server lists none".to_owned();
            let model = choice.spec.to_string();
            ErrorKind::UnknownModel { model, message }.into()
        })
    }

    fn probed(listed: Result<Vec<Listed>, ModelError>) -> Probe {
        match listed {
            Ok(listed) => Probe::Has(listed.into_iter().map(offered).collect()),
            Err(error) => Probe::Silent(match error.kind() {
                ErrorKind::Connect { .. } => "nothing there".into(),
                ErrorKind::TimedOut { .. } => "no answer in time".into(),
                _ => format!("no model server: {error}"),
            }),
        }
    }

    fn offered(listed: Listed) -> Offered {
        Offered {
            name: listed.name,
            parameters: listed.parameters,
            family: listed.family,
        }
    }
}
