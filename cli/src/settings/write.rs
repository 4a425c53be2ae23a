//! `superstep config init`, `set`, `edit` and `path`: the user's own file, and no other.
//!
//! A setting is changed in the text, so that comments stay. Before anything is written, the new text is read
//! as the program would read it, and the setting must be what was asked for; otherwise nothing is changed.

use std::path::{Path, PathBuf};

use serde_json::json;
use superstep::model::{
    ErrorKind,
    config::{Config, ConfigFile, Scope},
};

use super::{
    check,
    file::{KeptText, UserFile, read},
};
use crate::{
    app::App,
    environment,
    error::{Error, FileError},
    output::{Form, Output, faint, plain, strong},
    private,
    terminal::{Composed, Editor},
};

/// What a new file says: every setting, switched off.
const TEMPLATE: &str = include_str!("template.toml");

/// The user's file.
fn place() -> Result<PathBuf, Error> {
    environment::user_file().ok_or_else(|| {
        Error::Usage("there is no home folder, so there is no place for settings".into())
    })
}

/// Prints where the user's file is or would be.
pub(super) fn path(output: &Output) -> Result<(), Error> {
    let path = place()?;
    if output.form == Form::Json {
        return output.json(&json!({"path": path.display().to_string(), "exists": path.exists()}));
    }
    output.data(&[plain(path.display())])?;
    if !path.exists() {
        output.note(&[faint(
            "it does not exist yet; `superstep config init` makes it",
        )]);
    }
    Ok(())
}

/// Makes the user's file with every setting switched off, unless there is one.
pub(super) fn init(output: &Output) -> Result<(), Error> {
    let path = place()?;
    private::refuse_existing(&path)?;
    let held = UserFile::hold(&path)?;
    private::refuse_existing(&path)?;
    held.replace(TEMPLATE)?;
    if output.form == Form::Json {
        return output.json(&json!({"path": path.display().to_string()}));
    }
    output.data(&[plain(path.display())])?;
    output.note(&[faint("`superstep config edit` opens it in your editor")]);
    Ok(())
}

/// Opens the user's file in an editor. What cannot be read is not stored, and not lost; nor is what another process
/// stored meanwhile.
pub(super) fn edit(app: &App<'_>) -> Result<(), Error> {
    let path = place()?;
    if !app.terminal.is_interactive() {
        return Err(Error::Usage(format!(
            "there is no terminal to edit {} at; use `superstep config set`",
            path.display()
        )));
    }
    let found = read(&path)?;
    let before = found.clone().unwrap_or_else(|| TEMPLATE.to_owned());
    let mut text = before.clone();
    let mut draft = KeptText::of(&path);
    loop {
        let written = match Editor::compose(&text)? {
            Composed::Text(written) => written,
            Composed::Nothing(why) => return Err(Error::Usage(why)),
        };
        if written == before {
            app.output.note(&[faint("nothing changed")]);
            return Ok(());
        }
        match Config::parse(&path, Scope::User, &written) {
            Ok(_) => {
                let held = UserFile::hold(&path)?;
                if held.text()? != found {
                    let changed = FileError::Changed {
                        path: path.display().to_string(),
                        draft: draft.keep(&written)?.display().to_string(),
                    };
                    return Err(changed.into());
                }
                held.replace(&written)?;
                draft.forget();
                return told(&path, app.output);
            }
            Err(error) => {
                app.output.say(&[plain(&error)]);
                let kept = draft.keep(&written)?;
                if written == text {
                    return Err(Error::Usage(format!(
                        "the settings are as before; your text is in {}",
                        kept.display()
                    )));
                }
                text = written;
            }
        }
    }
}

/// Sets one setting: `model`, `offline`, `db`, or a key of a table such as `agents.mail.owner`.
pub(super) fn set(key: &str, value: &str, output: &Output) -> Result<(), Error> {
    let path = put(key, value)?;
    told(&path, output)
}

/// Removes one setting, and says where.
pub(super) fn unset(key: &str, output: &Output) -> Result<(), Error> {
    let path = place()?;
    take(key)?;
    told(&path, output)
}

/// Removes one setting, if it is there.
pub(crate) fn take(key: &str) -> Result<(), Error> {
    let path = place()?;
    if read(&path)?.is_none() {
        return Ok(());
    }
    let held = UserFile::hold(&path)?;
    let Some(before) = held.text()? else {
        return Ok(());
    };
    let text = without(&before, key);
    Config::parse(&path, Scope::User, &text)?;
    match text == before {
        true => Ok(()),
        false => held.replace(&text),
    }
}

