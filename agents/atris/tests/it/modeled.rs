//! A strong model at work: it looks operations up, calls them, computes, and answers with figures that are traced.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::{
    Backends, MemorySaver,
    model::{
        Caps, Label, Message, NodeModels, Script,
        script::{FailureKind, Step, When},
    },
};
use superstep_atris::{Answer, Atris, MAX_CALLS, Status};
use superstep_fake_audius::{FakeAudius, Fault};

use crate::support::{agent_with, answered, run, server, settings, truth};

/// An agent whose model says these things in order.
fn scripted(server: &FakeAudius, steps: Vec<Step>) -> (Atris, Arc<Script>) {
    let model = Arc::new(Script::new(steps));
    let agent = agent_with(settings([server.address()]), Some(model.clone()));
    (agent, model)
}

async fn asked(server: &FakeAudius, steps: Vec<Step>, question: &str) -> (Answer, Arc<Script>) {
    let (agent, model) = scripted(server, steps);
    let answer = answered(run(&agent, "t", question).await);
    (answer, model)
}

fn call(operation: &str, parameters: Json) -> Step {
    Step::call(
        "call",
        json!({"operation": operation, "parameters": parameters}),
    )
}

fn said(text: &str, figures: Json) -> Json {
    json!({
        "understood": "as it was asked", "answered": "yes", "text": text, "figures": figures,
        "table": null, "limits": [],
    })
}

fn answer(text: &str, figures: Json) -> Step {
    Step::call("answer", said(text, figures))
}

/// What the model read last, in order, as far as it came from tools.
fn observed(model: &Script) -> Vec<String> {
    let seen = model.seen();
    let messages = &seen.last().unwrap().messages;
    let tools = messages
        .iter()
        .filter(|it| matches!(it.body, superstep::model::Body::Tool(_)));
    tools.map(Message::text).collect()
}

#[tokio::test]
async fn a_figure_is_a_field_of_a_record_and_the_answer_says_which() {
    let server = server().await;
    let user = truth(&server, "/v1/users/handle/novakane", &[]).await;
    let followers = user["data"]["follower_count"].to_string();
    let text = format!("Nova Kane has {followers} followers.");
    let figures = json!([{"text": followers, "record": "r1.1", "field": "followerCount"}]);
    let steps = vec![
        Step::call("find_operations", json!({"words": "user by handle"})),
        call("getUserByHandle", json!({"handle": "novakane"})),
        answer(&text, figures),
    ];
    let (found, _) = asked(&server, steps, "How many followers does @novakane have?").await;
    assert_eq!(found.status, Status::Answered, "{}", found.answer);
    assert_eq!(
        (found.answer, found.understood.as_deref()),
        (text, Some("as it was asked"))
    );
    assert_eq!(found.facts[0].field, "/data/follower_count");
    assert_eq!(found.sources.len(), 1);
    assert_eq!(found.mentions.subjects[0].name, "Nova Kane");
}

#[tokio::test]
async fn conditions_are_parameters_or_steps_and_the_program_fills_the_table() {
    let server = server().await;
    let steps = vec![
        call("getTrendingTracks", json!({"limit": 100})),
        Step::call(
            "compute",
            json!({"records": ["r1"], "steps": [
                {"do": "filter", "field": "bpm", "is": "above", "value": 120},
                {"do": "sort", "field": "playCount", "order": "descending"},
                {"do": "limit", "count": 3},
            ]}),
        ),
        Step::call(
            "answer",
            json!({
                "understood": "the 3 most played trending tracks above 120 bpm", "answered": "yes",
                "text": "These 3 are the most played above 120 bpm.", "figures": [], "limits": [],
                "table": {"records": "c1", "columns": [
                    {"title": "Track", "field": "title"}, {"title": "Artist", "field": "user.name"},
                    {"title": "Plays", "field": "playCount"},
                ]},
            }),
        ),
    ];
    let question = "the most played fast trending tracks";
    let (found, _) = asked(&server, steps, question).await;
    assert_eq!(found.status, Status::Answered, "{}", found.answer);
    let query = [("limit", "100"), ("time", "week")];
    let all = truth(&server, "/v1/tracks/trending", &query).await;
    let tracks = all["data"].as_array().unwrap();
    let mut fast: Vec<&Json> = tracks
        .iter()
        .filter(|it| it["bpm"].as_u64() > Some(120))
        .collect();
    fast.sort_by_key(|it| std::cmp::Reverse(it["play_count"].as_u64()));
    let wanted: Vec<&str> = fast
        .iter()
        .take(3)
        .map(|it| it["title"].as_str().unwrap())
        .collect();
    let table = found.table.unwrap();
    let shown: Vec<&str> = table.rows.iter().map(|row| &*row[0]).collect();
    assert_eq!(shown, wanted);
    assert_eq!(found.mentions.listed.len(), 3);
}

