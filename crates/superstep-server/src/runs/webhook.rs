//! Webhooks: where the server may call, and the call itself.
//!
//! Whoever can start a run names the address, so by default only this machine is called; other hosts
//! are called if the server's settings name them.

use std::{collections::HashSet, time::Duration};

use serde_json::Value as Json;
use superstep::http::{Backoff, Client, Settings, Url, host, is_loopback};

use crate::refusal::Refusal;

/// How long one call may take.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// How often a call is tried.
const TRIES: u32 = 5;

/// The most of an answer that is read. Nobody looks at it.
const ANSWER: usize = 64 * 1024;

/// Refuses an address that the server may not call.
pub(super) fn check(address: &str, hosts: &HashSet<String>) -> Result<(), Refusal> {
    let url = Url::parse(address)
        .map_err(|error| Refusal::invalid(format!("`webhook` is not an address: {error}")))?;
    let is_web = matches!(url.scheme(), "http" | "https");
    if is_web && (is_loopback(&url) || hosts.contains(&host(&url))) {
        return Ok(());
    }
    Err(Refusal::invalid(format!(
        "`webhook`: the server may not call {}; its settings say which hosts it may",
        host(&url)
    )))
}

/// Calls a webhook until it answers; says whether it did.
pub(super) async fn call(address: &str, body: &Json) -> bool {
    let settings = Settings::default();
    let (Ok(client), Ok(url)) = (Client::new(&settings), Url::parse(address)) else {
        return false;
    };
    let backoff = Backoff::default();
    for tried in 1..=TRIES {
        let request = client
            .post(url.clone())
            .header("content-type", "application/json")
            .body(body.to_string());
        let sending = async {
            let response = client.send(request).await.ok()?;
            let is_done = response.status().is_success();
            let _unread = response.read(ANSWER).await;
            is_done.then_some(())
        };
        if let Ok(Some(())) = tokio::time::timeout(TIME_LIMIT, sending).await {
            return true;
        }
        if tried < TRIES {
            tokio::time::sleep(backoff.delay(tried)).await;
        }
    }
    false
}
