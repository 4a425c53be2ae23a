//! `superstep trust`: what the project's `superstep.toml` asks for, and whether the user agrees.
//!
//! A file that asks for nothing that needs a consent is used without one. One that does is not in
//! force until it is trusted, and again when it was changed. Only this command decides, and only a
//! person at a terminal or `--yes` gives consent.

mod consents;

use std::path::{Path, PathBuf};

use serde_json::json;
use superstep::{
    model::{
        ModelError,
        config::{Decision, PROJECT_FILE, ProjectFile, Reason, Trust},
    },
    text::single_line,
};

use crate::{
    app::App,
    args::{TrustArgs, TrustCommand},
    error::{Error, TrustError},
    output::{Form, Output, bad, faint, good, plain, strong},
    terminal::{Line, Topic},
};

use consents::Decided;

/// What the user decided about a project's file.
pub(crate) fn decision(file: &ProjectFile) -> Option<Decision> {
    consents::find(file).map(|consent| consent.decision())
}

/// Whether a project's file is in force, in words.
pub(crate) fn state(trust: Trust) -> &'static str {
    match trust {
        Trust::NotNeeded => "needs no consent",
        Trust::Given => "trusted",
        Trust::Missing => "not trusted",
        Trust::Changed => "changed since it was trusted",
        Trust::Ignored => "ignored",
    }
}

pub(crate) async fn run(what: &TrustArgs, app: &mut App<'_>) -> Result<(), Error> {
    if let Some(TrustCommand::List) = what.command {
        return list(app.output);
    }
    let named = what.file.as_deref();
    let Some(file) = find(named)? else {
        if let (true, Some(path)) = (what.revoke, named) {
            return revoked(path, consents::remove_of(&absolute(path)?)?, app.output);
        }
        return Err(no_file(named)?.into());
    };
    if what.revoke {
        return revoked(&file.path, consents::remove(&file)?, app.output);
    }
    if what.ignore {
        consents::keep(&file, Decided::Ignored)?;
        return show(&again(file), app.output);
    }
    if file.trust.is_in_force() {
        file.in_force()?;
        return show(&file, app.output);
    }
    show(&file, app.output)?;
    // A consent would not help.
    file.in_force()?;
    if let Some(error) = outside(&file).into_iter().next() {
        return Err(error.into());
    }
    if !app.global.yes && !is_wanted(app).await? {
        let is_ignored = file.trust == Trust::Ignored;
        let file = file.path.display().to_string();
        return Err(TrustError::NotGiven { file, is_ignored }.into());
    }
    match file.reasons.is_empty() {
        true => drop(consents::remove(&file)?),
        false => consents::keep(&file, Decided::Trusted)?,
    }
    // What was shown is what was agreed to: the content is not read again.
    let file = again(file);
    if app.output.form == Form::Json {
        return show(&file, app.output);
    }
    let path = file.path.display();
    app.output
        .data(&[good(state(file.trust)), plain(format!("  {path}"))])
}

/// The file with what is decided about it now.
fn again(file: ProjectFile) -> ProjectFile {
    let decided = decision(&file);
    file.decided(decided.as_ref())
}

/// The file that was named, or the one that holds in this folder.
fn find(named: Option<&Path>) -> Result<Option<ProjectFile>, Error> {
    match named {
        Some(path) => Ok(ProjectFile::read(&absolute(path)?)?.map(again)),
        None => Ok(ProjectFile::find(&std::env::current_dir()?)?.map(again)),
    }
}

/// The file that a path means: itself, or the one in that folder.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    let path = match path.is_dir() {
        true => path.join(PROJECT_FILE),
        false => path.to_owned(),
    };
    let path = std::path::absolute(path)?;
    let name = path.file_name().map(|name| name.to_string_lossy());
    if name.as_deref() != Some(PROJECT_FILE) {
        let path = path.display();
        return Err(Error::Usage(format!("{path}: not a {PROJECT_FILE}")));
    }
    Ok(path)
}

fn no_file(named: Option<&Path>) -> Result<TrustError, Error> {
    let (folder, above) = match named {
        Some(path) => (absolute(path)?, ""),
        None => (std::env::current_dir()?.join(PROJECT_FILE), " or above it"),
    };
    let folder = folder.parent().unwrap_or(&folder).display().to_string();
    Ok(TrustError::NoFile { folder, above })
}

