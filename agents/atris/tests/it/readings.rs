//! Questions that are easily answered with something else than they ask for.

use superstep_atris::Status;

use crate::support::{agent, agent_with, answered, ask, both, paths, run, server, settings};

#[tokio::test]
async fn the_lists_of_two_names_are_whole_and_named() {
    let server = server().await;
    let answer = ask(&agent(&server), "tracks by Nova Kane and Mira Voss").await;
    assert_eq!(answer.operation.as_deref(), Some("getTracksByUser"));
    let lines: Vec<&str> = answer.answer.lines().collect();
    let heads: Vec<&&str> = lines
        .iter()
        .filter(|it| it.contains("tracks by user"))
        .collect();
    assert_eq!(heads.len(), 2, "{}", answer.answer);
    assert!(
        heads[0].starts_with("Nova Kane (@novakane): "),
        "{}",
        answer.answer
    );
    assert!(
        heads[1].starts_with("Mira Voss (@miravoss): "),
        "{}",
        answer.answer
    );
    for name in ["\" by Nova Kane (", "\" by Mira Voss ("] {
        let count = lines.iter().filter(|line| line.contains(name)).count();
        assert!(count > 1, "{name}: {}", answer.answer);
    }
}

#[tokio::test]
async fn numbers_of_two_names_are_named_and_compared() {
    let server = server().await;
    let question = "compare the number of tracks of Nova Kane and Mira Voss";
    let answer = ask(&agent(&server), question).await;
    let lines: Vec<&str> = answer.answer.lines().collect();
    assert!(lines[0].starts_with("Nova Kane: "), "{}", answer.answer);
    assert!(lines[1].starts_with("Mira Voss: "), "{}", answer.answer);
    assert!(lines[1].ends_with(" tracks"), "{}", answer.answer);
    assert_eq!(lines.len(), 3, "{}", answer.answer);
}

#[tokio::test]
async fn what_no_call_can_do_is_refused_without_a_call() {
    let (server, agent) = both().await;
    for question in [
        "who is following both Nova Kane and Mira Voss?",
        "does Nova Kane follow Mira Voss?",
        "tracks by Nova Kane that are not electronic",
        "trending tracks excluding hip hop",
        "least popular genres",
        "my followers",
        "the second most played track this month",
        "tracks with more than 1000 plays",
        "followers of Nova Kane with many comments",
        "compare followers of Nova Kane, Mira Voss and Orbit Theory",
    ] {
        let answer = ask(&agent, question).await;
        assert_eq!(
            answer.status,
            Status::Refused,
            "{question}: {}",
            answer.answer
        );
        assert_eq!(answer.error.unwrap().code, "SS8015", "{question}");
    }
    assert_eq!(server.calls().len(), 0);
}

#[tokio::test]
async fn who_does_something_to_whom_is_read_from_the_order_of_the_words() {
    let (_server, agent) = both().await;
    for (question, operation) in [
        ("track by Nova Kane with the most plays", "getTracksByUser"),
        (
            "track by Nova Kane with the fewest plays",
            "getTracksByUser",
        ),
        ("track by Nova Kane with the most likes", "getTracksByUser"),
        ("people Nova Kane follows", "getFollowing"),
        ("does anyone follow Nova Kane?", "getFollowers"),
        // A track, and then a person.
        ("who remixed First Light", "getTrackRemixes"),
        ("who remixed Nova Kane", "getRemixers"),
        ("how many reposts has Night Drive", "getPlaylist"),
        ("what did Nova Kane listen to", "getUsersTrackHistory"),
        ("who supports Nova Kane", "getSupporters"),
        ("who does Nova Kane support", "getSupportedUsers"),
    ] {
        let answer = ask(&agent, question).await;
        assert_eq!(answer.operation.as_deref(), Some(operation), "{question}");
    }
    run(&agent, "t", "How long is \"First Light\"?").await;
    let outcome = run(&agent, "t", "who remixed it?").await;
    let answer = answered(outcome);
    assert_eq!(answer.operation.as_deref(), Some("getTrackRemixes"));
}

