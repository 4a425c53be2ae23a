//! Questions that continue an earlier one of the same thread: its next page, one of its list by an order or by whose it
//! is, another field of what it was about, the same of somebody else. Each is told or refused, and none is taken for
//! a question of its own.

use serde_json::Value as Json;
use superstep_atris::{Answer, Status};

use crate::support::{answered, ask, both, open, run, say, truth};

fn text<'a>(answer: &'a Answer, part: &str) -> &'a str {
    assert!(answer.answer.contains(part), "{}", answer.answer);
    &answer.answer
}

fn number(answer: &Answer, name: &str) -> u64 {
    answer.parameters.as_ref().unwrap()[name].as_u64().unwrap()
}

#[tokio::test]
async fn another_page_is_one_of_the_last_list() {
    let (_server, agent) = both().await;
    let first = say(&agent, "trending tracks this month").await;
    let next = say(&agent, "next page").await;
    assert_eq!(next.operation, first.operation);
    assert_eq!(number(&next, "offset"), 10);
    assert_eq!(next.parameters.as_ref().unwrap()["time"], "month");
    assert_eq!(
        next.reading,
        ["of the answer to \"trending tracks this month\""]
    );
    assert_ne!(next.mentions.listed[0], first.mentions.listed[0]);
    let third = say(&agent, "page 3").await;
    assert_eq!(number(&third, "offset"), 20);
    let before = say(&agent, "previous page").await;
    assert_eq!(before.mentions.listed, next.mentions.listed);
    let whole = say(&agent, "trending tracks this month page 3").await;
    assert_eq!(whole.mentions.listed, third.mentions.listed);
    // Of a list of somebody, whose it is stays.
    let first = say(&agent, "followers of Nova Kane").await;
    let second = say(&agent, "show me page 2").await;
    assert_eq!(
        second.mentions.subjects[0].id,
        first.mentions.subjects[0].id
    );
    let their = say(&agent, "their tracks").await;
    assert_eq!(their.operation.as_deref(), Some("getTracksByUser"));
    text(&their, "by Nova Kane");
}

#[tokio::test]
async fn a_page_of_nothing_is_refused_with_what_to_ask() {
    let (_server, agent) = both().await;
    for question in ["page 2", "next page", "the most played one"] {
        let answer = ask(&agent, question).await;
        assert_eq!(answer.status, Status::Refused, "{}", answer.answer);
        text(&answer, "no answer before lists anything");
    }
    say(&agent, "trending tracks").await;
    let zero = say(&agent, "page 0").await;
    assert_eq!(zero.status, Status::Refused, "{}", zero.answer);
    say(&agent, "Nova Kane's 3 longest tracks").await;
    let more = say(&agent, "next page").await;
    assert_eq!(more.status, Status::Refused, "{}", more.answer);
    text(&more, "worked out");
}

#[tokio::test]
async fn the_most_played_one_is_one_of_what_was_listed() {
    let (server, agent) = both().await;
    let list = say(&agent, "tracks by Nova Kane").await;
    let id = list.mentions.subjects[0].id.clone().unwrap();
    let path = format!("/v1/users/{id}/tracks");
    let tracks = truth(&server, &path, &[("limit", "100")]).await;
    let tracks = tracks["data"].as_array().unwrap();
    let by = |field: &str| {
        let value = |it: &&Json| it[field].to_string().parse::<u64>().unwrap_or(0);
        let best = tracks.iter().max_by_key(value).unwrap();
        best["title"].as_str().unwrap().to_owned()
    };
    let most = say(&agent, "the most played one").await;
    text(&most, &format!("\"{}\" has ", by("play_count")));
    assert_eq!(most.reading, ["of the answer to \"tracks by Nova Kane\""]);
    let longest = say(&agent, "which of them is the longest?").await;
    text(&longest, &format!("\"{}\" is ", by("duration")));
    let newest = say(&agent, "the newest one").await;
    let date = |it: &&Json| it["release_date"].as_str().unwrap().to_owned();
    let last = tracks.iter().max_by_key(date).unwrap();
    text(&newest, last["title"].as_str().unwrap());
    // One of a list is no list.
    let third = say(&agent, "the third one").await;
    assert_eq!(
        third.mentions.subjects[0].name,
        list.mentions.listed[2].name
    );
    // Whose tracks were listed is no `it`.
    answered(run(&agent, "u", "tracks by Nova Kane").await);
    let outcome = run(&agent, "u", "its comments").await;
    let (_, question) = open(&outcome);
    assert_eq!(question.options.len(), list.mentions.listed.len());
    // Only what was shown counts.
    let top = say(&agent, "top 3 trending tracks").await;
    let one = say(&agent, "the least played one").await;
    let titles = top.mentions.listed.iter().map(|it| it.name.clone());
    let shown: Vec<String> = titles.filter(|it| one.answer.contains(it)).collect();
    assert_eq!(shown.len(), 1, "{}", one.answer);
}

