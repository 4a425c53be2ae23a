//! `superstep threads fork`, `delete` and `prune`.

use std::time::Duration;

use serde_json::json;
use superstep::{
    CheckpointRef, ThreadId,
    clock::{Clock, SystemClock},
    dynamic::{AS_COPY, Output as Written, Update},
    saver::{Keep, Retention},
};

use super::ThreadReader;
use crate::{
    agents::Agent,
    app::App,
    args::{At, Delete, Prune},
    error::Error,
    output::{Form, Output, plain},
    terminal::{Line, Topic},
};

/// Copies a thread, and goes back to a checkpoint in the copy. The original is left as it is.
pub(super) async fn fork(
    reader: &ThreadReader,
    at: &At,
    name: Option<String>,
    output: &Output,
) -> Result<(), Error> {
    let agent = reader.agent(&at.thread).await?;
    let graph = reader.graph_of(agent)?;
    let back = match at.at.as_deref() {
        Some(text) => {
            reader
                .snapshot(&graph, &at.thread, Some(text))
                .await?
                .checkpoint
        }
        None => None,
    };
    let name = match name {
        Some(name) if Agent::of(&name) == Some(agent) => name,
        Some(name) => {
            let wanted = agent.name();
            return Err(Error::Usage(format!(
                "`{name}` is no name for a thread of {wanted}: it must begin with `{wanted}-`"
            )));
        }
        None => agent.new_thread(&*reader.saver).await?,
    };
    let copy = ThreadId::from(name.as_str());
    graph
        .copy_thread(&ThreadId::from(&*at.thread), &copy)
        .await?;
    if let Some(checkpoint) = back {
        let update = Update {
            output: Written::Nothing,
            as_node: Some(AS_COPY.into()),
        };
        let at = CheckpointRef::root(checkpoint);
        graph.update_state(&copy, Some(&at), update).await?;
    }
    if output.form == Form::Json {
        return output.json(&json!({"thread": name, "from": at.thread}));
    }
    output.data(&[plain(&name)])?;
    output.say(&[plain(format!(
        "resume it with superstep threads resume {name}"
    ))]);
    Ok(())
}

pub(super) async fn delete(
    reader: &ThreadReader,
    which: &Delete,
    app: &mut App<'_>,
) -> Result<(), Error> {
    for thread in &which.threads {
        reader.require(thread).await?;
    }
    let count = which.threads.len();
    let what = match which.threads.as_slice() {
        [only] => format!("Delete thread {only}"),
        _ => format!("Delete {count} threads"),
    };
    is_agreed(&what, app).await?;
    for thread in &which.threads {
        reader.saver.delete(&ThreadId::from(&**thread)).await?;
        if app.output.form == Form::Json {
            app.output.json(&json!({"deleted": thread}))?;
        } else {
            app.output.say(&[plain(format!("deleted {thread}"))]);
        }
    }
    Ok(())
}

pub(super) async fn prune(
    reader: &ThreadReader,
    which: &Prune,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let keep = which.keep.map(|count| Keep::Last(count.max(1)));
    if let Some((thread, keep)) = which.thread.as_deref().zip(keep) {
        reader.agent(thread).await?;
        reader.saver.prune(&ThreadId::from(thread), keep).await?;
        app.output.say(&[plain(format!("pruned {thread}"))]);
        return Ok(());
    }
    if let Some(days) = which.unused_days {
        let what = format!("Delete every thread that was not used for {days} days");
        is_agreed(&what, app).await?;
    }
    let retention = Retention {
        keep,
        idle: which
            .unused_days
            .map(|days| Duration::from_secs(days.saturating_mul(86_400))),
    };
    let done = reader.saver.retain(&retention, SystemClock.now()).await?;
    if app.output.form == Form::Json {
        let deleted: Vec<_> = done.deleted.iter().map(ThreadId::as_str).collect();
        return app
            .output
            .json(&json!({"deleted": deleted, "pruned": done.pruned}));
    }
    let (deleted, pruned) = (done.deleted.len(), done.pruned);
    app.output.say(&[plain(format!(
        "deleted {deleted} threads, dropped {pruned} checkpoints"
    ))]);
    Ok(())
}

/// Asks before something is deleted. Without a terminal `--yes` is needed.
async fn is_agreed(what: &str, app: &mut App<'_>) -> Result<(), Error> {
    if app.global.yes {
        return Ok(());
    }
    if !app.terminal.is_interactive() {
        return Err(Error::Usage(format!(
            "{what}? There is no terminal to ask at; use --yes"
        )));
    }
    let prompt = format!("{what}? [y/N] ");
    match app
        .terminal
        .read_line(Topic::Detail, &prompt, app.output)
        .await?
    {
        Line::Text(words) if matches!(words.trim().to_lowercase().as_str(), "y" | "yes") => Ok(()),
        _ => Err(Error::Cancelled),
    }
}
