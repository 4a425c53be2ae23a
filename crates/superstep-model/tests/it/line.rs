//! Calls that wait for their turn.

use std::{
    sync::{Arc, Mutex, atomic::Ordering::SeqCst},
    time::Duration,
};

use superstep_model::{Finish, ManagedModel, Model, Policy};
use tokio::time::{Instant, advance, timeout};

use crate::fake::{Fake, Play, Step, finish, hello, says, server, text};

const SECOND: Duration = Duration::from_secs(1);

fn slow() -> Play {
    Play::Streams(vec![text("x"), Step::Wait(SECOND), finish(Finish::Stop)])
}

fn policy(at_once: usize) -> Policy {
    Policy {
        at_once,
        ..Policy::default()
    }
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_run_at_once_than_allowed_and_they_come_in_order() {
    let fake = Arc::new(Fake::always(slow()));
    let caller = ManagedModel::new(fake.clone(), policy(3));
    let order = Arc::new(Mutex::new(Vec::new()));
    let began = Instant::now();
    let mut calls = Vec::new();
    for number in 0..12 {
        let (caller, order) = (caller.clone(), Arc::clone(&order));
        calls.push(tokio::spawn(async move {
            caller.invoke(&hello()).await.unwrap();
            order.lock().unwrap().push(number);
        }));
        tokio::task::yield_now().await;
    }
    for call in calls {
        call.await.unwrap();
    }
    assert_eq!(fake.count.peak.load(SeqCst), 3);
    assert_eq!(began.elapsed(), 4 * SECOND);
    let mut rounds: Vec<Vec<i32>> = order.lock().unwrap().chunks(3).map(Vec::from).collect();
    rounds.iter_mut().for_each(|round| round.sort_unstable());
    assert_eq!(rounds, [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]);
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_over_keeps_nobody_waiting() {
    let caller = ManagedModel::new(Arc::new(Fake::always(says("hi"))), policy(1));
    let mut first = caller.stream(&hello()).await.unwrap();
    while first.next().await.is_some() {}
    // `first` is still there, but it has ended.
    let second = timeout(SECOND, caller.invoke(&hello())).await;
    assert_eq!(second.unwrap().unwrap().content.text(), "hi");
    drop(first);
}

#[tokio::test(start_paused = true)]
async fn a_minute_has_no_more_attempts_than_allowed() {
    let policy = Policy {
        per_minute: Some(2),
        ..policy(8)
    };
    let fake = Arc::new(Fake::new([
        says("a"),
        Play::Refused(server(500)),
        says("b"),
        says("c"),
    ]));
    let caller = ManagedModel::new(fake, policy);
    let began = Instant::now();
    for _ in 0..3 {
        caller.invoke(&hello()).await.unwrap();
    }
    let took = began.elapsed();
    // Two attempts now, two more when the first is a minute old.
    assert!((60 * SECOND..61 * SECOND).contains(&took), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn calls_that_are_given_up_leave_their_places() {
    for seed in 0..50_u64 {
        let mut dice = seed;
        let mut roll = |most: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (dice >> 33) % most
        };
        let fake = Arc::new(Fake::always(slow()));
        let caller = ManagedModel::new(fake.clone(), policy(2));
        let mut calls = Vec::new();
        for _ in 0..20 {
            let caller = caller.clone();
            let patience = Duration::from_millis(roll(4_000));
            let streams = roll(2) == 0;
            calls.push(tokio::spawn(async move {
                let request = hello();
                let call = async {
                    if streams {
                        let mut deltas = caller.stream(&request).await?;
                        while let Some(delta) = deltas.next().await {
                            delta?;
                        }
                        return Ok(());
                    }
                    caller.invoke(&request).await.map(|_| ())
                };
                timeout(patience, call).await.is_ok()
            }));
            advance(Duration::from_millis(roll(500))).await;
        }
        for call in calls {
            call.await.unwrap();
        }
        assert_eq!(fake.count.running.load(SeqCst), 0, "seed {seed}");
        assert!(fake.count.peak.load(SeqCst) <= 2, "seed {seed}");
        let began = Instant::now();
        let (one, other) = (caller.clone(), caller.clone());
        let request = hello();
        let (one, other) = tokio::join!(one.invoke(&request), other.invoke(&request));
        assert!(one.is_ok() && other.is_ok(), "seed {seed}");
        assert_eq!(began.elapsed(), SECOND, "seed {seed}: a place was lost");
    }
}
