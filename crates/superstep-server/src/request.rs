//! Parts of a request as handlers read them: its body, its query, and the page of a search.

pub(crate) mod matching;
pub(crate) mod page;
pub(crate) mod payload;
pub(crate) mod query;
