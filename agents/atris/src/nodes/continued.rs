//! A question that continues an earlier one of its thread: another page of its list, one of its records by an order, or
//! the same of somebody else. What it continues is told, or it is refused.

use serde_json::Value as Json;

use crate::{
    answer::Answer,
    catalogue::{Catalogue, EntityType, Operation},
    error::Error,
    mention::Mention,
    question::{Computation, Understanding, continued::Continued},
    recall,
    reply::clean,
    state::{AtrisState, EarlierList, Entity},
};

/// What a question turns out to be.
pub(super) enum Begun {
    /// A question of its own, with a remark if it was made of an earlier one.
    Whole(String, Option<String>),
    /// One about the list of an earlier answer.
    List(Box<ListBegun>),
}

/// A question about the list of an earlier answer.
pub(super) struct ListBegun {
    pub(super) list: EarlierList,
    pub(super) operation: &'static Operation,
    pub(super) computation: Option<Computation>,
    pub(super) first: Option<u64>,
    pub(super) entity: Option<Entity>,
    pub(super) told: String,
}

/// How the question of a state begins.
pub(super) fn begin(state: &AtrisState, question: &str) -> Result<Begun, Error> {
    let whole = || Ok(Begun::Whole(question.to_owned(), None));
    let Some(continued) = crate::question::continued::of(question) else {
        return whole();
    };
    if let Continued::Other(name) = &continued {
        return match recall::last(state) {
            Some(before) => other(before, name),
            None => whole(),
        };
    }
    let before = recall::last_list(state).ok_or_else(|| Error::NotUnderstood {
        what: format!(
            "\"{}\": no answer before lists anything; ask for the list itself, such as: trending tracks page 2",
            clean(question)
        ),
    })?;
    let catalogue = Catalogue::get()?;
    let operation = catalogue.require(before.operation.as_deref().unwrap_or_default())?;
    let mut list = EarlierList {
        question: before.question.clone(),
        operation: operation.id.clone(),
        parameters: before.parameters.clone().unwrap_or_default(),
        among: Vec::new(),
    };
    let mut first = None;
    let computation = match continued {
        Continued::Extreme(computation, count) => {
            first = count;
            let listed = before.mentions.listed.iter();
            list.among = listed.filter_map(|it| it.id.clone()).collect();
            Some(computation)
        }
        Continued::Page(page) => {
            turn(&mut list, operation, |_| Some(page))?;
            None
        }
        Continued::Next => {
            turn(&mut list, operation, |page| page.checked_add(1))?;
            None
        }
        Continued::Previous => {
            turn(&mut list, operation, |page| page.checked_sub(1))?;
            None
        }
        Continued::Other(_) => None,
    };
    let told = format!("of the answer to \"{}\"", clean(&list.question));
    let kind = operation.entity().map(|(kind, _)| kind);
    let subjects = before.mentions.subjects.iter();
    let entity = subjects.filter_map(|it| entity(it, kind)).next();
    Ok(Begun::List(Box::new(ListBegun {
        list,
        operation,
        computation,
        first,
        entity,
        told,
    })))
}

/// Makes the parameters of a list those of another page of it.
fn turn(
    list: &mut EarlierList,
    operation: &Operation,
    to: impl FnOnce(u64) -> Option<u64>,
) -> Result<(), Error> {
    let refused = |why: &str| Error::NotUnderstood {
        what: format!(
            "a page of the answer to \"{}\": {why}",
            clean(&list.question)
        ),
    };
    let is_worked_out = Understanding::of(&list.question).computation.is_some();
    if is_worked_out {
        return Err(refused(
            "that was worked out from all records; ask for more of them in one question",
        ));
    }
    let number = |name: &str| list.parameters.get(name).and_then(Json::as_u64);
    let (Some(limit @ 1..), Some(_)) = (number("limit"), operation.parameter("offset")) else {
        return Err(refused("Audius gives that list as a whole"));
    };
    let page = number("offset").unwrap_or(0) / limit + 1;
    let page = to(page).filter(|page| *page > 0);
    let page = page.ok_or_else(|| refused("pages are counted from 1"))?;
    let skipped = (page - 1).saturating_mul(limit);
    list.parameters.insert("offset".to_owned(), skipped.into());
    Ok(())
}

/// Whom an earlier list is of, if it is of this kind of things.
fn entity(mention: &Mention, kind: Option<EntityType>) -> Option<Entity> {
    (Some(mention.entity_type) == kind).then_some(())?;
    Some(Entity {
        entity_type: mention.entity_type,
        id: mention.id.clone()?,
        name: mention.name.clone(),
        handle: mention.handle.clone(),
        seen: None,
    })
}

/// The question before with another name in it.
fn other(before: &Answer, name: &str) -> Result<Begun, Error> {
    let named = match before.mentions.subjects.as_slice() {
        [one] => {
            let handle = one.handle.as_ref().map(|it| format!("@{it}"));
            [Some(one.name.clone()), handle]
        }
        _ => [None, None],
    };
    let mut named = named.into_iter().flatten();
    let question = named.find_map(|known| replaced(&before.question, &known, name));
    let question = question.ok_or_else(|| Error::NotUnderstood {
        what: format!(
            "what to ask about \"{}\": the question before names nothing that it could take the place of; ask it as a whole",
            clean(name)
        ),
    })?;
    let told = format!("taken as \"{}\"", clean(&question));
    Ok(Begun::Whole(question, Some(told)))
}

/// A text with another name in the place of one that it has.
fn replaced(text: &str, from: &str, to: &str) -> Option<String> {
    let (lower, name) = (text.to_lowercase(), from.to_lowercase());
    let at = lower.find(&name)?;
    // Only where the letters are as long in both cases.
    let before = text.get(..at)?;
    let behind = text.get(at + from.len()..)?;
    (lower.len() == text.len()).then(|| format!("{before}{to}{behind}"))
}
