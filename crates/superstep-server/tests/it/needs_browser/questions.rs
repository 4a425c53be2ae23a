//! Questions in a real browser: they are held by id, say what will happen, and what is typed into them stays.

use serde_json::{Value as Json, json};
use superstep::{
    Schemas,
    dynamic::{self, DynCtx, DynGraphBuilder, DynReducer, Halt, START, Unknown},
};
use superstep_browser::Browser;

use super::{answer, mail, waiting};
use crate::{
    client::Running,
    graphs::{memory, server},
};

/// Asks the question that it is given, and keeps the answer.
fn asking() -> dynamic::DynGraph {
    DynGraphBuilder::new()
        .name("asking")
        .last_value("subject")
        .last_value("asked")
        .last_value("answer")
        .node("ask", |ctx: DynCtx| async move {
            let asked: Json = ctx.read("asked")?;
            let answer = ctx.ask(asked)?;
            Ok::<_, Halt>(json!({ "answer": answer.to_json() }))
        })
        .edge(START, "ask")
        .build()
        .unwrap()
}

/// Repeats what it is told.
fn echo() -> dynamic::DynGraph {
    DynGraphBuilder::new()
        .name("echo")
        .reduce("messages", DynReducer::Messages(Unknown::Refuse), json!([]))
        .node("speak", |ctx: DynCtx| async move {
            let said: Vec<Json> = ctx.read("messages")?;
            let answer = json!({ "type": "ai", "content": format!("heard {}", said.len()) });
            Ok::<_, Halt>(json!({ "messages": [answer] }))
        })
        .edge(START, "speak")
        .build()
        .unwrap()
}

async fn served() -> Running {
    let follow_up = json!({ "messages": [{ "role": "user", "content": "$text" }] });
    let server = server(memory())
        .dynamic("mail", &mail(), Schemas::default())
        .dynamic("asking", &asking(), Schemas::default())
        .dynamic("echo", &echo(), Schemas::default())
        .dynamic("silent", &echo(), Schemas::default())
        .follow_up("echo", follow_up);
    Running::start(server).await
}

async fn asked(server: &Running, subject: &str, question: Json) -> String {
    let thread = server.post("/threads", json!({})).await.ok();
    let thread = thread["thread_id"].as_str().unwrap().to_owned();
    let input = json!({ "subject": subject, "asked": question });
    let run = json!({ "assistant_id": "asking", "input": input });
    let path = format!("/threads/{thread}/runs/wait");
    server.post(&path, run).await.ok();
    thread
}

/// A reply as the e-mail assistant asks about it. Its arguments name the owner, not the recipient.
fn letter(to: &str, mode: &str, warnings: &[&str]) -> Json {
    let warnings: Vec<Json> = warnings
        .iter()
        .map(|text| json!({ "text": text }))
        .collect();
    json!([{
        "action_request": { "action": "send_email_tool", "args": {
            "email_id": "a.eml", "email_address": "robin@example.com", "response_text": "Hello,\nyes.\nRobin",
        } },
        "config": { "allow_accept": true, "allow_edit": true, "allow_respond": true, "allow_ignore": true },
        "description": "# A reply\n\nwords that a page need not read",
        "mode": mode,
        "digest": "q2:1",
        "view": {
            "title": "A reply",
            "warnings": warnings,
            "letter": {
                "to": [{ "name": "Ann Becker", "email": to }],
                "subject": "Re: New bank details",
                "text_arg": "response_text",
                "added_arg": "additional_recipients",
            },
            "mail": "From: Ann Becker <ann@example.org>\nSubject: New bank details\n\nPlease confirm.",
        },
    }])
}

const SHOWN: &str = "return document.querySelector('.detail').dataset.question";

