//! The key and the token, which a host knows and may repeat: they are shown and kept nowhere.

use superstep_atris::{AtrisState, Audius, Settings, Status};
use superstep_loopback::{Answer, Server};

use crate::support::{agent_with, answered, run, settings};

const KEY: &str = "plainwordsofakey";
const TOKEN: &str = "another plain word+of/a token";

fn with_secrets(host: String) -> Settings {
    let mut settings = settings([host]);
    settings.client.api_key = Some(KEY.into());
    settings.client.token = Some(TOKEN.into());
    settings
}

/// What a thread keeps, all its states.
async fn kept(settings: Settings, question: &str) -> (superstep_atris::Answer, String) {
    let agent = agent_with(settings, None);
    let answer = answered(run(&agent, "t", question).await);
    let history = agent.graph().history("t").await.unwrap();
    let states: Vec<String> = history
        .iter()
        .map(|it| serde_json::to_string::<AtrisState>(&it.state).unwrap())
        .collect();
    (answer, states.join("\n"))
}

fn has_secret(text: &str) -> bool {
    let parts = [
        KEY, TOKEN, "plainwordsof", "another+plain", "another%20plain", "PLAINWORDS",
        "cGxhaW53b3Jkc29m", "pwbGFpbndvcmRz", "plain-words", "plainwords", "PlainWords",
        "706c6169", "70 6C 61", r"\x70", "another%2520plain", "%2570", "cGxhaW53",
    ];
    parts.iter().any(|part| text.contains(part))
}

#[tokio::test]
async fn what_a_host_repeats_in_an_error_is_taken_out() {
    for status in [400, 500] {
        let said = format!("no: {KEY} and {TOKEN} are wrong");
        let server = Server::with(move |request| match request.path.starts_with("/v1") {
            true => Answer::json(status, &serde_json::json!({"error": said})),
            false => Answer::status(404, &[], ""),
        });
        let server = server.await.unwrap();
        let (answer, states) = kept(with_secrets(server.address()), "latest tips").await;
        assert_eq!(answer.status, Status::Failed);
        assert!(answer.answer.contains("[redacted]"), "{}", answer.answer);
        assert!(!has_secret(&states), "{states}");
    }
}

#[tokio::test]
async fn what_a_host_repeats_in_titles_is_taken_out_wherever_it_is_cut() {
    // One is where a text is cut, so that half of it would be left.
    let titles = [
        format!("Song {KEY}"),
        format!("{}{KEY}", "x".repeat(190)),
        format!("Song {TOKEN} again"),
        "Song another+plain+word%2Bof%2Fa+token".to_owned(),
        format!("Song {}", KEY.to_uppercase()),
        // As it is, and behind a name, in base64.
        "Song cGxhaW53b3Jkc29mYWtleQ==".to_owned(),
        "Song bWU6cGxhaW53b3Jkc29mYWtleQ==".to_owned(),
        "Song dXNlcjpwbGFpbndvcmRzb2Zha2V5".to_owned(),
        // In pieces, in other letters, in digits, and as an address within an address.
        "Song plainwords\nofakey".to_owned(),
        "Song plain-words-of-a-key".to_owned(),
        "Song PlainWordsOfAKey".to_owned(),
        "Song 706c61696e776f7264736f66616b6579".to_owned(),
        "Song 70 6C 61 69 6E 77 6F 72 64 73 6F 66 61 6B 65 79".to_owned(),
        r"Song \x70\x6c\x61\x69\x6e\x77\x6f\x72\x64\x73\x6f\x66\x61\x6b\x65\x79".to_owned(),
        "Song another%2520plain%2520word%252Bof%252Fa%2520token".to_owned(),
        "Song %2570%256c%2561inwordsofakey".to_owned(),
        "Song cGxhaW53b3Jk\nc29mYWtleQ==".to_owned(),
        "An honest song, 100% of it".to_owned(),
    ];
    let tracks: Vec<_> = titles
        .iter()
        .enumerate()
        .map(|(number, title)| {
            serde_json::json!({"id": format!("D{number}"), "title": title, "play_count": 1,
                "favorite_count": 1, "repost_count": 1, "duration": 1, "genre": KEY,
                "user": {"id": "U", "name": TOKEN, "handle": KEY}})
        })
        .collect();
    let server = Server::with(move |request| match request.path.starts_with("/v1") {
        true => Answer::json(200, &serde_json::json!({"data": tracks})),
        false => Answer::status(404, &[], ""),
    });
    let server = server.await.unwrap();
    let (answer, states) = kept(with_secrets(server.address()), "trending tracks").await;
    assert!(answer.answer.contains("[redacted]"), "{}", answer.answer);
    assert!(!has_secret(&answer.answer), "{}", answer.answer);
    assert!(!has_secret(&states), "{states}");
    assert!(states.contains("An honest song, 100% of it"), "{states}");
}

#[test]
fn a_secret_that_is_too_short_to_be_found_is_refused() {
    let mut settings = settings(["http://127.0.0.1:1".to_owned()]);
    settings.client.token = Some("short".into());
    let error = Audius::new(settings.client).unwrap_err();
    assert_eq!(error.code(), "SS8012");
    assert!(error.to_string().contains("the token"), "{error}");
}
