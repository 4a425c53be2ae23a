//! `superstep mail memory`: the notes of the e-mail assistant.

use serde_json::json;
use superstep::text::single_line;
use superstep_agent::Change;
use superstep_mail::{Memory, Topic};

use crate::{
    app::App,
    args::{Note, NotesCommand},
    database,
    error::Error,
    output::{Form, Output, bad, faint, good, plain, strong},
};

pub(super) async fn run(command: NotesCommand, app: &App<'_>) -> Result<(), Error> {
    let memory = match command {
        NotesCommand::Undo { .. } => Memory::new(
            database::writable(app.global)?
                .store
                .ok_or(Error::NoSaver)?,
        ),
        _ => Memory::read_only(
            database::read_only(app.global)?
                .store
                .ok_or(Error::NoSaver)?,
        ),
    };
    match command {
        NotesCommand::Show { topic } => {
            let all = Topic::ALL.to_vec();
            let topics = topic.map_or(all, |note| vec![note.into()]);
            for topic in topics {
                note(&memory, topic, app.output).await?;
            }
            Ok(())
        }
        NotesCommand::Versions { topic } => versions(&memory, topic.into(), app.output).await,
        NotesCommand::Diff { topic, from, to } => {
            diff(&memory, topic.into(), from, to, app.output).await
        }
        NotesCommand::Undo { topic } => undo(&memory, topic, app.output).await,
    }
}

async fn note(memory: &Memory, topic: Topic, output: &Output) -> Result<(), Error> {
    let text = memory.show(topic).await?;
    if output.form == Form::Json {
        return output.json(&json!({"topic": topic, "note": topic.label(), "text": text}));
    }
    output.data(&[
        strong(about(topic)),
        faint(format!("  ({})", topic.label())),
    ])?;
    text.lines()
        .try_for_each(|line| output.data(&[plain(line)]))
}

fn about(topic: Topic) -> &'static str {
    match topic {
        Topic::Triage => "Which mail matters",
        Topic::Response => "How replies are written",
        Topic::Calendar => "How meetings are made",
    }
}

async fn versions(memory: &Memory, topic: Topic, output: &Output) -> Result<(), Error> {
    for version in memory.versions(topic).await? {
        if output.form == Form::Json {
            output.json(&version)?;
            continue;
        }
        output.data(&[
            strong(format!("{:>4}  ", version.number)),
            faint(version.at.strftime("%Y-%m-%d %H:%M UTC  ")),
            plain(single_line(&version.why)),
        ])?;
    }
    Ok(())
}

async fn diff(
    memory: &Memory,
    topic: Topic,
    from: Option<u64>,
    to: Option<u64>,
    output: &Output,
) -> Result<(), Error> {
    let newest = memory.versions(topic).await?;
    let newest = newest.last().map_or(1, |version| version.number);
    let to = to.unwrap_or(newest);
    let from = from.unwrap_or_else(|| to.saturating_sub(1).max(1));
    for change in memory.diff(topic, from, to).await? {
        let (sign, name, text) = match &change {
            Change::Kept(text) => (plain("  "), "kept", text),
            Change::Added(text) => (good("+ "), "added", text),
            Change::Removed(text) => (bad("- "), "removed", text),
        };
        match output.form {
            Form::Json => output.json(&json!({"change": name, "line": text}))?,
            Form::Text => output.data(&[sign, plain(text)])?,
        }
    }
    Ok(())
}

async fn undo(memory: &Memory, note: Note, output: &Output) -> Result<(), Error> {
    let version = memory.undo(note.into()).await?;
    if output.form == Form::Json {
        return output.json(&version);
    }
    output.say(&[plain(single_line(&version.why))]);
    version
        .text
        .lines()
        .try_for_each(|line| output.data(&[plain(line)]))
}
