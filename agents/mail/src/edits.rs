//! Edits that wait: a dry run shows what an edit would do and leaves its question open, so the edit is kept with
//! the question until that is answered.
//!
//! An edit is checked as the run checks it that takes the answer. It is kept for what was asked: a question that is
//! asked anew with other arguments has none. With it is kept how the question reads then: readers without an account
//! cannot tell who gets a reply. A question that says something else by now, of what other threads did, is described
//! again.

use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};
use superstep::{
    Ask as _, AskId, ErrorKind,
    store::{Namespace, PutOptions, StoreError, TtlOnRead},
    tools::ParsedCall as _,
};

use crate::{
    AgentError, Asked, InboxItem, Item, MailAgent,
    agenda::Agenda,
    bookkeeping::EDITS,
    cautions::Cautions,
    key::key,
    mode::revealed,
    past_calls::PastCalls,
    proposals::Proposals,
    tools::{CallValidator, MailCall},
};

/// Nothing is called while an edit is checked, so every call on record is an earlier one.
const NO_CALL: &str = "";

/// Changed arguments of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptEdit {
    /// The arguments, all of them.
    pub args: Map<String, Json>,
    /// The question as it reads with them, without a mode; absent if the question has changed since.
    pub description: Option<String>,
}

impl MailAgent {
    /// Describes a question with these arguments in the place of those that it asks about, without a mode. Refuses
    /// arguments that an answer to it could not have, as the run would, with SS1015.
    pub async fn describe_edit(
        &self,
        thread: &str,
        asked: &Item,
        args: &Map<String, Json>,
    ) -> Result<String, AgentError> {
        let state = self.graph().state(thread).await?.state;
        let Some(input) = &state.email_input else {
            return Ok(asked.description.clone());
        };
        let past_calls = PastCalls::new(self.store.clone());
        let now = Timestamp::now();
        // Look-ups of days are no edits.
        let known = (past_calls, Vec::new());
        let validator =
            CallValidator::of(&self.services, known, input, now, (thread, NO_CALL)).await;
        let checked = match validator {
            Ok(validator) => validator.check(&asked.action_request.action, args),
            Err(error) => Err(error.to_string()),
        };
        let call = checked.map_err(|why| {
            let kind = Asked::KIND.to_owned();
            let asked = None;
            superstep::Error::from(ErrorKind::BadAnswer { kind, why, asked })
        })?;
        let proposals = Proposals::new(self.store.clone());
        let agenda = Agenda::of(&call, &self.services, &proposals, thread).await?;
        let cautions = Cautions::of(state.judgement.as_ref(), agenda);
        Ok(redescribed(&asked.description, &call, &cautions))
    }

    /// Keeps changed arguments with a question until [`MailAgent::drop_edit`], if an answer could have them.
    pub async fn keep_edit(
        &self,
        thread: &str,
        ask: AskId,
        asked: &Item,
        args: &Map<String, Json>,
    ) -> Result<(), AgentError> {
        let description = self.describe_edit(thread, asked, args).await?;
        let value = json!({
            "thread": thread, "ask": ask, "asked": asked.action_request.args, "args": args,
            "description": description, "digest": asked.digest,
        });
        let (space, key) = (space()?, place(thread, ask));
        let options = PutOptions::default();
        Ok(self.store.put(&space, &key, value, options).await?)
    }

    /// The changed arguments of a question; nothing if there are none, or if it asks about other ones now.
    pub async fn kept_edit(&self, question: &InboxItem) -> Result<Option<KeptEdit>, AgentError> {
        let (space, key) = (space()?, place(&question.thread, question.ask));
        let kept = self.store.get(&space, &key, TtlOnRead::Keep).await?;
        let Some(mut value) = kept.map(|kept| kept.value) else {
            return Ok(None);
        };
        let asked = value.get("asked").and_then(Json::as_object);
        if asked != Some(&question.item.action_request.args) {
            return Ok(None);
        }
        let is_same = value.get("digest") == Some(&json!(question.item.digest));
        let description = value.get("description").and_then(Json::as_str);
        let description = description.filter(|_| is_same);
        let description = description.map(str::to_owned);
        match value.get_mut("args").map(Json::take) {
            Some(Json::Object(args)) => Ok(Some(KeptEdit { args, description })),
            _ => Ok(None),
        }
    }

    /// Forgets the changed arguments of a question.
    pub async fn drop_edit(&self, thread: &str, ask: AskId) -> Result<(), AgentError> {
        Ok(self.store.delete(&space()?, &place(thread, ask)).await?)
    }
}

/// A description with another call: its heading and the mail below its rule stay. Lines of a reply are marked, so the
/// first rule is the one above the mail.
fn redescribed(description: &str, call: &MailCall, cautions: &Cautions) -> String {
    let heading = description.lines().next().unwrap_or_default();
    let mail = description.split_once("\n---\n");
    let mail = mail.map_or_else(String::new, |(_, mail)| format!("\n---\n{mail}"));
    let about = cautions.above(&call.describe().unwrap_or_default());
    format!(
        "{heading}\n\n{}{}{mail}",
        revealed(&about),
        cautions.below()
    )
}

fn space() -> Result<Namespace, StoreError> {
    let space = Namespace::new(EDITS);
    space.map_err(|error| StoreError::backend(error.to_string()))
}

/// Where the edit of a question is.
fn place(thread: &str, ask: AskId) -> String {
    key(&[thread, &ask.to_string()])
}
