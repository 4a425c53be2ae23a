//! `superstep login`: stores the key of a model provider in a file for its owner alone, and names that file in the
//! settings. The key is read without being shown, is checked with the provider, and is never printed.

use std::{
    fs,
    io::{self, BufRead},
    path::{Path, PathBuf},
};

use serde_json::json;
use superstep::model::{did_you_mean, select::DataOwner, spec::KNOWN};

use crate::{
    app::App,
    args::{Global, LoginArgs},
    dirs, environment,
    error::{Error, FileError},
    output::{Form, faint, plain, strong},
    private, settings,
    terminal::{Line, Topic},
};

/// The longest key.
const LONGEST: usize = 4_096;

/// What a provider says of a key.
pub(crate) enum Checked {
    /// It takes the key, and has so many models.
    Taken(usize),
    /// It was not asked, or could not be: why, if it was to be.
    Unknown(Option<String>),
}

pub(crate) async fn run(what: &LoginArgs, app: &mut App<'_>) -> Result<(), Error> {
    let provider = match &what.provider {
        Some(name) => known(name)?,
        None => choose(app).await?,
    };
    if what.remove {
        return removed(provider, app);
    }
    let (file, models) = ask(provider, !what.no_check, app).await?;
    if app.output.form == Form::Json {
        return app.output.json(&json!({
            "provider": provider, "key_file": file.display().to_string(),
            "checked": models.is_some(), "models": models,
        }));
    }
    let used = environment::choose(app.global, None, &DataOwner::Project).await;
    let used = used
        .ok()
        .and_then(|it| Some(it.choice().ok()?.spec.clone()));
    app.output.note(&[faint(match used {
        Some(used) if used.provider == provider => format!("every command uses {used} from now on"),
        _ => format!("use it: superstep model use {provider}"),
    })]);
    Ok(())
}

/// The provider that a person chooses.
pub(crate) async fn choose(app: &mut App<'_>) -> Result<&'static str, Error> {
    let names = names();
    if !app.terminal.is_interactive() {
        let names = names.join(", ");
        return Err(Error::Usage(format!("name the provider: {names}")));
    }
    let first = names.first().copied().unwrap_or_default();
    app.output.say(&[faint(names.join(", "))]);
    loop {
        let prompt = format!("Provider [{first}]> ");
        let read = app.terminal.read_line(Topic::Detail, &prompt, app.output);
        let Line::Text(words) = read.await? else {
            return Err(Error::Cancelled);
        };
        match known(
            Some(words.trim())
                .filter(|it| !it.is_empty())
                .unwrap_or(first),
        ) {
            Ok(provider) => return Ok(provider),
            Err(error) => app.output.error(&error),
        }
    }
}

/// Asks for the key of a provider and stores it. How many models the provider has for it; nothing if it was not asked.
pub(crate) async fn ask(
    provider: &'static str,
    is_checked: bool,
    app: &mut App<'_>,
) -> Result<(PathBuf, Option<usize>), Error> {
    free_of_others(provider, app.global)?;
    let key = read(provider, app).await?;
    let stored = tokio::select! {
        stored = store(provider, &key, is_checked, app.global) => stored?,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    let (file, checked) = stored;
    if let Checked::Unknown(Some(why)) = &checked {
        app.output
            .note(&[faint(format!("the key could not be checked: {why}"))]);
    }
    let models = match checked {
        Checked::Taken(models) => Some(models),
        Checked::Unknown(_) => None,
    };
    if app.output.form == Form::Text {
        app.output.note(&[
            plain("the key is in "),
            strong(file.display()),
            plain(match models {
                Some(models) => format!("; {provider} takes it, and has {models} models"),
                None => "; it was not checked".to_owned(),
            }),
        ]);
    }
    Ok((file, models))
}

/// Stores a key in a file for its owner alone, and names that file in the settings. A key that the provider refuses is not
/// stored, and the one before stays.
pub(crate) async fn store(
    provider: &str,
    key: &str,
    is_checked: bool,
    global: &Global,
) -> Result<(PathBuf, Checked), Error> {
    let provider = known(provider)?;
    free_of_others(provider, global)?;
    check(key)?;
    let file = key_file(provider)?;
    let fresh = Fresh(file.with_extension("new"));
    let line = format!("{}\n", key.trim());
    private::replace(&fresh.0, line.as_bytes())
        .map_err(|error| FileError::not_written(&fresh.0, error))?;
    let checked = match is_checked {
        true => checked(provider, &fresh.0, global).await?,
        false => Checked::Unknown(None),
    };
    fs::rename(&fresh.0, &file).map_err(|error| FileError::not_written(&file, error))?;
    settings::put(
        &format!("providers.{provider}.key_file"),
        &format!("keys/{provider}"),
    )?;
    Ok((file, checked))
}

/// Removes the stored key of a provider; says whether there was one.
pub(crate) fn remove(provider: &str) -> Result<bool, Error> {
    let provider = known(provider)?;
    let file = key_file(provider)?;
    let had = match fs::remove_file(&file) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(FileError::not_written(&file, error).into()),
    };
    settings::take(&format!("providers.{provider}.key_file"))?;
    Ok(had)
}

/// The file of a provider's key.
fn key_file(provider: &str) -> Result<PathBuf, Error> {
    let none = "there is no home folder, so there is no place for a key";
    let folder = dirs::config().ok_or_else(|| Error::Usage(none.into()))?;
    Ok(folder.join("keys").join(provider))
}

/// A key that is not known to be good yet; gone when this is dropped.
struct Fresh(PathBuf);

impl Drop for Fresh {
    fn drop(&mut self) {
        let _gone = fs::remove_file(&self.0);
    }
}

/// The providers that have keys.
fn names() -> Vec<&'static str> {
    let with_keys = KNOWN.iter().filter(|known| known.key_env.is_some());
    with_keys.map(|known| known.name).collect()
}

