//! `superstep eval`: labeled cases, done by an agent with one model or several, and a table of scores.
//!
//! Each case is a conversation in a thread of its own, kept in memory. What was said and the last state are held against the
//! checks of the case.

mod case;
mod heard;
mod meter;
mod score;

use std::{sync::Arc, time::Instant};

use superstep::{Backends, ThreadId, Value, dynamic::state::Depth, model::NodeModels};
use superstep_agent::{Answers, Conversation, Next, Site};

use crate::{
    agents::Agent,
    app::App,
    args::{EvalArgs, Global},
    environment::{self, OpenedModel},
    error::Error,
    output::{Form, bad, faint, good, plain},
    own,
};

use case::Case;
use heard::Heard;
use meter::Meter;
use score::{CaseScore, ModelScore};

/// The thread of every case.
const THREAD: &str = "case";

pub(crate) async fn run(what: &EvalArgs, app: &mut App<'_>) -> Result<(), Error> {
    let cases = case::read(&what.file, what.agent)?;
    let mut scores = vec![evaluate(what, &cases, None, app).await?];
    for model in &what.compare {
        scores.push(evaluate(what, &cases, Some(model), app).await?);
    }
    score::print(&scores, app.output)?;
    match scores.iter().all(ModelScore::is_perfect) {
        true => Ok(()),
        false => Err(Error::Reported { exit: 1 }),
    }
}

/// All cases with one model: the one that is used anyway, or another one.
async fn evaluate(
    what: &EvalArgs,
    cases: &[Case],
    model: Option<&String>,
    app: &mut App<'_>,
) -> Result<ModelScore, Error> {
    let mut global: Global = app.global.clone();
    global.model = model.cloned().or(global.model);
    let output = app.output;
    let mut app = app.with(&global, output);
    let models = Models::open(what, &mut app).await?;
    let mut score = ModelScore::new(models.name());
    for (number, case) in (1..).zip(cases) {
        let name = case.name(number);
        let done = tokio::select! {
            done = models.judge(what.agent, case, &name) => done?,
            () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
        };
        tell(&done, &score.model, number, cases.len(), &app)?;
        score.cases.push(done);
    }
    Ok(score)
}

/// Reports a case.
fn tell(
    done: &CaseScore,
    model: &str,
    number: usize,
    all: usize,
    app: &App<'_>,
) -> Result<(), Error> {
    if app.output.form == Form::Json {
        return app.output.json(&done.json(model));
    }
    let verdict = match done.failures.is_empty() {
        true => good("passed"),
        false => bad("failed"),
    };
    let place = faint(format!("{number}/{all}  "));
    app.output
        .note(&[place, verdict, plain(format!("  {}", done.name))]);
    for failure in &done.failures {
        app.output.note(&[faint(format!("       {failure}"))]);
    }
    Ok(())
}

/// The opened models of an agent: the usual one, and those of nodes. An agent may need none.
struct Models(Option<(OpenedModel, Vec<(String, OpenedModel)>)>);

impl Models {
    async fn open(what: &EvalArgs, app: &mut App<'_>) -> Result<Self, Error> {
        let card = what.agent.card();
        if card.needs_no_model {
            return Ok(Self(None));
        }
        let content = environment::content_at(app.global, &what.file)?;
        let usual = environment::open(&content, app).await?;
        let nodes: Vec<&str> = card.model_nodes.iter().map(String::as_str).collect();
        let nodes = environment::open_nodes(&nodes, &content, app).await?;
        Ok(Self(Some((usual, nodes))))
    }

    fn name(&self) -> String {
        use superstep::model::Model as _;
        match &self.0 {
            Some((usual, _)) => usual.caller.id().to_string(),
            None => "none".into(),
        }
    }

    /// The place of a case: memory, and models whose calls are counted.
    fn site(&self, meter: &Arc<Meter>) -> Site {
        let backends = Backends::in_memory();
        let metered =
            |opened: &OpenedModel| Arc::new(opened.caller.clone().observed(meter.clone()));
        let Some((usual, nodes)) = &self.0 else {
            return Site::without_model(backends, own::NO_MODEL);
        };
        let usual = NodeModels::new(metered(usual));
        let models = nodes
            .iter()
            .fold(usual, |all, (node, opened)| all.with(node, metered(opened)));
        Site { backends, models }
    }

    /// Does a case and holds the result against its checks. A case that cannot be done has failed.
    async fn judge(&self, agent: Agent, case: &Case, name: &str) -> Result<CaseScore, Error> {
        let meter = Arc::new(Meter::default());
        let mut opened = agent.open(self.site(&meter))?;
        let heard = Heard::default();
        let began = Instant::now();
        let answers = Answers::written(case.answers.clone());
        let talk = Conversation::new(&mut *opened, THREAD, answers, heard.clone());
        let ended = talk.run(Next::Input(Value::from(case.input.clone()))).await;
        let took = began.elapsed();
        let mut failures: Vec<String> = ended.err().iter().map(ToString::to_string).collect();
        let thread = ThreadId::from(THREAD);
        let state = opened.graph().state(&thread, None, Depth::Here).await;
        let state = state.map(|snapshot| serde_json::to_value(&snapshot.values));
        let state = state.ok().and_then(Result::ok).unwrap_or_default();
        let said = heard.text();
        failures.extend(
            case.checks
                .iter()
                .filter_map(|it| it.failure(&said, &state)),
        );
        Ok(CaseScore {
            name: name.to_owned(),
            failures,
            spent: meter.spent(),
            took,
        })
    }
}