#[tokio::test]
async fn a_question_that_arrives_moves_nothing_and_a_key_answers_the_shown_one() {
    let server = served().await;
    let first = waiting(&server, "first").await;
    let second = waiting(&server, "second").await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/inbox").await;
    browser.see("second").await;
    // The list of conversations names it too, before the inbox is there.
    browser
        .wait_for("return document.querySelector('.detail')?.dataset.question !== undefined")
        .await;
    let shown = browser.script(SHOWN).await;
    assert!(shown.as_str().unwrap().starts_with(&second), "{shown}");
    browser.click_text("button", "Edit").await;
    browser.fill("#arg-body", "Dear Ada, tomorrow.").await;

    let place = "return document.querySelector('.inbox .chosen').getBoundingClientRect().top";
    let place_before = browser.script(place).await;
    let third = waiting(&server, "third").await;
    browser
        .wait_for("return document.querySelector('.arrived').textContent === '1 new'")
        .await;
    assert_eq!(browser.script(SHOWN).await, shown);
    assert_eq!(browser.script(place).await, place_before);
    let text = "return document.querySelector('#arg-body').value";
    assert_eq!(browser.script(text).await, "Dear Ada, tomorrow.");
    let rows = "return document.querySelectorAll('.inbox li').length";
    assert_eq!(browser.script(rows).await, 2);

    browser.script("document.activeElement.blur()").await;
    browser.takes_keys().await;
    browser.keys("a").await;
    browser.see("Answered.").await;
    let sent = answer(&server, &second).await;
    assert_eq!(sent[0]["args"]["args"]["body"], "Dear Ada, tomorrow.");
    for other in [&first, &third] {
        assert_eq!(answer(&server, other).await, Json::Null);
    }
    // The next one is the one below, whatever arrived.
    let next = browser.script(SHOWN).await;
    assert!(next.as_str().unwrap().starts_with(&first), "{next}");
    browser.click_text("button", "1 new").await;
    browser.see("third").await;
    assert_eq!(browser.script(SHOWN).await, next);
}

#[tokio::test]
async fn a_key_that_was_pressed_for_the_question_before_is_ignored() {
    let server = served().await;
    let thread = waiting(&server, "only").await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/inbox").await;
    browser.see("only").await;
    browser.takes_keys().await;
    // By the time of the event: one that waited behind a busy page was pressed earlier than it arrives.
    let press = "const event = new KeyboardEvent('keydown', { key: 'a', bubbles: true }); \
         Object.defineProperty(event, 'timeStamp', { value: 1 }); document.dispatchEvent(event); \
         return document.querySelector('.question').getAttribute('aria-busy')";
    assert_eq!(browser.script(press).await, Json::Null);
    browser.keys("a").await;
    browser.see("Answered.").await;
    assert_eq!(answer(&server, &thread).await[0]["type"], "accept");
}

#[tokio::test]
async fn a_letter_names_its_true_recipient_and_a_warning_needs_a_second_step() {
    let server = served().await;
    let warning = "Answers go to ann@lookalike.example, not to the sender.";
    let question = letter("ann@lookalike.example", "send", &[warning]);
    let thread = asked(&server, "New bank details", question).await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/inbox").await;
    browser.see(warning).await;
    browser.see("For real").await;
    browser.see("Re: New bank details").await;
    let order = "const top = (css) => document.querySelector(css).getBoundingClientRect().top; \
         return top('.warnings') < top('.facts') && top('.facts') < top('[data-accept]') \
         && !document.querySelector('.question').innerText.includes('robin@example.com')";
    assert_eq!(browser.script(order).await, true);
    browser.takes_keys().await;
    browser.keys("a").await;
    browser.see("Read the warning above first.").await;
    let held = "return document.querySelectorAll('.held').length";
    assert_eq!(browser.script(held).await, 0);
    browser
        .click_text("button", "Send to ann@lookalike.example anyway")
        .await;
    browser.see("Sending to ann@lookalike.example in").await;
    assert_eq!(answer(&server, &thread).await, Json::Null);
    browser.see("Sent to ann@lookalike.example.").await;
    let sent = json!([{ "type": "accept", "args": null, "digest": "q2:1" }]);
    assert_eq!(answer(&server, &thread).await, sent);
}

