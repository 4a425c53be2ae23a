//! Copying threads and throwing them away.

use std::time::Duration;

use serde_json::json;
use superstep::{
    CheckpointRef,
    dynamic::{Output as Written, Update},
};
use superstep_core::{
    clock::Clock,
    edit::AS_COPY,
    id::ThreadId,
    saver::{Keep, Retention},
};
use superstep_engine::clock::SystemClock;

use super::Shelf;
use crate::{
    agents::Agent,
    args::{At, Delete, Global, Prune},
    failure::Failure,
    output::{Form, Output, plain},
    person::{Person, Said, Topic},
};

/// Copies a thread, and goes back to a checkpoint in the copy. The original is left as it is.
pub(super) async fn fork(
    shelf: &Shelf,
    at: &At,
    name: Option<String>,
    output: &Output,
) -> Result<(), Failure> {
    let agent = shelf.agent(&at.thread).await?;
    let graph = shelf.graph_of(agent)?;
    let back = match at.at.as_deref() {
        Some(text) => {
            shelf
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
            return Err(Failure::Usage(format!(
                "`{name}` is no name for a thread of {wanted}: it must begin with `{wanted}-`"
            )));
        }
        None => agent.new_thread(&*shelf.saver).await?,
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
    output.say(&[plain(format!("go on with superstep threads resume {name}"))]);
    Ok(())
}

pub(super) async fn delete(
    shelf: &Shelf,
    which: &Delete,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let all = shelf.saver.threads().await?;
    for thread in &which.threads {
        if all.iter().all(|known| known.as_str() != thread) {
            // Says what is meant if the name is nearly right.
            shelf.agent(thread).await?;
        }
    }
    let count = which.threads.len();
    let what = match which.threads.as_slice() {
        [only] => format!("Delete thread {only}"),
        _ => format!("Delete {count} threads"),
    };
    is_agreed(&what, global, output, person).await?;
    for thread in &which.threads {
        shelf.saver.delete(&ThreadId::from(&**thread)).await?;
        if output.form == Form::Json {
            output.json(&json!({"deleted": thread}))?;
        } else {
            output.say(&[plain(format!("deleted {thread}"))]);
        }
    }
    Ok(())
}

pub(super) async fn prune(
    shelf: &Shelf,
    which: &Prune,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let keep = which.keep.map(|count| Keep::Last(count.max(1)));
    if let Some((thread, keep)) = which.thread.as_deref().zip(keep) {
        shelf.agent(thread).await?;
        shelf.saver.prune(&ThreadId::from(thread), keep).await?;
        output.say(&[plain(format!("pruned {thread}"))]);
        return Ok(());
    }
    if let Some(days) = which.unused_days {
        let what = format!("Delete every thread that was not used for {days} days");
        is_agreed(&what, global, output, person).await?;
    }
    let retention = Retention {
        keep,
        idle: which
            .unused_days
            .map(|days| Duration::from_secs(days.saturating_mul(86_400))),
    };
    let done = shelf.saver.retain(&retention, SystemClock.now()).await?;
    if output.form == Form::Json {
        let deleted: Vec<_> = done.deleted.iter().map(ThreadId::as_str).collect();
        return output.json(&json!({"deleted": deleted, "pruned": done.pruned}));
    }
    let (deleted, pruned) = (done.deleted.len(), done.pruned);
    output.say(&[plain(format!(
        "deleted {deleted} threads, dropped {pruned} checkpoints of others"
    ))]);
    Ok(())
}

/// Asks before something is thrown away. Without a person it must have been said beforehand.
async fn is_agreed(
    what: &str,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    if global.yes {
        return Ok(());
    }
    if !person.is_there() {
        return Err(Failure::Usage(format!(
            "{what}? Nobody can be asked; say --yes"
        )));
    }
    let prompt = format!("{what}? [y/N] ");
    match person.words(Topic::Detail, &prompt, output).await? {
        Said::Words(words) if matches!(words.trim().to_lowercase().as_str(), "y" | "yes") => Ok(()),
        _ => Err(Failure::Cancelled),
    }
}
