//! Threads: look, go back, throw away.

use serde_json::Value as Json;

use crate::{
    env::{TestEnv, copy_thread},
    terminal::Terminal,
};

const ANALYZE: &str = "analyze --query what --inputs docs --model script:FIXTURES/archie.jsonl";

fn env_with_thread() -> (TestEnv, String) {
    let env = TestEnv::new().with_documents();
    let thread = env.run_with(ANALYZE, "one\n").thread();
    (env, thread)
}

fn json(env: &TestEnv, line: &str) -> Vec<Json> {
    env.run(&format!("{line} --json")).events()
}

#[test]
fn threads_are_listed_with_how_they_stand() {
    let (env, waiting) = env_with_thread();
    let done = env.run(&format!("{ANALYZE} --approve-after 1")).thread();
    let listed = json(&env, "threads list");
    let message: Vec<(&str, &str)> = listed
        .iter()
        .map(|it| {
            (
                it["thread"].as_str().unwrap(),
                it["status"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(message, [(&*done, "done"), (&*waiting, "waiting")]);
    let only = json(&env, "threads list --waiting --agent archie");
    assert_eq!(only.len(), 1);
    for (line, count) in [
        ("threads list --status done", 1),
        ("threads list --status running", 0),
        ("threads list --limit 1", 1),
        ("threads list --search WHAT", 2),
        ("threads list --graph archie --search nothing-of-that", 0),
    ] {
        assert_eq!(json(&env, line).len(), count, "{line}");
    }
    let text = env.run("threads list").stdout;
    assert!(text.contains("just now"), "{text}");
    assert!(text.contains("what"), "{text}");
    assert!(text.contains("free  script:archie  what"), "{text}");
    for row in &listed {
        assert_eq!(row["cost_micro_usd"], 0, "{row}");
        assert!(row["input_tokens"].as_u64().unwrap() > 100, "{row}");
        let at = row["updated_at"].as_str().unwrap();
        assert!(
            at.starts_with("20") && at.ends_with('Z') && at.len() == 24,
            "{at}"
        );
    }
    let none = env.run("threads list --search nothing-of-that");
    assert_eq!((none.code, &*none.stdout), (0, ""));
    assert!(
        none.stderr.contains("threads list --all"),
        "{}",
        none.stderr
    );
}

#[test]
fn a_long_list_of_threads_is_cut_for_people_and_whole_for_programs() {
    let (env, thread) = env_with_thread();
    let database = env.path("home/.local/share/superstep/superstep.db");
    for number in 0..35 {
        copy_thread(&database, &thread, &format!("archie-copy{number:02}"));
    }
    let some = env.run("threads list");
    assert_eq!(some.stdout.lines().count(), 30, "{}", some.stdout);
    assert!(
        some.stderr.contains("6 more threads: --all"),
        "{}",
        some.stderr
    );
    let is_first = |it: &str| it.split_whitespace().next() == Some(&*thread);
    assert!(!some.stdout.lines().any(is_first), "{}", some.stdout);
    let found = env.run("threads list --search WHAT --limit 5").stderr;
    assert!(found.contains("there may be more: --all"), "{found}");
    let few = env.run(&format!("threads list --search {thread}"));
    assert_eq!(few.stdout.lines().count(), 1, "{}", few.stdout);
    assert!(!few.stderr.contains("more"), "{}", few.stderr);
    // Who was used again is the one that was used last.
    let resume = format!("threads resume {thread} --model script:FIXTURES/archie.jsonl");
    env.run_with(&resume, "two\n");
    let again = env.run("threads list --limit 1").stdout;
    assert!(again.lines().all(is_first), "{again}");
    assert_eq!(env.run("threads list --all").stdout.lines().count(), 36);
    assert_eq!(
        env.run("threads list --limit 33").stdout.lines().count(),
        33
    );
    assert_eq!(json(&env, "threads list").len(), 36);
    // At a terminal the columns are named.
    let terminal = Terminal::run(&env, "threads list --limit 2");
    terminal.shows("THREAD").shows("STATUS").shows("COST");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_thread_is_shown_as_a_conversation_and_not_as_a_dump() {
    let (env, thread) = env_with_thread();
    let shown = env.run(&format!("threads show {thread}")).stdout;
    for line in [
        "you: what",
        "archie: First question?",
        "you: one",
        "archie: Second question?",
        "waiting for your reply to the message above",
    ] {
        let found = shown.lines().filter(|it| it.starts_with(line)).count();
        assert_eq!(found, 1, "{line}: {shown}");
    }
    assert!(shown.contains("calls, "), "{shown}");
    assert!(!shown.contains(['{', '}']), "{shown}");
    let history = env.run(&format!("threads history {thread}")).stdout;
    assert!(history.contains("archie: Second question?"), "{history}");
    assert!(history.contains("→ analysis_interrupt"), "{history}");
    let diff = env.run(&format!("threads diff {thread} 3 5")).stdout;
    assert!(
        diff.contains("  + you: one\n  + archie: Second question?\n"),
        "{diff}"
    );
    assert!(!diff.contains("usage_metadata"), "{diff}");
    // A beginning of an id, as it is shown, names a step.
    let id = history.lines().next().unwrap();
    let id = id.split_whitespace().nth(1).unwrap();
    let at = env.run(&format!("threads show {thread} --at {id}"));
    assert_eq!(at.code, 0, "{}", at.stderr);
}

#[test]
fn a_waiting_thread_has_a_code_for_programs() {
    let env = TestEnv::new().with_documents();
    let ran = env.run(&format!("{ANALYZE} --json"));
    assert_eq!(ran.code, 3);
    let last = ran.stderr.lines().last().unwrap();
    let error: Json = serde_json::from_str(last).unwrap();
    assert_eq!(error["error"]["code"], "SS6059");
    assert_eq!(error["error"]["exit"], 3);
    assert_eq!(env.run("explain SS6059").code, 0);
    // For people it is no error.
    let text = env.run(ANALYZE);
    assert!(!text.stderr.contains("SS6059"), "{}", text.stderr);
}

#[test]
fn runs_are_counted_from_one_in_each_thread() {
    let (env, first) = env_with_thread();
    let second = env.run_with(ANALYZE, "one\n").thread();
    for thread in [first, second] {
        let list = env.run(&format!("trace list {thread}")).stdout;
        let numbers: Vec<&str> = list
            .lines()
            .skip(1)
            .map(|row| row.split_whitespace().next().unwrap())
            .collect();
        assert_eq!(numbers, ["1", "2"], "{list}");
        for number in numbers {
            let shown = env.run(&format!("trace show {thread} --run {number}"));
            let wanted = format!("run {number}");
            assert!(shown.stdout.starts_with(&wanted), "{}", shown.stdout);
        }
    }
}

#[test]
fn a_thread_shows_its_question_and_a_mistyped_name_the_one_that_was_meant() {
    let (env, thread) = env_with_thread();
    let shown = env.run(&format!("threads show {thread}"));
    assert!(
        shown
            .stdout
            .contains("archie: Second question?\nwaiting for your reply to the message above\n"),
        "{}",
        shown.stdout
    );
    // No name of a thread has this letter.
    let near = format!("{}u", &thread[..thread.len() - 1]);
    let missing = env.run(&format!("threads show {near}"));
    assert_eq!(missing.code, 1);
    assert!(
        missing
            .stderr
            .contains(&format!("did you mean `{thread}`?")),
        "{}",
        missing.stderr
    );
}

#[test]
fn history_and_differences_are_told_by_step() {
    let (env, thread) = env_with_thread();
    let history = json(&env, &format!("threads history {thread}"));
    let steps: Vec<i64> = history
        .iter()
        .map(|it| it["step"].as_i64().unwrap())
        .collect();
    assert_eq!(steps, [5, 4, 3, 2, 1, 0, -1]);
    assert_eq!(history[0]["next"][0], "analysis_interrupt");
    assert_eq!(
        json(&env, &format!("threads history {thread} --limit 2")).len(),
        2
    );
    let diff = json(&env, &format!("threads diff {thread} 3 5"));
    let paths: Vec<&str> = diff.iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert!(paths.contains(&"/analysis_history/2"), "{paths:?}");
    assert!(paths.contains(&"/current_analysis_query"), "{paths:?}");
    let none = env.run(&format!("threads diff {thread} 99"));
    assert!(
        none.stderr.contains("no step or checkpoint"),
        "{}",
        none.stderr
    );
}

#[test]
fn a_short_list_is_the_beginning_of_the_long_one() {
    let (env, thread) = env_with_thread();
    // A fork of an older step is used after the thread, and has an older checkpoint.
    let forked = env.run(&format!("threads fork {thread} --at 3"));
    let names = |list: &str| -> Vec<String> {
        let rows = env.run(list).stdout;
        let first = |row: &str| row.split_whitespace().next().unwrap().to_owned();
        rows.lines().map(first).collect()
    };
    let all = names("threads list --all");
    assert_eq!(all, [forked.stdout.trim(), &*thread]);
    assert_eq!(names("threads list --limit 1"), all[..1]);
}

#[test]
fn a_fork_goes_its_own_way() {
    let (env, thread) = env_with_thread();
    let forked = env.run(&format!("threads fork {thread} --at 3"));
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    let copy = forked.stdout.trim();
    let resumed = env.run_with(
        &format!("threads resume {copy} --model script:FIXTURES/archie.jsonl"),
        "other words\n",
    );
    assert_eq!(
        resumed.stdout, "First question?\nSecond question?\n",
        "{}",
        resumed.stderr
    );
    let words = |thread: &str| env.run(&format!("threads show {thread}")).stdout;
    assert!(words(copy).contains("you: other words"));
    assert!(words(&thread).contains("you: one"));
    assert!(!words(&thread).contains("other words"));
    let wrong = env.run(&format!("threads fork {thread} --name mail-mine"));
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    // Whatever it is called, its graph says whose it is, and clients of a server know it by its UUID.
    let mine = env.run(&format!("threads fork {thread} --name mine"));
    assert_eq!(mine.code, 0, "{}", mine.stderr);
    let listed = env.run("threads list --agent archie --search mine --json");
    let listed: serde_json::Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(listed["thread"], "mine", "{listed}");
    let uuid = listed["uuid"].as_str().unwrap();
    assert_eq!(words("mine"), words(uuid));
    assert_eq!(env.run(&format!("threads delete {uuid} --yes")).code, 0);
    assert_ne!(env.run("threads show mine").code, 0);
    let taken = env.run(&format!("threads fork {thread} --name {copy}"));
    assert_eq!(taken.code, 1, "{}", taken.stderr);
}

#[test]
fn a_fork_at_a_question_waits_and_is_not_thrown_away() {
    let (env, thread) = env_with_thread();
    let forked = env.run(&format!("threads fork {thread} --at 3 --name archie-fork"));
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    let waiting = json(&env, "threads list --waiting");
    assert_eq!(waiting.len(), 2, "{waiting:?}");
    let shown = env.run("threads show archie-fork");
    assert!(shown.stdout.contains("waiting"), "{}", shown.stdout);
    assert!(shown.stderr.contains("it asks again"), "{}", shown.stderr);
    let pruned = env.run("threads prune --unused-days 0 --yes");
    assert_eq!(pruned.code, 0, "{}", pruned.stderr);
    for name in [thread.as_str(), "archie-fork"] {
        let kept = format!("kept {name}, which has an open question");
        assert!(pruned.stderr.contains(&kept), "{}", pruned.stderr);
    }
    // Behind the question it is not one any more.
    let forked = env.run(&format!("threads fork {thread} --at 4 --name archie-later"));
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    let later = json(&env, "threads show archie-later");
    assert_eq!(later[0]["status"], "cut");
}

#[test]
fn a_thread_that_is_done_shows_its_result_without_a_model() {
    let (env, _) = env_with_thread();
    let done = env.run(&format!("{ANALYZE} --approve-after 1"));
    let thread = done.thread();
    let forked = env.run(&format!("threads fork {thread} --name archie-fork"));
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    for name in [thread.as_str(), "archie-fork"] {
        let resumed = env.run(&format!("threads resume {name}"));
        assert_eq!(resumed.code, 0, "{}", resumed.stderr);
        assert!(!resumed.stdout.trim().is_empty());
        assert!(
            done.stdout.contains(resumed.stdout.trim()),
            "{}",
            resumed.stdout
        );
    }
}

#[test]
fn a_step_that_is_there_twice_is_named_by_its_checkpoint() {
    let (env, thread) = env_with_thread();
    // Back to the first question, and on from there.
    let forked = env.run(&format!("threads fork {thread} --at 3 --name archie-fork"));
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    let model = "--model script:FIXTURES/archie.jsonl";
    env.run_with(&format!("threads resume archie-fork {model}"), "other\n");
    let history = json(&env, "threads history archie-fork");
    let of_step = |step: i64| history.iter().filter(move |it| it["step"] == step);
    assert_eq!(of_step(4).count(), 2, "{history:?}");
    for line in [
        "threads show archie-fork --at 4",
        "threads diff archie-fork 3 4",
        "threads fork archie-fork --at 4",
    ] {
        let ambiguous = env.run(line);
        assert_eq!(ambiguous.code, 2, "{line}: {}", ambiguous.stderr);
        for checkpoint in of_step(4) {
            let id = checkpoint["checkpoint"].as_str().unwrap();
            assert!(ambiguous.stderr.contains(id), "{}", ambiguous.stderr);
        }
    }
    for checkpoint in of_step(4) {
        let id = checkpoint["checkpoint"].as_str().unwrap();
        let shown = json(&env, &format!("threads show archie-fork --at {id}"));
        assert_eq!(shown[0]["checkpoint"], id);
    }
    // The beginning of an id that several have says nothing either.
    let id = history[0]["checkpoint"].as_str().unwrap();
    let begins = env.run(&format!("threads show archie-fork --at {}", &id[..8]));
    assert_eq!(begins.code, 2, "{}", begins.stderr);
}

#[test]
fn names_of_threads_do_not_look_alike() {
    let (env, thread) = env_with_thread();
    env.run(&format!("threads export {thread} t.jsonl"));
    for name in [
        "archie-a\u{200b}b", "archie-ab ", "archie-a\u{308}b", "archie-a\nb",
    ] {
        for words in [
            ["threads", "fork", &thread, "--name", name],
            ["threads", "import", "t.jsonl", name, "--yes"],
        ] {
            let refused = env.run_words(&words);
            assert_eq!(refused.code, 2, "{name:?}: {}", refused.stderr);
            assert!(refused.stderr.contains("<U+"), "{}", refused.stderr);
        }
    }
    // Another program may call them so.
    let path = env.path("home/.local/share/superstep/superstep.db");
    for name in ["archie-ab", "archie-a\u{200b}b"] {
        copy_thread(&path, &thread, name);
    }
    let listed = env.run("threads list").stdout;
    for name in ["archie-ab ", "archie-a<U+200B>b "] {
        assert!(listed.contains(name), "{listed}");
    }
}

#[test]
fn threads_are_thrown_away_only_when_somebody_said_so() {
    let (env, thread) = env_with_thread();
    let refused = env.run(&format!("threads delete {thread}"));
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert_eq!(json(&env, "threads list").len(), 1);
    let refused = env.run(&format!("threads prune {thread} --keep 1"));
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("--yes"), "{}", refused.stderr);
    assert_eq!(json(&env, &format!("threads history {thread}")).len(), 7);
    let pruned = env.run(&format!("threads prune {thread} --keep 1 --yes"));
    assert_eq!(pruned.code, 0, "{}", pruned.stderr);
    assert_eq!(json(&env, &format!("threads history {thread}")).len(), 1);
    // What is pruned continues all the same.
    let resumed = env.run(&format!(
        "threads resume {thread} --approve-after 1 --model script:FIXTURES/archie.jsonl"
    ));
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    let kept = json(&env, "threads prune --unused-days 1 --yes");
    assert_eq!(kept[0]["deleted"].as_array().unwrap().len(), 0);
    let deleted = env.run(&format!("threads delete {thread} --yes"));
    assert_eq!(deleted.code, 0, "{}", deleted.stderr);
    assert!(json(&env, "threads list").is_empty());
}

#[test]
fn pruning_asks_first_and_no_is_the_default() {
    let (env, thread) = env_with_thread();
    let count = || json(&env, &format!("threads history {thread}")).len();
    let before = count();
    for (answer, code, left) in [("", 130, before), ("n", 130, before), ("y", 0, 2)] {
        let terminal = Terminal::run(&env, "threads prune --keep 2");
        terminal
            .shows("Drop all but the last 2 checkpoints of every thread? [y/N]")
            .prompts(1);
        terminal.say(answer);
        assert_eq!(terminal.end(), code, "{answer}");
        assert_eq!(count(), left, "{answer}");
    }
    for line in [
        "threads prune --keep 0 --yes", "threads prune", "threads prune --keep 1",
    ] {
        let ran = env.run(line);
        assert_eq!(ran.code, 2, "{line}: {}", ran.stderr);
        assert_eq!(count(), 2, "{line}");
    }
    let bare = env.run("threads prune").stderr;
    for option in ["--keep <N>", "--unused-days <DAYS>"] {
        assert!(bare.contains(option), "{bare}");
    }
}

#[test]
fn unused_threads_go_but_not_those_with_an_open_question() {
    let (env, waiting) = env_with_thread();
    let done = env.run(&format!("{ANALYZE} --approve-after 1")).thread();
    let refused = env.run("threads prune --unused-days 0");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let asked = "Delete 1 thread not used for 0 days (not 1 with an open question)?";
    assert!(refused.stderr.contains(asked), "{}", refused.stderr);
    let ran = env.run("threads prune --unused-days 0 --yes");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("deleted 1 thread, dropped"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains(&format!("kept {waiting}")),
        "{}",
        ran.stderr
    );
    let left = json(&env, "threads list");
    assert_eq!(left.len(), 1, "{done} is gone");
    assert_eq!(left[0]["thread"], *waiting);
    // With nothing to delete there is nothing to ask.
    let again = json(&env, "threads prune --unused-days 0");
    assert_eq!(again[0]["deleted"].as_array().unwrap().len(), 0);
    assert_eq!(again[0]["waiting"][0], *waiting);
    assert_eq!(env.run(&format!("threads delete {waiting} --yes")).code, 0);
    let empty = env.run("threads list");
    assert_eq!(empty.code, 0);
    assert!(
        empty.stderr.contains("superstep analyze --query"),
        "{}",
        empty.stderr
    );
}

#[test]
fn an_open_question_is_shown_without_a_model() {
    let (env, thread) = env_with_thread();
    for more in ["", " --model local:default"] {
        let ran = env.run(&format!("threads resume {thread} --no-input{more}"));
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert_eq!(ran.stdout, "Second question?\n");
        assert!(ran.stderr.contains("[SS5016]"), "{}", ran.stderr);
    }
}
