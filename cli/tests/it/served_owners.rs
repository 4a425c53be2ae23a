//! A server with owners: what one of them taught, or the user did, is told to nobody else.

use serde_json::{Value as Json, json};

use crate::{
    env::TestEnv,
    post::{ACCOUNT, env_with, sent},
    served::Served,
};

const ANN: &str = "ann-token-0123456789";
const BOB: &str = "bob-token-0123456789";

fn with_owners(env: &TestEnv, more: &str) -> Served {
    env.write("work/owners", &format!("ann {ANN}\nbob {BOB}\n"));
    let line = format!("serve --port 0 --no-input --offline --owners owners {more}");
    Served::start(env, &line)
}

/// A thread of an owner and how the run of this input on it ended.
fn run(server: &mut Served, token: &str, assistant: &str, input: &Json) -> (String, Json) {
    let (status, made) = server.call_as(token, "POST", "/threads", &json!({}));
    assert_eq!(status, 200, "{made}");
    let thread = made["thread_id"].as_str().unwrap().to_owned();
    let order = json!({"assistant_id": assistant, "input": input});
    let path = format!("/threads/{thread}/runs/wait");
    let (status, end) = server.call_as(token, "POST", &path, &order);
    assert_eq!(status, 200, "{end}");
    assert_eq!(end.get("__error__"), None, "{end}");
    (thread, end)
}

/// All that a thread did, prompts included.
fn trace(server: &mut Served, token: &str, thread: &str) -> String {
    let path = format!("/threads/{thread}/trace");
    let (status, trace) = server.call_as(token, "GET", &path, &json!({}));
    assert_eq!(status, 200, "{trace}");
    trace.to_string()
}

/// All that an owner finds in the store.
fn store(server: &mut Served, token: &str) -> String {
    let all = json!({"namespace_prefix": [], "limit": 100});
    let (status, found) = server.call_as(token, "POST", "/store/items/search", &all);
    assert_eq!(status, 200, "{found}");
    found.to_string()
}

#[test]
fn each_owner_has_notes_of_the_email_assistant_of_their_own() {
    let env = env_with(&["Lunch"]);
    let mut server = with_owners(&env, &format!("--share mail --send {ACCOUNT}"));
    let mail = json!({"from": {"email": "ann@example.org"}, "to": [{"email": "me@example.org"}],
        "subject": "Lunch", "text": "Does Thursday suit you?"});
    let input = json!({"email_input": {"id": "lunch.eml", "thread": "t", "mail": mail}});
    let (thread, asked) = run(&mut server, ANN, "email_assistant", &input);
    let ask = asked["__interrupt__"][0]["id"].as_str().unwrap();
    let said = json!({ask: [{"type": "response", "args": "Always sign with Max"}]});
    let order = json!({"assistant_id": "email_assistant", "command": {"resume": said}});
    let path = format!("/threads/{thread}/runs/wait");
    let (status, end) = server.call_as(ANN, "POST", &path, &order);
    assert_eq!(status, 200, "{end}");
    let lesson = "Sign with Max.";
    assert!(store(&mut server, ANN).contains(lesson), "it is Ann's");
    let (next, _) = run(&mut server, ANN, "email_assistant", &input);
    assert!(trace(&mut server, ANN, &next).contains(lesson));
    // Bob's runs know nothing of it, nor does the assistant of the command line.
    let (other, _) = run(&mut server, BOB, "email_assistant", &input);
    assert!(!trace(&mut server, BOB, &other).contains(lesson));
    let bobs = store(&mut server, BOB);
    assert!(bobs.contains("Short, friendly"), "{bobs}");
    assert!(!bobs.contains(lesson), "{bobs}");
    // What an owner writes there is a version of theirs.
    let edit = json!({"namespace": ["email_assistant", "response_preferences"],
        "key": "user_preferences", "value": "Sign with Bob."});
    let (status, _) = server.call_as(BOB, "PUT", "/store/items", &edit);
    assert_eq!(status, 204);
    let bobs = store(&mut server, BOB);
    assert!(bobs.contains("written by hand"), "{bobs}");
    assert!(!store(&mut server, ANN).contains("Sign with Bob."));
    // The mailbox is not theirs.
    let ingest = json!({"assistant_id": "mail_ingest", "input": {}});
    let (status, refused) = server.call_as(ANN, "POST", "/runs/wait", &ingest);
    assert_eq!(status, 404, "{refused}");
    let (_, seen) = server.call_as(ANN, "POST", "/assistants/search", &json!({}));
    assert!(!seen.to_string().contains("mail_ingest"), "{seen}");
    drop(server);
    let own = env.run("mail memory show response");
    assert!(!own.stdout.contains(lesson), "{}", own.stdout);
}

