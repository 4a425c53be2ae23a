//! A process that ends between an approval and its effect, continued in another mode.
//!
//! The process gets a limit on the size of files, as `ulimit -f` sets it. The kernel ends it at the
//! write that goes beyond, and nothing is cleaned up. With a higher limit each time, it is ended at every
//! write to the log of the database, one after the other.

use std::{
    fs,
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
};

use crate::{
    env::TestEnv,
    post::{ACCOUNT, env_with, ingest, question, questions, sent, with_settings},
};

/// Blocks of 512 bytes: a page of the database.
pub(crate) const STEP: u32 = 8;

/// Less than that and the database cannot be opened.
pub(crate) const FIRST: u32 = 64;

/// So many steps are enough for any command here.
pub(crate) const MOST: u32 = 200;

/// Runs a command line with a limit; whether it was ended by it.
pub(crate) fn is_ended_by(env: &TestEnv, line: &str, blocks: u32) -> bool {
    let script = format!("ulimit -c 0; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let ran = env.in_shell(&script, line).output().unwrap();
    let message = String::from_utf8_lossy(&ran.stderr);
    assert!(
        ran.status.success() || ran.status.signal().is_some(),
        "{blocks}: {:?} {message}",
        ran.status
    );
    ran.status.signal().is_some()
}

/// What the open questions of a env are about.
fn actions(env: &TestEnv) -> Vec<String> {
    let action = |it: serde_json::Value| {
        let action = &it["interrupts"][0]["action_request"]["action"];
        action.as_str().unwrap().to_owned()
    };
    questions(env).into_iter().map(action).collect()
}

fn asked() -> TestEnv {
    let env = env_with(&["Lunch"]);
    assert_eq!(ingest(&env).code, 0);
    // Brings the index of threads up to date: otherwise the command under test writes that first, and a limit that lets it pass
    // the checkpoint of it is larger than the log of all that follows.
    assert_ne!(env.run(&format!("inbox accept ffffffff {ACCOUNT}")).code, 0);
    env
}

/// The files below a folder with their lengths; of the log of a database what is committed, since the rest is not read
/// again.
fn stored(folder: &Path) -> Vec<(PathBuf, usize)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            found.extend(
                stored(&path)
                    .into_iter()
                    .map(|(it, length)| (name.join(it), length)),
            );
        } else if name.to_string_lossy().ends_with("-wal") {
            found.push((name, committed(&fs::read(&path).unwrap())));
        } else if !name.to_string_lossy().ends_with("-shm") {
            found.push((name, fs::metadata(&path).unwrap().len() as usize));
        }
    }
    found.sort();
    found
}

/// How many bytes of a write-ahead log end with a commit: a header of 32 bytes, then frames of 24 bytes and a page, of which
/// the last of a transaction says how many pages the database has.
fn committed(log: &[u8]) -> usize {
    let number = |at: usize| {
        log.get(at..at + 4)
            .map(|it| u32::from_be_bytes(it.try_into().unwrap()))
    };
    let Some(page) = number(8) else { return 0 };
    let frame = 24 + page as usize;
    let whole = (32..)
        .step_by(frame)
        .take_while(|at| at + frame <= log.len());
    let of_this_log = whole.take_while(|at| number(at + 8) == number(16));
    let ends = of_this_log.filter(|at| number(at + 4) != Some(0));
    ends.last().map_or(0, |at| at + frame)
}

/// Ends `first` at every write, and shows what it left to `then` where that differs from the last time, until it has seen
/// enough; how often it was ended.
fn at_every_write(start: &TestEnv, first: &str, mut then: impl FnMut(TestEnv) -> bool) -> u32 {
    let line = format!("{first} {ACCOUNT}").replace("ID", &question(start));
    let mut last = None;
    for step in 0..MOST {
        let env = start.copy();
        let is_ended = is_ended_by(&env, &line, FIRST + step * STEP);
        let left = ["home", "work"].map(|it| stored(&env.path(it)));
        let is_new = last.replace(left.clone()) != Some(left);
        if (is_new && then(env)) || !is_ended {
            return step;
        }
    }
    panic!("{line} is ended by every limit")
}

#[test]
fn what_was_accepted_in_a_dry_run_is_not_sent_by_a_run_for_real_that_continues() {
    let mut asked_again = 0;
    let ended = at_every_write(&asked(), "inbox accept ID --rehearse", |env| {
        let ran = env.run(&format!("mail ingest --send {ACCOUNT}"));
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(sent(&env).is_empty(), "{}", ran.stdout);
        let open = actions(&env);
        asked_again += usize::from(open == ["send_email_tool: asked again"]);
        // Accepted for real it is sent, once.
        if !open.is_empty() {
            let real = env.run(&format!("inbox accept {} --send {ACCOUNT}", question(&env)));
            assert_eq!(real.code, 0, "{}", real.stderr);
            assert_eq!(sent(&env).len(), 1);
        }
        false
    });
    assert!(ended > 5, "ended {ended} times");
    assert!(asked_again > 0, "never between the answer and the act");
}

