//! Making a documentation: runs the agents, shows how they fare, asks before rounds that take much.

use std::path::Path;

use superstep::{
    AskId, Event, EventStream, Modes, OpenAsk, Outcome as Ended, RunQuery, RunRecord, Value,
    dynamic::EventKind,
    model::Money,
    tools::refine::{ApproveIteration, Ended as Ending, RefineProgress},
};
use superstep_docgen::{DocNode, DocState, DocStateUpdate, Outcome, Request};

use super::{
    options::{self, OpenedDocs},
    plan,
};
use crate::{
    agents::Agent,
    app::App,
    args::MakeDocs,
    consent, environment,
    error::Error,
    output::{Form, Output, bad, count, faint, good, plain, strong},
    terminal::{Line, Topic},
    written::WrittenAnswers,
};

pub(super) async fn run(make: &MakeDocs, app: &mut App<'_>) -> Result<(), Error> {
    let Some(path) = &make.path else {
        return Err(Error::Usage(
            "name the folder to document: superstep docs PATH".into(),
        ));
    };
    let mut request = Request::new(path, make.output.as_deref())?;
    request.no_model = make.no_model;
    request.since.clone_from(&make.since);
    request.force = make.force;
    request.approve_above = make.approve_above;
    let content = environment::content_at(app.global, &request.root)?;
    let opened = options::open(make, &content, app).await?;
    if make.dry_run {
        return plan::show(&opened, &request, app.output);
    }
    let docgen = &opened.docgen;
    let thread = docgen.known_thread(&request.root, &request.output).await;
    let agreement = consent::to_run(Agent::Docs, &thread, app).await?;
    agreement.store().await?;
    let state = opened.docgen.graph().state(&*thread).await.ok();
    // What a killed process left is gone on with if it is the same work; open questions are asked.
    let settings = opened.docgen.settings();
    let is_same = state.as_ref().is_some_and(|it| {
        let planned = it.state.plan.iter().map(|agent| agent.name.as_str());
        let chosen = settings.agents.iter().map(|agent| agent.name());
        let is_planned = it.state.plan.is_empty() || planned.eq(chosen);
        it.state.request == request && is_planned && !it.next.is_empty()
    });
    let next = match state.filter(|_| is_same) {
        Some(state) => match state.asks.into_iter().next() {
            Some(ask) => NextRun::Ask(ask),
            None => {
                app.output
                    .note(&[faint("going on with the run that was interrupted")]);
                NextRun::Resume
            }
        },
        None => NextRun::Input(Box::new(opened.docgen.document(request))),
    };
    drive(&opened, &thread, make, next, None, app).await
}

pub(super) async fn resume(
    thread: &str,
    answers: Option<&Path>,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let answers = answers.map(WrittenAnswers::read).transpose()?;
    let reader = crate::agents::docs::read_only(crate::database::read_only(app.global)?)?;
    let state = reader.graph().state(thread).await?;
    if state.asks.is_empty() && state.is_done() {
        // Made again it would be paid for again.
        return done(&state.state, thread, app.output);
    }
    let agreement = consent::to_run(Agent::Docs, thread, app).await?;
    let request = state.state.request.clone();
    agreement.permit(&request.root)?;
    agreement.permit(&request.output)?;
    let last = RunQuery {
        limit: Some(1),
        ..RunQuery::default()
    };
    let runs = reader.graph().runs(thread, &last).await?;
    // Flags are metadata of the run, which callers over HTTP write too.
    let runs = runs.first().filter(|_| !agreement.is_foreign());
    let mut make = runs.map(flags).unwrap_or_default();
    make.no_model = request.no_model;
    make.approve_above = request.approve_above;
    if !state.state.plan.is_empty() {
        make.agents = state.state.plan.iter().map(|it| it.name.clone()).collect();
    }
    let content = environment::content_at(app.global, &request.root)?;
    let opened = options::open(&make, &content, app).await?;
    agreement.store().await?;
    let next = match state.asks.into_iter().next() {
        Some(ask) => NextRun::Ask(ask),
        None => NextRun::Resume,
    };
    drive(&opened, thread, &make, next, answers, app).await
}

/// Where the flags of a command are in the metadata of its run.
const FLAGS: &str = "docs";

/// The flags of a command, as its run keeps them.
fn kept(make: &MakeDocs) -> Value {
    let mut make = make.clone();
    // Whoever resumes the run may do it from another folder.
    let file = make.agents_file.take();
    make.agents_file = file.map(|file| std::path::absolute(&file).unwrap_or(file));
    Value::from(serde_json::json!({ FLAGS: make }))
}

