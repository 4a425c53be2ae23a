//! Pictures that show what the app does: each is taken wide and narrow, light and dark, after what must be true in it was
//! seen. They are left in `target/tmp/pictures`. With `SUPERSTEP_AXE` set to the file `axe.min.js` of axe-core, every one is
//! checked by it.

use std::{fs, path::PathBuf};

use serde_json::{Value as Json, json};
use superstep_browser::Browser;

use super::SERVE;
use crate::{env::TestEnv, served::Served};

const AGENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents");

/// A wide window, and a narrow telephone.
const SIZES: [(u32, u32); 2] = [(1280, 860), (360, 740)];

/// A server with a scripted model, in a browser.
struct Scene {
    env: TestEnv,
    server: Served,
    browser: Browser,
    axe: Option<String>,
}

impl Scene {
    /// The server with these options; its model follows these steps, then those of an agent's demo.
    async fn open(env: TestEnv, steps: &[Json], demo: Option<&str>, more: &str) -> Self {
        let mut script: Vec<String> = steps.iter().map(Json::to_string).collect();
        if let Some(agent) = demo {
            let replies = fs::read_to_string(format!("{AGENTS}/{agent}/demo/replies.jsonl"));
            let replies = replies.unwrap();
            let of_demo = replies.lines().filter(|line| !line.contains("\"script\""));
            script.extend(of_demo.map(str::to_owned));
        }
        let model = match script.is_empty() {
            true => "",
            false => "--model script:replies.jsonl",
        };
        env.write("work/replies.jsonl", &script.join("\n"));
        let server = Served::start(&env, &format!("{SERVE} --port 0 {model} {more}"));
        let browser = Browser::open(&server.address).await;
        browser.resize(SIZES[0].0, SIZES[0].1).await;
        let axe = std::env::var_os("SUPERSTEP_AXE");
        Self {
            axe: axe.map(|file| fs::read_to_string(file).unwrap()),
            env,
            server,
            browser,
        }
    }

    fn post(&self, path: &str, body: &Json) -> Json {
        let (status, reply) = self.server.call("POST", path, body);
        assert_eq!(status, 200, "{path}: {reply}");
        reply
    }

    /// A new conversation, once its run has ended.
    fn run(&self, agent: &str, input: Json) -> String {
        let thread = self.begin(agent, input, "/wait");
        assert_ne!(thread, "");
        thread
    }

    fn begin(&self, agent: &str, input: Json, how: &str) -> String {
        let thread = self.post("/threads", &json!({}));
        let thread = thread["thread_id"].as_str().unwrap().to_owned();
        self.continued(&thread, agent, input, how);
        thread
    }

    fn continued(&self, thread: &str, agent: &str, input: Json, how: &str) {
        let run = json!({ "assistant_id": agent, "input": input });
        self.post(&format!("/threads/{thread}/runs{how}"), &run);
    }

    fn upload(&self, name: &str, bytes: &[u8]) -> String {
        let (status, reply) = self
            .server
            .send("POST", &format!("/files?name={name}"), bytes);
        assert_eq!(status, 200, "{name}");
        let reply = crate::served::json(&reply);
        reply["file_id"].as_str().unwrap().to_owned()
    }

    async fn go(&self, screen: &str) {
        self.browser.go(screen).await;
        self.browser.settled().await;
    }

