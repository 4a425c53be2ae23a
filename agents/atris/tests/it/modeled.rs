//! A model at work: it chooses among candidates, copies from the question, and can make nothing up.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::{
    Backends, MemorySaver,
    model::{
        NodeModels, Script,
        script::{FailureKind, Step, When},
    },
};
use superstep_atris::{
    Answer, Atris, Catalogue, ModelRole, Question, Status,
    question::{Account, Understanding, choose},
};

use crate::{
    questions::labeled,
    support::{agent_with, answered, open, run, server, settings},
};

fn replies(question: Json, operation: &str, parameters: Json) -> Vec<Step> {
    vec![
        Step::data(question).when(When::schema("question")).always(),
        Step::data(json!({"operation": operation}))
            .when(When::schema("operation"))
            .always(),
        Step::data(parameters)
            .when(When::schema("parameters"))
            .always(),
    ]
}

async fn asked(steps: Vec<Step>, question: &str) -> (Answer, usize) {
    let server = server().await;
    let model = Arc::new(Script::new(steps));
    let agent = agent_with(settings([server.address()]), Some(model));
    let answer = answered(run(&agent, "t", question).await);
    (answer, server.calls().len())
}

#[tokio::test]
async fn a_scripted_model_answers_every_labelled_question() {
    let server = server().await;
    let mut transcript = String::new();
    let mut wrong = Vec::new();
    for expected in labeled() {
        let kind = expected
            .entity
            .as_ref()
            .map_or("none", |(kind, _)| kind.name());
        let names = expected
            .entity
            .iter()
            .chain(&expected.second)
            .map(|(_, name)| name);
        let handle = expected.parameters.get("handle").and_then(Json::as_str);
        let kind = if handle.is_some() { "user" } else { kind };
        let names: Vec<&str> = names.map(String::as_str).chain(handle).collect();
        let mut parameters = expected.parameters.clone();
        parameters.remove("handle");
        let steps = replies(
            json!({"entity_type": kind, "names": names}),
            expected.operation.as_deref().unwrap(),
            Json::Object(parameters.clone()),
        );
        let model = Arc::new(Script::new(steps));
        let agent = agent_with(settings([server.address()]), Some(model));
        let answer = answered(run(&agent, "t", &expected.question).await);
        let given = answer.parameters.clone().unwrap_or_default();
        let has = |(name, value): (&String, &Json)| given.get(name) == Some(value);
        let is_right = answer.operation == expected.operation
            && expected.parameters.iter().all(has)
            && matches!(answer.status, Status::Answered | Status::Empty);
        if !is_right {
            wrong.push(format!(
                "{}: {given:?} {}",
                expected.question, answer.answer
            ));
        }
        let rules = agent_with(settings([server.address()]), None);
        let by_rules = answered(run(&rules, "t", &expected.question).await);
        if by_rules.answer != answer.answer {
            wrong.push(format!(
                "{}: by rules {}",
                expected.question, by_rules.answer
            ));
        }
        let status = serde_json::to_string(&answer.status).unwrap();
        transcript.push_str(&format!(
            "? {}\n  {} {} {status}\n{}\n\n",
            expected.question,
            expected.operation.as_deref().unwrap(),
            Json::Object(given),
            answer.answer
        ));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/answers.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &transcript).unwrap();
    }
    let known = std::fs::read_to_string(path).unwrap_or_default();
    for (known, now) in known.split("\n\n").zip(transcript.split("\n\n")) {
        assert_eq!(now, known);
    }
    assert_eq!(known.len(), transcript.len());
}

#[tokio::test]
async fn a_name_that_is_not_in_the_question_is_dropped() {
    let question = json!({"entity_type": "user", "names": ["Somebody Else"]});
    let server = server().await;
    let model = Arc::new(Script::new(replies(question, "getFollowers", json!({}))));
    let agent = agent_with(settings([server.address()]), Some(model));
    let outcome = run(&agent, "t", "who are the followers?").await;
    assert_eq!(outcome.asks().len(), 1, "it asks instead of guessing");
    assert_eq!(server.calls().len(), 0);
}

#[tokio::test]
async fn text_that_is_not_in_the_question_is_dropped() {
    let question = json!({"entity_type": "none", "names": []});
    let made_up = json!({"query": "something else", "limit": 3});
    let server = server().await;
    let model = Arc::new(Script::new(replies(question, "searchTracks", made_up)));
    let agent = agent_with(settings([server.address()]), Some(model));
    let outcome = run(&agent, "t", "search tracks, 3 of them").await;
    let (ask, question) = open(&outcome);
    assert_eq!(question.parameter.as_deref(), Some("query"));
    assert_eq!(server.calls().len(), 0, "a search for nothing is not made");
    let said = ask.answer::<Question>(&"glass".to_owned()).unwrap();
    let answer = answered(agent.graph().answer("t", [said]).await.unwrap());
    let given = Json::Object(answer.parameters.unwrap());
    assert_eq!(given, json!({"limit": 3, "query": "glass"}));
}

#[tokio::test]
async fn wrong_parameters_are_told_to_the_model_which_corrects_them() {
    let question = json!({"entity_type": "none", "names": []});
    let wrong = Step::data(json!({"genre": "Elektronic"})).when(When::schema("parameters"));
    let right = When {
        contains: Some("did you mean `Electronic`?".into()),
        ..When::schema("parameters")
    };
    let right = Step::data(json!({"genre": "Electronic"})).when(right);
    let mut steps = replies(question, "getTrendingTracks", json!({}));
    steps.truncate(2);
    steps.extend([right.clone(), wrong]);
    let (answer, _) = asked(steps, "trending elektronic tracks").await;
    assert_eq!(answer.status, Status::Answered, "{}", answer.answer);
    assert_eq!(answer.parameters.unwrap()["genre"], "Electronic");
}

