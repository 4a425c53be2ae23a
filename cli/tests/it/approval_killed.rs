//! A process that ends between an approval and its effect, continued in another mode.
//!
//! The process gets a limit on the size of files, as `ulimit -f` sets it. The kernel ends it at the
//! write that goes beyond, and nothing is cleaned up. With a higher limit each time, it is ended at every
//! write to the log of the database, one after the other.

use std::{os::unix::process::ExitStatusExt as _, process::Command};

use crate::{
    desk::Desk,
    post::{ACCOUNT, desk_with, ingest, question, questions, sent},
};

/// Blocks of 512 bytes: a page of the database.
const STEP: u32 = 8;

/// Less than that and the database cannot be opened.
const FIRST: u32 = 64;

/// So many steps are enough for any command here.
const MOST: u32 = 200;

/// Runs a command line with a limit; whether it was ended by it.
fn is_ended_by(desk: &Desk, line: &str, blocks: u32) -> bool {
    let wanted = desk.command(line);
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -c 0; ulimit -f \"$0\"; exec \"$@\""])
        .arg(blocks.to_string())
        .arg(wanted.get_program())
        .args(wanted.get_args())
        .env_clear()
        .current_dir(wanted.get_current_dir().unwrap());
    for (name, value) in wanted.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let ran = command.output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(
        ran.status.success() || ran.status.signal().is_some(),
        "{blocks}: {:?} {told}",
        ran.status
    );
    ran.status.signal().is_some()
}

/// What the open questions of a desk are about.
fn actions(desk: &Desk) -> Vec<String> {
    let action = |it: serde_json::Value| {
        let action = &it["interrupts"][0]["action_request"]["action"];
        action.as_str().unwrap().to_owned()
    };
    questions(desk).into_iter().map(action).collect()
}

fn asked() -> Desk {
    let desk = desk_with(&["Lunch"]);
    assert_eq!(ingest(&desk).code, 0);
    desk
}

/// Ends `first` at every write, and shows what it left to `then`, until that has seen enough; how often
/// it was ended.
fn at_every_write(start: &Desk, first: &str, mut then: impl FnMut(Desk) -> bool) -> u32 {
    let line = format!("{first} {ACCOUNT}").replace("ID", &question(start));
    for step in 0..MOST {
        let desk = start.copy();
        let is_ended = is_ended_by(&desk, &line, FIRST + step * STEP);
        if then(desk) || !is_ended {
            return step;
        }
    }
    panic!("{line} is ended by every limit")
}

#[test]
fn what_was_accepted_in_a_dry_run_is_not_sent_by_a_run_for_real_that_continues() {
    let mut asked_again = 0;
    let ended = at_every_write(&asked(), "inbox accept ID", |desk| {
        let ran = desk.run(&format!("mail ingest --send {ACCOUNT}"));
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(sent(&desk).is_empty(), "{}", ran.stdout);
        let open = actions(&desk);
        asked_again += usize::from(open == ["send_email_tool: asked again"]);
        // Accepted for real it is sent, once.
        if !open.is_empty() {
            let real = desk.run(&format!(
                "inbox accept {} --send {ACCOUNT}",
                question(&desk)
            ));
            assert_eq!(real.code, 0, "{}", real.stderr);
            assert_eq!(sent(&desk).len(), 1);
        }
        false
    });
    assert!(ended > 5, "ended {ended} times");
    assert!(asked_again > 0, "never between the answer and the act");
}

#[test]
fn what_was_accepted_for_real_is_not_sent_by_a_dry_run_that_continues() {
    let mut asked_again = 0;
    let ended = at_every_write(&asked(), "inbox accept ID --send", |desk| {
        let before = sent(&desk).len();
        let ran = ingest(&desk);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(sent(&desk).len(), before, "{}", ran.stdout);
        let open = actions(&desk);
        asked_again += usize::from(open == ["send_email_tool: asked again"]);
        if !open.is_empty() {
            assert!(ran.stderr.contains("1 question waits"), "{}", ran.stderr);
            let real = desk.run(&format!(
                "inbox accept {} --send {ACCOUNT}",
                question(&desk)
            ));
            assert_eq!(real.code, 0, "{}", real.stderr);
        }
        assert_eq!(sent(&desk).len(), 1, "{open:?}");
        assert!(questions(&desk).is_empty());
        false
    });
    assert!(ended > 5, "ended {ended} times");
    assert!(asked_again > 0, "never between the answer and the act");
}

#[test]
fn what_is_asked_again_and_accepted_in_a_dry_run_is_not_sent_either() {
    let again = ["send_email_tool: asked again"];
    let mut start = None;
    at_every_write(&asked(), "inbox accept ID", |desk| {
        desk.run(&format!("mail ingest --send {ACCOUNT}"));
        let is_found = actions(&desk) == again;
        start = is_found.then_some(desk);
        is_found
    });
    let start = start.unwrap();
    let first = question(&start);
    let mut asked_again = 0;
    at_every_write(&start, "inbox accept ID", |desk| {
        let ran = desk.run(&format!("mail ingest --send {ACCOUNT}"));
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(sent(&desk).is_empty(), "{}", ran.stdout);
        let open = questions(&desk);
        asked_again += usize::from(open.iter().any(|it| it["id"] != *first));
        false
    });
    assert!(asked_again > 0, "never between the answer and the act");
}
