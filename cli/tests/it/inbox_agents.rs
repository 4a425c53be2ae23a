//! One inbox for the questions of all agents: those of mail, of the other agents, and of a program's own.

use serde_json::Value as Json;

use crate::{
    env::TestEnv,
    own::clerk,
    post::{asked, questions},
    terminal::Terminal,
};

const MODEL: &str = "--model script:FIXTURES/archie.jsonl";

/// An inbox with a question about a mail and one of Archie, whose id is returned.
fn mail_and_archie() -> (TestEnv, String) {
    let env = asked(&["Lunch"]).with_documents();
    let ran = env.run(&format!("analyze --query what --inputs docs {MODEL}"));
    assert_eq!(ran.code, 3, "{ran:?}");
    let all = questions(&env);
    assert_eq!(all.len(), 2, "{all:?}");
    let is_archie = |it: &&Json| it["sender"] == "archie";
    let archie = all.iter().find(is_archie).unwrap();
    assert_eq!(archie["interrupts"].as_array().unwrap().len(), 1);
    let id = archie["id"].as_str().unwrap().to_owned();
    (env, id)
}

#[test]
fn questions_of_all_agents_are_in_one_inbox_and_words_answer_them() {
    let (env, id) = mail_and_archie();
    let shown = env.run(&format!("inbox show {id}"));
    assert!(shown.stdout.contains("First question?"), "{shown:?}");
    let refused = env.run(&format!("inbox accept {id} {MODEL}"));
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("use respond"), "{refused:?}");
    let account = env.run(&format!("inbox respond {id} one --send {MODEL}"));
    assert_eq!(account.code, 2, "options of mail are for mail: {account:?}");
    let answered = env.run(&format!("inbox respond {id} one {MODEL}"));
    assert_eq!(answered.code, 3, "it asks again: {answered:?}");
    assert!(answered.stdout.contains("Second question?"), "{answered:?}");
    let left = questions(&env);
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left.iter().all(|it| it["id"] != *id), "{left:?}");
}

#[test]
fn an_approval_of_an_own_agent_is_accepted_in_the_inbox_by_an_id_that_covers_its_content() {
    let env = TestEnv::new().of_program(clerk());
    env.write(
        "work/replies.jsonl",
        concat!(
            r#"{"calls": [{"name": "refund", "args": {"number": 7, "euros": 30}}]}"#,
            "\n",
            r#"{"text": "You get 30 euros back."}"#,
            "\n"
        ),
    );
    let model = "--model script:replies.jsonl";
    let asked = env.run_words(&[
        "run", "clerk", "Refund order 7", "--model", "script:replies.jsonl",
    ]);
    assert_eq!(asked.code, 3, "{asked:?}");
    let whole = questions(&env)[0]["id"].as_str().unwrap().to_owned();
    let listed = env.run("inbox list").stdout;
    let id = listed.split_whitespace().next().unwrap().to_owned();
    assert!(listed.contains("approval"), "{listed}");
    let shown = env.run(&format!("inbox show {id}")).stdout;
    assert!(shown.contains("euros: 30"), "{shown}");
    // The beginning of an id says where a question is asked, not what.
    let place = env.run(&format!("inbox accept {} {model}", &whole[..8]));
    assert_eq!(place.code, 1, "{place:?}");
    assert!(!place.stdout.contains("30 euros back"), "{place:?}");
    let done = env.run(&format!("inbox accept {id} {model}"));
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("You get 30 euros back."), "{done:?}");
    assert!(questions(&env).is_empty());
}

#[cfg(unix)]
#[test]
fn at_a_terminal_the_question_of_another_agent_is_answered_in_its_conversation() {
    let (env, _) = mail_and_archie();
    let account = "--folder mail --owner me@example.org";
    let terminal = Terminal::run(&env, &format!("inbox {account} {MODEL}"));
    terminal.shows("inbox: 2 questions  dry run: mail  for real: archie");
    terminal.shows("q leave");
    terminal
        .press("/")
        .shows("Enter searches")
        .press("question?\r");
    terminal.shows("inbox: 1 question").press("j");
    terminal.shows("First question?").shows(")  r respond  (");
    terminal.press("r").prompts(1).say("one");
    terminal.shows("Second question?").prompts(2).press("\u{4}");
    terminal.shows("Enter goes back").prompts(3).say("");
    terminal.shows("answered").shows("q leave").press("q");
    assert_eq!(terminal.end(), 0);
}
