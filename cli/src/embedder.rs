//! The embedder of a search by meaning.

use std::sync::Arc;

#[cfg(feature = "remote")]
use superstep::model::config::Origin;
use superstep::store::Embedder;

#[cfg(feature = "remote")]
use crate::environment;
use crate::{app::App, error::Error};

/// An embedder by its name: `local`, or a model of a provider or a server.
pub(crate) async fn open(name: &str, app: &App<'_>) -> Result<Arc<dyn Embedder>, Error> {
    match name {
        #[cfg(feature = "vectors")]
        "local" => {
            let sources = superstep::local::weights::Sources::from_env();
            let sources = sources.map_err(|error| Error::Usage(error.to_string()))?;
            Ok(Arc::new(superstep::local::vectors::MiniLm::new(sources)))
        }
        #[cfg(not(feature = "vectors"))]
        "local" => Err(Error::Usage(
            "this program was built without the embedder inside of it".into(),
        )),
        #[cfg(feature = "remote")]
        name => {
            let environment = environment::load(app.global)?;
            let choice = environment.choice(name, Origin::Flag("--embedder"))?;
            Ok(Arc::new(choice.embeddings().await?))
        }
        #[cfg(not(feature = "remote"))]
        _ => {
            let _ = app;
            let why = "this program was built without models over the network";
            Err(Error::Usage(why.into()))
        }
    }
}
