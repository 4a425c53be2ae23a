//! `superstep model list`: providers and what each requires, or the models of one.

use serde_json::json;
use superstep::model::{
    did_you_mean,
    select::{DataOwner, Environment, Offered, Probe},
    spec::{KNOWN, Known},
};

use crate::{
    app::App,
    args::Global,
    environment,
    error::Error,
    output::{Form, count, faint, good, plain, strong},
    weights,
};

/// A row of the list.
pub(crate) struct ModelRow {
    pub(crate) name: String,
    pub(crate) is_ready: bool,
    pub(crate) state: String,
    pub(crate) about: String,
}

/// Providers and what each requires, the server of this machine, and weights. `ollama` is what that server said.
pub(crate) fn rows(environment: &Environment, ollama: &Probe) -> Vec<ModelRow> {
    let mut rows = Vec::new();
    for known in KNOWN.iter().filter(|known| known.key_env.is_some()) {
        let settings = environment.config.provider(known.name);
        let is_named = settings
            .is_some_and(|settings| settings.key_cmd.is_some() || settings.key_file.is_some());
        let env = settings.and_then(|settings| settings.key_env.as_ref());
        let env = env.map_or(known.key_env.unwrap_or_default(), |name| &name.value);
        let has_key = is_named || environment.keys.contains(env);
        let is_offline = environment.offline.is_some();
        let state = match (is_offline, has_key) {
            (true, _) => "offline".into(),
            (false, true) => "ready".into(),
            (false, false) => format!("needs ${env}"),
        };
        rows.push(ModelRow {
            name: known.name.into(),
            is_ready: has_key && !is_offline,
            state,
            about: settings
                .and_then(|settings| settings.model.as_ref())
                .map_or(known.model.unwrap_or_default(), |model| &model.value)
                .into(),
        });
    }
    let address = environment.vars.get("SUPERSTEP_OLLAMA").cloned();
    rows.push(of_ollama(ollama, address));
    for (key, about) in weights::catalogue() {
        let is_there = environment.weights.contains_key(key);
        let state = if is_there {
            "in the cache"
        } else {
            "not fetched"
        };
        rows.push(ModelRow {
            name: format!("local:{key}"),
            is_ready: is_there,
            state: state.into(),
            about,
        });
    }
    rows
}

pub(super) async fn all(app: &App<'_>) -> Result<(), Error> {
    let mut environment = environment::load(app.global)?;
    // A setting that cannot be used must not hide what can be.
    let used = environment.find(None, app.global.probe).await.ok();
    let used = used.and_then(|it| Some(it.choice().ok()?.spec.clone()));
    let ollama = match &environment.ollama {
        Probe::NotAsked => environment.ask_ollama().await,
        probe => probe.clone(),
    };
    let mut rows = rows(&environment, &ollama);
    for (name, about) in [
        ("script:FILE", "scripted replies of a file"),
        ("cassette:FILE", "replays or records"),
    ] {
        rows.push(ModelRow {
            name: name.into(),
            is_ready: true,
            state: "ready".into(),
            about: about.into(),
        });
    }
    for row in rows {
        let is_used = used
            .as_ref()
            .is_some_and(|used| *used.provider == row.name || used.to_string() == row.name);
        if app.output.form == Form::Json {
            app.output
                .json(&json!({"name": row.name, "ready": row.is_ready,
                "state": row.state, "about": row.about, "used": is_used}))?;
            continue;
        }
        let state = format!("{:<26}", row.state);
        let state = if row.is_ready {
            good(state)
        } else {
            faint(state)
        };
        let mark = if is_used { "* " } else { "  " };
        let name = format!("{mark}{:<14}", row.name);
        app.output.data(&[strong(name), state, plain(row.about)])?;
    }
    if app.output.form == Form::Text {
        app.output.note(&[faint(match used {
            Some(_) => "* is used; superstep model use MODEL changes it",
            None => "choose one: superstep setup",
        })]);
    }
    Ok(())
}

pub(super) async fn of(name: &str, app: &App<'_>) -> Result<(), Error> {
    if name == "local" {
        for (key, about) in weights::catalogue() {
            let is_there = environment::load(app.global)?.weights.contains_key(key);
            let state = match is_there {
                true => "in the cache",
                false => "not downloaded",
            };
            if app.output.form == Form::Json {
                app.output.json(
                    &json!({"model": format!("local:{key}"), "state": state, "about": about}),
                )?;
                continue;
            }
            let name = format!("{:<14} ", format!("local:{key}"));
            app.output
                .data(&[strong(name), plain(format!("{state:<16}")), faint(about)])?;
        }
        return Ok(());
    }
    if Known::named(name).is_none() {
        let hint = did_you_mean::hint(name, KNOWN.iter().map(|known| known.name));
        return Err(Error::Usage(format!(
            "no provider `{name}` can be asked{hint}; `superstep model list` lists all"
        )));
    }
    let named = Global {
        model: Some(name.to_owned()),
        ..app.global.clone()
    };
    let resolution = environment::choose(&named, None, &DataOwner::Project).await?;
    let offered = models(resolution.choice()?).await?;
    for model in offered {
        let spec = format!("{name}:{}", model.name);
        if app.output.form == Form::Json {
            app.output
                .json(&json!({"model": spec, "parameters": model.parameters,
                "family": model.family}))?;
        } else {
            app.output.data(&[plain(spec), faint(size(&model))])?;
        }
    }
    Ok(())
}

#[cfg(feature = "remote")]
async fn models(choice: &superstep::model::select::Choice) -> Result<Vec<Offered>, Error> {
    Ok(choice.models().await?)
}

#[cfg(not(feature = "remote"))]
async fn models(_: &superstep::model::select::Choice) -> Result<Vec<Offered>, Error> {
    Ok(Vec::new())
}

fn of_ollama(probe: &Probe, address: Option<String>) -> ModelRow {
    let (is_ready, state) = match probe {
        Probe::Has(offered) => (!offered.is_empty(), count(offered.len(), "model")),
        Probe::Silent(why) => (false, why.clone()),
        Probe::NotAsked => (false, "not asked".into()),
    };
    ModelRow {
        name: "ollama".into(),
        is_ready,
        state,
        about: address
            .filter(|address| !address.is_empty())
            .unwrap_or_else(|| "http://127.0.0.1:11434".into()),
    }
}

fn size(model: &Offered) -> String {
    match model.parameters {
        Some(count) if count >= 1_000_000_000 => {
            format!("  {}.{}B", count / 1_000_000_000, count / 100_000_000 % 10)
        }
        Some(count) => format!("  {}M", count / 1_000_000),
        None => String::new(),
    }
}
