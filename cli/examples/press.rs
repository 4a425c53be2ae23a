//! An agent with a desk: the inbox gives it answers in the background.
//!
//! ```sh
//! cargo run -p superstep-cli --example press -- run press "Fire sale"
//! PRESS_DRY=1 cargo run -p superstep-cli --example press -- inbox
//! ```
//!
//! With `PRESS_DRY` set, an accepted page is not printed, and its question stays open.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use superstep::{OpenAsk, future::BoxFuture, prelude::*, tools::Mode};
use superstep_agent::{
    AfterAnswers, AgentError, Card, Context, Desk, GraphAgent, InboxAnswer, InboxEffect,
    InboxQuestion, Notice, PlainAgent, RunEnd, Site, Verb, plain,
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Page {
    headline: String,
    printed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Step {
    Print,
}

#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct MayPrint {
    headline: String,
}

async fn print(page: Snap<Page>, ctx: Ctx) -> Result<PageUpdate, NodeError> {
    let headline = page.headline.clone();
    let printed = ctx.ask(MayPrint { headline })?;
    Ok(Page::update().printed(printed))
}

/// Answers questions about pages.
struct Press(Graph<Page, Step>);

impl Desk for Press {
    fn mode(&self) -> Mode {
        match std::env::var_os("PRESS_DRY") {
            Some(_) => Mode::Dry,
            None => Mode::Send,
        }
    }

    fn question<'a>(
        &'a self,
        thread: &'a str,
        ask: &'a OpenAsk,
    ) -> BoxFuture<'a, Result<Option<InboxQuestion>, AgentError>> {
        let effect = InboxEffect {
            verb: "Print",
            noun: ["page", "pages"],
            to: "the readers".into(),
        };
        let question = InboxQuestion {
            takes: vec![Verb::Accept, Verb::Ignore],
            effect: Some(effect),
            ..InboxQuestion::generic(thread, ask, "press")
        };
        Box::pin(async { Ok(Some(question)) })
    }

    fn edited<'a>(
        &'a self,
        question: &'a InboxQuestion,
        _: &'a Map<String, Json>,
    ) -> BoxFuture<'a, Result<InboxQuestion, AgentError>> {
        Box::pin(async { Ok(question.clone()) })
    }

    fn keep<'a>(
        &'a self,
        _: &'a InboxQuestion,
        _: &'a Map<String, Json>,
    ) -> BoxFuture<'a, Result<bool, AgentError>> {
        Box::pin(async { Ok(false) })
    }

    fn give<'a>(
        &'a self,
        given: &'a [(InboxQuestion, InboxAnswer)],
        with: &'a Context,
        stop: BoxFuture<'a, ()>,
    ) -> BoxFuture<'a, Result<AfterAnswers, AgentError>> {
        Box::pin(async move {
            let answer = |(question, answer): &(InboxQuestion, InboxAnswer)| {
                (question.ask.id, json!(answer.verb() == Verb::Accept))
            };
            let run = self.0.answer(&*with.thread, given.iter().map(answer));
            let printed = tokio::select! {
                outcome = run => outcome?.state().printed,
                () = stop => return Ok(AfterAnswers { notices: Vec::new(), end: RunEnd::Stopped }),
            };
            let what = if printed { "printed" } else { "thrown away" };
            Ok(AfterAnswers {
                notices: vec![Notice::data([plain(format!("the page was {what}"))])],
                end: RunEnd::Done(None),
            })
        })
    }
}

fn press(site: Site) -> Result<PlainAgent, AgentError> {
    let graph = Graph::<Page, Step>::builder()
        .name("press")
        .backends(site.backends)
        .node(Step::Print, print)
        .start(Step::Print)
        .finish(Step::Print)
        .build()?;
    Ok(PlainAgent::from(graph.clone()).with_desk(Press(graph)))
}

fn main() -> ExitCode {
    let card = Card::new("press", "Prints pages, and asks first");
    let card = card.taking("headline").without_model();
    superstep_cli::app()
        .agent(GraphAgent::new(card, press))
        .run()
}
