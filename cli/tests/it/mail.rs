//! Mail that arrives, what is learnt of it, accounts that are wrong.

use std::{
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::ExitStatusExt,
    process::Command,
};

use superstep_fake_google as fake;

use crate::{
    env::TestEnv,
    post::{ACCOUNT, env_with, ingest, put, question, questions, sent, with_settings},
    terminal::Terminal,
};

#[test]
fn mail_is_sorted_once_and_questions_are_counted() {
    let env = env_with(&["Lunch", "Sale", "Backup"]);
    let first = ingest(&env);
    assert_eq!(first.code, 0, "{}", first.stderr);
    for line in [
        "respond, 1 question  Lunch", "ignore, done  Sale", "notify, 1 question  Backup",
    ] {
        assert!(first.stdout.contains(line), "{line}: {}", first.stdout);
    }
    assert!(first.stderr.contains("dry run"), "{}", first.stderr);
    assert!(
        first
            .stderr
            .contains("Processed 3 new mails (0 seen before)"),
        "{}",
        first.stderr
    );
    assert!(
        first.stderr.contains("2 questions wait"),
        "{}",
        first.stderr
    );
    let again = ingest(&env);
    assert_eq!(again.code, 0);
    assert!(
        again
            .stderr
            .contains("Processed 0 new mails (3 seen before)"),
        "{}",
        again.stderr
    );
    assert_eq!(questions(&env).len(), 2);
    assert!(sent(&env).is_empty());
    let rerun = env.run(&format!(
        "mail ingest --rerun --subject sale --json {ACCOUNT}"
    ));
    let events = rerun.events();
    assert_eq!(events[0]["result"], "done", "{events:?}");
    assert_eq!(events[0]["class"], "ignore", "{events:?}");
    assert_eq!(events[1]["event"], "summary");
}

#[test]
fn a_limit_counts_what_is_new_and_filters_leave_the_rest() {
    let env = env_with(&["Lunch", "Sale", "Backup"]);
    let none = env.run(&format!("mail ingest --from nobody@ {ACCOUNT}"));
    assert!(none.stderr.contains("Processed 0 new"), "{}", none.stderr);
    for known in 0..3 {
        let ran = env.run(&format!("mail ingest --limit 1 {ACCOUNT}"));
        let wanted = format!("Processed 1 new mail ({known} seen before)");
        assert!(ran.stderr.contains(&wanted), "{}", ran.stderr);
    }
    let over = env.run(&format!("mail ingest --limit 1 {ACCOUNT}"));
    assert!(over.stderr.contains("Processed 0 new"), "{}", over.stderr);
}

/// A mail with a long text that cannot be compressed, called `a.eml`.
fn put_large(env: &TestEnv) {
    let mut state = 1_u64;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'a' + u8::try_from(state % 26).unwrap())
    };
    let mut text = String::new();
    for _ in 0..4_000 {
        text.extend((0..70).map(|_| letter()));
        text.push_str("\r\n");
    }
    let mail = format!(
        "From: Ann <ann@example.org>\r\nTo: Max <me@example.org>\r\nSubject: Sale\r\n\
         Message-ID: <large@example.org>\r\n\r\n{text}"
    );
    env.write("work/mail/a.eml", &mail);
}

/// Runs a command that is killed when a file of it grows much beyond what is there now.
fn killed_by_growth(env: &TestEnv, line: &str) -> Option<i32> {
    let folder = env.path("home/.local/share/superstep");
    let sizes = std::fs::read_dir(folder).unwrap();
    let sizes = sizes.map(|file| file.unwrap().metadata().unwrap().len());
    let blocks = (sizes.max().unwrap() + 30 * 1024) / 512;
    let inner = env.command(line);
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -c 0; ulimit -f $0; exec \"$@\""])
        .arg(blocks.to_string())
        .arg(inner.get_program())
        .args(inner.get_args())
        .env_clear()
        .current_dir(env.path("work"));
    for (name, value) in inner.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    let output = command.output().unwrap();
    output.status.signal()
}