    /// Takes the four pictures of what is shown.
    async fn take(&self, name: &str) {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pictures");
        fs::create_dir_all(&folder).unwrap();
        let mut wrong = Vec::new();
        for (width, height) in SIZES {
            self.browser.resize(width, height).await;
            for scheme in ["light", "dark"] {
                self.browser.scheme(scheme).await;
                let about = format!("{name}-{width}-{scheme}");
                let shown = "return document.documentElement.scrollWidth";
                let shown = self.browser.script(shown).await.as_u64().unwrap();
                assert!(shown <= u64::from(width), "{about} is {shown} wide");
                let picture = self.browser.picture().await;
                assert!(picture.starts_with(b"\x89PNG"), "{about}");
                fs::write(folder.join(format!("{about}.png")), picture).unwrap();
                if let Some(axe) = &self.axe {
                    self.browser.script(axe).await;
                    let found = self.browser.checked().await;
                    if found != json!([]) {
                        wrong.push((about, found));
                    }
                }
            }
        }
        self.browser.resize(SIZES[0].0, SIZES[0].1).await;
        self.browser.scheme("light").await;
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// Whether an element is on the screen, with all of it.
    async fn shows(&self, css: &str) {
        let script = format!(
            "const box = document.querySelector({css:?})?.getBoundingClientRect();
             return box !== undefined && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight"
        );
        self.browser.wait_for(&script).await;
    }
}

/// A machine with the files of an agent's demo.
fn env_with(agent: &str, folder: &str) -> TestEnv {
    let env = TestEnv::new();
    copy(
        &PathBuf::from(format!("{AGENTS}/{agent}/demo/{folder}")),
        &env.path("work").join(folder),
    );
    env
}

fn copy(from: &PathBuf, to: &PathBuf) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        match from.is_dir() {
            true => copy(&from, &to),
            false => drop(fs::copy(&from, &to).unwrap()),
        }
    }
}

fn documents(env: &TestEnv) -> Json {
    env.path("work/docs").display().to_string().into()
}

#[tokio::test]
async fn the_first_start_offers_what_works_and_ways_to_a_model() {
    let scene = Scene::open(TestEnv::new(), &[], None, "").await;
    scene.go("#/").await;
    scene.browser.see("Play the example").await;
    scene.browser.see("Choose a model").await;
    let count = "return document.querySelectorAll('.cards .row button').length >= 4";
    scene.browser.wait_for(count).await;
    let text = "return document.querySelector('.cards').innerText";
    let text = scene.browser.script(text).await;
    for sign in ["--", "{", "_"] {
        assert!(!text.as_str().unwrap().contains(sign), "{text}");
    }
    scene.take("01-first-start").await;
    scene.browser.click_text("a", "Choose a model").await;
    scene.browser.see("Models on this machine").await;
    scene
        .browser
        .see("A key is checked with its provider")
        .await;
    scene.take("01-settings").await;
}

#[tokio::test]
async fn questions_about_audius_have_a_table_a_follow_up_a_choice_and_a_refusal() {
    let scene = Scene::open(TestEnv::new(), &[], None, "").await;
    let ask = |query: &str| json!({ "query": query });
    let thread = scene.run(
        "atris",
        ask("What are the top 5 trending tracks this week?"),
    );
    for query in [
        "Who are the followers of the first artist?",
        "How many plays did it have on Spotify?",
    ] {
        scene.continued(&thread, "atris", ask(query), "/wait");
    }
    scene.continued(
        &thread,
        "atris",
        ask("How many followers does Sol Rivera have?"),
        "/wait",
    );
    scene.go(&format!("#/thread/{thread}")).await;
    scene.browser.see("is Nova Kane (@novakane)").await;
    scene.browser.see("Which one is \"Sol Rivera\"?").await;
    scene.shows(".choices button:nth-child(2)").await;
    scene.take("05-audius").await;
    scene
        .browser
        .click_text("button", "1 Sol Rivera (@solrivera)")
        .await;
    scene.browser.see("Sol Rivera has 8 followers.").await;
}

