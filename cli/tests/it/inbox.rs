//! Questions of the e-mail assistant, answered by commands and at a terminal.

use std::fs;

use crate::{
    env::TestEnv,
    post::{ACCOUNT, asked, env_with, ingest, put, question, questions, sent, with_settings},
    terminal::Terminal,
};

#[test]
fn a_question_of_one_mailbox_is_not_answered_with_another() {
    let env = asked(&["Lunch"]);
    let id = question(&env);
    fs::create_dir(env.path("work/other")).unwrap();
    let eve = ACCOUNT.replace("--folder mail", "--folder other");
    let eve = format!(
        "{} --send",
        eve.replace("me@example.org", "eve@example.org")
    );
    for answer in ["accept", "ignore"] {
        let refused = env.run(&format!("inbox {answer} {id} {eve}"));
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.stderr.contains("SS7025"), "{refused:?}");
        let why = "belongs to the mailbox of me@example.org";
        assert!(refused.stderr.contains(why), "{refused:?}");
    }
    assert_eq!(question(&env), id);
    assert!(sent(&env).is_empty());
    assert!(!env.path("work/other/sent").exists());
    // Nor is it counted there.
    let none = env.run(&format!("mail ingest {eve}"));
    assert!(!none.stderr.contains("question waits"), "{none:?}");
    let own = env.run(&format!("inbox accept {id} {ACCOUNT} --send"));
    assert_eq!(own.code, 0, "{own:?}");
    assert_eq!(sent(&env).len(), 1);
}

#[test]
fn what_is_accepted_is_sent_only_if_that_was_said() {
    let env = asked(&["Lunch"]);
    let id = question(&env);
    let completed = env.complete(&["superstep", "inbox", "accept", &id[..2]]);
    assert_eq!(completed.trim(), id);
    let shown = env.run(&format!("inbox show {}", &id[..4]));
    assert!(
        shown.stdout.contains("To: Ann <ann@example.org>"),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("Does Thursday suit you?"),
        "{}",
        shown.stdout
    );
    let dry = env.run(&format!("inbox accept {} {ACCOUNT}", &id[..8]));
    assert_eq!(dry.code, 0, "{}", dry.stderr);
    assert!(dry.stdout.contains("not sent"), "{}", dry.stdout);
    assert!(sent(&env).is_empty());
    // A dry run uses no question up, and says how to do it: the command works as it is printed.
    assert_eq!(question(&env), id);
    let (_, command) = dry.stdout.trim().split_once("superstep ").unwrap();
    assert!(command.ends_with("--send"), "{command}");
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let real = env.run(&command.replace("FIXTURES", fixture));
    assert_eq!(real.code, 0, "{}", real.stderr);
    assert!(real.stderr.contains("for real"), "{}", real.stderr);
    assert!(
        real.stdout.contains("sent to ann@example.org"),
        "{}",
        real.stdout
    );
    let mails = sent(&env);
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("Thursday suits me."), "{}", mails[0]);
    assert!(env.path("work/mail/read/lunch.eml").exists());
}

#[test]
fn a_reply_is_edited_and_a_word_makes_another_one() {
    let env = asked(&["Lunch"]);
    let id = question(&env);
    let message = env.run(&format!(
        "inbox respond {id} Friday is better --json {ACCOUNT}"
    ));
    assert_eq!(message.code, 0, "{}", message.stderr);
    let events = message.events();
    assert_eq!(events[0]["answer"][0]["type"], "response");
    assert_eq!(events[0]["answer"][0]["args"], "Friday is better");
    let ended = events.last().unwrap();
    assert_eq!(ended["status"], "waiting");
    let next = ended["questions"][0]["id"].as_str().unwrap();
    assert_ne!(next, id);
    assert_eq!(
        ended["questions"][0]["interrupts"][0]["action_request"]["args"]["response_text"],
        "Then Friday."
    );
    env.write(
        "work/changed.json",
        "{\"response_text\": \"Friday at noon?\"}",
    );
    let edited = env.run(&format!(
        "inbox edit {next} --file changed.json --send {ACCOUNT}"
    ));
    assert_eq!(edited.code, 0, "{}", edited.stderr);
    let mails = sent(&env);
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("Friday at noon?"), "{}", mails[0]);
    assert!(questions(&env).is_empty());
}