#[test]
fn a_mail_that_ends_the_program_twice_is_set_aside_and_those_behind_it_are_looked_at() {
    const SIGXFSZ: i32 = 25;
    let env = env_with(&["Backup"]);
    assert_eq!(ingest(&env).code, 0);
    put_large(&env);
    put(&env, "Sale", "Everything must go.");
    let line = format!("mail ingest {ACCOUNT}");
    for _ in 0..2 {
        // It dies while it stores what it parsed, before it comes to the next mail.
        assert_eq!(killed_by_growth(&env, &line), Some(SIGXFSZ));
        // Whoever opens the file next moves what is in its log into it; the next run must not die of that.
        assert_eq!(env.run("db compact").code, 0);
    }
    let ran = ingest(&env);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("ignore, done  Sale"), "{}", ran.stdout);
    assert!(ran.stderr.contains("[SS7021]"), "{}", ran.stderr);
    for said in ["may be harmless", "to take it back"] {
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    assert!(ran.stderr.contains("Processed 1 new"), "{}", ran.stderr);
    let retry = "mail ingest --retry a.eml";
    let message = format!("superstep {retry}\n");
    assert!(ran.stderr.contains(&message), "{}", ran.stderr);
    // Again it is listed and nothing else happens, until somebody asks for it.
    assert!(ingest(&env).stderr.contains(&message));
    let ran = env.run(&format!("{retry} {ACCOUNT}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("ignore, done  Sale"), "{}", ran.stdout);
    let ran = ingest(&env);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn a_mail_that_nests_without_end_is_refused_with_a_code() {
    let env = env_with(&["Sale"]);
    let level = "Content-Type: message/rfc822\r\n\r\n";
    let mail = format!("From: a@b.example\r\n{}", level.repeat(130_000));
    env.write("work/mail/a.eml", &mail);
    let ran = ingest(&env);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("[SS7020]"), "{}", ran.stderr);
    assert!(ran.stderr.contains("50 levels"), "{}", ran.stderr);
    assert!(ran.stdout.contains("ignore, done  Sale"), "{}", ran.stdout);
}

#[test]
fn a_mail_that_is_not_there_cannot_be_retried() {
    let env = env_with(&["Sale"]);
    let ran = env.run(&format!("mail ingest --retry nobody.eml {ACCOUNT}"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("SS7004"), "{}", ran.stderr);
}

#[test]
fn a_mail_that_fails_keeps_no_other_from_being_looked_at() {
    let env = env_with(&["Broken", "Sale"]);
    let ran = ingest(&env);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("ignore, done  Sale"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no such words"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 failed"), "{}", ran.stderr);
}

#[test]
fn threads_of_mail_are_threads() {
    let env = env_with(&["Lunch"]);
    with_settings(&env, "");
    ingest(&env);
    let listed = env.run("threads list --agent mail --json").events();
    assert_eq!(listed[0]["title"], "Lunch");
    assert_eq!(listed[0]["status"], "waiting");
    let thread = listed[0]["thread"].as_str().unwrap();
    assert!(thread.starts_with("mail-"), "{thread}");
    let shown = env.run(&format!("threads show {thread} --state"));
    assert!(
        shown.stdout.contains("classification_decision: respond"),
        "{}",
        shown.stdout
    );
    let history = env.run(&format!("threads history {thread}"));
    assert!(
        history.stdout.contains("triage_router"),
        "{}",
        history.stdout
    );
    let resumed = env.run(&format!("threads resume {thread}"));
    assert_eq!(resumed.code, 3, "{}", resumed.stderr);
    for told in [
        "send reply", "Does Thursday suit you?", "Thursday suits me.",
    ] {
        assert!(resumed.stdout.contains(told), "{told}: {}", resumed.stdout);
    }
    let how = "answer it with superstep inbox accept ";
    assert!(resumed.stderr.contains(how), "{}", resumed.stderr);
    let trace = env.run(&format!("trace show {thread}"));
    assert!(trace.stdout.contains("triage_router"), "{}", trace.stdout);
    let fork = env.run(&format!("threads fork {thread}"));
    assert!(fork.stdout.starts_with("mail-"), "{}", fork.stdout);
    assert_eq!(env.run(&format!("threads delete {thread} --yes")).code, 0);
}

#[test]
fn a_thread_of_mail_is_resumed_with_the_account_that_is_named() {
    let env = env_with(&["Lunch"]);
    env.write(
        "work/mute.jsonl",
        "{\"when\": {\"schema\": \"x\"}, \"text\": \"\"}\n",
    );
    let account = "--folder mail --owner me@example.org";
    let failed = env.run(&format!("mail ingest {account} --model script:mute.jsonl"));
    assert_eq!(failed.code, 1, "{}", failed.stderr);
    let told = failed.stderr.matches("[SS5017]").count();
    assert_eq!(told, 1, "the code is said once: {}", failed.stderr);
    let thread = env.run("threads list --json").events()[0]["thread"].clone();
    let thread = thread.as_str().unwrap();
    let model = "--model script:FIXTURES/mail.jsonl";
    let without = env.run(&format!("threads resume {thread} {model}"));
    assert_eq!(without.code, 2, "{}", without.stderr);
    assert!(without.stderr.contains("SS6051"), "{}", without.stderr);
    let resumed = env.run(&format!("threads resume {thread} {account} {model}"));
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(questions(&env).len(), 1);
    let other = env.run(&format!("threads resume archie-x {account}"));
    assert_eq!(other.code, 1, "there is no such thread: {}", other.stderr);
}

#[test]
fn a_mail_that_failed_is_processed_once_by_a_rerun() {
    let env = env_with(&["Broken", "Lunch"]);
    let first = ingest(&env);
    assert_eq!(first.code, 1, "{}", first.stderr);
    let rerun = env.run(&format!("mail ingest --rerun --json {ACCOUNT}"));
    let mut mails: Vec<String> = rerun
        .events()
        .iter()
        .filter(|it| it["event"] == "mail")
        .map(|it| it["mail"].as_str().unwrap().to_owned())
        .collect();
    mails.sort();
    assert_eq!(mails, ["broken.eml", "lunch.eml"], "{}", rerun.stdout);
    let events = rerun.events();
    let summary = events.last().unwrap();
    assert_eq!(summary["looked_at"], 1, "{summary}");
    assert_eq!(summary["failed"], 1, "{summary}");
}

#[test]
fn a_mail_that_waits_and_is_damaged_can_be_removed() {
    let env = env_with(&["Broken"]);
    assert_eq!(ingest(&env).code, 1);
    // It waits in the memory until its thread is finished with it.
    let path = env.path("home/.local/share/superstep/superstep.db");
    let listed = env
        .run("memory list --under email_assistant.queue --json")
        .events();
    assert_eq!(listed.len(), 1, "{listed:?}");
    let item = &listed[0];
    let mut bytes = std::fs::read(&path).unwrap();
    // As JSON, which threads are not.
    let word = b":\"Does Thursday suit you?";
    let mut found = 0;
    for at in 0..bytes.len() - word.len() {
        if &bytes[at..at + word.len()] == word {
            bytes[at + 2] = b'Z';
            found += 1;
        }
    }
    assert!(found > 0);
    std::fs::write(&path, bytes).unwrap();
    let failed = ingest(&env);
    assert_eq!(failed.code, 1, "{}", failed.stderr);
    assert!(failed.stderr.contains("SS7007"), "{}", failed.stderr);
    let namespace = item["namespace"].as_array().map(|labels| {
        let labels: Vec<&str> = labels.iter().filter_map(|it| it.as_str()).collect();
        labels.join(".")
    });
    let namespace = namespace.unwrap();
    let key = item["key"].as_str().unwrap();
    assert!(failed.stderr.contains(&namespace), "{}", failed.stderr);
    assert!(failed.stderr.contains(key), "{}", failed.stderr);
    let asked = env.run(&format!("memory delete {namespace} {key}"));
    assert_eq!(asked.code, 2, "{}", asked.stderr);
    let gone = env.run(&format!("memory delete {namespace} {key} --yes"));
    assert_eq!(gone.code, 0, "{}", gone.stderr);
    let after = env.run("memory list --under email_assistant.queue --json");
    assert!(after.events().is_empty(), "{}", after.stdout);
    let again = env.run(&format!("memory delete {namespace} {key} --yes"));
    assert_eq!(again.code, 1, "{}", again.stderr);
}

#[test]
fn a_consent_counts_once_the_thread_can_be_run() {
    let env = env_with(&["Lunch"]);
    ingest(&env);
    let thread = questions(&env)[0]["thread"].clone();
    let thread = thread.as_str().unwrap();
    env.run(&format!("threads export {thread} t.jsonl"));
    assert_eq!(env.run("threads import t.jsonl mail-moved").code, 0);
    // At a terminal, the question cannot be answered without an account.
    let terminal = Terminal::run(&env, "threads resume mail-moved --yes --color never");
    terminal.shows("Does Thursday suit you?").shows("SS6051");
    assert_eq!(terminal.end(), 2);
    let shown = env.run("threads show mail-moved").stdout;
    assert!(shown.contains("you have not agreed to run it"), "{shown}");
    let refused = env.run(&format!(
        "inbox accept mail-moved:{} --rehearse {ACCOUNT}",
        {
            let all = questions(&env);
            let moved = all.iter().find(|it| it["thread"] == "mail-moved").unwrap();
            moved["id"].as_str().unwrap().to_owned()
        }
    ));
    assert!(refused.stderr.contains("SS7022"), "{}", refused.stderr);
}

#[test]
fn the_graph_of_the_assistant_is_data_too() {
    let ran = TestEnv::new().run("graph mail --json");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let graph = &ran.events()[0];
    assert_eq!(graph["agent"], "mail");
    let nodes = graph["nodes"].as_array().unwrap();
    let inner = nodes
        .iter()
        .find(|it| it["name"] == "response_agent")
        .unwrap();
    for graph in [graph, &inner["graph"]] {
        let edges = graph["edges"].as_array().unwrap();
        assert!(edges.iter().any(|it| it["to"] == "END"), "{edges:?}");
    }
    let drawn = TestEnv::new().run("graph mail --mermaid --json").events()[0]["mermaid"].clone();
    assert!(drawn.as_str().unwrap().contains("triage_router"));
}

#[test]
fn the_graph_of_the_assistant_has_two_levels() {
    let ran = TestEnv::new().run("graph mail");
    ran.is_like("graph-mail");
    for node in ["triage_router", "llm_call", "settle_decisions"] {
        assert!(ran.stdout.contains(node), "{node}");
    }
}

#[test]
fn notes_are_shown_compared_and_taken_back() {
    let env = env_with(&["Lunch"]);
    ingest(&env);
    let id = question(&env);
    let edited = env.run(&format!(
        "inbox edit {id} --set response_text=Max --rehearse {ACCOUNT}"
    ));
    assert_eq!(edited.code, 0, "{}", edited.stderr);
    assert!(
        edited.stdout.contains("the note `response` changed"),
        "{}",
        edited.stdout
    );
    let shown = env.run("mail memory show");
    assert!(
        shown.stdout.contains("- Sign with Max."),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("Which mail matters"),
        "{}",
        shown.stdout
    );
    let versions = env.run("mail memory versions response --json").events();
    assert_eq!(versions.len(), 2);
    let diff = env.run("mail memory diff response");
    assert!(
        diff.stdout.contains("+ - Sign with Max."),
        "{}",
        diff.stdout
    );
    let undone = env.run("mail memory undo response");
    assert!(
        undone.stderr.contains("back to version 1"),
        "{}",
        undone.stderr
    );
    assert!(
        !env.run("mail memory show response")
            .stdout
            .contains("Sign with Max")
    );
    let diff = env.run("mail memory diff response 2 3");
    assert!(
        diff.stdout.contains("- - Sign with Max."),
        "{}",
        diff.stdout
    );
    assert_eq!(env.run("mail memory undo triage").code, 1);
    assert_eq!(env.run("mail memory diff response 1 9").code, 1);
}

#[test]
fn an_account_is_checked_and_nothing_is_changed() {
    let env = env_with(&["Lunch", "Sale"]);
    env.write("work/meetings/broken.ics", "this is no calendar");
    let ran = env.run("mail check --folder mail --owner me@example.org --calendar meetings");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("2 unread"), "{}", ran.stdout);
    let none = env.run("mail check --folder mail --owner me@example.org --json");
    assert_eq!(none.events()[0]["calendar"], serde_json::Value::Null);
    assert!(!env.path("home/.local/share/superstep").exists());
    let mistyped = env.run("mail check --folder mail --owner me@example.org --calendar meeting");
    assert_eq!(mistyped.code, 2, "{}", mistyped.stderr);
    assert!(!env.path("work/meeting").exists());
}

#[test]
fn an_account_that_is_missing_or_wrong_is_told() {
    let env = env_with(&[]);
    let none = env.run("mail ingest --model script:FIXTURES/mail.jsonl");
    assert_eq!(none.code, 2, "{}", none.stderr);
    assert!(
        none.stderr.contains("--folder DIR --owner ADDRESS"),
        "{}",
        none.stderr
    );
    let owner = env.run("mail check --folder mail");
    assert!(
        owner.code == 2 && owner.stderr.contains("--owner"),
        "{}",
        owner.stderr
    );
    for (line, message) in [
        (
            "foldr = \"x\"",
            "unknown key `foldr`; did you mean `folder`?",
        ),
        (
            "imap.hots = \"x\"",
            "unknown key `imap.hots`; did you mean `imap.host`?",
        ),
        (
            "kind = \"pop\"",
            "`kind` must be \"folder\", \"google\" or \"imap\"",
        ),
        ("owner = \"nobody\"", "`owner` must be an address"),
        (
            "working_hours = \"17:00-09:00\"",
            "`working_hours` must be hours",
        ),
        (
            "working_days = [\"moon\"]",
            "`working_days` must be a list of days",
        ),
        (
            "time_zone = \"Mars/Base\"",
            "`time_zone` must be a time zone",
        ),
        ("max_turns = 0", "`max_turns` must be a number"),
        ("smtp.port = 99999", "`smtp.port` must be a port"),
    ] {
        env.write(
            "home/.config/superstep/config.toml",
            &format!("[agents.mail]\n{line}\n"),
        );
        let ran = env.run("mail check --folder mail --owner me@example.org");
        assert_eq!(ran.code, 2, "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("config.toml:2: "), "{}", ran.stderr);
        assert!(ran.stderr.contains(message), "{line}: {}", ran.stderr);
    }
}

#[test]
fn a_project_does_not_say_where_mail_goes() {
    let env = env_with(&[]);
    env.write("work/superstep.toml", "[agents.mail]\ndry_run = false\n");
    let ran = env.run("mail check --folder mail --owner me@example.org");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("belongs in the user's file"),
        "{}",
        ran.stderr
    );
}

#[test]
fn nothing_leaves_a_machine_that_is_offline() {
    let env = env_with(&[]);
    let imap = "kind = \"imap\"\nuser = \"me\"\npassword_env = \"MAIL_PASSWORD\"\n\
                imap.host = \"imap.example.org\"\nsmtp.host = \"smtp.example.org\"\n";
    for more in ["kind = \"google\"\n", imap] {
        with_settings(&env, more);
        let ran = env.run("mail check --offline");
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("offline"), "{}", ran.stderr);
    }
    assert_eq!(env.run("mail login --offline").code, 2);
    let login = env.run("mail login");
    assert_eq!(login.code, 2);
    assert!(login.stderr.contains("--secrets"), "{}", login.stderr);
}

