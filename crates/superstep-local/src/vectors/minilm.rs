//! MiniLM embedder, loaded when it is first used; it computes off the runtime's threads.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use superstep_store::{BoxFuture, Embedder, StoreError};
use tokio::sync::Semaphore;

use super::network::{DIMENSIONS, Network};
use crate::weights::{self, MINILM, Sources, Weights, hash_file};
use superstep_core::sync::lock;

/// The name of the model and the start of its hash.
const ID: &str = "all-minilm-l6-v2-int8@8199be6f699a";

/// How many texts are embedded before others get their turn.
const BATCH: usize = 32;

/// all-MiniLM-L6-v2, quantized to 8 bits, in this process.
///
/// Vectors have 384 numbers and length 1. Of a text, the first 254 word pieces count. The model is for
/// English sentences and short paragraphs.
///
/// Nothing is loaded before the first text comes. Texts of concurrent calls take turns, since one run
/// uses all cores. Needs a tokio runtime.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use superstep_store::Embedder;
/// use superstep_local::vectors::MiniLm;
///
/// let embedder: Arc<dyn Embedder> = Arc::new(MiniLm::from_env()?);
/// # Ok(())
/// # }
/// ```
pub struct MiniLm {
    shared: Arc<Shared>,
    turn: Arc<Semaphore>,
}

struct Shared {
    place: Location,
    // What failed to load is tried again: the weights may have come meanwhile.
    network: Mutex<Option<Arc<Network>>>,
}

/// Where the weights are.
enum Location {
    Sources(Sources),
    Path(PathBuf),
}

impl MiniLm {
    /// With weights from where the environment says, see [`Sources::from_env`]. Nothing is downloaded.
    pub fn from_env() -> Result<Self, weights::WeightsError> {
        Sources::from_env().map(Self::new)
    }

    /// With weights that these sources find on this machine. Nothing is downloaded.
    pub fn new(sources: Sources) -> Self {
        Self::at(Location::Sources(sources))
    }

    /// With the weights in this file, which must be those of the catalogue.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        Self::at(Location::Path(path.into()))
    }

    fn at(place: Location) -> Self {
        let shared = Shared {
            place,
            network: Mutex::new(None),
        };
        Self {
            shared: Arc::new(shared),
            turn: Arc::new(Semaphore::new(1)),
        }
    }

    async fn embed_all(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, String> {
        let mut rows = Vec::with_capacity(texts.len());
        let mut texts = texts.into_iter();
        loop {
            let batch: Vec<String> = texts.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                return Ok(rows);
            }
            let turn = Arc::clone(&self.turn).acquire_owned().await;
            let turn = turn.map_err(|error| error.to_string())?;
            let shared = Arc::clone(&self.shared);
            let work = tokio::task::spawn_blocking(move || {
                // Work whose future was dropped still runs, and still is the only one.
                let _turn = turn;
                shared.embed(&batch)
            });
            rows.extend(work.await.map_err(|error| error.to_string())??);
        }
    }
}

impl Embedder for MiniLm {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, StoreError>> {
        Box::pin(async move {
            let outcome = self.embed_all(texts).await;
            outcome.map_err(|reason| StoreError::Embedding {
                model: ID.to_owned(),
                reason,
            })
        })
    }

    fn id(&self) -> &str {
        ID
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }
}

impl fmt::Debug for MiniLm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MiniLm").field("id", &ID).finish()
    }
}

impl Shared {
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, String> {
        let network = self.network()?;
        texts.iter().map(|text| network.embed(text)).collect()
    }

    fn network(&self) -> Result<Arc<Network>, String> {
        let mut kept = lock(&self.network);
        if let Some(network) = &*kept {
            return Ok(Arc::clone(network));
        }
        let failed = |error: weights::WeightsError| {
            let hint = error.hint().unwrap_or_default();
            format!("[{}] {error}; {hint}", error.code())
        };
        let path = self.place.path().map_err(failed)?;
        let network = Arc::new(Network::load(&path)?);
        *kept = Some(Arc::clone(&network));
        Ok(network)
    }
}

impl Location {
    /// The file, if it is there and what it must be: vectors of another model must not get its id.
    fn path(&self) -> Result<PathBuf, weights::WeightsError> {
        let path = match self {
            Self::Path(path) => path.clone(),
            Self::Sources(sources) => sources.find(&Weights::Entry(&MINILM))?.path,
        };
        let found = hash_file(&path)?;
        if found == MINILM.sha256 {
            return Ok(path);
        }
        Err(weights::WeightsError::WrongHash {
            what: path.display().to_string(),
            expected: MINILM.sha256.to_owned(),
            found,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::Cache;

    #[test]
    fn the_id_is_the_name_and_the_start_of_the_hash() {
        let start = MINILM.sha256.get(..12).unwrap();
        assert_eq!(ID, format!("{}@{start}", MINILM.name));
    }

    #[tokio::test]
    async fn without_weights_the_error_says_how_to_get_them() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache {
            folder: folder.path().to_owned(),
        };
        let embedder = MiniLm::new(Sources::offline(cache));
        let error = embedder.embed(vec!["a".into()]).await.unwrap_err();
        assert_eq!(error.code(), "SS3040");
        let text = error.to_string();
        assert!(
            text.contains("[SS3418] all-minilm-l6-v2-int8 is not on this machine"),
            "{text}"
        );
        assert!(text.contains("pull it first"), "{text}");
        // Nothing to embed needs no model.
        assert_eq!(embedder.embed(vec![]).await.unwrap(), [] as [Vec<f32>; 0]);
    }

    #[tokio::test]
    async fn a_file_that_is_another_model_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.onnx");
        std::fs::write(&path, "another model").unwrap();
        let error = MiniLm::open(path)
            .embed(vec!["a".into()])
            .await
            .unwrap_err();
        assert!(error.to_string().contains("[SS3402]"), "{error}");
    }
}
