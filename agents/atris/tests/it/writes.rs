//! Calls that change something: approved with all that matters, made once, and asked about if nobody knows
//! whether they happened.

use superstep::{
    Backends, MemorySaver, OpenAsk, Outcome,
    tools::{Approval, ApprovalAnswer, OutcomeAnswer, OutcomeQuestion, Resolution, Verdict},
};
use superstep_atris::{Answer, Atris, AtrisState, Question, Settings, Status};
use superstep_loopback::{Answer as Reply, Server};

use crate::support::{answered, run, settings};

/// A host that fails every write, after it may have done it.
async fn failing() -> Server {
    let server = Server::with(|request| match request.method.as_str() {
        "POST" => Reply::status(500, &[], ""),
        _ => Reply::json(200, &serde_json::json!({"data": []})),
    });
    server.await.unwrap()
}

fn posts(server: &Server) -> usize {
    let requests = server.requests();
    requests.iter().filter(|it| it.method == "POST").count()
}

fn with_writes(server: &Server) -> Settings {
    let mut settings = settings([server.address()]);
    settings.writes = true;
    settings.client.token = Some("a token of a test".into());
    settings
}

fn agent(settings: Settings, saver: &MemorySaver) -> Atris {
    Atris::new(None, settings, Backends::on(saver.clone())).unwrap()
}

fn one(outcome: &Outcome<AtrisState>) -> OpenAsk {
    let [ask] = outcome.asks() else {
        panic!("there is one question")
    };
    ask.clone()
}

/// Asks to follow somebody, until the approval.
async fn until_approval(agent: &Atris) -> OpenAsk {
    let outcome = run(agent, "t", "follow user id K3zzz").await;
    let said = one(&outcome)
        .answer::<Question>(&"Kabc3".to_owned())
        .unwrap();
    one(&agent.graph().answer("t", [said]).await.unwrap())
}

async fn approved_by(agent: &Atris, ask: &OpenAsk) -> Outcome<AtrisState> {
    let digest = ask.question::<Approval>().unwrap().digest;
    let verdict = Verdict::Accept;
    let answer = ask.answer::<Approval>(&ApprovalAnswer { digest, verdict });
    agent.graph().answer("t", [answer.unwrap()]).await.unwrap()
}

async fn settled(agent: &Atris, ask: &OpenAsk, resolution: Resolution) -> Answer {
    let digest = ask.question::<OutcomeQuestion>().unwrap().digest;
    let answer = ask.answer::<OutcomeQuestion>(&OutcomeAnswer { digest, resolution });
    answered(agent.graph().answer("t", [answer.unwrap()]).await.unwrap())
}

#[tokio::test]
async fn an_approval_names_the_host() {
    let server = failing().await;
    let agent = agent(with_writes(&server), &MemorySaver::default());
    let ask = until_approval(&agent).await;
    let approval = ask.question::<Approval>().unwrap();
    let wanted = format!("at {}", server.address());
    assert!(
        approval.description.contains(&wanted),
        "{}",
        approval.description
    );
}

#[tokio::test]
async fn an_approval_is_for_the_host_it_names() {
    let (approved, other) = (failing().await, failing().await);
    let saver = MemorySaver::default();
    let asking = agent(with_writes(&approved), &saver);
    let ask = until_approval(&asking).await;
    let elsewhere = agent(with_writes(&other), &saver);
    let digest = ask.question::<Approval>().unwrap().digest;
    let mut edited = ask.question::<Approval>().unwrap().action_request;
    edited.args.insert("host".into(), other.address().into());
    for (agent, verdict) in [
        (&elsewhere, Verdict::Accept),
        (&asking, Verdict::Edit(edited)),
    ] {
        let digest = digest.clone();
        let answer = ask.answer::<Approval>(&ApprovalAnswer { digest, verdict });
        let error = agent.graph().answer("t", [answer.unwrap()]).await;
        let error = error.unwrap_err();
        assert_eq!(error.code(), "SS1015");
        assert!(error.to_string().contains("SS8016"), "{error}");
    }
    let open = asking.graph().state("t").await.unwrap().asks;
    let now = open[0].question::<Approval>().unwrap();
    assert_eq!(now.digest, digest, "the question is the same");
    assert_eq!((posts(&approved), posts(&other)), (0, 0));
    let outcome = approved_by(&asking, &ask).await;
    // Nor is it repeated elsewhere.
    let ask = one(&outcome);
    let digest = ask.question::<OutcomeQuestion>().unwrap().digest;
    let resolution = Resolution::Repeat;
    let answer = ask.answer::<OutcomeQuestion>(&OutcomeAnswer { digest, resolution });
    let error = elsewhere.graph().answer("t", [answer.unwrap()]).await;
    assert!(error.unwrap_err().to_string().contains("SS8016"));
    assert_eq!((posts(&approved), posts(&other)), (1, 0));
}

