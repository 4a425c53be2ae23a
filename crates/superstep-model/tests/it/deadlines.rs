//! How long calls take, and what dropping them does.

use std::{
    sync::{Arc, atomic::Ordering::SeqCst},
    time::Duration,
};

use superstep_model::{
    Budget, Delta, ErrorKind, Finish, ManagedModel, Model, Phase, Policy,
    call::{Backoff, Deadlines, Limits, RetryAfter},
};
use tokio::time::{Instant, advance};

use crate::fake::{Fake, Log, Play, Step, finish, from, hello, reading, says, text, usage};

const SECOND: Duration = Duration::from_secs(1);

fn once() -> Policy {
    Policy {
        backoff: Backoff {
            attempts: 1,
            ..Backoff::default()
        },
        deadlines: Deadlines {
            first: 10 * SECOND,
            idle: 5 * SECOND,
            whole: 60 * SECOND,
        },
        ..Policy::default()
    }
}

async fn timed(play: Play) -> (ErrorKind, u64, usize) {
    let fake = Arc::new(Fake::new([play]));
    let began = Instant::now();
    let error = ManagedModel::new(fake.clone(), once())
        .invoke(&hello())
        .await;
    let kind = error.unwrap_err().kind().clone();
    let running = fake.count.running.load(SeqCst);
    (kind, began.elapsed().as_secs(), running)
}

fn late(phase: Phase, after: Duration) -> ErrorKind {
    ErrorKind::TimedOut { phase, after }
}

#[tokio::test(start_paused = true)]
async fn connecting_and_the_first_piece_have_one_deadline() {
    let first = late(Phase::FirstByte, 10 * SECOND);
    assert_eq!(timed(Play::Unreachable).await, (first.clone(), 10, 0));
    let silent = Play::Streams(vec![Step::Hang]);
    assert_eq!(timed(silent).await, (first, 10, 0));
}

#[tokio::test(start_paused = true)]
async fn a_pause_between_pieces_has_a_deadline() {
    let stalls = Play::Streams(vec![
        text("a"),
        Step::Wait(4 * SECOND),
        text("b"),
        Step::Hang,
    ]);
    let idle = late(Phase::NextPiece, 5 * SECOND);
    assert_eq!(timed(stalls).await, (idle, 9, 0));
}

