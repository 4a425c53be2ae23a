//! A mail that was taken in, as a notice.

use serde_json::{Value as Json, json};
use superstep::text::single_line;
use superstep_agent::{Block, Notice, Span, Weight, bad, faint, good, plain, strong};

use crate::{AgentError, Ingested, Intake, MailAgent};

/// Error code: a mail is set aside.
const SET_ASIDE: &str = "SS7021";

/// Error code: what waits cannot be read.
const UNREADABLE: &str = "SS7007";

/// Error code: a mail is refused.
const REFUSED: &str = "SS7020";

/// Error code: what is in the mailbox is no mail, or damaged.
const MALFORMED: &str = "SS7006";

/// Error code: something was begun of which nobody knows whether it happened.
const MAY_HAVE_HAPPENED: &str = "SS1205";

impl Intake {
    /// The mail and what became of it. `quoted` quotes a word of a command.
    pub(super) async fn notice(
        &self,
        agent: &MailAgent,
        quoted: fn(&str) -> String,
    ) -> Result<Notice, AgentError> {
        let state = agent.graph().state(self.thread.as_str()).await?.state;
        let class = serde_json::to_value(state.classification_decision).unwrap_or_default();
        let mail = state.email_input.as_ref().map(|input| &input.mail);
        let subject = mail.map(|mail| single_line(&mail.subject));
        let sender = mail.and_then(|mail| mail.from.as_ref());
        let sender = sender.map(|from| single_line(&from.to_string()));
        let (result, waiting, error) = match &self.result {
            Ingested::Done => ("done", 0, None),
            Ingested::Waiting(count) => ("waiting", *count, None),
            Ingested::Known => {
                let open = agent.open(&self.thread).await?;
                ("known", open.len(), None)
            }
            Ingested::Queued => ("queued", 0, None),
            Ingested::Failed { code, why } => ("failed", 0, Some((*code, why))),
        };
        let failed = error.map(|(code, why)| json!({"code": code, "message": why}));
        let notice = Notice::named(
            "mail",
            json!({
                "mail": self.mail, "thread": self.thread, "class": class,
                "subject": subject, "result": result, "questions": waiting, "error": failed,
            }),
        );
        // `watch` would list all of them at every pass.
        if matches!(self.result, Ingested::Known) {
            return Ok(notice);
        }
        let mut line = vec![became(&self.result, &class)];
        if error.is_some() {
            line.push(plain(format!("  {}", single_line(&self.mail.0))));
        }
        let subject = subject.filter(|it| !it.is_empty());
        let subject = subject.unwrap_or_else(|| "(no subject)".into());
        line.push(strong(format!("  {subject}")));
        line.push(plain(format!(
            "  {}",
            sender.unwrap_or_else(|| "(nobody)".into())
        )));
        line.push(faint(format!("  {}", self.thread)));
        let mut blocks = vec![Block::Line(Weight::Data, line)];
        let mut say = |line: Vec<Span>| blocks.push(Block::Line(Weight::Say, line));
        if let Some((code, why)) = error {
            say(vec![bad(format!("  [{code}] ")), plain(single_line(why))]);
            if code == SET_ASIDE {
                let command = format!(
                    "superstep mail ingest --retry {}",
                    quoted(&single_line(&self.mail.0))
                );
                say(vec![faint(
                    "  look at it with another program if you do not trust it; to take it back and parse it again:",
                )]);
                say(vec![faint("  "), strong(command)]);
            }
            if code == UNREADABLE {
                say(vec![faint(
                    "  to remove what waits: superstep memory delete NAMESPACE KEY; the mail is in the mailbox still",
                )]);
            }
            if code == MAY_HAVE_HAPPENED {
                say(vec![
                    faint("  its thread is as it was; say what happened, then run this again: "),
                    strong("superstep inbox"),
                ]);
            }
            if [SET_ASIDE, REFUSED, MALFORMED].contains(&code) {
                say(vec![faint(
                    "  to leave it out: move it out of the mailbox, or mark it as read",
                )]);
            }
        }
        Ok(notice.with(blocks))
    }
}

/// What became of a mail, in a few words.
fn became(result: &Ingested, class: &Json) -> Span {
    let class = class.as_str().unwrap_or("processed");
    match result {
        Ingested::Done => good(format!("{class}, done")),
        Ingested::Waiting(1) => strong(format!("{class}, 1 question")),
        Ingested::Waiting(count) => strong(format!("{class}, {count} questions")),
        Ingested::Known => faint("known"),
        Ingested::Queued => plain("waits for an earlier mail of its thread"),
        Ingested::Failed { code, .. } if *code == MALFORMED => bad("unreadable"),
        Ingested::Failed { .. } => bad("failed"),
    }
}
