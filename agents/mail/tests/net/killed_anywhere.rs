//! A process is killed at one time after another: whatever it was at, one mail goes out at most,
//! and exactly one unless a person is asked to look.

use std::time::Duration;

use crate::{child::killed_after, google_killed, setup::server};

#[tokio::test(flavor = "multi_thread")]
async fn gmail_never_sends_twice() {
    let folder = tempfile::tempdir().unwrap();
    for step in 0..16 {
        let server = server().await;
        let note = folder.path().join(step.to_string());
        let after = Duration::from_millis(step * 5);
        let verdict = killed_after(&google_killed::given(&server), &note, after).await;
        let sent = server.sent().len();
        let is_right = match verdict.as_str() {
            "sent" | "found" => sent == 1,
            "unsure" => sent == 0,
            _ => false,
        };
        assert!(is_right, "{after:?}: {verdict}, {sent} sent");
    }
}
