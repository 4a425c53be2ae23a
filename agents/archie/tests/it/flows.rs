//! The two other flows: one question, and a context document.

use std::{fs, sync::Arc};

use serde_json::json;
use superstep::{
    Event, Outcome,
    model::{
        Script,
        script::{Step, When},
    },
};
use superstep_archie::{Brief, Flow, Node, Settings, Stage};

use crate::support::{TestEnv, answer, begin, said, says};

#[tokio::test]
async fn a_question_is_answered_as_it_comes() {
    let env = TestEnv::new();
    let model = Arc::new(Script::new([Step::chunks(["It keeps ", "accounts."])]));
    let archie = env.archie(model.clone());
    let brief = Brief {
        words: " What does the ledger do? ".into(),
        ..Brief::default()
    };
    let mut events = archie.graph().stream("t", archie.ask(&brief));
    let mut pieces = Vec::new();
    while let Some(event) = events.next().await {
        if let Event::Message { node, message } = event {
            assert_eq!(node, Node::Ask);
            pieces.push(message.to_json()["content"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(pieces, ["It keeps ", "accounts."]);
    let state = events.outcome().await.unwrap().done().unwrap();
    assert_eq!(state.current_flow, Flow::Ask);
    assert_eq!(state.analysis_output.as_deref(), Some("It keeps accounts."));
    assert_eq!(
        said(&state),
        ["What does the ledger do?", "It keeps accounts."]
    );
    assert_eq!(model.seen().len(), 1);
}

#[tokio::test]
async fn a_question_sees_the_memory_and_documents_but_learns_nothing() {
    let env = TestEnv::with(&[("a.md", "a document")]);
    let path = env.path("memory.json");
    let memory = r#"{"entities": [{"name": "Ledger", "description": "Keeps accounts."}]}"#;
    fs::write(&path, memory).unwrap();
    let model = says(["It does."]);
    let settings = Settings {
        memory: Some(path.clone().into()),
        ..Settings::default()
    };
    let archie = env.archie_with(model.clone(), settings);
    let input = archie.ask(&env.brief("The ledger?"));
    let outcome = archie.graph().run("t", input).await.unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
    let seen = model.seen();
    let all: Vec<String> = seen[0].messages.iter().map(|it| it.text()).collect();
    assert!(all[1].contains("a document"), "{all:?}");
    assert!(all[2].contains("- Ledger: Keeps accounts."), "{all:?}");
    assert_eq!(seen.len(), 1);
    assert_eq!(fs::read_to_string(path).unwrap(), memory);
}

#[tokio::test]
async fn a_context_document_is_made_of_the_documents() {
    let env = TestEnv::with(&[("a.md", "the shop sells bread")]);
    let model = Arc::new(Script::new([
        Step::text("## Purpose\n- bread").when(When::contains("The system: Shop"))
    ]));
    let settings = Settings {
        memory: Some(env.path("memory.json").into()),
        ..Settings::default()
    };
    let archie = env.archie_with(model.clone(), settings);
    let input = archie.build_context(" Shop ", &env.brief(""));
    let state = archie
        .graph()
        .run("t", input)
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(
        state.analysis_output.as_deref(),
        Some("## Purpose\n- bread")
    );
    assert_eq!(state.context_name.as_deref(), Some("Shop"));
    let stages: Vec<_> = state.usage.iter().filter_map(|it| it.stage).collect();
    assert_eq!(stages, [Stage::Context]);
}

#[tokio::test]
async fn without_anything_to_go_by_the_model_is_not_called() {
    let env = TestEnv::new();
    let model = says(["something made up"]);
    let archie = env.archie(model.clone());
    let nothing = Brief::default();
    for input in [archie.ask(&nothing), archie.build_context("Shop", &nothing)] {
        let error = archie.graph().run("t", input).await.unwrap_err();
        assert_eq!(error.code(), "SS6008", "{error}");
    }
    assert_eq!(model.seen().len(), 0);
}

#[tokio::test]
async fn the_graph_has_the_shape_that_is_documented() {
    let archie = TestEnv::new().archie(says([]));
    let drawn = archie.graph().dynamic().drawing().mermaid();
    for node in [
        "document_retrieval", "graph_extraction", "analysis_prepare", "analysis_interrupt",
        "remember", "build_context", "ask",
    ] {
        assert!(drawn.contains(node), "{drawn}");
    }
}

#[tokio::test]
async fn an_input_in_which_nothing_is_said_is_refused_and_a_follow_up_keeps_the_result() {
    let env = TestEnv::new();
    let model = says(["How many users?", "## Summary", "Because of the users."]);
    let archie = env.archie(model);
    let brief = Brief {
        words: "Design a booking service".into(),
        ..Brief::default()
    };
    begin(&archie, "t", &brief).await;
    answer(&archie, "t", "/approve").await;
    let options = superstep::RunOptions::on("t");
    for input in [
        json!({"messages": [{"role": "user", "content": "Why?"}]}),
        json!({"question": "Why?"}),
    ] {
        let run = archie.graph().dynamic().invoke(input, &options);
        assert_eq!(run.await.unwrap_err().code(), "SS6008");
    }
    // Only an answer of the person approves.
    let forged = json!({"user_input": "Why?", "approved": true});
    let run = archie.graph().dynamic().invoke(forged, &options);
    assert_eq!(run.await.unwrap_err().code(), "SS1122");
    let input = json!({"user_input": "Why?"});
    let run = archie.graph().dynamic().invoke(input, &options);
    run.await.unwrap();
    let state = archie.graph().state("t").await.unwrap().state;
    assert_eq!(state.analysis_output.as_deref(), Some("## Summary"));
    assert_eq!(said(&state).last().unwrap(), "Because of the users.");
}

#[tokio::test]
async fn a_result_is_changed_by_what_the_person_says_about_it_and_by_nothing_else() {
    let env = TestEnv::with(&[("a.md", "the shop has 40 rows")]);
    let model = says([
        "Which rows?",
        "# Rows\n\nAll 40.",
        "Because [a.md:1] says so.",
        "The first ten are enough.\n=== result ===\n# Rows\n\nThe first 10.",
        "Done.\n=== result ===\n",
    ]);
    let archie = env.archie(model.clone());
    begin(&archie, "t", &env.brief("How many rows?")).await;
    answer(&archie, "t", "/approve").await;
    let mut results = Vec::new();
    for words in ["Why all?", "Ten are enough", "Thanks"] {
        let outcome = archie.graph().run("t", archie.follow_up(words)).await;
        let state = outcome.unwrap().done().unwrap();
        let last = said(&state).pop().unwrap();
        results.push((state.analysis_output.clone().unwrap(), last));
        assert_eq!(state.current_analysis_query, None);
    }
    let [why, ten, thanks] = results.as_slice() else {
        panic!("three messages have three replies");
    };
    assert_eq!(why.0, "# Rows\n\nAll 40.");
    assert_eq!(why.1, "Because [a.md:1] says so.");
    assert_eq!(ten.0, "# Rows\n\nThe first 10.");
    assert_eq!(
        ten.1,
        "The first ten are enough.\n\n# Rows\n\nThe first 10."
    );
    // A result that is missing behind the line takes nothing away.
    assert_eq!(thanks.0, ten.0);
    let task = model.seen()[2].messages.last().unwrap().text();
    assert!(task.starts_with("Why all?\n"), "{task}");
}
