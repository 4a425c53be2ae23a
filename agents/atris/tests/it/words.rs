//! Every word of a question is used, or the question is refused; what a name stands for is found, or asked.

use serde_json::json;
use superstep::{
    Outcome,
    tools::{Approval, ApprovalAnswer, Verdict},
};
use superstep_atris::{Atris, AtrisState, Question, Status};
use superstep_fake_audius::{FakeAudius, TOKEN};
use superstep_loopback::{Answer as Reply, Server};

use crate::support::{agent, agent_with, answered, ask, both, open, run, server, settings};

#[tokio::test]
async fn a_question_that_would_be_answered_as_another_one_is_refused_and_the_words_are_named() {
    let (server, agent) = both().await;
    for (question, word) in [
        ("average plays of the tracks by Nova Kane", "average"),
        ("followers of Nova Kane this week", "week"),
        ("tracks by Nova Kane this month", "month"),
        ("jazz playlists that are trending", "jazz"),
        ("which followers of Nova Kane also sing", "also"),
        ("who follows me", "me"),
        ("delete all my playlists", "my"),
        ("followers of Nova Kane in Berlin", "Berlin"),
    ] {
        let mut settings = settings([server.address()]);
        settings.writes = question.starts_with("delete");
        settings.client.token = settings.writes.then(|| TOKEN.into());
        let answer = ask(&agent_with(settings, None), question).await;
        assert_eq!(
            answer.status,
            Status::Refused,
            "{question}: {}",
            answer.answer
        );
        assert!(
            answer.answer.contains(word),
            "{question}: {}",
            answer.answer
        );
    }
    let answer = ask(&agent, "folowers of Nova Kane").await;
    assert!(
        answer.answer.contains("did you mean \"followers\"?"),
        "{}",
        answer.answer
    );
    assert_eq!(server.calls().len(), 0);
}

#[tokio::test]
async fn an_overview_says_every_field_of_a_record_and_a_stand_in_says_that_it_is_one() {
    let server = server().await;
    let answer = ask(&agent(&server), "overview of @novakane").await;
    for line in [
        "location: Lisbon", "verified: yes", "followers: 12", "tracks: 8",
    ] {
        assert!(answer.answer.contains(line), "{}", answer.answer);
        let value = line.split(": ").nth(1).unwrap();
        assert!(answer.facts.iter().any(|fact| fact.text == value), "{line}");
    }
    let answer = ask(&agent(&server), "trending artists").await;
    assert_eq!(answer.operation.as_deref(), Some("getTopUsers"));
    assert_eq!(
        answer.reading,
        ["Audius has no list of trending artists: these are its top users"]
    );
}

#[tokio::test]
async fn a_name_that_is_misspelt_is_asked_about() {
    let server = server().await;
    let outcome = run(&agent(&server), "t", "how many plays has First Lihgt").await;
    let (_, question) = open(&outcome);
    assert_eq!(question.options, ["First Light (@novakane)"]);
    let understood = question.understood.unwrap();
    assert_eq!(understood, "details of a track: First Lihgt; plays");
}

#[tokio::test]
async fn an_id_alone_is_looked_for_among_all_kinds() {
    let (_server, agent) = both().await;
    let answer = ask(&agent, "Night Drive").await;
    assert_eq!(answer.operation.as_deref(), Some("getPlaylist"));
    let id = answer.mentions.subjects[0].id.clone().unwrap();
    let answer = ask(&agent, &format!("playlist with the id {id}")).await;
    assert_eq!(answer.operation.as_deref(), Some("getPlaylist"));
    let answer = ask(&agent, &format!("id {id}")).await;
    assert_eq!(
        answer.operation.as_deref(),
        Some("getPlaylist"),
        "{}",
        answer.answer
    );
}

#[tokio::test]
async fn a_name_of_a_track_and_of_a_user_is_asked_about() {
    let server = Server::with(|request| {
        let user = json!({"id": "K3zzz", "name": "Echo", "handle": "echo"});
        let track = json!({"id": "D7KyD", "title": "Echo", "user": user});
        let path = request.path.split('?').next().unwrap().to_owned();
        let data = match path.as_str() {
            "/v1/users/search" => json!([user]),
            "/v1/tracks/search" => json!([track]),
            "/v1/tracks/D7KyD" => track,
            _ => json!([]),
        };
        Reply::json(200, &json!({"data": data}))
    });
    let server = server.await.unwrap();
    let agent = agent_with(settings([server.address()]), None);
    let outcome = run(&agent, "t", "tell me about Echo").await;
    let (ask, question) = open(&outcome);
    let place = question
        .options
        .iter()
        .position(|it| it == "Echo (@echo), a track");
    let place = place.unwrap_or_else(|| panic!("{:?}", question.options));
    assert_eq!(question.options.len(), 2);
    let said = ask.answer::<Question>(&(place + 1).to_string()).unwrap();
    let answer = answered(agent.graph().answer("t", [said]).await.unwrap());
    assert_eq!(
        answer.operation.as_deref(),
        Some("getTrack"),
        "{}",
        answer.answer
    );
}