/// The flags of the command that made a run, as far as this version knows them.
fn flags(run: &RunRecord) -> MakeDocs {
    let mut metadata = run.metadata.to_json();
    let flags = metadata.get_mut(FLAGS).map(serde_json::Value::take);
    flags
        .and_then(|flags| serde_json::from_value(flags).ok())
        .unwrap_or_default()
}

/// What comes next.
enum NextRun {
    Input(Box<DocStateUpdate>),
    Answer((AskId, serde_json::Value)),
    Resume,
    Ask(OpenAsk),
}

async fn drive(
    opened: &OpenedDocs,
    thread: &str,
    make: &MakeDocs,
    mut next: NextRun,
    mut answers: Option<WrittenAnswers>,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let graph = opened.docgen.graph().with_options(|options| {
        options.modes = Modes::CUSTOM.with(Modes::TASKS);
        options.subgraphs = true;
        options.log = Modes::TRACE;
        options.metadata = kept(make);
    });
    loop {
        let stream = match next {
            NextRun::Input(input) => graph.stream(thread, *input),
            NextRun::Answer(answer) => graph.stream_answer(thread, [answer])?,
            NextRun::Resume => graph.stream_resume(thread),
            NextRun::Ask(ask) => {
                next = person(thread, &ask, answers.as_mut(), app).await?;
                continue;
            }
        };
        let ended = tokio::select! {
            ended = shown(stream, app.output) => ended?,
            () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
        };
        next = match ended {
            Ended::Done(state) => return done(&state, thread, app.output),
            Ended::Waiting { asks, .. } => match asks.into_iter().next() {
                Some(ask) => NextRun::Ask(ask),
                None => NextRun::Resume,
            },
            _ => NextRun::Resume,
        };
    }
}

/// Shows how agents fare until the run ends.
async fn shown(
    mut stream: EventStream<DocState, DocNode>,
    output: &Output,
) -> Result<Ended<DocState>, Error> {
    while let Some(event) = stream.next().await {
        let data = match event {
            Event::TaskStarted { node, .. } => {
                let doing = match node {
                    DocNode::Scan => "scanning files",
                    DocNode::Plan => "deciding which agents run",
                    DocNode::Execute => "agents at work",
                    DocNode::Aggregate => "writing pages",
                };
                if output.form == Form::Text {
                    output.note(&[faint(doing)]);
                }
                continue;
            }
            Event::Custom(data) => data,
            Event::Below(event) => match &event.kind {
                EventKind::Custom(data) => data.clone(),
                _ => continue,
            },
            _ => continue,
        };
        if let Ok(progress) = serde_json::from_value::<RefineProgress>(data.to_json()) {
            tell(&progress, output)?;
        }
    }
    Ok(stream.outcome().await?)
}

fn tell(progress: &RefineProgress, output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        return output.json(progress);
    }
    let (agent, what) = match progress {
        RefineProgress::Analyzed { agent } => (agent, "first version".to_owned()),
        RefineProgress::Evaluated { agent, evaluation } => {
            let score = evaluation
                .score
                .map_or("no grade".to_owned(), |it| format!("grade {it:.0}"));
            (
                agent,
                format!(
                    "{score}, {} refuted",
                    count(evaluation.refuted as usize, "claim")
                ),
            )
        }
        RefineProgress::Questioned {
            agent, questions, ..
        } => (agent, count(questions.len(), "question")),
        RefineProgress::Refined { agent, note, .. } => (agent, note.clone()),
        RefineProgress::Finalized {
            agent,
            score,
            ended,
            ..
        } => {
            let score = score.map_or("not graded".to_owned(), |it| format!("grade {it:.0}"));
            let how = match ended {
                Some(Ending::Budget) => "stopped, the budget is used up",
                _ => "done",
            };
            (agent, format!("{how}, {score}"))
        }
    };
    output.note(&[strong(agent), faint(format!(": {what}"))]);
    Ok(())
}

