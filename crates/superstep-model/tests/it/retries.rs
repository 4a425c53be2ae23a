//! What is tried again, when, and how often.

use std::{sync::Arc, time::Duration};

use superstep_model::{
    Delta, ErrorKind, Finish, ManagedModel, Model, Phase, Policy,
    call::{Backoff, CircuitBreaker},
};
use tokio::time::Instant;

use crate::fake::{Fake, Log, Play, Step, finish, from, hello, limited, says, server, text, usage};

fn refused(kind: ErrorKind) -> Play {
    Play::Refused(kind)
}

fn policy() -> Policy {
    Policy {
        backoff: Backoff {
            seed: Some(1),
            ..Backoff::default()
        },
        ..Policy::default()
    }
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_again() {
    let fake = Arc::new(Fake::new([
        refused(server(503)),
        refused(server(500)),
        says("hi"),
    ]));
    let log = Arc::new(Log::default());
    let caller = ManagedModel::new(fake, policy()).observed(log.clone());
    let began = Instant::now();
    let reply = caller.invoke(&hello()).await.unwrap();
    assert_eq!(reply.content.text(), "hi");
    assert!(began.elapsed() <= Duration::from_millis(1500));
    let seen = [
        "1 started", "1 failed SS5006 0 again", "2 started", "2 failed SS5006 0 again",
        "3 started", "3 speaks", "3 ended 120 $0.00045",
    ];
    assert_eq!(log.lines(), seen);
}

#[tokio::test(start_paused = true)]
async fn the_time_a_provider_names_is_waited() {
    let plays = [
        refused(limited(Some(7))),
        refused(limited(Some(60))),
        says("hi"),
    ];
    let began = Instant::now();
    let caller = ManagedModel::new(Arc::new(Fake::new(plays)), policy());
    caller.invoke(&hello()).await.unwrap();
    assert_eq!(began.elapsed(), Duration::from_secs(67));
}

#[tokio::test(start_paused = true)]
async fn a_time_too_long_to_wait_is_told_at_once() {
    let fake = Arc::new(Fake::new([refused(limited(Some(1_000_000_000)))]));
    let began = Instant::now();
    let error = ManagedModel::new(fake, policy())
        .invoke(&hello())
        .await
        .unwrap_err();
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(error.code(), "SS5005");
    assert!(error.to_string().contains("1000000000 s"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_outlasts_the_deadline_is_not_begun() {
    let mut policy = policy();
    policy.deadlines.whole = Duration::from_secs(30);
    let fake = Arc::new(Fake::new([refused(limited(Some(31)))]));
    let began = Instant::now();
    let error = ManagedModel::new(fake, policy)
        .invoke(&hello())
        .await
        .unwrap_err();
    assert_eq!((error.code(), began.elapsed()), ("SS5005", Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn no_failure_of_a_provider_gets_a_fourth_attempt() {
    let message = || "m".to_owned();
    let after = None;
    let refused_with = |status| ErrorKind::Refused {
        status,
        message: message(),
    };
    let timed_out = ErrorKind::TimedOut {
        phase: Phase::Connection,
        after: Duration::from_secs(10),
    };
    let table = [
        (
            ErrorKind::Auth {
                provider: message(),
                message: message(),
            },
            1,
        ),
        (
            ErrorKind::UnknownModel {
                model: message(),
                message: message(),
            },
            1,
        ),
        (refused_with(400), 1),
        (refused_with(413), 1),
        (refused_with(422), 1),
        (ErrorKind::TooLong { message: message() }, 1),
        (ErrorKind::TooLarge { what: message() }, 1),
        (ErrorKind::Redirected { host: message() }, 1),
        (ErrorKind::Offline { host: message() }, 1),
        (
            ErrorKind::Connect {
                host: message(),
                message: message(),
            },
            3,
        ),
        (ErrorKind::Malformed { what: message() }, 3),
        (ErrorKind::Cut, 3),
        (timed_out, 3),
        (limited(None), 3),
        (server(500), 3),
        (server(502), 3),
        (server(503), 3),
        (server(504), 3),
        (
            ErrorKind::Server {
                status: 529,
                message: message(),
                after,
            },
            3,
        ),
    ];
    for (kind, attempts) in table {
        for play in [
            Play::Refused(kind.clone()),
            Play::Streams(vec![from(), Step::Fail(kind.clone())]),
        ] {
            let fake = Arc::new(Fake::always(play));
            let began = Instant::now();
            let caller = ManagedModel::new(fake.clone(), policy());
            let streamed = caller.stream(&hello()).await.err().unwrap();
            assert_eq!(streamed.kind(), &kind);
            assert_eq!(fake.attempts(), attempts, "{kind:?}");
            assert!(began.elapsed() <= Duration::from_millis(1500), "{kind:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_somebody_has_seen_is_not_begun_again() {
    let cut = Play::Streams(vec![
        from(),
        text("half an ans"),
        Step::Fail(ErrorKind::Cut),
    ]);
    let fake = Arc::new(Fake::always(cut));
    let log = Arc::new(Log::default());
    let caller = ManagedModel::new(fake.clone(), policy()).observed(log.clone());
    let mut deltas = caller.stream(&hello()).await.unwrap();
    assert!(matches!(deltas.next().await, Some(Ok(Delta::From { .. }))));
    assert!(matches!(deltas.next().await, Some(Ok(Delta::Text(_)))));
    assert_eq!(deltas.next().await.unwrap().unwrap_err().code(), "SS5009");
    assert!(deltas.next().await.is_none());
    assert_eq!(fake.attempts(), 1);
    assert_eq!(
        log.lines(),
        ["1 started", "1 speaks", "1 failed SS5009 6 given up"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_without_an_end_was_cut() {
    let fake = Fake::always(Play::Streams(vec![text("half"), usage(1, 1)]));
    let caller = ManagedModel::new(Arc::new(fake), policy());
    let mut deltas = caller.stream(&hello()).await.unwrap();
    let mut last = None;
    while let Some(delta) = deltas.next().await {
        last = Some(delta);
    }
    assert_eq!(last.unwrap().unwrap_err().code(), "SS5009");
}

#[tokio::test(start_paused = true)]
async fn a_reply_nobody_has_seen_is_begun_again_after_a_cut() {
    let cut = || Play::Streams(vec![from(), text("half an ans")]);
    let fake = Arc::new(Fake::new([cut(), cut(), says("whole")]));
    // Behind a pointer the promise must hold too.
    let caller: Arc<dyn Model> = Arc::new(ManagedModel::new(fake.clone(), policy()));
    let reply = Arc::clone(&caller).invoke(&hello()).await.unwrap();
    assert_eq!((&*reply.content.text(), fake.attempts()), ("whole", 3));
}

#[tokio::test(start_paused = true)]
async fn a_whole_reply_streams_through_unchanged_and_ends_with_what_was_paid() {
    let steps = vec![
        from(),
        usage(5, 1),
        text("a"),
        text("b"),
        finish(Finish::Length),
        usage(5, 2),
    ];
    let caller = ManagedModel::new(
        Arc::new(Fake::new([Play::Streams(steps.clone())])),
        policy(),
    );
    let mut deltas = caller.stream(&hello()).await.unwrap();
    let mut got = Vec::new();
    while let Some(delta) = deltas.next().await {
        got.push(format!("{:?}", Step::Give(delta.unwrap())));
    }
    let paid = got.pop().unwrap();
    assert!(paid.contains("Paid { attempts: 1"), "{paid}");
    let sent: Vec<String> = steps.iter().map(|step| format!("{step:?}")).collect();
    assert_eq!(got, sent);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_keeps_failing_rests_and_comes_back() {
    let mut policy = policy();
    policy.circuit_breaker = CircuitBreaker {
        failures: 4,
        open_for: Duration::from_secs(30),
    };
    let mut plays: Vec<Play> = (0..5).map(|_| refused(server(500))).collect();
    plays.push(says("back"));
    let fake = Arc::new(Fake::new(plays));
    let caller = ManagedModel::new(fake.clone(), policy);
    let failed = async || caller.invoke(&hello()).await.unwrap_err();

    assert_eq!((failed().await.code(), fake.attempts()), ("SS5006", 3));
    // The fourth failure in a row ends the call with its own error, without further attempts.
    assert_eq!((failed().await.code(), fake.attempts()), ("SS5006", 4));
    let resting = failed().await;
    assert_eq!((resting.code(), fake.attempts()), ("SS5013", 4));
    let ErrorKind::CircuitOpen { failures, wait, .. } = resting.kind() else {
        panic!("{resting}");
    };
    assert_eq!((*failures, wait.as_secs()), (4, 30));

    tokio::time::advance(Duration::from_secs(30)).await;
    assert_eq!((failed().await.code(), fake.attempts()), ("SS5006", 5));
    assert_eq!((failed().await.code(), fake.attempts()), ("SS5013", 5));
    tokio::time::advance(Duration::from_secs(30)).await;
    let reply = caller.clone().invoke(&hello()).await.unwrap();
    assert_eq!(reply.content.text(), "back");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_wrong_says_nothing_against_the_model() {
    let mut policy = policy();
    policy.circuit_breaker.failures = 1;
    let wrong = ErrorKind::Refused {
        status: 400,
        message: "no".into(),
    };
    let fake = Arc::new(Fake::always(refused(wrong)));
    let caller = ManagedModel::new(fake.clone(), policy);
    for attempts in 1..10 {
        let error = caller.invoke(&hello()).await.unwrap_err();
        assert_eq!((error.code(), fake.attempts()), ("SS5003", attempts));
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_provider_says_shows_no_key() {
    let key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
    let kind = ErrorKind::Auth {
        provider: "openai".into(),
        message: format!("the key {key} is wrong"),
    };
    let plays = [
        refused(kind.clone()),
        Play::Streams(vec![text("a"), Step::Fail(kind)]),
    ];
    let caller = ManagedModel::new(Arc::new(Fake::new(plays)), policy());
    let error = caller.invoke(&hello()).await.unwrap_err();
    assert!(error.to_string().contains("[redacted]"), "{error}");
    let mut deltas = caller.stream(&hello()).await.unwrap();
    deltas.next().await.unwrap().unwrap();
    let error = deltas.next().await.unwrap().unwrap_err();
    assert!(!error.to_string().contains(key), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_stops_at_the_end_has_read_all() {
    let log = Arc::new(Log::default());
    let caller =
        ManagedModel::new(Arc::new(Fake::always(says("hi"))), policy()).observed(log.clone());
    let mut deltas = caller.stream(&hello()).await.unwrap();
    while !matches!(deltas.next().await.unwrap().unwrap(), Delta::Finish(_)) {}
    drop(deltas);
    // The usage behind the end was not read, so it is reckoned.
    assert_eq!(
        log.lines(),
        ["1 started", "1 speaks", "1 ended 4 $0.000018"]
    );
}
