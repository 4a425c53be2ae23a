//! Which events a subscription wants.

use serde::Deserialize;

use crate::refusal::Refusal;

const CHANNELS: &[&str] = &[
    "values", "updates", "messages", "tools", "lifecycle", "input", "checkpoints", "tasks",
    "custom",
];

/// What a client subscribes to.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Filter {
    channels: Vec<String>,
    namespaces: Option<Vec<Vec<String>>>,
    depth: Option<usize>,
    /// The number of the last event that the client has.
    pub(crate) since: Option<u64>,
}

impl Filter {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let is_known = |channel: &&String| {
            CHANNELS.contains(&channel.as_str()) || channel.starts_with("custom:")
        };
        match self.channels.iter().find(|channel| !is_known(channel)) {
            Some(channel) => Err(Refusal::invalid(format!(
                "unknown channel {channel:?}: one of {}",
                CHANNELS.join(", ")
            ))),
            None if self.channels.is_empty() => Err(Refusal::invalid("`channels` is empty")),
            None => Ok(()),
        }
    }

    /// Whether it wants an event of a method.
    pub(crate) fn wants(&self, method: &str, namespace: &[String]) -> bool {
        let channel = match method {
            "input.requested" => "input",
            method => method,
        };
        let is_named = self.channels.iter().any(|wanted| wanted == channel);
        is_named && self.covers(namespace)
    }

    fn covers(&self, namespace: &[String]) -> bool {
        let is_within = |prefix: &[String]| {
            let below = namespace.strip_prefix(prefix);
            below.is_some_and(|below| self.depth.is_none_or(|depth| below.len() <= depth))
        };
        match &self.namespaces {
            Some(prefixes) => prefixes.iter().any(|prefix| is_within(prefix)),
            None => is_within(&[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(json: serde_json::Value) -> Filter {
        serde_json::from_value(json).unwrap_or_default()
    }

    #[test]
    fn a_filter_wants_channels_below_its_namespaces() {
        let child = ["child:1".to_owned()];
        let all = filter(serde_json::json!({ "channels": ["values", "input"] }));
        assert!(all.wants("values", &child) && all.wants("input.requested", &[]));
        assert!(!all.wants("messages", &[]));
        let root =
            filter(serde_json::json!({ "channels": ["values"], "namespaces": [[]], "depth": 0 }));
        assert!(root.wants("values", &[]) && !root.wants("values", &child));
        let below =
            filter(serde_json::json!({ "channels": ["values"], "namespaces": [["child:1"]] }));
        assert!(below.wants("values", &child) && !below.wants("values", &[]));
    }

    #[test]
    fn unknown_channels_are_refused() {
        assert!(
            filter(serde_json::json!({ "channels": ["zzz"] }))
                .check()
                .is_err()
        );
        assert!(filter(serde_json::json!({})).check().is_err());
        assert!(
            filter(serde_json::json!({ "channels": ["custom:a"] }))
                .check()
                .is_ok()
        );
    }
}
