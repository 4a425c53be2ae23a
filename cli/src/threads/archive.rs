//! `superstep threads export` and `import`: a thread as an archive of JSON lines.

use std::{
    io::{BufReader, BufWriter, Write as _},
    path::Path,
};

use serde_json::json;
use superstep::{Archive, ThreadId, text::sanitize};

use super::{ThreadReader, words::said};
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
    let archive = reader.saver.export(&ThreadId::from(thread)).await?;
    if is_stdout(file) {
        let mut bytes = Vec::new();
        archive.write(&mut bytes)?;
        let lines = String::from_utf8_lossy(&bytes);
        return lines.lines().try_for_each(|line| output.json_text(line));
    }
    private::refuse_existing(file)?;
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

/// Writes what was said in a thread as Markdown.
pub(super) async fn transcript(
    reader: &ThreadReader,
    thread: &str,
    file: &Path,
    output: &Output,
) -> Result<(), Error> {
    let agent = reader.agent(thread).await?;
    let graph = reader.graph_of(agent)?;
    let snapshot = reader.snapshot(&graph, thread, None).await?;
    let state = serde_json::to_value(&snapshot.values).map_err(std::io::Error::from)?;
    let title = match agent.title(&state) {
        title if title.is_empty() => shown(thread),
        title => title,
    };
    let mut text = format!("# {}\n", shown(title));
    for said in said(&state, agent.name()) {
        text.push_str(&format!(
            "\n## {}\n\n{}\n",
            said.who,
            sanitize(said.text.trim())
        ));
    }
    if is_stdout(file) {
        return text
            .lines()
            .try_for_each(|line| output.data(&[plain(line)]));
    }
    private::refuse_existing(file)?;
    private::write_new(file, |file| Ok(file.write_all(text.as_bytes())?))?;
    match output.form {
        Form::Json => output.json(&json!({"thread": thread, "file": file.display().to_string()})),
        Form::Text => output.data(&[plain(file.display())]),
    }
}

fn is_stdout(file: &Path) -> bool {
    file == Path::new("-")
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