#[tokio::test]
async fn an_id_of_a_user_that_is_none_is_refused() {
    let server = failing().await;
    let agent = agent(with_writes(&server), &MemorySaver::default());
    let outcome = run(&agent, "t", "follow user id K3zzz").await;
    for wrong in ["nova", "Nova Kane", "../me", "y", "repeat"] {
        let said = one(&outcome).answer::<Question>(&wrong.to_owned()).unwrap();
        let error = agent.graph().answer("t", [said]).await.unwrap_err();
        assert!(error.to_string().contains("user_id"), "{error}");
    }
}

#[tokio::test]
async fn whether_a_write_happened_is_asked_and_stays_so_where_writes_are_off() {
    let server = failing().await;
    let saver = MemorySaver::default();
    let agent_on = agent(with_writes(&server), &saver);
    let ask = until_approval(&agent_on).await;
    let outcome = approved_by(&agent_on, &ask).await;
    assert!(one(&outcome).is::<OutcomeQuestion>());
    assert_eq!(posts(&server), 1);
    let mut settings = with_writes(&server);
    settings.writes = false;
    let agent_off = agent(settings, &saver);
    let outcome = agent_off.graph().resume("t").await.unwrap();
    let ask = one(&outcome);
    assert!(ask.is::<OutcomeQuestion>());
    let resolution = Resolution::Happened("somebody looked".into());
    let answer = settled(&agent_off, &ask, resolution).await;
    assert!(
        answer.answer.starts_with("Done: followUser."),
        "{}",
        answer.answer
    );
    assert!(
        answer.answer.contains("somebody looked"),
        "{}",
        answer.answer
    );
    assert_eq!(answer.status, Status::Partial);
    assert_eq!(posts(&server), 1);
}

#[tokio::test]
async fn a_write_is_not_repeated_where_writes_are_off() {
    let server = failing().await;
    let saver = MemorySaver::default();
    let agent_on = agent(with_writes(&server), &saver);
    let ask = until_approval(&agent_on).await;
    let outcome = approved_by(&agent_on, &ask).await;
    let mut settings = with_writes(&server);
    settings.writes = false;
    let answer = settled(&agent(settings, &saver), &one(&outcome), Resolution::Repeat).await;
    assert_eq!(answer.error.unwrap().code, "SS8005");
    assert_eq!(posts(&server), 1);
}

#[tokio::test]
async fn what_stays_unknown_is_an_error_that_the_next_approval_mentions() {
    let server = failing().await;
    let agent = agent(with_writes(&server), &MemorySaver::default());
    let ask = until_approval(&agent).await;
    let outcome = approved_by(&agent, &ask).await;
    let answer = settled(&agent, &one(&outcome), Resolution::StillUnknown).await;
    assert_eq!(answer.status, Status::Failed);
    assert_eq!(answer.error.unwrap().code, "SS8014");
    let state = agent.graph().state("t").await.unwrap().state;
    assert_eq!(state.error_frequencies(), [("SS8014".to_owned(), 1)]);
    let ask = until_approval(&agent).await;
    let approval = ask.question::<Approval>().unwrap();
    assert!(
        approval
            .description
            .contains("unknown whether followUser happened"),
        "{}",
        approval.description
    );
    assert_eq!(posts(&server), 1);
}

#[tokio::test]
async fn a_bare_question_does_not_take_the_place_of_a_write_of_which_nobody_knows() {
    let server = failing().await;
    let agent = agent(with_writes(&server), &MemorySaver::default());
    let ask = until_approval(&agent).await;
    let outcome = approved_by(&agent, &ask).await;
    let graph = agent.graph();
    let at = graph.dynamic();
    at.copy_thread(&"t".into(), &"copy".into()).await.unwrap();
    for thread in ["t", "copy"] {
        let bare = AtrisState::update().query("latest tips".to_owned());
        let error = graph.run(thread, bare).await.unwrap_err();
        assert_eq!(error.code(), "SS1205", "{error}");
        assert!(error.to_string().contains("followUser"), "{error}");
        let state = graph.state(thread).await.unwrap();
        assert!(state.asks.iter().all(|ask| ask.is::<OutcomeQuestion>()));
        assert_eq!(state.next, [superstep_atris::Node::ExecuteRequestNode]);
    }
    settled(&agent, &one(&outcome), Resolution::StillUnknown).await;
    let bare = AtrisState::update().query("latest tips".to_owned());
    let outcome = graph.run("t", bare).await.unwrap();
    assert_eq!(answered(outcome).error, None);
    let state = graph.state("t").await.unwrap().state;
    assert_eq!(state.error_frequencies(), [("SS8014".to_owned(), 1)]);
    assert_eq!(posts(&server), 1);
}
