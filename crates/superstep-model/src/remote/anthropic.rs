//! Anthropic's Messages API.
//!
//! What a model takes differs from one to the next, which [`Profile`] holds; `body` writes a
//! request, `event` reads the answer.

mod body;
mod event;
mod profile;

use superstep_core::future::BoxFuture;
use superstep_http::{
    Client, Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};

pub use profile::{Profile, Thinking};

#[cfg(test)]
pub(crate) use event::Events;

use crate::{
    delta::Deltas,
    error::ModelError,
    model::{Caps, Model},
    model_id::ModelId,
    remote::{
        fault::Endpoint,
        http::{self, HttpCall, Site},
        openai::Sampling,
        stream::{Decoder, Reader},
    },
    request::Request,
};

/// The version of the protocol.
pub const VERSION: &str = "2023-06-01";

/// The name that models of this provider have in ids.
pub const PROVIDER: &str = "anthropic";

/// A model behind the Messages API.
#[derive(Clone, Debug)]
pub struct Anthropic {
    client: Client,
    site: Site,
    id: ModelId,
    profile: Profile,
}

impl Anthropic {
    /// A model, taken for what its name suggests.
    pub fn new(client: Client, site: Site, model: impl Into<String>) -> Self {
        let model = model.into();
        let profile = Profile::of(&model);
        Self::with_profile(client, site, model, profile)
    }

    /// A model, taken for what the profile says.
    pub fn with_profile(
        client: Client,
        site: Site,
        model: impl Into<String>,
        profile: Profile,
    ) -> Self {
        Self {
            client,
            site,
            id: ModelId::new(PROVIDER, model),
            profile,
        }
    }

    /// What the model is taken for.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }
}

impl Model for Anthropic {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn caps(&self) -> Caps {
        Caps {
            tools: true,
            structured: self.profile.structured,
            images: self.profile.images,
            context: self.profile.context,
            local: self.site.address.is_local(),
            small: false,
        }
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        Box::pin(async move {
            let (body, forced) = body::write(&self.id, &self.profile, request)?;
            let reader = Reader::new(&self.id, &self.site);
            let call = call(&self.site, "messages", reader.endpoint())?;
            let decoder = Decoder::new(event::Events::default(), reader.clone(), forced);
            decoder.read(&call, &self.client, &body).await
        })
    }
}

/// A call below the site's address, with its key and the protocol's version.
pub(crate) fn call<'a>(
    site: &Site,
    path: &str,
    endpoint: Endpoint<'a>,
) -> Result<HttpCall<'a>, ModelError> {
    let mut headers = HeaderMap::new();
    let name = HeaderName::from_static("x-api-key");
    http::key_header(&mut headers, name, "", site.key.as_ref())?;
    headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
    Ok(HttpCall {
        url: below(site, path),
        headers,
        endpoint,
    })
}

/// Addresses of this provider are given without the version, by custom; with it they work too.
fn below(site: &Site, path: &str) -> Url {
    let base = site.address.path();
    let base = base.strip_suffix("/v1").unwrap_or(base);
    site.address.at(&format!("{base}/v1/{path}"))
}
