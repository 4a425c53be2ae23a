//! `superstep trace`: the run trees of threads, from their logs.

use std::{cmp::Reverse, sync::Arc};

use serde_json::{Value as Json, json};
#[cfg(feature = "remote")]
use superstep::trace::export::{ExportOptions, Exporter};
use superstep::{
    Saver,
    text::{Capture, Privacy},
    trace::{
        Run, RunTree, View,
        otlp::{self, Origin},
        text::Detail,
    },
};
use superstep_agent::in_micro_usd;

use crate::{
    app::App,
    args::{ExportFormat, TraceCommand, Which},
    database,
    error::Error,
    output::{Form, Output, bad, faint, plain, shown, strong},
    thread_reader::ThreadReader,
    units,
};

/// How long a collector may take for all of it.
#[cfg(feature = "remote")]
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);

pub(crate) async fn run(command: TraceCommand, app: &App<'_>) -> Result<(), Error> {
    if matches!(command, TraceCommand::List { thread: None })
        && database::is_not_made_yet(app.global)?
    {
        none_yet(app.output);
        return Ok(());
    }
    let saver = database::threads(app.global)?;
    let mut command = command;
    if let Some(thread) = named_in(&mut command) {
        match ThreadReader::open(app.global)?.named(thread).await {
            Ok(name) => *thread = name,
            // A run that was killed early leaves a log and no thread.
            Err(Error::Missing { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    match command {
        TraceCommand::List { thread: None } => threads(&*saver, app.output).await,
        TraceCommand::List {
            thread: Some(thread),
        } => {
            let tree = tree(&saver, &thread, &View::default()).await?;
            if app.output.form == Form::Json {
                return app.output.json(&in_micro_usd(tree.to_json()));
            }
            lines(&tree.list(), app.output)
        }
        TraceCommand::Show {
            thread,
            which,
            content,
        } => {
            let tree = chosen(tree(&saver, &thread, &which.view()).await?, &which)?;
            if app.output.form == Form::Json {
                return app.output.json(&in_micro_usd(tree.to_json()));
            }
            let detail = content.map_or(Detail::Brief, Detail::Content);
            lines(&tree.show(detail), app.output)
        }
        #[cfg(feature = "remote")]
        TraceCommand::Export {
            thread,
            which,
            to: Some(endpoint),
            ..
        } => send(&saver, &thread, &which, endpoint, app.output).await,
        TraceCommand::Export {
            thread,
            which,
            format,
            ..
        } => {
            let tree = chosen(tree(&saver, &thread, &which.view()).await?, &which)?;
            app.output.json(&exported(&tree, format))
        }
    }
}

/// The thread that a command is about.
fn named_in(command: &mut TraceCommand) -> Option<&mut String> {
    match command {
        TraceCommand::List { thread } => thread.as_mut(),
        TraceCommand::Show { thread, .. } | TraceCommand::Export { thread, .. } => Some(thread),
    }
}

impl Which {
    fn view(&self) -> View {
        let mut privacy = Privacy::default();
        if self.no_content {
            privacy.capture = Capture::None;
        }
        View {
            privacy,
            ..View::default()
        }
    }
}

async fn threads(saver: &dyn Saver, output: &Output) -> Result<(), Error> {
    let mut rows = Vec::new();
    let mut damaged = Vec::new();
    for name in saver.threads().await? {
        match RunTree::read(saver, name.as_str(), &View::default()).await {
            Ok(mut tree) => {
                let count = tree.runs.len();
                rows.extend(tree.runs.pop().map(|last| (name, count, last)));
            }
            // One that is damaged hides no other.
            Err(error) => damaged.push((name, Error::from(error))),
        }
    }
    // The most recently used first, as threads are listed.
    rows.sort_by_key(|(_, _, last)| Reverse(last.root.started));
    let logged = rows.len() + damaged.len();
    if !rows.is_empty() && output.form == Form::Text {
        let head = format!(
            "{:<24}{:>5} {:<5}{:<13}{}",
            "THREAD", "RUNS", "", "STATUS", "GRAPH"
        );
        output.data(&[faint(head)])?;
    }
    for (name, error) in &damaged {
        unread(name.as_str(), error, output)?;
    }
    for (name, count, last) in rows {
        let status = last.root.status;
        if output.form == Form::Json {
            output.json(&json!({
                "thread": name.as_str(), "runs": count, "last": last.number,
                "last_ordinal": last.ordinal, "started_at": last.root.started.map(units::iso),
                "cost_micro_usd": last.root.totals.cost,
                "status": status.as_str(), "graph": &*last.root.name,
            }))?;
            continue;
        }
        let runs = if count == 1 { "run" } else { "runs" };
        output.data(&[
            strong(format!("{:<24}", shown(&name))),
            plain(format!("{count:>5} {runs:<5}{:<13}", status.label())),
            faint(&last.root.name),
        ])?;
    }
    if logged == 0 && output.form == Form::Text {
        none_yet(output);
    }
    Ok(())
}

fn none_yet(output: &Output) {
    if output.form == Form::Text {
        output.say(&[faint(
            "No traces yet. Every run of `superstep ask`, `analyze` or `mail ingest` leaves one.",
        )]);
    }
}

fn unread(thread: &str, error: &Error, output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        let (code, message) = (error.code(), error.to_string());
        return output.json(&json!({
            "thread": thread, "error": {"code": code, "message": message},
        }));
    }
    output.data(&[
        strong(format!("{:<24}", shown(thread))),
        bad(format!("[{}] ", error.code().unwrap_or_default())),
        plain(shown(error)),
    ])
}

/// The runs of a thread, of which there must be one.
async fn tree(saver: &Arc<dyn Saver>, thread: &str, view: &View) -> Result<RunTree, Error> {
    let tree = RunTree::read(&**saver, thread, view).await?;
    if tree.runs.is_empty() {
        return Err(Error::Missing {
            what: shown(format!("thread `{thread}` has no log")),
            hint: "see `superstep trace list`",
        });
    }
    Ok(tree)
}

/// The tree with the runs that were asked for.
fn chosen(mut tree: RunTree, which: &Which) -> Result<RunTree, Error> {
    if which.all {
        return Ok(tree);
    }
    let runs: Vec<Run> = match which.run {
        Some(number) => tree.named(number).cloned().into_iter().collect(),
        None => tree.runs.pop().into_iter().collect(),
    };
    if runs.is_empty() {
        return Err(Error::Missing {
            what: shown(format!("thread `{}` has no such run", tree.thread)),
            hint: "`superstep trace list` with the name of the thread lists its runs",
        });
    }
    tree.runs = runs;
    Ok(tree)
}

fn exported(tree: &RunTree, format: ExportFormat) -> Json {
    match format {
        ExportFormat::Json => in_micro_usd(tree.to_json()),
        ExportFormat::Otlp => {
            let origin = Origin::default();
            otlp::request_json(&tree.to_otlp(&origin), &origin)
        }
    }
}

/// Sends runs to a collector and waits until it has them.
#[cfg(feature = "remote")]
async fn send(
    saver: &Arc<dyn Saver>,
    thread: &str,
    which: &Which,
    endpoint: String,
    output: &Output,
) -> Result<(), Error> {
    use crate::output::count;

    let tree = chosen(tree(saver, thread, &which.view()).await?, which)?;
    let variables = |name: &str| match name {
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" => Some(endpoint.clone()),
        other => std::env::var(other).ok(),
    };
    let options = ExportOptions::from_vars(variables)?;
    let mut options = options.unwrap_or_else(|| ExportOptions::to(endpoint.clone()));
    options.privacy = which.view().privacy;
    let exporter = Exporter::start(options)?;
    for run in &tree.runs {
        exporter.offer(saver, thread, run.number);
    }
    let report = exporter.shutdown(TIMEOUT).await;
    if report.dropped > 0 {
        let why = report
            .reason
            .unwrap_or_else(|| "no reason was given".into());
        return Err(Error::Unsent {
            dropped: report.dropped,
            why,
        });
    }
    let (sent, spans) = (report.sent, report.spans);
    if output.form == Form::Json {
        return output.json(&json!({"sent": sent, "spans": spans, "rejected": report.rejected}));
    }
    output.say(&[plain(format!(
        "sent {}, {}",
        count(usize::try_from(sent).unwrap_or(usize::MAX), "run"),
        count(usize::try_from(spans).unwrap_or(usize::MAX), "span")
    ))]);
    if report.rejected > 0 {
        output.say(&[strong(format!(
            "the collector threw {} spans away",
            report.rejected
        ))]);
    }
    Ok(())
}

fn lines(text: &str, output: &Output) -> Result<(), Error> {
    text.lines()
        .try_for_each(|line| output.data(&[plain(line)]))
}