#[tokio::test]
async fn a_figure_that_no_record_says_is_given_back_once_and_then_told() {
    let server = server().await;
    let wrong = || {
        let figures = json!([{"text": "987,654", "record": "r1.1", "field": "followerCount"}]);
        answer("She has 987,654 followers.", figures)
    };
    let steps = vec![
        call("getUserByHandle", json!({"handle": "novakane"})),
        wrong(),
        wrong(),
    ];
    let (found, model) = asked(&server, steps, "How many followers does @novakane have?").await;
    assert_eq!(found.status, Status::Partial);
    assert_eq!(found.unverified, ["987,654"]);
    assert!(
        found
            .answer
            .ends_with("Not verified, as no record says it: 987,654."),
        "{}",
        found.answer
    );
    let observed = observed(&model);
    assert!(
        observed[1].starts_with("not accepted: figure `987,654`: `followerCount` of `r1.1` is"),
        "{observed:?}"
    );
}

#[tokio::test]
async fn parameters_that_do_not_fit_are_named_and_nothing_is_called() {
    let server = server().await;
    let steps = vec![
        call(
            "getTrendingTracks",
            json!({"is_verified": true, "genre": "Elektronic"}),
        ),
        call("followUser", json!({"id": "x"})),
        call("getTrendingTrackz", json!({})),
        call("downloadTrack", json!({"track_id": "x"})),
        call("getNotifications", json!({"user_id": "x"})),
        answer("None of that can be called.", json!([])),
    ];
    let (_, model) = asked(&server, steps, "trending tracks by verified artists").await;
    let observed = observed(&model);
    for (observed, named) in observed.iter().zip([
        "`is_verified` is no parameter of getTrendingTracks",
        "changes something",
        "did you mean `getTrendingTracks`?",
        "file",
        "token",
    ]) {
        assert!(observed.contains(named), "{observed}");
    }
    assert!(
        observed[0].contains("did you mean `Electronic`?"),
        "{}",
        observed[0]
    );
    assert_eq!(server.calls().len(), 0);
}

#[tokio::test]
async fn a_question_has_eight_calls() {
    let server = server().await;
    let mut steps: Vec<Step> = (1..=MAX_CALLS + 1)
        .map(|limit| call("getTrendingTracks", json!({"limit": limit})))
        .collect();
    steps.push(answer("That was much.", json!([])));
    let (found, model) = asked(&server, steps, "everything").await;
    assert_eq!(found.sources.len(), MAX_CALLS);
    assert_eq!(server.calls().len(), MAX_CALLS);
    assert!(observed(&model)[MAX_CALLS].starts_with("all 8 calls"));
}

#[tokio::test]
async fn records_are_untrusted_and_the_question_is_not() {
    let server = server().await;
    server.trap(Fault::Hostile, 9);
    let steps = vec![
        call("getTrendingTracks", json!({})),
        answer("They have odd titles.", json!([])),
    ];
    let (_, model) = asked(&server, steps, "trending tracks").await;
    let seen = model.seen();
    let messages = &seen.last().unwrap().messages;
    for message in messages {
        let is_hostile = message.text().contains("ignore previous");
        assert_eq!(
            message.label() == Label::Untrusted,
            is_hostile,
            "{}",
            message.text()
        );
    }
    assert!(messages.iter().any(|it| it.label() == Label::Untrusted));
}

