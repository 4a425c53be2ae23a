//! Settings of Atris in settings files: the table `[agents.atris]`. Keys and tokens are in environment variables.

use superstep::{Secret, model::config::Config};
use superstep_agent::{UsageError, settings_of};

use super::Settings;

/// The keys.
const KEYS: [&str; 4] = ["app_name", "hosts", "key_env", "token_env"];

/// The variables of the key and the token, unless the settings name others.
const KEY: &str = "AUDIUS_API_KEY";
const SIGNED_IN: &str = "AUDIUS_TOKEN";

/// Settings from files and the environment.
#[derive(Clone, Debug, Default)]
pub struct AtrisTable {
    /// The settings.
    pub settings: Settings,
    /// A line for each variable that is named and not set. That is no error, because most questions need no key.
    pub unset: Vec<String>,
}

impl AtrisTable {
    /// Settings of `[agents.atris]`. A project may not choose where keys go.
    pub fn read(config: &Config) -> Result<Self, UsageError> {
        let mut table = Self::default();
        let client = &mut table.settings.client;
        client.api_key = variable(KEY);
        client.token = variable(SIGNED_IN);
        for it in settings_of(config, "atris") {
            let key = it.key();
            if key != "app_name" {
                it.users_only()?;
            }
            let mut secret = |name: &str| {
                let value = variable(name);
                if value.is_none() {
                    let origin = it.origin();
                    let line = format!("{origin}: {name} is not set, so there is no `{key}`");
                    table.unset.push(line);
                }
                value
            };
            match key {
                "app_name" => it.text()?.clone_into(&mut client.app_name),
                "key_env" => client.api_key = secret(it.text()?),
                "token_env" => client.token = secret(it.text()?),
                "hosts" => client.hosts = it.texts("a list of addresses")?,
                _ => return Err(it.unknown(&KEYS)),
            }
        }
        Ok(table)
    }
}

fn variable(name: &str) -> Option<Secret> {
    let value = std::env::var(name).ok().filter(|value| !value.is_empty());
    value.map(Secret::from)
}
