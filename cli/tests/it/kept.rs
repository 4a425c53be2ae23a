//! What a person typed, edited or accepted is kept: Ctrl-C, a missing editor and a dry run lose nothing, and all of what is
//! accepted together is done.

use crate::{
    env::TestEnv,
    post::{ACCOUNT, asked, env_with, question, questions, sent},
    terminal::Terminal,
};

const ANALYZE: &str = "analyze --query what --inputs docs --model script:FIXTURES/archie.jsonl";
const CHAT: &str = "model chat --model script:FIXTURES/talk.jsonl";
const UP: &str = "\u{1b}[A";

/// A model that proposes two replies in one turn.
const TWO: &str = r#"{"when": {"schema": "triage"}, "data": {"reasoning": "it asks", "classification": "respond", "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"}, "repeat": "always"}
{"when": {"tool": "Done", "result": "send_email_tool"}, "calls": [{"name": "Done", "args": {"done": true}}], "repeat": "always"}
{"when": {"tool": "Done"}, "calls": [{"name": "send_email_tool", "args": {"email_id": "lunch.eml", "response_text": "One.", "email_address": "me@example.org"}}, {"name": "send_email_tool", "args": {"email_id": "lunch.eml", "response_text": "Two.", "email_address": "me@example.org"}}], "repeat": "always"}
"#;

