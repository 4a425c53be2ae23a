//! Demo of the e-mail assistant: three mails, one question answered, what it learnt, what was sent.

use super::Scene;

pub(super) const SCENE: Scene = Scene {
    about: "reads mail, and asks before it acts",
    files: &[
        ("mail/meeting.eml", include_bytes!("mail/meeting.eml")),
        ("mail/sale.eml", include_bytes!("mail/sale.eml")),
        ("mail/backup.eml", include_bytes!("mail/backup.eml")),
        ("meetings/week.ics", include_bytes!("mail/week.ics")),
        ("replies.jsonl", include_bytes!("mail.jsonl")),
    ],
    commands: &[
        (
            "three mails arrived: one is advertising, one is worth knowing, one wants an answer",
            "mail ingest --folder ./mail --calendar ./meetings --owner max@example.com --send \
             --model script:./replies.jsonl",
        ),
        (
            "nothing was sent yet: these are the questions",
            "inbox list",
        ),
        (
            "the reply as it would go out, and the mail",
            "inbox show QUESTION",
        ),
        (
            "changed and approved: now it is sent, once, and the change teaches something",
            "inbox edit QUESTION --set 'response_text=Hello Ann, Wednesday at 11:30. Max' --send \
             --folder ./mail --calendar ./meetings --owner max@example.com \
             --model script:./replies.jsonl",
        ),
        ("what it learned from that", "mail memory diff response"),
        (
            "and all it knows of how you write",
            "mail memory show response",
        ),
    ],
    leaves: &["mail/sent"],
};
