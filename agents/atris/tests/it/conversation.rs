//! Several questions in one thread: words for something earlier, what is worked out, lists that continue, and
//! nothing that leaks from one question into the next.

use serde_json::{Value as Json, json};
use superstep_atris::{AtrisState, Question, Status};

use crate::support::{
    agent, agent_with, answered, both, open, paths, run, say, server, settings, truth,
};

#[tokio::test]
async fn their_tracks_are_those_of_whom_the_last_answer_was_about_and_that_is_told() {
    let (server, agent) = both().await;
    let first = say(&agent, "How many followers does Nova Kane have?").await;
    let id = first.mentions.subjects[0].id.clone().unwrap();
    let before = server.calls().len();
    let answer = say(&agent, "show me their tracks").await;
    assert_eq!(answer.status, Status::Answered, "{}", answer.answer);
    assert_eq!(answer.operation.as_deref(), Some("getTracksByUser"));
    assert_eq!(answer.parameters.unwrap()["id"], id.as_str());
    assert_eq!(
        answer.reading,
        [
            "\"their\" is Nova Kane (@novakane), from the answer to \"How many followers does Nova Kane have?\""
        ]
    );
    assert_eq!(
        server.calls().len(),
        before + 1,
        "nothing is looked up again"
    );
    // What the answer lists is not what it is about.
    let answer = say(&agent, "who are her followers?").await;
    assert_eq!(answer.parameters.unwrap()["id"], id.as_str());
}

#[tokio::test]
async fn her_after_a_track_is_its_artist() {
    let (_server, agent) = both().await;
    say(&agent, "How long is First Light?").await;
    let answer = say(&agent, "how many followers does she have?").await;
    assert!(
        answer.answer.starts_with("Nova Kane has "),
        "{}",
        answer.answer
    );
    assert!(answer.reading[0].starts_with("\"she\" is Nova Kane (@novakane)"));
    let answer = say(&agent, "How long is First Light?").await;
    let again = say(&agent, "what genre is it?").await;
    assert!(
        again.answer.starts_with("The genre of \"First Light\""),
        "{}",
        again.answer
    );
    assert_ne!(answer.answer, again.answer);
}

#[tokio::test]
async fn the_second_one_is_the_second_of_the_list() {
    let (_server, agent) = both().await;
    let list = say(&agent, "trending tracks").await;
    let second = &list.mentions.listed[1];
    let answer = say(&agent, "how long is the second one?").await;
    let given = answer.parameters.unwrap();
    assert_eq!(given["track_id"].as_str(), second.id.as_deref());
    // The answers since then listed nothing, so the list is still the one that places are of.
    let answer = say(&agent, "how long is the tenth one?").await;
    let given = answer.parameters.unwrap();
    assert_eq!(
        given["track_id"].as_str(),
        list.mentions.listed[9].id.as_deref()
    );
    let outcome = run(&agent, "t", "how long is number 11?").await;
    let (_, question) = open(&outcome);
    assert!(
        question.question.contains("\"number 11\""),
        "{}",
        question.question
    );
}

#[tokio::test]
async fn a_word_for_something_earlier_is_asked_about_if_nothing_or_too_much_fits() {
    let (server, agent) = both().await;
    let outcome = run(&agent, "t", "her followers").await;
    let (ask, question) = open(&outcome);
    assert_eq!(
        question.question,
        "Which user is \"her\"? Nothing earlier in this conversation says so. A name, a handle, a link or an id."
    );
    assert_eq!(server.calls().len(), 0, "nothing is guessed");
    let said = ask.answer::<Question>(&"Mira Voss".to_owned()).unwrap();
    let answer = answered(agent.graph().answer("t", [said]).await.unwrap());
    assert_eq!(answer.operation.as_deref(), Some("getFollowers"));

    say(&agent, "compare the followers of Nova Kane and Mira Voss").await;
    let outcome = run(&agent, "t", "her albums").await;
    let (_, question) = open(&outcome);
    assert_eq!(question.question, "Which one is \"her\"?");
    assert_eq!(
        question.options,
        ["Nova Kane (@novakane)", "Mira Voss (@miravoss)"]
    );
}

#[tokio::test]
async fn what_is_compared_may_be_what_the_last_answer_was_about() {
    let (_server, agent) = both().await;
    say(&agent, "Where is Nova Kane from?").await;
    let answer = say(&agent, "does Mira Voss have more followers than her?").await;
    assert_eq!(answer.status, Status::Answered, "{}", answer.answer);
    let lines: Vec<&str> = answer.answer.lines().collect();
    assert!(
        lines[0].starts_with("Mira Voss: ") && lines[1].starts_with("Nova Kane: "),
        "{lines:?}"
    );
}