/// Opens an address as a browser does, and gives the whole answer.
#[cfg(feature = "remote")]
fn visit(url: &str) -> String {
    let rest = url.strip_prefix("http://").unwrap();
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut stream = std::net::TcpStream::connect(host).unwrap();
    let request = format!("GET {slash}{path} HTTP/1.1\r\nhost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[cfg(all(unix, feature = "remote"))]
#[test]
fn a_person_permits_an_account_and_nobody_else_can_read_what_is_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime
        .block_on(fake::Google::start(fake::Options::default()))
        .unwrap();
    let env = TestEnv::new();
    env.write("work/secrets.json", &server.application().to_string());
    let line = "mail login --secrets secrets.json --token kept/token.json";
    let mut child = env.command(line).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
    let url = stderr.find_map(|line| line.ok().filter(|line| line.starts_with("http://")));
    let agreed = visit(&url.unwrap());
    let mut headers = agreed.lines();
    let back = headers.find_map(|line| line.strip_prefix("location: "));
    assert!(visit(back.unwrap()).starts_with("HTTP/1.1 200"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let message: Vec<String> = stderr.map(Result::unwrap).collect();
    assert!(message.concat().contains("access granted"), "{message:?}");
    let token = env.path("work/kept/token.json");
    let rights = std::fs::metadata(token).unwrap().permissions().mode();
    assert_eq!(rights & 0o777, 0o600);
}

#[cfg(unix)]
#[test]
fn a_watch_looks_and_ends_with_ctrl_c() {
    let env = env_with(&["Sale"]);
    put(&env, "Broken", "?");
    let line = format!("mail watch --every 60 {ACCOUNT}");
    let mut child = env.command(&line).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut message = String::new();
    while !message.contains("Checking again in 60 min") {
        assert!(stderr.read_line(&mut message).unwrap() > 0, "{message}");
    }
    assert!(message.contains("no such words"), "{message}");
    let id = child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_demo_of_mail_needs_nothing() {
    let env = TestEnv::new();
    let ran = env.run("demo mail");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("sent to ann@example.org"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("+ - Sign replies with Max."),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("Subject: Re: The contract"),
        "{}",
        ran.stdout
    );
    assert!(!env.path("home/.local/share/superstep").exists());
}
