//! The whole assistant on a back end, with a model that follows a script.

use std::{path::Path, sync::Arc};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Outcome,
    model::{
        NodeModels,
        script::{Script, Step, When},
    },
    sqlite::Database,
};
use superstep_mail::{
    Answer, Calendar, IngestOptions, Ingested, MailAgent, MailParts, Mailbox, Settings,
};

/// An assistant that answers, with this call in its first turn, and keeps its threads in a folder.
pub(crate) fn assistant(
    folder: &Path,
    mailbox: impl Mailbox,
    calendar: impl Calendar,
    call: (&str, Json),
) -> MailAgent {
    let turn = || When {
        tool: Some("Done".into()),
        ..When::default()
    };
    let class = json!({"reasoning": "it is so", "classification": "respond", "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"});
    let done = Step::default().and_call("Done", json!({"done": true}));
    let model = Script::new([
        Step::data(class).when(When::schema("triage")).always(),
        Step::default().and_call(call.0, call.1).when(turn()),
        done.when(turn()).always(),
    ]);
    let database = Database::open(folder.join("threads.db")).unwrap();
    let backends = Backends {
        saver: Some(Arc::new(database.saver())),
        store: Some(Arc::new(database.store())),
        ..Backends::default()
    };
    let settings = Settings {
        dry_run: false,
        ..Settings::default()
    };
    MailAgent::new(MailParts {
        models: NodeModels::new(Arc::new(model)),
        mailbox: Arc::new(mailbox),
        calendar: Arc::new(calendar),
        settings,
        backends,
    })
    .unwrap()
}

/// A reply of the owner to a mail.
pub(crate) fn reply_by(owner: &str, id: &str) -> (&'static str, Json) {
    let args = json!({"email_id": id, "response_text": "Gladly.", "email_address": owner});
    ("send_email_tool", args)
}

/// Takes the one mail in, and accepts the one question about it.
pub(crate) async fn accepted(
    agent: &MailAgent,
) -> Result<Outcome<superstep_mail::MailState>, String> {
    let taken = agent.ingest(&IngestOptions::default()).await.unwrap();
    assert_eq!(taken.len(), 1, "{taken:?}");
    assert_eq!(taken[0].result, Ingested::Waiting(1));
    let thread = taken[0].thread.clone();
    let items = agent.open(&thread).await.unwrap();
    let answers = [(items[0].ask, Answer::accept())];
    let outcome = agent.answer(&thread, answers).await;
    outcome.map_err(|error| error.to_string())
}