#[tokio::test]
async fn what_was_listed_is_put_in_order_and_what_cannot_be_is_refused() {
    let (_server, agent) = both().await;
    let list = say(&agent, "followers of Nova Kane").await;
    let sorted = say(&agent, "sort them by followers").await;
    assert_eq!(sorted.mentions.listed.len(), list.mentions.listed.len());
    text(&sorted, "In order of followers, the most first");
    let top = say(&agent, "the top one").await;
    assert_eq!(
        top.mentions.subjects[0].name,
        sorted.mentions.listed[0].name
    );
    for question in [
        "the verified ones", "comments on the longest one", "which is longer?",
    ] {
        let answer = ask(&agent, question).await;
        assert_eq!(
            answer.status,
            Status::Refused,
            "{question}: {}",
            answer.answer
        );
    }
}

#[tokio::test]
async fn a_place_alone_is_the_record_at_it() {
    let (_server, agent) = both().await;
    let list = say(&agent, "Nova Kane's 3 longest tracks").await;
    assert_eq!(list.mentions.listed.len(), 3, "{}", list.answer);
    let third = say(&agent, "the third one").await;
    assert_eq!(third.operation.as_deref(), Some("getTrack"));
    assert_eq!(
        third.mentions.subjects[0].name,
        list.mentions.listed[2].name
    );
    let plays = say(&agent, "its plays").await;
    text(
        &plays,
        &format!("\"{}\" has ", list.mentions.listed[2].name),
    );
    text(&plays, " plays.");
}

#[tokio::test]
async fn another_field_is_one_of_the_same_thing() {
    let (_server, agent) = both().await;
    say(&agent, "How long is First Light?").await;
    for (question, part) in [
        ("its plays", "\"First Light\" has 1,637,962 plays."),
        ("and favorites?", "\"First Light\" has 8 favorites."),
        ("its artist", "\"First Light\" by Nova Kane"),
        ("its genre", "The genre of \"First Light\""),
        ("and the bpm?", "\"First Light\" has 104 bpm."),
        (
            "how many followers does its artist have",
            "Nova Kane has 12 followers.",
        ),
    ] {
        say(&agent, "How long is First Light?").await;
        let answer = say(&agent, question).await;
        text(&answer, part);
        assert!(!answer.reading.is_empty(), "{question}");
    }
}

#[tokio::test]
async fn the_one_by_somebody_is_one_of_the_list() {
    let (_server, agent) = both().await;
    let list = say(&agent, "search playlists called Harbor Silent").await;
    let by = |it: &superstep_atris::Mention| it.by.as_deref() == Some("Orbit Theory");
    let wanted = list.mentions.listed.iter().find(|it| by(it)).unwrap();
    let tracks = say(&agent, "tracks of the one by Orbit Theory").await;
    assert_eq!(tracks.operation.as_deref(), Some("getPlaylistTracks"));
    let given = tracks.parameters.unwrap();
    assert_eq!(given["playlist_id"].as_str(), wanted.id.as_deref());
    say(&agent, "search playlists called Harbor Silent").await;
    let outcome = run(&agent, "t", "tracks of the one by Paper Tiger").await;
    let (_, question) = open(&outcome);
    assert!(
        question
            .question
            .contains("Nothing earlier in this conversation says so"),
        "{}",
        question.question
    );
}

