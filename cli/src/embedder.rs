//! The embedder of a search by meaning.

use std::sync::Arc;

use superstep::store::Embedder;

use crate::{app::App, error::Error};
#[cfg(feature = "remote")]
use crate::{environment, providers};

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
            let mut environment = environment::load(app.global)?;
            environment.flag = Some(name.to_owned());
            let resolution = superstep::model::select::resolve(&environment, None)?;
            providers::embeddings(resolution.choice()?).await
        }
        #[cfg(not(feature = "remote"))]
        _ => {
            let _ = app;
            let why = "this program was built without models over the network";
            Err(Error::Usage(why.into()))
        }
    }
}
