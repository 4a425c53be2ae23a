//! Node `select_api_node`: the one operation that is called, chosen by the model among the candidates or
//! by rules, and refused if it may not be called.

use superstep::{Ctx, NodeError, Res, Snap};

use super::get_apis::understood;
use crate::{
    catalogue::{Catalogue, Operation, tokens},
    error::Error,
    question::{Reference, Understanding, asker, by_handle, choose, ignored, verb},
    services::{Services, problem},
    settings::ModelRole,
    state::{AtrisState, AtrisStateUpdate},
    thinking::{Thinker, operations},
};

const NODE: &str = "select_api_node";

pub(crate) async fn select_api_node(
    state: Snap<AtrisState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    match select(&state, &services, &ctx).await {
        Ok(operation) => Ok(AtrisState::update()
            .best_api(operation.api())
            .bound_host(services.bound(operation, state.selected_host.as_deref()))),
        Err(error) => Ok(AtrisState::update().error(problem(&error, NODE, &state))),
    }
}

async fn select(
    state: &AtrisState,
    services: &Services,
    ctx: &Ctx,
) -> Result<&'static Operation, Error> {
    let catalogue = Catalogue::get()?;
    let question = state.query.as_deref().unwrap_or_default();
    let understood = understood(state);
    let choice = choose(catalogue, question, &understood, services.settings.writes);
    let thinker = services
        .model
        .as_deref()
        .map(|model| Thinker { model, ctx });
    let selected = match (thinker, services.settings.role) {
        (Some(thinker), ModelRole::Whole) => {
            let apis = state.apis.as_deref().unwrap_or_default();
            let candidates = operations(catalogue, apis.iter().map(|api| api.id.as_str()));
            thinker.select(question, &candidates).await?
        }
        // Where one operation fits best by far there is nothing to choose.
        (Some(thinker), ModelRole::Choice) if choice.close.len() > 1 => {
            let name = state.entity_name.as_ref().map(Reference::text);
            let named = state.entity_type.zip(name);
            let picked = thinker.pick(question, named, &choice.close).await?;
            picked.or(choice.best)
        }
        _ => choice.best,
    };
    let selected = selected.map(|operation| by_handle(catalogue, operation, &understood));
    let operation = selected.ok_or(Error::NoOperation)?;
    // The catalogue lives as long as the program.
    let operation = catalogue.require(&operation.id)?;
    if let Some(what) = misread(
        catalogue,
        question,
        &understood,
        (operation, services.reader().is_some()),
    ) {
        return Err(Error::NotUnderstood { what });
    }
    may_be_called(operation, services)?;
    // Who is signed in is known to Audius alone, and only where a token says so.
    let asks_for_own = asker(question, &understood).filter(|_| understood.references.is_empty());
    if let (true, false, Some(word)) = (operation.is_read(), operation.is_private(), asks_for_own) {
        let what = format!("\"{word}\": who you are is not known; name the user or the handle");
        return Err(Error::NotUnderstood { what });
    }
    Ok(operation)
}

/// What of a question an operation leaves out, so that it would answer another question.
fn misread(
    catalogue: &Catalogue,
    question: &str,
    understood: &Understanding,
    (operation, has_reader): (&Operation, bool),
) -> Option<String> {
    if let (Some(verb), false) = (verb(question), operation.is_read()) {
        let mut tokens = tokens(verb).into_iter().chain([verb.to_owned()]);
        let is_done = tokens.any(|token| catalogue.says(operation, &token));
        return (!is_done).then(|| format!("\"{verb}\": no operation of Audius does that"));
    }
    // What a large model makes of a word is not known.
    if has_reader {
        return None;
    }
    let left = ignored(catalogue, question, understood, operation);
    let words: Vec<String> = left.iter().map(|word| format!("\"{word}\"")).collect();
    let subject = catalogue.in_words(operation);
    (!words.is_empty()).then(|| {
        format!(
            "{}: nothing was found that is about it; what fits best is {subject}",
            words.join(", ")
        )
    })
}

fn may_be_called(operation: &Operation, services: &Services) -> Result<(), Error> {
    let refused = |why: &str| {
        Err(Error::Refused {
            operation: operation.id.clone(),
            why: why.to_owned(),
        })
    };
    let has_token = services.settings.client.token.is_some();
    if operation.is_file() && operation.is_read() {
        return refused("it answers with a file, not with data");
    }
    if !operation.is_read() && !services.settings.writes {
        return refused("it changes something, and that is switched off");
    }
    if !operation.is_read() && !has_token {
        return refused("it changes something, and there is no token of a signed-in user");
    }
    if operation.is_private() && !has_token {
        return refused("it is for a signed-in user alone, and there is no token");
    }
    Ok(())
}
