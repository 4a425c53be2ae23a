//! Questions that compare: all records are fetched, put in order and cut, and the answer says what was compared.

use serde_json::Value as Json;
use superstep_atris::Status;
use superstep_fake_audius::FakeAudius;

use crate::support::{agent, ask, both, server, truth};

/// The tracks of Nova Kane by a field, the most first.
async fn tracks(server: &FakeAudius, field: &str) -> Vec<String> {
    let user = truth(server, "/v1/users/handle/novakane", &[]).await;
    let id = user["data"]["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/users/{id}/tracks");
    let tracks = truth(server, &path, &[("limit", "100")]).await;
    let mut tracks = tracks["data"].as_array().unwrap().clone();
    tracks.sort_by_key(|it| std::cmp::Reverse(it[field].as_f64().map(|it| it as u64)));
    let titles = tracks.iter().map(|it: &Json| it["title"].as_str());
    titles.map(|it| it.unwrap().to_owned()).collect()
}

#[tokio::test]
async fn so_many_of_an_order_are_the_first_of_all() {
    let (server, agent) = both().await;
    let longest = tracks(&server, "duration").await;
    for question in [
        "Nova Kane's 3 longest tracks",
        "top 3 longest tracks by Nova Kane",
        "the three longest songs of Nova Kane",
    ] {
        let answer = ask(&agent, question).await;
        let listed = answer.mentions.listed.iter().map(|it| &it.name);
        assert_eq!(
            listed.collect::<Vec<_>>(),
            longest.iter().take(3).collect::<Vec<_>>()
        );
        assert!(
            answer
                .answer
                .starts_with("In order of duration, the most first, of all 8"),
            "{}",
            answer.answer
        );
        assert_eq!(answer.answer.lines().count(), 4, "{}", answer.answer);
    }
    let all = ask(&agent, "Nova Kane's tracks sorted by length").await;
    assert_eq!(all.mentions.listed.len(), longest.len(), "{}", all.answer);
    let least = ask(&agent, "Nova Kane's 2 shortest tracks").await;
    assert_eq!(Some(&least.mentions.listed[0].name), longest.last());
}

#[tokio::test]
async fn a_comparison_is_never_dropped_nor_turned_round() {
    let (server, agent) = both().await;
    let played = tracks(&server, "play_count").await;
    for question in [
        "which of Nova Kane's songs has been played most?",
        "which song by Nova Kane was played most",
        "the most played song by Nova Kane",
    ] {
        let answer = ask(&agent, question).await;
        assert_eq!(
            answer.mentions.listed[0].name, played[0],
            "{}",
            answer.answer
        );
    }
    let least = ask(&agent, "which of Nova Kane's songs has been played least?").await;
    assert!(
        least.answer.contains(played.last().unwrap()),
        "{}",
        least.answer
    );
    let liked = ask(
        &agent,
        "which of Nova Kane's tracks has been favorited the most",
    )
    .await;
    assert!(
        liked
            .answer
            .contains("favorites.\nThat is the most of all 8."),
        "{}",
        liked.answer
    );
    let both = ask(
        &agent,
        "who has the most followers, Glass House or Paper Tiger",
    )
    .await;
    assert!(
        both.answer.ends_with("Paper Tiger has more."),
        "{}",
        both.answer
    );
    let both = ask(
        &agent,
        "who has the fewest followers, Glass House or Paper Tiger",
    )
    .await;
    assert!(
        both.answer.ends_with("Glass House has fewer."),
        "{}",
        both.answer
    );
    let coins = ask(&agent, "cheapest coin").await;
    let price = |line: &str| {
        let (_, price) = line.split_once("price: ").unwrap();
        price.split(',').next().unwrap().parse::<f64>().unwrap()
    };
    let prices: Vec<f64> = coins
        .answer
        .lines()
        .filter(|it| it.contains("price: "))
        .map(price)
        .collect();
    assert!(prices.len() > 1 && prices.is_sorted(), "{}", coins.answer);
    let most = ask(&agent, "most played track on Audius").await;
    assert!(
        most.answer.contains("the most of the first 100"),
        "{}",
        most.answer
    );
    let biggest = ask(&agent, "biggest trending playlist").await;
    assert_eq!(biggest.status, Status::Refused, "{}", biggest.answer);
}

