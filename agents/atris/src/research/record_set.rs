//! Records with an id, as a model and a person refer to them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::{reply::WORKED_OUT, tools::Response};

/// The most records of a set that a model reads, and the most bytes.
const MAX_SHOWN: usize = 40;
const MAX_BYTES: usize = 16 << 10;

/// Fields for the place of a record in its reply, and for the source of that reply.
pub(crate) const AT: &str = "at";
pub(crate) const SOURCE: &str = "@source";

/// Fields that a model does not read: pictures and places.
const HIDDEN: [&str; 5] = [AT, SOURCE, WORKED_OUT, "artwork", "rank"];

/// Records that a call or a computation gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordSet {
    /// Its id: `r1` of the first call, `c1` of the first computation.
    pub id: String,
    /// The call with its parameters, or the computation in words.
    pub about: String,
    /// Its source, from 0.
    pub source: usize,
    /// The records in order.
    pub records: Vec<Json>,
    /// Remarks: faults of the reply, records that a computation left out.
    pub notes: Vec<String>,
}

impl RecordSet {
    /// The records of a reply, which is one of the sources. `limit` is how many were asked for.
    pub(crate) fn of_reply(
        id: String,
        about: String,
        (source, limit): (usize, Option<u64>),
        reply: Response,
    ) -> Self {
        let mut records = reply.data;
        let mut notes = reply.notes;
        if limit.is_some_and(|limit| limit > 1 && records.len() as u64 >= limit) {
            notes.push("as many as `limit`: there may be more".to_owned());
        }
        for record in &mut records {
            if let Some(record) = record.as_object_mut() {
                record.insert(SOURCE.into(), source.into());
            }
        }
        Self {
            id,
            about,
            source,
            records,
            notes,
        }
    }

    /// As a model reads it. Everything in it is data of others.
    pub(crate) fn shown(&self, calls_left: Option<usize>) -> String {
        let mut left = MAX_BYTES;
        let records = (1..).zip(&self.records).take(MAX_SHOWN);
        let records = records.map(|(number, record): (usize, _)| {
            let mut fields = Map::new();
            fields.insert("ref".into(), format!("{}.{number}", self.id).into());
            fields.extend(plain(record));
            Json::Object(fields)
        });
        let records: Vec<Json> = records
            .take_while(|record| {
                left = left.saturating_sub(record.to_string().len());
                left > 0
            })
            .collect();
        let mut shown = json!({"set": self.id, "is": self.about, "count": self.records.len()});
        if let Some(shown) = shown.as_object_mut() {
            if records.len() < self.records.len() {
                let first = format!(
                    "only the first {} are shown; compute works on all {}",
                    records.len(),
                    self.records.len()
                );
                shown.insert("shown".into(), first.into());
            }
            if !self.notes.is_empty() {
                shown.insert("notes".into(), self.notes.clone().into());
            }
            shown.extend(calls_left.map(|left| ("calls_left".to_owned(), left.into())));
            shown.insert("records".into(), records.into());
        }
        shown.to_string()
    }

    /// The fields that its records have, with those of objects in them as `user.name`.
    pub(super) fn fields(&self) -> Vec<String> {
        let mut fields: Vec<String> = Vec::new();
        for record in &self.records {
            for (name, value) in plain(record) {
                let inner = value.as_object().into_iter().flatten();
                let inner: Vec<String> =
                    inner.map(|(inner, _)| format!("{name}.{inner}")).collect();
                let own = match inner.is_empty() {
                    true => vec![name],
                    false => inner,
                };
                let new = own.into_iter().filter(|field| !fields.contains(field));
                fields.extend(new.collect::<Vec<_>>());
            }
        }
        fields
    }

    /// Refuses a field that no record has.
    pub(crate) fn require(&self, field: &str) -> Result<(), String> {
        let is_there = self.records.iter().any(|it| value(it, field).is_some());
        if is_there || self.records.is_empty() {
            return Ok(());
        }
        Err(format!(
            "no record of `{}` has a field `{field}`; there are {}",
            self.id,
            self.fields().join(", ")
        ))
    }
}

/// A value of a record by its field, `user.name` being the name of its user; nothing if it is not known.
pub(crate) fn value<'a>(record: &'a Json, field: &str) -> Option<&'a Json> {
    let whole = record.get(field);
    let found = match whole {
        Some(found) => found,
        None => {
            let mut parts = field.split('.');
            parts.try_fold(record, |inner, part| inner.get(part))?
        }
    };
    (!found.is_null()).then_some(found)
}

/// The known fields of a record, without places and pictures.
fn plain(record: &Json) -> Map<String, Json> {
    let fields = record.as_object().into_iter().flatten();
    let fields = fields.filter(|(name, value)| {
        let is_empty = value.as_array().is_some_and(Vec::is_empty);
        !HIDDEN.contains(&name.as_str()) && !value.is_null() && !is_empty
    });
    let fields = fields.map(|(name, value)| match value {
        Json::Object(_) => (name.clone(), Json::Object(plain(value))),
        value => (name.clone(), value.clone()),
    });
    fields.collect()
}