#[tokio::test]
async fn a_session_of_many_questions_leaks_nothing_but_what_its_words_ask_for() {
    let (server, agent) = both().await;
    let questions = [
        "trending jazz tracks this year",
        "How many followers does Nova Kane have?",
        "delete my playlist",
        "latest tips",
        "compare plays of \"First Light\" and \"Paper Moons\"",
        "most shared tracks of all time",
    ];
    for question in questions {
        let alone = crate::support::agent(&server);
        let alone = answered(run(&alone, "t", question).await);
        let among = say(&agent, question).await;
        assert_eq!(among, alone, "{question}");
    }
    let state = agent.graph().state("t").await.unwrap().state;
    let state = serde_json::to_value(&*state).unwrap();
    let kept = ["error_history", "message_history", "selected_host"];
    for (name, value) in state.as_object().unwrap() {
        assert_eq!(
            value.is_null(),
            !kept.contains(&name.as_str()),
            "{name}: {value}"
        );
    }
}

#[tokio::test]
async fn the_longest_track_is_worked_out_from_all_of_them() {
    let server = server().await;
    let answer = say(&agent(&server), "longest track by Nova Kane").await;
    assert_eq!(answer.parameters.as_ref().unwrap()["limit"], 100);
    let id = answer.mentions.subjects[0].id.clone().unwrap();
    let path = format!("/v1/users/{id}/tracks");
    let tracks = truth(&server, &path, &[("limit", "100")]).await;
    let tracks = tracks["data"].as_array().unwrap();
    let durations = tracks.iter().filter_map(|it| it["duration"].as_u64());
    let longest = durations.max().unwrap();
    assert!(
        answer
            .answer
            .contains(&format!(" is {longest} seconds long.")),
        "{}",
        answer.answer
    );
    let count = tracks.len();
    assert!(
        answer.answer.contains(&format!("the most of all {count}.")),
        "{}",
        answer.answer
    );
    let fact = answer.facts.last().unwrap();
    assert_eq!(fact.text, longest.to_string());
    assert!(fact.field.ends_with("/duration"), "{}", fact.field);
}

#[tokio::test]
async fn how_many_is_counted_and_a_count_that_was_cut_says_at_least() {
    let (_server, agent) = both().await;
    let answer = say(&agent, "how many remix contests are running?").await;
    assert!(
        answer.answer.contains(": so many records has the reply"),
        "{}",
        answer.answer
    );
    assert_eq!(answer.facts[0].field, "/data");
    let answer = say(&agent, "how many trending tracks are there?").await;
    assert!(
        answer.answer.starts_with("At least 100: "),
        "{}",
        answer.answer
    );
}

#[tokio::test]
async fn a_list_that_goes_on_says_of_how_many_it_is() {
    let (server, agent) = both().await;
    let answer = say(&agent, "followers of Nova Kane").await;
    let last = answer.answer.lines().last().unwrap();
    let total = answer.facts.last().unwrap();
    assert_eq!(total.field.rsplit('/').next(), Some("follower_count"));
    assert_eq!(
        last,
        format!(
            "Shown: 10 of {}; --limit shows up to 100, or ask for page 2.",
            total.text
        )
    );
    let answer = say(&agent, "followers of Nova Kane page 2").await;
    assert_eq!(answer.parameters.as_ref().unwrap()["offset"], 10);
    let answer = say(&agent, "trending tracks").await;
    assert!(
        answer.answer.ends_with("or ask for page 2."),
        "{}",
        answer.answer
    );
    let answer = say(&agent, "top 5 trending tracks").await;
    assert!(!answer.answer.contains("Shown: "), "{}", answer.answer);

    let mut settings = settings([server.address()]);
    settings.limit = Some(100);
    let agent = agent_with(settings, None);
    let answer = say(&agent, "followers of Nova Kane").await;
    assert!(!answer.answer.contains("Shown: "), "{}", answer.answer);
}

#[tokio::test]
async fn words_that_nothing_was_made_of_are_refused_or_told() {
    let (_server, agent) = both().await;
    let answer = say(&agent, "latest tips this month").await;
    assert!(
        answer.answer.contains("\"month\": nothing was made of it"),
        "{}",
        answer.answer
    );
    assert_eq!(answer.error.unwrap().code, "SS8015");
    let answer = say(&agent, "some cool trending tracks").await;
    assert_eq!(answer.reading, ["left out: cool"]);
    let answer = say(&agent, "top 10 trending tracks this week").await;
    assert_eq!(answer.reading, [""; 0]);
    let answer = say(
        &agent,
        "compare followers of Nova Kane, Mira Voss and Orbit Theory",
    )
    .await;
    assert_eq!(answer.error.unwrap().code, "SS8015");
    assert!(answer.answer.contains("Orbit Theory"), "{}", answer.answer);
}