#[test]
fn what_is_ignored_is_left() {
    let env = asked(&["Lunch"]);
    let id = question(&env);
    let ran = env.run(&format!("inbox ignore {id} --send {ACCOUNT}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(sent(&env).is_empty());
    assert!(questions(&env).is_empty());
    assert_eq!(env.run("inbox").stdout, "");
}

#[test]
fn an_answer_that_makes_no_sense_leaves_the_question_open() {
    let env = asked(&["Backup", "Lunch"]);
    let all = questions(&env);
    let of = |action: &str| {
        let fits =
            |it: &&serde_json::Value| it["interrupts"][0]["action_request"]["action"] == action;
        all.iter().find(fits).unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (notify, send) = (of("notify"), of("send_email_tool"));
    let refused = env.run(&format!("inbox accept {notify} {ACCOUNT}"));
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("use respond or read or ignore"),
        "{}",
        refused.stderr
    );
    for (set, message) in [
        ("response_text=", "response_text"),
        ("email_id=other.eml", "email_id"),
        ("bcc=eve@example.net", "bcc"),
        ("additional_recipients=nobody", "no address"),
    ] {
        let wrong = env.run(&format!("inbox edit {send} --set {set} --send {ACCOUNT}"));
        assert_eq!(wrong.code, 2, "{set}: {}{}", wrong.stdout, wrong.stderr);
        assert!(wrong.stderr.contains(message), "{set}: {}", wrong.stderr);
    }
    let same = env.run(&format!("inbox edit {send} --set to=all {ACCOUNT}"));
    assert!(
        same.code == 2 && same.stderr.contains("accept"),
        "{}",
        same.stderr
    );
    assert_eq!(questions(&env).len(), 2);
    assert!(sent(&env).is_empty());
}

#[test]
fn an_id_that_is_stale_or_too_short_is_told() {
    let env = asked(&["Lunch"]);
    let id = question(&env);
    assert_eq!(env.run(&format!("inbox ignore {id} {ACCOUNT}")).code, 0);
    let stale = env.run(&format!("inbox accept {id} {ACCOUNT}"));
    assert_eq!(stale.code, 1, "{}", stale.stderr);
    assert!(
        stale.stderr.contains("superstep inbox list"),
        "{}",
        stale.stderr
    );
    let env = asked(&["Lunch", "Backup", "Hang"]);
    let short = env.run_words(&["inbox", "show", ""]);
    assert_eq!(short.code, 2, "{}", short.stderr);
}

#[test]
fn a_mail_that_is_shown_is_marked_as_read_and_nothing_is_learnt() {
    let env = asked(&["Backup"]);
    let ran = env.run(&format!("inbox read {} --send {ACCOUNT}", question(&env)));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stdout.contains("learned"), "{}", ran.stdout);
    assert!(questions(&env).is_empty());
    assert!(env.path("work/mail/read/backup.eml").exists());
}

/// Waits until a mail is among the sent ones.
fn until_sent(env: &TestEnv) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while sent(env).is_empty() {
        assert!(std::time::Instant::now() < end, "nothing was sent");
        std::thread::yield_now();
    }
}

