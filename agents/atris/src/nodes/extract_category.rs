//! Node `extract_category_node`: what the question is about, by the model or by rules.

use superstep::{Ctx, NodeError, Res, Snap, model::Message};

use crate::{
    catalogue::Catalogue,
    error::Error,
    question::{MAX_QUESTION, Reference, Understanding, choose, wants_write},
    services::{Services, problem},
    state::{AtrisState, AtrisStateUpdate, Secondary},
    thinking::Thinker,
};

const NODE: &str = "extract_category_node";

pub(crate) async fn extract_category_node(
    state: Snap<AtrisState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    let question = state.query.clone().unwrap_or_default();
    let failed = |error: Error| AtrisState::update().error(problem(&error, NODE, &state));
    if question.trim().is_empty() {
        let why = "the question is empty".to_owned();
        return Ok(failed(Error::Settings { why }));
    }
    let length = question.chars().count();
    if length > MAX_QUESTION {
        let why =
            format!("the question has {length} characters, and at most {MAX_QUESTION} are read");
        return Ok(failed(Error::Settings { why }));
    }
    if wants_write(&question) && !services.settings.writes {
        let why = "the question wants something changed, and that is switched off".to_owned();
        let operation = "a write".to_owned();
        return Ok(failed(Error::Refused { operation, why }));
    }
    let catalogue = match Catalogue::get() {
        Ok(catalogue) => catalogue,
        Err(error) => return Ok(failed(error)),
    };
    let mut understood = Understanding::of(&question);
    if let Some(model) = &services.model {
        let thinker = Thinker {
            model: &**model,
            ctx: &ctx,
        };
        match thinker.understand(&question).await {
            // What cannot be mistaken for a name is taken from the question itself.
            Ok((kind, names)) if !is_exact(&understood.references) => {
                understood.entity_type = kind;
                understood.references = names;
            }
            Ok(_) => {}
            Err(error) => return Ok(failed(error)),
        }
    }
    let candidates = choose(catalogue, &question, &understood, services.settings.writes).candidates;
    let categories: Vec<String> = candidates
        .iter()
        .map(|it| it.operation.api().tool_name)
        .collect();
    let mut names = understood.references.iter().cloned();
    let first = names.next();
    let second = names.next().map(|entity_name| Secondary {
        api: None,
        entity_name,
        entity: None,
        parameters: None,
    });
    Ok(AtrisState::update()
        .query_type(understood.query_type.clone())
        .entity_type(understood.entity_type)
        .is_entity_query(first.is_some())
        .entity_name(first)
        .secondary_api(second)
        .aspect(understood.aspect)
        .complexity(understood.complexity)
        .categories(categories)
        .messages(vec![Message::user(question)]))
}

fn is_exact(references: &[Reference]) -> bool {
    let exact = |it: &Reference| matches!(it, Reference::Url(_) | Reference::Handle(_));
    references.iter().any(exact)
}