/// A model that reads for longer than any limit of a pause.
fn reads_long() -> Vec<Step> {
    (0..=8)
        .flat_map(|part| [reading(part * 64, 512), Step::Wait(4 * SECOND)])
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_model_that_tells_that_it_reads_may_take_its_time() {
    let mut steps = reads_long();
    steps.extend([
        Step::Wait(5 * SECOND),
        from(),
        text("so"),
        finish(Finish::Stop),
        usage(512, 1),
    ]);
    let log = Arc::new(Log::default());
    let fake = Arc::new(Fake::always(Play::Streams(steps)));
    let caller = ManagedModel::new(fake, once()).observed(log.clone());
    let reply = caller.invoke(&hello()).await.unwrap();
    assert_eq!(reply.content.text(), "so");
    let told = log.lines();
    assert_eq!(told[1], "1 reads 0/512");
    assert_eq!(
        told[9..],
        ["1 reads 512/512", "1 speaks", "1 ended 513 $0.00129"]
    );
    // A reader of the stream gets the reply alone.
    let mut deltas = caller.stream(&hello()).await.unwrap();
    assert!(matches!(deltas.next().await, Some(Ok(Delta::From { .. }))));
}

#[tokio::test(start_paused = true)]
async fn reading_that_stops_is_late_and_costs_nothing() {
    let mut steps = reads_long();
    steps.truncate(4);
    steps.push(Step::Hang);
    let stalls = late(Phase::Reading, 5 * SECOND);
    assert_eq!(timed(Play::Streams(steps.clone())).await, (stalls, 9, 0));
    let log = Arc::new(Log::default());
    let mut policy = once();
    policy.backoff.attempts = 2;
    let fake = Arc::new(Fake::new([Play::Streams(steps), says("hi")]));
    let caller = ManagedModel::new(fake, policy).observed(log.clone());
    let mut deltas = caller.stream(&hello()).await.unwrap();
    assert!(deltas.next().await.is_some());
    assert_eq!(log.lines()[3], "1 failed SS5008 0 again");
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_the_first_piece_begins_when_all_is_read() {
    let mut steps = reads_long();
    steps.push(Step::Hang);
    let first = late(Phase::FirstByte, 10 * SECOND);
    assert_eq!(timed(Play::Streams(steps)).await, (first, 8 * 4 + 10, 0));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_dribbles_ends_with_the_whole_deadline() {
    let mut steps = Vec::new();
    for _ in 0..100 {
        steps.extend([text("."), Step::Wait(4 * SECOND)]);
    }
    let whole = late(Phase::End, 60 * SECOND);
    assert_eq!(timed(Play::Streams(steps)).await, (whole, 60, 0));
}

#[tokio::test(start_paused = true)]
async fn all_attempts_are_inside_one_deadline() {
    let mut policy = once();
    policy.backoff.attempts = 3;
    policy.deadlines.whole = 15 * SECOND;
    let fake = Arc::new(Fake::always(Play::Unreachable));
    let began = Instant::now();
    let error = ManagedModel::new(fake.clone(), policy)
        .invoke(&hello())
        .await;
    assert_eq!(*error.unwrap_err().kind(), late(Phase::End, 15 * SECOND));
    assert_eq!((began.elapsed().as_secs(), fake.attempts()), (15, 2));
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_takes_its_time_is_no_fault_of_the_model() {
    let play = vec![
        text("a"),
        text("b"),
        Step::Wait(3 * SECOND),
        finish(Finish::Stop),
    ];
    let caller = ManagedModel::new(Arc::new(Fake::new([Play::Streams(play)])), once());
    let mut deltas = caller.stream(&hello()).await.unwrap();
    deltas.next().await.unwrap().unwrap();
    advance(40 * SECOND).await;
    deltas.next().await.unwrap().unwrap();
    advance(10 * SECOND).await;
    let last = deltas.next().await.unwrap().unwrap();
    assert_eq!(last, Delta::Finish(Finish::Stop));
}

#[tokio::test(start_paused = true)]
async fn dropping_a_call_cancels_it_at_once() {
    let fake = Arc::new(Fake::always(Play::Streams(vec![
        from(),
        text("half"),
        Step::Hang,
    ])));
    let log = Arc::new(Log::default());
    let budget = Budget::new(Limits::default());
    let caller = ManagedModel::new(fake.clone(), Policy::default());
    let caller = caller.observed(log.clone()).within(budget.clone());

    let request = hello();
    let mut call = caller.invoke(&request);
    let soon = tokio::time::timeout(SECOND, &mut call).await;
    assert!(soon.is_err());
    assert_eq!(fake.count.running.load(SeqCst), 1);
    drop(call);
    assert_eq!(fake.count.running.load(SeqCst), 0);

    let mut deltas = caller.stream(&request).await.unwrap();
    deltas.next().await.unwrap().unwrap();
    drop(deltas);
    assert_eq!(fake.count.running.load(SeqCst), 0);
    assert_eq!(fake.count.dropped.load(SeqCst), 2);

    // What came was paid for: three tokens read, one written.
    assert_eq!(budget.spent().usage.total(), 8);
    let attempt = ["1 started", "1 speaks", "1 dropped 4"];
    assert_eq!(log.lines(), [attempt, attempt].concat());
}

#[tokio::test(start_paused = true)]
async fn dropping_a_call_that_waits_to_try_again_makes_no_attempt() {
    let busy = Play::Refused(crate::fake::limited(Some(30)));
    let fake = Arc::new(Fake::new([busy, says("hi")]));
    let caller = ManagedModel::new(fake.clone(), Policy::default());
    let request = hello();
    let call = tokio::time::timeout(SECOND, caller.invoke(&request)).await;
    assert!(call.is_err());
    advance(100 * SECOND).await;
    assert_eq!(fake.attempts(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_budget_ends_a_call() {
    let limits = Limits {
        wall: Some(7 * SECOND),
        ..Limits::default()
    };
    let steps = vec![
        text("a"),
        Step::Wait(4 * SECOND),
        text("b"),
        Step::Wait(4 * SECOND),
        usage(1, 1),
    ];
    let fake = Arc::new(Fake::always(Play::Streams(steps)));
    let caller = ManagedModel::new(fake.clone(), once()).within(Budget::new(limits));
    let began = Instant::now();
    for attempts in [1, 1] {
        let error = caller.invoke(&hello()).await.unwrap_err();
        assert_eq!(error.code(), "SS5014", "{error}");
        assert_eq!((began.elapsed().as_secs(), fake.attempts()), (7, attempts));
    }
}

#[tokio::test(start_paused = true)]
async fn settings_may_say_forever() {
    let ever = Duration::MAX;
    let mut policy = once();
    policy.deadlines = Deadlines {
        first: ever,
        idle: ever,
        whole: ever,
    };
    policy.circuit_breaker.open_for = ever;
    policy.circuit_breaker.failures = 1;
    policy.backoff.retry_after = RetryAfter::GiveUpAbove(ever);
    let limits = Limits {
        wall: Some(ever),
        ..Limits::default()
    };
    let fake = Fake::new([says("hi"), Play::Refused(crate::fake::server(500))]);
    let caller = ManagedModel::new(Arc::new(fake), policy).within(Budget::new(limits));
    assert!(caller.invoke(&hello()).await.is_ok());
    assert_eq!(caller.invoke(&hello()).await.unwrap_err().code(), "SS5006");
    assert_eq!(caller.invoke(&hello()).await.unwrap_err().code(), "SS5013");
}