#[test]
fn all_questions_of_a_thread_that_are_marked_are_accepted() {
    let env = env_with(&["Lunch"]);
    env.write("work/two.jsonl", TWO);
    let account = "--folder mail --owner me@example.org --model script:two.jsonl";
    let ran = env.run(&format!("mail ingest {account}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(questions(&env).len(), 2);
    let terminal = Terminal::run(&env, &format!("inbox --send {account}"));
    terminal.shows("q leave").press("*").shows("✓");
    terminal
        .press("A")
        .shows("Send 2 replies: Ann <ann@example.org>");
    terminal.shows("q leave").press("y");
    terminal
        .shows("all 2 were accepted")
        .shows("inbox: 0 questions")
        .press("q");
    // What the screen said is there when it is gone.
    terminal.shows("all 2 were accepted");
    assert_eq!(terminal.end(), 0);
    assert_eq!(sent(&env).len(), 2);
    assert!(questions(&env).is_empty());
}

#[test]
fn an_edit_of_a_dry_run_is_what_is_sent_later() {
    let env = asked(&["Lunch"]);
    let id = question(&env);
    let dry = env.run(&format!(
        "inbox edit {id} --set response_text=Friday {ACCOUNT} --db home/my.db"
    ));
    assert_eq!(dry.code, 1, "another database: {}", dry.stderr);
    let dry = env.run(&format!(
        "inbox edit {id} --set response_text=Friday {ACCOUNT}"
    ));
    assert_eq!(dry.code, 0, "{}", dry.stderr);
    assert!(dry.stdout.contains("changes are kept"), "{}", dry.stdout);
    let (_, real) = dry.stdout.split_once("For real: superstep ").unwrap();
    let shown = env.run(&format!("inbox show {id}")).stdout;
    assert!(shown.contains("│ Friday"), "{shown}");
    assert_eq!(questions(&env)[0]["edited_args"]["response_text"], "Friday");
    let done = env.run(real.trim());
    assert_eq!(done.code, 0, "{}", done.stderr);
    let mails = sent(&env);
    assert!(mails[0].contains("Friday"), "{}", mails[0]);
    let left = env.run("memory list --under email_assistant.edits --json");
    assert_eq!(left.stdout, "", "the edit is gone with its question");
}

#[test]
fn changes_that_another_process_keeps_are_not_passed_over_by_who_saw_none() {
    let env = asked(&["Lunch"]);
    let id = question(&env);
    let terminal = Terminal::run(&env, &format!("inbox --send {ACCOUNT}"));
    terminal.shows("q leave").shows("To: Ann <ann@example.org>");
    let kept = env.run(&format!(
        "inbox edit {id} --set response_text=Friday {ACCOUNT}"
    ));
    assert_eq!(kept.code, 0, "{kept:?}");
    terminal.press("a").shows("y does it").press("y");
    terminal.shows("others by now");
    assert!(sent(&env).is_empty());
    assert_eq!(questions(&env)[0]["edited_args"]["response_text"], "Friday");
}

#[test]
fn a_dry_run_refuses_what_the_real_one_refuses() {
    let env = asked(&["Lunch"]);
    let id = question(&env);
    for mode in ["", "--send"] {
        let ran = env.run(&format!(
            "inbox edit {id} --set respnse_text=Hi {mode} {ACCOUNT}"
        ));
        assert_eq!(ran.code, 2, "{mode}: {}", ran.stderr);
        assert!(ran.stderr.contains("SS1015"), "{mode}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("respnse_text"),
            "{mode}: {}",
            ran.stderr
        );
    }
    assert_eq!(questions(&env)[0]["edited_args"], serde_json::Value::Null);
}

#[test]
fn ctrl_c_keeps_what_was_typed_and_a_second_one_leaves() {
    let env = TestEnv::new().with_documents();
    for (line, at, code) in [
        (CHAT, "> ", 130),
        (ANALYZE, "you> ", 130),
        // To leave a shell is no failure.
        ("shell --model script:FIXTURES/archie.jsonl", "archie> ", 0),
        ("atris chat --fake --no-model", "atris> ", 130),
    ] {
        let terminal = Terminal::run(&env, line);
        terminal.prompts(1).ends_with(at.trim_end());
        terminal.press("words of mine").ends_with("words of mine");
        terminal.press("\u{3}").shows("Up brings your words back");
        terminal.prompts(2).press(UP).ends_with("words of mine");
        terminal.press("\u{3}").prompts(3).press("\u{3}");
        assert_eq!(terminal.end(), code, "{line}");
    }
}

#[test]
fn an_editor_that_does_not_exist_is_named_and_the_words_stay() {
    let env = TestEnv::new().with("EDITOR", "no-such-editor -w");
    let terminal = Terminal::run(&env, CHAT);
    terminal.prompts(1).press("a draft\u{f}");
    terminal.shows("cannot start `no-such-editor -w` ($EDITOR)");
    terminal.prompts(2).ends_with("> a draft");
    terminal.press("\u{15}").say("/editor").prompts(3);
    terminal.say("one").shows("You said one.").prompts(4);
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);
    let terminal = Terminal::run(&env, "config edit");
    terminal.shows("cannot start `no-such-editor -w` ($EDITOR)");
    assert_eq!(terminal.end(), 2);
}

#[test]
fn a_text_of_an_editor_is_in_the_line_before_it_is_sent() {
    let env = TestEnv::new();
    env.write("home/edit.sh", "printf 'written\\n' > \"$1\"\n");
    let editor = format!("sh {}", env.path("home/edit.sh").display());
    let env = env.with("EDITOR", &editor);
    let terminal = Terminal::run(&env, CHAT);
    terminal.prompts(1).say("/editor").prompts(2);
    terminal.ends_with("> written").press("\u{15}").say("one");
    terminal.shows("You said one.").prompts(3).press("\u{4}");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn lines_that_were_typed_ahead_stay_lines() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, ANALYZE);
    terminal.prompts(1).say("hang here").shows("so far");
    terminal.press("/undo\r/tokens\r");
    terminal.press("\u{3}").prompts(2).shows("/tokens");
    let screen = terminal.screen();
    assert!(!screen.contains("/undo/tokens"), "{screen}");
    terminal.press("\u{15}\u{3}\u{3}").press("\u{4}");
    assert_eq!(terminal.end(), 130);
}

