//! Reading one file: TOML, every key known, every value with its line.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};

use super::{ConfigFile, MAX_BYTES, Origin, ProviderSettings, Scope, Setting};
use crate::{call::Price, did_you_mean, error::ModelError, money::Money, request::Effort};

const KEYS: [&str; 7] = [
    "model", "models", "offline", "db", "providers", "prices", "agents",
];
const PROVIDER_KEYS: [&str; 9] = [
    "base_url", "model", "key_env", "key_cmd", "key_file", "at_once", "per_minute", "max_tokens",
    "effort",
];
const PRICE_KEYS: [&str; 3] = ["input", "cached", "output"];

/// The file, if it is there.
pub(super) fn read(path: &Path, scope: Scope) -> Result<Option<ConfigFile>, ModelError> {
    let failed =
        |error: std::io::Error| ModelError::settings(format!("{}: {error}", path.display()));
    match std::fs::metadata(path) {
        Ok(about) if about.len() > MAX_BYTES => {
            let shown = path.display();
            return Err(ModelError::settings(format!(
                "{shown}: larger than {MAX_BYTES} bytes"
            )));
        }
        Ok(about) if !about.is_file() => {
            // A pipe would be waited for.
            let why = "it is not a regular file";
            return Err(failed(std::io::Error::other(why)));
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    parse(path, scope, &text).map(Some)
}

pub(super) fn parse(path: &Path, scope: Scope, text: &str) -> Result<ConfigFile, ModelError> {
    let source = SettingsFile { path, scope, text };
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        source.wrong(at, error.message())
    })?;
    let mut file = ConfigFile {
        path: path.to_owned(),
        scope,
        model: None,
        models: Default::default(),
        offline: None,
        db: None,
        providers: Default::default(),
        prices: Default::default(),
        agents: Default::default(),
    };
    for (key, value) in table.get_ref() {
        let at = key.span().start;
        let item = Item {
            source: &source,
            key: key.get_ref(),
            above: String::new(),
            at,
            value: value.get_ref(),
        };
        match &**key.get_ref() {
            "model" => file.model = Some(item.text()?),
            "offline" => file.offline = Some(item.yes_or_no()?),
            "models" => {
                for (node, value) in item.table()? {
                    let below = item.below(node.get_ref(), node.span().start, value.get_ref());
                    file.models
                        .insert(node.get_ref().to_string(), below.text()?);
                }
            }
            name @ ("db" | "providers" | "prices") if scope == Scope::Project => {
                let why = "belongs in the user's file: a project does not say where data and \
                           keys go";
                return Err(source.wrong(at, &format!("`{name}` {why}")));
            }
            "db" => file.db = Some(item.path()?),
            "providers" => {
                for (name, value) in item.table()? {
                    let below = item.below(name.get_ref(), name.span().start, value.get_ref());
                    file.providers
                        .insert(name.get_ref().to_string(), provider(&below)?);
                }
            }
            "prices" => {
                for (name, value) in item.table()? {
                    let below = item.below(name.get_ref(), name.span().start, value.get_ref());
                    if !name.get_ref().contains(':') {
                        let why = format!("`{}` is not `provider:model`", name.get_ref());
                        return Err(source.wrong(name.span().start, &why));
                    }
                    let price = below.setting(price(&below)?);
                    file.prices.insert(name.get_ref().to_string(), price);
                }
            }
            "agents" => {
                for (name, value) in item.table()? {
                    let below = item.below(name.get_ref(), name.span().start, value.get_ref());
                    let settings = file.agents.entry(name.get_ref().to_string()).or_default();
                    leaves(&below, "", settings)?;
                }
            }
            unknown => return Err(source.unknown(at, unknown, &KEYS)),
        }
    }
    Ok(file)
}

/// The values of a table and of those in it, each by its path.
fn leaves(
    table: &Item<'_>,
    above: &str,
    found: &mut BTreeMap<String, Setting<Json>>,
) -> Result<(), ModelError> {
    for (key, value) in table.table()? {
        let below = table.below(key.get_ref(), key.span().start, value.get_ref());
        let path = format!("{above}{}", key.get_ref());
        match value.get_ref() {
            DeValue::Table(_) => leaves(&below, &format!("{path}."), found)?,
            _ => {
                let value = below.plain()?;
                found.insert(path, below.setting(value));
            }
        }
    }
    Ok(())
}

fn provider(item: &Item<'_>) -> Result<ProviderSettings, ModelError> {
    let mut settings = ProviderSettings::default();
    for (key, value) in item.table()? {
        let at = key.span().start;
        let below = item.below(key.get_ref(), at, value.get_ref());
        match &**key.get_ref() {
            "base_url" => settings.base_url = Some(below.text()?),
            "model" => settings.model = Some(below.text()?),
            "key_env" => settings.key_env = Some(below.text()?),
            "key_cmd" => settings.key_cmd = Some(below.text()?),
            "key_file" => settings.key_file = Some(below.path()?),
            "at_once" => settings.at_once = Some(below.count()?),
            "per_minute" => settings.per_minute = Some(below.count()?),
            "max_tokens" => settings.max_tokens = Some(below.count()?),
            "effort" => settings.effort = Some(below.effort()?),
            "key" | "api_key" | "token" => {
                let why = "keys do not belong in this file; name where the key is with `key_env`, \
                           `key_file` or `key_cmd`";
                return Err(item.source.wrong(at, why));
            }
            unknown => return Err(item.source.unknown(at, unknown, &PROVIDER_KEYS)),
        }
    }
    Ok(settings)
}