#[tokio::test]
async fn a_model_that_finds_no_operation_ends_in_a_refusal() {
    let question = json!({"entity_type": "none", "names": []});
    let (answer, calls) = asked(
        replies(question, "none", json!({})),
        "trending tracks of the moon",
    )
    .await;
    assert_eq!((answer.status, calls), (Status::Refused, 0));
}

#[tokio::test]
async fn a_model_cannot_choose_outside_its_candidates() {
    let question = json!({"entity_type": "none", "names": []});
    let steps = replies(question, "deletePlaylist", json!({}));
    let (answer, calls) = asked(steps, "trending playlists").await;
    assert_eq!((answer.status, calls), (Status::Failed, 0));
    assert_eq!(answer.error.unwrap().code, "SS8011");
}

#[tokio::test]
async fn a_model_that_fails_is_an_error_and_no_answer() {
    let (answer, calls) = asked(
        vec![Step::error(FailureKind::Server).always()],
        "trending tracks",
    )
    .await;
    assert_eq!((answer.status, calls), (Status::Failed, 0));
    assert_eq!(answer.error.unwrap().code, "SS8011");
}

#[tokio::test]
async fn a_model_that_obeys_what_it_reads_reads_nothing_of_strangers() {
    let server = server().await;
    server.trap(superstep_fake_audius::Fault::Hostile, 9);
    let question = json!({"entity_type": "none", "names": []});
    let model = Arc::new(Script::new(replies(question, "getTrendingTracks", json!({}))).obedient());
    let agent = agent_with(settings([server.address()]), Some(model.clone()));
    answered(run(&agent, "t", "trending tracks").await);
    answered(run(&agent, "t", "trending tracks").await);
    for request in model.seen() {
        for message in &request.messages {
            assert!(
                !message.text().contains("ignore previous"),
                "{}",
                message.text()
            );
        }
    }
}

#[tokio::test]
async fn a_small_model_only_chooses_between_operations_that_fit_about_as_well() {
    let catalogue = Catalogue::get().unwrap();
    let close = |question: &str| {
        let understood = Understanding::of(question);
        let choice = choose(catalogue, question, &understood, false);
        let close = choice.close.into_iter().map(|it| it.id.clone());
        close.collect::<Vec<_>>()
    };
    let all = labeled();
    let undecided = all
        .iter()
        .filter(|it| it.entity.is_none() && !it.question.contains('@'));
    let question = undecided
        .map(|it| &*it.question)
        .find(|question| close(question).len() > 1)
        .unwrap();
    for (said, place) in [("2", 1), ("1", 0), ("8", 0)] {
        let server = server().await;
        let step = Step::data(json!({"choice": said})).when(When::schema("choice"));
        let model = Arc::new(Script::new([step.always()]));
        let mut settings = settings([server.address()]);
        settings.role = ModelRole::Choice;
        let agent = agent_with(settings, Some(model.clone()));
        run(&agent, "t", question).await;
        let history = agent.graph().history("t").await.unwrap();
        let chosen = history.iter().find_map(|it| it.state.best_api.clone());
        // What leaves a word of the question does not take the place of what leaves none.
        let understood = Understanding::of(question);
        let wanted = catalogue.operation(&close(question)[place]).unwrap();
        let account = Account::of(catalogue, question, &understood, wanted);
        let best = choose(catalogue, question, &understood, false)
            .best
            .unwrap();
        let wanted = match account.left.is_empty() && said != "8" {
            true => wanted,
            false => best,
        };
        assert_eq!(chosen.unwrap().id, wanted.id, "{question}: {said}");
        assert_eq!(model.seen().len(), 1, "it is asked once");
        // Where nothing is undecided it is not asked.
        let certain = "How many followers has @novakane?";
        assert_eq!(close(certain), ["getUserByHandle"]);
        answered(run(&agent, "certain", certain).await);
        assert_eq!(model.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_node_calls_the_model_that_it_was_given() {
    let server = server().await;
    let mut steps = replies(
        json!({"entity_type": "none", "names": []}),
        "getTrendingTracks",
        json!({}),
    );
    let own = Arc::new(Script::new([steps.remove(1)]).named("own"));
    let usual = Arc::new(Script::new(steps).named("usual"));
    let models = NodeModels::new(usual.clone()).with("select_api_node", own.clone());
    let settings = settings([server.address()]);
    let agent = Atris::with_models(
        Some(models),
        settings.clone(),
        Backends::on(MemorySaver::default()),
    )
    .unwrap();
    let answer = answered(run(&agent, "t", "Which tracks are trending?").await);
    assert_eq!(answer.operation.as_deref(), Some("getTrendingTracks"));
    assert_eq!(own.seen().len(), 1, "the operation alone is its business");
    // A small model for all, and a large one that reads the question: the role follows the model.
    let reads = Arc::new(Script::new([Step::data(
        json!({"entity_type": "none", "names": []}),
    )
    .when(When::schema("question"))
    .always()]));
    let small = Arc::new(Script::new([]));
    let models = NodeModels::new(small.clone()).with("extract_category_node", reads.clone());
    let mut settings = settings;
    settings.role = ModelRole::Choice;
    settings
        .node_roles
        .insert("extract_category_node".into(), ModelRole::Whole);
    let agent =
        Atris::with_models(Some(models), settings, Backends::on(MemorySaver::default())).unwrap();
    run(&agent, "t", "Which tracks are trending?").await;
    assert_eq!(reads.seen().len(), 1);
}