/// Sets one setting, and gives the file.
pub(crate) fn put(key: &str, value: &str) -> Result<PathBuf, Error> {
    let path = place()?;
    let value = &place_in(key, value)?;
    let held = UserFile::hold(&path)?;
    let before = held.text()?.unwrap_or_default();
    Config::parse(&path, Scope::User, &before)?;
    let text =
        checked(&path, &before, key, value).map_err(|error| of_setting(error, &path, key))?;
    held.replace(&text)?;
    Ok(path)
}

/// The text with a setting, read as a command would read it.
fn checked(path: &Path, before: &str, key: &str, value: &str) -> Result<String, Error> {
    let parse = |text: &str| Config::parse(path, Scope::User, text);
    let text = changed(before, key, &toml_value(value));
    let text = match parse(&text) {
        // A text that looks like a number or a truth value may be meant as a text.
        Err(_) => changed(before, key, &quoted(value)),
        Ok(_) => text,
    };
    let read = parse(&text)?;
    if !has(&read, key) {
        return Err(Error::Usage(format!(
            "`{key}` could not be set; edit it by hand with `superstep config edit`"
        )));
    }
    check::one(&read, key)?;
    Ok(text)
}

/// The error with the setting in place of the line, which is in no file yet.
fn of_setting(error: Error, path: &Path, key: &str) -> Error {
    let told = error.to_string();
    let line = format!("{}:", path.display());
    let mut parts = told.split(line.as_str());
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(key);
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    match error {
        Error::Usage(_) | Error::Agent(_) => Error::Usage(text),
        Error::Model(_) => {
            let why = text.trim_start_matches("settings: ").to_owned();
            Error::Model(ErrorKind::Settings { why }.into())
        }
        other => other,
    }
}

/// The value of a setting that is a place: absolute, as commands run elsewhere too; a folder of mail must be there.
fn place_in(key: &str, value: &str) -> Result<String, Error> {
    if key == "model" || key.starts_with("models.") {
        return file_of_model(value);
    }
    let is_folder = key == "agents.mail.folder";
    if !(is_folder || key == "db") || value.is_empty() || value.starts_with('~') {
        return Ok(value.to_owned());
    }
    let absolute = std::path::absolute(value)?;
    if is_folder && !absolute.is_dir() {
        return Err(Error::Usage(format!(
            "{key}: there is no folder {}; nothing was changed",
            absolute.display()
        )));
    }
    Ok(absolute.display().to_string())
}

/// The name of a model; a script or weights in a file of this folder by their absolute path.
fn file_of_model(value: &str) -> Result<String, Error> {
    let named = value.split_once(':').filter(|(_, path)| !path.is_empty());
    let Some((provider @ ("local" | "script"), path)) = named else {
        return Ok(value.to_owned());
    };
    let file = std::path::absolute(path)?;
    Ok(match file.is_file() {
        true => format!("{provider}:{}", file.display()),
        false => value.to_owned(),
    })
}

/// Whether a file sets a key.
fn has(file: &ConfigFile, key: &str) -> bool {
    let parts: Vec<&str> = key.split('.').collect();
    match parts.as_slice() {
        ["model"] => file.model.is_some(),
        ["offline"] => file.offline.is_some(),
        ["db"] => file.db.is_some(),
        ["models", node @ ..] => file.models.contains_key(&node.join(".")),
        ["providers", name, ..] => file.providers.contains_key(*name),
        ["agents", name, key @ ..] => file
            .agents
            .get(*name)
            .is_some_and(|agent| agent.contains_key(&key.join("."))),
        _ => false,
    }
}

/// The table of a key, and its name in it.
fn place_of(key: &str) -> (String, &str) {
    match key.rsplit_once('.') {
        // `agents.mail.imap.host` is `imap.host` of `[agents.mail]`, and so is `agents.NAME.prompts.x`.
        Some(_) if key.starts_with("agents.") => {
            let mut parts = key.splitn(3, '.');
            let (agents, agent) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
            (format!("{agents}.{agent}"), parts.next().unwrap_or(""))
        }
        Some((table, name)) => (table.to_owned(), name),
        None => (String::new(), key),
    }
}

