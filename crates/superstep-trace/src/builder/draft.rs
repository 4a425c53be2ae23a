//! Branches while a log is read: a flat list, indexed by the ids of entries, made a tree at the end.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use superstep_core::{
    event::{Facts, Span, SpanError, SpanId, SpanKind, TraceIds},
    id::{GraphPath, TaskId},
    value::Value,
};

use crate::{
    totals::Totals,
    tree::{Branch, Kind, SpanPlace, Status},
};

/// What is deeper than this is shown beside what it is part of: a log from elsewhere must not
/// exhaust the stack.
const DEEPEST: usize = 100;

/// A branch without its parts.
pub(super) struct Draft {
    pub(super) id: SpanId,
    pub(super) kind: Kind,
    pub(super) name: Arc<str>,
    /// Nothing while it continues.
    pub(super) status: Option<Status>,
    pub(super) started: Option<u64>,
    pub(super) ended: Option<u64>,
    pub(super) error: Option<SpanError>,
    pub(super) inputs: Value,
    pub(super) outputs: Value,
    pub(super) facts: Facts,
    pub(super) place: SpanPlace,
    parent: usize,
    depth: usize,
    parts: Vec<usize>,
}

impl Draft {
    pub(super) fn new(id: SpanId, kind: Kind, name: Arc<str>) -> Self {
        Self {
            id,
            kind,
            name,
            status: None,
            started: None,
            ended: None,
            error: None,
            inputs: Value::Null,
            outputs: Value::Null,
            facts: Facts::default(),
            place: SpanPlace::default(),
            parent: 0,
            depth: 0,
            parts: Vec::new(),
        }
    }
}

/// All branches of a run; the first is the run's own graph.
pub(super) struct Drafts {
    ids: TraceIds,
    all: Vec<Draft>,
    tasks: HashMap<TaskId, usize>,
    spans: HashMap<SpanId, usize>,
    graphs: HashMap<GraphPath, usize>,
}

impl Drafts {
    pub(super) fn new(ids: TraceIds, root: Draft) -> Self {
        Self {
            ids,
            all: vec![root],
            tasks: HashMap::new(),
            spans: HashMap::new(),
            graphs: [(GraphPath::default(), 0)].into(),
        }
    }

    pub(super) fn root(&mut self) -> Option<&mut Draft> {
        self.get(0)
    }

    pub(super) fn get(&mut self, at: usize) -> Option<&mut Draft> {
        self.all.get_mut(at)
    }

    pub(super) fn task(&self, id: TaskId) -> Option<usize> {
        self.tasks.get(&id).copied()
    }

    pub(super) fn span(&self, id: SpanId) -> Option<usize> {
        self.spans.get(&id).copied()
    }

    pub(super) fn tasks(&self) -> HashSet<TaskId> {
        self.tasks.keys().copied().collect()
    }

    fn add(&mut self, draft: Draft, parent: usize) -> usize {
        let (mut parent, mut depth) = (parent, 0);
        if let Some(above) = self.all.get(parent) {
            depth = above.depth + 1;
            if depth > DEEPEST {
                (parent, depth) = (above.parent, DEEPEST);
            }
        }
        let at = self.all.len();
        self.all.push(Draft {
            parent,
            depth,
            ..draft
        });
        if let Some(above) = self.all.get_mut(parent) {
            above.parts.push(at);
        }
        at
    }

    /// The graph of a namespace.
    pub(super) fn graph(&mut self, namespace: &GraphPath, now: Option<u64>) -> usize {
        if let Some(known) = self.graphs.get(namespace) {
            return *known;
        }
        let path = namespace.path();
        let is_name = |part: &&String| part.parse::<u32>().is_err();
        let node: Arc<str> = path
            .iter()
            .rfind(is_name)
            .map_or("graph", |part| part)
            .into();
        let parent = self.task_of(namespace, &node).unwrap_or(0);
        let n = self.all.len();
        let id = match namespace.is_per_task() {
            true => self.ids.graph(namespace, 0),
            false => self.ids.graph(namespace, n),
        };
        let mut draft = Draft {
            started: now,
            ..Draft::new(id, Kind::Graph, node)
        };
        draft.place.namespace = namespace.clone();
        let at = self.add(draft, parent);
        self.graphs.insert(namespace.clone(), at);
        at
    }

    /// The task that runs the graph of a namespace: named in it, or, if the graph lives as long as
    /// the thread, the one of its node that continues.
    fn task_of(&self, namespace: &GraphPath, node: &str) -> Option<usize> {
        let named = namespace.as_str().rsplit('|').find_map(|part| {
            let (_, id) = part.rsplit_once(':')?;
            let digits: String = id.chars().filter(|c| *c != '-').collect();
            u128::from_str_radix(&digits, 16).ok().map(TaskId)
        });
        match named {
            Some(task) => self.task(task),
            None => self.all.iter().rposition(|draft| {
                draft.kind == Kind::Node && draft.status.is_none() && *draft.name == *node
            }),
        }
    }

    /// A task starts in a graph, or in the task that calls it.
    pub(super) fn start_task(
        &mut self,
        task: TaskId,
        node: &Arc<str>,
        within: usize,
        now: Option<u64>,
    ) -> usize {
        let mut n = 0;
        if let Some(before) = self.task(task) {
            // The same task once more: what ran before never ended.
            n = self.all.len();
            self.end_task(before, Status::Cut, None, now);
        }
        let mut draft = Draft {
            started: now,
            ..Draft::new(self.ids.task(task, n), Kind::Node, node.clone())
        };
        draft.place.task = Some(task);
        draft.place.node = Some(node.clone());
        let at = self.add(draft, within);
        self.tasks.insert(task, at);
        at
    }