#[tokio::test]
async fn a_yes_or_no_about_a_list_says_that_it_is_none() {
    let server = server().await;
    let answer = ask(&agent(&server), "does Nova Kane have any albums?").await;
    let told = answer.reading.iter().any(|line| line.contains("yes or no"));
    assert!(told, "{:?}", answer.reading);
}

#[tokio::test]
async fn a_page_is_as_long_as_lists_are_and_its_numbers_go_on() {
    let server = server().await;
    let mut settings = settings([server.address()]);
    settings.limit = Some(2);
    let agent = agent_with(settings, None);
    let answer = ask(&agent, "trending tracks page 2").await;
    assert_eq!(answer.parameters.unwrap()["offset"], 2);
    let lines: Vec<&str> = answer.answer.lines().collect();
    assert!(lines[0].contains("results 3 to 4 "), "{}", answer.answer);
    assert!(lines[1].starts_with("3. "), "{}", answer.answer);
    assert!(lines[2].starts_with("4. "), "{}", answer.answer);
    assert!(lines[3].starts_with("Shown: 3 to 4, "), "{}", answer.answer);
    assert!(lines[3].ends_with("ask for page 3."), "{}", answer.answer);
}

#[tokio::test]
async fn what_was_not_shown_cannot_be_meant_by_its_place() {
    let (_server, agent) = both().await;
    let outcome = run(&agent, "t", "longest track by Nova Kane").await;
    let answer = answered(outcome);
    assert_eq!(answer.mentions.listed.len(), 1, "{}", answer.answer);
    let outcome = run(&agent, "t", "how long is the second one?").await;
    assert_eq!(outcome.asks().len(), 1);
}

#[tokio::test]
async fn a_question_about_plays_reads_no_history() {
    let (server, agent) = both().await;
    for question in [
        "plays of First Light", "plays of Nova Kane", "Nova Kane plays",
    ] {
        let outcome = run(&agent, question, question).await;
        let asked = paths(&server);
        let is_history = |path: &String| path.contains("history");
        assert!(!asked.iter().any(is_history), "{question}: {asked:?}");
        drop(outcome);
    }
    let answer = ask(&agent, "plays of First Light").await;
    assert_eq!(answer.operation.as_deref(), Some("getTrack"));
}

#[tokio::test]
async fn an_order_that_no_operation_does_or_that_names_two_is_not_followed_in_part() {
    let server = server().await;
    let mut settings = settings([server.address()]);
    settings.writes = true;
    settings.client.token = Some("a token of a test".into());
    let with_writes = agent_with(settings, None);
    for order in [
        "tip Nova Kane 5 dollars",
        "buy First Light",
        "follow Nova Kane and Mira Voss",
    ] {
        let answer = ask(&with_writes, order).await;
        assert_eq!(answer.status, Status::Refused, "{order}: {}", answer.answer);
        let code = answer.error.unwrap().code;
        assert!(["SS8004", "SS8015"].contains(&code.as_str()), "{order}");
    }
    // Where nothing is changed at all, that is why.
    let answer = ask(&agent(&server), "tip Nova Kane 5 dollars").await;
    assert_eq!(answer.error.unwrap().code, "SS8005");
    assert_eq!(server.calls().len(), 0);
}

#[tokio::test]
async fn who_has_fewer_is_told() {
    let (_server, agent) = both().await;
    let more = ask(&agent, "who has more followers, Nova Kane or Mira Voss?").await;
    let fewer = ask(&agent, "who has fewer followers, Nova Kane or Mira Voss?").await;
    let last = |answer: &str| answer.lines().last().unwrap().to_owned();
    let (more, fewer) = (last(&more.answer), last(&fewer.answer));
    assert!(more.ends_with(" has more."), "{more}");
    assert!(fewer.ends_with(" has fewer."), "{fewer}");
    assert_ne!(
        more.trim_end_matches(" has more."),
        fewer.trim_end_matches(" has fewer.")
    );
}

#[tokio::test]
async fn every_answer_says_what_was_understood() {
    let server = server().await;
    let answer = ask(&agent(&server), "followers of Nova Kane").await;
    assert_eq!(
        answer.understood.as_deref(),
        Some("followers of a user: Nova Kane (@novakane); limit 10")
    );
}
