//! The lists of two things that a question names: all records of each under its name, or how many there are
//! and who has more.

use super::{Words, lines, more::limit_of};
use crate::{question::Computation, state::AtrisState, tools::Response};

impl Words<'_> {
    pub(super) fn both(
        &mut self,
        state: &AtrisState,
        first: &Response,
        second: &Response,
    ) -> String {
        let other = state.secondary_api.as_ref();
        let names = [
            named(state.entity.as_ref(), state.entity_name.as_ref()),
            named(
                other.and_then(|it| it.entity.as_ref()),
                other.map(|it| &it.entity_name),
            ),
        ];
        let mut parts = Vec::new();
        let mut counts = Vec::new();
        for (name, response) in names.iter().zip([first, second]) {
            let is_cut = limit_of(state).is_some_and(|limit| response.data.len() >= limit);
            let text = match response.data.is_empty() {
                true => "the reply is empty".to_owned(),
                false => match self.worked_out(state, response) {
                    Some(text) => text,
                    None => self.records(state, response, is_cut),
                },
            };
            counts.push((name, response.data.len(), is_cut));
            parts.push(format!("{name}: {text}"));
        }
        if let (Some(Computation::Count), [(one, a, cut), (two, b, other_cut)]) =
            (state.computation, counts.as_slice())
        {
            parts.push(match (a.cmp(b), *cut || *other_cut) {
                (_, true) => "Which has more is not known: a reply was cut.".to_owned(),
                (std::cmp::Ordering::Greater, _) => format!("{one} has more."),
                (std::cmp::Ordering::Less, _) => format!("{two} has more."),
                (std::cmp::Ordering::Equal, _) => "Both have as many.".to_owned(),
            });
        }
        parts.join("\n")
    }

    /// The whole list, and that it may continue.
    fn records(&mut self, state: &AtrisState, response: &Response, is_cut: bool) -> String {
        let count = response.data.len();
        let subject = lines::subject(state.best_api.as_ref());
        let mut text = match is_cut {
            true => format!("the first {count} for {subject}, there may be more"),
            false => format!("{count} for {subject}"),
        };
        for (number, record) in (1..).zip(&response.data) {
            text.push_str(&format!("\n{number}. {}", lines::line(record)));
            self.facts_of(record, response);
        }
        text
    }
}

/// How a thing is called: as it was found, or as the question calls it.
pub(super) fn named(
    entity: Option<&crate::state::Entity>,
    name: Option<&crate::question::Reference>,
) -> String {
    match (entity, name) {
        (Some(entity), _) => match &entity.handle {
            Some(handle) => format!("{} (@{handle})", entity.name),
            None => entity.name.clone(),
        },
        (None, Some(name)) => crate::reply::clean(name.text()),
        (None, None) => "?".to_owned(),
    }
}
