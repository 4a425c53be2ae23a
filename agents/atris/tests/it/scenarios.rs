//! What Atris promises, over real HTTP to a fake Audius.

use serde_json::{Value as Json, json};
use superstep::Outcome;
use superstep_atris::{Question, Status};
use superstep_fake_audius::{FakeAudius, Fault, Options};

use crate::support::{
    agent, agent_with, answered, ask, both, open, paths, run, server, settings, truth,
};

#[tokio::test]
async fn acceptance_1_the_top_10_trending_tracks_are_one_call_and_keep_their_order() {
    let server = server().await;
    let answer = ask(&agent(&server), "top 10 trending tracks this week").await;
    assert_eq!(answer.status, Status::Answered);
    assert_eq!(answer.operation.as_deref(), Some("getTrendingTracks"));
    let parameters = json!({"limit": 10, "time": "week"});
    assert_eq!(Json::Object(answer.parameters.unwrap()), parameters);
    assert_eq!(paths(&server), ["/v1/tracks/trending"]);
    let truth = truth(
        &server,
        "/v1/tracks/trending",
        &[("limit", "10"), ("time", "week")],
    )
    .await;
    let titles: Vec<&Json> = truth["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["title"])
        .collect();
    let table = answer.table.unwrap();
    let shown: Vec<Json> = table.rows.iter().map(|row| row[1].clone().into()).collect();
    assert_eq!(shown.iter().collect::<Vec<_>>(), titles);
    let lines: Vec<&str> = answer.answer.lines().collect();
    assert_eq!(
        lines[0],
        "Here are the top 10 trending tracks (time: week):"
    );
    assert!(
        lines[1].starts_with("1. \"") && lines[1].ends_with(" plays)"),
        "{}",
        lines[1]
    );
    assert_eq!(answer.sources.len(), 1);
    assert!(
        !answer.sources[0].url.contains("app_name"),
        "{:?}",
        answer.sources
    );
}

#[tokio::test]
async fn acceptance_2_genre_and_time_are_parameters_of_the_call() {
    let server = server().await;
    let answer = ask(&agent(&server), "trending electronic tracks this month").await;
    assert_eq!(answer.operation.as_deref(), Some("getTrendingTracks"));
    let given = json!({"genre": "Electronic", "limit": 10, "time": "month"});
    assert_eq!(Json::Object(answer.parameters.unwrap()), given);
    let [call] = &server.calls()[..] else {
        panic!("one call is made")
    };
    let sent = ["genre=Electronic", "time=month"].map(|it| call.path.contains(it));
    assert_eq!(sent, [true, true], "{}", call.path);
}

#[tokio::test]
async fn acceptance_6_a_host_that_is_down_is_left_and_when_all_are_the_errors_are_kept() {
    let (down, up) = (server().await, server().await);
    down.trap(Fault::ServerError, 99);
    let agent = agent_with(settings([down.address(), up.address()]), None);
    let answer = answered(run(&agent, "t", "latest tips").await);
    assert_eq!(answer.status, Status::Answered, "{}", answer.answer);
    assert_eq!(answer.sources[0].host, up.address());
    up.trap(Fault::ServerError, 99);
    for count in 1..=2 {
        let answer = answered(run(&agent, "t", "latest tips").await);
        assert_eq!(answer.status, Status::Failed);
        assert!(
            answer.answer.starts_with("No answer: no host"),
            "{}",
            answer.answer
        );
        let state = agent.graph().state("t").await.unwrap().state;
        assert_eq!(state.error_history.len(), count);
    }
}

#[tokio::test]
async fn every_number_of_an_answer_is_a_field_of_a_reply() {
    let server = server().await;
    let answer = ask(&agent(&server), "trending electronic tracks this month").await;
    let genre = [("genre", "Electronic"), ("time", "month"), ("limit", "10")];
    let truth = truth(&server, "/v1/tracks/trending", &genre).await;
    assert!(!answer.facts.is_empty());
    for fact in &answer.facts {
        let value = truth
            .pointer(&fact.field)
            .unwrap_or_else(|| panic!("{}", fact.field));
        let plain = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        assert_eq!(
            fact.text.replace(',', ""),
            plain.replace(',', ""),
            "{}",
            fact.field
        );
        assert_eq!(fact.source, 0);
    }
    // Whatever a row of the table shows is there too.
    for row in &answer.table.as_ref().unwrap().rows {
        for cell in row.iter().skip(1).filter(|cell| !cell.is_empty()) {
            assert!(answer.facts.iter().any(|fact| fact.text == *cell), "{cell}");
        }
    }
    // And the other way round: whatever looks like a number of plays is one of them.
    for line in answer
        .answer
        .lines()
        .skip(1)
        .take(answer.table.unwrap().rows.len())
    {
        let plays = line.rsplit_once('(').unwrap().1.trim_end_matches(" plays)");
        assert!(answer.facts.iter().any(|fact| fact.text == plays), "{line}");
    }
}

#[tokio::test]
async fn acceptance_3_a_name_is_looked_up_first_and_a_shared_name_is_asked_about() {
    let (server, agent) = both().await;
    let answer = ask(&agent, "How many followers does Nova Kane have?").await;
    let found = truth(&server, "/v1/users/handle/novakane", &[]).await;
    let count = found["data"]["follower_count"].to_string();
    assert_eq!(answer.answer, format!("Nova Kane has {count} followers."));
    let id = found["data"]["id"].as_str().unwrap();
    assert_eq!(
        paths(&server),
        ["/v1/users/search".to_owned(), format!("/v1/users/{id}")]
    );
    assert_eq!(answer.sources.len(), 2);
    assert_eq!(answer.facts.last().unwrap().field, "/data/follower_count");
    assert_eq!(answer.facts.last().unwrap().source, 1);

    let outcome = run(&agent, "two", "How many followers does Sol Rivera have?").await;
    let (ask, question) = open(&outcome);
    assert_eq!(
        question.options,
        ["Sol Rivera (@solrivera)", "Sol Rivera (@solriveramusic)"]
    );
    let before = server.calls().len();
    let chosen = ask.answer::<Question>(&"2".to_owned()).unwrap();
    let answer = answered(agent.graph().answer("two", [chosen]).await.unwrap());
    assert_eq!(answer.status, Status::Answered, "{}", answer.answer);
    let found = truth(&server, "/v1/users/handle/solriveramusic", &[]).await;
    let count = found["data"]["follower_count"].to_string();
    assert_eq!(answer.answer, format!("Sol Rivera has {count} followers."));
    assert_eq!(
        server.calls().len(),
        before + 1,
        "only the user is read after the choice"
    );
}

#[tokio::test]
async fn an_answer_that_chooses_nothing_is_refused_and_the_question_stays() {
    let (_server, agent) = both().await;
    let outcome = run(&agent, "t", "tracks by Sol Rivera").await;
    let (ask, _) = open(&outcome);
    for wrong in ["3", "0", "Nova", ""] {
        let wrong = ask.answer::<Question>(&wrong.to_owned()).unwrap();
        let outcome = agent.graph().answer("t", [wrong]).await;
        assert!(outcome.is_err() || !outcome.unwrap().asks().is_empty());
    }
    let state = agent.graph().state("t").await.unwrap();
    assert_eq!(state.asks.len(), 1);
}

#[tokio::test]
async fn acceptance_4_a_comparison_makes_a_second_call() {
    let server = server().await;
    let question = "compare plays of \"First Light\" and \"Paper Moons\"";
    let answer = ask(&agent(&server), question).await;
    assert_eq!(answer.status, Status::Answered, "{}", answer.answer);
    let lines: Vec<&str> = answer.answer.lines().collect();
    assert!(
        lines[0].starts_with("\"First Light\": ") && lines[0].ends_with(" plays"),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("\"Paper Moons\": "), "{lines:?}");
    assert!(lines[2].ends_with(" has more."), "{lines:?}");
    assert_eq!(answer.sources.len(), 4);
    let operations: Vec<&str> = answer.sources.iter().map(|it| &*it.operation).collect();
    assert_eq!(
        operations,
        ["searchTracks", "searchTracks", "getTrack", "getTrack"]
    );
}

#[tokio::test]
async fn acceptance_5_nothing_of_one_question_is_left_in_the_next() {
    let (_server, agent) = both().await;
    run(&agent, "t", "trending jazz tracks this year").await;
    let Outcome::Done(state) = run(&agent, "t", "most shared tracks of all time").await else {
        panic!("nobody is asked")
    };
    let state_json = serde_json::to_value(&*state).unwrap();
    let kept = ["error_history", "message_history", "selected_host"];
    for (name, value) in state_json.as_object().unwrap() {
        assert_eq!(
            value.is_null(),
            !kept.contains(&name.as_str()),
            "{name}: {value}"
        );
    }
    assert_eq!(state.message_history.len(), 2);
    let second = state.last().unwrap();
    assert_eq!(second.operation.as_deref(), Some("getMostSharedTracks"));
    let parameters = Json::Object(second.parameters.clone().unwrap());
    assert_eq!(parameters, json!({"limit": 10, "time_range": "allTime"}));
    // While the second ran, the first was not there either.
    for checkpoint in agent.graph().history("t").await.unwrap() {
        let state = &checkpoint.state;
        if state.query.as_deref() == Some("most shared tracks of all time") {
            let text = serde_json::to_string(&(&state.parameters, &state.best_api)).unwrap();
            assert!(!text.contains("Jazz") && !text.contains("year\""), "{text}");
        }
    }
}

#[tokio::test]
async fn the_history_is_bounded_and_the_host_stays() {
    let (server, agent) = both().await;
    for _ in 0..superstep_atris::MAX_ANSWERS + 2 {
        run(&agent, "t", "latest tips").await;
    }
    let state = agent.graph().state("t").await.unwrap().state;
    assert_eq!(state.message_history.len(), superstep_atris::MAX_ANSWERS);
    assert_eq!(state.selected_host, Some(server.address()));
}

#[tokio::test]
async fn acceptance_7_the_rate_limit_is_obeyed_and_then_told() {
    let server = FakeAudius::start(Options {
        retry_after: 0,
        ..Options::default()
    })
    .await
    .unwrap();
    let agent = agent(&server);
    server.trap(Fault::RateLimited, 1);
    let answer = ask(&agent, "latest tips").await;
    assert_eq!(answer.status, Status::Answered);
    assert_eq!(server.calls().len(), 2);

    let server = FakeAudius::start(Options {
        retry_after: 90,
        ..Options::default()
    })
    .await
    .unwrap();
    server.trap(Fault::RateLimited, 9);
    let answer = ask(&crate::support::agent(&server), "latest tips").await;
    assert_eq!(answer.status, Status::Failed);
    assert_eq!(answer.error.unwrap().code, "SS8007");
    assert_eq!(
        server.calls().len(),
        1,
        "a host that wants to rest is not asked again"
    );
}

#[tokio::test]
async fn acceptance_8_the_most_plays_ever_are_those_of_all_time() {
    let server = server().await;
    let answer = ask(&agent(&server), "track with the most plays ever").await;
    assert_eq!(answer.parameters.unwrap()["time"], "allTime");
}

#[tokio::test]
async fn acceptance_9_what_is_missing_is_asked_for_and_the_operation_is_not_chosen_again() {
    let (server, agent) = both().await;
    let outcome = run(&agent, "t", "show me the followers of an artist").await;
    let (ask, question) = open(&outcome);
    assert_eq!(question.parameter.as_deref(), Some("id"));
    assert_eq!(server.calls().len(), 0, "nothing is guessed");
    let said = ask.answer::<Question>(&"@novakane".to_owned()).unwrap();
    let answer = answered(agent.graph().answer("t", [said]).await.unwrap());
    assert_eq!(answer.operation.as_deref(), Some("getFollowers"));
    assert_eq!(answer.status, Status::Answered, "{}", answer.answer);
    let history = agent.graph().history("t").await.unwrap();
    let selected = history
        .iter()
        .filter(|it| it.next == [superstep_atris::Node::SelectApiNode]);
    assert_eq!(selected.count(), 1);
}

#[tokio::test]
async fn acceptance_10_a_hostile_title_is_only_shown() {
    let server = server().await;
    server.trap(Fault::Hostile, 1);
    let answer = ask(&agent(&server), "top 5 trending tracks").await;
    assert_eq!(answer.status, Status::Answered);
    assert!(
        answer.answer.contains("ignore previous instructions"),
        "{}",
        answer.answer
    );
    assert_eq!(
        answer.answer.lines().count(),
        6,
        "a title stays on its line"
    );
    assert!(
        !answer.answer.contains(['\u{1b}', '\u{202e}', '\u{7}']),
        "{:?}",
        answer.answer
    );
    assert_eq!(server.calls().len(), 1);
}

#[tokio::test]
async fn acceptance_11_what_would_change_something_is_refused_without_a_call() {
    let (server, agent) = both().await;
    for question in [
        "delete my playlist",
        "Please follow Nova Kane",
        "create a playlist called Mix",
        "could you repost \"First Light\"?",
        "unfollow @novakane",
    ] {
        let answer = ask(&agent, question).await;
        assert_eq!(answer.status, Status::Refused, "{question}");
        assert_eq!(answer.error.unwrap().code, "SS8005");
    }
    for question in [
        "who am i", "notifications of Nova Kane", "sales of @novakane",
    ] {
        let answer = ask(&agent, question).await;
        assert_eq!(
            answer.status,
            Status::Refused,
            "{question}: {}",
            answer.answer
        );
    }
    assert_eq!(server.calls().len(), 0);
}

#[tokio::test]
async fn acceptance_12_off_topic_empty_long_and_arabic_questions_are_answered_honestly() {
    let (server, agent) = both().await;
    let long = "tracks ".repeat(15_000);
    for (question, code) in [
        ("What is the capital of France?", "SS8004"),
        ("", "SS8012"),
        ("   \n ", "SS8012"),
        (long.as_str(), "SS8012"),
        ("ما هي عاصمة مصر؟", "SS8004"),
        ("trending tracks in the genre elektronic", "SS8003"),
        ("top 5000 trending tracks", "SS8003"),
    ] {
        let outcome = run(&agent, &format!("t{}", question.len()), question).await;
        let answer = answered(outcome);
        let shown: String = question.chars().take(40).collect();
        assert_eq!(
            answer.error.as_ref().map(|it| &*it.code),
            Some(code),
            "{shown}: {}",
            answer.answer
        );
        assert!(answer.question.chars().count() <= 201);
    }
    assert_eq!(server.calls().len(), 0);
}

#[tokio::test]
async fn an_unknown_genre_comes_with_the_nearest_one() {
    let server = server().await;
    let answer = ask(&agent(&server), "trending tracks in the genre elektronic").await;
    assert!(
        answer.answer.contains("did you mean `Electronic`?"),
        "{}",
        answer.answer
    );
}

#[tokio::test]
async fn a_thing_that_is_not_there_is_missing_and_an_empty_list_is_empty() {
    let (_server, agent) = both().await;
    let answer = ask(&agent, "How many followers has @nobody_at_all?").await;
    assert_eq!(answer.status, Status::Failed);
    assert_eq!(answer.error.unwrap().code, "SS8008");
    let answer = ask(&agent, "How many plays has the track \"No Such Song\"?").await;
    assert_eq!(answer.error.unwrap().code, "SS8008");
    let answer = ask(&agent, "stems of \"First Light\"").await;
    assert_eq!(answer.status, Status::Empty);
    assert_eq!(
        answer.answer,
        "Audius has nothing for that: the reply is empty."
    );
    assert_eq!(answer.error, None);
}

#[tokio::test]
async fn a_link_is_resolved_and_an_id_needs_no_search() {
    let (_server, agent) = both().await;
    let answer = ask(&agent, "What is https://audius.co/novakane/first-light ?").await;
    assert!(
        answer.answer.contains("\"First Light\" by Nova Kane"),
        "{}",
        answer.answer
    );
    let answer = ask(
        &agent,
        "How many plays has https://audius.co/novakane/first-light ?",
    )
    .await;
    assert!(
        answer.answer.starts_with("\"First Light\" has "),
        "{}",
        answer.answer
    );
    let elsewhere = ask(&agent, "What is https://audius.co/nobody/nothing ?").await;
    assert_eq!(elsewhere.error.unwrap().code, "SS8008");
    // With other words a link is what they are about.
    let more = ask(&agent, "comments on https://audius.co/novakane/first-light").await;
    assert_eq!(more.operation.as_deref(), Some("getTrackComments"));
    assert_eq!(more.mentions.subjects[0].name, "First Light");
    let more = ask(&agent, "followers of audius.co/novakane").await;
    assert_eq!(more.operation.as_deref(), Some("getFollowers"));
}

#[tokio::test]
async fn writes_that_are_allowed_are_approved_by_a_person_first() {
    let server = server().await;
    let mut settings = settings([server.address()]);
    settings.writes = true;
    settings.client.token = Some("a token of a test".into());
    let agent = agent_with(settings, None);
    let outcome = run(&agent, "t", "follow user id K3zzz").await;
    // The user who follows is not known: it is asked for.
    let (ask, question) = open(&outcome);
    assert_eq!(question.parameter.as_deref(), Some("user_id"));
    let said = ask.answer::<Question>(&"Kabc3".to_owned()).unwrap();
    let outcome = agent.graph().answer("t", [said]).await.unwrap();
    let [ask] = outcome.asks() else {
        panic!("it asks for approval")
    };
    assert!(ask.is::<superstep::tools::Approval>());
    assert_eq!(server.calls().len(), 0, "nothing happens before");
    let approval = ask.question::<superstep::tools::Approval>().unwrap();
    assert!(
        approval.description.contains("followUser"),
        "{}",
        approval.description
    );
    let accepted = superstep::tools::ApprovalAnswer {
        digest: approval.digest.clone(),
        verdict: superstep::tools::Verdict::Accept,
    };
    let accepted = ask.answer::<superstep::tools::Approval>(&accepted).unwrap();
    let outcome = agent.graph().answer("t", [accepted]).await.unwrap();
    let answer = answered(outcome);
    // The fake knows one token, and this is another.
    assert_eq!(answer.error.unwrap().code, "SS8009");
    assert_eq!(server.calls().len(), 1);
    assert_eq!(server.calls()[0].method, "POST");
}

#[tokio::test]
async fn nothing_in_a_question_leaves_the_path_of_its_operation() {
    let (server, agent) = both().await;
    for question in [
        "followers of user id ../../etc",
        "comments on track id %2e%2e",
        "track id a/b/c remixes",
        "What is https://audius.co/../../v1/me ?",
        "what is https://audius.co@evil.example/x ?",
        "tracks by @../me",
        "remixes of track id ..\\..\\me",
    ] {
        let outcome = run(&agent, question, question).await;
        if outcome.asks().is_empty() {
            let answer = answered(outcome);
            assert_ne!(
                answer.status,
                Status::Answered,
                "{question}: {}",
                answer.answer
            );
        }
    }
    for path in paths(&server) {
        let known = ["/v1/users/", "/v1/tracks/", "/v1/resolve"];
        assert!(known.iter().any(|it| path.starts_with(it)), "{path}");
        assert!(
            !path.contains("..") && path.split('/').count() <= 5,
            "{path}"
        );
    }
}
