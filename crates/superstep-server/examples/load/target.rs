//! A server that is measured.

use std::error::Error;

use serde_json::Value as Json;
use superstep::http::{Client, Method, RequestBuilder, Response, Settings, Url};

/// The most bytes of an answer.
const LARGEST: usize = 256 << 20;

/// A server that is measured.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) pid: Option<u32>,
    address: Url,
    client: Client,
}

impl Target {
    pub(crate) fn new(name: &str, address: &str) -> Result<Self, Box<dyn Error + Send + Sync>> {
        Ok(Self {
            name: name.to_owned(),
            pid: None,
            address: Url::parse(address)?,
            client: Client::new(&Settings::default())?,
        })
    }

    pub(crate) fn request(
        &self,
        method: Method,
        path: &str,
    ) -> Result<RequestBuilder, Box<dyn Error + Send + Sync>> {
        let request = self.client.request(method, self.address.join(path)?);
        Ok(request.header("content-type", "application/json"))
    }

    /// An answer whose body is still to come; an error if it says no.
    pub(crate) async fn open(
        &self,
        request: RequestBuilder,
    ) -> Result<Response, Box<dyn Error + Send + Sync>> {
        let response = self.client.send(request).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let body = response.read(LARGEST).await?;
        let why = String::from_utf8_lossy(&body).into_owned();
        Err(format!("{}: {status} {why}", self.name).into())
    }

    pub(crate) async fn post(
        &self,
        path: &str,
        body: &Json,
    ) -> Result<Json, Box<dyn Error + Send + Sync>> {
        let request = self.request(Method::POST, path)?.body(body.to_string());
        let body = self.open(request).await?.read(LARGEST).await?;
        Ok(serde_json::from_slice(&body)?)
    }

    /// The memory of its process in MiB, and of those that it started.
    pub(crate) fn memory(&self) -> String {
        let Some(pid) = self.pid else {
            return "?".to_owned();
        };
        match resident(pid) {
            Some(kibibytes) => format!("{:.0}", kibibytes / 1024.0),
            None => "?".to_owned(),
        }
    }
}

/// What a process and its children have in memory, in KiB, on Linux.
fn resident(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let own: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    let children = format!("/proc/{pid}/task/{pid}/children");
    let children = std::fs::read_to_string(children).unwrap_or_default();
    let children = children.split_whitespace().filter_map(|it| it.parse().ok());
    Some(own + children.filter_map(resident).sum::<f64>())
}
