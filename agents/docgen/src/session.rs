//! A run of the documentation agents as front ends show it.
//!
//! Besides runs there are the forecast of a run (`planned`), questions to the facts (`code_question`, `impact`), and the
//! origin of a page (`page_origin`).

mod code_question;
mod impact;
mod look_ups;
mod opened_text;
mod page_origin;
mod planned;

use std::{path::Path, sync::Arc};

use serde_json::{Value as Json, json};
use superstep::{
    Modes, Nodes as _, OpenAsk, RunOptions, Schemas, Value,
    dynamic::{DynEvent, DynGraph, EventKind},
    future::BoxFuture,
    model::Money,
    store::Store,
    tools::refine::{ApproveIteration, Ended, RefineProgress},
};
use superstep_agent::{
    AgentError, Block, Context, Notice, OpenAgent, Prompt, Report, ResultFile, Span, Weight, bad,
    count, faint, good, plain, strong,
};

pub use code_question::CodeQuestion;
pub use impact::impact_notice;
pub use page_origin::page_notice;
pub use planned::forecast_notice;

use opened_text::opened_text;

use crate::{DocNode, Docgen, Error, Outcome, Status};

/// The documentation agents at work on a thread.
pub struct DocsSession {
    docgen: Docgen,
    metadata: Value,
}

impl DocsSession {
    /// Runs of these agents; their records keep the metadata.
    pub fn new(docgen: Docgen, metadata: Value) -> Self {
        Self { docgen, metadata }
    }
}

impl OpenAgent for DocsSession {
    fn graph(&self) -> &DynGraph {
        self.docgen.graph().dynamic()
    }

    fn schemas(&self) -> Schemas {
        self.docgen.graph().schemas()
    }

    fn options(&self) -> RunOptions {
        RunOptions {
            modes: Modes::CUSTOM.with(Modes::TASKS),
            subgraphs: true,
            log: Modes::TRACE,
            metadata: self.metadata.clone(),
            ..RunOptions::default()
        }
    }

    fn begin<'a>(&'a mut self, _: &'a Context) -> BoxFuture<'a, Result<Vec<Notice>, AgentError>> {
        // The report names the thread.
        Box::pin(async { Ok(Vec::new()) })
    }

    fn progress(&mut self, event: &DynEvent) -> Vec<Notice> {
        let notice = match &event.kind {
            EventKind::TaskStart { name, .. } if event.namespace.is_root() => begun(name),
            EventKind::Custom(data) => serde_json::from_value(data.to_json()).ok().map(told),
            _ => None,
        };
        notice.into_iter().collect()
    }

    fn present(&mut self, ask: &OpenAsk, with: &Context) -> Result<Prompt, AgentError> {
        let question = ask.question::<ApproveIteration>()?;
        let line = Block::Line(Weight::Say, vec![strong("? "), plain(asked(&question))]);
        let resume = with.command(&["threads", "resume", &with.thread]);
        let later = format!(
            "at a terminal: {resume}; elsewhere y or n is a line of a file: {resume} --answers FILE"
        );
        Ok(Prompt {
            later: vec![Notice::say([plain(later)]).for_people()],
            ..Prompt::new(Notice::named("question", json!({"question": question})).with(vec![line]))
        })
    }

    fn report<'a>(&'a mut self, with: &'a Context) -> BoxFuture<'a, Result<Report, AgentError>> {
        Box::pin(async move {
            let state = self.docgen.graph().state(&*with.thread).await?.state;
            let Some(outcome) = &state.outcome else {
                let path = format!("thread `{}`", with.thread);
                let why = "its run is not finished; run it again".to_owned();
                return Err(Error::NoDocumentation { path, why }.into());
            };
            let is_partial = state
                .results
                .values()
                .any(|it| it.status == Status::Partial);
            let is_refused = outcome.refused.is_some() && outcome.status == "failed";
            let exit = match (outcome.failed.is_empty(), is_partial) {
                (false, _) if is_refused => Some(4),
                (false, _) => Some(1),
                (true, true) => Some(5),
                (true, false) => None,
            };
            let event = json!({"thread": with.thread, "outcome": outcome});
            let notice = Notice::named("done", event).with(lines(outcome, &with.thread));
            Ok(Report {
                notices: vec![notice],
                exit,
            })
        })
    }

    fn text<'a>(
        &'a self,
        name: &'a str,
        values: &'a Json,
        _: Option<Arc<dyn Store>>,
    ) -> BoxFuture<'a, Result<Option<String>, AgentError>> {
        Box::pin(async move { Ok(opened_text(name, values, self.docgen.settings())) })
    }

    fn outcome(&self, values: &Json) -> superstep_agent::Outcome {
        let outcome = values.get("outcome");
        let is_failed = outcome.and_then(|it| it.get("status")) == Some(&json!("failed"));
        let is_refused = outcome
            .and_then(|it| it.get("refused"))
            .is_some_and(Json::is_string);
        match (is_failed, is_refused) {
            (true, true) => superstep_agent::Outcome::Refused,
            (true, false) => superstep_agent::Outcome::Failed,
            _ => superstep_agent::Outcome::Done,
        }
    }
}

