//! `superstep demo`: the agents with scripted models, in a temporary folder.
//!
//! The commands that are shown are the commands that are run. The demo of each agent is on its card.

use std::{
    io::Read,
    path::Path,
    process::{Command, Stdio},
};

use clap::Parser;

use crate::{
    agents::Agent,
    app::App,
    args::{Args, Global},
    error::Error,
    inbox,
    output::{Form, Output, bad, faint, plain, strong},
    private, shell_words,
    terminal::{Line, Topic},
};

/// Placeholder for an id that is only known when the scene runs.
const QUESTION: &str = "QUESTION";

/// The first word of a command whose process is killed as soon as it says something.
const KILLED: &str = "KILLED ";

pub(crate) async fn run(agent: Option<Agent>, keeps: bool, app: &mut App<'_>) -> Result<(), Error> {
    if app.output.form == Form::Json {
        return Err(Error::Usage(
            "the demo has no JSON output; the commands it shows have".into(),
        ));
    }
    let folder = private::scratch("superstep-demo-", &std::env::temp_dir())?;
    let all = Agent::all().iter().filter(|it| it.card().demo.is_some());
    let mut all = all
        .filter(|it| agent.is_none_or(|wanted| wanted == **it))
        .peekable();
    while let Some(shown) = all.next() {
        scene(*shown, folder.path(), app).await?;
        if let Some(next) = all.peek()
            && app.terminal.is_interactive()
        {
            let prompt = format!("Enter: {}, Ctrl-D: end ", next.name());
            let read = app.terminal.read_line(Topic::Detail, &prompt, app.output);
            if !matches!(read.await?, Line::Text(_)) {
                break;
            }
        }
    }
    let files = match keeps {
        true => format!("the files are in {}", folder.keep().display()),
        false => "the files are gone (--keep leaves them)".to_owned(),
    };
    app.output.say(&[
        plain(format!("Those replies were scripted; {files}. Next: ")),
        strong("superstep setup"),
    ]);
    Ok(())
}

async fn scene(agent: Agent, folder: &Path, app: &mut App<'_>) -> Result<(), Error> {
    let output = app.output;
    let Some(scene) = &agent.card().demo else {
        return Ok(());
    };
    output.say(&[strong(agent.name()), plain(format!(": {}", scene.about()))]);
    let place = folder.join(agent.name());
    for (name, content) in scene.files {
        let path = place.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, content)?;
    }
    let database = folder.join("demo.db");
    for (about, line) in scene.commands() {
        let line = match line.contains(QUESTION) {
            true => line.replace(QUESTION, &question(&database, app.global).await?),
            false => line.to_owned(),
        };
        output.say(&[]);
        output.say(&[faint(format!("# {about}"))]);
        if let Some(line) = line.strip_prefix(KILLED) {
            output.say(&[strong(format!("$ superstep {line}"))]);
            killed(&words(line, &place)?, &database, output)?;
            continue;
        }
        output.say(&[strong(format!("$ superstep {line}"))]);
        let args = read(&line, &place, &database, app.global)?;
        let mut own = app.with(&args.global, output);
        let command = args.command.ok_or_else(|| Error::Usage(line.clone()))?;
        Box::pin(crate::dispatch(command, &mut own)).await?;
    }
    output.say(&[]);
    for folder in scene.leaves {
        left(&place, folder, output)?;
    }
    Ok(())
}

/// The beginning of the id of the open question about a proposal.
async fn question(database: &Path, global: &Global) -> Result<String, Error> {
    let global = Global {
        db: Some(database.to_owned()),
        without_settings: true,
        ..global.clone()
    };
    inbox::first_proposal(&global).await
}

/// Shows the files of a folder.
fn left(place: &Path, folder: &str, output: &Output) -> Result<(), Error> {
    for file in std::fs::read_dir(place.join(folder))? {
        let path = file?.path();
        output.say(&[faint(format!("# and this is in {folder}"))]);
        for line in std::fs::read_to_string(&path)?.lines() {
            output.data(&[plain(format!("  {line}"))])?;
        }
        output.say(&[]);
    }
    Ok(())
}

/// Runs a command as a process of its own and ends it with SIGKILL as soon as it has said something.
fn killed(words: &[String], database: &Path, output: &Output) -> Result<(), Error> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(words.iter().skip(1))
        .arg("--offline")
        .arg("--db")
        .arg(database)
        // What somebody has set is none of the demo's business.
        .env("XDG_CONFIG_HOME", database.with_extension("no-settings"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut said = vec![0; 4096];
    let count = match &mut child.stdout {
        Some(stdout) => stdout.read(&mut said)?,
        None => 0,
    };
    child.kill()?;
    child.wait()?;
    said.truncate(count);
    output.data(&[plain(String::from_utf8_lossy(&said))])?;
    output.say(&[bad("killed"), faint(" (kill -9)")]);
    Ok(())
}

/// The words of a command: names of files are below the folder of the scene.
fn words(line: &str, place: &Path) -> Result<Vec<String>, Error> {
    let split = shell_words::split(line).map_err(|error| Error::Usage(error.to_string()))?;
    let mut words = vec!["superstep".to_owned()];
    for word in split {
        words.push(match word.split_once("./") {
            Some((before, name)) => format!("{before}{}", place.join(name).display()),
            None => word,
        });
    }
    Ok(words)
}

/// A command as it is run.
fn read(line: &str, place: &Path, database: &Path, global: &Global) -> Result<Args, Error> {
    let words = words(line, place)?;
    let parsed = Args::try_parse_from(words);
    let mut args = parsed.map_err(|error| Error::Usage(error.to_string()))?;
    args.global.color = global.color;
    args.global.db = Some(database.to_owned());
    args.global.offline = true;
    args.global.no_input = true;
    args.global.without_settings = true;
    Ok(args)
}