#[tokio::test]
async fn a_later_question_brings_what_was_answered_before() {
    let server = server().await;
    let first = vec![
        call("getUserByHandle", json!({"handle": "miravoss"})),
        answer(
            "Mira Voss.",
            json!([{"text": "Mira Voss", "record": "r1.1", "field": "name"}]),
        ),
    ];
    let then = answer("Still her.", json!([])).when(When::contains("And how many"));
    let steps = std::iter::once(then).chain(first).collect();
    let (agent, model) = scripted(&server, steps);
    answered(run(&agent, "t", "Who is @miravoss?").await);
    answered(run(&agent, "t", "And how many tracks do they have?").await);
    let last = model.seen().pop().unwrap().messages;
    let id = truth(&server, "/v1/users/handle/miravoss", &[]).await["data"]["id"].clone();
    let earlier = last
        .iter()
        .find(|it| it.label() == Label::Untrusted)
        .unwrap()
        .text();
    assert!(earlier.contains("Who is @miravoss?"), "{earlier}");
    assert!(earlier.contains(id.as_str().unwrap()), "{earlier}");
    assert_eq!(
        last.last().unwrap().text(),
        "And how many tracks do they have?"
    );
}

#[tokio::test]
async fn what_cannot_be_answered_is_said_and_is_no_answer_to_something_else() {
    let server = server().await;
    let steps = vec![Step::call(
        "answer",
        json!({
            "understood": "which track was played most on a single day", "answered": "no",
            "text": "Audius does not say plays by day.", "figures": [], "table": null,
            "limits": ["plays by day are in no operation"],
        }),
    )];
    let (found, _) = asked(&server, steps, "most played track on a single day").await;
    assert_eq!(found.status, Status::Refused);
    assert_eq!(found.limits, ["plays by day are in no operation"]);
}

#[tokio::test]
async fn a_model_that_speaks_without_a_tool_is_told_and_ends_in_an_error() {
    let server = server().await;
    let words = || Step::text("Trending tracks are great.").times(9);
    let (found, model) = asked(&server, vec![words()], "trending tracks").await;
    assert_eq!(found.status, Status::Failed);
    assert_eq!(found.error.unwrap().code, "SS8011");
    assert_eq!(model.seen().len(), 3);
    let (found, _) = asked(
        &server,
        vec![Step::error(FailureKind::Server).always()],
        "trending tracks",
    )
    .await;
    assert_eq!(found.error.unwrap().code, "SS8011");
}

#[tokio::test]
async fn a_reply_that_is_cut_off_gets_more_room_once() {
    let server = server().await;
    let cut = Step {
        finish: Some(superstep::model::Finish::Length),
        ..Step::text("")
    };
    let (found, model) = asked(
        &server,
        vec![
            answer("Nothing to say.", json!([])).when(When::contains("cut off")),
            cut,
        ],
        "trending tracks",
    )
    .await;
    assert_eq!(found.status, Status::Answered, "{}", found.answer);
    let limits: Vec<_> = model.seen().iter().map(|it| it.max_tokens).collect();
    assert_eq!(limits, [None, Some(16_000)]);
}

#[tokio::test]
async fn a_small_model_and_an_order_are_left_to_the_rules() {
    let server = server().await;
    let mut small = Caps::local();
    small.small = true;
    let model = Arc::new(Script::new([]).with_caps(small));
    let agent = agent_with(settings([server.address()]), Some(model.clone()));
    let found = answered(run(&agent, "t", "trending tracks").await);
    assert_eq!(found.operation.as_deref(), Some("getTrendingTracks"));
    let strong = Arc::new(Script::new([]));
    let mut settings = settings([server.address()]);
    settings.writes = true;
    settings.client.token = Some(superstep_fake_audius::TOKEN.into());
    let agent = agent_with(settings, Some(strong.clone()));
    let outcome = run(&agent, "t", "favorite First Light").await;
    assert_eq!(outcome.asks().len(), 1, "who the person is");
    assert!(model.seen().is_empty() && strong.seen().is_empty());
}

#[tokio::test]
async fn the_loop_calls_the_model_that_its_node_was_given() {
    let server = server().await;
    let own = Arc::new(Script::new([answer("Here.", json!([]))]).named("own"));
    let usual = Arc::new(Script::new([]).named("usual"));
    let models = NodeModels::new(usual.clone()).with("model_turn", own.clone());
    let backends = Backends::on(MemorySaver::default());
    let agent = Atris::with_models(Some(models), settings([server.address()]), backends).unwrap();
    answered(run(&agent, "t", "Which tracks are trending?").await);
    assert_eq!((own.seen().len(), usual.seen().len()), (1, 0));
}
