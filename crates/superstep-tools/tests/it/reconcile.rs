//! A tool that can look its effect up: what is known is not asked, and nothing is done twice.

use std::sync::{Arc, Mutex};

use serde_json::{Map, Value as Json, json};
use superstep::{
    Error, Failure, MemorySaver, OpenAsk,
    future::BoxFuture,
    model::{Message, ToolSpec},
    prelude::*,
    tools::{
        Access, Agent, AgentNode, AgentState, Approval, Capabilities, OutcomeQuestion, ParsedCall,
        Reconciled, Tool, ToolCtx, ToolError, ToolOutput, Tools, agent::say,
    },
};

use crate::fixture::{FnModel, calls, text};

/// How an attempt to deliver ends.
#[derive(Clone, Copy, Debug)]
enum Delivery {
    Confirmed,
    /// It arrives, and the confirmation is lost.
    Unconfirmed,
    /// It is lost, and nobody knows.
    Lost,
    /// The target refuses the credentials: nothing happens.
    SignedOut,
}

/// The target: parcels by key, how the next attempts end, and whether it can be asked.
#[derive(Default)]
struct Depot {
    parcels: Mutex<Vec<String>>,
    next: Mutex<Vec<Delivery>>,
    attempts: Mutex<usize>,
    keeps_no_list: bool,
}

impl Depot {
    fn parcels(&self) -> usize {
        self.parcels.lock().unwrap().len()
    }

    fn attempts(&self) -> usize {
        *self.attempts.lock().unwrap()
    }

    fn deliver(&self, key: &str) -> Result<ToolOutput, ToolError> {
        *self.attempts.lock().unwrap() += 1;
        let next = self.next.lock().unwrap().pop();
        let arrive = || self.parcels.lock().unwrap().push(key.to_owned());
        let unknown = || ToolError::Unknown("no confirmation".into());
        match next.unwrap_or(Delivery::Confirmed) {
            Delivery::Confirmed => {
                arrive();
                Ok("delivered".into())
            }
            Delivery::Unconfirmed => {
                arrive();
                Err(unknown())
            }
            Delivery::Lost => Err(unknown()),
            Delivery::SignedOut => Err(ToolError::Stopped(Failure {
                transient: false,
                ..Failure::new("Depot", "signed out")
            })),
        }
    }
}

struct Deliver(ToolSpec, Arc<Depot>);

impl Tool for Deliver {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn access(&self) -> Access {
        Access {
            capabilities: Capabilities::SEND,
            ..Access::default()
        }
    }

    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        match args.get("to").and_then(Json::as_str) {
            Some(to) => Ok(Box::new(Parcel(to.to_owned(), self.1.clone()))),
            None => Err(vec!["`to` is missing".into()]),
        }
    }
}

struct Parcel(String, Arc<Depot>);

impl ParsedCall for Parcel {
    fn describe(&self) -> Option<String> {
        Some(format!("a parcel goes to {}", self.0))
    }

    fn run(&self, ctx: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move { self.1.deliver(ctx.key()) })
    }

    fn reconcile(&self, ctx: ToolCtx) -> Option<BoxFuture<'_, Result<Reconciled, Failure>>> {
        Some(Box::pin(async move {
            if self.1.keeps_no_list {
                return Ok(Reconciled::Unsure("the depot keeps no list".into()));
            }
            let parcels = self.1.parcels.lock().unwrap();
            Ok(match parcels.iter().any(|key| key == ctx.key()) {
                true => Reconciled::Happened("delivered, as the depot says".into()),
                false => Reconciled::NotHappened("the depot has no such parcel".into()),
            })
        }))
    }
}

struct Shop {
    graph: Graph<AgentState, AgentNode>,
    depot: Arc<Depot>,
}

