//! The e-mail assistant over HTTP: mail taken in by a schedule, questions left by an inbox, notes edited in the store.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value as Json, json};
use superstep::{
    sqlite::Database,
    store::{Namespace, PutOptions, Store as _, TtlOnRead},
};

use crate::{
    env::TestEnv,
    post::{ACCOUNT, env_with},
    served::Served,
};

/// What the server may take to do something by itself. A test that passes waits for much less.
const PATIENCE: Duration = Duration::from_secs(60);

fn serve(env: &TestEnv, more: &str) -> Served {
    let line = format!("serve --db t.db --port 0 --no-input --offline {ACCOUNT} {more}");
    Served::start(env, &line)
}

fn post(server: &Served, path: &str, body: &Json) -> Json {
    let (status, reply) = server.call("POST", path, body);
    assert_eq!(status, 200, "{path}: {reply}");
    reply
}

fn ingest(server: &Served) -> Json {
    let run = json!({"assistant_id": "mail_ingest", "input": {}});
    let end = post(server, "/runs/wait", &run);
    assert_eq!(end.get("__error__"), None, "{end}");
    end
}

#[test]
fn mail_is_taken_in_by_a_graph_that_says_that_nothing_leaves() {
    let env = env_with(&["Lunch"]);
    let server = serve(&env, "");
    let found = json!({"graph_id": "mail_ingest"});
    let found = post(&server, "/assistants/search", &found);
    let about = found[0]["description"].as_str().unwrap();
    assert!(about.contains("dry run"), "{found}");
    let end = ingest(&server);
    assert_eq!(end["mode"], "dry run");
    assert_eq!(end["taken"][0]["mail"], "lunch.eml", "{end}");
    let result = end["taken"][0]["result"].as_str().unwrap();
    assert_eq!(result, "waiting: 1 open question", "{end}");
    // Its thread is served like any other.
    let thread = end["taken"][0]["thread_id"].as_str().unwrap();
    let (status, shown) = server.call("GET", &format!("/threads/{thread}"), &json!(null));
    assert_eq!(
        (status, &shown["status"]),
        (200, &json!("interrupted")),
        "{shown}"
    );
    assert_eq!(shown["metadata"]["graph_id"], "email_assistant", "{shown}");
    let asked = shown["interrupts"].to_string();
    assert!(asked.contains("dry run: nothing will leave"), "{asked}");
    let again = ingest(&server);
    assert_eq!(again["taken"][0]["result"], "looked at before", "{again}");
}

/// Makes a schedule due, as if its time had passed while no server ran.
fn make_due(file: &Path, cron: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Database::open(file).unwrap().store();
        let place = Namespace::new(["runs", "crons"]).unwrap();
        let found = store.get(&place, cron, TtlOnRead::Keep).await.unwrap();
        let mut value = found.unwrap().value;
        value["next"] = json!(1);
        let put = store.put(&place, cron, value, PutOptions::default());
        put.await.unwrap();
    });
}

/// Asks until there is an answer: the server has no event for what it does by itself.
fn until<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = ask() {
            return found;
        }
        assert!(Instant::now() < end, "it does not happen");
    }
}

#[test]
fn a_schedule_takes_mail_in() {
    let env = env_with(&["Lunch"]);
    let server = serve(&env, "");
    let cron = json!({"assistant_id": "mail_ingest", "schedule": "0 0 1 1 *", "input": {},
        "on_run_completed": "keep"});
    let cron = post(&server, "/runs/crons", &cron);
    drop(server);
    make_due(&env.path("work/t.db"), cron["cron_id"].as_str().unwrap());
    let server = serve(&env, "");
    let waiting = json!({"status": "interrupted", "metadata": {"graph_id": "email_assistant"}});
    let found = until(|| {
        let found = post(&server, "/threads/search", &waiting);
        (found.as_array().map(Vec::len) == Some(1)).then_some(found)
    });
    assert!(found.to_string().contains("Lunch"), "{found}");
    let runs = json!({"metadata": {"graph_id": "mail_ingest"}});
    let kept = until(|| {
        let kept = post(&server, "/threads/search", &runs);
        (kept[0]["status"] == "idle").then_some(kept)
    });
    assert_eq!(kept[0]["values"]["mode"], "dry run", "{kept}");
}

