//! What is worked out from all records of a reply: how many there are, which has the most of something. It
//! says how many records it is worked out from, and if there may be more.

use serde_json::Value as Json;

use super::{Words, compared, lines, more::limit_of};
use crate::{
    question::{Aspect, Computation},
    state::AtrisState,
    tools::Response,
};

impl Words<'_> {
    /// The sentence for what the question wants worked out, if the reply is a list.
    pub(super) fn worked_out(&mut self, state: &AtrisState, response: &Response) -> Option<String> {
        let computation = state.computation?;
        if response.data.is_empty() {
            return None;
        }
        let is_cut = limit_of(state).is_some_and(|limit| response.data.len() >= limit);
        match computation {
            Computation::Count => self.count(state, response, is_cut),
            Computation::Most(aspect) => self.extreme(state, response, (aspect, true), is_cut),
            Computation::Least(aspect) => self.extreme(state, response, (aspect, false), is_cut),
        }
    }

    fn count(&mut self, state: &AtrisState, response: &Response, is_cut: bool) -> Option<String> {
        // An operation that counts says the number itself.
        let is_number = |record: &Json| record.get("type").and_then(Json::as_str) == Some("value");
        if response.source.operation.contains("Count") || response.data.iter().all(is_number) {
            return None;
        }
        let count = lines::text(&response.data.len().into());
        let list = list_of(response);
        let count = self.fact(count, response, &list, "");
        let what = lines::subject(state.best_api.as_ref());
        Some(match is_cut {
            false => format!("{count}: so many records has the reply for {what}."),
            true => format!(
                "At least {count}: a reply for {what} has no more than that, and Audius does not say how many there are."
            ),
        })
    }

    fn extreme(
        &mut self,
        state: &AtrisState,
        response: &Response,
        (aspect, is_most): (Aspect, bool),
        is_cut: bool,
    ) -> Option<String> {
        let value = |record: &Json| {
            let (field, _) = lines::field_of(aspect, record)?;
            record.get(&field).filter(|value| !value.is_null()).cloned()
        };
        let known: Vec<(&Json, Json)> = response
            .data
            .iter()
            .filter_map(|record| Some((record, value(record)?)))
            .collect();
        let what = aspect.label();
        let all = response.data.len();
        if known.is_empty() {
            return Some(format!(
                "Audius does not say the {what} of any of these {all} records."
            ));
        }
        let order = |a: &Json, b: &Json| compared(a, b).unwrap_or(std::cmp::Ordering::Equal);
        let best = known.iter().map(|(_, value)| value);
        let best = match is_most {
            true => best.max_by(|a, b| order(a, b)),
            false => best.min_by(|a, b| order(a, b)),
        }?;
        let title = lines::subject(state.best_api.as_ref());
        let from = match (known.len(), is_cut) {
            (known, _) if known < all => {
                format!("{known}; {} more do not say it", all - known)
            }
            (known, false) => format!("all {known}"),
            (known, true) => {
                format!("the first {known}; there may be more, which were not looked at")
            }
        };
        let extreme = match (aspect, is_most) {
            (Aspect::ReleaseDate, true) => "newest",
            (Aspect::ReleaseDate, false) => "oldest",
            (_, true) => "most",
            (_, false) => "least",
        };
        if let Some(first) = state.first {
            let mut known = known;
            known.sort_by(|a, b| match is_most {
                true => order(&b.1, &a.1),
                false => order(&a.1, &b.1),
            });
            let first = usize::try_from(first).unwrap_or(usize::MAX);
            let mut said = vec![format!(
                "In order of {what}, the {extreme} first, of {from} ({title}):"
            )];
            for (number, (record, _)) in (1..).zip(known.iter().take(first)) {
                let name = self.name(response, record).unwrap_or_else(|| "?".into());
                let value = self.value(aspect, response, record)?;
                let value = lines::measured(aspect, &value);
                said.push(format!(
                    "{number}. {name}{}: {value}",
                    lines::owner_of(record)
                ));
            }
            let last = known.get(first.saturating_sub(1)).map(|it| &it.1);
            let same = known.iter().skip(first);
            let same = same.filter(|it| last.is_some_and(|last| order(&it.1, last).is_eq()));
            if let more @ 1.. = same.count() {
                said.push(format!("{more} more have as much as the last of these."));
            }
            return Some(said.join("\n"));
        }
        let mut said = Vec::new();
        let winners = known.iter().filter(|(_, value)| order(value, best).is_eq());
        let winners: Vec<&Json> = winners.map(|(record, _)| *record).collect();
        for record in winners.iter().take(MAX_WINNERS) {
            let name = self.name(response, record).unwrap_or_else(|| "?".into());
            let value = self.value(aspect, response, record)?;
            said.push(lines::sentence(aspect, &name, &value));
        }
        if let more @ 1.. = winners.len().saturating_sub(MAX_WINNERS) {
            said.push(format!("{more} more have as much."));
        }
        said.push(format!("That is the {extreme} of {from}."));
        Some(format!("{} ({title})", said.join("\n")))
    }
}

/// The most records that share the first place and are named.
const MAX_WINNERS: usize = 5;

/// Where the list of records is in a reply: what the places of its records begin with.
fn list_of(response: &Response) -> String {
    let first = response.data.first();
    let at = first
        .and_then(|record| record.get("at"))
        .and_then(Json::as_str);
    let parts: Vec<&str> = at.unwrap_or("/data").split('/').collect();
    let list = parts
        .iter()
        .take_while(|part| part.parse::<usize>().is_err());
    list.copied().collect::<Vec<_>>().join("/")
}