impl Shop {
    /// A shop whose model sends one parcel; `next` is how its deliveries end.
    async fn new(next: &[Delivery], keeps_no_list: bool) -> Self {
        let depot = Arc::new(Depot {
            next: Mutex::new(next.iter().rev().copied().collect()),
            keeps_no_list,
            ..Depot::default()
        });
        let spec = ToolSpec {
            name: "deliver".into(),
            description: "Delivers a parcel.".into(),
            parameters: json!({"type": "object"}),
        };
        let tools = Tools::builder().tool(Deliver(spec, depot.clone()));
        let lines = vec![calls(&[("deliver", json!({"to": "ann"}))]), text("done")];
        let graph = Agent::new(FnModel::lines(lines))
            .tools(tools.build().unwrap())
            .graph()
            .saver(Arc::new(MemorySaver::default()))
            .build()
            .unwrap();
        let said = say(Message::user("send it"));
        graph.run("t", said).await.unwrap();
        Self { graph, depot }
    }

    async fn open(&self) -> OpenAsk {
        let mut asks = self.graph.state("t").await.unwrap().asks;
        assert_eq!(asks.len(), 1, "{asks:?}");
        asks.remove(0)
    }

    async fn approve(&self) -> Result<Outcome<AgentState>, Error> {
        let ask = self.open().await;
        let question = ask.question::<Approval>().unwrap();
        assert!(question.description.contains("a parcel goes to ann"));
        let accept = json!({"type": "accept", "digest": question.digest});
        self.graph.answer("t", [(ask.id, accept)]).await
    }

    async fn repeat(&self) -> Outcome<AgentState> {
        let ask = self.open().await;
        let digest = ask.question::<OutcomeQuestion>().unwrap().digest;
        let repeat = json!({"type": "repeat", "digest": digest});
        self.graph.answer("t", [(ask.id, repeat)]).await.unwrap()
    }
}

fn results(outcome: &Outcome<AgentState>) -> String {
    let messages = outcome.state().messages.iter();
    messages.map(Message::text).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn an_effect_that_is_found_is_not_asked_about_and_not_repeated() {
    let shop = Shop::new(&[Delivery::Unconfirmed], false).await;
    let outcome = shop.approve().await.unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
    assert!(results(&outcome).contains("delivered, as the depot says"));
    assert_eq!((shop.depot.attempts(), shop.depot.parcels()), (1, 1));
}

#[tokio::test]
async fn an_effect_that_is_not_found_is_asked_about_with_what_is_known() {
    let shop = Shop::new(&[Delivery::Lost], false).await;
    let outcome = shop.approve().await.unwrap();
    assert!(matches!(outcome, Outcome::Waiting { .. }));
    assert_eq!(shop.depot.attempts(), 1, "no silent second attempt");
    let asked = shop.open().await.question::<OutcomeQuestion>().unwrap();
    for known in ["no confirmation", "the depot has no such parcel"] {
        assert!(asked.description.contains(known), "{}", asked.description);
    }
    assert!(matches!(shop.repeat().await, Outcome::Done(_)));
    assert_eq!((shop.depot.attempts(), shop.depot.parcels()), (2, 1));
}

#[tokio::test]
async fn an_effect_that_shows_up_while_the_question_is_open_is_not_repeated() {
    let shop = Shop::new(&[Delivery::Lost], false).await;
    shop.approve().await.unwrap();
    let key = shop.open().await.question::<OutcomeQuestion>().unwrap().key;
    shop.depot.parcels.lock().unwrap().push(key);
    assert!(matches!(shop.repeat().await, Outcome::Done(_)));
    assert_eq!((shop.depot.attempts(), shop.depot.parcels()), (1, 1));
}

#[tokio::test]
async fn a_target_that_cannot_tell_leaves_it_to_a_person() {
    let shop = Shop::new(&[Delivery::Unconfirmed], true).await;
    let outcome = shop.approve().await.unwrap();
    assert!(matches!(outcome, Outcome::Waiting { .. }));
    let asked = shop.open().await.question::<OutcomeQuestion>().unwrap();
    assert!(asked.description.contains("the depot keeps no list"));
}

#[tokio::test]
async fn a_call_that_stopped_the_run_is_made_when_it_resumes_and_nobody_approves_twice() {
    let shop = Shop::new(&[Delivery::SignedOut], false).await;
    let error = shop.approve().await.map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("signed out"), "{error}");
    assert_eq!(shop.depot.parcels(), 0);
    let outcome = shop.graph.resume("t").await.unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
    assert_eq!((shop.depot.attempts(), shop.depot.parcels()), (2, 1));
}

