//! The pages in a real browser: what a person does on each screen, and what data must not do there.

mod pictures;
mod questions;

use serde_json::{Value as Json, json};
use superstep::{
    Schemas,
    dynamic::{self, DynCtx, DynGraphBuilder, Halt, START},
};
use superstep_browser::Browser;

use crate::{
    client::Running,
    graphs::{memory, server},
};

const HOSTILE: &str =
    "<img src=x onerror=\"document.title='owned'\"> ![a](http://127.0.0.1:9/x.png)";

/// Drafts a mail, and asks whether to send it in the form that inboxes know.
fn mail() -> dynamic::DynGraph {
    DynGraphBuilder::new()
        .name("mail")
        .last_value("subject")
        .last_value("answer")
        .node("send", |ctx: DynCtx| async move {
            let subject: String = ctx.read("subject")?;
            let answer = ctx.ask(json!({
                "action_request": {
                    "action": "send_mail",
                    "args": { "to": "ada@example.org", "subject": subject, "body": "Dear Ada,\nyes." },
                },
                "config": {
                    "allow_accept": true, "allow_edit": true,
                    "allow_respond": true, "allow_ignore": true,
                },
                "description": format!("# The mail\n\n{HOSTILE}"),
            }))?;
            Ok::<_, Halt>(json!({ "answer": answer.to_json() }))
        })
        .edge(START, "send")
        .build()
        .unwrap()
}

async fn served() -> Running {
    Running::start(server(memory()).dynamic("mail", &mail(), Schemas::default())).await
}

/// A thread whose graph waits for an answer.
async fn waiting(server: &Running, subject: &str) -> String {
    let titled = json!({ "metadata": { "title": subject } });
    let thread = server.post("/threads", titled).await.ok();
    let thread = thread["thread_id"].as_str().unwrap().to_owned();
    let run = json!({ "assistant_id": "mail", "input": { "subject": subject } });
    server
        .post(&format!("/threads/{thread}/runs/wait"), run)
        .await
        .ok();
    thread
}

/// The screen that runs a graph.
async fn run_screen(server: &Running, graph: &str) -> String {
    let wanted = json!({ "graph_id": graph });
    let found = server.post("/assistants/search", wanted).await.ok();
    format!("#/agent/{}", found[0]["assistant_id"].as_str().unwrap())
}

async fn answer(server: &Running, thread: &str) -> Json {
    let state = server.get(&format!("/threads/{thread}/state")).await.ok();
    state["values"]["answer"].clone()
}

#[tokio::test]
async fn a_person_runs_a_graph_from_its_form_and_answers_its_question() {
    let server = served().await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/").await;
    browser.click(".cards a[href]").await;
    browser.go(&run_screen(&server, "hitl").await).await;
    browser.fill("#field-topic", "tides").await;
    browser.click("main button[type=submit]").await;
    browser.see("Draft about tides").await;
    browser.see("your turn").await;
    browser.click_text("button", "Yes").await;
    browser.see("published").await;
    browser.see("done").await;
}

#[tokio::test]
async fn an_inbox_is_worked_through_by_keys_and_a_held_key_answers_once() {
    let server = served().await;
    let first = waiting(&server, "first").await;
    let second = waiting(&server, "second").await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/inbox").await;
    // The newest is on top.
    browser.see("second").await;
    browser.takes_keys().await;
    browser
        .script("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', repeat: true}))")
        .await;
    browser.keys("a").await;
    browser.see("Answered.").await;
    browser.see("first").await;
    assert_eq!(answer(&server, &first).await, Json::Null);
    assert_eq!(
        answer(&server, &second).await,
        json!([{ "type": "accept", "args": null }])
    );
    browser.takes_keys().await;
    browser.keys("i").await;
    browser.see("Inbox zero: no open questions.").await;
    assert_eq!(
        answer(&server, &first).await,
        json!([{ "type": "ignore", "args": null }])
    );
}

#[tokio::test]
async fn an_edited_call_shows_its_changes_before_it_is_sent() {
    let server = served().await;
    let thread = waiting(&server, "offer").await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/inbox").await;
    browser.see("offer").await;
    browser.click_text("button", "Edit").await;
    browser.fill("#arg-body", "Dear Ada, no.").await;
    browser.see("Your changes").await;
    browser.see("+   \"body\": \"Dear Ada, no.\"").await;
    browser.see("edited").await;
    browser
        .click_text("button", "Accept with your changes")
        .await;
    browser.see("Inbox zero: no open questions.").await;
    let answer = answer(&server, &thread).await;
    assert_eq!(answer[0]["type"], "edit");
    assert_eq!(answer[0]["args"]["args"]["body"], "Dear Ada, no.");
    assert_eq!(answer[0]["args"]["args"]["subject"], "offer");
}

#[tokio::test]
async fn a_state_is_forked_from_an_earlier_step_with_other_values() {
    let server = served().await;
    let thread = waiting(&server, "before").await;
    let browser = Browser::open(&server.address).await;
    browser.go(&format!("#/thread/{thread}/state")).await;
    browser.see("send asks").await;
    browser
        .click_text("summary", "Fork with another state")
        .await;
    let edit = "const field = document.querySelector('.detail textarea'); \
                field.value = JSON.stringify({ ...JSON.parse(field.value), subject: 'after' })";
    browser.script(edit).await;
    browser.fill("#as-node", "__start__").await;
    browser.click_text("button", "Write and run").await;
    browser.see("Written as a new step.").await;
    browser.see("after").await;
    let history = server.get(&format!("/threads/{thread}/history")).await.ok();
    let subjects: Vec<&str> = history
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|state| state["values"]["subject"].as_str())
        .collect();
    assert!(
        subjects.contains(&"before") && subjects.contains(&"after"),
        "{subjects:?}"
    );
}

