//! A conversation that continues until a person is content: prepare, ask, prepare, ask, report.
//!
//! `prepare` reads what was said so far and thinks of the next question; a model would sit here.
//! `ask` puts it to the person. The loop ends with an answer that is an approval by type: a text
//! that has the word in it is just a text. Each turn adds one entry to the history, never a copy of
//! it. This prints
//!
//! ```text
//! 1. What should the service do first?
//!    > lend bicycles
//! 2. For how many people?
//!    > for two hundred
//! 3. Is that all, after 2 answers?
//!    > not approved yet: also repairs
//! 4. Is that all, after 3 answers?
//!    (approves)
//! the service: lend bicycles; for two hundred; not approved yet: also repairs
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Talk {
    goal: String,
    /// What is asked next; nothing once all is said.
    question: Option<String>,
    #[reduce(Append)]
    turns: Vec<Turn>,
    report: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Turn {
    question: String,
    answer: Answer,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Answer {
    Says(String),
    Approved,
}

#[derive(Serialize, Deserialize, Ask)]
#[ask(answer = Answer)]
struct Question {
    turn: usize,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Prepare,
    Ask,
    Report,
}

#[node(Talk, Node)]
async fn prepare(talk: Snap<Talk>) -> TalkUpdate {
    let question = match talk.turns.as_slice() {
        [.., last] if last.answer == Answer::Approved => None,
        [] => Some(format!("What should {} do first?", talk.goal)),
        [_] => Some("For how many people?".to_owned()),
        said => Some(format!("Is that all, after {} answers?", said.len())),
    };
    Talk::update().question(question)
}

#[node(Talk, Node)]
async fn ask(talk: Snap<Talk>, ctx: Ctx) -> Result<TalkUpdate, NodeError> {
    let text = talk.question.clone().ok_or(NodeError::msg("no question"))?;
    let turn = talk.turns.len() + 1;
    let answer = ctx.ask(Question {
        turn,
        text: text.clone(),
    })?;
    let question = text;
    Ok(Talk::update().turns([Turn { question, answer }]))
}

#[node(Talk, Node)]
async fn report(talk: Snap<Talk>) -> TalkUpdate {
    let said = talk.turns.iter().filter_map(|turn| match &turn.answer {
        Answer::Says(text) => Some(text.as_str()),
        Answer::Approved => None,
    });
    let said: Vec<&str> = said.collect();
    Talk::update().report(format!("{}: {}", talk.goal, said.join("; ")))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::<Talk, Node>::builder()
        .saver(MemorySaver::new())
        .node(Node::Prepare, prepare)
        .node(Node::Ask, ask)
        .node(Node::Report, report)
        .start(Node::Prepare)
        .route(Node::Prepare, &[Node::Ask, Node::Report], |talk| {
            Some(talk.question.as_ref().map_or(Node::Report, |_| Node::Ask))
        })
        .edge(Node::Ask, Node::Prepare)
        .finish(Node::Report)
        .build()?;

    let says = |text: &str| Answer::Says(text.to_owned());
    let script = [
        says("lend bicycles"),
        says("for two hundred"),
        says("not approved yet: also repairs"),
        Answer::Approved,
    ];
    let mut outcome = graph.run("t", Talk::update().goal("the service")).await?;
    for answer in script {
        let [ask] = outcome.asks() else {
            return Err("one question should be open".into());
        };
        let Question { turn, text } = ask.question()?;
        println!("{turn}. {text}");
        match &answer {
            Answer::Says(text) => println!("   > {text}"),
            Answer::Approved => println!("   (approves)"),
        }
        outcome = graph
            .answer("t", [ask.answer::<Question>(&answer)?])
            .await?;
    }

    let talk = outcome.done().ok_or("the approval should end the talk")?;
    println!("{}", talk.report.as_deref().unwrap_or("no report"));
    if talk.turns.len() != 4 {
        return Err("four answers should be four turns".into());
    }
    Ok(())
}
