//! Every screen for graphs that no agent presents, light and dark, wide and narrow. Pictures are left in `target/tmp/pictures`; with
//! `SUPERSTEP_AXE` set to the file `axe.min.js` of axe-core, each screen is checked by it.

use std::path::PathBuf;

use serde_json::json;
use superstep::http::Method;
use superstep_browser::Browser;

use super::{run_screen, served, waiting};
use crate::client::Running;

/// A wide window, and a narrow telephone.
const SIZES: [(u32, u32); 2] = [(1280, 860), (360, 740)];

/// What there is to see: threads that wait, ended and failed, and something in memory.
async fn filled(server: &Running) -> [String; 4] {
    let offer = waiting(server, "Offer for the boat").await;
    let run = async |graph: &str, input| {
        let thread = server.post("/threads", json!({})).await.ok();
        let thread = thread["thread_id"].as_str().unwrap().to_owned();
        let body = json!({ "assistant_id": graph, "input": input });
        let path = format!("/threads/{thread}/runs/wait");
        server.post(&path, body).await.ok();
        thread
    };
    let draft = run("hitl", json!({ "topic": "tides" })).await;
    let done = run("hitl", json!({ "topic": "harbors" })).await;
    let yes = json!({ "assistant_id": "hitl", "command": { "resume": true } });
    let path = format!("/threads/{done}/runs/wait");
    server.post(&path, yes).await.ok();
    run("one", json!({ "x": 1 })).await;
    let failed = run("one", json!({ "x": -1 })).await;
    let notes = [
        json!({ "namespace": ["notes", "style"], "key": "tone", "value": { "text": "Short and friendly." } }),
        json!({ "namespace": ["people"], "key": "ada", "value": { "mail": "ada@example.org", "since": 2019 } }),
    ];
    for item in notes {
        server.call(Method::PUT, "/store/items", item).await;
    }
    [offer, draft, done, failed]
}

#[tokio::test]
async fn every_screen_is_drawn_light_and_dark_wide_and_narrow() {
    let server = served().await;
    let [offer, draft, done, failed] = filled(&server).await;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    std::fs::create_dir_all(&folder).unwrap();
    let axe = std::env::var_os("SUPERSTEP_AXE").map(|file| std::fs::read_to_string(file).unwrap());
    let mut screens = vec![
        ("home", "#/".to_owned(), "Hitl"),
        ("new", run_screen(&server, "hitl").await, "Topic"),
        ("inbox", "#/inbox".to_owned(), "Offer for the boat"),
        ("threads", "#/threads".to_owned(), "your turn"),
        ("memory", "#/memory".to_owned(), "ada"),
        ("schedules", "#/schedules".to_owned(), "No schedules yet"),
        ("question", format!("#/thread/{draft}"), "Draft about tides"),
        ("result", format!("#/thread/{done}"), "published: true"),
        ("runs", "#/runs".to_owned(), "Per agent and day"),
        ("failed", format!("#/thread/{failed}/trace"), "boom"),
    ];
    for (tab, text) in [
        ("conversation", "Offer"),
        ("state", "send asks"),
        ("graph", "send"),
        ("trace", "Run 1"),
    ] {
        let path = format!("#/thread/{offer}/{tab}");
        let path = path.trim_end_matches("/conversation").to_owned();
        screens.push((tab, path, text));
    }
    let browser = Browser::open(&server.address).await;
    let mut wrong = Vec::new();
    for scheme in ["light", "dark"] {
        browser.scheme(scheme).await;
        for (width, height) in SIZES {
            browser.resize(width, height).await;
            for (name, screen, text) in &screens {
                let about = format!("{name}-{scheme}-{width}");
                browser.go(screen).await;
                browser.settled().await;
                browser.see(text).await;
                let shown = "return document.documentElement.scrollWidth";
                let shown = browser.script(shown).await.as_u64().unwrap();
                assert!(shown <= u64::from(width), "{about} is {shown} wide");
                let picture = browser.picture().await;
                assert!(picture.starts_with(b"\x89PNG"), "{about}");
                std::fs::write(folder.join(format!("12-{about}.png")), picture).unwrap();
                if let Some(axe) = &axe {
                    browser.script(axe).await;
                    let found = browser.checked().await;
                    if found != json!([]) {
                        wrong.push((about, found));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