#[tokio::test]
async fn a_trace_shows_the_errors_first_and_the_nodes_below_them() {
    let server = served().await;
    let thread = server.post("/threads", json!({})).await.ok();
    let thread = thread["thread_id"].as_str().unwrap();
    let run = json!({ "assistant_id": "one", "input": { "x": -1 } });
    let path = format!("/threads/{thread}/runs/wait");
    server.post(&path, run).await.ok();
    let browser = Browser::open(&server.address).await;
    browser.go(&format!("#/thread/{thread}/trace")).await;
    browser.see("1 error").await;
    browser.see("boom").await;
    browser.see("Run 1").await;
}

#[tokio::test]
async fn text_of_threads_never_becomes_markup_and_loads_nothing() {
    let server = served().await;
    let thread = waiting(&server, HOSTILE).await;
    let item = json!({ "namespace": ["notes"], "key": HOSTILE, "value": { "text": HOSTILE } });
    server
        .call(superstep::http::Method::PUT, "/store/items", item)
        .await;
    let browser = Browser::open(&server.address).await;
    let screens = [
        "#/".to_owned(),
        "#/inbox".to_owned(),
        "#/threads".to_owned(),
        "#/memory".to_owned(),
        format!("#/thread/{thread}"),
        format!("#/thread/{thread}/state"),
    ];
    for screen in screens {
        browser.go(&screen).await;
        browser.see("<img src=x").await;
        let images = browser.script("return document.images.length").await;
        assert_eq!(images, 0, "{screen}");
        let title = browser.script("return document.title").await;
        assert_ne!(title, "owned", "{screen}");
    }
}

/// The driver gives up on a script after half a minute, in which quadratic work would not end.
#[tokio::test]
async fn markdown_that_is_made_to_be_slow_does_not_hang_the_page() {
    let server = served().await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/").await;
    for piece in ["[", "[](", "`", "`a``", "- a\n\n"] {
        let piece = json!(piece);
        let script = format!(
            "const text = {piece}.repeat(400000);\
             return import('/ui/markdown.js').then((it) => it.markdown(text).tagName);"
        );
        assert_eq!(browser.script(&script).await, "DIV", "{piece}");
    }
}

#[tokio::test]
async fn the_first_screen_loads_less_than_120_kb() {
    let server = served().await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/").await;
    browser.see("Hitl").await;
    let sum = "return performance.getEntriesByType('resource').reduce((sum, one) => sum + one.decodedBodySize, 0)";
    let bytes = browser.script(sum).await.as_u64().unwrap();
    assert!((20_000..120_000).contains(&bytes), "{bytes}");
}

#[tokio::test]
async fn every_screen_fits_a_narrow_telephone() {
    let server = served().await;
    let thread = waiting(&server, &"a-very-long-subject-without-a-space".repeat(8)).await;
    let browser = Browser::open(&server.address).await;
    browser.resize(360, 740).await;
    let mut screens = vec![
        "#/".to_owned(),
        "#/inbox".to_owned(),
        "#/threads".to_owned(),
        "#/memory".to_owned(),
        "#/schedules".to_owned(),
        run_screen(&server, "mail").await,
    ];
    screens.extend(["", "/state", "/graph", "/trace"].map(|tab| format!("#/thread/{thread}{tab}")));
    for screen in screens {
        browser.go(&screen).await;
        browser.settled().await;
        let width = browser
            .script("return document.documentElement.scrollWidth")
            .await;
        assert!(width.as_u64().unwrap() <= 360, "{screen} is {width} wide");
    }
}

#[tokio::test]
async fn a_file_is_uploaded_into_the_input_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(memory())
        .dynamic("mail", &mail(), Schemas::default())
        .example("mail", json!({ "subject": "sales", "workbook": "" }));
    let server = Running::start(server).await;
    let file = folder.path().join("sales.txt");
    std::fs::write(&file, "aaa").unwrap();
    let browser = Browser::open(&server.address).await;
    browser.go(&run_screen(&server, "mail").await).await;
    browser.choose("#field-workbook-upload", &file).await;
    // The SHA-256 of its bytes.
    let id = "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0";
    browser.see(id).await;
    browser.see("sales.txt is uploaded.").await;
    let kept = server.get(&format!("/files/{id}")).await.ok();
    assert_eq!(kept, "aaa");
}

#[tokio::test]
async fn a_server_with_a_token_asks_for_it_and_keeps_it_for_the_tab_only() {
    let server =
        Running::start(server(memory()).token(superstep::Secret::new("open sesame"))).await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/").await;
    browser.see("This server needs a token").await;
    browser.fill("#token", "open sesame").await;
    browser.click_text("button", "Continue").await;
    browser.see("Hitl").await;
    assert_eq!(browser.script("return localStorage.length").await, 0);
}
