//! `superstep serve`: the agents over HTTP.

use serde_json::{Value as Json, json};

use crate::{env::TestEnv, served::Served};

#[test]
fn the_agents_are_served_without_a_model_and_say_what_they_lack() {
    let env = TestEnv::new();
    let server = Served::start(&env, "serve --port 0 --no-input --fake-audius --offline");
    let (status, found) = server.call(
        "POST",
        "/assistants/search",
        &json!({"sort_by": "graph_id"}),
    );
    assert_eq!(status, 200);
    let mut ids: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|assistant| assistant["graph_id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(
        ids,
        ["archie", "atris", "docs", "email_assistant", "sheets"]
    );
    for assistant in found.as_array().unwrap() {
        let about = assistant["description"].as_str().unwrap();
        assert!(!about.contains('\n') && about.len() > 20, "{assistant}");
        let example = &assistant["metadata"]["example_input"];
        assert!(example.is_object(), "{assistant}");
        let ui = &assistant["metadata"]["ui"];
        assert_eq!(&ui["example"], example);
        assert!(ui["title"].is_string() && ui["nodes"].is_object(), "{ui}");
        assert!(
            !about.contains('('),
            "what is missing is in `needs`: {about}"
        );
        let path = format!(
            "/assistants/{}/schemas",
            assistant["assistant_id"].as_str().unwrap()
        );
        let (_, schemas) = server.call("GET", &path, &json!(null));
        let fields = schemas["input_schema"]["properties"].as_object().unwrap();
        let example = example.as_object().unwrap();
        assert!(
            example.keys().all(|name| fields.contains_key(name)),
            "{schemas}"
        );
    }
    let (_, drawn) = server.call("GET", "/assistants/mail/graph", &json!(null));
    assert!(drawn["nodes"].as_array().unwrap().len() > 2, "{drawn}");
    // By rules, without a model.
    let ask =
        json!({"assistant_id": "atris", "input": {"query": "What are the top trending tracks?"}});
    let (status, end) = server.call("POST", "/runs/wait", &ask);
    assert_eq!((status, end.get("__error__")), (200, None), "{end}");
    // What needs a model says how to have one.
    let ask = json!({"assistant_id": "archie", "input": {"user_input": "What is it?"}});
    let (_, end) = server.call("POST", "/runs/wait", &ask);
    let why = end["__error__"]["message"].as_str().unwrap();
    for way in ["superstep model pull", "--model", "ANTHROPIC_API_KEY"] {
        assert!(why.contains(way), "{end}");
    }
}

#[test]
fn a_code_base_is_documented_by_its_facts_below_the_roots_alone() {
    let env = TestEnv::new();
    let shop = env.path("shop");
    std::fs::create_dir_all(&shop).unwrap();
    std::fs::write(shop.join("main.py"), "def main():\n    pass\n").unwrap();
    let line = format!(
        "serve --port 0 --no-input --offline --root {}",
        shop.display()
    );
    let server = Served::start(&env, &line);
    let ask = json!({"assistant_id": "docs", "input": {"request": {"root": "."}}});
    let (status, end) = server.call("POST", "/runs/wait", &ask);
    assert_eq!((status, end.get("__error__")), (200, None), "{end}");
    assert_eq!(end["outcome"]["status"], "facts", "{end}");
    assert!(shop.join("superstep-docs").is_dir());
    for agent in [
        json!({"assistant_id": "docs", "input": {"request": {"root": ".."}}}),
        json!({"assistant_id": "archie", "input": {"user_input": "x", "inputs": {"folder": ".."}}}),
    ] {
        let (_, end) = server.call("POST", "/runs/wait", &agent);
        let why = end["__error__"]["message"].as_str().unwrap();
        assert!(why.contains("may be read"), "{end}");
    }
}

#[test]
fn a_workbook_is_uploaded_worked_on_and_downloaded() {
    let env = TestEnv::new();
    let script = include_str!("../../../agents/sheets/demo/replies.jsonl");
    env.write("replies.jsonl", script);
    let line = format!(
        "serve --port 0 --no-input --offline --model script:{}",
        env.path("replies.jsonl").display()
    );
    let server = Served::start(&env, &line);
    let workbook = include_bytes!("../../../agents/sheets/demo/sales.xlsx");
    let (status, kept) = server.send("POST", "/files?name=sales.xlsx", workbook);
    assert_eq!(status, 200);
    let kept: Json = serde_json::from_slice(&kept).unwrap();
    let problem = json!({"instruction": "Add the revenue", "workbook": kept["file_id"]});
    let ask = json!({"assistant_id": "sheets", "input": {"problem": problem}});
    let (status, end) = server.call("POST", "/runs/wait", &ask);
    assert_eq!((status, &end["status"]), (200, &json!("finished")), "{end}");
    let version = end["version"].as_str().unwrap();
    let (status, made) = server.send("GET", &format!("/files/{version}?name=new.xlsx"), b"");
    assert_eq!(status, 200);
    assert!(made.starts_with(b"PK") && made != workbook);
}

