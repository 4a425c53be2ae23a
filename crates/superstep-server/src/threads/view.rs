//! A thread as clients see it: its record, what is going on with it, and its values.

use serde_json::{Map, Value as Json, json};
use superstep::{
    ErrorKind, RunQuery, RunRecord, RunStatus,
    clock::made_at,
    dynamic::{GraphPath, Resume, state::Depth},
    runs::QueuedInput,
    saver::{At, ThreadInfo},
};

use crate::{
    app::App,
    forms::{self, snapshot},
    records::thread::Record,
    refusal::Refusal,
    runs, time,
};

impl App {
    /// A thread as clients see it.
    pub(crate) async fn thread(&self, id: &str, record: &Record) -> Result<Json, Refusal> {
        self.thread_row(id, record, false).await
    }

    /// The same, if wanted with its title and its outcome as people see them.
    pub(crate) async fn thread_row(
        &self,
        id: &str,
        record: &Record,
        has_view: bool,
    ) -> Result<Json, Refusal> {
        let thread = record.thread(id);
        let root = GraphPath::default();
        let newest = self.saver.load(&thread, &root, At::Latest).await?;
        let run = self.newest_run(&thread).await?;
        let info = ThreadInfo::of(thread.clone(), newest.as_ref(), run.as_slice());
        let made = info.checkpoint.map(made_at);
        let made = made.and_then(|made| i64::try_from(made).ok());
        let used = info.updated.map(|millis| millis.saturating_mul(1000));
        let changed = made.unwrap_or_default().max(record.created);
        let mut view = json!({
            "thread_id": id,
            "created_at": time::text(record.created),
            "updated_at": time::text(record.updated.max(changed).max(used.unwrap_or_default())),
            "state_updated_at": time::text(changed),
            "metadata": record.metadata,
            "status": "idle",
            "config": {},
            "values": null,
        });
        let Json::Object(fields) = &mut view else {
            return Ok(view);
        };
        let graph = record
            .graph()
            .and_then(|graph| self.registry.graph(graph).ok());
        let mut standing = status(info.status, false);
        let mut seen = None;
        if let (Some(hosted), true) = (graph, newest.is_some()) {
            match hosted.graph.state(&thread, None, Depth::Here).await {
                Ok(state) => {
                    standing = status(info.status, !state.next.is_empty());
                    let values = forms::message::shown(state.values.to_json());
                    fields.insert("values".to_owned(), values);
                    let error = run.as_ref().and_then(|run| runs::end::failure(run, &state));
                    fields.insert("error".to_owned(), error.unwrap_or_default());
                    fields.insert("interrupts".to_owned(), snapshot::interrupts(&state));
                    let queued = RunQuery {
                        status: Some(RunStatus::Queued),
                        ..RunQuery::default()
                    };
                    let queued = self.saver.runs().load_runs(&thread, &queued).await?;
                    let waiting: Vec<Json> = queued.iter().filter_map(queued_answer).collect();
                    if !waiting.is_empty() {
                        fields.insert("queued_answers".to_owned(), waiting.into());
                    }
                    seen = Some((hosted, state));
                }
                Err(error) if matches!(&*error.kind, ErrorKind::Saver(_)) => {
                    return Err(error.into());
                }
                // A thread that its graph cannot read does not hide all the others.
                Err(error) => {
                    standing = "error";
                    let error = json!({ "error": error.code(), "message": error.to_string() });
                    fields.insert("error".to_owned(), error);
                }
            }
        }
        fields.insert("status".to_owned(), standing.into());
        if has_view {
            let brief = self.brief(seen.as_ref(), record, &view).await;
            if let Json::Object(fields) = &mut view {
                fields.insert("view".to_owned(), brief);
            }
        }
        Ok(view)
    }
}

/// Answers that wait for their time: the run that brings them can still be cancelled, and their questions are open.
fn queued_answer(run: &RunRecord) -> Option<Json> {
    let queued = run.waiting()?;
    let QueuedInput::Command(_, Some(Resume::ById(answers))) = &queued.input else {
        return None;
    };
    let answers = answers
        .iter()
        .map(|(id, answer)| (id.to_string(), answer.to_json()));
    Some(json!({
        "run_id": run.id.to_string(),
        "due_at": time::text(queued.due.saturating_mul(1000)),
        "answers": answers.collect::<Map<_, _>>(),
    }))
}

/// The status that clients see.
pub(super) fn status(status: RunStatus, has_more: bool) -> &'static str {
    match status {
        RunStatus::Queued | RunStatus::Running | RunStatus::Sleeping => "busy",
        RunStatus::Failed => "error",
        _ if has_more => "interrupted",
        _ => "idle",
    }
}