/// The copy of a thread whose call may have been made.
async fn copied(shop: &Shop) -> OpenAsk {
    shop.graph.copy_thread("t", "copy").await.unwrap();
    let outcome = shop.graph.resume("copy").await.unwrap();
    let [ask] = outcome.asks() else {
        panic!("there is one question")
    };
    ask.clone()
}

#[tokio::test]
async fn a_copy_asks_whether_the_call_happened_before_it_asks_for_an_approval() {
    let shop = Shop::new(&[Delivery::Unconfirmed], true).await;
    shop.approve().await.unwrap();
    let ask = copied(&shop).await;
    let digest = ask.question::<OutcomeQuestion>().unwrap().digest;
    let repeat = json!({"type": "repeat", "digest": digest});
    let outcome = shop.graph.answer("copy", [(ask.id, repeat)]).await.unwrap();
    // The approval was for the other thread.
    let ask = outcome.asks()[0].clone();
    let question = ask.question::<Approval>().unwrap();
    assert!(question.description.contains("a parcel goes to ann"));
    assert_eq!(shop.depot.attempts(), 1);
    let accept = json!({"type": "accept", "digest": question.digest});
    let outcome = shop.graph.answer("copy", [(ask.id, accept)]).await.unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
    assert_eq!(shop.depot.attempts(), 2);
}

#[tokio::test]
async fn who_does_not_approve_another_attempt_says_nothing_about_the_first() {
    let shop = Shop::new(&[Delivery::Unconfirmed], true).await;
    shop.approve().await.unwrap();
    let ask = copied(&shop).await;
    // An answer to an approval, which an earlier version asked for at this place.
    let ignore = json!({"type": "ignore", "digest": "q2:0"});
    let error = shop.graph.answer("copy", [(ask.id, ignore)]).await;
    assert_eq!(error.map(|_| ()).unwrap_err().code(), "SS1015");
    let ask = shop.graph.state("copy").await.unwrap().asks.remove(0);
    assert!(ask.is::<OutcomeQuestion>());
    assert_eq!(shop.depot.attempts(), 1);
}

#[tokio::test]
async fn a_call_that_was_made_or_may_have_been_is_not_made_again_by_a_fork() {
    for (delivery, settled) in [
        (Delivery::Confirmed, None),
        (
            Delivery::Unconfirmed,
            Some(json!({"type": "happened", "args": "it came"})),
        ),
        (
            Delivery::Unconfirmed,
            Some(json!({"type": "still_unknown"})),
        ),
        (Delivery::Unconfirmed, None),
        (Delivery::Lost, Some(json!({"type": "abandon"}))),
    ] {
        let shop = Shop::new(&[delivery], true).await;
        shop.approve().await.unwrap();
        let is_abandoned = settled.as_ref().is_some_and(|it| it["type"] == "abandon");
        if let Some(mut answer) = settled {
            let ask = shop.open().await;
            let digest = ask.question::<OutcomeQuestion>().unwrap().digest;
            answer["digest"] = json!(digest);
            shop.graph.answer("t", [(ask.id, answer)]).await.unwrap();
        }
        let history = shop.graph.history("t").await.unwrap();
        let first = history.last().and_then(|it| it.id).unwrap();
        let forked = shop.graph.fork("t", first).await;
        match is_abandoned {
            true => drop(forked.unwrap()),
            false => {
                let error = forked.unwrap_err();
                assert_eq!(error.code(), "SS1205");
                assert!(error.to_string().contains("deliver"), "{error}");
                shop.graph.repeating().fork("t", first).await.unwrap();
            }
        }
    }
}
