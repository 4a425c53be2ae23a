//! `superstep memory`: listed, and searched by words and by meaning.

use serde_json::{Value as Json, json};
use superstep::{
    sqlite::Database,
    store::{Namespace, PutOptions, Store},
};
use superstep_loopback::{Answer, Server};

use crate::env::TestEnv;

/// A machine with three memories of two people.
fn env() -> TestEnv {
    let env = TestEnv::new();
    let path = env.path("work/x.db");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = Database::open(path).unwrap().store();
        for (who, key, text) in [
            ("ann", "food", "likes figs and dates"),
            ("ann", "work", "repairs old clocks"),
            ("bob", "food", "never eats fruit"),
        ] {
            let space = Namespace::new(["users", who]).unwrap();
            let value = json!({"text": text});
            store
                .put(&space, key, value, PutOptions::default())
                .await
                .unwrap();
        }
    });
    env
}

/// A provider whose vectors count what a text says about food and about work.
fn embeddings() -> Server {
    Server::on_thread(|request| {
        let asked = &request.body;
        let vector = |text: &Json| {
            let text = text.as_str().unwrap();
            let about = |words: &[&str]| words.iter().filter(|word| text.contains(**word)).count();
            json!([
                about(&["figs", "fruit", "hungry", "eat"]),
                about(&["clocks", "job"])
            ])
        };
        let texts = asked["input"].as_array().unwrap().iter().enumerate();
        let rows: Vec<Json> = texts
            .map(|(at, text)| json!({"index": at, "embedding": vector(text)}))
            .collect();
        Answer::json(200, &json!({"data": rows}))
    })
    .unwrap()
}

#[test]
fn everything_is_listed_and_a_namespace_alone() {
    let env = env();
    let ran = env.run("memory list --db x.db");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().count(), 3, "{}", ran.stdout);
    assert!(
        ran.stdout
            .starts_with("users.ann/food  {\"text\":\"likes figs"),
        "{}",
        ran.stdout
    );
    let ran = env.run("memory list --under users.bob --json --db x.db");
    let items = ran.events();
    assert_eq!((items.len(), &items[0]["key"]), (1, &json!("food")));
}

#[test]
fn words_are_found_without_an_embedder() {
    let ran = env().run("memory search clocks --db x.db");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("users.ann/work"), "{}", ran.stdout);
    assert_eq!(ran.stdout.lines().count(), 1);
}

#[test]
fn a_remote_embedder_finds_by_meaning_and_changes_nothing() {
    let env = env();
    let server = embeddings();
    let line = format!(
        "memory search hungry --under users.ann --json --db x.db --embedder openai@{}/v1:meaning",
        server.address()
    );
    for _ in 0..2 {
        let ran = env.run(&line);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let found = ran.events();
        assert_eq!(found[0]["key"], "food", "{}", ran.stdout);
        assert_eq!(found[0]["score"], 1.0);
        assert_eq!(found.len(), 2, "nothing of bob: {}", ran.stdout);
    }
    let sent = server.requests().last().unwrap().body.to_string();
    assert!(
        !sent.contains("fruit"),
        "what is not under the prefix stays here: {sent}"
    );
    let ran = env.run("memory search hungry --db x.db");
    assert!(
        ran.stdout.is_empty(),
        "no word of it is there: {}",
        ran.stdout
    );
}

#[test]
fn an_embedder_that_cannot_be_had_is_named() {
    let env = env();
    let ran =
        env.run("memory search figs --embedder openai:text-embedding-3-small --offline --db x.db");
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("offline"), "{}", ran.stderr);
    let ran = env.run("memory search figs --embedder local --db x.db");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("minilm"), "{}", ran.stderr);
    let ran = env.run("memory search figs --db missing.db");
    assert_ne!(ran.code, 0, "{}", ran.stdout);
}