#[test]
fn a_question_in_a_thread_says_what_it_took_alone() {
    let env = TestEnv::new();
    let model = "--model script:FIXTURES/archie.jsonl";
    for _ in 0..3 {
        let follow = match env.path("home/.local/share/superstep").exists() {
            true => "--thread last",
            false => "",
        };
        let ran = env.run(&format!("ask who {follow} {model} --json"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let events = ran.events();
        let usage: Vec<_> = events.iter().filter(|it| it["event"] == "usage").collect();
        assert_eq!(usage.len(), 1, "{}", ran.stdout);
        assert_eq!(usage[0]["cost_micro_usd"], 0, "{}", ran.stdout);
        assert!(usage[0]["output_tokens"].is_u64(), "{}", ran.stdout);
    }
}

#[test]
fn lines_are_broken_between_words_at_the_width_of_the_terminal() {
    let env = TestEnv::new();
    let line = "shell --model script:FIXTURES/archie.jsonl";
    let terminal = Terminal::sized(&env, line, 80, 40);
    terminal.prompts(1).say("/help").prompts(2);
    let screen = terminal.screen();
    let mut rows = screen.lines().map(str::trim_end);
    assert!(
        rows.any(|row| row.ends_with("List, show, resume,")),
        "{screen}"
    );
    assert!(
        rows.any(|row| row.trim_start() == "fork, compare, delete,"),
        "{screen}"
    );
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);
    // The help of the inbox is read to its end, also where it does not fit.
    let env = asked(&["Lunch"]);
    let terminal = Terminal::sized(&env, &format!("inbox {ACCOUNT}"), 24, 40);
    terminal.shows("dry run: nothing is").press("?");
    terminal.shows("Space shows more").press(" ");
    terminal.shows("accept all that are marked,").press(" ");
    terminal.shows("after naming who gets a").press(" ");
    terminal.shows("Esc shows all").press(" ");
    terminal.shows("answers are kept").press(" ");
    terminal.shows("Ann · Lunch").press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn pages_and_tables_are_read_in_40_columns() {
    let env = TestEnv::new();
    let asked = env.run("ask --model script:FIXTURES/archie.jsonl who?");
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    let listed = format!("{}  done", asked.thread());
    // What is shown, the last of it at the end.
    let pages: [(&str, [&str; 2]); 4] = [
        (
            "-h",
            ["      see the agents work, in under a", "cancelled."],
        ),
        ("threads -h", ["      --model <MODEL>", "-h, --help"]),
        ("threads list", [&listed, "who?"]),
        (
            "atris ask top_3_trending_tracks_this_week --fake --no-model --quiet",
            ["  plays  ", "(understood as: "],
        ),
    ];
    for (line, wanted) in pages {
        let terminal = Terminal::sized(&env, line, 200, 40);
        for words in wanted {
            terminal.shows(words);
        }
        let screen = terminal.screen();
        assert_eq!(terminal.end(), 0, "{screen}");
        // A row that is full and goes on in the middle of a word was broken by the terminal.
        let rows: Vec<&str> = screen.lines().map(str::trim_end).collect();
        let is_broken = |pair: &&[&str]| {
            let is_full = pair[0].chars().count() >= 40;
            is_full && pair[1].starts_with(|c: char| c.is_lowercase())
        };
        let broken: Vec<_> = rows.windows(2).filter(is_broken).collect();
        assert!(broken.is_empty(), "{line}: {broken:?}\n{screen}");
    }
}

#[test]
fn a_word_that_nothing_completes_is_told_in_our_words() {
    let env = TestEnv::new();
    let terminal = Terminal::run(&env, CHAT);
    terminal.prompts(1).press("/zzz\t");
    terminal.shows("nothing begins with that");
    terminal.press("\u{15}\u{4}");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_thread_says_which_model_it_was_begun_with() {
    let env = asked(&["Lunch"]);
    let list = env.run("threads list --json").events();
    let thread = list[0]["thread"].as_str().unwrap();
    assert_eq!(list[0]["model"], "script:clerk", "{list:?}");
    let shown = env.run(&format!("threads show {thread}")).stdout;
    assert!(shown.contains("begun with script:clerk"), "{shown}");
    let forked = env.run(&format!("threads fork {thread} --name mail-copy"));
    assert!(
        forked.stderr.contains("was begun with script:clerk"),
        "{}",
        forked.stderr
    );
}

#[test]
fn quiet_leaves_out_what_is_not_a_result() {
    let env = TestEnv::new();
    env.write("work/app/main.py", "import os\n");
    let line = "docs app --no-model --agents file-structure --quiet";
    let ran = env.run(line);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("index.md\n"), "{}", ran.stdout);
}
