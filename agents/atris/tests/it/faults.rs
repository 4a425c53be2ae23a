//! Every fault switch of the fake leads to an honest answer.

use std::time::Duration;

use superstep_atris::Status;
use superstep_fake_audius::{FakeAudius, Fault, Options};

use crate::support::{agent, agent_with, ask, get, server, settings};

/// A test per switch: its name on the command line, the fault, how the question ends and with which code.
macro_rules! honest {
    ($($test:ident: $name:literal, $fault:ident, $status:ident, $code:expr;)*) => {
        $(
            #[tokio::test]
            async fn $test() {
                leads_to($name, Fault::$fault, Status::$status, $code).await;
            }
        )*

        #[test]
        fn every_switch_has_a_test() {
            let mut tested = vec![$($name),*];
            let mut all = Fault::ALL.map(|(name, _)| name);
            tested.sort_unstable();
            all.sort_unstable();
            assert_eq!(tested, all);
        }
    };
}

honest! {
    a_limited_rate_is_told: "rate-limited", RateLimited, Failed, Some("SS8007");
    a_server_error_is_told: "server-error", ServerError, Failed, Some("SS8006");
    a_silent_host_is_told: "silent", Silent, Failed, Some("SS8006");
    a_slow_host_is_waited_for: "slow", Slow, Answered, None;
    a_connection_that_is_cut_is_told: "cut", Cut, Failed, Some("SS8006");
    json_that_ends_in_the_middle_is_no_answer: "truncated", Truncated, Failed, Some("SS8010");
    a_field_of_another_type_is_left_out: "wrong-type", WrongType, Partial, None;
    fields_that_are_missing_are_named: "missing-fields", MissingFields, Partial, None;
    records_that_come_twice_are_used_once: "duplicates", Duplicates, Partial, None;
    counts_beyond_belief_are_left_out: "huge-counts", HugeCounts, Partial, None;
    hostile_titles_are_shown_harmless: "hostile", Hostile, Answered, None;
    a_redirect_is_not_followed: "redirect", Redirect, Failed, Some("SS8010");
    an_empty_reply_is_empty: "empty", Empty, Empty, None;
    a_reply_of_another_shape_is_no_answer: "wrong-shape", WrongShape, Failed, Some("SS8010");
    a_reply_that_is_too_large_is_no_answer: "too-large", TooLarge, Failed, Some("SS8010");
}

async fn leads_to(name: &str, fault: Fault, status: Status, code: Option<&str>) {
    let server = FakeAudius::start(Options {
        fault: Fault::named(name),
        late: Duration::from_millis(20),
        retry_after: 60,
        ..Options::default()
    });
    let server = server.await.unwrap();
    let mut settings = settings([server.address()]);
    if fault == Fault::Silent {
        settings.client.timeout = Duration::from_millis(300);
    }
    let agent = agent_with(settings, None);
    let answer = ask(&agent, "top 5 trending tracks").await;
    assert_eq!(answer.status, status, "{}", answer.answer);
    let found = answer.error.as_ref().map(|problem| &*problem.code);
    assert_eq!(found, code, "{}", answer.answer);
    let shown = &answer.answer;
    assert!(
        !shown.contains("1,0000") && !shown.contains("e300"),
        "{shown}"
    );
    assert!(
        !shown.contains(['\u{1b}', '\u{202e}', '\u{7}']),
        "{shown:?}"
    );
    if status == Status::Failed {
        assert!(answer.facts.is_empty() && answer.table.is_none());
        assert!(shown.starts_with("No answer: "), "{shown}");
        assert!(shown.contains("What to do: "), "{shown}");
    }
    let state = agent
        .graph()
        .state("t top 5 trending tracks")
        .await
        .unwrap();
    assert_eq!(state.state.error_history.len(), usize::from(code.is_some()));
    // The thread is as usable as before.
    assert!(state.is_done());
}

#[tokio::test]
async fn a_partial_reply_says_what_is_missing_and_invents_nothing() {
    let server = server().await;
    server.trap(Fault::WrongType, 1);
    let answer = ask(&agent(&server), "top 5 trending tracks").await;
    assert_eq!(answer.status, Status::Partial);
    assert!(
        answer.answer.contains("(unknown plays)"),
        "{}",
        answer.answer
    );
    assert!(
        answer
            .answer
            .contains("`play_count` is not a number (5 times)"),
        "{}",
        answer.answer
    );
}

