//! `superstep threads list`.

use std::num::NonZeroUsize;

use serde_json::{Value as Json, json};
use superstep::{CheckpointId, SaverError, ThreadId, clock::made_at};

use superstep_server::thread_uuid;

use super::{Status, ThreadReader, ago};
use crate::{
    agents::Agent,
    args::ListThreads,
    error::Error,
    output::{Form, Output, Span, bad, faint, good, plain, shown, strong},
};

/// One row of the list.
pub(super) struct Row {
    pub(super) thread: ThreadId,
    agent: Option<Agent>,
    /// Nothing for a thread that cannot be read here.
    pub(super) status: Option<Status>,
    checkpoint: Option<CheckpointId>,
    pub(super) title: String,
    /// Nothing if the long-term memory, which says so, cannot be read.
    is_imported: Option<bool>,
}

pub(super) async fn run(
    reader: &ThreadReader,
    wanted: &ListThreads,
    output: &Output,
) -> Result<(), Error> {
    let imports = reader.imports()?;
    let status = match wanted.waiting {
        true => Some(Status::Waiting),
        false => wanted.status,
    };
    let search = wanted.search.as_ref().map(|text| text.to_lowercase());
    let mut rows = Vec::new();
    let mut unread = None;
    for thread in reader.saver.threads().await? {
        let of = reader.agent_of(&thread).await;
        if wanted.agent.is_some() && wanted.agent != of {
            continue;
        }
        let is_imported = match imports.find(&thread).await {
            Ok(found) => Some(found.is_some()),
            Err(error) => {
                unread = Some(Error::from(error));
                None
            }
        };
        let row = Row {
            is_imported,
            ..read(reader, thread, of).await
        };
        if (status.is_none() || row.status == status) && row.has_text(search.as_deref()) {
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.checkpoint));
    rows.truncate(wanted.limit.map_or(usize::MAX, NonZeroUsize::get));
    for row in &rows {
        tell(row, output)?;
    }
    if let Some(error) = unread {
        let code = error.code().unwrap_or_default();
        output.say(&[
            bad(format!(
                "which threads were imported is not known [{code}]: "
            )),
            plain(shown(&error)),
        ]);
        for hint in error.hints() {
            output.say(&[faint(hint)]);
        }
    }
    if rows.is_empty() && output.form == Form::Text {
        let is_narrow = wanted.agent.is_some() || status.is_some() || search.is_some();
        match is_narrow {
            true => output.say(&[faint("No such threads.")]),
            false => none_yet(output),
        }
    }
    Ok(())
}

/// That there are none, and how to start one.
pub(super) fn none_yet(output: &Output) {
    if output.form == Form::Text {
        output.say(&[plain("No threads yet. Start one:")]);
        output.say(&[plain(
            "  superstep ask 'Which services write to the ledger?'",
        )]);
        output.say(&[plain(
            "  superstep analyze --query 'One service or two?' --inputs docs",
        )]);
    }
}

/// All threads, the most recently used first.
pub(super) async fn rows(reader: &ThreadReader) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for thread in reader.saver.threads().await? {
        let of = reader.agent_of(&thread).await;
        rows.push(read(reader, thread, of).await);
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.checkpoint));
    Ok(rows)
}

impl Row {
    /// Whether its name or title has a text, given in lower case.
    fn has_text(&self, text: Option<&str>) -> bool {
        let places = [self.thread.as_str(), &self.title];
        let has = |text: &str| places.iter().any(|it| it.to_lowercase().contains(text));
        text.is_none_or(has)
    }
}

/// A thread that cannot be read is listed all the same.
async fn read(reader: &ThreadReader, thread: ThreadId, agent: Option<Agent>) -> Row {
    let mut row = Row {
        thread,
        agent,
        status: None,
        checkpoint: None,
        title: String::new(),
        is_imported: None,
    };
    let Some(agent) = agent else {
        return row;
    };
    let read = async {
        let graph = reader.graph_of(agent)?;
        let snapshot = reader.snapshot(&graph, row.thread.as_str(), None).await?;
        let status = reader.status(&graph, &snapshot).await?;
        Ok::<_, Error>((snapshot, status))
    };
    match read.await {
        // It is listed and is not found: its name is not what it was.
        Ok((snapshot, _)) if snapshot.checkpoint.is_none() => {
            row.title = shown(SaverError::Corrupt("its name is damaged".to_owned()));
        }
        Ok((snapshot, status)) => {
            let state = serde_json::to_value(&snapshot.values).unwrap_or(Json::Null);
            row.status = Some(match reader.is_running(&row.thread).await {
                true => Status::Running,
                false => status,
            });
            row.checkpoint = snapshot.checkpoint;
            row.title = agent.title(&state);
        }
        Err(error) => row.title = shown(error),
    }
    row
}

fn tell(row: &Row, output: &Output) -> Result<(), Error> {
    let agent = row.agent.map(Agent::name);
    if output.form == Form::Json {
        return output.json(&json!({
            "thread": row.thread.as_str(), "agent": agent, "status": row.status,
            "updated_ms": row.checkpoint.map(|id| made_at(id) / 1000), "title": row.title,
            "imported": row.is_imported, "uuid": thread_uuid(row.thread.as_str()).to_string(),
        }));
    }
    let status = match row.status {
        Some(Status::Running) => strong("running      "),
        Some(Status::Waiting) => strong("waiting      "),
        Some(Status::Done) => good("done         "),
        Some(Status::Failed) => bad("failed       "),
        Some(Status::Interrupted) => plain("interrupted  "),
        None => faint("?            "),
    };
    let when = row.checkpoint.map(ago).unwrap_or_default();
    output.data(&[
        strong(format!("{:<20} ", shown(&row.thread))),
        status,
        faint(format!("{when:<12}")),
        faint(match row.is_imported {
            Some(true) => "imported  ",
            Some(false) => "",
            None => "imported?  ",
        }),
        title(&row.title),
    ])
}

fn title(text: &str) -> Span {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => plain(format!("{}…", text.get(..at).unwrap_or(text))),
        None => plain(text),
    }
}
