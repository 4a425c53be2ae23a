//! Node `select_api_node`: the one operation that is called, chosen by rules, and refused if it may not be called.

use superstep::{NodeError, Res, Snap};

use super::get_apis::understood;
use crate::{
    catalogue::{Catalogue, Method, Operation, tokens},
    error::Error,
    question::{
        Account, Understanding, bare_kind, by_handle, choose, own_words, suggestions, verb,
    },
    services::{Services, problem},
    state::{AtrisState, AtrisStateUpdate},
};

const NODE: &str = "select_api_node";

/// What bodies need and a question can say.
const SAYABLE: [&str; 1] = ["playlist_name"];

pub(crate) async fn select_api_node(
    state: Snap<AtrisState>,
    services: Res<Services>,
) -> Result<AtrisStateUpdate, NodeError> {
    match select(&state, &services) {
        Ok(operation) => Ok(AtrisState::update()
            .best_api(operation.api())
            .bound_host(services.bound(operation, state.selected_host.as_deref()))),
        Err(error) => Ok(AtrisState::update().error(problem(&error, NODE, &state))),
    }
}

fn select(state: &AtrisState, services: &Services) -> Result<&'static Operation, Error> {
    let catalogue = Catalogue::get()?;
    if let Some(list) = &state.continued {
        let operation = catalogue.require(&list.operation)?;
        return may_be_called(operation, services).map(|()| operation);
    }
    let question = state.query.as_deref().unwrap_or_default();
    let understood = understood(state);
    let choice = choose(catalogue, question, &understood, services.settings.writes);
    let selected = choice.best;
    let selected = selected.map(|operation| by_handle(catalogue, operation, &understood));
    let operation = selected.ok_or_else(|| nothing_fits(catalogue, question, &understood))?;
    // The catalogue lives as long as the program.
    let operation = catalogue.require(&operation.id)?;
    if let Some(what) = misread(catalogue, question, &understood, operation) {
        return Err(Error::NotUnderstood { what });
    }
    may_be_called(operation, services)?;
    if let Some(what) = cannot_be_said(catalogue, operation) {
        return Err(Error::NotUnderstood { what });
    }
    Ok(operation)
}

/// That no operation fits; if words are nearly ones that questions are made of, which.
fn nothing_fits(catalogue: &Catalogue, question: &str, understood: &Understanding) -> Error {
    if let Some(kind) = bare_kind(question, understood) {
        let lists = catalogue.lists_of(&kind).join(", ");
        return Error::NotUnderstood {
            what: format!("which {kind}s: ask for {lists}"),
        };
    }
    if let (true, Some(all)) = (
        understood.is_of_all(),
        catalogue.operation("getTrendingTracks"),
    ) && let Some(what) = misread(catalogue, question, understood, all)
    {
        return Error::NotUnderstood { what };
    }
    let words = own_words(question, &understood.references);
    let meant = suggestions(catalogue, &words);
    match meant.strip_prefix("; ") {
        Some(meant) => Error::NotUnderstood {
            what: format!("no operation of Audius fits; {meant}"),
        },
        None => Error::NoOperation,
    }
}

/// What a call that changes something needs and a question cannot say.
fn cannot_be_said(catalogue: &Catalogue, operation: &Operation) -> Option<String> {
    let body = catalogue.models().get(operation.body.as_deref()?)?;
    let needs = body
        .fields()
        .filter(|(name, field)| field.required && !SAYABLE.contains(name));
    let needs: Vec<&str> = needs.map(|(name, _)| name).collect();
    if !needs.is_empty() {
        return Some(format!(
            "{} needs {}, which a question cannot say",
            operation.id,
            needs.join(", ")
        ));
    }
    (operation.method == Method::Put).then(|| {
        format!(
            "what {} should change cannot be said in a question",
            operation.id
        )
    })
}

/// What of a question an operation leaves out, so that it would answer another question.
fn misread(
    catalogue: &Catalogue,
    question: &str,
    understood: &Understanding,
    operation: &Operation,
) -> Option<String> {
    if let (Some(verb), false) = (verb(question), operation.is_read()) {
        let mut tokens = tokens(verb).into_iter().chain([verb.to_owned()]);
        let is_done = tokens.any(|token| {
            catalogue.says(operation, &token) || catalogue.says_word(operation, &token)
        });
        if !is_done {
            return Some(format!("\"{verb}\": no operation of Audius does that"));
        }
    }
    Account::of(catalogue, question, understood, operation).refusal(catalogue, operation)
}

pub(super) fn may_be_called(operation: &Operation, services: &Services) -> Result<(), Error> {
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
        return refused(
            "it changes something, and that is switched off; --writes allows it, and asks you first",
        );
    }
    if !operation.is_read() && !has_token {
        return refused(
            "it changes something, and there is no token of a signed-in user; it is in AUDIUS_TOKEN, or in the variable that `token_env` of [agents.atris] names",
        );
    }
    if operation.is_private() && !has_token {
        return refused(
            "it is for a signed-in user alone, and there is no token of one; it is in AUDIUS_TOKEN, or in the variable that `token_env` of [agents.atris] names",
        );
    }
    Ok(())
}