#[tokio::test]
async fn the_error_history_counts_how_often_each_error_happened() {
    let server = server().await;
    let agent = agent(&server);
    server.trap(Fault::ServerError, 4);
    for question in [
        "latest tips", "latest tips", "capital of France?", "latest tips",
    ] {
        crate::support::run(&agent, "t", question).await;
    }
    let state = agent.graph().state("t").await.unwrap().state;
    let expected = [("SS8006".to_owned(), 2), ("SS8004".to_owned(), 1)];
    assert_eq!(state.error_frequencies(), expected);
    assert_eq!(state.last().unwrap().status, Status::Answered);
}

#[tokio::test]
async fn the_fake_answers_every_operation_with_what_its_model_promises() {
    let catalogue = superstep_atris::Catalogue::get().unwrap();
    let world = superstep_fake_audius::World::new(3);
    let call = |path: &str, query: Vec<(String, String)>| {
        let call = superstep_fake_audius::Call {
            method: "GET".into(),
            path: path
                .split('/')
                .filter(|it| !it.is_empty())
                .map(str::to_owned)
                .collect(),
            query,
        };
        superstep_fake_audius::respond(&world, &Default::default(), &call)
    };
    let found = |path: &str, pointer: &str| {
        let body = call(path, Vec::new()).body;
        body.pointer(pointer)
            .and_then(|it| it.as_str())
            .unwrap()
            .to_owned()
    };
    let user = found("/v1/users/handle/novakane", "/data/id");
    let track = found("/v1/tracks/trending", "/data/0/id");
    let playlist = found("/v1/playlists/trending", "/data/0/id");
    let mint = found("/v1/coins", "/data/0/mint");
    let comment = found(&format!("/v1/tracks/{track}/comments"), "/data/0/id");
    let mut files = 0;
    let reads = catalogue
        .operations()
        .iter()
        .filter(|it| it.is_read() && !it.is_private());
    for operation in reads {
        let value = |name: &str| match name {
            "track_id" => track.clone(),
            "playlist_id" => playlist.clone(),
            "handle" => "novakane".to_owned(),
            "mint" => mint.clone(),
            "ticker" => "NOVA".to_owned(),
            "comment_id" => comment.clone(),
            "url" => "https://audius.co/novakane".to_owned(),
            "window" => "week".to_owned(),
            _ => user.clone(),
        };
        let mut path = format!("/v1{}", operation.path);
        for name in operation.path_parameters() {
            path = path.replace(&format!("{{{name}}}"), &value(name));
        }
        let needed = operation.parameters.iter().filter(|it| it.required);
        let query = needed
            .map(|it| (it.name.clone(), value(&it.name)))
            .collect();
        let reply = call(&path, query);
        if operation.is_file() || operation.id == "streamTrack" {
            assert_eq!(reply.status, 302, "{}", operation.id);
            files += 1;
            continue;
        }
        assert_eq!(reply.status, 200, "{}: {}", operation.id, reply.body);
        let records = superstep_atris::reply::read(operation, catalogue.models(), &reply.body);
        assert!(records.is_ok(), "{}: {records:?}", operation.id);
    }
    assert_eq!(files, 2);
}

#[tokio::test]
async fn the_fake_refuses_what_the_api_would_refuse() {
    let world = superstep_fake_audius::World::new(3);
    let strict = superstep_fake_audius::Manner {
        strict: true,
        ..Default::default()
    };
    let status = |path: &str, query: &[(&str, &str)]| {
        superstep_fake_audius::respond(&world, &strict, &get(path, query)).status
    };
    let app = ("app_name", "test");
    assert_eq!(status("/v1/tracks/trending", &[app]), 200);
    assert_eq!(status("/v1/tracks/trending", &[]), 400);
    assert_eq!(
        status("/v1/tracks/trending", &[app, ("time", "decade")]),
        400
    );
    assert_eq!(
        status("/v1/tracks/trending", &[app, ("sortMethod", "plays")]),
        400
    );
    assert_eq!(status("/v1/tracks/best_new_releases", &[app]), 400);
    assert_eq!(status("/v1/nothing", &[app]), 404);
    assert_eq!(status("/v1/tracks/none", &[app]), 404);
    assert_eq!(status("/v1/me", &[app]), 401);
}