#[tokio::test]
async fn a_playlist_is_put_in_order_too() {
    let server = server().await;
    let answer = ask(&agent(&server), "tracks in \"Night Drive\" by play count").await;
    assert_eq!(answer.operation.as_deref(), Some("getPlaylistTracks"));
    let lines = answer.answer.lines().skip(1);
    let plays = |line: &str| {
        let (_, plays) = line.rsplit_once(": ")?;
        plays
            .strip_suffix(" plays")?
            .replace(',', "")
            .parse::<u64>()
            .ok()
    };
    let plays: Vec<u64> = lines.filter_map(plays).collect();
    assert_eq!(plays.len(), 10, "{}", answer.answer);
    assert!(plays.is_sorted_by(|a, b| a >= b), "{}", answer.answer);
    assert!(answer.answer.contains("of all 11"), "{}", answer.answer);
}

#[tokio::test]
async fn whoever_made_something_can_be_asked_about() {
    let (_server, agent) = both().await;
    for (question, part) in [
        ("who wrote Paper Moons", "\"Paper Moons\" by Mira Voss"),
        ("tracks by the artist of First Light", "by Nova Kane"),
        (
            "how many followers does the artist of First Light have",
            "Nova Kane has 12 followers.",
        ),
        (
            "followers of the maker of Night Drive",
            "results for followers",
        ),
    ] {
        let answer = ask(&agent, question).await;
        assert!(
            answer.answer.contains(part),
            "{question}: {}",
            answer.answer
        );
    }
    let one = ask(&agent, "how long is First Light by Nova Kane").await;
    assert!(one.answer.contains("165 seconds"), "{}", one.answer);
    let none = ask(&agent, "how long is First Light by Mira Voss").await;
    assert_eq!(none.status, Status::Failed, "{}", none.answer);
}

#[tokio::test]
async fn the_top_of_what_somebody_has_is_worked_out_from_all_of_it() {
    let (server, agent) = both().await;
    let nova = truth(&server, "/v1/users/handle/novakane", &[]).await;
    let id = nova["data"]["id"].as_str().unwrap();
    let path = format!("/v1/users/{id}/followers");
    let followers = truth(&server, &path, &[("limit", "100")]).await;
    let mut counts: Vec<u64> = followers["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["follower_count"].as_u64().unwrap())
        .collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    for question in [
        "top 3 followers of Nova Kane",
        "the 3 most followed followers of Nova Kane",
        "Nova Kane's top 3 followers",
    ] {
        let answer = ask(&agent, question).await;
        assert_eq!(
            answer.operation.as_deref(),
            Some("getFollowers"),
            "{question}"
        );
        let lines: Vec<&str> = answer.answer.lines().collect();
        assert!(
            lines[0].starts_with("In order of followers, the most first, of all"),
            "{}",
            answer.answer
        );
        for (line, count) in lines[1..4].iter().zip(&counts) {
            assert!(line.ends_with(&format!(": {count} followers")), "{line}");
        }
    }
    for (question, operation) in [
        ("top 3 artists Nova Kane follows", "getFollowing"),
        (
            "top 3 people who reposted First Light",
            "getUsersFromReposts",
        ),
        (
            "top 5 artists who favorited Paper Moons",
            "getUsersFromFavorites",
        ),
        ("most followed follower of Mira Voss", "getFollowers"),
        ("top 3 reposts of Mira Voss", "getReposts"),
    ] {
        let answer = ask(&agent, question).await;
        assert_eq!(answer.operation.as_deref(), Some(operation), "{question}");
        assert!(
            answer.understood.as_ref().unwrap().contains("; most "),
            "{question}: {}",
            answer.answer
        );
    }
    for question in ["best songs of Paper Tiger", "Paper Tiger's best song"] {
        let answer = ask(&agent, question).await;
        let given = answer.parameters.unwrap();
        assert_eq!(given["sort"], "plays", "{question}");
    }
}