#[test]
fn each_owner_has_a_memory_of_archie_of_their_own() {
    let env = TestEnv::new();
    let stated = |words: &str, fact: &str| {
        let statement = json!({"kind": "fact", "statement": fact, "quote": words});
        json!({"when": {"schema": "statements", "anywhere": words},
            "data": {"statements": [statement]}, "repeat": "always"})
    };
    let steps = [
        stated("Nightingale", "PRIVATE-FACT"),
        stated("Swallow", "ANNS-FACT"),
        json!({"text": "What next?", "repeat": "always"}),
    ];
    let script: Vec<String> = steps.iter().map(Json::to_string).collect();
    env.write("work/replies.jsonl", &script.join("\n"));
    env.write("work/private/p.txt", "private plans: Nightingale");
    env.write("work/root/ann/a.txt", "the plans of Ann: Swallow");
    // The user says something on the command line.
    let model = "--model script:replies.jsonl";
    let line = format!(
        "analyze --query Nightingale? --inputs private {model} --approve-after 1 --no-input --json"
    );
    assert_eq!(env.run(&line).code, 0);
    let known = env.run(&format!("ask Nightingale? {model} --json"));
    assert_eq!(known.code, 0, "{}", known.stderr);
    let shown = env.run("threads show last --json").stdout;
    assert!(shown.contains("PRIVATE-FACT"), "{shown}");
    let mut server = with_owners(&env, &format!("--root root {model}"));
    let folder = json!({"user_input": "Swallow?", "inputs": {"folder": "ann"}});
    let (thread, asked) = run(&mut server, ANN, "archie", &folder);
    let ask = asked["__interrupt__"][0]["id"].as_str().unwrap();
    let order = json!({"assistant_id": "archie", "command": {"resume": {ask: "/approve"}}});
    let path = format!("/threads/{thread}/runs/wait");
    let (status, end) = server.call_as(ANN, "POST", &path, &order);
    assert_eq!(status, 200, "{end}");
    assert!(trace(&mut server, ANN, &thread).contains("ANNS-FACT"));
    let anything = json!({"user_input": "Nightingale? Swallow?", "current_flow": "ask"});
    let (thread, _) = run(&mut server, ANN, "archie", &anything);
    let anns = trace(&mut server, ANN, &thread);
    assert!(anns.contains("ANNS-FACT"), "{anns}");
    assert!(!anns.contains("PRIVATE-FACT"), "{anns}");
    for flow in ["ask", "analysis"] {
        let anything = json!({"user_input": "Nightingale? Swallow?", "current_flow": flow});
        let (thread, _) = run(&mut server, BOB, "archie", &anything);
        let bobs = trace(&mut server, BOB, &thread);
        assert!(bobs.contains("Nightingale"), "{bobs}");
        for fact in ["ANNS-FACT", "PRIVATE-FACT"] {
            assert!(!bobs.contains(fact), "{flow}: {bobs}");
        }
    }
    assert!(!store(&mut server, BOB).contains("FACT"));
}

