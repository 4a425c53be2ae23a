//! The loop: questions, answers, refusals, failures.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{Graph, dynamic::Pauses, prelude::*};
use superstep_agent::{Answers, Conversation, Ended, Line, Next, PlainAgent};

use crate::console::{Failed, Typist};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Order {
    item: String,
    sent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Step {
    Send,
}

#[derive(Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct MaySend {
    item: String,
}

/// A graph that asks whether to send, and fails the first `failures` times before it asks.
fn graph(failures: u32) -> Result<PlainAgent, BuildErrors> {
    Ok(typed(failures)?.into())
}

fn typed(failures: u32) -> Result<Graph<Order, Step>, BuildErrors> {
    let left = Arc::new(AtomicU32::new(failures));
    Graph::<Order, Step>::builder()
        .saver(MemorySaver::default())
        .node(Step::Send, move |order: Snap<Order>, ctx: Ctx| {
            let left = Arc::clone(&left);
            async move {
                let failed =
                    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |it| it.checked_sub(1));
                if failed.is_ok() {
                    return Err(NodeError::from("the printer is on fire"));
                }
                let item = order.item.clone();
                let sent = ctx.ask(MaySend { item })?;
                Ok(Order::update().sent(sent))
            }
        })
        .start(Step::Send)
        .finish(Step::Send)
        .build()
}

fn order(item: &str) -> Next {
    Next::Input(json!({"item": item}).into())
}

#[tokio::test]
async fn a_person_answers_and_the_thread_is_done() -> Result<(), Box<dyn std::error::Error>> {
    let mut agent = graph(0)?;
    let mut typist = Typist::typing(["perhaps", "y"]);
    let talk = Conversation::new(&mut agent, "order-1", Answers::person(), &mut typist);
    let ended = talk.run(order("tea")).await;
    assert!(matches!(ended, Ok(Ended::Done(None))), "{ended:?}");
    assert!(
        typist.shown.contains(&"item: tea".to_owned()),
        "{:?}",
        typist.shown
    );
    assert!(
        typist.shown.contains(&"y or n".to_owned()),
        "{:?}",
        typist.shown
    );
    let result = typist.events.iter().find(|it| it["event"] == "result");
    assert_eq!(result.map(|it| &it["state"]["sent"]), Some(&json!(true)));
    Ok(())
}

#[tokio::test]
async fn a_question_without_an_answer_stays_open_and_says_how_to_resume()
-> Result<(), Box<dyn std::error::Error>> {
    let mut agent = graph(0)?;
    let mut typist = Typist::default();
    let talk = Conversation::new(&mut agent, "order-1", Answers::person(), &mut typist);
    let ended = talk.run(order("tea")).await;
    let Ok(Ended::Waiting(ask)) = ended else {
        return Err(format!("{ended:?}").into());
    };
    let last = typist.shown.last().map(String::as_str);
    assert_eq!(last, Some("Saved. Resume with: app threads resume order-1"));

    let mut again = Typist::typing(["n"]);
    let talk = Conversation::new(&mut agent, "order-1", Answers::person(), &mut again);
    let ended = talk.run(Next::Ask(ask)).await;
    assert!(matches!(ended, Ok(Ended::Done(None))), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn written_answers_are_used_in_order_and_no_person_is_asked()
-> Result<(), Box<dyn std::error::Error>> {
    let mut agent = graph(0)?;
    let mut typist = Typist::typing(["y"]);
    let answers = Answers::written(["n".to_owned()]);
    let talk = Conversation::new(&mut agent, "order-1", answers, &mut typist);
    let ended = talk.run(order("tea")).await;
    assert!(matches!(ended, Ok(Ended::Done(None))), "{ended:?}");
    assert_eq!(typist.lines.len(), 1, "the line of the person is left");
    let result = typist.events.iter().find(|it| it["event"] == "result");
    assert_eq!(result.map(|it| &it["state"]["sent"]), Some(&json!(false)));
    Ok(())
}

#[tokio::test]
async fn a_person_retries_a_run_that_failed() -> Result<(), Box<dyn std::error::Error>> {
    let mut agent = graph(1)?;
    let mut typist = Typist::typing(["", "y"]);
    let talk = Conversation::new(&mut agent, "order-1", Answers::person(), &mut typist);
    let ended = talk.run(order("tea")).await;
    assert!(matches!(ended, Ok(Ended::Done(None))), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn without_a_person_a_failed_run_ends_the_conversation_with_its_error()
-> Result<(), Box<dyn std::error::Error>> {
    let mut agent = graph(1)?;
    let mut typist = Typist {
        is_piped: true,
        ..Typist::typing(["y"])
    };
    let talk = Conversation::new(&mut agent, "order-1", Answers::person(), &mut typist);
    let ended = talk.run(order("tea")).await;
    assert!(matches!(ended, Err(Failed::Run(_))), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn ctrl_c_at_a_question_leaves_it_open() -> Result<(), Box<dyn std::error::Error>> {
    let mut agent = graph(0)?;
    let mut typist = Typist {
        lines: [Line::CtrlC].into(),
        ..Typist::default()
    };
    let talk = Conversation::new(&mut agent, "order-1", Answers::person(), &mut typist);
    let ended = talk.run(order("tea")).await;
    assert!(matches!(ended, Ok(Ended::Cancelled)), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn new_input_does_not_drop_an_open_question() -> Result<(), Box<dyn std::error::Error>> {
    let mut agent = graph(0)?;
    let mut first = Typist::default();
    let talk = Conversation::new(&mut agent, "order-1", Answers::person(), &mut first);
    let waiting = talk.run(order("tea")).await;
    assert!(matches!(waiting, Ok(Ended::Waiting(_))), "{waiting:?}");
    let mut second = Typist {
        is_piped: true,
        ..Typist::default()
    };
    let talk = Conversation::new(&mut agent, "order-1", Answers::person(), &mut second);
    let refused = talk.run(order("coffee")).await;
    let Err(Failed::Run(error)) = refused else {
        return Err(format!("{refused:?}").into());
    };
    assert_eq!(error.code(), "SS1121");
    Ok(())
}

#[tokio::test]
async fn only_an_empty_line_repeats_a_failed_run() -> Result<(), Box<dyn std::error::Error>> {
    let mut agent = graph(1)?;
    let mut typist = Typist::typing(["what happened?"]);
    let talk = Conversation::new(&mut agent, "order-1", Answers::person(), &mut typist);
    let ended = talk.run(order("tea")).await;
    assert!(matches!(ended, Err(Failed::Run(_))), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn a_pause_of_the_graph_is_kept_until_the_thread_is_resumed()
-> Result<(), Box<dyn std::error::Error>> {
    let graph = typed(0)?.with_options(|options| options.pause_before = Pauses::All);
    let mut agent = PlainAgent::from(graph);
    let mut typist = Typist::typing(["y"]);
    let talk = Conversation::new(&mut agent, "order-1", Answers::person(), &mut typist);
    let ended = talk.run(order("tea")).await;
    assert!(matches!(ended, Ok(Ended::Paused)), "{ended:?}");
    let how = typist.shown.last().map(String::as_str);
    assert_eq!(how, Some("Saved. Resume with: app threads resume order-1"));
    let talk = Conversation::new(&mut agent, "order-1", Answers::person(), &mut typist);
    let ended = talk.run(Next::Resume).await;
    assert!(matches!(ended, Ok(Ended::Done(None))), "{ended:?}");
    Ok(())
}
