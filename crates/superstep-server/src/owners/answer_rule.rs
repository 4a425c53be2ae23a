//! The program's rule about who may answer which question ([`Server::approve_with`](crate::Server::approve_with)). It is applied
//! where runs are accepted and threads are edited (`runs::answer_rule`).

use axum::http::StatusCode;
use superstep::{Caller, OpenAsk};

use super::visitor::Visitor;
use crate::refusal::Refusal;

/// The program's rule about who may answer which question.
pub(crate) struct AnswerRule(Box<Rule>);

type Rule = dyn Fn(&Caller, &OpenAsk) -> bool + Send + Sync;

impl AnswerRule {
    pub(crate) fn new(rule: impl Fn(&Caller, &OpenAsk) -> bool + Send + Sync + 'static) -> Self {
        Self(Box::new(rule))
    }

    /// Refuses a caller who may not answer a question.
    pub(crate) fn check(&self, visitor: &Visitor, ask: &OpenAsk) -> Result<(), Refusal> {
        match (self.0)(visitor.caller(), ask) {
            true => Ok(()),
            false => {
                let (who, id) = (visitor.caller(), ask.id);
                let why =
                    format!("{who} may not answer question {id}: it stays open for those who may");
                Err(Refusal::new(StatusCode::FORBIDDEN, why))
            }
        }
    }
}