#[tokio::test]
async fn archie_writes_is_reloaded_in_the_middle_and_shows_its_result_and_branches() {
    let slowly: Vec<String> = (1..=60)
        .map(|n| format!("Sentence {n} is written. "))
        .collect();
    let steps = [
        json!({ "when": { "contains": "in your own words" }, "chunks": slowly, "pace_ms": 400, "repeat": "always" }),
    ];
    let scene = Scene::open(env_with("archie", "docs"), &steps, Some("archie"), "").await;
    let folder = documents(&scene.env);
    let input = |words: &str| json!({ "user_input": words, "inputs": { "folder": folder } });
    let slow = scene.begin("archie", input("Say it in your own words"), "");
    for _ in 0..2 {
        scene.go(&format!("#/thread/{slow}")).await;
        scene.browser.see("Sentence 3 is written.").await;
        scene.browser.see("Graph extraction").await;
        scene.shows(".composer .stop").await;
    }
    scene.take("03-archie-writing").await;
    scene.browser.click_text("button", "Stop").await;
    scene.browser.see("Stopped before the end").await;

    let thread = scene.run("archie", input("One service or two?"));
    scene.go(&format!("#/thread/{thread}")).await;
    let approve = "Approve and write the analysis";
    scene.browser.click_text("button", approve).await;
    scene.browser.see("Download one-service-or-two.md").await;
    scene.browser.see("One application, payments first").await;
    scene.take("04-archie-result").await;
    let history = scene.post(
        &format!("/threads/{thread}/history"),
        &json!({ "limit": 50 }),
    );
    let asked = history.as_array().unwrap().iter();
    let asked = { asked }.find(|state| state["tasks"][0]["interrupts"][0] != Json::Null);
    let run = json!({
        "assistant_id": "archie",
        "command": { "resume": "Nobody may pay twice; that comes first." },
        "checkpoint_id": asked.unwrap()["checkpoint"]["checkpoint_id"],
    });
    scene.post(&format!("/threads/{thread}/runs/wait"), &run);
    scene.go(&format!("#/thread/{thread}/state")).await;
    scene.browser.see("2 branches").await;
    scene.browser.click_text("button", "Compare").await;
    scene.browser.see("Branch 1 and the current one").await;
    scene.take("04-archie-branches").await;
    scene.browser.click_text("button", "Make current").await;
    scene
        .browser
        .see("This branch is the current one now.")
        .await;
    scene.go(&format!("#/thread/{thread}")).await;
    scene.browser.see("Download one-service-or-two.md").await;
}

#[tokio::test]
async fn a_trace_shows_the_attempts_of_a_call_and_its_messages() {
    let steps = [
        json!({ "when": { "contains": "cheaper" }, "error": { "kind": "limited", "after_ms": 300 } }),
        json!({ "when": { "contains": "cheaper" }, "text": "The read replica: nobody has to be on call.",
            "usage": { "input_tokens": 812, "output_tokens": 21, "cached_tokens": 640 }, "repeat": "always" }),
    ];
    let scene = Scene::open(env_with("archie", "docs"), &steps, None, "").await;
    let folder = documents(&scene.env);
    let input = json!({ "user_input": "Which one is cheaper?", "inputs": { "folder": folder } });
    let thread = scene.run("archie", input);
    scene.go(&format!("#/thread/{thread}/trace")).await;
    scene.browser.click(".span.of-model").await;
    for text in [
        "2 attempts", "640 cached", "first token after", "Which one is cheaper?",
    ] {
        scene.browser.see(text).await;
    }
    scene.take("11-trace").await;
    scene.go(&format!("#/thread/{thread}/graph")).await;
    scene
        .browser
        .wait_for("return document.querySelector('.node.waiting') !== null")
        .await;
    scene.take("11-graph").await;
    scene.go("#/runs").await;
    scene.browser.see("Per agent and day").await;
    scene.browser.see("833 tokens").await;
    scene.take("11-runs").await;
}

const BANK: &str = "From: Ann Becker <ann@example.org>\r\nReply-To: ann.becker@lookalike.example\r\n\
    To: Max Muster <max@example.com>\r\nSubject: New bank details\r\nDate: Mon, 02 Nov 2026 10:00:00 +0100\r\n\
    Message-ID: <bank@lookalike.example>\r\n\r\nHello Max,\r\nour bank details have changed. Please confirm.\r\nAnn\r\n";

