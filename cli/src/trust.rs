//! `superstep trust`: what the project's `superstep.toml` asks for, and whether the user agrees.
//!
//! A file that asks for nothing that needs a consent is used without one. One that does is not in
//! force until it is trusted, and again when it was changed. Only this command decides, and only a
//! person at a terminal or `--yes` says yes.

mod consents;

use std::path::{Path, PathBuf};

use serde_json::json;
use superstep::text::single_line;
use superstep_model::{
    ModelError,
    config::{Decision, PROJECT_FILE, ProjectFile, Reason, Trust},
};

use crate::{
    args::{Global, TrustArgs, TrustCommand},
    failure::Failure,
    output::{Form, Output, bad, faint, good, plain, strong},
    person::{Person, Said, Topic},
};

use consents::Decided;

/// Why nothing was decided.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrustError {
    /// The decision cannot be written or removed.
    #[error("the decision about {file} cannot be kept: {why}")]
    NotKept {
        /// The file it is about.
        file: String,
        /// What failed.
        why: String,
    },
    /// Nobody said yes.
    #[error("{file} is not trusted")]
    NotGiven {
        /// The file.
        file: String,
    },
    /// There is nothing to decide about.
    #[error("there is no {PROJECT_FILE} in {folder}{above}")]
    NoFile {
        /// Where it was looked for.
        folder: String,
        /// Whether it was looked for above as well.
        above: &'static str,
    },
}

impl TrustError {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NotKept { .. } => "SS6020",
            Self::NotGiven { .. } => "SS6021",
            Self::NoFile { .. } => "SS6022",
        }
    }

    pub(crate) fn hints(&self) -> Vec<&'static str> {
        match self {
            Self::NotKept { .. } => vec!["check the folder and its permissions"],
            Self::NotGiven { .. } => vec![
                "`superstep trust --yes` trusts it until it is changed",
                "`superstep trust --ignore` leaves it out for good",
            ],
            Self::NoFile { .. } => vec!["nothing is to be done"],
        }
    }

    pub(crate) fn exit(&self) -> u8 {
        match self {
            Self::NotGiven { .. } => 3,
            Self::NotKept { .. } | Self::NoFile { .. } => 1,
        }
    }
}

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

pub(crate) async fn run(
    what: &TrustArgs,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    if let Some(TrustCommand::List) = what.command {
        return list(output);
    }
    let named = what.file.as_deref();
    let Some(file) = find(named)? else {
        if let (true, Some(path)) = (what.revoke, named) {
            return revoked(path, consents::remove_of(&absolute(path)?)?, output);
        }
        return Err(no_file(named)?.into());
    };
    if what.revoke {
        return revoked(&file.path, consents::remove(&file)?, output);
    }
    if what.ignore {
        consents::keep(&file, Decided::Ignored)?;
        return show(&again(file), output);
    }
    if file.trust.is_in_force() {
        return show(&file, output);
    }
    show(&file, output)?;
    // A consent would not help.
    file.in_force()?;
    if let Some(error) = outside(&file).into_iter().next() {
        return Err(error.into());
    }
    if !global.yes && !is_wanted(output, person).await? {
        let file = file.path.display().to_string();
        return Err(TrustError::NotGiven { file }.into());
    }
    match file.reasons.is_empty() {
        true => drop(consents::remove(&file)?),
        false => consents::keep(&file, Decided::Trusted)?,
    }
    // What was shown is what was agreed to: the content is not read again.
    let file = again(file);
    if output.form == Form::Json {
        return show(&file, output);
    }
    let path = file.path.display();
    output.data(&[good(state(file.trust)), plain(format!("  {path}"))])
}

/// The file with what is decided about it now.
fn again(file: ProjectFile) -> ProjectFile {
    let decided = decision(&file);
    file.decided(decided.as_ref())
}

/// The file that was named, or the one that holds in this folder.
fn find(named: Option<&Path>) -> Result<Option<ProjectFile>, Failure> {
    match named {
        Some(path) => Ok(ProjectFile::read(&absolute(path)?)?.map(again)),
        None => Ok(ProjectFile::find(&std::env::current_dir()?)?.map(again)),
    }
}

/// The file that a path means: itself, or the one in that folder.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    let path = match path.is_dir() {
        true => path.join(PROJECT_FILE),
        false => path.to_owned(),
    };
    let path = std::path::absolute(path)?;
    let name = path.file_name().map(|name| name.to_string_lossy());
    if name.as_deref() != Some(PROJECT_FILE) {
        let path = path.display();
        return Err(Failure::Usage(format!("{path}: not a {PROJECT_FILE}")));
    }
    Ok(path)
}

fn no_file(named: Option<&Path>) -> Result<TrustError, Failure> {
    let (folder, above) = match named {
        Some(path) => (absolute(path)?, ""),
        None => (std::env::current_dir()?.join(PROJECT_FILE), " or above it"),
    };
    let folder = folder.parent().unwrap_or(&folder).display().to_string();
    Ok(TrustError::NoFile { folder, above })
}

async fn is_wanted(output: &Output, person: &mut Person) -> Result<bool, Failure> {
    if output.form == Form::Json || !person.is_there() {
        return Ok(false);
    }
    let prompt = "Trust this file until it is changed? [y/N] ";
    match person.words(Topic::Detail, prompt, output).await? {
        Said::Words(words) => Ok(matches!(words.trim().to_lowercase().as_str(), "y" | "yes")),
        Said::Stop => Err(Failure::Cancelled),
        Said::End => Ok(false),
    }
}

/// What the file names outside of its folder.
fn outside(file: &ProjectFile) -> Vec<ModelError> {
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

fn show(file: &ProjectFile, output: &Output) -> Result<(), Failure> {
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
        let what = plain(single_line(what));
        let place = match (key, line) {
            (Some(key), Some(line)) => format!("  line {line}: {} ", single_line(key)),
            _ => "  ".to_owned(),
        };
        output.data(&[strong(place), what])?;
    }
    for error in outside {
        output.data(&[bad("  refused: "), plain(single_line(&error.to_string()))])?;
    }
    if matches!(file.trust, Trust::Missing | Trust::Changed) {
        let told = "  nothing in it is used until it is trusted, except `offline = true`";
        output.data(&[faint(told)])?;
    }
    Ok(())
}

fn revoked(path: &Path, was_there: bool, output: &Output) -> Result<(), Failure> {
    let path = path.display();
    if output.form == Form::Json {
        return output.json(&json!({"file": path.to_string(), "revoked": was_there}));
    }
    let told = match was_there {
        true => "the decision is taken back",
        false => "there was no decision",
    };
    output.data(&[strong(path), plain(format!("  {told}"))])
}

fn list(output: &Output) -> Result<(), Failure> {
    let all = consents::all();
    for consent in &all {
        let path = PathBuf::from(&consent.path);
        // What is stored may no longer be what holds.
        let now = match ProjectFile::read(&path) {
            Ok(Some(file)) => state(file.decided(Some(&consent.decision())).trust),
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
        output.say(&[faint("nothing was decided about any project's file")]);
    }
    Ok(())
}