#[test]
fn no_owner_reads_what_the_server_keeps_for_itself_or_for_others() {
    let env = TestEnv::new();
    env.write(
        "work/replies.jsonl",
        r#"{"text": "ok", "repeat": "always"}"#,
    );
    env.write("work/plan.md", "THE-PLAN");
    env.write("work/credentials.json", "CREDENTIALS");
    env.write("work/.keys/openai.txt", "THE-KEY");
    env.write("work/mail/a.txt", "THE-MAIL");
    let account = "--folder mail --owner me@example.org";
    let line = format!("--model script:replies.jsonl {account}");
    let mut server = with_owners(&env, &line);
    let upload = json!("THE-UPLOAD");
    let (status, kept) = server.call_as(ANN, "POST", "/files?name=a.txt", &upload);
    assert_eq!(status, 200, "{kept}");
    let input = |folder: &str| json!({"user_input": "What is here?", "inputs": {"folder": folder, "globs": ["**/*", "*"]}});
    let (thread, end) = run(&mut server, BOB, "archie", &input("."));
    let names: Vec<&str> = end["inputs"]["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|file| file["path"].as_str())
        .collect();
    assert!(names.contains(&"plan.md"), "{names:?}");
    let bobs = trace(&mut server, BOB, &thread) + &store(&mut server, BOB);
    assert!(bobs.contains("THE-PLAN"), "{bobs}");
    for secret in [ANN, "THE-KEY", "THE-MAIL", "THE-UPLOAD", "CREDENTIALS"] {
        assert!(!bobs.contains(secret), "{secret}: {bobs}");
    }
    for folder in [".keys", "mail", "data", "data/superstep/files", "owners"] {
        let ask = json!({"assistant_id": "archie", "input": input(folder)});
        let (_, end) = server.call_as(BOB, "POST", "/runs/wait", &ask);
        let why = end["__error__"]["message"].as_str().unwrap_or_default();
        assert!(why.contains("it is not in"), "{folder}: {end}");
    }
}

/// A text that a thread names, as the server gives it to who has this token.
fn opened(server: &mut Served, token: &str, thread: &str, name: &str) -> Option<String> {
    server.call_as(token, "GET", &format!("/threads/{thread}"), &json!({}));
    let path = format!("/threads/{thread}/text?name={name}");
    let (status, text) = server.send("GET", &path, b"");
    assert!(matches!(status, 200 | 404), "{name}: {status}");
    (status == 200).then(|| String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_text_of_a_thread_opens_for_its_owner_alone_and_none_from_elsewhere_opens() {
    let env = TestEnv::new().with_documents();
    env.write(
        "work/replies.jsonl",
        r#"{"text": "ok", "repeat": "always"}"#,
    );
    env.write("work/docs/.env", "KEY=1");
    env.write("work/secret.txt", "SECRET");
    let model = "--model script:replies.jsonl --share docs";
    let mut server = with_owners(&env, &format!("--root docs {model}"));
    let question = json!({"user_input": "What is planned?", "inputs": {"folder": "."}});
    let (talk, _) = run(&mut server, ANN, "archie", &question);
    let order = json!({"request": {"root": ".", "no_model": true}});
    let (pages, _) = run(&mut server, ANN, "docs", &order);
    for thread in [&talk, &pages] {
        let plan = opened(&mut server, ANN, thread, "plan.md").unwrap();
        assert!(plan.contains("One ledger holds all payments."), "{plan}");
        assert_eq!(opened(&mut server, BOB, thread, "plan.md"), None);
        for name in [
            "", ".env", "../secret.txt", "%2Fetc%2Fpasswd", "deep", "none.md",
        ] {
            assert_eq!(opened(&mut server, ANN, thread, name), None, "{name}");
        }
    }
    let index = opened(&mut server, ANN, &pages, "index.md").unwrap();
    assert!(index.starts_with('#'), "{index}");
    // What a client writes into the state leads nowhere either.
    let elsewhere =
        json!({"as_node": "__start__", "values": {"request": {"root": "..", "output": ""}}});
    let edit = format!("/threads/{pages}/state");
    server.call_as(ANN, "POST", &edit, &elsewhere);
    assert_eq!(opened(&mut server, ANN, &pages, "secret.txt"), None);
}

/// What the command line does with a thread that an owner shaped, unasked and once the person agreed.
fn resume(env: &TestEnv, thread: &str, more: &str) -> (String, String) {
    let line = format!("threads resume {thread} --no-input {more}");
    let unasked = env.run(&line);
    assert_eq!(unasked.code, 2, "{}{}", unasked.stdout, unasked.stderr);
    let agreed = env.run(&format!("{line} --yes"));
    (unasked.stderr, agreed.stdout + &agreed.stderr)
}

#[test]
fn no_folder_of_an_owners_thread_is_read_or_written_before_the_person_saw_it() {
    let env = TestEnv::new();
    env.write("work/docs/a.md", "The ledger is Ann's.\n");
    env.write("secret/plan.md", "PRIVATEPLAN\n");
    let secret = env.path("secret").display().to_string();
    let model = "--model script:FIXTURES/archie.jsonl";
    let mut server = with_owners(&env, &format!("--root docs {model}"));
    let (status, made) = server.call_as(BOB, "POST", "/threads", &json!({"graph_id": "archie"}));
    assert_eq!(status, 200, "{made}");
    let thread = made["thread_id"].as_str().unwrap().to_owned();
    let values = json!({"user_input": "What is planned?", "inputs": {"folder": secret}});
    let order = json!({"values": values, "as_node": "__start__"});
    let path = format!("/threads/{thread}/state");
    let (status, said) = server.call_as(BOB, "POST", &path, &order);
    assert_eq!(status, 200, "{said}");
    drop(server);
    let (unasked, _) = resume(&env, &thread, model);
    assert!(unasked.contains("HERE/secret"), "{unasked}");
    // Bob names another one after the person agreed: they are asked again.
    let mut server = with_owners(&env, &format!("--root docs {model}"));
    let (status, said) = server.call_as(BOB, "POST", &path, &order);
    assert_eq!(status, 200, "{said}");
    drop(server);
    resume(&env, &thread, model);
}

#[test]
fn a_result_that_an_owner_may_download_is_not_pruned() {
    let env = TestEnv::new();
    env.write(
        "replies.jsonl",
        include_str!("../../../agents/sheets/demo/replies.jsonl"),
    );
    let model = format!("--model script:{}", env.path("replies.jsonl").display());
    let mut server = with_owners(&env, &model);
    let (_, assistants) = server.call_as(BOB, "POST", "/assistants/search", &json!({}));
    let sheets = assistants.as_array().unwrap().iter();
    let sheets = sheets.filter(|it| it["graph_id"] == "sheets").count();
    assert_eq!(sheets, 1, "{assistants}");
    let workbook = include_bytes!("../../../agents/sheets/demo/sales.xlsx");
    let (status, kept) = server.send("POST", "/files?name=sales.xlsx", workbook);
    assert_eq!(status, 200);
    let kept = crate::served::json(&kept);
    let problem = json!({"instruction": "Add the revenue", "workbook": kept["file_id"]});
    // The thread goes with its run; the result stays Bob's.
    let order = json!({"assistant_id": "sheets", "input": {"problem": problem}});
    let (status, end) = server.call_as(BOB, "POST", "/runs/wait", &order);
    assert_eq!((status, &end["status"]), (200, &json!("finished")), "{end}");
    let path = format!("/files/{}", end["version"].as_str().unwrap());
    let (status, made) = server.send("GET", &path, b"");
    assert_eq!((status, made.windows(2).any(|it| it == b"PK")), (200, true));
    let pruned = env.run("sheet prune --yes --json");
    assert_eq!(pruned.code, 0, "{}", pruned.stderr);
    let (status, again) = server.send("GET", &path, b"");
    assert_eq!((status, again == made), (200, true), "{}", pruned.stdout);
    // What Bob deletes is his no longer, and goes.
    let (status, _) = server.send("DELETE", &path, b"");
    assert_eq!(status, 204);
    let pruned = env.run("sheet prune --yes --json");
    assert_ne!(pruned.events()[0]["deleted"], 0, "{}", pruned.stdout);
}

#[test]
fn owners_use_the_mailbox_and_write_pages_only_if_the_user_shares_them() {
    let env = env_with(&["Lunch"]);
    env.write("work/app/main.py", "import os\n");
    let served = format!("--send --root app {ACCOUNT}");
    let mail = json!({"from": {"email": "ann@example.org"}, "to": [{"email": "me@example.org"}],
        "subject": "Lunch", "text": "Does Thursday suit you?"});
    let mail = json!({"email_input": {"id": "lunch.eml", "thread": "t", "mail": mail}});
    let pages = json!({"request": {"root": ".", "agents": ["file-structure"]}});
    let runs = [
        ("email_assistant", &mail),
        ("mail", &mail),
        ("docs", &pages),
    ];
    let mut server = with_owners(&env, &served);
    for (assistant, input) in runs {
        let order = json!({"assistant_id": assistant, "input": input});
        let (status, refused) = server.call_as(BOB, "POST", "/runs/wait", &order);
        assert_eq!(status, 404, "{assistant}: {refused}");
    }
    let (_, seen) = server.call_as(BOB, "POST", "/assistants/search", &json!({}));
    assert!(seen.to_string().contains("archie"), "{seen}");
    for hidden in ["email_assistant", "mail_ingest", "\"docs\""] {
        assert!(!seen.to_string().contains(hidden), "{hidden}: {seen}");
    }
    assert!(!env.path("work/app/docs").exists(), "nothing was written");
    drop(server);
    assert!(sent(&env).is_empty());
    // The user who starts the server may want it otherwise.
    let mut server = with_owners(&env, &format!("--share mail --share docs {served}"));
    let (_, asked) = run(&mut server, BOB, "email_assistant", &mail);
    assert!(asked["__interrupt__"][0]["id"].is_string(), "{asked}");
    let order = json!({"assistant_id": "docs", "input": pages});
    let (status, made) = server.call_as(BOB, "POST", "/runs/wait", &order);
    assert_eq!(status, 200, "{made}");
}