/// Asks whether a round is worth what it takes.
async fn person(
    thread: &str,
    ask: &OpenAsk,
    answers: Option<&mut WrittenAnswers>,
    app: &mut App<'_>,
) -> Result<NextRun, Error> {
    let question = ask.question::<ApproveIteration>()?;
    let waiting = || Error::Waiting {
        thread: thread.to_owned(),
    };
    if app.output.form == Form::Json {
        app.output
            .json(&serde_json::json!({"event": "question", "question": question}))?;
    }
    if let Some(answer) = answers.and_then(WrittenAnswers::next) {
        let answer = said(&answer)
            .ok_or_else(|| Error::Usage(format!("the answer is y or n, not `{answer}`")))?;
        return Ok(NextRun::Answer(ask.answer::<ApproveIteration>(&answer)?));
    }
    if app.output.form == Form::Json {
        return Err(waiting());
    }
    let score = question
        .score
        .map_or("no grade".to_owned(), |it| format!("grade {it:.0}"));
    app.output.say(&[
        strong("? "),
        plain(format!(
            "{}: round {} after {score} takes about {} tokens ({}). Do it? y or n",
            question.agent,
            question.iteration,
            question.tokens,
            Money::micros(question.micros)
        )),
    ]);
    if !app.terminal.is_interactive() {
        app.output.say(&[plain(format!(
            "at a terminal: superstep threads resume {thread}; elsewhere y or n is a line of a file: superstep threads resume {thread} --answers FILE"
        ))]);
        return Err(waiting());
    }
    loop {
        let answer = match app
            .terminal
            .read_line(Topic::Detail, "answer> ", app.output)
            .await?
        {
            Line::Text(text) => match said(&text) {
                Some(answer) => answer,
                None => continue,
            },
            Line::CtrlC => return Err(Error::Cancelled),
            Line::End => return Err(waiting()),
        };
        return Ok(NextRun::Answer(ask.answer::<ApproveIteration>(&answer)?));
    }
}

/// Yes or no, if it is one of them.
fn said(text: &str) -> Option<bool> {
    match text.trim() {
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

fn done(state: &DocState, thread: &str, output: &Output) -> Result<(), Error> {
    let Some(outcome) = &state.outcome else {
        return Err(Error::Missing {
            what: format!("thread `{thread}` has no documentation"),
            hint: "run it again",
        });
    };
    if output.form == Form::Json {
        output.json(&serde_json::json!({"event": "done", "thread": thread, "outcome": outcome}))?;
    } else {
        text(outcome, thread, output)?;
    }
    let is_over_budget = state
        .results
        .values()
        .any(|it| it.status == superstep_docgen::Status::Partial);
    let is_refused = outcome.refused.is_some() && outcome.status == "failed";
    match (outcome.failed.is_empty(), is_over_budget) {
        (false, _) if is_refused => Err(Error::Reported { exit: 4 }),
        (false, _) => Err(Error::Reported { exit: 1 }),
        (true, true) => Err(Error::Reported { exit: 5 }),
        (true, false) => Ok(()),
    }
}

fn text(outcome: &Outcome, thread: &str, output: &Output) -> Result<(), Error> {
    for (agent, why) in &outcome.failed {
        output.say(&[bad("failed "), strong(agent), plain(format!(": {why}"))]);
    }
    for agent in &outcome.earlier {
        output.say(&[
            bad("earlier "),
            strong(agent),
            plain(": it could not run; its page is of an earlier state"),
        ]);
    }
    for (agent, warnings) in &outcome.warnings {
        for warning in warnings {
            output.note(&[strong(agent), plain(format!(": {warning}"))]);
        }
    }
    for name in &outcome.aside {
        output.say(&[plain(format!(
            "a page was changed by hand: it is kept as {name}"
        ))]);
    }
    if let Some(code) = &outcome.refused {
        output.say(&[
            bad(code),
            plain(": the provider refused its key; check the key in the environment or the config file"),
        ]);
    }
    if let Some(needs) = outcome.needs_tokens {
        output.say(&[plain(format!(
            "{} could not begin within the budget: a first call needs up to {needs} tokens, its reply counted in full",
            count(outcome.unasked.len(), "agent")
        ))]);
    }
    let claims = &outcome.claims;
    let status = match &*outcome.status {
        "failed" => bad(&outcome.status),
        other => good(other),
    };
    if outcome.status == "facts" {
        output.note(&[status, plain(": no model was asked")]);
    } else {
        let about = if outcome.estimated { "about " } else { "" };
        output.note(&[
            status,
            plain(format!(
                ": {} ran, {} kept, {}, {about}{}, {}",
                count(outcome.ran.len(), "agent"),
                outcome.kept.len(),
                count(usize::try_from(outcome.calls).unwrap_or(usize::MAX), "call"),
                count(
                    usize::try_from(outcome.tokens).unwrap_or(usize::MAX),
                    "token"
                ),
                Money::micros(outcome.micros)
            )),
        ]);
    }
    if claims.made > 0 {
        output.note(&[plain(format!(
            "claims: {} made, {} verified, {} fixed, {} removed, {} unverified",
            claims.made, claims.verified, claims.fixed, claims.removed, claims.unverified
        ))]);
    }
    output.data(&[plain(format!("{}/index.md", outcome.output))])?;
    output.note(&[faint("thread "), faint(thread)]);
    Ok(())
}