#[test]
fn mail_that_waits_behind_a_question_is_looked_at_after_an_inbox_left_that() {
    let env = env_with(&["Lunch"]);
    let server = serve(&env, "");
    let first = ingest(&server);
    let thread = first["taken"][0]["thread_id"].as_str().unwrap().to_owned();
    let reply = "From: Ann <ann@example.org>\r\nTo: Max <me@example.org>\r\nSubject: Backup of the plan\r\n\
        Date: Mon, 02 Nov 2026 11:00:00 +0100\r\nMessage-ID: <second@example.org>\r\n\
        In-Reply-To: <lunch@example.org>\r\nReferences: <lunch@example.org>\r\n\r\nOr Friday?\r\n";
    env.write("work/mail/second.eml", reply);
    let taken = ingest(&server);
    let of = |taken: &Json, mail: &str| {
        let all = taken["taken"].as_array().unwrap();
        let found = all.iter().find(|it| it["mail"] == mail);
        found.map(|it| it["result"].as_str().unwrap().to_owned())
    };
    assert_eq!(
        of(&taken, "second.eml").as_deref(),
        Some("queued"),
        "{taken}"
    );
    // What Agent Inbox does with a thread that is to be left.
    let end = json!({"values": null, "as_node": "__end__"});
    post(&server, &format!("/inbox/threads/{thread}/state"), &end);
    let path = format!("/inbox/threads/{thread}");
    let (_, shown) = server.call("GET", &path, &json!(null));
    assert_eq!(shown["status"], "idle", "{shown}");
    let next = ingest(&server);
    let result = of(&next, "second.eml");
    assert_eq!(
        result.as_deref(),
        Some("waiting: 1 open question"),
        "{next}"
    );
    let (_, shown) = server.call("GET", &path, &json!(null));
    assert_eq!(shown["status"], "interrupted", "{shown}");
    let handled = &shown["values"]["handled"];
    assert_eq!(handled, &json!(["lunch.eml", "second.eml"]), "{shown}");
    let asked = shown["interrupts"].to_string();
    assert!(asked.contains("Or Friday"), "{asked}");
}

/// The item of a note.
fn note(server: &Served) -> Json {
    let path = "/store/items?namespace=email_assistant.response_preferences&key=user_preferences";
    let (status, item) = server.call("GET", path, &json!(null));
    assert_eq!(status, 200, "{item}");
    item["value"].clone()
}

#[test]
fn a_note_that_is_edited_in_the_store_gets_a_version() {
    let env = env_with(&["Lunch"]);
    let server = serve(&env, "");
    ingest(&server);
    let first = note(&server);
    assert!(
        first.as_str().unwrap().contains("Short, friendly"),
        "{first}"
    );
    let edit = |value: &Json, more: &Json| {
        let mut body = json!({"namespace": ["email_assistant", "response_preferences"],
            "key": "user_preferences", "value": value});
        let fields = more.as_object().cloned().unwrap_or_default();
        body.as_object_mut().unwrap().extend(fields);
        server.call("PUT", "/store/items", &body)
    };
    assert_eq!(
        edit(&json!("- Sign with Max."), &json!({"expected": first})).0,
        204
    );
    assert_eq!(note(&server), "- Sign with Max.");
    // Somebody else has the older one on their screen.
    let (status, late) = edit(&json!("- Sign with M."), &json!({"expected": first}));
    assert_eq!(status, 409, "{late}");
    assert!(late.to_string().contains("SS2108"), "{late}");
    // Clients whose items are objects send one; the note is the text.
    assert_eq!(
        edit(&json!({"text": "- Sign with Max M."}), &json!({})).0,
        204
    );
    assert_eq!(note(&server), "- Sign with Max M.");
    for wrong in [json!(""), json!({"a": 1}), json!("x".repeat(500))] {
        let (status, refused) = edit(&wrong, &json!({}));
        assert_eq!(status, 422, "{refused}");
    }
    let version = json!({"namespace": ["email_assistant", "response_preferences", "versions"],
        "key": "00000001", "value": {"text": "forged"}});
    assert_eq!(server.call("PUT", "/store/items", &version).0, 403);
    assert_eq!(server.call("DELETE", "/store/items", &version).0, 403);
    drop(server);
    let versions = env.run("mail memory versions response --db t.db");
    for text in ["what it begins with", "written by hand"] {
        assert!(versions.stdout.contains(text), "{}", versions.stdout);
    }
    let undone = env.run("mail memory undo response --db t.db");
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    let shown = env.run("mail memory show response --db t.db").stdout;
    assert!(
        shown.contains("- Sign with Max.") && !shown.contains("Max M."),
        "{shown}"
    );
}
