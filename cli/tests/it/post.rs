//! A desk with mail on it.

use std::{fs, path::PathBuf};

use serde_json::Value as Json;

use crate::desk::{Desk, Ran};

/// The model and the account of most tests.
pub(crate) const ACCOUNT: &str =
    "--folder mail --owner me@example.org --model script:FIXTURES/mail.jsonl";

/// A desk with these mails, each by its subject in small letters.
pub(crate) fn desk_with(subjects: &[&str]) -> Desk {
    let desk = Desk::new();
    fs::create_dir(desk.path("work/mail")).unwrap();
    for subject in subjects {
        put(&desk, subject, "Does Thursday suit you?");
    }
    desk
}

pub(crate) fn put(desk: &Desk, subject: &str, text: &str) {
    let name = subject.to_lowercase();
    let mail = format!(
        "From: Ann <ann@example.org>\r\nTo: Max <me@example.org>\r\nSubject: {subject}\r\n\
         Date: Mon, 02 Nov 2026 10:00:00 +0100\r\nMessage-ID: <{name}@example.org>\r\n\r\n{text}\r\n"
    );
    desk.write(&format!("work/mail/{name}.eml"), &mail);
}

/// A desk whose settings name the account and the model.
pub(crate) fn with_settings(desk: &Desk, more: &str) {
    let folder = desk.path("work/mail");
    let text = format!(
        "[agents.mail]\nowner = \"me@example.org\"\nfolder = \"{}\"\n{more}",
        folder.display()
    );
    desk.write("home/.config/superstep/config.toml", &text);
}

pub(crate) fn ingest(desk: &Desk) -> Ran {
    desk.run(&format!("mail ingest {ACCOUNT}"))
}

/// The open questions, as JSON.
pub(crate) fn questions(desk: &Desk) -> Vec<Json> {
    let ran = desk.run("inbox list --json");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.events()
}

/// The id of the only open question.
pub(crate) fn question(desk: &Desk) -> String {
    let all = questions(desk);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0]["id"].as_str().unwrap().to_owned()
}

/// The mails that were sent, as they are in the folder.
pub(crate) fn sent(desk: &Desk) -> Vec<String> {
    let Ok(files) = fs::read_dir(desk.path("work/mail/sent")) else {
        return Vec::new();
    };
    let paths = files.map(|file| file.unwrap().path());
    // What is being written is hidden.
    let is_whole = |path: &PathBuf| path.extension().is_some_and(|ext| ext == "eml");
    let texts = paths.filter(is_whole).map(fs::read_to_string);
    texts.map(Result::unwrap).collect()
}
