//! The model of an agent, watched: what its calls took is known also if the agent fails, a key that was refused is not
//! tried again, and keys that a reply repeats are taken out before anything is stored.

use std::sync::{Arc, Mutex};

use superstep::{
    future::BoxFuture,
    model::{Content, ErrorKind, Model, ModelError, ModelLayer, Part, Reply, Request},
    sync::lock,
    text::Redactor,
    tools::refine::Spending,
};

/// What the calls of an agent took so far.
pub(crate) type Spent = Arc<Mutex<Spending>>;

/// The providers that refused their key, with what they said.
pub(crate) type Refusals = Mutex<std::collections::BTreeMap<String, String>>;

pub(crate) struct Watched {
    model: Arc<dyn Model>,
    spent: Spent,
    refusals: Arc<Refusals>,
}

impl Watched {
    pub(crate) fn new(model: Arc<dyn Model>, spent: Spent, refusals: Arc<Refusals>) -> Self {
        Self {
            model,
            spent,
            refusals,
        }
    }

    fn refused(&self) -> Option<ModelError> {
        let provider = self.model.id().provider.clone();
        let message = lock(&self.refusals).get(&provider).cloned()?;
        Some(ErrorKind::Auth { provider, message }.into())
    }
}

impl ModelLayer for Watched {
    fn inner(&self) -> &dyn Model {
        &*self.model
    }

    fn invoke<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            if let Some(refused) = self.refused() {
                return Err(refused);
            }
            let replied = self.model.invoke(request).await;
            let mut call = Spending::default();
            match &replied {
                Ok(reply) => call = Spending::of(reply),
                // These were not sent.
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::Budget { .. } | ErrorKind::CircuitOpen { .. }
                    ) => {}
                Err(error) => {
                    call.calls = 1;
                    if let ErrorKind::Auth { message, .. } = error.kind() {
                        let provider = self.model.id().provider.clone();
                        lock(&self.refusals).insert(provider, message.clone());
                    }
                }
            }
            let mut spent = lock(&self.spent);
            *spent += call;
            drop(spent);
            replied.map(without_secrets)
        })
    }
}

/// A reply without keys. Arguments of tools are paths and names, which tools look up in the facts.
fn without_secrets(mut reply: Reply) -> Reply {
    let redactor = Redactor::standard();
    match &mut reply.content {
        Content::Text(text) => *text = redactor.document(text).into_owned(),
        Content::Parts(parts) => {
            for part in parts {
                if let Part::Text { text } = part {
                    *text = redactor.document(text).into_owned();
                }
            }
        }
    }
    for thought in &mut reply.reasoning {
        thought.text = redactor.text(&thought.text).into_owned();
    }
    reply
}