#[tokio::test]
async fn the_same_of_somebody_else_is_told_or_refused() {
    let (_server, agent) = both().await;
    say(&agent, "How many followers does Nova Kane have?").await;
    let answer = say(&agent, "and Mira Voss?").await;
    text(&answer, "Mira Voss has 10 followers.");
    assert_eq!(
        answer.reading,
        ["taken as \"How many followers does Mira Voss have?\""]
    );
    let answer = say(&agent, "and how many tracks?").await;
    text(&answer, "Mira Voss has 3 tracks.");
    say(&agent, "How many followers does Mira Voss have?").await;
    let answer = say(&agent, "what about @papertiger").await;
    text(&answer, "Paper Tiger has 10 followers.");
    say(&agent, "her tracks").await;
    let answer = say(&agent, "and Orbit Theory?").await;
    assert_eq!(answer.status, Status::Refused, "{}", answer.answer);
}

#[tokio::test]
async fn the_longest_after_the_shortest_is_of_the_same_list() {
    let (_server, agent) = both().await;
    let shortest = say(&agent, "Nova Kane's shortest track").await;
    let longest = say(&agent, "and the longest?").await;
    assert_eq!(longest.operation, shortest.operation);
    text(&longest, "of all 8");
    assert_eq!(
        longest.answer,
        ask(&agent, "Nova Kane's longest track").await.answer
    );
    assert_eq!(
        longest.reading,
        ["of the answer to \"Nova Kane's shortest track\""]
    );
    // Of a list it is one of the list.
    let list = say(&agent, "tracks in \"Night Drive\"").await;
    let longest = say(&agent, "and the longest?").await;
    let winner = &longest.mentions.listed[0];
    assert!(list.mentions.listed.contains(winner), "{}", longest.answer);
    let sorted = say(&agent, "sorted by length").await;
    assert_eq!(&sorted.mentions.listed[0], winner);
    // Without a list it says nothing.
    let alone = ask(&agent, "and the longest?").await;
    assert_eq!(alone.status, Status::Refused, "{}", alone.answer);
}

#[tokio::test]
async fn what_came_first_is_meant_by_it() {
    let (_server, agent) = both().await;
    for (list, first) in [
        ("tracks in \"Night Drive\"", "the longest one"),
        ("remixes of First Light", "the most played of them"),
    ] {
        say(&agent, list).await;
        let first = say(&agent, first).await;
        let title = &first.mentions.listed[0].name;
        let tempo = say(&agent, "its bpm").await;
        text(&tempo, &format!("\"{title}\" has "));
        let maker = say(&agent, "who made that one?").await;
        text(&maker, &format!("\"{title}\" by "));
    }
}

#[tokio::test]
async fn another_value_is_one_of_the_same_list() {
    let (_server, agent) = both().await;
    say(&agent, "trending jazz tracks").await;
    for (question, name, value) in [
        ("and techno?", "genre", "Techno"),
        ("this month", "time", "month"),
        ("and last year?", "time", "year"),
    ] {
        let answer = say(&agent, question).await;
        assert_eq!(answer.operation.as_deref(), Some("getTrendingTracks"));
        let given = answer.parameters.as_ref().unwrap();
        assert_eq!(given[name], value, "{question}");
        assert_eq!(given["genre"], "Techno", "{question}");
        assert!(answer.reading[0].contains(name), "{:?}", answer.reading);
    }
    let three = say(&agent, "only the top 3").await;
    assert_eq!(number(&three, "limit"), 3);
    assert_eq!(three.mentions.listed.len(), 3);
    let albums = {
        say(&agent, "trending playlists").await;
        say(&agent, "and albums?").await
    };
    assert_eq!(albums.parameters.as_ref().unwrap()["type"], "album");
}

#[tokio::test]
async fn a_part_of_a_question_that_continues_nothing_is_refused() {
    let (server, agent) = both().await;
    let calls = server.calls().len();
    for question in [
        "and techno?", "top 3", "this month", "jazz", "the biggest one",
    ] {
        let answer = ask(&agent, question).await;
        assert_eq!(answer.status, Status::Refused, "{}", answer.answer);
    }
    assert_eq!(server.calls().len(), calls);
    // A list that takes no such value.
    for list in ["followers of Nova Kane", "longest trending tracks"] {
        say(&agent, list).await;
        for question in ["and techno?", "top 3", "only the best 2"] {
            let answer = say(&agent, question).await;
            assert_eq!(answer.status, Status::Refused, "{list}: {}", answer.answer);
        }
    }
    say(&agent, "who reposted First Light").await;
    let answer = say(&agent, "do any of them follow Nova Kane?").await;
    assert_eq!(answer.status, Status::Refused, "{}", answer.answer);
}
