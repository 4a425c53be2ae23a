//! What was asked for, as the catalogue knows it.

use serde_json::Value as Json;
use superstep_atris::{
    Catalogue,
    catalogue::{Operation, Shape},
};

/// How long a list is if nobody says.
const PAGE: usize = 20;

/// An operation and the values it was asked with.
pub(crate) struct ApiRequest<'a> {
    pub(crate) operation: &'a Operation,
    pub(crate) values: Vec<(String, String)>,
}

impl ApiRequest<'_> {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.operation.path_parameters().any(|known| known == name)
    }

    /// A value, empty if it was not given.
    pub(crate) fn text(&self, name: &str) -> String {
        let mut values = self.values.iter();
        let found = values.find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    }

    /// All values of a name.
    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        let values = self.values.iter().filter(|(known, _)| known == name);
        values.map(|(_, value)| value.clone()).collect()
    }

    /// The part of a list that was asked for.
    pub(crate) fn page(&self, items: Vec<Json>) -> Vec<Json> {
        let number = |name: &str| self.text(name).parse::<usize>().ok();
        let limit = number("limit").unwrap_or(PAGE);
        items
            .into_iter()
            .skip(number("offset").unwrap_or(0))
            .take(limit)
            .collect()
    }

    /// Whether the reply is a list of this model.
    pub(crate) fn is_list_of(&self, wanted: &str) -> bool {
        let Ok(catalogue) = Catalogue::get() else {
            return false;
        };
        let response = self.operation.response.as_deref().unwrap_or_default();
        let shape = catalogue.models().data_of(response);
        matches!(shape, Some(Shape::List(item)) if **item == Shape::Model(wanted.to_owned()))
    }
}