    /// A task ends, and with it all that is open within it. What a command for the parent graph
    /// ended has no end of its own.
    pub(super) fn end_task(
        &mut self,
        at: usize,
        status: Status,
        error: Option<SpanError>,
        now: Option<u64>,
    ) {
        let Some(task) = self.all.get_mut(at) else {
            return;
        };
        if task.status.is_some() {
            return;
        }
        (task.status, task.ended, task.error) = (Some(status), now, error);
        let mut inside = task.parts.clone();
        while let Some(draft) = inside.pop().and_then(|at| self.all.get_mut(at)) {
            inside.extend_from_slice(&draft.parts);
            if draft.status.is_none() {
                draft.status = Some(match (draft.kind, status) {
                    (Kind::Span(_), _) | (Kind::Node, Status::Failed) => Status::Cut,
                    _ => status,
                });
                draft.ended = now;
            }
            if draft.kind == Kind::Graph {
                // One that lives as long as its thread may run again in another task.
                self.graphs.remove(&draft.place.namespace);
            }
        }
    }

    /// A span of a task starts.
    pub(super) fn start_span(&mut self, task: usize, span: &Span, now: Option<u64>) -> usize {
        let parent = span.parent.and_then(|parent| self.span(parent));
        let mut draft = Draft {
            started: now,
            ..Draft::new(span.id, Kind::Span(span.kind), span.name.clone())
        };
        draft.place = self
            .all
            .get(task)
            .map_or_else(SpanPlace::default, |task| task.place.clone());
        draft.place.attempt = Some(span.attempt);
        let at = self.add(draft, parent.unwrap_or(task));
        self.spans.insert(span.id, at);
        at
    }

    /// An attempt of a task failed; what it did is part of it.
    pub(super) fn end_attempt(
        &mut self,
        task: usize,
        span: &Span,
        error: Option<SpanError>,
        now: Option<u64>,
    ) {
        let started = self.attempt_start(task, span.attempt);
        let attempt = self.start_span(task, span, started);
        let parts = self
            .all
            .get_mut(task)
            .map(|task| std::mem::take(&mut task.parts));
        let (mut stay, mut own): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for part in parts.into_iter().flatten().filter(|part| *part != attempt) {
            let Some(draft) = self.all.get_mut(part) else {
                continue;
            };
            let is_own = match draft.kind {
                Kind::Span(SpanKind::Attempt) => false,
                Kind::Span(_) => draft.place.attempt == Some(span.attempt),
                // Graphs and called tasks do not say which attempt they are of.
                Kind::Graph | Kind::Node => draft.status.is_none(),
            };
            if !is_own {
                stay.push(part);
                continue;
            }
            draft.parent = attempt;
            if draft.status.is_none() {
                (draft.status, draft.ended) = (Some(Status::Cut), now);
            }
            own.push(part);
        }
        // It is where the first thing it did stood.
        let first = own.first().copied().unwrap_or(attempt);
        let place = stay.iter().take_while(|part| **part < first).count();
        stay.insert(place, attempt);
        if let Some(task) = self.all.get_mut(task) {
            task.parts = stay;
        }
        if let Some(draft) = self.all.get_mut(attempt) {
            draft.name = format!("attempt {}", span.attempt).into();
            (draft.status, draft.ended, draft.error) = (Some(Status::Failed), now, error);
            draft.parts = own;
        }
    }

    /// An attempt begins with the task, or when the one before it has failed.
    fn attempt_start(&self, task: usize, attempt: u32) -> Option<u64> {
        let task = self.all.get(task)?;
        let mut parts = task.parts.iter().filter_map(|part| self.all.get(*part));
        let before = parts.find(|draft| {
            draft.kind == Kind::Span(SpanKind::Attempt)
                && draft.place.attempt.is_some_and(|n| n + 1 == attempt)
        });
        match before {
            Some(before) => before.ended,
            None => task.started,
        }
    }

    /// The run is over: what is open ends so. Spans do not end by themselves.
    pub(super) fn close(&mut self, open: Status, now: Option<u64>) {
        for draft in &mut self.all {
            if draft.status.is_none() {
                draft.status = Some(match (draft.kind, open) {
                    (_, Status::Running) => Status::Running,
                    (Kind::Span(_), _) => Status::Cut,
                    _ => open,
                });
                draft.ended = draft.ended.or(now);
            }
        }
    }

    pub(super) fn into_tree(self) -> Branch {
        let root = self.ids.root();
        let mut drafts: Vec<Option<Draft>> = self.all.into_iter().map(Some).collect();
        branch(0, &mut drafts).unwrap_or_else(|| {
            let lost = Draft::new(root, Kind::Graph, "graph".into());
            finished(lost, Vec::new())
        })
    }
}

/// No deeper than drafts are.
fn branch(at: usize, drafts: &mut [Option<Draft>]) -> Option<Branch> {
    let mut draft = drafts.get_mut(at)?.take()?;
    let parts = std::mem::take(&mut draft.parts).into_iter();
    let children = parts.filter_map(|part| branch(part, drafts)).collect();
    Some(finished(draft, children))
}

fn finished(draft: Draft, children: Vec<Branch>) -> Branch {
    let mut branch = Branch {
        id: draft.id,
        kind: draft.kind,
        name: draft.name,
        status: draft.status.unwrap_or(Status::Cut),
        started: draft.started,
        ended: draft.ended,
        error: draft.error,
        inputs: draft.inputs,
        outputs: draft.outputs,
        facts: draft.facts,
        place: draft.place,
        totals: Totals::default(),
        children,
    };
    branch.totals = Totals::of(&branch);
    branch
}