/// A model that drafts a reply to the mail about a bank.
fn bank() -> [Json; 2] {
    let draft = json!({ "name": "send_email_tool", "args": {
        "email_id": "bank.eml", "email_address": "max@example.com",
        "response_text": "Hello Ann,\n\nwe got your new bank details.\n\nMax",
    } });
    let triage = json!({
        "reasoning": "The sender wants a confirmation.", "classification": "respond",
        "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English",
    });
    [
        json!({ "when": { "schema": "triage", "contains": "bank details" }, "data": triage }),
        json!({ "when": { "tool": "Done", "anywhere": "bank details" }, "calls": [draft] }),
    ]
}

const ACCOUNT: &str = "--folder mail --owner max@example.com --send";

#[tokio::test]
async fn a_reply_names_its_recipient_and_a_warning_stands_above_it_while_mail_arrives() {
    let env = env_with("mail", "mail");
    fs::remove_file(env.path("work/mail/sale.eml")).unwrap();
    let scene = Scene::open(env, &bank(), Some("mail"), ACCOUNT).await;
    scene.run("mail_ingest", json!({}));
    scene.go("#/inbox").await;
    let row = |text: &str| format!("//li[contains(., '{text}')]//button[contains(@class, 'line')]");
    scene.browser.click_path(&row("The contract")).await;
    scene
        .browser
        .see("Wednesday, 14 May at 11:30 suits me")
        .await;
    scene.browser.see("Send to ann@example.org").await;
    scene.shows("[data-accept]").await;
    scene.take("06-mail").await;

    scene.env.write("work/mail/bank.eml", BANK);
    scene.run("mail_ingest", json!({}));
    scene.go("#/inbox").await;
    scene.browser.click_path(&row("New bank details")).await;
    scene.browser.see("Check this first").await;
    let shown = "return document.querySelector('.detail').dataset.question";
    let before = scene.browser.script(shown).await;
    let late = fs::read_to_string(scene.env.path("work/mail/meeting.eml")).unwrap();
    let late = late
        .replace("contract-1@", "late-2@")
        .replace("The contract", "The other contract");
    scene.env.write("work/mail/late.eml", &late);
    scene.run("mail_ingest", json!({}));
    scene
        .browser
        .wait_for("return document.querySelector('.arrived').textContent === '1 new'")
        .await;
    assert_eq!(scene.browser.script(shown).await, before);
    let order = "const [warning, accept] = ['.warnings', '[data-accept]'].map((css) => document.querySelector(css));
        return warning.getBoundingClientRect().bottom < accept.getBoundingClientRect().top
            && accept.textContent === 'Send to ann.becker@lookalike.example…' && !accept.classList.contains('primary')";
    scene.browser.wait_for(order).await;
    scene.take("07-phishing").await;
}

#[tokio::test]
async fn a_workbook_has_its_changes_chart_and_versions_and_what_would_be_lost_is_red() {
    let delete = json!({ "op": "delete_rows", "sheet": "Sales", "first": 2, "count": 3 });
    let steps = [
        json!({ "when": { "anywhere": "Delete the first" },
            "calls": [{ "name": "ApplyOperations", "args": { "operations": [delete] } }] }),
        json!({ "when": { "anywhere": "Delete the first" }, "repeat": "always",
            "calls": [{ "name": "Finish", "args": { "answer": "The first three sales are deleted." } }] }),
    ];
    let scene = Scene::open(TestEnv::new(), &steps, Some("sheets"), "").await;
    let sales = fs::read(format!("{AGENTS}/sheets/demo/sales.xlsx")).unwrap();
    let file = scene.upload("sales.xlsx", &sales);
    let problem = |text: &str| json!({ "problem": { "instruction": text, "workbook": file, "file": "sales.xlsx" } });
    let text = "Add the revenue of each sale, and a sheet with the sums by region";
    let thread = scene.run("sheets", problem(text));
    scene.go(&format!("#/thread/{thread}")).await;
    scene.browser.see("the South sells most").await;
    scene.go(&format!("#/thread/{thread}/result")).await;
    for text in [
        "8 changes", "708.00", "Revenue by region", "as you gave it", "Download sales-result.xlsx",
    ] {
        scene.browser.see(text).await;
    }
    scene.take("08-workbook").await;

    let thread = scene.run("sheets", problem("Delete the first three sales"));
    scene.go(&format!("#/thread/{thread}/result")).await;
    let red = "return document.querySelectorAll('td.removed').length";
    scene.browser.wait_for(&format!("{red} === 12")).await;
    scene.go(&format!("#/thread/{thread}")).await;
    scene.browser.see("Check this first").await;
    scene.browser.see("Delete 12 cells").await;
    scene.take("09-approval").await;
    scene.browser.click("[data-accept]").await;
    scene
        .browser
        .click_text("button", "Delete 12 cells anyway")
        .await;
    scene
        .browser
        .see("The first three sales are deleted.")
        .await;
}