#[tokio::test]
async fn sending_can_be_undone_also_after_the_page_was_loaded_again_and_the_edit_stays() {
    let server = served().await;
    let question = letter("ann@example.org", "send", &[]);
    let thread = asked(&server, "The contract", question).await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/inbox").await;
    browser.see("Send to ann@example.org").await;
    browser.click_text("button", "Edit").await;
    browser.fill("#arg-response_text", "Tomorrow at ten.").await;
    browser.see("edited").await;
    browser
        .click_text("button", "Send to ann@example.org")
        .await;
    browser.see("Sending to ann@example.org in").await;
    browser.go("#/inbox").await;
    browser.see("Sending to ann@example.org in").await;
    browser.click_text("button", "Undo").await;
    browser.see("The question is open again.").await;
    let record = server.get(&format!("/threads/{thread}")).await.ok();
    assert_eq!(record["status"], "interrupted", "{record}");
    browser.see("Tomorrow at ten.").await;
    browser
        .click_text("button", "Send to ann@example.org")
        .await;
    browser.see("Sent to ann@example.org.").await;
    let sent = answer(&server, &thread).await;
    assert_eq!(sent[0]["type"], "edit");
    let args = &sent[0]["args"]["args"];
    assert_eq!(args["response_text"], "Tomorrow at ten.");
    assert_eq!(args["email_id"], "a.eml");
}

#[tokio::test]
async fn a_dry_run_sends_at_once_and_says_that_nothing_leaves() {
    let server = served().await;
    let question = letter("ann@example.org", "dry", &[]);
    let thread = asked(&server, "The contract", question).await;
    let browser = Browser::open(&server.address).await;
    browser.go(&format!("#/thread/{thread}")).await;
    browser.see("Dry run: nothing leaves").await;
    browser.click_text("button", "Approve (dry run)").await;
    browser.see("done").await;
    assert_eq!(answer(&server, &thread).await[0]["type"], "accept");
}

#[tokio::test]
async fn options_have_the_numbers_of_the_agent_and_each_sends_its_own_answer() {
    let server = served().await;
    let question = json!({
        "question": "Which one is \"Sol Rivera\"?",
        "options": ["Sol Rivera (@solrivera)", "Sol Rivera (@solriveramusic)"],
        "answers": ["1", "2"],
        "parameter": null,
    });
    let thread = asked(&server, "Sol", question).await;
    let browser = Browser::open(&server.address).await;
    browser.go(&format!("#/thread/{thread}")).await;
    browser.see("1 Sol Rivera (@solrivera)").await;
    let controls = "return [...document.querySelectorAll('.question button')].map((one) => one.innerText.trim())";
    let controls = browser.script(controls).await;
    let wanted = json!([
        "1 Sol Rivera (@solrivera)",
        "2 Sol Rivera (@solriveramusic)",
    ]);
    assert_eq!(controls, wanted);
    browser
        .click_text("button", "2 Sol Rivera (@solriveramusic)")
        .await;
    browser.see("done").await;
    assert_eq!(answer(&server, &thread).await, "2");
}

