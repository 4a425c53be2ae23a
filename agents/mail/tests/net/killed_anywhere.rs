//! A process is killed at one time after another: whatever it was at, one mail arrives at most,
//! and exactly one unless a person is told to look.

use std::{path::Path, time::Duration};

use crate::{
    child::{Sender, Stop},
    google_killed, imap_killed,
    servers::Servers,
    setup::server,
};

/// Kills a process after a time, and gives what the next one says.
async fn verdict(given: &str, note: &Path, after: Duration) -> String {
    let first = Sender::start(given, note, Stop::Never);
    // Nothing ever comes: what ends it is the time.
    let never = std::future::pending::<()>();
    assert!(tokio::time::timeout(after, never).await.is_err());
    first.kill();
    let second = Sender::start(given, note, Stop::Never);
    tokio::task::spawn_blocking(|| second.finish())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn gmail_sends_exactly_once() {
    let folder = tempfile::tempdir().unwrap();
    for step in 0..16 {
        let server = server().await;
        let note = folder.path().join(step.to_string());
        let after = Duration::from_millis(step * 5);
        let verdict = verdict(&google_killed::given(&server), &note, after).await;
        assert!(
            ["sent", "found"].contains(&verdict.as_str()),
            "{after:?}: {verdict}"
        );
        assert_eq!(server.sent().len(), 1, "{after:?}: {verdict}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_server_never_sends_twice() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut before = 0;
    for step in 0..24 {
        let note = folder.path().join(step.to_string());
        let after = Duration::from_millis(step * 5);
        let given = imap_killed::given(servers.imap, servers.smtp, &format!("kill-{step}"));
        let verdict = verdict(&given, &note, after).await;
        let arrived = servers.arrived().await - before;
        before += arrived;
        let is_right = match verdict.as_str() {
            "sent" | "found" => arrived == 1,
            "unsure" => arrived <= 1,
            _ => false,
        };
        assert!(is_right, "{after:?}: {verdict}, {arrived} arrived");
    }
}
