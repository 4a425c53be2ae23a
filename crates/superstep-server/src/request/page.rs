//! Pages of a search: what part of it, in which order, with which fields.

use axum::{http::HeaderValue, response::Response};
use serde_json::{Map, Value as Json};

use super::payload::Payload;
use crate::refusal::{Refusal, answer};

/// The most rows of a page.
const MOST: usize = 1000;

/// Which part of what was found a client wants.
#[derive(Debug)]
pub(crate) struct Page {
    limit: usize,
    offset: usize,
    sort_by: &'static str,
    is_ascending: bool,
    select: Option<Vec<String>>,
}

impl Page {
    /// Reads it from a body. The newest come first unless the client wants another order.
    pub(crate) fn of(body: &mut Payload, sortable: &[&'static str]) -> Result<Self, Refusal> {
        let limit = body.field("limit")?.unwrap_or(10);
        if !(1..=MOST).contains(&limit) {
            return Err(Refusal::invalid(format!("`limit` must be 1 to {MOST}")));
        }
        Ok(Self {
            limit,
            offset: body.field("offset")?.unwrap_or(0),
            sort_by: body.word("sort_by", sortable)?.unwrap_or("created_at"),
            is_ascending: body.word("sort_order", &["asc", "desc"])? == Some("asc"),
            select: body.field("select")?,
        })
    }

    /// By what rows are put in order, and whether the smallest comes first.
    pub(crate) fn order(&self) -> (&'static str, bool) {
        (self.sort_by, self.is_ascending)
    }

    /// Whether a client asked for a field that is left out otherwise.
    pub(crate) fn selects(&self, field: &str) -> bool {
        let select = self.select.iter().flatten();
        select.into_iter().any(|wanted| wanted == field)
    }

    /// How many rows in order are enough for the page, and to know whether there is more.
    pub(crate) fn enough(&self) -> usize {
        self.offset.saturating_add(self.limit).saturating_add(1)
    }

    /// The answer: this part of the rows, and where the next one begins.
    pub(crate) fn answer(self, mut rows: Vec<Json>) -> Response {
        let key = |row: &Json| {
            row.get(self.sort_by)
                .and_then(Json::as_str)
                .map(str::to_owned)
        };
        rows.sort_by_cached_key(key);
        if !self.is_ascending {
            rows.reverse();
        }
        self.answer_in_order(rows)
    }

    /// The same of rows that are in order.
    pub(crate) fn answer_in_order(self, rows: Vec<Json>) -> Response {
        let end = self.offset.saturating_add(self.limit);
        let has_more = rows.len() > end;
        let rows: Vec<Json> = rows
            .into_iter()
            .skip(self.offset)
            .take(self.limit)
            .collect();
        // As clients know it: one more than they have seen, while there is more.
        let total = self.offset.saturating_add(rows.len()) + usize::from(has_more);
        let rows = rows.into_iter().map(|row| self.shown(row)).collect();
        let mut response = answer(&rows);
        let headers = response.headers_mut();
        headers.insert("x-pagination-total", HeaderValue::from(total));
        if has_more {
            headers.insert("x-pagination-next", HeaderValue::from(end));
        }
        response
    }

    fn shown(&self, row: Json) -> Json {
        match (&self.select, row) {
            (Some(select), Json::Object(row)) => {
                let wanted = |(key, _): &(String, Json)| select.contains(key);
                Json::Object(row.into_iter().filter(wanted).collect::<Map<_, _>>())
            }
            (_, row) => row,
        }
    }
}