#[tokio::test]
async fn a_page_of_documentation_draws_its_diagram_and_opens_the_cited_line() {
    let scene = Scene::open(env_with("docgen", "shop"), &[], Some("docgen"), "").await;
    let thread = scene.run("docs", json!({ "request": { "root": "shop" } }));
    scene.go(&format!("#/thread/{thread}/result")).await;
    let open = "const link = [...document.querySelectorAll('.page-link')]
        .find((one) => one.textContent.includes('Flow visualization'));
        link?.click();
        return link !== undefined";
    scene.browser.wait_for(open).await;
    scene.browser.see("5 verified").await;
    scene
        .browser
        .wait_for("return document.querySelectorAll('.page-text svg .node').length === 2")
        .await;
    scene.take("10-docs").await;
    scene.browser.click("button.cite").await;
    scene
        .browser
        .wait_for("return document.querySelector('.reader .cited')?.textContent.includes('class Cart') === true")
        .await;
    scene.take("10-docs-source").await;
}

#[tokio::test]
async fn home_says_who_waits_what_is_at_work_and_what_failed() {
    let slowly: Vec<String> = (1..=100).map(|n| format!("Sentence {n}. ")).collect();
    let delete = json!({ "op": "delete_rows", "sheet": "Sales", "first": 2, "count": 3 });
    let mut steps = vec![
        json!({ "when": { "contains": "in your own words" }, "chunks": slowly, "pace_ms": 400, "repeat": "always" }),
        json!({ "when": { "contains": "One service" }, "text": "What matters more to you?", "repeat": "always" }),
        json!({ "when": { "contains": "What is open" }, "error": { "kind": "refused", "message": "not this one" }, "repeat": "always" }),
        json!({ "when": { "tool": "ApplyOperations" },
            "calls": [{ "name": "ApplyOperations", "args": { "operations": [delete] } }] }),
    ];
    steps.extend(bank());
    let env = env_with("mail", "mail");
    copy(
        &PathBuf::from(format!("{AGENTS}/archie/demo/docs")),
        &env.path("work/docs"),
    );
    env.write("work/mail/bank.eml", BANK);
    let scene = Scene::open(env, &steps, Some("mail"), ACCOUNT).await;
    scene.run("mail_ingest", json!({}));
    let folder = documents(&scene.env);
    let input = |words: &str| json!({ "user_input": words, "inputs": { "folder": folder } });
    scene.run("archie", input("One service or two?"));
    scene.run("archie", input("What is open?"));
    let sales = fs::read(format!("{AGENTS}/sheets/demo/sales.xlsx")).unwrap();
    let file = scene.upload("sales.xlsx", &sales);
    let problem =
        json!({ "problem": { "instruction": "Delete the first three sales", "workbook": file } });
    scene.run("sheets", problem);
    scene.begin("archie", input("Say it in your own words"), "");
    scene.go("#/").await;
    for text in [
        "Waiting for you", "Check first", "Reply drafted", "Asks you", "Working now", "Failed",
    ] {
        scene.browser.see(text).await;
    }
    scene.take("02-home").await;
}
