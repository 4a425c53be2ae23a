//! Builder of run trees from an event log: branches are found by namespace, task and span.
//!
//! A log may begin anywhere, runs may have no end, and entries of subgraphs come between those of
//! others, so whatever an entry speaks of is made when it is not there yet ([`draft`] keeps it), and
//! what is left open is closed when that which it is part of ends.

mod draft;
mod read;
mod sum;

use std::collections::HashSet;

use superstep_core::{
    event::{
        Ending, Entry, EventKind, Logged, LoggedEvent, Span, SpanError, SpanKind, SpanPhase,
        TraceIds,
    },
    id::{AskId, TaskId, ThreadId},
    record::StoredError,
    value::Value,
};
use superstep_text::Capture;

use self::draft::{Draft, Drafts};
use crate::tree::{Beginning, Kind, Run, Status, Unended, View};

/// The runs of a log.
fn runs(thread: &ThreadId, log: &[Logged], view: &View) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut seen: HashSet<TaskId> = HashSet::new();
    let of_one_run = log.chunk_by(|a, b| a.cursor.epoch == b.cursor.epoch);
    let last = log.last().map(|logged| logged.cursor.epoch);
    for entries in of_one_run {
        let Some(first) = entries.first() else {
            continue;
        };
        let unended = match view.unended {
            Unended::Running if last == Some(first.cursor.epoch) => Status::Running,
            _ => Status::Cut,
        };
        let mut builder = RunBuilder::new(thread, first, view);
        for entry in entries {
            builder.take(entry);
        }
        // A task keeps its id when a later run continues with it.
        let tasks = builder.drafts.tasks();
        let goes_on = tasks.iter().any(|task| seen.contains(task));
        let before = runs.last().map(|run| run.number);
        seen = tasks;
        let mut run = builder.finish(unended);
        run.continues = before.filter(|_| goes_on);
        run.ordinal = u64::try_from(runs.len())
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        runs.push(run);
    }
    runs
}

struct RunBuilder<'a> {
    view: &'a View,
    number: u64,
    ids: TraceIds,
    beginning: Beginning,
    asks: Vec<AskId>,
    ended: bool,
    /// The time of the last entry.
    now: Option<u64>,
    drafts: Drafts,
}

impl<'a> RunBuilder<'a> {
    fn new(thread: &ThreadId, first: &Logged, view: &'a View) -> Self {
        let (number, at) = (first.cursor.epoch, first.at);
        let (beginning, name, parent) = match &first.entry {
            Entry::Started {
                graph, traceparent, ..
            } => (Beginning::Known, graph.clone(), *traceparent),
            _ => (Beginning::Pruned, "".into(), None),
        };
        let started = at.filter(|_| beginning == Beginning::Known);
        let ids = TraceIds::new(thread.as_str(), number, started, parent);
        let name = if name.is_empty() {
            "graph".into()
        } else {
            name
        };
        let mut root = Draft::new(ids.root(), Kind::Graph, name);
        root.started = started;
        Self {
            view,
            number,
            ids,
            beginning,
            asks: Vec::new(),
            ended: false,
            now: at,
            drafts: Drafts::new(ids, root),
        }
    }

    fn take(&mut self, logged: &Logged) {
        self.now = logged.at.or(self.now);
        match &logged.entry {
            Entry::Started { .. } => {
                if let Some(root) = self.drafts.root() {
                    root.place.checkpoint = logged.checkpoint;
                }
            }
            Entry::Event(logged_event) => self.logged_event(logged_event, logged),
            Entry::Ended(ending) => self.end(ending),
        }
    }

    fn logged_event(&mut self, logged_event: &LoggedEvent, logged: &Logged) {
        let (namespace, step) = (&logged_event.event.namespace, logged_event.event.step);
        match &logged_event.event.kind {
            EventKind::TaskStart {
                id,
                name,
                input,
                caller,
            } => {
                let within = caller.and_then(|caller| self.drafts.task(caller));
                let within = within.unwrap_or_else(|| self.drafts.graph(namespace, self.now));
                let at = self.drafts.start_task(*id, name, within, self.now);
                let inputs = self.node_value(input);
                if let Some(draft) = self.drafts.get(at) {
                    draft.inputs = inputs;
                    draft.place.namespace = namespace.clone();
                    draft.place.step = Some(step);
                    draft.place.checkpoint = logged.checkpoint;
                }
            }
            EventKind::TaskEnd {
                id,
                name,
                result,
                error,
                asks,
            } => {
                let at = self.drafts.task(*id).unwrap_or_else(|| {
                    let within = self.drafts.graph(namespace, self.now);
                    self.drafts.start_task(*id, name, within, None)
                });
                let outputs = self.node_value(result);
                if let Some(draft) = self.drafts.get(at) {
                    draft.outputs = outputs;
                    draft.place.namespace = namespace.clone();
                    draft.place.step = Some(step);
                }
                let status = match error {
                    Some(_) => Status::Failed,
                    None if asks.is_empty() => Status::Done,
                    None => Status::Waiting,
                };
                let error = error.as_ref().map(|error| self.error(error));
                self.drafts.end_task(at, status, error, self.now);
            }
            EventKind::Span(span) => {
                let at = self.drafts.task(span.task).unwrap_or_else(|| {
                    let within = self.drafts.graph(namespace, self.now);
                    self.drafts
                        .start_task(span.task, &span.node, within, self.now)
                });
                if let Some(draft) = self.drafts.get(at) {
                    draft.place.step = Some(step);
                    draft.place.namespace = namespace.clone();
                }
                self.span(at, span, logged);
            }
            EventKind::Values { values, .. } if !values.is_null() => {
                let values = self.node_value(values);
                let at = self.drafts.graph(namespace, self.now);
                if let Some(graph) = self.drafts.get(at) {
                    if graph.inputs.is_null() && graph.outputs.is_null() {
                        graph.inputs = values.clone();
                    }
                    graph.outputs = values;
                }
            }
            _ => {}
        }
    }

