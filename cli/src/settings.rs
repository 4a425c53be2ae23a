//! `superstep config`: effective settings and their origins; `write` changes the user's file.

mod check;
mod file;
mod write;

use serde::Serialize;
use serde_json::{Value as Json, json};
use superstep::{
    model::{
        config::{Config, Origin, ProviderSettings, Setting},
        did_you_mean,
    },
    text::{Redactor, reveal_name},
};

use crate::{
    app::App,
    args::{ConfigCommand, Global},
    database, environment,
    error::Error,
    output::{Form, faint, plain, strong},
    trust,
};

pub(crate) use check::problems;
pub(crate) use write::{put, take};

/// A setting by its name.
struct SettingRow {
    key: String,
    value: Json,
    origin: Origin,
}

pub(crate) fn run(command: &ConfigCommand, app: &App<'_>) -> Result<(), Error> {
    let origin = match command {
        ConfigCommand::Show { origin } => origin,
        ConfigCommand::Path => return write::path(app.output),
        ConfigCommand::Init => return write::init(app.output),
        ConfigCommand::Set { key, value } => return write::set(key, value, app.output),
        ConfigCommand::Edit => return write::edit(app),
        ConfigCommand::Get { key } => return get(key, app),
        ConfigCommand::Unset { key } => return write::unset(key, app.output),
    };
    let rows = rows(app.global)?;
    let project = environment::load(app.global)?.config.project;
    for row in &rows {
        // An address or a command may hold a password; `config get` shows it to who asks for it.
        let value = superstep::Value::from(row.value.clone());
        let value = Redactor::standard().value(&value).to_json();
        if app.output.form == Form::Json {
            app.output.json(&json!({
                "key": row.key, "value": value, "origin": row.origin.to_string(),
            }))?;
            continue;
        }
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let place = match origin {
            true => faint(format!("  {}", row.origin)),
            false => plain(""),
        };
        // A project's names and values may have line ends, to look like settings of others.
        let (key, value) = (reveal_name(&row.key), reveal_name(&value));
        app.output
            .data(&[strong(key), plain(format!(" = {value}")), place])?;
    }
    if app.output.form == Form::Text
        && let Some(user) = environment::user_file().filter(|path| !path.exists())
    {
        app.output.note(&[faint(format!(
            "your file would be {}; `superstep config init` makes it",
            user.display()
        ))]);
    }
    let Some(project) = project else {
        return Ok(());
    };
    let (path, state) = (project.path.display(), trust::state(project.trust));
    if app.output.form == Form::Json {
        return app.output.json(&json!({
            "project": path.to_string(), "state": state,
            "in_force": project.trust.is_in_force(),
        }));
    }
    let text = match project.trust.is_in_force() {
        true => format!("{path}: {state}"),
        false => format!("{path}: {state}, so it is not in force; see `superstep trust`"),
    };
    // Settings that are not in force are missing above, which must not go unnoticed.
    if *origin {
        app.output
            .data(&[strong("project"), plain(" = "), plain(text)])?;
    } else if !project.trust.is_in_force() {
        app.output.say(&[faint(text)]);
    }
    Ok(())
}

/// Prints the effective value of one setting.
fn get(key: &str, app: &App<'_>) -> Result<(), Error> {
    let rows = rows(app.global)?;
    let Some(row) = rows.iter().find(|row| row.key == key) else {
        let near = did_you_mean::hint(key, rows.iter().map(|row| row.key.as_str()));
        return Err(Error::Missing {
            what: format!("`{}` is not set{near}", reveal_name(key)),
            hint: "`superstep config show` lists what is set",
        });
    };
    if app.output.form == Form::Json {
        return app.output.json(&json!({
            "key": row.key, "value": row.value, "origin": row.origin.to_string(),
        }));
    }
    let text = row.value.as_str().map(str::to_owned);
    let text = text.unwrap_or_else(|| row.value.to_string());
    app.output.data(&[plain(reveal_name(&text))])
}

fn rows(global: &Global) -> Result<Vec<SettingRow>, Error> {
    let environment = environment::load(global)?;
    let config = &environment.config;
    let mut rows = Vec::new();
    rows.extend(model(global, config));
    for file in config.files.iter().rev() {
        for (node, setting) in &file.models {
            let (value, origin) = (setting.value.clone(), &setting.origin);
            push(&mut rows, format!("models.{node}"), value, origin);
        }
    }
    let offline = match (&environment.offline, config.offline()) {
        (Some(origin), _) => origin.clone(),
        (None, Some(setting)) => setting.origin.clone(),
        (None, None) => Origin::Found("default"),
    };
    let is_offline = !matches!(offline, Origin::Found(_));
    push(&mut rows, "offline".into(), is_offline, &offline);
    let path = database::path(global)?;
    let place = path.value.display().to_string();
    push(&mut rows, "db".into(), place, &path.origin);
    for file in &config.files {
        for (name, settings) in &file.providers {
            provider(&mut rows, name, settings);
        }
        for (name, setting) in &file.prices {
            let price = setting.value;
            let value = json!({
                "input": price.input.to_string(),
                "cached": price.cached.to_string(),
                "output": price.output.to_string(),
            });
            push(&mut rows, format!("prices.{name}"), value, &setting.origin);
        }
    }
    let agents = config.files.iter().flat_map(|file| file.agents.keys());
    let mut agents: Vec<&String> = agents.collect();
    agents.sort();
    agents.dedup();
    for name in agents {
        for (key, setting) in config.agent(name) {
            let (value, origin) = (setting.value.clone(), &setting.origin);
            push(&mut rows, format!("agents.{name}.{key}"), value, origin);
        }
    }
    Ok(rows)
}

fn model(global: &Global, config: &Config) -> Option<SettingRow> {
    let row = |value: &str, origin| SettingRow {
        key: "model".into(),
        value: value.into(),
        origin,
    };
    if let Some(flag) = &global.model {
        return Some(row(flag, Origin::Flag("--model")));
    }
    if let Ok(set) = std::env::var("SUPERSTEP_MODEL")
        && !set.is_empty()
    {
        return Some(row(&set, Origin::Env("SUPERSTEP_MODEL".into())));
    }
    let mut files = config.files.iter();
    let setting = files.find_map(|file| file.model.as_ref())?;
    Some(row(&setting.value, setting.origin.clone()))
}

/// Adds a setting; of several files the last one that is added counts.
fn push(rows: &mut Vec<SettingRow>, key: String, value: impl Into<Json>, origin: &Origin) {
    rows.retain(|row| row.key != key);
    rows.push(SettingRow {
        key,
        value: value.into(),
        origin: origin.clone(),
    });
}

fn provider(rows: &mut Vec<SettingRow>, name: &str, settings: &ProviderSettings) {
    fn json<T: Serialize>(setting: &Option<Setting<T>>) -> Option<(Json, &Origin)> {
        let setting = setting.as_ref()?;
        let value = serde_json::to_value(&setting.value).unwrap_or_default();
        Some((value, &setting.origin))
    }
    let all = [
        ("base_url", json(&settings.base_url)),
        ("model", json(&settings.model)),
        ("key_env", json(&settings.key_env)),
        ("key_cmd", json(&settings.key_cmd)),
        ("at_once", json(&settings.at_once)),
        ("per_minute", json(&settings.per_minute)),
        ("max_tokens", json(&settings.max_tokens)),
        ("effort", json(&settings.effort)),
        ("key_file", json(&settings.key_file)),
    ];
    for (key, setting) in all {
        if let Some((value, origin)) = setting {
            push(rows, format!("providers.{name}.{key}"), value, origin);
        }
    }
}