/// The text without a key.
fn without(text: &str, key: &str) -> String {
    let (table, name) = place_of(key);
    let mut current = String::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        if let Some(header) = line.trim().strip_prefix('[') {
            let header = header.split(']').next().unwrap_or("");
            header.trim().clone_into(&mut current);
        }
        let is_it = line
            .split_once('=')
            .is_some_and(|(before, _)| before.trim() == name);
        if current != table || !is_it {
            lines.push(line);
        }
    }
    // A table that has nothing left goes, too.
    let header = format!("[{table}]");
    if let Some(at) = lines.iter().position(|line| line.trim() == header) {
        let below = lines
            .iter()
            .skip(at + 1)
            .find(|line| !line.trim().is_empty());
        if below.is_none_or(|line| line.trim().starts_with('[')) {
            lines.remove(at);
        }
    }
    let text = lines.join("\n");
    match text.trim_end() {
        "" => String::new(),
        text => format!("{text}\n"),
    }
}

/// The text with a key set, at its place or at the end of its table.
fn changed(text: &str, key: &str, value: &str) -> String {
    let (table, name) = place_of(key);
    let line = format!("{name} = {value}");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut current = String::new();
    let mut end = None;
    for (at, text) in lines.iter().enumerate() {
        let text = text.trim();
        if let Some(header) = text.strip_prefix('[') {
            header
                .split(']')
                .next()
                .unwrap_or("")
                .trim()
                .clone_into(&mut current);
        }
        if current != table {
            continue;
        }
        let is_it = text
            .split_once('=')
            .is_some_and(|(before, _)| before.trim() == name);
        if is_it {
            if let Some(place) = lines.get_mut(at) {
                *place = line;
            }
            return lines.join("\n") + "\n";
        }
        if !text.is_empty() && !text.starts_with('#') {
            end = Some(at + 1);
        }
    }
    match end {
        Some(at) => lines.insert(at, line),
        // Keys without a table come before all tables.
        None if table.is_empty() => lines.insert(0, line),
        None => {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.push(format!("[{table}]"));
            lines.push(line);
        }
    }
    lines.join("\n") + "\n"
}

/// A value as TOML: what reads as a number, a truth value or a list is one.
fn toml_value(text: &str) -> String {
    let is_list = text.starts_with('[') && text.ends_with(']');
    let is_plain = matches!(text, "true" | "false") || text.parse::<i64>().is_ok();
    match is_plain || is_list {
        true => text.to_owned(),
        false => quoted(text),
    }
}

/// A text as TOML, which escapes as JSON does.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn told(path: &Path, output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        return output.json(&json!({"path": path.display().to_string()}));
    }
    output.note(&[plain("saved "), strong(path.display())]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_changed_where_it_is_and_added_where_it_belongs() {
        let text = "# mine\nmodel = \"a:b\"\n\n[agents.mail]\nowner = \"x@y\" # me\n";
        let model = changed(text, "model", "\"c:d\"");
        assert_eq!(model, text.replace("a:b", "c:d"));
        let folder = changed(text, "agents.mail.folder", "\"m\"");
        assert_eq!(folder, format!("{text}folder = \"m\"\n"));
        let db = changed(text, "db", "\"x.db\"");
        assert!(db.contains("model = \"a:b\"\ndb = \"x.db\"\n"), "{db}");
        let node = changed("", "models.triage", "\"local:tiny\"");
        assert_eq!(node, "[models]\ntriage = \"local:tiny\"\n");
        let host = changed(text, "agents.mail.imap.host", "\"h\"");
        assert!(host.ends_with("imap.host = \"h\"\n"), "{host}");
    }

    #[test]
    fn the_template_is_a_file_of_settings_with_nothing_in_it() {
        let path = std::path::Path::new("config.toml");
        let read = Config::parse(path, Scope::User, TEMPLATE).unwrap();
        assert!(read.model.is_none() && read.agents.is_empty());
        // Each line that is switched off is a setting, if it is switched on.
        let on = TEMPLATE
            .lines()
            .map(|line| line.strip_prefix("#: ").unwrap_or(line))
            .collect::<Vec<_>>()
            .join("\n");
        let read = Config::parse(path, Scope::User, &on).unwrap();
        assert!(read.model.is_some() && has(&read, "agents.mail.owner"));
    }
}
