//! Archie on the command line: `analyze`, `ask`, `build-context`, and going on with a thread.
//!
//! `desk` opens the agent with a model and settings, `talk` is the conversation, `answers` where the
//! person's words come from, `screen` what is shown of a run, `result` where it ends.

mod answers;
mod commands;
mod desk;
mod result;
mod screen;
mod talk;

use std::path::Path;

use superstep_archie::{Brief, Flow};
use superstep_model::select::Content;

use crate::{
    agents::{self, Agent},
    args::{Analyze, Ask, BuildContext, Global, Talk as TalkArgs},
    database,
    failure::Failure,
    output::Output,
    person::Person,
    world,
};

use answers::Answers;
pub(crate) use commands::COMMANDS;
use desk::Desk;
use talk::{Next, Talk};

pub(crate) async fn analyze(
    what: &Analyze,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let answers = Answers::of(&what.talk)?;
    let brief = Brief {
        words: what.query.clone(),
        inputs: Some(what.reading.inputs.clone()),
        globs: what.reading.glob.clone(),
        skip: what.talk.out.iter().cloned().collect(),
    };
    let desk = Desk::open(
        &what.talk.limits,
        what.reading.budget,
        &world::content_at(global, &what.reading.inputs)?,
        global,
        output,
        person,
    )
    .await?;
    let agent = desk.archie(None)?;
    let thread = Agent::Archie.new_thread(&*desk.saver()?).await?;
    let start = Next::Start(Box::new(agent.analyze(&brief)));
    let out = what.talk.out.clone();
    Talk::new(agent, thread, answers, out, output)
        .run(start, person)
        .await
}

pub(crate) async fn ask(
    what: &Ask,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let brief = Brief {
        words: what.words.join(" "),
        inputs: what.inputs.clone(),
        ..Brief::default()
    };
    let content = match &what.inputs {
        Some(inputs) => world::content_at(global, inputs)?,
        None => Content::Project,
    };
    let desk = Desk::open(&what.limits, None, &content, global, output, person).await?;
    let agent = desk.archie(None)?;
    let thread = Agent::Archie.new_thread(&*desk.saver()?).await?;
    let start = Next::Start(Box::new(agent.ask(&brief)));
    Talk::new(agent, thread, Answers::none(), None, output)
        .run(start, person)
        .await
}

pub(crate) async fn build_context(
    what: &BuildContext,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let brief = Brief {
        inputs: Some(what.reading.inputs.clone()),
        globs: what.reading.glob.clone(),
        skip: what.out.iter().cloned().collect(),
        ..Brief::default()
    };
    let content = world::content_at(global, &what.reading.inputs)?;
    let budget = what.reading.budget;
    let desk = Desk::open(&what.limits, budget, &content, global, output, person).await?;
    let agent = desk.archie(None)?;
    let thread = Agent::Archie.new_thread(&*desk.saver()?).await?;
    let start = Next::Start(Box::new(agent.build_context(&what.name, &brief)));
    Talk::new(agent, thread, Answers::none(), what.out.clone(), output)
        .run(start, person)
        .await
}

/// Goes on with a thread: its question is shown without a call of the model; what was cut goes on;
/// what is done is written again if it is not there.
pub(crate) async fn resume(
    thread: &str,
    args: &TalkArgs,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let answers = Answers::of(args)?;
    let content = content_of(thread, global).await?;
    let desk = Desk::open(&args.limits, None, &content, global, output, person).await?;
    let checkpoint = desk.archie(None)?.graph().state(thread).await?;
    let agent = desk.archie(Some(&checkpoint.state))?;
    let next = match checkpoint.asks.into_iter().next() {
        Some(ask) => Next::Ask(ask),
        None if checkpoint.next.is_empty() => Next::Done(checkpoint.state),
        None => Next::GoOn,
    };
    Talk::new(agent, thread.to_owned(), answers, args.out.clone(), output)
        .run(next, person)
        .await
}

/// Whose data a thread holds: the project's if its documents are there, and nothing else is in it.
async fn content_of(thread: &str, global: &Global) -> Result<Content, Failure> {
    let looking = agents::archie_to_look_at(database::looked_at(global)?)?;
    let state = looking.graph().state(thread).await?.state;
    match &state.inputs.folder {
        Some(folder) if state.system_context.is_empty() => {
            world::content_at(global, Path::new(folder))
        }
        Some(_) => Ok(Content::Elsewhere(
            "the thread holds what Archie remembers of other projects".into(),
        )),
        None => Ok(Content::Elsewhere(
            "the thread has no documents of the project".into(),
        )),
    }
}

/// What a flow gives a person, for a line about it.
fn name_of(flow: Flow) -> &'static str {
    match flow {
        Flow::Analysis => "the analysis",
        Flow::BuildContext => "the context",
        Flow::Ask => "the answer",
    }
}