#[tokio::test]
async fn a_follow_up_is_offered_only_where_it_is_declared_and_its_draft_is_never_lost() {
    let server = served().await;
    let said = |text: &str| json!({ "messages": [{ "role": "user", "content": text }] });
    let mut threads = Vec::new();
    for graph in ["echo", "silent"] {
        let thread = server.post("/threads", json!({})).await.ok();
        let thread = thread["thread_id"].as_str().unwrap().to_owned();
        let run = json!({ "assistant_id": graph, "input": said("hello") });
        let path = format!("/threads/{thread}/runs/wait");
        server.post(&path, run).await.ok();
        threads.push(thread);
    }
    let browser = Browser::open(&server.address).await;
    browser.go(&format!("#/thread/{}", threads[1])).await;
    browser.see("heard 1").await;
    let fields = "return [...document.querySelectorAll('main textarea')].filter((one) => one.checkVisibility()).length";
    assert_eq!(browser.script(fields).await, 0);

    browser.go(&format!("#/thread/{}", threads[0])).await;
    browser.see("heard 1").await;
    browser.fill(".composer textarea", "And now?").await;
    browser.script("document.activeElement.blur()").await;
    // Another client writes to the thread, and the page is loaded again.
    let run = json!({ "assistant_id": "echo", "input": said("from elsewhere") });
    let path = format!("/threads/{}/runs/wait", threads[0]);
    server.post(&path, run).await.ok();
    browser.see("heard 3").await;
    let draft = "return document.querySelector('.composer textarea').value";
    assert_eq!(browser.script(draft).await, "And now?");
    browser.go(&format!("#/thread/{}", threads[0])).await;
    browser.see("heard 3").await;
    assert_eq!(browser.script(draft).await, "And now?");
    browser.click_text("button", "Send").await;
    browser.see("heard 5").await;
    assert_eq!(browser.script(draft).await, "");
}

#[tokio::test]
async fn a_change_of_a_workbook_shows_the_cells_that_are_lost() {
    let server = served().await;
    let hash = "a76db4510000000000000000000000000000000000000000000000000000abcd";
    let question = json!({
        "action_request": { "action": "apply_changes", "args": {
            "tool": "ApplyOperations",
            "losses": ["deletes rows 2 to 2 of \"Data\": 2 cells with content"],
            "changes": hash,
            "cells": [
                { "sheet": "Data", "cell": "A2", "value": "North" },
                { "sheet": "Data", "cell": "B2", "value": "Coffee" },
            ],
        } },
        "config": { "allow_accept": true, "allow_edit": true, "allow_respond": true, "allow_ignore": true },
        "description": "what is lost",
        "can": ["write"],
        "digest": "q2:2",
    });
    let thread = asked(&server, "Delete the first sale", question).await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/inbox").await;
    browser.see("deletes rows 2 to 2").await;
    let table = "return [...document.querySelectorAll('.lost tbody tr')].map((row) => row.innerText.replace(/\\s+/g, ' ').trim())";
    let table = browser.script(table).await;
    assert_eq!(table, json!(["Data A2 North", "Data B2 Coffee"]));
    let about = "return document.querySelector('.question').innerText";
    let about = browser.script(about).await;
    assert!(!about.as_str().unwrap().contains("a76db451"), "{about}");
    assert!(!about.as_str().unwrap().contains("Edit"), "{about}");
    browser.click_text("button", "Delete 2 cells").await;
    browser.see("Inbox zero").await;
    // A question that is no list takes an answer that is none, bound by its digest.
    let taken = json!({ "type": "accept", "args": null, "digest": "q2:2" });
    assert_eq!(answer(&server, &thread).await, taken);
}

#[tokio::test]
async fn a_question_that_was_answered_elsewhere_stays_in_its_place_and_takes_no_key() {
    let server = served().await;
    let thread = waiting(&server, "offer").await;
    let browser = Browser::open(&server.address).await;
    browser.go("#/inbox").await;
    browser.see("offer").await;
    browser.takes_keys().await;
    let answer = json!({ "assistant_id": "mail", "command": { "resume": "elsewhere" } });
    let path = format!("/threads/{thread}/runs/wait");
    server.post(&path, answer).await.ok();
    browser.see("This question was answered elsewhere.").await;
    browser.see("Answered elsewhere").await;
    browser.keys("a").await;
    let busy = "return document.querySelector('.question').getAttribute('aria-busy')";
    assert_eq!(browser.script(busy).await, Json::Null);
    assert_eq!(super::answer(&server, &thread).await, "elsewhere");
}