#[test]
fn killed_behind_an_approval_the_next_ingest_finishes_and_one_mail_is_sent() {
    let env = asked(&["Hang"]);
    with_settings(&env, "dry_run = false\n");
    let thread = questions(&env)[0]["thread"].as_str().unwrap().to_owned();
    let line = format!("inbox accept {} --send {ACCOUNT}", question(&env));
    let mut child = env.command(&line).spawn().unwrap();
    until_sent(&env);
    // Another process meets it.
    let model = "--model script:FIXTURES/mail.jsonl";
    let second = env.run(&format!("threads resume {thread} {model}"));
    assert_eq!(second.code, 6, "{}", second.stderr);
    child.kill().unwrap();
    child.wait().unwrap();
    env.write(
        "work/then.jsonl",
        "{\"calls\": [{\"name\": \"Done\", \"args\": {\"done\": true}}], \"repeat\": \"always\"}\n",
    );
    let ran = env.run("mail ingest --model script:then.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // The turn had an invalid reply too, which a person leaves.
    let asks = ran.stdout.contains("respond, 1 question  Hang");
    assert!(asks, "{}", ran.stdout);
    assert_eq!(sent(&env).len(), 1);
    let model = "--model script:then.jsonl --send";
    let left = env.run(&format!("inbox ignore {} {model}", question(&env)));
    assert_eq!(left.code, 0, "{left:?}");
    assert_eq!(sent(&env).len(), 1);
    let listed = env.run("threads list --json").events();
    assert_eq!(listed[0]["status"], "done");
}

#[test]
fn nothing_of_a_mail_or_a_model_reaches_the_terminal_raw() {
    let env = env_with(&[]);
    put(&env, "Odd", "x\u{1b}]0;owned\u{7}\u{1b}[31my\u{202e}z");
    ingest(&env);
    let id = question(&env);
    for line in [
        "inbox list",
        &format!("inbox show {id}"),
        &format!("inbox show {id} --json"),
        "threads list",
    ] {
        let ran = env.run(line);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(
            !ran.stdout.contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{}",
            ran.stdout
        );
    }
    let shown = env.run(&format!("inbox show {id}"));
    assert!(
        shown
            .stdout
            .contains("Not in this thread so far: eve@example.net"),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("hidden characters (U+0007, U+001B"),
        "{}",
        shown.stdout
    );
    let terminal = Terminal::run(&env, &format!("inbox {ACCOUNT}"));
    terminal
        .shows("Not in this thread so far")
        .press("\r")
        .shows("arguments")
        .press("q");
    terminal.shows("q leave").press("q");
    terminal.has_shown("\u{1b}[?1049l", 1);
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert_eq!(terminal.end(), 0);
    let acts = raw.contains("\u{1b}]0;owned") || raw.contains('\u{202e}');
    assert!(!acts && raw.contains("<U+001B>]0;owned<U+0007>"), "{raw}");
}

#[test]
fn what_a_reply_hides_is_shown_before_it_is_sent_and_is_what_is_sent() {
    let env = env_with(&[]);
    put(&env, "Covert", "Does\u{e0101} Thursday suit you?");
    env.run(&format!("mail ingest --send {ACCOUNT}"));
    let shown = env.run(&format!("inbox show {}", question(&env))).stdout;
    for words in [
        "! The arguments contain 18 hidden characters (U+3164, U+E0110",
        "that spell \"surgery on monday\"",
        "! It holds 18 hidden characters",
        "Thursday suits me.<U+E0163><U+E0165>",
        "Bye <U+3164>",
        "Does Thursday suit you?",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let id = question(&env);
    let ran = env.run(&format!("inbox accept {id} --send {ACCOUNT}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mail = sent(&env).remove(0);
    let text = superstep_mail::parse(mail.as_bytes()).unwrap().text;
    let hidden = superstep::text::Hidden::of(&text);
    assert_eq!(
        (hidden.len(), hidden.spelled().as_deref()),
        (18, Some("surgery on monday"))
    );
}

#[cfg(unix)]
#[test]
fn a_person_moves_looks_edits_and_accepts() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = asked(&["Backup", "Lunch"]);
    let script = env.path("home/edit.sh");
    env.write(
        "home/edit.sh",
        "#!/bin/sh\nsed 's/Thursday suits me/Thursday at noon/' \"$1\" > \"$1.new\" && mv \"$1.new\" \"$1\"\n",
    );
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let env = env.with("EDITOR", script.to_str().unwrap());
    let first = &questions(&env)[0]["interrupts"][0]["action_request"]["action"];
    let (to_notify, to_send) = match first.as_str() {
        Some("notify") => ("", "j"),
        _ => ("j", "k"),
    };
    let terminal = Terminal::run(&env, &format!("inbox --send {ACCOUNT}"));
    terminal.shows("q leave").shows("inbox: 2 questions");
    assert!(terminal.screen().contains("for real"));
    terminal.press(to_notify).shows("(a accept)");
    // What a question does not allow is refused.
    terminal.press("a").shows("does not take `accept`");
    terminal.press(to_send);
    terminal.shows("To: Ann <ann@example.org>");
    terminal.press("?").shows("this list").press("q");
    terminal.shows("│ Thursday").press("\r").press("\r");
    terminal
        .press("e")
        .shows("Thursday at noon")
        .prompts(1)
        .say("n");
    terminal
        .shows("not accepted")
        .press("e")
        .prompts(2)
        .say("y");
    terminal
        .shows("sent to ann@example.org")
        .shows("inbox: 1 question")
        .shows("q leave");
    // After an answer no question is selected.
    terminal.press("r").shows("no question is selected");
    terminal
        .press("j")
        .shows("r respond  i ignore")
        .press("r")
        .prompts(3)
        .say("");
    terminal
        .shows("q leave")
        .press("i")
        .shows("no open questions");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    let mails = sent(&env);
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("Thursday at noon."), "{}", mails[0]);
}

#[test]
fn ctrl_c_stops_a_run_and_gives_the_terminal_back() {
    let env = asked(&["Hang"]);
    let terminal = Terminal::run(&env, &format!("inbox --send {ACCOUNT}"));
    terminal
        .shows("inbox: 1 question")
        .shows("q leave")
        .press("a")
        .shows("y does it")
        .press("y")
        .shows("the run continues");
    until_sent(&env);
    terminal.press("\u{3}").shows("stopped; the answer is kept");
    terminal.press("\u{3}").has_shown("\u{1b}[?1049l", 1);
    assert_eq!(terminal.end(), 130);
    let listed = env.run("threads list --json").events();
    assert_eq!(listed[0]["status"], "cut");
}

#[test]
fn a_thread_is_gone_on_with_in_the_inbox() {
    let env = asked(&["Lunch", "Backup"]);
    with_settings(&env, "");
    let all = questions(&env);
    let lunch = all.iter().find(|it| it["subject"] == "Lunch").unwrap();
    let thread = lunch["thread"].as_str().unwrap();
    let line = format!("threads resume {thread} --send --model script:FIXTURES/mail.jsonl");
    let terminal = Terminal::run(&env, &line);
    terminal.shows("q leave").shows("inbox: 1 question");
    assert!(!terminal.screen().contains("Backup"));
    terminal.press("a").shows("y does it").press("y");
    terminal.shows("inbox: 0 questions").press("q");
    assert_eq!(terminal.end(), 0);
    let again = env.run(&line);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(
        again.stderr.contains("this thread is done"),
        "{}",
        again.stderr
    );
    assert_eq!(questions(&env).len(), 1);
}

#[test]
fn a_copy_of_a_thread_is_in_the_inbox_and_its_question_is_named_by_thread_and_id() {
    let env = asked(&["Lunch"]);
    let id = question(&env);
    let thread = questions(&env)[0]["thread"].as_str().unwrap().to_owned();
    let forked = env.run(&format!("threads fork {thread} --name mail-copy"));
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    let both = questions(&env);
    assert_eq!(both.len(), 2, "{both:?}");
    assert!(both.iter().all(|it| it["id"] == *id), "{both:?}");
    let refused = env.run(&format!("inbox accept {id} --send {ACCOUNT}"));
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let named = format!("mail-copy:{id}");
    for message in ["SS6031", &named, &format!("{thread}:{id}")] {
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
    assert!(sent(&env).is_empty());
    let accepted = env.run(&format!("inbox accept {named} --send {ACCOUNT}"));
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
    assert_eq!(sent(&env).len(), 1);
    let left = questions(&env);
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0]["thread"], *thread);
}

/// A model that proposes a reply, and another one when it is told to try again.
const TWICE: &str = r#"{"script": {"name": "twice"}}
{"when": {"schema": "triage"}, "data": {"reasoning": "so", "classification": "respond", "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"}, "repeat": "always"}
{"when": {"tool": "Done", "anywhere": "says: try again"}, "calls": [{"name": "send_email_tool", "args": {"email_id": "lunch.eml", "response_text": "Second try.", "email_address": "me@example.org"}}]}
{"when": {"tool": "Done", "result": "send_email_tool"}, "calls": [{"name": "Done", "args": {"done": true}}], "repeat": "always"}
{"when": {"tool": "Done"}, "calls": [{"name": "send_email_tool", "args": {"email_id": "lunch.eml", "response_text": "First try.", "email_address": "me@example.org"}}], "repeat": "always"}
"#;

#[test]
fn a_reply_that_met_an_obstacle_is_sent_once_after_it_is_gone() {
    let env = env_with(&["Lunch"]);
    env.write("work/twice.jsonl", TWICE);
    let account = "--folder mail --owner me@example.org --model script:twice.jsonl --send";
    assert_eq!(env.run(&format!("mail ingest {account}")).code, 0);
    // A file where the folder of sent mail should be.
    env.write("work/mail/sent", "in the way");
    let failed = env.run(&format!("inbox accept {} {account}", question(&env)));
    assert_eq!(failed.code, 1, "{}{}", failed.stdout, failed.stderr);
    let message = format!("{}{}", failed.stdout, failed.stderr);
    assert!(message.contains("not sent"), "{message}");
    assert_eq!(env.read("work/mail/sent"), "in the way");
    let staged = || fs::read_dir(env.path("work/mail/.outgoing")).map_or(0, Iterator::count);
    assert_eq!(staged(), 0, "nothing waits to go out by itself");
    let stuck = questions(&env).remove(0);
    let asked = &stuck["interrupts"][0];
    assert_eq!(asked["action_request"]["action"], "stuck", "{stuck}");
    let text = asked["description"].as_str().unwrap();
    assert!(text.contains("a reply was not sent"), "{text}");
    fs::remove_file(env.path("work/mail/sent")).unwrap();
    let id = stuck["id"].as_str().unwrap();
    let again = env.run(&format!("inbox respond {id} {account} try again"));
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
    assert!(sent(&env).is_empty(), "nobody accepted the second try yet");
    let accepted = env.run(&format!("inbox accept {} {account}", question(&env)));
    assert_eq!(accepted.code, 0, "{}{}", accepted.stdout, accepted.stderr);
    let sent = sent(&env);
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("Second try."), "{}", sent[0]);
    assert!(questions(&env).is_empty());
}

