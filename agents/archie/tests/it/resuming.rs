//! A new process after every step: nothing is lost, no finished call is made again.

use std::{fs, sync::Arc};

use serde_json::json;
use superstep::{
    Event,
    model::{
        Script,
        script::{Step, When},
    },
};
use superstep_archie::{Node, Progress, Settings};

use crate::support::{TestEnv, answer, begin, open, question, said, says};

#[tokio::test]
async fn every_turn_can_be_in_another_process_without_the_folder() {
    let env = TestEnv::with(&[("a.md", "the bicycles are red")]);
    let texts = ["1", "2", "3", "end"];
    let brief = env.brief("go");
    begin(&env.archie(says(texts)), "t", &brief).await;
    fs::remove_dir_all(env.docs()).unwrap();

    for (number, words) in [(1, "first"), (2, "second"), (3, "DONE")] {
        let model = says(texts);
        let archie = env.archie(model.clone());
        assert_eq!(question(&archie, "t").await.query, number.to_string());
        assert_eq!(model.seen().len(), 0, "looking calls nobody");
        answer(&archie, "t", words).await;
        let seen = model.seen();
        assert_eq!(seen.len(), 1, "one call a turn");
        let has_document = |text: &str| text.contains("the bicycles are red");
        assert!(seen[0].messages.iter().any(|it| has_document(&it.text())));
    }
    let archie = env.archie(says(texts));
    let state = archie.graph().state("t").await.unwrap().state;
    assert_eq!(
        said(&state),
        ["go", "1", "first", "2", "second", "3", "DONE", "end"]
    );
}

#[tokio::test]
async fn a_run_that_ends_during_a_call_makes_that_call_again_and_no_other() {
    let stated = json!({"statements": []});
    let stated = || Step::data(stated.clone()).when(When::schema("statements"));
    let hang = || Step::hang().when(When::schema("statements")).always();
    let table = [
        (Node::AnalysisPrepare, vec![Step::hang().always()], 1),
        (
            Node::Remember,
            vec![hang(), Step::text("1"), Step::text("end")],
            3,
        ),
    ];
    for (node, steps, calls) in table {
        let env = TestEnv::with(&[("a.md", "text")]);
        let settings = || Settings {
            memory: Some(env.path("memory.json").into()),
            ..Settings::default()
        };
        let model = Arc::new(Script::new(steps));
        let archie = env.archie_with(model.clone(), settings());
        let called = async {
            while model.seen().len() < calls {
                tokio::task::yield_now().await;
            }
        };
        let talk = async {
            begin(&archie, "t", &env.brief("go")).await;
            answer(&archie, "t", "/approve").await
        };
        tokio::select! {
            outcome = talk => panic!("it should hang: {outcome:?}"),
            () = called => {}
        }
        drop(archie);

        let steps = [stated().always(), Step::text("1"), Step::text("end")];
        let model = Arc::new(Script::new(steps));
        let archie = env.archie_with(model.clone(), settings());
        assert_eq!(archie.graph().state("t").await.unwrap().next, [node]);
        // The run that was dropped gives the thread back a moment later.
        while let Err(error) = archie.graph().resume("t").await {
            assert_eq!(error.code(), "SS2001", "{node:?}: {error}");
            tokio::task::yield_now().await;
        }
        assert_eq!(model.seen().len(), 1, "{node:?}");
        if node == Node::AnalysisPrepare {
            assert_eq!(question(&archie, "t").await.query, "1");
            answer(&archie, "t", "/approve").await;
        }
        let state = archie.graph().state("t").await.unwrap();
        assert!(state.is_done(), "{node:?}");
        assert_eq!(
            said(&state.state),
            ["go", "1", "/approve", "end"],
            "{node:?}"
        );
    }
}

#[tokio::test]
async fn a_question_keeps_its_id_until_it_is_answered() {
    let env = TestEnv::with(&[("a.md", "text")]);
    begin(&env.archie(says(["1"])), "t", &env.brief("go")).await;
    let first = open(&env.archie(says(["1"])), "t").await;
    let archie = env.archie(says(["1"]));
    let outcome = archie.graph().resume("t").await.unwrap();
    assert_eq!(outcome.asks(), [first]);
}

#[tokio::test]
async fn documents_are_not_in_checkpoints() {
    let env = TestEnv::new();
    let text = "MARKER of a document\n".repeat(3_000);
    env.write("a.md", text.as_bytes());
    let model = says(["1", "2"]);
    let archie = env.archie(model.clone());
    begin(&archie, "t", &env.brief("go")).await;
    answer(&archie, "t", "on").await;
    let archive = archie.graph().export_thread("t").await.unwrap();
    let stored = format!("{archive:?}");
    assert!(!stored.contains("MARKER"));
    assert!(stored.len() < 60_000, "{} bytes", stored.len());
    let seen = model.seen();
    assert!(seen[1].messages[1].text().contains("MARKER"));
}

#[tokio::test]
async fn a_document_that_is_no_longer_stored_is_told() {
    let env = TestEnv::with(&[("a.md", "text")]);
    begin(&env.archie(says(["1"])), "t", &env.brief("go")).await;
    let archie = env.archie(says(["1", "2"]));
    let store = archie.graph().backends().store.clone().unwrap();
    let state = archie.graph().state("t").await.unwrap().state;
    let sha256 = state.inputs.files[0].sha256.clone().unwrap();
    let namespace = superstep::store::Namespace::new(["archie", "documents"]).unwrap();
    store.delete(&namespace, &sha256).await.unwrap();
    let error = crate::support::try_answer(&archie, "t", "on")
        .await
        .unwrap_err();
    assert_eq!(error.code(), "SS6004", "{error}");
}

#[tokio::test]
async fn readers_hear_what_is_going_on() {
    let env = TestEnv::with(&[("a.md", "text"), ("b.png", "x")]);
    let archie = env.archie(says(["1"]));
    let mut events = archie.graph().stream("t", archie.analyze(&env.brief("go")));
    let mut message = Vec::new();
    while let Some(event) = events.next().await {
        if let Event::Custom(value) = event {
            message.push(value.take::<Progress>().unwrap());
        }
    }
    let [
        Progress::Read {
            included: 1,
            reachable: 0,
            left: 1,
            tokens,
            budget,
        },
    ] = message.as_slice()
    else {
        panic!("one reading should be told: {message:?}");
    };
    assert!(tokens <= budget);
}