/// What a model costs, in dollars for a million tokens.
fn price(item: &Item<'_>) -> Result<Price, ModelError> {
    let (mut input, mut cached, mut output) = (None, None, None);
    for (key, value) in item.table()? {
        let at = key.span().start;
        let below = item.below(key.get_ref(), at, value.get_ref());
        match &**key.get_ref() {
            "input" => input = Some(below.money()?),
            "cached" => cached = Some(below.money()?),
            "output" => output = Some(below.money()?),
            unknown => return Err(item.source.unknown(at, unknown, &PRICE_KEYS)),
        }
    }
    match (input, output) {
        (Some(input), Some(output)) => Ok(Price {
            input,
            cached: cached.unwrap_or(input),
            output,
        }),
        _ => Err(item.not("a table with `input` and `output`, in dollars for a million tokens")),
    }
}

struct SettingsFile<'a> {
    path: &'a Path,
    scope: Scope,
    text: &'a str,
}

impl SettingsFile<'_> {
    fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().iter().take(at);
        before.filter(|byte| **byte == b'\n').count() + 1
    }

    fn wrong(&self, at: usize, why: &str) -> ModelError {
        let (path, line) = (self.path.display(), self.line(at));
        ModelError::settings(format!("{path}:{line}: {why}"))
    }

    fn unknown(&self, at: usize, key: &str, known: &[&str]) -> ModelError {
        let hint = did_you_mean::hint(key, known.iter().copied());
        self.wrong(at, &format!("unknown key `{key}`{hint}"))
    }
}

struct Item<'a> {
    source: &'a SettingsFile<'a>,
    key: &'a str,
    /// The tables it is in, each with a dot behind it.
    above: String,
    at: usize,
    value: &'a DeValue<'a>,
}

impl<'a> Item<'a> {
    fn below(&self, key: &'a str, at: usize, value: &'a DeValue<'a>) -> Item<'a> {
        Item {
            source: self.source,
            key,
            above: format!("{}{}.", self.above, self.key),
            at,
            value,
        }
    }

    fn setting<T>(&self, value: T) -> Setting<T> {
        let origin = Origin::File {
            scope: self.source.scope,
            path: self.source.path.to_owned(),
            key: format!("{}{}", self.above, self.key),
            line: self.source.line(self.at),
        };
        Setting { value, origin }
    }

    fn text(&self) -> Result<Setting<String>, ModelError> {
        match self.value.as_str().map(str::trim) {
            Some("") => Err(self
                .source
                .wrong(self.at, &format!("`{}` is empty", self.key))),
            Some(text) => Ok(self.setting(text.to_owned())),
            None => Err(self.not("text")),
        }
    }

    fn path(&self) -> Result<Setting<PathBuf>, ModelError> {
        let text = self.text()?;
        Ok(self.setting(text.path(&text.value)?))
    }

    /// Text, a number, yes or no, or a list of those.
    fn plain(&self) -> Result<Json, ModelError> {
        let plain = match self.value {
            DeValue::String(text) => Some(Json::from(&**text)),
            DeValue::Boolean(value) => Some(Json::from(*value)),
            DeValue::Integer(_) | DeValue::Float(_) => {
                let text = match self.value {
                    DeValue::Integer(number) => number.as_str(),
                    DeValue::Float(number) => number.as_str(),
                    _ => "",
                };
                serde_json::from_str(&text.replace('_', "")).ok()
            }
            DeValue::Array(items) => {
                let items = items.iter().map(|item| {
                    let below = self.below(self.key, item.span().start, item.get_ref());
                    below.plain()
                });
                Some(items.collect::<Result<Vec<_>, _>>()?.into())
            }
            DeValue::Datetime(_) | DeValue::Table(_) => None,
        };
        plain.ok_or_else(|| self.not("text, a number, true or false, or a list of those"))
    }

    fn yes_or_no(&self) -> Result<Setting<bool>, ModelError> {
        let value = self
            .value
            .as_bool()
            .ok_or_else(|| self.not("true or false"))?;
        Ok(self.setting(value))
    }

    /// A whole number from 1.
    fn count(&self) -> Result<Setting<u32>, ModelError> {
        let count = match self.value {
            DeValue::Integer(number) => number.as_str().replace('_', "").parse().ok(),
            _ => None,
        };
        let count = count.filter(|count| *count > 0);
        let count = count.ok_or_else(|| self.not("a whole number from 1"))?;
        Ok(self.setting(count))
    }

    fn effort(&self) -> Result<Setting<Effort>, ModelError> {
        let effort = match self.value.as_str() {
            Some("low") => Effort::Low,
            Some("medium") => Effort::Medium,
            Some("high") => Effort::High,
            _ => return Err(self.not("low, medium or high")),
        };
        Ok(self.setting(effort))
    }

    fn money(&self) -> Result<Money, ModelError> {
        let money = match self.value {
            DeValue::Integer(number) => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        money.ok_or_else(|| self.not("an amount of dollars, such as 2 or 0.25"))
    }

    fn table(&self) -> Result<&'a DeTable<'a>, ModelError> {
        self.value.as_table().ok_or_else(|| self.not("a table"))
    }

    fn not(&self, wanted: &str) -> ModelError {
        let found = self.value.type_str();
        let why = format!("`{}` must be {wanted}, not {found}", self.key);
        self.source.wrong(self.at, &why)
    }
}
