//! Embeddings from an OpenAI-compatible `/v1/embeddings`.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use superstep_http::Client;
use superstep_store::{BoxFuture, Embedder, StoreError};

use crate::{
    error::{ErrorKind, ModelError},
    remote::{fault::Endpoint, http::Site, openai},
};

/// How many texts go into one request.
const BATCH: usize = 128;

/// How long a request may take: no other layer is around an embedder.
const LIMIT: Duration = Duration::from_secs(60);

/// An embedding model behind an OpenAI-compatible interface. One attempt a request.
#[derive(Clone, Debug)]
pub struct Embeddings {
    client: Client,
    site: Site,
    model: String,
    dimensions: Dimensions,
    host: String,
    id: String,
}

/// How long the vectors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimensions {
    /// As long as the model makes them.
    Native(usize),
    /// Shortened by the provider to this length, which few models can.
    Shortened(usize),
}

impl Embeddings {
    /// An embedding model. Its id names host, model and dimensions: vectors of another host's
    /// model of the same name do not mix with its own.
    pub fn new(
        client: Client,
        site: Site,
        model: impl Into<String>,
        dimensions: Dimensions,
    ) -> Self {
        let model = model.into();
        let host = site.address.host();
        let id = format!("{host}/{model}/{}", dimensions.count());
        Self {
            client,
            site,
            model,
            dimensions,
            host,
            id,
        }
    }

    /// How long the vectors of the model are.
    pub(crate) async fn native_length(&self) -> Result<usize, ModelError> {
        let sample = self.batch(&["how long is a vector?".to_owned()]).await?;
        Ok(sample.first().map_or(0, Vec::len))
    }

    async fn batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut body = Map::new();
        body.insert("model".into(), json!(self.model));
        body.insert("input".into(), json!(texts));
        body.insert("encoding_format".into(), json!("float"));
        if let Dimensions::Shortened(count) = self.dimensions {
            body.insert("dimensions".into(), json!(count));
        }
        let endpoint = Endpoint {
            provider: &self.host,
            model: &self.model,
            host: &self.host,
            key: self.site.key.as_ref(),
        };
        let call = openai::call(&self.site, "embeddings", endpoint)?;
        let body = Json::Object(body);
        let response = call.post_within(&self.client, &body, LIMIT).await?;
        let answer: Answer = call.read_json(response, LIMIT).await?;
        in_order(answer, texts.len())
    }
}

impl Dimensions {
    fn count(self) -> usize {
        match self {
            Self::Native(count) | Self::Shortened(count) => count,
        }
    }
}

impl Embedder for Embeddings {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, StoreError>> {
        Box::pin(async move {
            let mut rows = Vec::with_capacity(texts.len());
            for batch in texts.chunks(BATCH) {
                let vectors = self.batch(batch).await;
                rows.extend(vectors.map_err(|error| StoreError::Embedding {
                    model: self.id.clone(),
                    reason: error.to_string(),
                })?);
            }
            Ok(rows)
        })
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions.count()
    }
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// The rows as the texts were sent. The order of the answer is not promised, its numbers are.
fn in_order(answer: Answer, count: usize) -> Result<Vec<Vec<f32>>, ModelError> {
    let mut rows: Vec<Option<Vec<f32>>> = vec![None; count];
    for (at, row) in answer.data.into_iter().enumerate() {
        let Some(place) = rows.get_mut(row.index.unwrap_or(at)) else {
            return Err(malformed("a vector for a text that was not sent"));
        };
        if place.replace(row.embedding).is_some() {
            return Err(malformed("two vectors for one text"));
        }
    }
    let all: Option<Vec<Vec<f32>>> = rows.into_iter().collect();
    all.ok_or_else(|| malformed("fewer vectors than texts"))
}

fn malformed(what: &str) -> ModelError {
    ErrorKind::Malformed { what: what.into() }.into()
}
