//! Node `ask_user`: asks the person for a parameter that is missing, which of several things was meant, or
//! whether to try again. The operation is not chosen again afterwards.

use superstep::{Ctx, NodeError, Snap};

use super::{extract_params::fill, handle_error::with_problem};
use crate::{
    catalogue::Catalogue,
    error::Error,
    question::Reference,
    services::problem,
    state::{AtrisState, AtrisStateUpdate, Entity, Pending, Question},
};

const NODE: &str = "ask_user";

pub(crate) async fn ask_user(
    state: Snap<AtrisState>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    match state.pending.clone() {
        None => Ok(AtrisState::update()),
        Some(Pending::Missing {
            parameter,
            entity_type,
            word,
        }) => {
            let failed =
                |error: Error| Ok(AtrisState::update().error(problem(&error, NODE, &state)));
            let api = state
                .best_api
                .as_ref()
                .map(|api| api.id.clone())
                .unwrap_or_default();
            let operation = match Catalogue::get().and_then(|it| it.require(&api)) {
                Ok(operation) => operation,
                Err(error) => return failed(error),
            };
            let what = match (entity_type, &word) {
                (Some(kind), Some(word)) => format!(
                    "Which {} is \"{word}\"? No answer before says so. A name, a handle, a link or an id.",
                    kind.name()
                ),
                (Some(kind), None) => {
                    format!("Which {}? A name, a handle, a link or an id.", kind.name())
                }
                (None, _) if parameter == "query" => "What should be searched for?".to_owned(),
                (None, _) => format!("What is the {}?", parameter.replace('_', " ")),
            };
            let question = Question {
                question: what,
                options: Vec::new(),
                parameter: Some(parameter.clone()),
            };
            let said = ctx.ask_checked(question, |answer: &String| {
                if answer.trim().is_empty() {
                    return Err("the answer is empty".into());
                }
                if parameter == "user_id" && !is_plain_id(answer.trim()) {
                    let why = "must be an id: 5 to 16 letters and digits, such as 7eP5n";
                    return Err(format!("`user_id` {why}"));
                }
                match (entity_type, operation.parameter(&parameter)) {
                    (None, Some(known)) => known
                        .check(&answer.trim().into())
                        .map(drop)
                        .map_err(|why| format!("`{parameter}` {why}")),
                    _ => Ok(()),
                }
            })?;
            let said = said.trim().to_owned();
            let mut parameters = state.parameters.clone().unwrap_or_default();
            let mut name = state.entity_name.clone();
            match entity_type {
                Some(_) => match (parameter.as_str(), Reference::of_answer(&said)) {
                    ("handle", Reference::Handle(handle) | Reference::Name(handle)) => {
                        parameters.insert(parameter, handle.into());
                    }
                    (_, Reference::Id(id)) if parameter != "handle" => {
                        parameters.insert(parameter, id.into());
                    }
                    (_, reference) => name = Some(reference),
                },
                None => {
                    parameters.insert(parameter, said.into());
                }
            }
            match fill(operation, parameters, name.is_some()) {
                Ok((parameters, pending)) => Ok(AtrisState::update()
                    .was_asked(true)
                    .parameters(parameters)
                    .pending(pending)
                    .entity_type(state.entity_type.or(entity_type))
                    .is_entity_query(name.is_some())
                    .entity_name(name)),
                Err(error) => failed(error),
            }
        }
        Some(Pending::Choose {
            name,
            options,
            is_second,
        }) => {
            let question = Question {
                question: format!("Which one is \"{name}\"?"),
                options: options.iter().map(shown).collect(),
                parameter: None,
            };
            let said = ctx.ask_checked(question, |answer: &String| {
                chosen(&options, answer).map(drop).ok_or_else(|| {
                    format!(
                        "`{}` is none of them; give a number from 1 to {}",
                        answer.trim(),
                        options.len()
                    )
                })
            })?;
            let entity = chosen(&options, &said).cloned();
            let update = AtrisState::update().pending(None).was_asked(true);
            Ok(match (is_second, state.secondary_api.clone()) {
                (true, Some(mut second)) => {
                    second.entity = entity;
                    update.secondary_api(second)
                }
                _ => update.entity(entity),
            })
        }
        Some(Pending::Again { problem }) => {
            let question = Question {
                question: format!("{} [{}]. Try again?", problem.message, problem.code),
                options: AGAIN.map(str::to_owned).to_vec(),
                parameter: None,
            };
            let said = ctx.ask_checked(question, |answer: &String| {
                again(answer)
                    .map(drop)
                    .ok_or_else(|| "yes or no".to_owned())
            })?;
            let update = AtrisState::update().pending(None);
            Ok(match again(&said) {
                Some(true) => update.error_history(with_problem(&state, problem)),
                _ => update.error(problem),
            })
        }
    }
}

/// What can be said to "try again?".
const AGAIN: [&str; 2] = ["yes", "no"];

fn again(answer: &str) -> Option<bool> {
    let answer = answer.trim().to_lowercase();
    let place = AGAIN.iter().position(|it| *it == answer)?;
    Some(place == 0)
}

/// What is said to other questions, and is no id although it could be one.
const SAID_ELSEWHERE: [&str; 4] = ["accept", "ignore", "repeat", "unknown"];

/// Whether a text can be an id, and is no handle, name, path or answer to another question. Audius makes ids
/// of five characters and more.
fn is_plain_id(text: &str) -> bool {
    let is_said = SAID_ELSEWHERE
        .iter()
        .any(|it| it.eq_ignore_ascii_case(text));
    (5..=16).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric()) && !is_said
}

/// What an answer chooses: by number, by handle, or by id.
fn chosen<'a>(options: &'a [Entity], answer: &str) -> Option<&'a Entity> {
    let answer = answer.trim().trim_start_matches('@');
    let by_number = answer
        .parse::<usize>()
        .ok()
        .and_then(|number| options.get(number.checked_sub(1)?));
    by_number.or_else(|| {
        let same = |text: &str| text.eq_ignore_ascii_case(answer);
        let mut found = options
            .iter()
            .filter(|option| same(&option.id) || option.handle.as_deref().is_some_and(same));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    })
}

fn shown(entity: &Entity) -> String {
    match &entity.handle {
        Some(handle) => format!("{} (@{handle})", entity.name),
        None => entity.name.clone(),
    }
}
