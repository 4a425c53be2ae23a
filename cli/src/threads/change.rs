//! `superstep threads fork`, `delete` and `prune`.

use std::time::Duration;

use serde_json::json;
use superstep::{
    CheckpointRef, SaverError, ThreadId,
    clock::{Clock, SystemClock, made_at},
    dynamic::{AS_COPY, Certainty, DynGraph, DynUpdate, Output as Written, Repeated},
    saver::{Keep, Retention},
};

use super::{Status, ThreadReader};
use crate::{
    app::App,
    args::{At, Delete, Prune},
    consent::is_agreed,
    error::Error,
    output::{Form, bad, count, faint, plain, shown},
    running,
};

/// Copies a thread, and goes back to a checkpoint in the copy. The original is left as it is.
pub(super) async fn fork(
    reader: &ThreadReader,
    at: &At,
    (name, repeat): (Option<String>, bool),
    app: &App<'_>,
) -> Result<(), Error> {
    let output = app.output;
    let agent = reader.agent(&at.thread).await?;
    let graph = reader.graph_of(agent)?;
    let back = match at.at.as_deref() {
        Some(text) => {
            let back = reader.snapshot(&graph, &at.thread, Some(text)).await?;
            let back = back.checkpoint.map(CheckpointRef::root);
            // Before there is a copy: an earlier step knows nothing of what was done since.
            if let (Some(back), false) = (&back, repeat) {
                let thread = ThreadId::from(&*at.thread);
                let effects = graph.effects_since(&thread, back).await?;
                if !effects.is_empty() {
                    return Err(Error::Repeats {
                        step: text.to_owned(),
                        thread: at.thread.clone(),
                        effects: named(&effects),
                    });
                }
            }
            back
        }
        None => None,
    };
    let name = match name {
        Some(name) => {
            agent.check_name(&name)?;
            name
        }
        None => agent.new_thread(&*reader.saver).await?,
    };
    let copy = ThreadId::from(name.as_str());
    graph
        .copy_thread(&ThreadId::from(&*at.thread), &copy)
        .await?;
    if let Some(back) = back {
        let update = DynUpdate {
            output: Written::Nothing,
            as_node: Some(AS_COPY.into()),
        };
        let back = back.repeating();
        graph.update_state(&copy, Some(&back), update).await?;
    }
    let made = reader.snapshot(&graph, &name, None).await?;
    let state = serde_json::to_value(&made.values).unwrap_or_default();
    let model = reader.model(&ThreadId::from(&*at.thread), &state).await;
    if output.form == Form::Json {
        return output.json(&json!({"thread": name, "from": at.thread, "model": model}));
    }
    let line = running::of(agent).resume_command(&name, &made, app.global);
    output.data(&[plain(&name)])?;
    output.say(&[plain(format!("resume it with {}", shown(&line)))]);
    if let Some(model) = model {
        output.note(&[faint(format!("the thread was begun with {model}"))]);
    }
    Ok(())
}

/// What was done, in one line.
fn named(effects: &[Repeated]) -> String {
    const MOST: usize = 5;
    let mut named: Vec<String> = effects.iter().take(MOST).map(ToString::to_string).collect();
    let left = effects.len().saturating_sub(MOST);
    if left > 0 {
        named.push(format!("and {left} more"));
    }
    named.join("; ")
}

/// What the open tasks of a thread began, and nobody knows whether it happened.
async fn unknown(graph: &DynGraph, thread: &ThreadId) -> Result<Vec<Repeated>, Error> {
    let newest = CheckpointRef::default();
    let mut begun = graph.effects_since(thread, &newest).await?;
    begun.retain(|it| it.effect.certainty == Certainty::Unknown);
    Ok(begun)
}

pub(super) async fn delete(
    reader: &ThreadReader,
    which: &Delete,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let mut threads = Vec::new();
    for thread in &which.threads {
        threads.push(reader.for_deletion(thread).await?);
    }
    for thread in &threads {
        let (status, title) = reader.about(thread).await;
        let title: String = title.chars().take(200).collect();
        app.output.say(&[
            plain(format!("{}  ", shown(thread))),
            faint(status.map_or("?", Status::as_str)),
            plain(format!("  {title}")),
        ]);
        // A thread that cannot be read can be deleted, too.
        if let Ok(graph) = reader
            .agent(thread)
            .await
            .and_then(|it| reader.graph_of(it))
            && let Ok(effects) = unknown(&graph, &ThreadId::from(&**thread)).await
            && !effects.is_empty()
        {
            app.output.say(&[bad(format!(
                "  outcome unknown: {}",
                shown(named(&effects))
            ))]);
        }
    }
    let what = match threads.as_slice() {
        [only] => format!("delete thread {}", shown(only)),
        all => format!("delete {}", count(all.len(), "thread")),
    };
    is_agreed(&what, app).await?;
    for thread in &threads {
        reader.delete(&ThreadId::from(&**thread)).await?;
        if app.output.form == Form::Json {
            app.output.json(&json!({"deleted": thread}))?;
        } else {
            app.output
                .say(&[plain(format!("deleted {}", shown(thread)))]);
        }
    }
    Ok(())
}

