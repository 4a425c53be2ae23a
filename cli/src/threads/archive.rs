//! `superstep threads export` and `import`: a thread as an archive of JSON lines.

use std::{
    fs::File,
    io::{BufReader, BufWriter},
    path::Path,
};

use serde_json::json;
use superstep::{Archive, ThreadId};

use super::ThreadReader;
use crate::{
    agents::Agent,
    app::App,
    error::{Error, FileError},
    output::{Form, Output, faint, plain},
    private,
};

/// Writes a thread to a new file for its owner alone.
pub(super) async fn export(
    reader: &ThreadReader,
    thread: &str,
    file: &Path,
    output: &Output,
) -> Result<(), Error> {
    reader.require(thread).await?;
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
        "{checkpoints} checkpoints; the file is not encrypted"
    ))]);
    Ok(())
}

/// Makes a thread of an archive. One that the agent cannot read is not kept.
pub(super) async fn import(file: &Path, thread: &str, app: &App<'_>) -> Result<(), Error> {
    let Some(agent) = Agent::of(thread) else {
        return Err(Error::Usage(format!(
            "`{thread}` is no name for a thread: it must begin with the agent, as in `archie-{thread}`"
        )));
    };
    let opened = File::open(file).map_err(|error| FileError::NotRead {
        path: file.display().to_string(),
        why: error.to_string(),
    })?;
    let archive = Archive::read(BufReader::new(opened))?;
    let checkpoints = archive.len();
    let reader = ThreadReader::create(app.global)?;
    let id = ThreadId::from(thread);
    let graph = reader.graph_of(agent)?;
    graph.import_thread(&id, archive).await?;
    if let Err(error) = graph.check_thread(&id).await {
        reader.delete(&id).await?;
        return Err(error.into());
    }
    if app.output.form == Form::Json {
        return app.output.json(&json!({
            "thread": thread, "file": file.display().to_string(), "checkpoints": checkpoints,
        }));
    }
    app.output.data(&[plain(thread)])?;
    app.output.say(&[plain(format!(
        "{checkpoints} checkpoints; superstep threads resume {thread} asks before it runs it"
    ))]);
    Ok(())
}
