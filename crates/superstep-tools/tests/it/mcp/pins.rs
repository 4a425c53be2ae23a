//! Tools are used as they were approved, or not at all.

use serde_json::json;
use superstep::tools::mcp::{At, Fingerprint, Pin, Server};

use super::bench::{Ledger, approved, call, call_of, said, tools};

#[tokio::test]
async fn first_use_needs_somebody_to_approve_exactly_what_is_there() {
    let ledger = Ledger::new();
    let client = ledger.reading(&[]).connect().await.unwrap();
    let error = client.tools().err().unwrap();
    assert_eq!(error.code(), "SS5105");
    let print = client.fingerprint();
    assert!(error.to_string().contains(&print.to_string()), "{error}");
    let other = approved(ledger.reading(&["pulled"])).await.fingerprint();
    assert_eq!(client.approve(&other).unwrap_err().code(), "SS5106");
    assert!(client.tools().is_err());
    client.approve(&print).unwrap();
    let end = call(&client, "fake_echo", json!({"text": "now"})).await;
    assert_eq!(end, said("now"));
}

#[tokio::test]
async fn a_fingerprint_that_was_kept_opens_the_same_server_and_no_other() {
    let ledger = Ledger::new();
    let kept = approved(ledger.reading(&[])).await.fingerprint();
    let kept = serde_json::to_string(&kept).unwrap();
    let kept: Fingerprint = serde_json::from_str(&kept).unwrap();
    let pinned = |server: Server| Server {
        pin: Pin::Hash(kept.clone()),
        ..server
    };
    let client = pinned(ledger.reading(&[])).connect().await.unwrap();
    let end = call(&client, "fake_echo", json!({"text": "same"})).await;
    assert_eq!(end, said("same"));

    // Another command line is not even started.
    let mut other = pinned(ledger.reading(&[]));
    if let At::Command(command) = &mut other.at {
        command.program = "/no/such/program".into();
    }
    let error = other.connect().await.unwrap_err();
    assert_eq!(error.code(), "SS5106");
    assert!(error.to_string().contains("in another way"), "{error}");
}

#[tokio::test]
async fn a_list_that_changed_between_sessions_is_named_and_refused() {
    let ledger = Ledger::new();
    let mut kept = approved(ledger.reading(&[])).await.fingerprint();
    let echo = kept.tools.get_mut("echo").unwrap();
    echo.description = "as it was last week".into();
    kept.tools.remove("send");
    let server = Server {
        pin: Pin::Hash(kept),
        ..ledger.reading(&[])
    };
    let client = server.connect().await.unwrap();
    let error = client.tools().err().unwrap();
    assert_eq!(error.code(), "SS5106");
    let said = error.to_string();
    assert!(
        said.contains("`echo` has another description") && said.contains("`send` is new"),
        "{said}"
    );
}

#[tokio::test]
async fn a_rug_pulled_in_mid_session_stops_every_tool_until_it_is_approved_again() {
    let ledger = Ledger::new();
    let client = approved(ledger.server(&[])).await;
    let before = tools(&client);
    assert_eq!(call_of(&before, "fake_pull", json!({})).await, said("done"));
    let mail = json!({"to": "dana", "text": "hi"});
    for (tool, args) in [
        ("fake_send", mail.clone()),
        ("fake_echo", json!({"text": "x"})),
    ] {
        let end = call_of(&before, tool, args).await;
        assert!(end.failed_with("[SS5106]"), "{end:?}");
        assert!(end.failed_with("`echo` has another description"), "{end:?}");
    }
    assert_eq!(client.check().await.unwrap_err().code(), "SS5106");
    assert!(client.tools().is_err());
    assert!(ledger.lines().is_empty(), "nothing was sent");

    client.approve(&client.fingerprint()).unwrap();
    let end = call_of(&before, "fake_echo", json!({"text": "x"})).await;
    assert!(end.failed_with("as it was before"), "{end:?}");
    let end = call(&client, "fake_send", mail).await;
    assert_eq!(
        (end, ledger.lines()),
        (said("sent"), vec!["send dana: hi".to_owned()])
    );
}

#[tokio::test]
async fn a_change_that_is_not_told_is_found_when_the_list_is_old() {
    let ledger = Ledger::new();
    let mut server = ledger.server(&[]);
    server.limits.recheck = std::time::Duration::ZERO;
    let client = approved(server).await;
    let before = tools(&client);
    let end = call_of(&before, "fake_echo", json!({"text": "fine"})).await;
    assert_eq!(end, said("fine"), "the same list, read again");
    assert_eq!(
        call_of(&before, "fake_pull_quietly", json!({})).await,
        said("done")
    );
    let end = call_of(&before, "fake_echo", json!({"text": "x"})).await;
    assert!(end.failed_with("`echo` has another description"), "{end:?}");
}
