//! `superstep threads list`.

use serde_json::{Value as Json, json};
use superstep_core::id::{CheckpointId, ThreadId};
use superstep_engine::clock::made_at;

use super::{Shelf, Standing, ago};
use crate::{
    agents::Agent,
    failure::Failure,
    output::{Form, Output, Piece, bad, faint, good, plain, strong},
};

/// One line of the list.
struct Line {
    thread: ThreadId,
    agent: Option<Agent>,
    /// Nothing for a thread that cannot be read here.
    standing: Option<Standing>,
    checkpoint: Option<CheckpointId>,
    title: String,
}

pub(super) async fn run(
    shelf: &Shelf,
    agent: Option<Agent>,
    waiting: bool,
    output: &Output,
) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for thread in shelf.saver.threads().await? {
        let of = Agent::of(thread.as_str());
        if agent.is_some() && agent != of {
            continue;
        }
        let line = read(shelf, thread, of).await;
        if !waiting || line.standing == Some(Standing::Waiting) {
            lines.push(line);
        }
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.checkpoint));
    for line in &lines {
        tell(line, output)?;
    }
    if lines.is_empty() && output.form == Form::Text {
        output.say(&[faint("there is no such thread")]);
    }
    Ok(())
}

/// A thread that cannot be read is listed all the same.
async fn read(shelf: &Shelf, thread: ThreadId, agent: Option<Agent>) -> Line {
    let mut line = Line {
        thread,
        agent,
        standing: None,
        checkpoint: None,
        title: String::new(),
    };
    let Some(agent) = agent else {
        return line;
    };
    let read = async {
        let graph = shelf.graph_of(agent)?;
        shelf.snapshot(&graph, line.thread.as_str(), None).await
    };
    match read.await {
        Ok(snapshot) => {
            let state = serde_json::to_value(&snapshot.values).unwrap_or(Json::Null);
            line.standing = Some(Standing::of(&snapshot));
            line.checkpoint = snapshot.checkpoint;
            line.title = agent.title(&state);
        }
        Err(failure) => line.title = failure.to_string(),
    }
    line
}

fn tell(line: &Line, output: &Output) -> Result<(), Failure> {
    let agent = line.agent.map(Agent::name);
    if output.form == Form::Json {
        return output.json(&json!({
            "thread": line.thread.as_str(), "agent": agent, "status": line.standing,
            "updated_ms": line.checkpoint.map(|id| made_at(id) / 1000), "title": line.title,
        }));
    }
    let standing = match line.standing {
        Some(Standing::Waiting) => strong("waiting  "),
        Some(Standing::Done) => good("done     "),
        Some(Standing::Failed) => bad("failed   "),
        Some(Standing::Cut) => plain("cut      "),
        None => faint("?        "),
    };
    let when = line.checkpoint.map(ago).unwrap_or_default();
    output.data(&[
        strong(format!("{:<20} ", line.thread.as_str())),
        standing,
        faint(format!("{when:<12}")),
        title(&line.title),
    ])
}

fn title(text: &str) -> Piece {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => plain(format!("{}…", text.get(..at).unwrap_or(text))),
        None => plain(text),
    }
}
