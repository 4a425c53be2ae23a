//! Chat completions, the protocol that OpenAI made and most others understand: OpenAI, Groq,
//! OpenRouter, Ollama, vLLM, llama-server, LM Studio.
//!
//! They differ in details, which [`Dialect`] holds; `body` writes a request, `chunk` reads the
//! answer, `calls` puts tool calls together.

mod body;
mod calls;
mod chunk;
mod dialect;

use superstep_core::future::BoxFuture;
use superstep_http::{
    Client,
    header::{AUTHORIZATION, HeaderMap},
};

pub(crate) use body::{answered, effort, short, unable};
pub use dialect::{BesideTools, Dialect, EffortField, LimitField, Sampling};

#[cfg(test)]
pub(crate) use chunk::Chunks;

use crate::{
    delta::Deltas,
    error::ModelError,
    model::{Caps, Model},
    model_id::ModelId,
    remote::{
        fault::Endpoint,
        http::{self, HttpCall, Site},
        stream::{Decoder, Reader},
    },
    request::Request,
};

/// A model behind a chat completions interface.
#[derive(Clone, Debug)]
pub struct OpenAi {
    client: Client,
    site: Site,
    id: ModelId,
    dialect: Dialect,
}

impl OpenAi {
    /// A model, spoken to in the dialect that its address suggests.
    pub fn new(client: Client, site: Site, model: impl Into<String>) -> Self {
        let model = model.into();
        let dialect = Dialect::of(&site.address, &model);
        Self::with_dialect(client, site, model, dialect)
    }

    /// A model, spoken to in this dialect.
    pub fn with_dialect(
        client: Client,
        site: Site,
        model: impl Into<String>,
        dialect: Dialect,
    ) -> Self {
        Self {
            client,
            site,
            id: ModelId::new(dialect.provider.clone(), model),
            dialect,
        }
    }

    /// How it is spoken to.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }
}

impl Model for OpenAi {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn caps(&self) -> Caps {
        Caps {
            tools: self.dialect.tools,
            structured: self.dialect.structured,
            images: self.dialect.images,
            context: self.dialect.context,
            local: self.site.address.is_local(),
            small: false,
        }
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        Box::pin(async move {
            let (body, forced) = body::write(&self.id, &self.dialect, request)?;
            let reader = Reader::new(&self.id, &self.site);
            let call = call(&self.site, "chat/completions", reader.endpoint())?;
            let decoder = Decoder::new(chunk::Chunks::default(), reader.clone(), forced);
            decoder.read(&call, &self.client, &body).await
        })
    }
}

/// A call below the site's address, with its key as a bearer token.
pub(crate) fn call<'a>(
    site: &Site,
    path: &str,
    endpoint: Endpoint<'a>,
) -> Result<HttpCall<'a>, ModelError> {
    let mut headers = HeaderMap::new();
    http::key_header(&mut headers, AUTHORIZATION, "Bearer ", site.key.as_ref())?;
    Ok(HttpCall {
        url: site.address.below("v1", path),
        headers,
        endpoint,
    })
}