#[tokio::test]
async fn a_place_is_one_of_the_last_list() {
    let (_server, agent) = both().await;
    let list = answered(run(&agent, "t", "top 3 tracks by Nova Kane").await);
    let title = |at: usize| list.mentions.listed[at].name.clone();
    let last = answered(run(&agent, "t", "how long is the last one").await);
    assert!(last.answer.contains(&title(2)), "{}", last.answer);
    let second = answered(run(&agent, "t", "comments on the 2nd one").await);
    assert_eq!(second.mentions.subjects[0].name, title(1));
    assert!(
        second.reading[0].contains("top 3 tracks"),
        "{:?}",
        second.reading
    );
}

#[tokio::test]
async fn what_is_longer_is_told_in_seconds() {
    let server = server().await;
    let answer = ask(&agent(&server), "is First Light longer than Paper Moons?").await;
    let lines: Vec<&str> = answer.answer.lines().collect();
    assert!(lines[0].ends_with(" seconds"), "{}", answer.answer);
    assert!(lines[2].ends_with(" is longer."), "{}", answer.answer);
}

#[tokio::test]
async fn wallets_are_shown() {
    let server = server().await;
    let answer = ask(&agent(&server), "wallets of Nova Kane").await;
    assert!(answer.answer.contains("erc wallets: "), "{}", answer.answer);
    assert!(!answer.facts.is_empty());
}

fn signed_in(server: &FakeAudius) -> Atris {
    let mut settings = settings([server.address()]);
    settings.writes = true;
    settings.client.token = Some(TOKEN.into());
    agent_with(settings, None)
}

/// Answers what is asked, and gives what comes of it.
async fn say(agent: &Atris, outcome: &Outcome<AtrisState>, text: &str) -> Outcome<AtrisState> {
    let (ask, _) = open(outcome);
    let said = ask.answer::<Question>(&text.to_owned()).unwrap();
    agent.graph().answer("t", [said]).await.unwrap()
}

async fn approve(agent: &Atris, outcome: &Outcome<AtrisState>) -> Outcome<AtrisState> {
    let [ask] = outcome.asks() else {
        panic!("it asks for approval")
    };
    let digest = ask.question::<Approval>().unwrap().digest;
    let verdict = Verdict::Accept;
    let said = ask.answer::<Approval>(&ApprovalAnswer { digest, verdict });
    agent.graph().answer("t", [said.unwrap()]).await.unwrap()
}

#[tokio::test]
async fn an_order_is_made_in_the_name_of_whoever_says_who_they_are() {
    let server = server().await;
    let agent = signed_in(&server);
    let outcome = run(&agent, "t", "favorite First Light").await;
    let (_, question) = open(&outcome);
    assert_eq!(question.parameter.as_deref(), Some("user_id"));
    assert!(
        question.question.starts_with("Who are you at Audius?"),
        "{}",
        question.question
    );
    assert_eq!(
        question.understood.as_deref(),
        Some("favorite track: First Light")
    );
    let outcome = say(&agent, &outcome, "@miravoss").await;
    let answer = answered(approve(&agent, &outcome).await);
    assert_eq!(answer.answer, "Done: favoriteTrack.");
    assert_eq!(answer.reading, ["you are Mira Voss (@miravoss)"]);
    let calls = server.calls();
    let call = calls.last().unwrap();
    assert_eq!(call.method, "POST");
    assert!(call.path.contains("/favorites?"), "{}", call.path);
    // A playlist is one too, and nobody is made up.
    // Who they are is asked once in a thread.
    let outcome = run(&agent, "t", "repost Night Drive").await;
    let answer = answered(approve(&agent, &outcome).await);
    assert_eq!(answer.answer, "Done: repostPlaylist.");
    assert_eq!(answer.reading, ["you are Mira Voss (@miravoss)"]);
    let outcome = run(&agent, "u", "unfollow Glass House").await;
    let (ask, _) = open(&outcome);
    let said = ask.answer::<Question>(&"@nobody".to_owned()).unwrap();
    let answer = answered(agent.graph().answer("u", [said]).await.unwrap());
    assert_eq!(answer.error.unwrap().code, "SS8008");
    let state = agent.graph().state("u").await.unwrap().state;
    assert_eq!(
        state.signed_as, None,
        "nobody is remembered who is not there"
    );
}

#[tokio::test]
async fn a_playlist_is_made_with_the_name_that_was_said_or_asked_for() {
    let server = server().await;
    let agent = signed_in(&server);
    let outcome = run(&agent, "t", "create a playlist called Rainy Days").await;
    let outcome = say(&agent, &outcome, "@novakane").await;
    let answer = answered(approve(&agent, &outcome).await);
    assert_eq!(answer.answer, "Done: createPlaylist.");
    let name = |server: &FakeAudius| server.calls().last().unwrap().body["playlist_name"].clone();
    assert_eq!(name(&server), "Rainy Days");
    let outcome = run(&agent, "t", "create a playlist").await;
    let (_, question) = open(&outcome);
    assert_eq!(question.question, "What should it be called?");
    let outcome = say(&agent, &outcome, "Slow Mornings").await;
    answered(approve(&agent, &outcome).await);
    assert_eq!(name(&server), "Slow Mornings");
}
