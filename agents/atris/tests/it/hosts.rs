//! Hosts: found, checked, kept, and left when they fail.

use superstep_atris::{Audius, Catalogue, Settings, Status};
use superstep_fake_audius::{FakeAudius, Fault, Options};
use superstep_loopback::{Answer, Server};

use crate::support::{agent_with, ask, run, server, settings};

/// A host that nobody listens at.
async fn dead() -> String {
    let server = Server::start([]).await.unwrap();
    server.address()
}

#[tokio::test]
async fn a_host_that_is_down_is_left_for_the_next_and_the_choice_stays() {
    let (dead, alive) = (dead().await, server().await);
    let agent = agent_with(settings([dead, alive.address()]), None);
    let answer = ask(&agent, "latest tips").await;
    assert_eq!(answer.status, Status::Answered, "{}", answer.answer);
    assert_eq!(answer.sources[0].host, alive.address());

    let (first, second) = (server().await, server().await);
    first.trap(Fault::ServerError, 1);
    let agent = agent_with(settings([first.address(), second.address()]), None);
    run(&agent, "t", "latest tips").await;
    run(&agent, "t", "latest tips").await;
    assert_eq!(
        (first.calls().len(), second.calls().len()),
        (1, 2),
        "the one that answered is kept"
    );
}

#[tokio::test]
async fn when_all_hosts_are_down_the_answer_says_so_for_each() {
    let hosts = [dead().await, dead().await];
    let agent = agent_with(settings(hosts.clone()), None);
    let answer = ask(&agent, "latest tips").await;
    assert_eq!(answer.status, Status::Failed);
    assert_eq!(answer.error.unwrap().code, "SS8006");
    for host in hosts {
        let name = host.strip_prefix("http://").unwrap();
        assert!(answer.answer.contains(name), "{}", answer.answer);
    }
    let state = agent.graph().state("t latest tips").await.unwrap().state;
    assert_eq!(state.error_history.len(), 1);
}

#[tokio::test]
async fn hosts_that_the_first_one_names_are_used_if_they_are_healthy_and_allowed() {
    let (first, second) = (server().await, server().await);
    let sick = Server::with(|_| Answer::status(500, &[], ""))
        .await
        .unwrap();
    first.set_hosts(vec![
        "https://evil.example".into(),
        "http://audius.co.evil.example".into(),
        sick.address(),
        second.address(),
        "no address".into(),
    ]);
    first.trap(Fault::ServerError, 9);
    let mut settings = settings([first.address()]);
    settings.client.domains.push("127.0.0.1".into());
    let agent = agent_with(settings, None);
    let answer = ask(&agent, "latest tips").await;
    assert_eq!(
        answer.sources[0].host,
        second.address(),
        "{}",
        answer.answer
    );
    let asked: Vec<String> = sick.requests().into_iter().map(|it| it.path).collect();
    assert_eq!(
        asked,
        ["/health_check"],
        "a host that is not healthy gets no call"
    );
}

#[tokio::test]
async fn a_host_on_this_machine_that_nobody_wrote_down_gets_no_call_and_no_key() {
    let (first, second) = (server().await, server().await);
    let port = second.address().rsplit_once(':').unwrap().1.to_owned();
    first.set_hosts(vec![
        second.address(),
        format!("http://localhost:{port}"),
        format!("http://[::1]:{port}"),
    ]);
    first.trap(Fault::ServerError, 9);
    let mut settings = settings([first.address()]);
    settings.client.api_key = Some("key-of-a-test".into());
    settings.client.token = Some("token-of-a-test".into());
    let answer = ask(&agent_with(settings, None), "latest tips").await;
    assert_eq!(answer.error.unwrap().code, "SS8006");
    assert_eq!(second.calls().len(), 0);
}

#[tokio::test]
async fn offline_asks_this_machine_alone() {
    let mut settings: Settings = settings(["https://api.audius.co".to_owned()]);
    settings.client.offline = true;
    let answer = ask(&agent_with(settings, None), "latest tips").await;
    assert_eq!(answer.error.unwrap().code, "SS8006");
    assert!(
        answer.answer.contains("only this machine"),
        "{}",
        answer.answer
    );
}

#[tokio::test]
async fn a_call_carries_its_name_and_key_and_shows_neither() {
    let server = server().await;
    let mut client = settings([server.address()]).client;
    client.api_key = Some("key-of-a-test".into());
    let audius = Audius::new(client).unwrap();
    let operation = Catalogue::get().unwrap().operation("searchTracks").unwrap();
    let mut parameters = superstep_atris::catalogue::Parameters::new();
    parameters.insert("query".into(), "a/b & c?".into());
    parameters.insert("genre".into(), serde_json::json!(["Jazz", "Hip-Hop/Rap"]));
    let checked = operation.check(&parameters).unwrap();
    let fetched = audius.call(operation, &checked, None).await.unwrap();
    assert!(!fetched.url.contains("key-of-a-test"), "{}", fetched.url);
    let call = &server.calls()[0];
    assert_eq!(
        call.query_value("app_name").as_deref(),
        Some("superstep-atris")
    );
    assert_eq!(
        call.query_value("api_key").as_deref(),
        Some("key-of-a-test")
    );
    assert_eq!(call.query_value("query").as_deref(), Some("a/b & c?"));
    let genres: Vec<String> = call
        .query()
        .into_iter()
        .filter(|it| it.0 == "genre")
        .map(|it| it.1)
        .collect();
    assert_eq!(genres, ["Jazz", "Hip-Hop/Rap"]);
}

#[tokio::test]
async fn settings_that_make_no_sense_are_refused() {
    for hosts in [
        vec![],
        vec!["http://api.audius.co".to_owned()],
        vec!["ftp://x".to_owned()],
    ] {
        let error = Audius::new(settings(hosts.clone()).client).unwrap_err();
        assert_eq!(error.code(), "SS8012", "{hosts:?}");
    }
    let mut nameless = settings(["http://127.0.0.1:1".to_owned()]).client;
    nameless.app_name = " ".into();
    assert_eq!(Audius::new(nameless).unwrap_err().code(), "SS8012");
}

#[tokio::test]
async fn one_server_can_be_on_a_port_of_ones_choice() {
    let first = server().await;
    let port: u16 = first.address().rsplit_once(':').unwrap().1.parse().unwrap();
    let taken = FakeAudius::start(Options {
        port,
        ..Options::default()
    })
    .await;
    assert!(taken.is_err());
}
