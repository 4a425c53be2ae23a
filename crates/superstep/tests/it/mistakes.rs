//! Mistakes of a program: what their errors say, and that they are found where they were made.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use superstep::{Category, Context, prelude::*};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Draft {
    text: String,
    score: f64,
    deep: serde_json::Value,
    pairs: BTreeMap<(u8, u8), u8>,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Write,
    Check,
}

fn graph<Args>(
    saver: Option<MemorySaver>,
    write: impl superstep::Handler<Draft, Node, Args>,
) -> Graph<Draft, Node> {
    let mut builder = Graph::<Draft, Node>::builder();
    if let Some(saver) = saver {
        builder = builder.saver(saver);
    }
    let check = || async { Draft::update().text("checked") };
    builder
        .node(Node::Write, write)
        .node(Node::Check, check)
        .start(Node::Write)
        .start(Node::Check)
        .finish(Node::Write)
        .finish(Node::Check)
        .build()
        .unwrap()
}

#[tokio::test]
async fn an_error_of_a_channel_names_the_nodes_that_wrote_it() {
    let both = graph(None, || async { Draft::update().text("written") });
    let error = both.run("t", Draft::update()).await.unwrap_err();
    let says = "channel `text` was written twice by `check` and `write`";
    assert!(error.to_string().contains(says), "{error}");
}

#[tokio::test]
async fn a_run_without_the_context_that_a_node_wants_says_how_to_give_it() {
    let greet = |name: Context<String>| async move { Draft::update().log([name.0]) };
    let greeting = graph(None, greet);
    let error = greeting.run("t", Draft::update()).await.unwrap_err();
    assert!(
        error.to_string().contains("`graph.with_context(..)`"),
        "{error}"
    );
    let outcome = greeting
        .with_context("ann".to_owned())
        .run("t", Draft::update())
        .await;
    assert_eq!(outcome.unwrap().state().log, ["ann"]);
}

#[tokio::test]
async fn the_memory_saver_refuses_what_files_cannot_keep() {
    let deep = |levels| {
        (0..levels).fold(serde_json::Value::Null, |inner, _| {
            [inner].into_iter().collect()
        })
    };
    for (update, fits) in [
        (Draft::update().score(f64::NAN), false),
        (Draft::update().score(f64::MAX), true),
        (Draft::update().deep(deep(257)), false),
        (Draft::update().deep(deep(200)), true),
        (Draft::update().pairs(BTreeMap::from([((1, 2), 3)])), false),
    ] {
        let graph = graph(Some(MemorySaver::new()), || async {});
        let ran = graph.run("t", update.clone()).await;
        let code = ran.err().map(|error| error.code());
        assert_eq!(code, (!fits).then_some("SS2013"), "{update:?}");
    }
}

#[tokio::test]
async fn a_thread_without_a_name_is_refused() {
    let graph = graph(Some(MemorySaver::new()), || async {});
    let error = graph.run("", Draft::update()).await.unwrap_err();
    assert!(
        error.to_string().contains("the name of a thread is empty"),
        "{error}"
    );
}

#[test]
fn an_error_of_storage_shows_its_code_and_hint_when_a_program_ends_with_it() {
    let error = superstep::SaverError::Locked("a.db".to_owned());
    let shown = format!("{error:?}");
    assert!(shown.starts_with("[SS2009] storage is locked"), "{shown}");
    assert!(shown.contains("hint: "), "{shown}");
    assert_eq!(error.category(), Category::Unavailable);
}
