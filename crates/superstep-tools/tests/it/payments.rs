//! One answer fits one question: a client that repeats its request pays nothing twice.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Error, MemorySaver, MemoryStore, OpenAsk, Origin,
    dynamic::input,
    prelude::*,
    tools::{
        Agent, AgentNode, AgentState, Approval, OutcomeQuestion, ToolError, Tools,
        agent::say,
        approval::{rebound, repeats},
    },
};
use superstep_core::archive::Archive;

use crate::fixture::{FnModel, calls, text};

/// Counts what arrived, and loses every confirmation.
#[derive(Default)]
struct Bank(AtomicUsize);

impl Bank {
    fn payments(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Pays a bill.
#[tool(send)]
async fn pay(
    /// In euros.
    amount: u32,
    bank: Res<Bank>,
) -> Result<String, ToolError> {
    bank.0.0.fetch_add(1, Ordering::SeqCst);
    Err(ToolError::Unknown(format!("no confirmation of {amount}")))
}

struct Shop {
    graph: Graph<AgentState, AgentNode>,
    bank: Arc<Bank>,
}

impl Shop {
    fn new() -> Self {
        Self::on(Backends::default())
    }

    /// A shop whose store marks foreign threads.
    fn marking() -> Self {
        Self::on(Backends {
            store: Some(Arc::new(MemoryStore::default())),
            ..Backends::default()
        })
    }

    fn on(backends: Backends) -> Self {
        let bank = Arc::new(Bank::default());
        let tools = Tools::builder().tool(Pay).shared(bank.clone());
        let lines = vec![calls(&[("pay", json!({"amount": 7}))]), text("done")];
        let graph = Agent::new(FnModel::lines(lines))
            .tools(tools.build().unwrap())
            .graph()
            .backends(backends)
            .saver(MemorySaver::default())
            .build()
            .unwrap();
        Self { graph, bank }
    }

    /// Asks for the payment, and gives the question about it with an answer that approves it.
    async fn asked(&self) -> (OpenAsk, Json) {
        let said = say(superstep::model::Message::user("pay"));
        self.graph.run("t", said).await.unwrap();
        let ask = self.open().await;
        let accept = accept(&ask);
        (ask, accept)
    }

    /// Asks for the payment, approves it, and gives the question that follows.
    async fn paid_once(&self) -> OpenAsk {
        let (_, accept) = self.asked().await;
        self.plainly(accept).await.unwrap();
        assert_eq!(self.bank.payments(), 1);
        self.open().await
    }

    async fn open(&self) -> OpenAsk {
        let mut asks = self.graph.state("t").await.unwrap().asks;
        assert_eq!(asks.len(), 1, "{asks:?}");
        asks.remove(0)
    }

    /// Answers the one open question, as a client does that knows no ids.
    async fn plainly(&self, answer: Json) -> Result<(), Error> {
        let options = superstep::RunOptions {
            thread: Some("t".into()),
            ..Default::default()
        };
        let fed = input::resume(superstep::Value::from(answer));
        self.graph.dynamic().invoke(fed, &options).await?;
        Ok(())
    }

    async fn archived(&self) -> String {
        let archive = self.graph.export_thread("t").await.unwrap();
        let mut file = Vec::new();
        archive.write(&mut file).unwrap();
        String::from_utf8(file).unwrap()
    }

    async fn take_in(&self, archive: &str) {
        let archive = Archive::read(archive.as_bytes()).unwrap();
        self.graph.import_thread("t", archive).await.unwrap();
    }
}

fn outcome(ask: &OpenAsk) -> OutcomeQuestion {
    ask.question::<OutcomeQuestion>().unwrap()
}

fn accept(ask: &OpenAsk) -> Json {
    let digest = ask.question::<Approval>().unwrap().digest;
    json!({"type": "accept", "digest": digest})
}

/// An archive as a process leaves it that ends between the answer and the call.
fn answered(archive: &str, answer: &Json) -> String {
    let from = "\"answered\":false,\"answers\":[]";
    let (head, tail) = archive.rsplit_once(from).unwrap();
    format!("{head}\"answered\":true,\"answers\":[{answer}]{tail}")
}

fn repeat(ask: &OpenAsk) -> Json {
    json!({"type": "repeat", "digest": outcome(ask).digest})
}

#[tokio::test]
async fn a_repeated_plain_answer_repeats_nothing() {
    let shop = Shop::new();
    let answer = repeat(&shop.paid_once().await);
    shop.plainly(answer.clone()).await.unwrap();
    assert_eq!(shop.bank.payments(), 2);
    for _ in 0..3 {
        let error = shop.plainly(answer.clone()).await.unwrap_err();
        assert_eq!(error.code(), "SS1015");
        assert_eq!(shop.bank.payments(), 2);
        // The question stays open, as it was asked.
        assert_ne!(
            outcome(&shop.open().await).digest.to_string(),
            answer["digest"]
        );
    }
    shop.plainly(repeat(&shop.open().await)).await.unwrap();
    assert_eq!(shop.bank.payments(), 3);
}

#[tokio::test]
async fn an_approval_is_no_answer_to_whether_it_happened() {
    let shop = Shop::new();
    let said = say(superstep::model::Message::user("pay"));
    shop.graph.run("t", said).await.unwrap();
    let approval = shop.open().await.question::<Approval>().unwrap().digest;
    let accept = json!({"type": "accept", "digest": approval});
    shop.plainly(accept.clone()).await.unwrap();
    for kind in ["accept", "repeat", "happened"] {
        let answer = json!({"type": kind, "digest": approval, "args": "yes"});
        assert_eq!(shop.plainly(answer).await.unwrap_err().code(), "SS1015");
    }
    assert_eq!(shop.bank.payments(), 1);
}

#[tokio::test]
async fn two_clients_at_once_and_a_copy_of_the_thread_pay_no_more() {
    let shop = Shop::new();
    let answer = repeat(&shop.paid_once().await);
    shop.graph.copy_thread("t", "copy").await.unwrap();
    let (one, two) = tokio::join!(shop.plainly(answer.clone()), shop.plainly(answer.clone()));
    assert_eq!([one, two].iter().filter(|it| it.is_ok()).count(), 1);
    assert_eq!(shop.bank.payments(), 2);
    let copied = shop.graph.state("copy").await.unwrap().asks[0].id;
    let error = shop.graph.answer("copy", [(copied, answer)]).await;
    assert_eq!(error.unwrap_err().code(), "SS1015");
    assert_eq!(shop.bank.payments(), 2);
}

#[tokio::test]
async fn an_approval_that_was_not_acted_on_is_asked_for_again_in_a_copy() {
    let shop = Shop::new();
    let (ask, accept) = shop.asked().await;
    let digest = ask.question::<Approval>().unwrap().digest.to_string();
    let archive = answered(&shop.archived().await, &accept);
    let archive = Archive::read(archive.as_bytes()).unwrap();
    let graph = &shop.graph;
    graph.import_thread("copy", archive).await.unwrap();
    assert!(graph.state("copy").await.unwrap().asks.is_empty());
    let error = graph.resume("copy").await.map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "SS1015");
    assert_eq!(shop.bank.payments(), 0);
    let open = graph.state("copy").await.unwrap().asks;
    let again = open[0].question::<Approval>().unwrap().digest;
    assert_ne!(again.to_string(), digest);
    let accept = json!({"type": "accept", "digest": again});
    graph.answer("copy", [(open[0].id, accept)]).await.unwrap();
    assert_eq!(shop.bank.payments(), 1);
}

#[tokio::test]
async fn an_archive_that_claims_an_approval_under_its_own_name_pays_nothing() {
    let shop = Shop::marking();
    let (_, claimed) = shop.asked().await;
    let archive = answered(&shop.archived().await, &claimed);
    shop.graph.delete_thread("t").await.unwrap();
    shop.take_in(&archive).await;
    let refused = shop.graph.resume("t").await.map(|_| ()).unwrap_err();
    assert!(refused.is_answer_misfit(), "{refused}");
    assert_eq!(shop.bank.payments(), 0);
    shop.plainly(accept(&shop.open().await)).await.unwrap();
    assert_eq!(shop.bank.payments(), 1);
}

#[tokio::test]
async fn an_approval_of_a_call_that_was_begun_does_not_count_in_an_archive_of_its_name() {
    let shop = Shop::marking();
    shop.paid_once().await;
    let archive = shop.archived().await;
    shop.graph.delete_thread("t").await.unwrap();
    shop.take_in(&archive).await;
    // The answer to the question in the archive is refused, and the same is asked here.
    let shown = shop.open().await;
    let refused = shop.plainly(repeat(&shown)).await.unwrap_err();
    assert!(refused.is_answer_misfit(), "{refused}");
    shop.plainly(repeat(&shop.open().await)).await.unwrap();
    assert_eq!(shop.bank.payments(), 1, "nobody here approved it");
    shop.plainly(accept(&shop.open().await)).await.unwrap();
    assert_eq!(shop.bank.payments(), 2);
}

#[tokio::test]
async fn an_approval_does_not_outlast_an_edit_over_http() {
    let shop = Shop::marking();
    let (_, before) = shop.asked().await;
    let provenance = shop.graph.dynamic().provenance().unwrap();
    provenance.mark(&"t".into(), Origin::Http).await.unwrap();
    let refused = shop.plainly(before).await.unwrap_err();
    assert!(refused.is_answer_misfit(), "{refused}");
    assert_eq!(shop.bank.payments(), 0);
    shop.plainly(accept(&shop.open().await)).await.unwrap();
    assert_eq!(shop.bank.payments(), 1);
}

#[tokio::test]
async fn an_answer_to_the_question_that_a_copy_shows_is_for_the_one_that_it_repeats() {
    let shop = Shop::new();
    let (_, said) = shop.asked().await;
    let graph = &shop.graph;
    graph.copy_thread("t", "copy").await.unwrap();
    let open = async || graph.state("copy").await.unwrap().asks.remove(0);
    let shown = open().await;
    let refused = graph.answer("copy", [(shown.id, said.clone())]).await;
    assert!(refused.unwrap_err().is_answer_misfit());
    let now = open().await;
    assert!(repeats(&shown, &now));
    let again = rebound(&said, &shown, &now).unwrap();
    graph.answer("copy", [again]).await.unwrap();
    assert_eq!(shop.bank.payments(), 1);
}

#[tokio::test]
async fn an_answer_is_not_taken_for_a_question_that_shows_something_else() {
    let shop = Shop::new();
    let (shown, said) = shop.asked().await;
    let with = |name: &str, value: Json| {
        let mut ask = shown.clone();
        ask.body["digest"] = json!("q2:of the copy");
        ask.body[name] = value;
        ask
    };
    let same = with("digest", json!("q2:of the copy"));
    assert!(repeats(&shown, &same));
    let mut other_kind = same.clone();
    other_kind.kind = "another".into();
    for other in [
        shown.clone(),
        other_kind,
        // No digest of a question about a call.
        with("digest", json!("9f86d081")),
        with("digest", Json::Null),
        with("description", json!("pay less")),
        with("can", json!([])),
        with(
            "action_request",
            json!({"action": "pay", "args": {"amount": 70}}),
        ),
        with("more", json!("to read")),
    ] {
        assert!(!repeats(&shown, &other), "{other:?}");
        assert_eq!(rebound(&said, &shown, &other), None, "{other:?}");
    }
    // An answer to another question than was shown.
    let stray = json!({"type": "accept", "digest": "q2:of another"});
    assert_eq!(rebound(&stray, &shown, &same), None);
    // As a list of one item, and never as one of several.
    let listed = |ask: &OpenAsk, count: usize| {
        let mut ask = ask.clone();
        ask.body = Json::Array(vec![ask.body.clone(); count]);
        ask
    };
    let again = rebound(&json!([said]), &listed(&shown, 1), &listed(&same, 1));
    assert_eq!(again.unwrap().1[0]["digest"], "q2:of the copy");
    assert!(!repeats(&listed(&shown, 2), &listed(&same, 2)));
}

#[tokio::test]
async fn an_edited_call_has_a_question_of_its_own() {
    let shop = Shop::new();
    let said = say(superstep::model::Message::user("pay"));
    shop.graph.run("t", said).await.unwrap();
    let digest = shop.open().await.question::<Approval>().unwrap().digest;
    let args = json!({"action": "pay", "args": {"amount": 9}});
    let edit = json!({"type": "edit", "digest": digest, "args": args});
    shop.plainly(edit.clone()).await.unwrap();
    let asked = outcome(&shop.open().await);
    assert_eq!(asked.action_request.args["amount"], 9);
    for _ in 0..2 {
        assert!(shop.plainly(edit.clone()).await.is_err());
    }
    assert_eq!(shop.bank.payments(), 1);
}

/// As versions wrote them before a digest named the kind of question and the attempt.
fn with_old_digests(archive: &str) -> String {
    let mut old = String::new();
    let mut parts = archive.split("\"q2:");
    old.push_str(parts.next().unwrap());
    for part in parts {
        old.push('"');
        old.push_str(part);
    }
    assert_ne!(old, archive);
    old
}

#[tokio::test]
async fn questions_and_answers_of_an_earlier_version_are_refused_and_asked_again() {
    let shop = Shop::new();
    let before = shop.paid_once().await;
    let later = Shop::new();
    later
        .take_in(&with_old_digests(&shop.archived().await))
        .await;
    let stored = outcome(&later.open().await).digest.to_string();
    assert_eq!(format!("q2:{stored}"), outcome(&before).digest.to_string());
    let answer = json!({"type": "repeat", "digest": stored});
    let error = later.plainly(answer).await.unwrap_err();
    assert_eq!(error.code(), "SS1015");
    assert!(error.to_string().contains("earlier version"), "{error}");
    assert_eq!(later.bank.payments(), 0);
    // Whether the payment was made before the thread moved is settled before anything else.
    let asked = later.open().await;
    assert_eq!(outcome(&asked).digest, outcome(&before).digest);
    let answers = [(asked.id, repeat(&asked))];
    later.graph.answer("t", answers).await.unwrap();
    // The approval that is stored names the old digest too: it is asked for again.
    assert_eq!(later.bank.payments(), 0);
    let asked = later.open().await;
    let digest = asked.question::<Approval>().unwrap().digest;
    let accept = json!({"type": "accept", "digest": digest});
    later.graph.answer("t", [(asked.id, accept)]).await.unwrap();
    assert_eq!(later.bank.payments(), 1);
}
