//! Recorded conversations of a strong model, replayed without one. A prompt that changes makes them unfit: record them
//! anew with `--model 'cassette:FILE?record=MODEL'`.

use std::sync::Arc;

use superstep::model::Cassette;
use superstep_atris::{Atris, Status};
use superstep_fake_audius::FakeAudius;

use crate::support::{agent_with, answered, run, server, settings};

/// The day on which they were recorded.
const TODAY: &str = "Thursday, 2026-11-19, time zone UTC";

fn replayed(server: &FakeAudius, file: &str) -> Atris {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings");
    let model = Cassette::replay(format!("{folder}/{file}")).unwrap();
    let mut settings = settings([server.address()]);
    settings.today = Some(TODAY.into());
    agent_with(settings, Some(Arc::new(model)))
}

#[tokio::test]
async fn a_follow_up_question_is_about_whom_the_answer_before_named() {
    let server = server().await;
    let agent = replayed(&server, "followers.jsonl");
    answered(run(&agent, "t", "Who is Mira Voss?").await);
    let question = "And how many more followers does Nova Kane have than them?";
    let answer = answered(run(&agent, "t", question).await);
    assert_eq!(
        answer.answer,
        "Nova Kane has 2 more followers than Mira Voss: 12 against 10."
    );
    assert_eq!((answer.status, answer.sources.len()), (Status::Answered, 2));
    let fields: Vec<&str> = answer.facts.iter().map(|it| it.field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "difference of r1.1 and r2.1: compare followerCount",
            "/data/0/follower_count",
            "/data/follower_count",
        ]
    );
}

#[tokio::test]
async fn the_best_of_two_artists_are_compared_in_one_table() {
    let server = server().await;
    let agent = replayed(&server, "compared.jsonl");
    let question = "Compare the top 3 tracks of Nova Kane and Mira Voss";
    let answer = answered(run(&agent, "t", question).await);
    assert_eq!((answer.status, answer.sources.len()), (Status::Answered, 4));
    let rows = answer.table.unwrap().rows;
    let artists: Vec<&str> = rows.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(
        artists,
        [
            "Nova Kane", "Nova Kane", "Nova Kane", "Mira Voss", "Mira Voss", "Mira Voss"
        ]
    );
    let plays = |row: &Vec<String>| row[2].replace(',', "").parse::<u64>().unwrap();
    let sum: u64 = rows.iter().take(3).map(plays).sum();
    assert_eq!(sum, 4_835_216);
    assert!(answer.answer.contains("4,835,216"), "{}", answer.answer);
    assert!(answer.unverified.is_empty());
}