#[test]
fn a_damaged_thread_is_named_beside_the_questions_of_others_and_can_be_deleted() {
    let env = asked(&["Lunch"]);
    put(&env, "Backup", "The disk zebrazebra is full.");
    assert_eq!(ingest(&env).code, 0);
    let all = questions(&env);
    let backup = all.iter().find(|it| it["subject"] == "Backup").unwrap();
    let thread = backup["thread"].as_str().unwrap();
    let path = env.path("home/.local/share/superstep/superstep.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(10).position(|it| it == b"zebrazebra");
    let mut at = at.unwrap();
    while let Some(next) = bytes[at..].windows(10).position(|it| it == b"zebrazebra") {
        at += next;
        bytes[at..at + 5].copy_from_slice(b"ZEBRA");
    }
    std::fs::write(&path, bytes).unwrap();
    let listed = env.run("inbox list");
    assert_eq!(listed.code, 1, "{}", listed.stderr);
    assert!(listed.stdout.contains("Lunch"), "{}", listed.stdout);
    for message in ["[SS2005]", thread, "threads delete"] {
        assert!(listed.stderr.contains(message), "{}", listed.stderr);
    }
    let events = env.run("inbox list --json").events();
    let broken = events.iter().find(|it| it["thread"] == *thread).unwrap();
    assert_eq!(broken["error"]["code"], "SS2005", "{broken}");
    assert_eq!(events.len(), 2);
    let deleted = env.run(&format!("threads delete {thread} --yes"));
    assert_eq!(deleted.code, 0, "{}", deleted.stderr);
    assert_eq!(questions(&env).len(), 1);
}

#[test]
fn a_run_that_fails_is_told_on_the_screen_and_goes_on_later() {
    let env = asked(&["Lunch"]);
    env.write(
        "work/mute.jsonl",
        "{\"when\": {\"schema\": \"x\"}, \"text\": \"\"}\n",
    );
    let account = "--folder mail --owner me@example.org --send";
    let line = format!("inbox {account} --color never --model script:mute.jsonl");
    let terminal = Terminal::run(&env, &line);
    terminal
        .shows("q leave")
        .press("r")
        .prompts(1)
        .say("Friday instead")
        .shows("SS5017")
        .press("q");
    // Once for the words to the assistant, and once at the end.
    terminal.has_shown("\u{1b}[?1049l", 2);
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert_eq!(terminal.end(), 0);
    assert!(!raw.contains("\u{1b}[31m"), "{raw}");
    // The terminal is given back, and the report is printed on it.
    let (_, behind) = raw.rsplit_once("\u{1b}[?1049l").unwrap();
    assert!(!behind.contains('\u{1b}'), "{behind:?}");
    assert_eq!(
        env.run("threads list --json").events()[0]["status"],
        "failed"
    );
    let ran = env.run(&format!("mail ingest --send {ACCOUNT}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let draft = &questions(&env)[0]["interrupts"][0]["action_request"]["args"];
    assert_eq!(draft["response_text"], "Then Friday.");
    assert!(sent(&env).is_empty());
}