    fn span(&mut self, task: usize, span: &Span, logged: &Logged) {
        let privacy = &self.view.privacy;
        match (&span.phase, span.kind) {
            (_, SpanKind::Reuse) => self.drafts.end_task(task, Status::Reused, None, self.now),
            (SpanPhase::Ended(end), SpanKind::Attempt) => {
                let error = end.error.as_ref().map(|error| self.told_error(error));
                self.drafts.end_attempt(task, span, error, self.now);
            }
            (SpanPhase::Started(start), _) => {
                let at = self.drafts.start_span(task, span, self.now);
                if let Some(draft) = self.drafts.get(at) {
                    draft.inputs = privacy.value(&start.inputs);
                    draft.place.checkpoint = logged.checkpoint;
                    draft.facts.absorb(start.facts.clone());
                }
            }
            (SpanPhase::Ended(end), _) => {
                let error = end.error.as_ref().map(|error| self.told_error(error));
                let known = self.drafts.span(span.id);
                // Its start was pruned.
                let at = known.unwrap_or_else(|| self.drafts.start_span(task, span, None));
                if let Some(draft) = self.drafts.get(at) {
                    draft.outputs = privacy.value(&end.outputs);
                    draft.facts.absorb(end.facts.clone());
                    draft.ended = self.now;
                    draft.status = Some(match error {
                        Some(_) => Status::Failed,
                        None => Status::Done,
                    });
                    draft.error = error;
                }
            }
        }
    }

    fn end(&mut self, ending: &Ending) {
        self.ended = true;
        let (status, open, error) = match ending {
            Ending::Done => (Status::Done, Status::Done, None),
            Ending::Waiting(asks) => {
                self.asks.clone_from(asks);
                (Status::Waiting, Status::Waiting, None)
            }
            Ending::Paused => (Status::Paused, Status::Paused, None),
            Ending::Sleeping { .. } => (Status::Waiting, Status::Waiting, None),
            Ending::Drained { .. } => (Status::Drained, Status::Cut, None),
            Ending::Failed { code, message } => {
                // The message of an error begins with its code.
                let said = message
                    .strip_prefix(&format!("[{code}] "))
                    .unwrap_or(message);
                let message = self.view.privacy.message(said);
                let error = SpanError::new(code.as_str(), message);
                (Status::Failed, Status::Cut, Some(error))
            }
            // It was cancelled or cut short.
            _ => (Status::Cut, Status::Cut, None),
        };
        if let Some(root) = self.drafts.root() {
            (root.status, root.ended, root.error) = (Some(status), self.now, error);
        }
        self.drafts.close(open, self.now);
    }

    fn finish(mut self, unended: Status) -> Run {
        if !self.ended {
            self.drafts.close(unended, None);
        }
        let (number, ids, beginning) = (self.number, self.ids, self.beginning);
        let asks = std::mem::take(&mut self.asks);
        Run {
            number,
            ordinal: 1,
            trace: ids.trace(),
            parent: ids.parent(),
            continues: None,
            beginning,
            asks,
            root: self.drafts.into_tree(),
        }
    }

    /// What a node got or gave; where content is not wanted there is none.
    fn node_value(&self, value: &Value) -> Value {
        match self.view.privacy.capture {
            Capture::Full => self.view.privacy.value(value),
            Capture::None => Value::Null,
        }
    }

    fn error(&self, error: &StoredError) -> SpanError {
        let StoredError {
            code,
            class,
            message,
            ..
        } = error;
        let message = self.view.privacy.message(message);
        let text = match class.as_str() {
            "" => message,
            class => format!("{class}: {message}"),
        };
        SpanError::new(code.as_str(), text)
    }

    fn told_error(&self, error: &SpanError) -> SpanError {
        SpanError {
            code: error.code.clone(),
            message: self.view.privacy.message(&error.message),
        }
    }
}
