//! `superstep config`: effective settings and their origins; `write` changes the user's file.

mod check;
mod file;
mod write;

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
            push(&mut rows, format!("models.{node}"), setting.clone());
        }
    }
    let offline = match (&environment.offline, config.offline()) {
        (Some(origin), _) => origin.clone(),
        (None, Some(setting)) => setting.origin.clone(),
        (None, None) => Origin::Found("default"),
    };
    let is_offline = !matches!(offline, Origin::Found(_));
    rows.push(SettingRow {
        key: "offline".into(),
        value: is_offline.into(),
        origin: offline,
    });
    let path = database::path(global)?;
    rows.push(SettingRow {
        key: "db".into(),
        value: path.value.display().to_string().into(),
        origin: path.origin,
    });
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
            put_in(
                &mut rows,
                format!("prices.{name}"),
                value,
                setting.origin.clone(),
            );
        }
    }
    let agents = config.files.iter().flat_map(|file| file.agents.keys());
    let mut agents: Vec<&String> = agents.collect();
    agents.sort();
    agents.dedup();
    for name in agents {
        for (key, setting) in config.agent(name) {
            rows.push(SettingRow {
                key: format!("agents.{name}.{key}"),
                value: setting.value.clone(),
                origin: setting.origin.clone(),
            });
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
fn push(rows: &mut Vec<SettingRow>, key: String, setting: Setting<String>) {
    put_in(rows, key, setting.value.into(), setting.origin);
}

fn put_in(rows: &mut Vec<SettingRow>, key: String, value: Json, origin: Origin) {
    rows.retain(|row| row.key != key);
    rows.push(SettingRow { key, value, origin });
}

fn provider(rows: &mut Vec<SettingRow>, name: &str, settings: &ProviderSettings) {
    let text = [
        ("base_url", &settings.base_url),
        ("model", &settings.model),
        ("key_env", &settings.key_env),
        ("key_cmd", &settings.key_cmd),
    ];
    for (key, setting) in text {
        if let Some(setting) = setting {
            push(rows, format!("providers.{name}.{key}"), setting.clone());
        }
    }
    let counts = [
        ("at_once", &settings.at_once),
        ("per_minute", &settings.per_minute),
        ("max_tokens", &settings.max_tokens),
    ];
    for (key, setting) in counts {
        if let Some(setting) = setting {
            let (value, origin) = (setting.value.into(), setting.origin.clone());
            put_in(rows, format!("providers.{name}.{key}"), value, origin);
        }
    }
    if let Some(setting) = &settings.effort {
        let value = serde_json::to_value(setting.value).unwrap_or_default();
        put_in(
            rows,
            format!("providers.{name}.effort"),
            value,
            setting.origin.clone(),
        );
    }
    if let Some(file) = &settings.key_file {
        let setting = Setting {
            value: file.value.display().to_string(),
            origin: file.origin.clone(),
        };
        push(rows, format!("providers.{name}.key_file"), setting);
    }
}