pub(super) async fn prune(
    reader: &ThreadReader,
    which: &Prune,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let keep = which.keep.map(|number| Keep::Last(number.get()));
    let of = which.thread.as_deref();
    let dropping = which.keep.map(|number| {
        let checkpoints = count(number.get(), "checkpoint");
        let of = of.map_or("every thread".into(), |thread| {
            format!("thread {}", shown(thread))
        });
        format!("drop all but the last {checkpoints} of {of}")
    });
    if let (Some(thread), Some(keep), Some(what)) = (of, keep, &dropping) {
        reader.agent(thread).await?;
        is_agreed(what, app).await?;
        reader.saver.prune(&ThreadId::from(thread), keep).await?;
        app.output
            .say(&[plain(format!("pruned {}", shown(thread)))]);
        return Ok(());
    }
    let mut unused = Unused::find(reader, which.unused_days).await?;
    let what = [unused.question(which.unused_days), dropping];
    let what: Vec<String> = what.into_iter().flatten().collect();
    if !what.is_empty() {
        is_agreed(&what.join(", and "), app).await?;
        // Some may have been used while the question was open.
        let now = Unused::find(reader, which.unused_days).await?;
        unused.threads.retain(|thread| now.threads.contains(thread));
    }
    let mut deleted = Vec::new();
    for thread in &unused.threads {
        match reader.delete(thread).await {
            Ok(()) => deleted.push(thread.as_str()),
            // It is used at this moment.
            Err(Error::Saver(SaverError::Busy { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    let retention = Retention { keep, idle: None };
    let done = reader.saver.retain(&retention, SystemClock.now()).await?;
    if app.output.form == Form::Json {
        let waiting: Vec<_> = unused.waiting.iter().map(ThreadId::as_str).collect();
        let of_unknown = unused.of_unknown.iter();
        let unknown: Vec<_> = of_unknown.map(|(thread, _)| thread.as_str()).collect();
        return app.output.json(&json!({
            "deleted": deleted, "waiting": waiting, "unknown": unknown, "pruned": done.pruned,
        }));
    }
    let threads = count(deleted.len(), "thread");
    let checkpoints = count(done.pruned, "checkpoint");
    app.output
        .say(&[plain(format!("deleted {threads}, dropped {checkpoints}"))]);
    for thread in &unused.waiting {
        app.output.say(&[plain(format!(
            "kept {}, which has an open question",
            shown(thread)
        ))]);
    }
    for (thread, effects) in &unused.of_unknown {
        app.output.say(&[plain(format!(
            "kept {}, outcome unknown: {}",
            shown(thread),
            shown(effects)
        ))]);
    }
    Ok(())
}

/// Threads that were not used for some time.
#[derive(Default)]
struct Unused {
    /// Those that can go.
    threads: Vec<ThreadId>,
    /// Those with an open question, which stay.
    waiting: Vec<ThreadId>,
    /// Those that began something of which nobody knows whether it happened, and what. They stay, too.
    of_unknown: Vec<(ThreadId, String)>,
}

impl Unused {
    /// A thread that cannot be read here may have an open question, so it is left alone.
    async fn find(reader: &ThreadReader, days: Option<u64>) -> Result<Self, Error> {
        let mut found = Self::default();
        let Some(days) = days else {
            return Ok(found);
        };
        let idle = Duration::from_secs(days.saturating_mul(86_400));
        let retention = Retention {
            keep: None,
            idle: Some(idle),
        };
        let now = SystemClock.now();
        for thread in reader.saver.threads().await? {
            let Some(agent) = reader.agent_of(&thread).await else {
                continue;
            };
            let graph = reader.graph_of(agent)?;
            let Ok(snapshot) = reader.snapshot(&graph, thread.as_str(), None).await else {
                continue;
            };
            let used = snapshot
                .checkpoint
                .and_then(|id| i64::try_from(made_at(id) / 1000).ok());
            if !used.is_some_and(|used| retention.ends(used, now)) {
                continue;
            }
            let Ok(status) = reader.status(&graph, &snapshot).await else {
                continue;
            };
            if status == Status::Waiting {
                found.waiting.push(thread);
                continue;
            }
            // What has ended has begun nothing.
            let effects = match snapshot.next.is_empty() {
                true => Vec::new(),
                false => match unknown(&graph, &thread).await {
                    Ok(effects) => effects,
                    Err(_) => continue,
                },
            };
            match effects.as_slice() {
                [] => found.threads.push(thread),
                effects => found.of_unknown.push((thread, named(effects))),
            }
        }
        Ok(found)
    }

    /// What is asked before they go; nothing if there are none.
    fn question(&self, days: Option<u64>) -> Option<String> {
        let days = days.filter(|_| !self.threads.is_empty())?;
        let threads = count(self.threads.len(), "thread");
        let days = count(usize::try_from(days).unwrap_or(usize::MAX), "day");
        let but = match self.waiting.len() {
            0 => String::new(),
            waiting => format!(" (not {waiting} with an open question)"),
        };
        Some(format!("delete {threads} not used for {days}{but}"))
    }
}
