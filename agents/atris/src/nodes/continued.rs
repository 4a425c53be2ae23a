//! A question that continues an earlier one of its thread: another page of its list, one of its records by an order, or
//! the same of somebody else. What it continues is told, or it is refused.

use serde_json::Value as Json;

use crate::{
    answer::Answer,
    catalogue::{Catalogue, Operation, Parameters},
    error::Error,
    question::{
        Computation, Reference, Understanding,
        continued::{self, Continued},
        earlier, references, values_of_words,
    },
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
    let Some(continued) = continued::of(question) else {
        return whole();
    };
    if let Continued::Narrowed(words, is_and) = &continued {
        let narrowed = match recall::last(state) {
            Some(before) => narrowed(before, words)?,
            None => None,
        };
        return match (narrowed, is_and) {
            (Some(list), _) => Ok(Begun::List(Box::new(list))),
            (None, _) if earlier::find(question).is_some() => whole(),
            (None, true) => Err(Error::NotUnderstood {
                what: format!(
                    "what \"{}\" continues: no answer before takes it; ask it as a whole",
                    clean(question)
                ),
            }),
            (None, false) => whole(),
        };
    }
    if let Continued::Other(name) = &continued {
        return match recall::last(state) {
            Some(before) => other(before, name),
            None => whole(),
        };
    }
    // `and the longest?` after the shortest is of the same list.
    let is_extreme = matches!(continued, Continued::Extreme(_, _));
    let compared = recall::last_compared(state);
    let compared = compared.filter(|it| is_extreme && recall::is_one_of_list(it));
    let is_compared = compared.is_some();
    let before = compared.or_else(|| recall::last_list(state));
    let before = before.ok_or_else(|| Error::NotUnderstood {
        what: format!(
            "\"{}\": no answer before lists anything; ask for the list itself, such as: trending tracks page 2",
            clean(question)
        ),
    })?;
    let catalogue = Catalogue::get()?;
    let operation = catalogue.require(before.operation.as_deref().unwrap_or_default())?;
    let mut list = list_of(
        before,
        operation,
        before.parameters.clone().unwrap_or_default(),
    );
    let mut first = None;
    let computation = match continued {
        Continued::Extreme(computation, count) => {
            first = count;
            let listed = before.mentions.listed.iter();
            let listed = listed.filter(|_| !is_compared);
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
        Continued::Other(_) | Continued::Narrowed(_, _) => None,
    };
    let told = format!("of the answer to \"{}\"", clean(&list.question));
    Ok(Begun::List(Box::new(ListBegun {
        list,
        operation,
        computation,
        first,
        entity: entity_of(before, operation),
        told,
    })))
}

/// The list of an answer with other values, if the words are all values of its parameters.
fn narrowed(before: &Answer, words: &str) -> Result<Option<ListBegun>, Error> {
    let Some(operation) = before.operation.as_deref() else {
        return Ok(None);
    };
    let operation = Catalogue::get()?.require(operation)?;
    let is_compared = matches!(
        continued::of(&before.question),
        Some(Continued::Extreme(..))
    ) || Understanding::of(&before.question).computation.is_some();
    let is_list = !before.mentions.listed.is_empty() && !is_compared;
    let values = values_of_words(words, operation);
    let Some(values) = values.filter(|_| is_list) else {
        return Ok(None);
    };
    let mut parameters = before.parameters.clone().unwrap_or_default();
    parameters.remove("offset");
    let said: Vec<String> = values
        .iter()
        .map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name} {}", clean(text)),
            None => format!("{name} {value}"),
        })
        .collect();
    parameters.extend(values);
    let told = format!(
        "of the answer to \"{}\", with {}",
        clean(&before.question),
        said.join(", ")
    );
    Ok(Some(ListBegun {
        list: list_of(before, operation, parameters),
        operation,
        computation: None,
        first: None,
        entity: entity_of(before, operation),
        told,
    }))
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

/// Whom an earlier list is of, if it is of the kind of things that the operation is about.
fn entity_of(before: &Answer, operation: &Operation) -> Option<Entity> {
    let kind = operation.entity().map(|(kind, _)| kind);
    let mut subjects = before.mentions.subjects.iter();
    subjects.find_map(|it| recall::found(it).filter(|_| Some(it.entity_type) == kind))
}

/// The list of an answer with these parameters.
fn list_of(before: &Answer, operation: &Operation, parameters: Parameters) -> EarlierList {
    EarlierList {
        question: before.question.clone(),
        operation: operation.id.clone(),
        parameters,
        among: Vec::new(),
    }
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
    // After a comparison, what came first is what was named; the question names whose it is.
    let own = match references(&before.question).as_slice() {
        [Reference::Name(name)] => Some(name.clone()),
        [Reference::Handle(handle)] => Some(format!("@{handle}")),
        _ => None,
    };
    let mut named = named.into_iter().chain([own]).flatten();
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
