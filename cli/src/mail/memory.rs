//! `superstep mail memory`: the notes of the e-mail assistant.

use superstep_mail::{Memory, Topic};

use crate::{app::App, args::NotesCommand, console, database, error::Error};

pub(super) async fn run(command: NotesCommand, app: &App<'_>) -> Result<(), Error> {
    let is_changed = matches!(command, NotesCommand::Undo { .. });
    let backends = match is_changed {
        true => database::writable(app.global)?,
        false => database::read_only(app.global)?,
    };
    let store = backends.store.ok_or(Error::NoSaver)?;
    let memory = match is_changed {
        true => Memory::new(store),
        false => Memory::read_only(store),
    };
    let notices = match command {
        NotesCommand::Show { topic: Some(note) } => vec![memory.note_notice(note.into()).await?],
        NotesCommand::Show { topic: None } => {
            let mut notices = Vec::new();
            for topic in Topic::ALL {
                notices.push(memory.note_notice(topic).await?);
            }
            notices
        }
        NotesCommand::Versions { topic } => memory.version_notices(topic.into()).await?,
        NotesCommand::Diff { topic, from, to } => {
            memory.change_notices(topic.into(), (from, to)).await?
        }
        NotesCommand::Undo { topic } => vec![memory.undo_notice(topic.into()).await?],
    };
    console::show(notices, app.output)
}