#[tokio::test]
async fn the_state_has_the_words_of_the_document() {
    let (server, agent) = both().await;
    run(&agent, "t", "What are the trending tracks on Audius?").await;
    let history = agent.graph().history("t").await.unwrap();
    let state = history
        .iter()
        .rev()
        .find(|it| it.state.query_type.is_some());
    let state = serde_json::to_value(&*state.unwrap().state).unwrap();
    let found = json!({
        "query_type": state["query_type"], "entity_type": state["entity_type"],
        "is_entity_query": state["is_entity_query"], "complexity": state["complexity"],
        "first": state["categories"][0],
    });
    let wanted = json!({
        "query_type": "trending_tracks", "entity_type": "track", "is_entity_query": false,
        "complexity": "simple", "first": "Get Trending Tracks",
    });
    assert_eq!(found, wanted);
    assert_eq!(paths(&server), ["/v1/tracks/trending"]);
    assert_eq!(
        state["query"],
        Json::from("What are the trending tracks on Audius?")
    );
}

#[tokio::test]
async fn a_bare_question_in_a_thread_that_waits_is_answered_as_in_a_new_one() {
    let server = server().await;
    let mut settings = settings([server.address()]);
    settings.writes = true;
    settings.client.token = Some("a token of a test".into());
    let agent = agent_with(settings, None);
    let graph = agent.graph();
    let bare = |question: &str| AtrisState::update().query(question.to_owned());
    let (choice, approval) = ("tracks by Sol Rivera", "favorite \"First Light\"");
    for (at, question) in [
        "How long is \"Paper Moons\"?",
        "follow Mira Voss",
        "top 10 trending tracks this week",
        "what is the capital of France?",
    ]
    .into_iter()
    .enumerate()
    {
        let fresh = graph.run(format!("fresh {at}"), bare(question)).await;
        let fresh = fresh.unwrap();
        for before in [choice, approval] {
            let thread = format!("{before} {at}");
            let outcome = graph.run(&*thread, bare(before)).await.unwrap();
            let (ask, _) = open(&outcome);
            if before == approval {
                let said = ask.answer::<Question>(&"7eP5n".to_owned()).unwrap();
                let outcome = graph.answer(&*thread, [said]).await.unwrap();
                assert!(outcome.asks()[0].is::<superstep::tools::Approval>());
                let state = graph.state(&*thread).await.unwrap().state;
                assert!(state.entity.is_some() && state.parameters.is_some());
            }
            let outcome = graph.run(&*thread, bare(question)).await.unwrap();
            assert_eq!(outcome.asks().len(), fresh.asks().len(), "{thread}");
            match fresh.asks() {
                [] => assert_eq!(
                    answered(outcome).answer,
                    graph
                        .state(format!("fresh {at}"))
                        .await
                        .unwrap()
                        .state
                        .message_history[0]
                        .answer,
                    "{thread}"
                ),
                [asked] => assert_eq!(
                    open(&outcome).1,
                    asked.question::<Question>().unwrap(),
                    "{thread}"
                ),
                _ => panic!("it asks one thing"),
            }
            let now = graph.state(&*thread).await.unwrap().state;
            let new = graph.state(format!("fresh {at}")).await.unwrap().state;
            assert_eq!(
                (&now.entity, &now.acting, &now.entity_name, &now.parameters),
                (&new.entity, &new.acting, &new.entity_name, &new.parameters),
                "{thread}"
            );
        }
    }
}

#[tokio::test]
async fn an_input_without_a_question_is_refused_and_a_choice_names_the_answer_of_each_option() {
    let (_server, agent) = both().await;
    let asked = run(&agent, "t", "How many followers does Sol Rivera have?").await;
    let (_, question) = open(&asked);
    assert_eq!(question.options.len(), 2);
    assert_eq!(question.answers, ["1", "2"]);
    let input = json!({"messages": [{"role": "user", "content": "The second"}]});
    let options = superstep::RunOptions::on("t");
    let again = agent.graph().dynamic().invoke(input, &options).await;
    assert_eq!(again.unwrap_err().code(), "SS8012");
    let now = agent.graph().state("t").await.unwrap();
    assert_eq!(now.asks.len(), 1, "the question is still open");
}
