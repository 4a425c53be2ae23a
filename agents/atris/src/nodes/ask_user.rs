//! Node `ask_user`: asks the person for a parameter that is missing, which of several things was meant, or
//! whether to try again. The operation is not chosen again afterwards.

use serde_json::json;
use superstep::{Ctx, NodeError, Snap};

use super::{
    extract_params::{NEW_NAME, fill, refit},
    handle_error::with_problem,
};
use crate::{
    catalogue::{Catalogue, Operation},
    error::Error,
    question::Reference,
    services::problem,
    state::{ACTING, AtrisState, AtrisStateUpdate, Entity, Pending, Question},
    wording,
};

const NODE: &str = "ask_user";

pub(crate) async fn ask_user(
    state: Snap<AtrisState>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    let asked = |question: String, options: Vec<String>, answers: Vec<String>| Question {
        question,
        options,
        answers,
        parameter: None,
        understood: wording::understood(&state),
    };
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
                    "Which {} is \"{word}\"? Nothing earlier in this conversation says so. A name, a handle, a link or an id.",
                    kind.name()
                ),
                (Some(kind), None) => {
                    format!("Which {}? A name, a handle, a link or an id.", kind.name())
                }
                (None, _) if parameter == "query" => "What should be searched for?".to_owned(),
                (None, _) if parameter == NEW_NAME => "What should it be called?".to_owned(),
                (None, _) if parameter == ACTING => WHO_ARE_YOU.to_owned(),
                (None, _) => format!("What is the {}?", parameter.replace('_', " ")),
            };
            let question = Question {
                parameter: Some(parameter.clone()),
                ..asked(what, Vec::new(), Vec::new())
            };
            let said = ctx.ask_checked(question, |answer: &String| {
                if answer.trim().is_empty() {
                    return Err("the answer is empty".into());
                }
                if parameter == ACTING && entity_type.is_none() {
                    return match acting(answer.trim()) {
                        Some(_) => Ok(()),
                        None => Err(format!("`{ACTING}` {AN_ID}")),
                    };
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
            let mut who = state.acting.clone();
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
                None if parameter == ACTING => match acting(&said) {
                    Some(Reference::Id(id)) => {
                        parameters.insert(parameter, id.into());
                    }
                    other => who = other,
                },
                None if parameter == NEW_NAME => {
                    parameters.insert("body".into(), json!({NEW_NAME: said}));
                }
                None => {
                    parameters.insert(parameter, said.into());
                }
            }
            let mut looked_up = Vec::new();
            let entity = operation.entity().filter(|_| name.is_some());
            looked_up.extend(entity.map(|(_, name)| name.to_owned()));
            looked_up.extend(who.as_ref().map(|_| ACTING.to_owned()));
            match fill(operation, parameters, &looked_up) {
                Ok((parameters, pending)) => Ok(AtrisState::update()
                    .was_asked(true)
                    .parameters(parameters)
                    .pending(pending)
                    .entity_type(state.entity_type.or(entity_type))
                    .is_entity_query(name.is_some())
                    .acting(who)
                    .entity_name(name)),
                Err(error) => failed(error),
            }
        }
        Some(Pending::Choose {
            name,
            options,
            is_second,
        }) => {
            let what = format!("Which one is \"{name}\"?");
            let numbers = (1..=options.len()).map(|it| it.to_string()).collect();
            let question = asked(what, shown(&options), numbers);
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
            // What was chosen may be of another kind than was thought first.
            let twin = entity.as_ref().and_then(|entity| twin_for(&state, entity));
            let update = match twin {
                Some(twin) => {
                    let given = state.parameters.clone().unwrap_or_default();
                    update.best_api(twin.api()).parameters(refit(given, twin))
                }
                None => update,
            };
            Ok(match (is_second, state.secondary_api.clone()) {
                (true, Some(mut second)) => {
                    second.entity = entity;
                    update.secondary_api(second)
                }
                _ => update.entity(entity),
            })
        }
        Some(Pending::Again { problem }) => {
            let what = format!("{} [{}]. Try again?", problem.message, problem.code);
            let options = AGAIN.map(str::to_owned).to_vec();
            let question = asked(what, options.clone(), options);
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

/// What is asked before something is changed.
const WHO_ARE_YOU: &str = "Who are you at Audius? The call is made in the name of the user whose token is used: your \
     handle such as @novakane, the link of your profile, or your id.";

/// What an answer to that must be.
const AN_ID: &str =
    "must be an id such as 7eP5n, a handle such as @novakane, or a link to a profile";

/// What is said to other questions, and is no id although it could be one.
const SAID_ELSEWHERE: [&str; 4] = ["accept", "ignore", "repeat", "unknown"];

/// The user that an answer names: by a handle, a link or an id. A plain word is none of them.
fn acting(text: &str) -> Option<Reference> {
    match Reference::of_answer(text) {
        found @ (Reference::Handle(_) | Reference::Url(_)) => Some(found),
        _ if is_plain_id(text) => Some(Reference::Id(text.to_owned())),
        _ => None,
    }
}

/// Whether a text can be an id, and is no name, path, word or answer to another question. Audius makes ids
/// of five characters and more.
fn is_plain_id(text: &str) -> bool {
    let is_said = SAID_ELSEWHERE
        .iter()
        .any(|it| it.eq_ignore_ascii_case(text));
    let is_mixed = text.chars().any(|c| c.is_ascii_digit())
        || text.chars().skip(1).any(|c| c.is_ascii_uppercase());
    (5..=16).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_alphanumeric())
        && is_mixed
        && !is_said
}

/// The operation for what was chosen, if the one of the state is for another kind of thing.
fn twin_for(state: &AtrisState, entity: &Entity) -> Option<&'static Operation> {
    let catalogue = Catalogue::get().ok()?;
    let own = catalogue.operation(&state.best_api.as_ref()?.id)?;
    if own
        .entity()
        .is_none_or(|(kind, _)| kind == entity.entity_type)
    {
        return None;
    }
    let twins = catalogue.twins(own).into_iter();
    let mut fits = twins.filter(|(kind, _)| *kind == entity.entity_type);
    fits.next().map(|(_, twin)| twin)
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

/// The options as they are shown: with what they are, if they are not all of one kind.
fn shown(options: &[Entity]) -> Vec<String> {
    let first = options.first().map(|it| it.entity_type);
    let is_mixed = options.iter().any(|it| Some(it.entity_type) != first);
    let options = options.iter().map(|entity| {
        let kind = match is_mixed {
            true => format!(", a {}", entity.entity_type.name()),
            false => String::new(),
        };
        match &entity.handle {
            Some(handle) => format!("{} (@{handle}){kind}", entity.name),
            None => format!("{}{kind}", entity.name),
        }
    });
    options.collect()
}
