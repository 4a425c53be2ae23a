//! What a person edited stands in the place of the proposal wherever the question is shown, and a batch names who gets a mail.

use serde_json::json;

use crate::{
    env::TestEnv,
    post::{env_with, question, questions, sent},
    terminal::Terminal,
};

const ACCOUNT: &str = "--folder mail --owner me@example.org --model script:own.jsonl";

/// A mail of this sender, and the reply that the model proposes.
struct Exchange {
    name: &'static str,
    headers: &'static str,
    reply: &'static str,
}

const LUNCH: Exchange = Exchange {
    name: "lunch",
    headers: "From: Ann <ann@example.org>",
    reply: "Dear Ann,\n\nlunch at 11:30?\n\nMax",
};

/// An env with these mails, and a question about each.
fn asked(exchanges: &[Exchange]) -> TestEnv {
    let env = env_with(&[]);
    let sorted = json!({"when": {"schema": "triage"}, "repeat": "always",
        "data": {"reasoning": "it asks", "classification": "respond", "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"}});
    let done = json!({"when": {"tool": "Done", "result": "send_email_tool"}, "repeat": "always",
        "calls": [{"name": "Done", "args": {"done": true}}]});
    let mut script = vec![sorted.to_string(), done.to_string()];
    for it in exchanges {
        let (name, headers) = (it.name, it.headers);
        let mail = format!(
            "{headers}\r\nTo: Max <me@example.org>\r\nSubject: About {name}\r\n\
             Date: Mon, 02 Nov 2026 10:00:00 +0100\r\nMessage-ID: <{name}@example.org>\r\n\r\n\
             Does Thursday suit you?\r\n"
        );
        env.write(&format!("work/mail/{name}.eml"), &mail);
        let args = json!({"email_id": format!("{name}.eml"), "email_address": "me@example.org",
            "response_text": it.reply});
        let call = json!({"when": {"tool": "Done", "contains": format!("Email id: {name}.eml")},
            "repeat": "always", "calls": [{"name": "send_email_tool", "args": args}]});
        script.push(call.to_string());
    }
    env.write("work/own.jsonl", &script.join("\n"));
    let ran = env.run(&format!("mail ingest {ACCOUNT}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(questions(&env).len(), exchanges.len());
    env
}

/// The text as it is shown in the place of the reply.
fn is_in_place(text: &str, view: &str) {
    let line = format!("│ {text}");
    let found = view.lines().filter(|it| it.trim_start() == line);
    assert_eq!(found.count(), 1, "{view}");
    assert_eq!(view.matches(text).count(), 1, "once: {view}");
    assert!(!view.contains("11:30"), "{view}");
}

#[test]
fn an_edited_reply_stands_in_the_place_of_the_proposed_one_in_every_view() {
    let env = asked(&[LUNCH]);
    let id = question(&env);
    let thread = questions(&env)[0]["thread"].as_str().unwrap().to_owned();
    // As it was proposed it is shown once, too, and without a mode that may not be the one it is answered in.
    for view in [format!("inbox show {id}"), format!("threads show {thread}")] {
        let shown = env.run(&view).stdout;
        assert_eq!(shown.matches("11:30").count(), 1, "{shown}");
        assert!(!shown.contains("dry run"), "{shown}");
        assert!(shown.contains("Ann <ann@example.org>"), "{shown}");
    }
    env.write(
        "work/new.json",
        &json!({"response_text": LUNCH.reply.replace("11:30", "12:30")}).to_string(),
    );
    let kept = env.run(&format!("inbox edit {id} --file new.json {ACCOUNT}"));
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    assert!(kept.stderr.contains("│ lunch at 12:30?"), "{}", kept.stderr);
    for view in [format!("inbox show {id}"), format!("threads show {thread}")] {
        is_in_place("lunch at 12:30?", &env.run(&view).stdout);
    }
    // The edit has a mark of its own: it is no danger.
    let listed = env.run("inbox list").stdout;
    assert!(listed.contains("edited  Ann"), "{listed}");
    assert!(!listed.contains('!'), "{listed}");
    let diff = env.run(&format!("inbox show {id} --diff")).stdout;
    assert!(
        diff.contains("  - lunch at 11:30?\n  + lunch at 12:30?\n"),
        "{diff}"
    );
    assert!(!diff.contains("Dear Ann"), "{diff}");
    let done = env.run(&format!("inbox accept {id} --send {ACCOUNT}"));
    assert_eq!(done.code, 0, "{}", done.stderr);
    let (look, changes) = done.stderr.split_once("your changes").unwrap();
    is_in_place("lunch at 12:30?", look);
    assert!(changes.contains("- lunch at 11:30?"), "{changes}");
    assert!(sent(&env)[0].contains("12:30"), "{:?}", sent(&env));
}

#[test]
fn the_recipients_of_an_edited_reply_are_those_that_get_it() {
    let env = asked(&[LUNCH]);
    let id = question(&env);
    let added = "inbox edit ID --set additional_recipients=boss@example.org";
    let kept = env.run(&format!("{} {ACCOUNT}", added.replace("ID", &id)));
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    let shown = env.run(&format!("inbox show {id}")).stdout;
    let to = shown
        .lines()
        .find(|it| it.starts_with("Cc: ") || it.starts_with("To: "));
    assert!(
        to.is_some() && shown.contains("boss@example.org"),
        "{shown}"
    );
    assert!(
        shown.contains("! Not in this thread so far: boss@example.org"),
        "{shown}"
    );
    let wire = &questions(&env)[0];
    let described = wire["interrupts"][0]["description"].as_str().unwrap();
    assert!(described.contains("boss@example.org"), "{described}");
    assert_eq!(
        wire["edited_args"]["additional_recipients"],
        json!(["boss@example.org"])
    );
}

#[cfg(unix)]
#[test]
fn the_changes_of_an_edit_are_shown_by_a_key() {
    let env = asked(&[LUNCH]);
    let id = question(&env);
    let text = "response_text=Friday.";
    let kept = env.run(&format!("inbox edit {id} --set {text} {ACCOUNT}"));
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    let terminal = Terminal::run(&env, &format!("inbox {ACCOUNT}"));
    terminal
        .shows("edited  Ann")
        .shows("│ Friday.")
        .hides("11:30");
    terminal
        .press("d")
        .shows("- lunch at 11:30?")
        .shows("+ Friday.");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[cfg(unix)]
#[test]
fn a_batch_names_everyone_who_gets_a_mail_and_has_no_question_with_a_warning() {
    let env = asked(&[
        LUNCH,
        Exchange {
            name: "bill",
            headers: "From: billing@shop.example",
            reply: "Paid.",
        },
        Exchange {
            name: "trick",
            headers: "From: Ann <ann@example.org>\r\nReply-To: ann@lookalike.example",
            reply: "The password is 1234.",
        },
    ]);
    let terminal = Terminal::run(&env, &format!("inbox --send {ACCOUNT}"));
    terminal.shows("q leave").press("*").shows("✓");
    terminal.press("A").shows("Send 2 replies: ");
    terminal
        .shows("Ann <ann@example.org>")
        .shows("billing@shop.example");
    terminal.shows("Left out, accept them one by one: About trick");
    terminal.shows("q leave").press("y");
    terminal
        .shows("all 2 were accepted")
        .shows("inbox: 1 question");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    let mails = sent(&env);
    assert_eq!(mails.len(), 2, "{mails:?}");
    assert!(
        !mails.iter().any(|mail| mail.contains("lookalike")),
        "{mails:?}"
    );
    let left = questions(&env);
    assert_eq!(left[0]["subject"], "About trick", "{left:?}");
    // A batch of what is left is none.
    let terminal = Terminal::run(&env, &format!("inbox --send {ACCOUNT}"));
    terminal.shows("q leave").press("*").shows("✓").press("A");
    terminal.shows("Left out").hides("y does it");
    terminal.press("y").press("q");
    assert_eq!(terminal.end(), 0);
    assert_eq!(sent(&env).len(), 2);
}

#[cfg(unix)]
#[test]
fn recipients_that_do_not_fit_on_the_screen_are_not_accepted_together() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let exchanges: Vec<Exchange> = names
        .into_iter()
        .map(|name| Exchange {
            name,
            headers: "From: Maximiliane Mustermann-Beispiel <maximiliane.mustermann@department.example.org>",
            reply: "Yes.",
        })
        .collect();
    let env = asked(&exchanges);
    let line = format!("inbox --send {ACCOUNT}");
    let terminal = Terminal::sized(&env, &line, 16, 60);
    terminal.shows("q leave").press("*").shows("✓").press("A");
    terminal.shows("too many to name everyone");
    terminal.press("y").press("q");
    assert_eq!(terminal.end(), 0);
    assert!(sent(&env).is_empty());
    assert_eq!(questions(&env).len(), names.len());
}
