//! `superstep threads export` and `import`: a thread as an archive of JSON lines.

use std::{
    io::{BufReader, BufWriter},
    path::Path,
};

use serde_json::json;
use superstep::{Archive, ThreadId};

use super::ThreadReader;
use crate::{
    app::App,
    error::{Error, FileError},
    output::{Form, Output, count, faint, plain, shown},
    private, suggest,
};

/// Writes a thread to a new file for its owner alone.
pub(super) async fn export(
    reader: &ThreadReader,
    thread: &str,
    file: &Path,
    output: &Output,
) -> Result<(), Error> {
    private::refuse_existing(file)?;
    let archive = reader.saver.export(&ThreadId::from(thread)).await?;
    private::write_new(file, |file| Ok(archive.write(BufWriter::new(file))?))?;
    let checkpoints = archive.len();
    if output.form == Form::Json {
        return output.json(&json!({
            "thread": thread, "file": file.display().to_string(), "checkpoints": checkpoints,
        }));
    }
    output.data(&[plain(file.display())])?;
    output.say(&[faint(format!(
        "{}; the file is not encrypted",
        count(checkpoints, "checkpoint")
    ))]);
    Ok(())
}

/// Makes a thread of an archive. It is read and checked to its end, by the agent too, before anything
/// is stored; then it is stored in one transaction.
pub(super) async fn import(file: &Path, thread: &str, app: &App<'_>) -> Result<(), Error> {
    let opened =
        superstep::fs::open_regular(file).map_err(|error| FileError::not_read(file, error))?;
    let archive = Archive::read(BufReader::new(opened)).map_err(|error| Error::ArchiveFile {
        file: shown(file.display()),
        error,
    })?;
    let checkpoints = archive.len();
    let id = ThreadId::from(thread);
    let aside = ThreadReader::in_memory()?;
    aside.saver.import(&id, archive.clone()).await?;
    let Some(agent) = aside.agent_of(&id).await else {
        return Err(Error::Usage(shown(format!(
            "{} is no archive of a thread that an agent of this program runs",
            file.display()
        ))));
    };
    agent.check_name(thread)?;
    aside.graph_of(agent)?.check_thread(&id).await?;
    drop(aside);
    let reader = ThreadReader::create(app.global)?;
    reader.graph_of(agent)?.import_thread(&id, archive).await?;
    if app.output.form == Form::Json {
        return app.output.json(&json!({
            "thread": thread, "file": file.display().to_string(), "checkpoints": checkpoints,
        }));
    }
    app.output.data(&[plain(shown(thread))])?;
    let resume = suggest::command(app.global, &["threads", "resume", thread]);
    app.output.say(&[
        plain(format!("{}; ", count(checkpoints, "checkpoint"))),
        plain(resume),
        plain(" asks before it runs it"),
    ]);
    Ok(())
}
