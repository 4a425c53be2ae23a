//! One request of the API for a question: what `execute_request_node` and `secondary_request` share.

use superstep::{Ctx, NodeError};

use crate::{
    catalogue::{Api, Catalogue, Operation, Parameters},
    error::Error,
    services::{Services, problem},
    state::{AtrisState, AtrisStateUpdate, Pending},
    tools::{Response, Source},
};

/// A request that was made.
pub(super) struct Made {
    pub(super) operation: &'static Operation,
    /// The parameters as they were sent.
    pub(super) parameters: Parameters,
    pub(super) response: Response,
    /// All sources of the question, with this one.
    pub(super) sources: Vec<Source>,
}

/// Checks the parameters and makes the call. What goes wrong is an update with the error in it.
pub(super) async fn request(
    node: &str,
    api: Option<&Api>,
    parameters: impl FnOnce(&Operation) -> Parameters,
    (state, services, ctx): (&AtrisState, &Services, &Ctx),
) -> Result<Result<Made, AtrisStateUpdate>, NodeError> {
    let failed = |error: &Error| AtrisState::update().error(problem(error, node, state));
    let api = api.map(|api| api.id.as_str()).unwrap_or_default();
    let operation = match Catalogue::get().and_then(|it| it.require(api)) {
        Ok(operation) => operation,
        Err(error) => return Ok(Err(failed(&error))),
    };
    let parameters = match operation.check(&parameters(operation)) {
        Ok(parameters) => parameters,
        Err(faults) => {
            let why: Vec<String> = faults.iter().map(ToString::to_string).collect();
            return Ok(Err(failed(&Error::Parameters {
                operation: operation.id.clone(),
                why: why.join("; "),
            })));
        }
    };
    let called = services.call(ctx, state, operation, &parameters, 0).await?;
    let is_approved = !operation.is_public();
    Ok(match called {
        Ok(response) => {
            let mut sources = state.sources.clone().unwrap_or_default();
            // What a person says comes from no address.
            sources.extend(Some(response.source.clone()).filter(|it| !it.url.is_empty()));
            Ok(Made {
                operation,
                parameters,
                response,
                sources,
            })
        }
        Err(error) if is_approved => Err(ended(&error, node, state, Asked::Before)),
        Err(error) => Err(unanswered(&error, node, state)),
    })
}

/// Whether a person was asked something for a question.
enum Asked {
    Before,
    Never,
}

/// What becomes of an error of a lookup or a call.
pub(super) fn unanswered(error: &Error, node: &str, state: &AtrisState) -> AtrisStateUpdate {
    let asked = match state.was_asked {
        Some(true) => Asked::Before,
        _ => Asked::Never,
    };
    ended(error, node, state, asked)
}

/// The question ends with an error. If the next attempt may succeed, a person who has answered something is
/// asked before whether to try again: what they said is not lost.
fn ended(error: &Error, node: &str, state: &AtrisState, asked: Asked) -> AtrisStateUpdate {
    let problem = problem(error, node, state);
    match asked {
        Asked::Before if error.is_transient() => {
            AtrisState::update().pending(Pending::Again { problem })
        }
        _ => AtrisState::update().error(problem),
    }
}
