//! Which hosts there are: the ones of the settings, and those that the first of them names.
//!
//! A host that was found is used only if it is in an allowed domain and says that it is healthy: keys and
//! tokens go nowhere else. A host that failed comes last for a minute. A call that a person approves goes
//! to one host, which is known before and is part of what is approved.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use serde_json::Value as Json;
use superstep::http::{Address, Client};
use tokio::{sync::OnceCell, time::Instant};

use crate::{error::Error, settings::ClientSettings};
use superstep::sync::lock;

/// How long a host that failed comes last.
const REST: Duration = Duration::from_secs(60);

/// How long looking for hosts may take, for each request.
const LOOK: Duration = Duration::from_secs(3);

/// The most hosts that are taken over from a list, and the most bytes of the list.
const MOST: usize = 8;
const MAX_LIST: usize = 256 << 10;

#[derive(Debug)]
pub(super) struct Hosts {
    written: Vec<Address>,
    found: OnceCell<Vec<Address>>,
    failed: Mutex<BTreeMap<String, Instant>>,
}

impl Hosts {
    pub(super) fn new(settings: &ClientSettings) -> Result<Self, Error> {
        let read = |text: &String| {
            Address::new(text).map_err(|error| Error::Settings {
                why: format!("the host: {error}"),
            })
        };
        let written: Vec<Address> = settings.hosts.iter().map(read).collect::<Result<_, _>>()?;
        if written.is_empty() {
            let why = "there is no host to ask".to_owned();
            return Err(Error::Settings { why });
        }
        Ok(Self {
            written,
            found: OnceCell::new(),
            failed: Mutex::default(),
        })
    }

    /// All hosts in the order they are tried: the one that answered before, those of the settings,
    /// those that were found; the ones that failed of late come last.
    pub(super) async fn in_order(
        &self,
        http: &Client,
        settings: &ClientSettings,
        sticky: Option<&str>,
    ) -> Vec<Address> {
        let found = match settings.discover {
            true => self
                .found
                .get_or_init(|| self.look(http, settings))
                .await
                .clone(),
            false => Vec::new(),
        };
        let mut all: Vec<Address> = Vec::new();
        let known = self.written.iter().chain(&found);
        let before = known
            .clone()
            .find(|host| Some(host.to_string().as_str()) == sticky);
        for host in before.into_iter().chain(known) {
            if !all.contains(host) {
                all.push(host.clone());
            }
        }
        let failed = self.lock();
        let rests = |host: &Address| {
            let since = failed.get(&host.to_string());
            since.is_some_and(|since| since.elapsed() < REST)
        };
        all.sort_by_key(rests);
        all
    }

    /// The one host that gets a call which a person approves: the one that answered before if it may be
    /// asked, else the first of the settings.
    pub(super) fn one(&self, settings: &ClientSettings, sticky: Option<&str>) -> Option<Address> {
        let before = sticky.and_then(|text| Address::new(text).ok());
        let before = before.filter(|host| self.has(host, settings));
        before.or_else(|| self.written.first().cloned())
    }

    /// Whether a host is one of the settings, or may be found by them: only hosts of an allowed domain name
    /// others of it.
    pub(super) fn has(&self, host: &Address, settings: &ClientSettings) -> bool {
        let finds = |written: &Address| is_inside(written, settings);
        let is_found = Self::may_be_asked(host, settings) && self.written.iter().any(finds);
        self.written.contains(host) || is_found
    }

    /// The hosts of the settings.
    pub(super) fn written(&self) -> &[Address] {
        &self.written
    }

    pub(super) fn failed(&self, host: &Address) {
        self.lock().insert(host.to_string(), Instant::now());
    }

    pub(super) fn answered(&self, host: &Address) {
        self.lock().remove(&host.to_string());
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Instant>> {
        lock(&self.failed)
    }

    /// Asks the first host that answers for the others. Whatever goes wrong here, there are still the
    /// hosts of the settings.
    async fn look(&self, http: &Client, settings: &ClientSettings) -> Vec<Address> {
        for host in &self.written {
            if settings.offline && !host.is_local() {
                continue;
            }
            let Some(list) = get(http, host, "/").await else {
                continue;
            };
            let items = list.get("data").and_then(Json::as_array);
            let items = items.map(Vec::as_slice).unwrap_or_default();
            let mut found: Vec<Address> = Vec::new();
            for text in items.iter().filter_map(Json::as_str).take(MOST * 4) {
                let Ok(other) = Address::new(text) else {
                    continue;
                };
                let is_new = !self.written.contains(&other) && !found.contains(&other);
                if is_new && Self::may_be_asked(&other, settings) && found.len() < MOST {
                    found.push(other);
                }
            }
            let mut healthy = Vec::new();
            for other in found {
                if get(http, &other, "/health_check").await.is_some() {
                    healthy.push(other);
                }
            }
            return healthy;
        }
        Vec::new()
    }

    /// Whether a host that nobody wrote down may be asked: it is in an allowed domain.
    fn may_be_asked(host: &Address, settings: &ClientSettings) -> bool {
        let is_allowed = !settings.offline || host.is_local();
        is_allowed && host.path().is_empty() && is_inside(host, settings)
    }
}

/// Whether a host is in an allowed domain.
fn is_inside(host: &Address, settings: &ClientSettings) -> bool {
    let name = host.host();
    let name = name.split(':').next().unwrap_or_default();
    settings.domains.iter().any(|domain| {
        let before = name.strip_suffix(domain.as_str());
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// A small JSON reply with status 200, or nothing.
async fn get(http: &Client, host: &Address, path: &str) -> Option<Json> {
    let request = http.get(host.at(path)).timeout(LOOK);
    let response = http.send(request).await.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let body = response.read(MAX_LIST).await.ok()?;
    serde_json::from_slice(&body).ok()
}
