//! Model lists of providers.

use std::time::Duration;

use serde::Deserialize;
use superstep_http::{Address, Client, header::HeaderMap};

use crate::{
    error::ModelError,
    remote::{
        anthropic,
        fault::Endpoint,
        http::{HttpCall, Site},
        openai,
    },
};

/// How long a local server may take to say that it is there.
pub const PROBE: Duration = Duration::from_millis(200);

/// The most names that are listed.
const MOST: usize = 10_000;

/// A model that can be had.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// How many parameters it has, where that is known.
    pub parameters: Option<u64>,
    /// The family it belongs to, where that is known; it tells embedders from models that chat.
    pub family: Option<String>,
}

/// The models of an OpenAI-compatible interface, within a time.
pub async fn openai(
    client: &Client,
    site: &Site,
    limit: Duration,
) -> Result<Vec<Listed>, ModelError> {
    let host = site.address.host();
    let call = openai::call(site, "models", endpoint("openai", &host, site))?;
    Ok(call.get::<Models>(client, limit).await?.listed())
}

/// The models of Anthropic's interface, within a time: the first page, which has the newest.
pub async fn anthropic(
    client: &Client,
    site: &Site,
    limit: Duration,
) -> Result<Vec<Listed>, ModelError> {
    let host = site.address.host();
    let call = anthropic::call(site, "models", endpoint(anthropic::PROVIDER, &host, site))?;
    Ok(call.get::<Models>(client, limit).await?.listed())
}

/// The models an Ollama server has, with their sizes. With [`PROBE`] as the limit it is quick to
/// find out that there is none.
pub async fn ollama(
    client: &Client,
    address: &Address,
    limit: Duration,
) -> Result<Vec<Listed>, ModelError> {
    let host = address.host();
    let site = Site {
        address: address.clone(),
        key: None,
    };
    let call = HttpCall {
        url: address.at("/api/tags"),
        headers: HeaderMap::new(),
        endpoint: endpoint("ollama", &host, &site),
    };
    let tags: Tags = call.get(client, limit).await?;
    let listed = tags.models.into_iter().take(MOST).map(|tag| {
        let details = tag.details.unwrap_or_default();
        Listed {
            name: tag.name,
            parameters: details.parameter_size.as_deref().and_then(count),
            family: details.family.filter(|family| !family.is_empty()),
        }
    });
    Ok(listed.collect())
}

#[derive(Deserialize)]
struct Models {
    data: Vec<ModelRow>,
}

#[derive(Deserialize)]
struct ModelRow {
    id: String,
}

impl Models {
    fn listed(self) -> Vec<Listed> {
        let listed = self.data.into_iter().take(MOST).map(|row| Listed {
            name: row.id,
            parameters: None,
            family: None,
        });
        listed.collect()
    }
}

#[derive(Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
    #[serde(default)]
    details: Option<Details>,
}

#[derive(Default, Deserialize)]
struct Details {
    #[serde(default)]
    parameter_size: Option<String>,
    #[serde(default)]
    family: Option<String>,
}

fn endpoint<'a>(provider: &'a str, host: &'a str, site: &'a Site) -> Endpoint<'a> {
    Endpoint {
        provider,
        model: "",
        host,
        key: site.key.as_ref(),
    }
}

/// `7.6B` and `137M` as numbers.
fn count(size: &str) -> Option<u64> {
    let size = size.trim();
    let unit = size.chars().next_back()?;
    let scale = match unit.to_ascii_uppercase() {
        'K' => 1e3,
        'M' => 1e6,
        'B' => 1e9,
        'T' => 1e12,
        _ => return None,
    };
    let number: f64 = size.strip_suffix(unit)?.trim().parse().ok()?;
    let all = (number * scale).round();
    // Within this range the cast is exact.
    (0.0..=1e15).contains(&all).then_some(all as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_ollama_writes_them() {
        assert_eq!(count("7.6B"), Some(7_600_000_000));
        assert_eq!(count("137M"), Some(137_000_000));
        for odd in ["", "B", "-1B", "NaNB", "1e99B", "7"] {
            assert_eq!(count(odd), None, "{odd}");
        }
    }
}