#[test]
fn what_was_accepted_for_real_is_not_sent_by_a_dry_run_that_continues() {
    let mut asked_again = 0;
    let ended = at_every_write(&asked(), "inbox accept ID --send", |env| {
        let before = sent(&env).len();
        let ran = ingest(&env);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(sent(&env).len(), before, "{}", ran.stdout);
        let open = actions(&env);
        asked_again += usize::from(open == ["send_email_tool: asked again"]);
        if !open.is_empty() {
            assert!(ran.stderr.contains("1 question waits"), "{}", ran.stderr);
            let real = env.run(&format!("inbox accept {} --send {ACCOUNT}", question(&env)));
            assert_eq!(real.code, 0, "{}", real.stderr);
        }
        assert_eq!(sent(&env).len(), 1, "{open:?}");
        assert!(questions(&env).is_empty());
        false
    });
    assert!(ended > 5, "ended {ended} times");
    assert!(asked_again > 0, "never between the answer and the act");
}

#[test]
fn who_deletes_a_thread_is_told_of_what_may_have_been_sent_and_pruning_keeps_it() {
    let mut is_told = false;
    at_every_write(&asked(), "inbox accept ID --send", |env| {
        let threads = env.run("threads list --json").events();
        let thread = threads[0]["thread"].as_str().unwrap();
        let copy = env.copy();
        let deleted = env.run(&format!("threads delete {thread} --yes"));
        assert_eq!(deleted.code, 0, "{}", deleted.stderr);
        let record = "outcome unknown: ";
        is_told = deleted.stderr.contains(record);
        let pruned = copy.run("threads prune --unused-days 0 --yes");
        assert_eq!(pruned.code, 0, "{}", pruned.stderr);
        assert_eq!(pruned.stderr.contains(record), is_told, "{}", pruned.stderr);
        if is_told {
            let both = format!("{}{}", deleted.stderr, pruned.stderr);
            assert_eq!(both.matches("may have happened").count(), 2, "{both}");
            assert_eq!(copy.run("threads list --json").events().len(), 1);
        }
        is_told
    });
    assert!(
        is_told,
        "never between the beginning of the act and its end"
    );
}

#[test]
fn what_was_accepted_for_real_is_not_sent_by_a_copy_of_its_thread() {
    let mut asked_again = 0;
    let ended = at_every_write(&asked(), "inbox accept ID --send", |env| {
        with_settings(&env, "dry_run = false\n");
        let listed = env.run("threads list --json").events();
        let thread = listed[0]["thread"].as_str().unwrap();
        let forked = env.run(&format!("threads fork {thread} --name mail-copy"));
        assert_eq!(forked.code, 0, "{}", forked.stderr);
        let before = sent(&env).len();
        let line = "threads resume mail-copy --model script:FIXTURES/mail.jsonl";
        let resumed = env.run(line);
        assert!([0, 3].contains(&resumed.code), "{}", resumed.stderr);
        assert_eq!(sent(&env).len(), before, "{}", resumed.stdout);
        let of_copy = |it: &&serde_json::Value| it["thread"] == "mail-copy";
        let open = questions(&env);
        let action = |it: &serde_json::Value| {
            it["interrupts"][0]["action_request"]["action"] == "send_email_tool: asked again"
        };
        asked_again += open.iter().filter(of_copy).filter(|it| action(it)).count();
        false
    });
    assert!(ended > 5, "ended {ended} times");
    assert!(asked_again > 0, "never between the answer and the act");
}

#[test]
fn what_is_asked_again_and_accepted_in_a_dry_run_is_not_sent_either() {
    let again = ["send_email_tool: asked again"];
    let mut start = None;
    at_every_write(&asked(), "inbox accept ID --rehearse", |env| {
        env.run(&format!("mail ingest --send {ACCOUNT}"));
        let is_found = actions(&env) == again;
        start = is_found.then_some(env);
        is_found
    });
    let start = start.unwrap();
    let first = question(&start);
    let mut asked_again = 0;
    at_every_write(&start, "inbox accept ID --rehearse", |env| {
        let ran = env.run(&format!("mail ingest --send {ACCOUNT}"));
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(sent(&env).is_empty(), "{}", ran.stdout);
        let open = questions(&env);
        asked_again += usize::from(open.iter().any(|it| it["id"] != *first));
        false
    });
    assert!(asked_again > 0, "never between the answer and the act");
}

#[test]
fn a_reply_that_was_taken_from_the_folder_is_not_sent_again_without_a_question() {
    let mut asked_about = 0;
    at_every_write(&asked(), "inbox accept ID --send", |env| {
        let taken = sent(&env).len();
        // What a program does that delivers mail.
        let _ = std::fs::remove_dir_all(env.path("work/mail/sent"));
        let ran = env.run(&format!("mail ingest --send {ACCOUNT}"));
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(taken + sent(&env).len() <= 1, "{}", ran.stdout);
        let left = std::fs::read_dir(env.path("work/mail/.outgoing"));
        assert_eq!(left.map_or(0, Iterator::count), 0);
        asked_about += usize::from(actions(&env) == ["send_email_tool: outcome unknown"]);
        false
    });
    assert!(
        asked_about > 0,
        "never between the hand-over and its record"
    );
}