#[test]
fn others_reach_it_only_with_a_token() {
    let env = TestEnv::new();
    let refused = env.run("serve --host 0.0.0.0 --port 0 --no-input");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("SS9002"), "{}", refused.stderr);
    env.write("work/owners", "ann a-token-of-more-than-16\n");
    let refused = env.run("serve --host 0.0.0.0 --port 0 --no-input --owners owners");
    assert!(refused.stderr.contains("SS9002"), "{}", refused.stderr);
    env.write("work/owners", "ann short\n");
    let refused = env.run("serve --port 0 --no-input --owners owners");
    assert!(refused.stderr.contains("SS9006"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("short"), "{}", refused.stderr);
    let env = env.with("SUPERSTEP_TOKEN", "a token");
    let server = Served::start(&env, "serve --port 0 --no-input");
    let (status, refused) = server.call("POST", "/threads/search", &json!({}));
    assert_eq!(status, 401, "{refused}");
}

#[test]
fn two_servers_and_other_commands_work_on_one_database() {
    let env = TestEnv::new();
    let line = "serve --port 0 --no-input --offline";
    let [first, second] = [(); 2].map(|()| Served::start(&env, line));
    let made = first.call("POST", "/threads", &json!({})).1;
    let path = format!("/threads/{}", made["thread_id"].as_str().unwrap());
    assert_eq!(second.call("GET", &path, &json!(null)), (200, made));
    let beside = env.run("threads list");
    assert_eq!(beside.code, 0, "{}", beside.stderr);
    // One is killed.
    drop(first);
    assert_eq!(second.call("GET", "/ok", &json!(null)).0, 200);
}

#[cfg(unix)]
#[test]
fn tokens_of_owners_that_other_users_can_read_are_warned_about() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = TestEnv::new();
    env.write("work/owners", "ann a-token-of-sixteen\n");
    let warns = |mode: u32| {
        let file = env.path("work/owners");
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
        let ran = env.run("serve --no-input --offline --host nonsense.invalid --owners owners");
        ran.stderr.contains("chmod 600")
    };
    assert_eq!((warns(0o644), warns(0o600)), (true, false));
}

#[cfg(unix)]
#[test]
fn a_server_that_is_told_to_end_answers_whoever_waits_and_the_next_one_finishes_the_run() {
    let env = TestEnv::new();
    env.write(
        "work/replies.jsonl",
        r#"{"text": "Two services.", "delay_ms": 2000, "repeat": "always"}"#,
    );
    let line = "serve --port 0 --no-input --offline --db t.db --model script:replies.jsonl";
    let server = Served::start(&env, line);
    let (_, made) = server.call("POST", "/threads", &json!({}));
    let thread = format!("/threads/{}", made["thread_id"].as_str().unwrap());
    let order = json!({"assistant_id": "archie", "input": {"user_input": "One or two?", "current_flow": "ask"}});
    let (wait, address) = (format!("{thread}/runs/wait"), server.address.clone());
    let waiting = std::thread::spawn(move || call(&address, &wait, &order));
    while server.call("GET", &thread, &json!(null)).1["status"] != "busy" {}
    assert_eq!(server.told_to_end(), Some(0));
    let answered = waiting.join().unwrap();
    let is_whole = answered.contains("Two services.") || answered.contains("SS9013");
    assert!(is_whole, "{answered}");
    let server = Served::start(&env, line);
    while server.call("GET", &thread, &json!(null)).1["status"] == "busy" {}
    let (_, state) = server.call("GET", &format!("{thread}/state"), &json!(null));
    assert_eq!(
        state["values"]["analysis_output"], "Two services.",
        "{state}"
    );
}

/// The whole answer to a request that waits.
#[cfg(unix)]
fn call(address: &str, path: &str, body: &Json) -> String {
    use std::io::{Read as _, Write as _};
    let (mut stream, body) = (
        std::net::TcpStream::connect(address).unwrap(),
        body.to_string(),
    );
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_worker_is_told_which_graphs_it_runs_and_no_others() {
    let env = TestEnv::new();
    let none = env.run("serve --port 0 --no-input --offline --role api --graph docs");
    assert_eq!(none.code, 2, "{}", none.stderr);
    let unknown = env.run("serve --port 0 --no-input --offline --role worker --graph doc");
    assert!(unknown.stderr.contains("SS9001"), "{}", unknown.stderr);
}
