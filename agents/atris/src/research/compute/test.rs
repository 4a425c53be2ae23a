//! Tests of a filter, and the order of values.

use std::cmp::Ordering;

use serde_json::Value as Json;

use super::step::Is;

/// A test with what it compares with.
pub(super) struct Test<'a> {
    is: Is,
    value: &'a Json,
}

impl<'a> Test<'a> {
    /// A test, if it has what it needs.
    pub(super) fn new(is: Is, value: Option<&'a Json>) -> Result<Self, String> {
        match (value, is) {
            (None, Is::Known | Is::Unknown) => Ok(Self {
                is,
                value: &Json::Null,
            }),
            (None, _) => Err("the filter has no `value`".into()),
            (Some(value), Is::OneOf) if !value.is_array() => {
                Err("one_of needs a list as `value`".into())
            }
            (Some(value), _) => Ok(Self { is, value }),
        }
    }

    /// Tests a value; values that cannot be compared are an error.
    pub(super) fn passes(&self, found: Option<&Json>) -> Result<bool, String> {
        let Some(found) = found else {
            return Ok(self.is == Is::Unknown);
        };
        let order = || {
            ordered(found, self.value)
                .ok_or_else(|| format!("{found} cannot be compared with {}", self.value))
        };
        Ok(match self.is {
            Is::Known => true,
            Is::Unknown => false,
            Is::Equals => any(found, |it| same(it, self.value)),
            Is::NotEquals => !any(found, |it| same(it, self.value)),
            Is::OneOf => {
                let mut values = self.value.as_array().into_iter().flatten();
                values.any(|value| any(found, |it| same(it, value)))
            }
            Is::Contains => any(found, |it| lower(it).contains(&lower(self.value))),
            Is::StartsWith => any(found, |it| lower(it).starts_with(&lower(self.value))),
            Is::Above => order()?.is_gt(),
            Is::AtLeast => order()?.is_ge(),
            Is::Below => order()?.is_lt(),
            Is::AtMost => order()?.is_le(),
        })
    }
}

/// A number, which some operations write as a text.
pub(super) fn number_in(value: &Json) -> Option<f64> {
    let written = || {
        value
            .as_str()?
            .parse()
            .ok()
            .filter(|it: &f64| it.is_finite())
    };
    value.as_f64().or_else(written)
}

/// The order of two numbers, or of two texts such as dates; nothing for one of each. A time is compared
/// with a day, a month or a year as far as these go.
pub(super) fn ordered(a: &Json, b: &Json) -> Option<Ordering> {
    if let (Some(a), Some(b)) = (number_in(a), number_in(b)) {
        return Some(a.total_cmp(&b));
    }
    let (a, b) = (a.as_str()?.to_lowercase(), b.as_str()?.to_lowercase());
    let is_date = b.len() >= 4 && b.chars().all(|c| c.is_ascii_digit() || c == '-');
    let a = a.get(..b.len()).filter(|_| is_date).unwrap_or(&a);
    Some(a.cmp(&b))
}

/// Tests a value, or each of a list.
fn any(found: &Json, is: impl Fn(&Json) -> bool) -> bool {
    match found {
        Json::Array(items) => items.iter().any(is),
        one => is(one),
    }
}

fn same(a: &Json, b: &Json) -> bool {
    match (number_in(a), number_in(b)) {
        (Some(a), Some(b)) => a == b,
        _ => lower(a) == lower(b),
    }
}

fn lower(value: &Json) -> String {
    match value {
        Json::String(text) => text.to_lowercase(),
        other => other.to_string(),
    }
}
