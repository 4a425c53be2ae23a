//! A test environment with mail in it.

use std::{fs, path::PathBuf};

use serde_json::Value as Json;

use crate::env::{Ran, TestEnv};

/// The model and the account of most tests.
pub(crate) const ACCOUNT: &str =
    "--folder mail --owner me@example.org --model script:FIXTURES/mail.jsonl";

/// A env with these mails, each by its subject in small letters.
pub(crate) fn env_with(subjects: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    fs::create_dir(env.path("work/mail")).unwrap();
    for subject in subjects {
        put(&env, subject, "Does Thursday suit you?");
    }
    env
}

pub(crate) fn put(env: &TestEnv, subject: &str, text: &str) {
    let name = subject.to_lowercase();
    let mail = format!(
        "From: Ann <ann@example.org>\r\nTo: Max <me@example.org>\r\nSubject: {subject}\r\n\
         Date: Mon, 02 Nov 2026 10:00:00 +0100\r\nMessage-ID: <{name}@example.org>\r\n\r\n{text}\r\n"
    );
    env.write(&format!("work/mail/{name}.eml"), &mail);
}

/// A env whose settings name the account and the model.
pub(crate) fn with_settings(env: &TestEnv, more: &str) {
    let folder = env.path("work/mail");
    let text = format!(
        "[agents.mail]\nowner = \"me@example.org\"\nfolder = \"{}\"\n{more}",
        folder.display()
    );
    env.write("home/.config/superstep/config.toml", &text);
}

pub(crate) fn ingest(env: &TestEnv) -> Ran {
    env.run(&format!("mail ingest {ACCOUNT}"))
}

/// Mails of these subjects, taken in.
pub(crate) fn asked(subjects: &[&str]) -> TestEnv {
    let env = env_with(subjects);
    let ran = ingest(&env);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    env
}

/// The open questions, as JSON.
pub(crate) fn questions(env: &TestEnv) -> Vec<Json> {
    let ran = env.run("inbox list --json");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.events()
}

/// The id of the only open question.
pub(crate) fn question(env: &TestEnv) -> String {
    let all = questions(env);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0]["id"].as_str().unwrap().to_owned()
}

/// The mails that were sent, as they are in the folder.
pub(crate) fn sent(env: &TestEnv) -> Vec<String> {
    let Ok(files) = fs::read_dir(env.path("work/mail/sent")) else {
        return Vec::new();
    };
    let paths = files.map(|file| file.unwrap().path());
    // What is being written is hidden.
    let is_whole = |path: &PathBuf| path.extension().is_some_and(|ext| ext == "eml");
    let texts = paths.filter(is_whole).map(fs::read_to_string);
    texts.map(Result::unwrap).collect()
}
