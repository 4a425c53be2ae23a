//! The inbox with many questions: searched, marked, accepted together, while runs go on; what was ignored can be taken back.

use crate::{
    env::TestEnv,
    post::{ACCOUNT, asked, questions, sent},
    terminal::Terminal,
};

fn inbox(env: &TestEnv, mode: &str) -> Terminal {
    let terminal = Terminal::run(env, &format!("inbox {mode} {ACCOUNT}"));
    terminal.shows("q leave");
    terminal
}

fn until_sent(env: &TestEnv, count: usize) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while sent(env).len() < count {
        assert!(std::time::Instant::now() < end, "not all was sent");
        std::thread::yield_now();
    }
}

#[test]
fn what_was_ignored_is_taken_back_with_u() {
    let env = asked(&["Lunch", "Backup"]);
    let terminal = inbox(&env, "--send");
    terminal.shows("inbox: 2 questions").press("i");
    terminal.shows("u takes it back").shows("inbox: 1 question");
    terminal.press("u").shows("taken back");
    terminal.shows("inbox: 2 questions").press("q");
    assert_eq!(terminal.end(), 0);
    assert_eq!(questions(&env).len(), 2, "both are open");
    // Who leaves means it.
    let terminal = inbox(&env, "--send");
    terminal.press("i").shows("u takes it back").press("q");
    assert_eq!(terminal.end(), 0);
    assert_eq!(questions(&env).len(), 1);
}

#[test]
fn questions_are_searched_by_their_words() {
    let env = asked(&["Lunch", "Backup"]);
    let terminal = inbox(&env, "--send");
    // Letters that answer are letters of the search here.
    terminal
        .press("/")
        .shows("Enter searches")
        .press("backup ary");
    terminal.shows("inbox: 0 questions");
    terminal.press("\u{7f}\u{7f}\u{7f}\u{7f}");
    terminal.shows("inbox: 1 question").press("\r");
    terminal
        .hides("Lunch")
        .shows("Esc shows all")
        .press("\u{1b}");
    terminal.shows("inbox: 2 questions").press("q");
    assert_eq!(terminal.end(), 0);
    assert_eq!(questions(&env).len(), 2, "nothing was answered");
}

#[test]
fn marked_questions_are_accepted_together_after_one_confirmation() {
    let env = asked(&["Lunch", "Odd", "Backup"]);
    let all = questions(&env);
    let terminal = inbox(&env, "--send");
    terminal.press("A").shows("no question is marked");
    terminal.press("*").shows("✓");
    // Its line is longer than the screen is wide.
    let asked = "any other key leaves them open";
    terminal.press("A").shows(asked).shows("q leave").press("n");
    terminal.hides(asked).shows("q leave");
    assert_eq!(sent(&env).len(), 0, "any other key leaves them open");
    terminal.press("A").shows(asked).shows("q leave").press("y");
    terminal.shows("inbox: 2 questions").press("q");
    assert_eq!(terminal.end(), 0);
    assert_eq!(sent(&env).len(), 1);
    // What cannot be accepted was not marked, and what has a warning was left out.
    assert_eq!(questions(&env).len(), all.len() - 1);
}

#[test]
fn the_inbox_is_used_while_a_run_goes_on() {
    let env = asked(&["Hang", "Lunch"]);
    let terminal = inbox(&env, "--send");
    // The run of the first one never ends.
    terminal.press("/").shows("Enter searches").press("Hang\r");
    terminal.shows("inbox: 1 question").press("j");
    terminal.shows("a accept  e edit").press("a");
    terminal.shows("y does it").shows("q leave").press("y");
    terminal.shows("the run continues").press("\u{1b}");
    terminal.shows("inbox: 1 question").press("j");
    terminal.shows("To: Ann <ann@example.org>");
    terminal.shows("a accept  e edit").press("a");
    terminal.shows("y does it").shows("q leave").press("y");
    // The second run ends with its mail.
    terminal.shows("inbox: 0 questions");
    until_sent(&env, 2);
    // Who leaves waits for it, unless they do not want to.
    terminal.press("q").shows("before leaving");
    terminal.press("\u{3}").shows("stopped; the answer is kept");
    terminal.press("\u{3}");
    assert_eq!(terminal.end(), 130);
}