/// The name of a provider that has a key.
fn known(name: &str) -> Result<&'static str, Error> {
    let names = names();
    let found = names.iter().find(|known| **known == name);
    found.copied().ok_or_else(|| {
        let near = did_you_mean::hint(name, names.iter().copied());
        Error::Usage(format!(
            "no provider `{name}` has a key{near}; there are {}",
            names.join(", ")
        ))
    })
}

/// Refuses a provider whose key the settings take from elsewhere, which would count more than the file.
fn free_of_others(provider: &str, global: &Global) -> Result<(), Error> {
    let config = environment::load(global)?.config;
    let Some(set) = config.provider(provider) else {
        return Ok(());
    };
    let others = [("key_env", &set.key_env), ("key_cmd", &set.key_cmd)];
    let other = others
        .iter()
        .find_map(|(name, it)| Some((name, it.as_ref()?)));
    match other {
        None => Ok(()),
        Some((name, setting)) => Err(Error::Usage(format!(
            "{}: `{name}` says where the key of {provider} is; remove it first (superstep config edit)",
            setting.origin
        ))),
    }
}

/// The key: typed without being shown, or piped in.
async fn read(provider: &str, app: &mut App<'_>) -> Result<String, Error> {
    if !app.terminal.is_interactive() {
        let piped = app.terminal.piped_text().await?;
        return piped.ok_or_else(|| {
            Error::Usage(
                "nobody can be asked here: pipe the key in, or run this at a terminal".into(),
            )
        });
    }
    // Before anything is asked: who types fast must not be shown either.
    let silent = app.terminal.unechoed();
    app.output
        .ask(&[strong(format!("Key of {provider} (it is not shown): "))]);
    let typed = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map(|_| line)
    });
    let typed = tokio::select! {
        typed = typed => typed.map_err(io::Error::other)?,
        () = app.terminal.ctrl_c() => Err(io::ErrorKind::Interrupted.into()),
    };
    drop(silent);
    app.output.say(&[plain("")]);
    match typed {
        Ok(line) => Ok(line),
        Err(_) => Err(Error::Cancelled),
    }
}

/// Refuses what is no key, such as two lines of a file. What it was is not repeated.
fn check(key: &str) -> Result<(), Error> {
    let key = key.trim();
    let is_odd = |c: char| !c.is_ascii_graphic();
    let why = match key {
        "" => "it is empty",
        key if key.len() > LONGEST => "it is too long",
        key if key.contains(is_odd) => "it has blanks, line ends or letters that no key has",
        _ => return Ok(()),
    };
    Err(Error::Usage(format!("this is no key: {why}")))
}

/// Asks the provider for its models with the key. A key that it refuses is an error.
#[cfg(feature = "remote")]
async fn checked(provider: &str, file: &Path, global: &Global) -> Result<Checked, Error> {
    use superstep::model::{ErrorKind, config::Origin, select::Key};

    let global = Global {
        model: Some(provider.to_owned()),
        ..global.clone()
    };
    let choice = environment::choose(&global, None, &DataOwner::Project).await;
    let mut choice = match choice.and_then(|it| Ok(it.choice()?.clone())) {
        Ok(choice) => choice,
        // Offline.
        Err(Error::Model(error)) if matches!(error.kind(), ErrorKind::Offline { .. }) => {
            return Ok(Checked::Unknown(None));
        }
        Err(error) => return Err(error),
    };
    choice.key = Key::File {
        path: file.into(),
        origin: Origin::Flag("login"),
    };
    match choice.models().await {
        Ok(models) => Ok(Checked::Taken(models.len())),
        Err(error) if matches!(error.kind(), ErrorKind::Auth { .. }) => Err(error.into()),
        Err(error) => Ok(Checked::Unknown(Some(error.to_string()))),
    }
}

#[cfg(not(feature = "remote"))]
async fn checked(_: &str, _: &Path, _: &Global) -> Result<Checked, Error> {
    Ok(Checked::Unknown(None))
}

fn removed(provider: &str, app: &App<'_>) -> Result<(), Error> {
    let had = remove(provider)?;
    if app.output.form == Form::Json {
        return app
            .output
            .json(&json!({"provider": provider, "removed": had}));
    }
    app.output.note(&[plain(match had {
        true => format!("the key of {provider} is removed"),
        false => format!("there was no stored key of {provider}"),
    })]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_one_word_and_errors_do_not_repeat_them() {
        assert!(check("sk-ant-0123\n").is_ok());
        for wrong in ["", " \n", "sk-1\nsk-2", "sk 1", "schlüssel"] {
            let error = check(wrong).unwrap_err().to_string();
            assert!(!error.contains("sk"), "{error}");
        }
    }

    #[test]
    fn only_providers_with_keys_are_logged_in_to() {
        assert_eq!(known("openai").unwrap(), "openai");
        let error = known("antropic").unwrap_err().to_string();
        assert!(error.contains("did you mean `anthropic`?"), "{error}");
        assert!(known("ollama").is_err());
    }
}
