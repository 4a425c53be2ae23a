//! `superstep threads history`.

use serde_json::json;
use superstep::clock::made_at;

use super::{Status, ThreadReader, ago, diff};
use crate::{
    error::Error,
    output::{Form, Output, faint, plain, strong},
};

pub(super) async fn run(
    reader: &ThreadReader,
    thread: &str,
    limit: Option<usize>,
    output: &Output,
) -> Result<(), Error> {
    let graph = reader.graph(thread).await?;
    let all = reader.history(&graph, thread, limit).await?;
    for (n, snapshot) in all.iter().enumerate() {
        let Some(id) = snapshot.checkpoint else {
            continue;
        };
        let (source, step) = snapshot
            .origin
            .map_or(("", 0), |(source, step)| (source.as_str(), step));
        let before = all.get(n + 1);
        let changed: Vec<String> = before
            .map(|before| diff::fields(&before.values, &snapshot.values))
            .unwrap_or_default();
        if output.form == Form::Json {
            output.json(&json!({
                "checkpoint": id.to_string(), "parent": snapshot.parent.map(|id| id.to_string()),
                "step": step, "source": source, "next": snapshot.next, "changed": changed,
                "status": Status::of(snapshot), "made_ms": made_at(id) / 1000,
            }))?;
            continue;
        }
        let next = match snapshot.next.is_empty() {
            true => "the end".to_owned(),
            false => snapshot.next.join(", "),
        };
        let changed = match changed.is_empty() {
            true => String::new(),
            false => format!("  changed: {}", changed.join(", ")),
        };
        output.data(&[
            strong(format!("{step:>4}  ")),
            faint(format!("{id}  {:<12}", ago(id))),
            plain(format!("{source:<7} → {next}")),
            faint(changed),
        ])?;
    }
    Ok(())
}