async fn is_wanted(app: &mut App<'_>) -> Result<bool, Error> {
    if app.output.form == Form::Json || !app.terminal.is_interactive() {
        return Ok(false);
    }
    let prompt = "Trust this file until it is changed? [y/N] ";
    match app
        .terminal
        .read_line(Topic::Detail, prompt, app.output)
        .await?
    {
        Line::Text(words) => Ok(matches!(words.trim().to_lowercase().as_str(), "y" | "yes")),
        Line::CtrlC => Err(Error::Cancelled),
        Line::End => Ok(false),
    }
}

/// What the file names outside of its folder.
pub(crate) fn outside(file: &ProjectFile) -> Vec<ModelError> {
    let mut all = file.outside();
    let settings = file.settings.iter();
    let archie = settings.filter_map(|settings| settings.agents.get("archie"));
    for (key, setting) in archie.flatten() {
        if let (true, Some(written)) = (key.starts_with("prompts."), setting.value.as_str()) {
            all.extend(setting.path(written).err());
        }
    }
    all
}

fn show(file: &ProjectFile, output: &Output) -> Result<(), Error> {
    let path = file.path.display();
    let outside = outside(file);
    if output.form == Form::Json {
        let asks: Vec<_> = file
            .reasons
            .iter()
            .map(|Reason { key, line, what }| json!({"key": key, "line": line, "what": what}))
            .collect();
        let outside: Vec<String> = outside.iter().map(ToString::to_string).collect();
        return output.json(&json!({
            "file": path.to_string(), "state": state(file.trust),
            "in_force": file.trust.is_in_force(), "sha256": file.digest,
            "asks": asks, "outside": outside,
        }));
    }
    let state = match file.trust.is_in_force() {
        true => good(state(file.trust)),
        false => bad(state(file.trust)),
    };
    output.data(&[strong(path), plain("  "), state])?;
    for Reason { key, line, what } in &file.reasons {
        // A value of several lines must not look like lines of ours.
        let what = single_line(what);
        let is_ascii = what.is_ascii();
        let what = plain(revealed(&what));
        let place = match (key, line) {
            (Some(key), Some(line)) => format!("  line {line}: {} ", single_line(key)),
            _ => "  ".to_owned(),
        };
        output.data(&[strong(place), what])?;
        if !is_ascii {
            let warning = "    it holds letters that are not ASCII, shown as <U+...>: they can look like others";
            output.data(&[bad(warning)])?;
        }
    }
    for error in outside {
        output.data(&[bad("  refused: "), plain(single_line(&error.to_string()))])?;
    }
    if matches!(file.trust, Trust::Missing | Trust::Changed) {
        let text = "  nothing in it is used until it is trusted, except `offline = true`";
        output.data(&[faint(text)])?;
    }
    Ok(())
}

/// A text whose letters cannot pass for others: in a host name some look like Latin ones.
fn revealed(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_ascii() {
            true => shown.push(letter),
            false => shown.push_str(&format!("<U+{:04X}>", u32::from(letter))),
        }
    }
    shown
}

fn revoked(path: &Path, was_there: bool, output: &Output) -> Result<(), Error> {
    let path = path.display();
    if output.form == Form::Json {
        return output.json(&json!({"file": path.to_string(), "revoked": was_there}));
    }
    let text = match was_there {
        true => "the decision is revoked",
        false => "there was no decision",
    };
    output.data(&[strong(path), plain(format!("  {text}"))])
}

fn list(output: &Output) -> Result<(), Error> {
    let all = consents::all();
    for consent in &all {
        let path = PathBuf::from(&consent.path);
        // What is stored may no longer be what holds.
        let now = match ProjectFile::read(&path) {
            Ok(Some(file)) => {
                let file = file.decided(Some(&consent.decision()));
                match file.trust.is_in_force() && file.fault.is_some() {
                    true => "cannot be read",
                    false => state(file.trust),
                }
            }
            Ok(None) => "gone",
            Err(_) => "cannot be read",
        };
        if output.form == Form::Json {
            output.json(&json!({
                "file": consent.path, "decision": consent.decision, "state": now,
                "sha256": consent.sha256, "at": consent.at,
            }))?;
            continue;
        }
        let path = single_line(&consent.path);
        output.data(&[
            strong(path),
            plain(format!("  {now}")),
            faint(format!("  {}", consent.at)),
        ])?;
    }
    if all.is_empty() && output.form == Form::Text {
        output.say(&[faint("there are no decisions about project files")]);
    }
    Ok(())
}