/// The step that begins, in words.
fn begun(node: &str) -> Option<Notice> {
    let node = DocNode::ALL.iter().find(|it| it.name() == node)?;
    let doing = match node {
        DocNode::Scan => "scanning files",
        DocNode::Plan => "deciding which agents run",
        DocNode::Execute => "agents at work",
        DocNode::Aggregate => "writing pages",
    };
    Some(Notice::note([faint(doing)]).for_people())
}

/// Progress of one agent.
fn told(progress: RefineProgress) -> Notice {
    let event = json!(progress);
    let graded = |score: Option<f64>, none: &str| {
        score.map_or(none.to_owned(), |score| format!("grade {score:.0}"))
    };
    let (agent, what) = match progress {
        RefineProgress::Analyzed { agent } => (agent, "first version".to_owned()),
        RefineProgress::Evaluated { agent, evaluation } => {
            let refuted = count(evaluation.refuted as usize, "claim");
            let score = graded(evaluation.score, "no grade");
            (agent, format!("{score}, {refuted} refuted"))
        }
        RefineProgress::Questioned {
            agent, questions, ..
        } => (agent, count(questions.len(), "question")),
        RefineProgress::Refined { agent, note, .. } => (agent, note),
        RefineProgress::Finalized {
            agent,
            score,
            ended,
            ..
        } => {
            let how = match ended {
                Some(Ended::Budget) => "stopped, the budget is used up",
                _ => "done",
            };
            (agent, format!("{how}, {}", graded(score, "not graded")))
        }
    };
    let line = vec![strong(agent), faint(format!(": {what}"))];
    Notice::event(event).with(vec![Block::Line(Weight::Note, line)])
}

fn asked(question: &ApproveIteration) -> String {
    let score = question
        .score
        .map_or("no grade".to_owned(), |it| format!("grade {it:.0}"));
    format!(
        "{}: round {} after {score} takes about {} tokens ({}). Do it? y or n",
        question.agent,
        question.iteration,
        question.tokens,
        Money::micros(question.micros)
    )
}

/// The outcome for people.
fn lines(outcome: &Outcome, thread: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut add = |weight, spans: Vec<Span>| blocks.push(Block::Line(weight, spans));
    for (agent, why) in &outcome.failed {
        let why = plain(format!(": {why}"));
        add(Weight::Say, vec![bad("failed "), strong(agent), why]);
    }
    for agent in &outcome.earlier {
        let why = plain(": it could not run; its page is of an earlier state");
        add(Weight::Say, vec![bad("earlier "), strong(agent), why]);
    }
    for (agent, warnings) in &outcome.warnings {
        for warning in warnings {
            add(
                Weight::Note,
                vec![strong(agent), plain(format!(": {warning}"))],
            );
        }
    }
    for name in &outcome.aside {
        let line = format!("a page was changed by hand: it is kept as {name}");
        add(Weight::Say, vec![plain(line)]);
    }
    if let Some(code) = &outcome.refused {
        let why =
            ": the provider refused its key; check the key in the environment or the config file";
        add(Weight::Say, vec![bad(code), plain(why)]);
    }
    if let Some(needs) = outcome.needs_tokens {
        let agents = count(outcome.unasked.len(), "agent");
        let line = format!(
            "{agents} could not begin within the budget: a first call needs up to {needs} tokens, its reply counted in full"
        );
        add(Weight::Say, vec![plain(line)]);
    }
    let status = match &*outcome.status {
        "failed" => bad(&outcome.status),
        other => good(other),
    };
    let work = match outcome.status == "facts" {
        true => ": no model was asked".to_owned(),
        false => work(outcome),
    };
    add(Weight::Note, vec![status, plain(work)]);
    let claims = &outcome.claims;
    if claims.made > 0 {
        let line = format!(
            "claims: {} made, {} verified, {} fixed, {} removed, {} unverified",
            claims.made, claims.verified, claims.fixed, claims.removed, claims.unverified
        );
        add(Weight::Note, vec![plain(line)]);
    }
    let index = Path::new(&outcome.output).join("index.md");
    let index = ResultFile::written(&index, "the documentation", "text/markdown");
    blocks.push(Block::File(Weight::Data, index));
    let thread = vec![faint("thread "), faint(thread)];
    blocks.push(Block::Line(Weight::Note, thread));
    blocks
}

fn work(outcome: &Outcome) -> String {
    let counted = |number: u64, what| count(usize::try_from(number).unwrap_or(usize::MAX), what);
    let about = if outcome.estimated { "about " } else { "" };
    format!(
        ": {} ran, {} kept, {}, {about}{}, {}",
        count(outcome.ran.len(), "agent"),
        outcome.kept.len(),
        counted(outcome.calls.into(), "call"),
        counted(outcome.tokens, "token"),
        Money::micros(outcome.micros)
    )
}
