//! Logging in, and what keeps a login alive.

use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

use superstep_fake_google::Fault;
use superstep_mail::{
    MailError, Mailbox, Query,
    google::{App, Google, Keys, Login, SCOPES, Token},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::setup::{server, settings};

/// Opens an address as a browser does, and gives the whole answer.
async fn visit(url: &str) -> String {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once(['/', '?']).unwrap_or((rest, ""));
    let mark = if rest[host.len()..].starts_with('?') {
        "/?"
    } else {
        "/"
    };
    let mut stream = TcpStream::connect(host).await.unwrap();
    let request = format!("GET {mark}{path} HTTP/1.1\r\nhost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

fn location(answer: &str) -> &str {
    let line = answer
        .lines()
        .find_map(|line| line.strip_prefix("location: "));
    line.unwrap()
}

fn app(server: &superstep_fake_google::Google) -> App {
    App::read(&server.application().to_string()).unwrap()
}

const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_person_permits_it_and_the_mailbox_opens() {
    let server = server().await;
    let login = Login::begin(app(&server), &SCOPES).await.unwrap();
    let url = login.url().to_owned();
    assert!(url.contains("code_challenge_method=S256"), "{url}");
    let finished = tokio::spawn(login.finish(LONG));
    let agreed = visit(&url).await;
    // Browsers ask for an icon first; that is no answer.
    let back = location(&agreed);
    let icon = format!("{}/favicon.ico", back.split('?').next().unwrap());
    assert!(visit(&icon).await.starts_with("HTTP/1.1 404"));
    assert!(visit(back).await.starts_with("HTTP/1.1 200"));
    let token = finished.await.unwrap().unwrap();
    assert_eq!(token.scopes, SCOPES);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token.json");
    Keys::store(token, &file).unwrap();
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let stored: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let names: Vec<&str> = stored
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let expected = [
        "token", "refresh_token", "token_uri", "client_id", "client_secret", "scopes", "expiry",
    ];
    assert_eq!(names, expected);
    let account = Google::new(Keys::open(&file).unwrap(), settings(&server)).unwrap();
    assert_eq!(
        account.mailbox().await.unwrap().owner().email,
        "ada@example.org"
    );
}

#[tokio::test]
async fn an_answer_with_another_state_is_refused() {
    let server = server().await;
    let login = Login::begin(app(&server), &SCOPES).await.unwrap();
    let url = login.url().to_owned();
    let finished = tokio::spawn(login.finish(LONG));
    let agreed = visit(&url).await;
    let back = location(&agreed).replace("state=", "state=x");
    assert!(visit(&back).await.starts_with("HTTP/1.1 400"));
    let refused = finished.await.unwrap().unwrap_err();
    assert_eq!(refused.code(), "SS7003");
    assert!(!server.requests().iter().any(|seen| seen.path == "/token"));
}

#[tokio::test]
async fn a_person_who_says_no_is_understood() {
    let server = server().await;
    let login = Login::begin(app(&server), &SCOPES).await.unwrap();
    let url = login.url().to_owned();
    let finished = tokio::spawn(login.finish(LONG));
    let agreed = visit(&url).await;
    let back = location(&agreed).replace("code=", "error=access_denied&none=");
    visit(&back).await;
    let refused = finished.await.unwrap().unwrap_err();
    assert!(refused.to_string().contains("access_denied"), "{refused}");
}

#[tokio::test]
async fn a_login_waits_only_so_long() {
    let server = server().await;
    let login = Login::begin(app(&server), &SCOPES).await.unwrap();
    let late = login.finish(Duration::from_millis(20)).await.unwrap_err();
    assert!(late.to_string().contains("log in again"), "{late}");
}

#[tokio::test]
async fn a_token_that_has_ended_is_renewed_and_written_back() {
    let server = server().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token.json");
    let mut token = server.token();
    token["expiry"] = "2020-01-01T00:00:00.123456".into();
    fs::write(&file, token.to_string()).unwrap();
    server.expire_tokens();
    let account = Google::new(Keys::open(&file).unwrap(), settings(&server)).unwrap();
    account.mailbox().await.unwrap();
    let renewals = |path: &str| {
        server
            .requests()
            .iter()
            .filter(|seen| seen.path == path)
            .count()
    };
    assert_eq!(renewals("/token"), 1);
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.contains("access-token-1"));
    assert!(
        written.contains("refresh-token-0"),
        "what was not renewed stays"
    );
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1);

    // It ends early at the service: one refusal, one renewal, and the call goes through.
    server.expire_tokens();
    let mailbox = account.mailbox().await.unwrap();
    assert_eq!(renewals("/token"), 2);
    mailbox.list(&Query::default(), None).await.unwrap();
    assert_eq!(renewals("/token"), 2);
}

#[tokio::test]
async fn a_token_file_that_cannot_be_written_is_good_enough() {
    let server = server().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token.json");
    fs::write(&file, server.token().to_string()).unwrap();
    let keys = Keys::open(&file).unwrap();
    // A folder that is gone takes no file.
    drop(folder);
    server.expire_tokens();
    let account = Google::new(keys, settings(&server)).unwrap();
    account.mailbox().await.unwrap();
    assert!(!file.exists());
}

#[tokio::test]
async fn many_calls_at_once_renew_once() {
    let server = server().await;
    let token = Token::read(&server.token().to_string()).unwrap();
    let account = Google::new(Keys::new(token), settings(&server)).unwrap();
    server.expire_tokens();
    let calls = (0..8).map(|_| {
        let account = account.clone();
        tokio::spawn(async move { account.mailbox().await.is_ok() })
    });
    for call in calls.collect::<Vec<_>>() {
        assert!(call.await.unwrap());
    }
    let renewals = server
        .requests()
        .iter()
        .filter(|seen| seen.path == "/token")
        .count();
    assert_eq!(renewals, 1);
}

#[tokio::test]
async fn a_permission_that_was_taken_back_says_what_to_do() {
    let server = server().await;
    let token = Token::read(&server.token().to_string()).unwrap();
    let account = Google::new(Keys::new(token), settings(&server)).unwrap();
    server.revoke();
    let error = account.mailbox().await.unwrap_err();
    let MailError::Auth { why, .. } = &error else {
        panic!("{error}");
    };
    assert!(
        why.contains("taken back") && why.contains("log in again"),
        "{why}"
    );
    assert!(!error.is_transient());
}

#[tokio::test]
async fn an_endpoint_that_is_down_is_no_matter_of_permission() {
    let server = server().await;
    let token = Token::read(&server.token().to_string()).unwrap();
    let account = Google::new(Keys::new(token), settings(&server)).unwrap();
    server.expire_tokens();
    server.trap("/token", Fault::Internal, 9);
    let error = account.mailbox().await.unwrap_err();
    assert_eq!(error.code(), "SS7001");
}

#[test]
fn a_token_that_cannot_be_read_shows_nothing_of_itself() {
    let error = Token::read("{\"token\": \"topsecret\", ").unwrap_err();
    assert!(!format!("{error:?}").contains("topsecret"));
}

/// Set in a process of its own, as the variables are of the whole process.
const CHILD: &str = "SUPERSTEP_NET_LOGIN";

fn reads_its_variables() {
    let is_set = std::env::var("GMAIL_TOKEN").is_ok();
    assert_eq!(Keys::from_env().is_ok(), is_set);
    assert_eq!(App::from_env().is_ok(), is_set);
}

#[tokio::test]
async fn variables_hold_a_token_and_an_application() {
    if std::env::var(CHILD).is_ok() {
        return reads_its_variables();
    }
    let server = server().await;
    let child = || {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.env(CHILD, "1").args([
            "login::variables_hold_a_token_and_an_application",
            "--exact",
        ]);
        child.env_remove("GMAIL_TOKEN").env_remove("GMAIL_SECRET");
        child
    };
    let without = child().output().unwrap();
    assert!(without.status.success(), "{without:?}");
    let with = child()
        .env("GMAIL_TOKEN", server.token().to_string())
        .env("GMAIL_SECRET", server.application().to_string())
        .output()
        .unwrap();
    assert!(with.status.success(), "{with:?}");
}
