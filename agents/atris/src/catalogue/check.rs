//! The check of parameters before a call: types, enums, ranges and required ones, with messages that a
//! model or a person can act on.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use superstep::{model::did_you_mean, text::single_line};

use super::{
    operation::{Kind, MAX_LIMIT, Operation, Parameter, ParameterIn},
    words,
};

/// The longest text that a parameter may be.
const MAX_TEXT: usize = 500;

/// The most items of a list.
const MAX_ITEMS: usize = 50;

/// Parameters by name, as they go to the wire.
pub type Parameters = Map<String, Json>;

/// Something that is wrong with parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The parameter.
    pub parameter: String,
    /// What is wrong, and what would be right.
    pub message: String,
    /// Whether it is only missing, so that somebody can be asked for it.
    pub is_missing: bool,
}

impl Fault {
    fn wrong(parameter: &str, message: impl Into<String>) -> Self {
        Self {
            parameter: single_line(parameter),
            message: single_line(&message.into()),
            is_missing: false,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` {}", self.parameter, self.message)
    }
}

impl Operation {
    /// Checks parameters: gives them as they go to the wire, or everything that is wrong with them.
    /// Defaults are filled in, values that differ from a known one in case are written as it is, and
    /// null means absent.
    pub fn check(&self, given: &Parameters) -> Result<Parameters, Vec<Fault>> {
        let mut faults = Vec::new();
        let mut checked = Parameters::new();
        for parameter in self.askable() {
            let value = given.get(&parameter.name).filter(|value| !value.is_null());
            let value = value.cloned().or_else(|| parameter.default_value());
            match value {
                Some(value) => match parameter.check(&value) {
                    Ok(value) => {
                        checked.insert(parameter.name.clone(), value);
                    }
                    Err(message) => faults.push(Fault::wrong(&parameter.name, message)),
                },
                None if parameter.required => faults.push(Fault {
                    is_missing: true,
                    ..Fault::wrong(&parameter.name, "is required")
                }),
                None => {}
            }
        }
        for (name, value) in given {
            if name == "body" && self.body.is_some() {
                match value {
                    Json::Object(_) => {
                        checked.insert(name.clone(), value.clone());
                    }
                    _ => faults.push(Fault::wrong(name, "must be an object")),
                }
            } else if self
                .parameter(name)
                .is_none_or(|it| it.place == ParameterIn::Header)
            {
                let known = self.askable().map(|it| &*it.name);
                let hint = did_you_mean::hint(name, known);
                let all: Vec<&str> = self.askable().map(|it| &*it.name).collect();
                let all = match all.as_slice() {
                    [] => "it has none".to_owned(),
                    all => format!("it has {}", all.join(", ")),
                };
                let id = &self.id;
                faults.push(Fault::wrong(
                    name,
                    format!("is no parameter of {id}{hint}; {all}"),
                ));
            }
        }
        faults.extend(self.check_range(&checked));
        match faults.is_empty() {
            true => Ok(checked),
            false => Err(faults),
        }
    }

    fn check_range(&self, checked: &Parameters) -> Option<Fault> {
        let number = |name: &str| match checked.get(name)? {
            Json::String(text) => text.parse().ok(),
            value => value.as_f64(),
        };
        let (least, most) = (number("bpm_min")?, number("bpm_max")?);
        (least > most).then(|| {
            let message = format!("is {least}, which is more than bpm_max, {most}");
            Fault::wrong("bpm_min", message)
        })
    }
}

impl Parameter {
    /// A value as it goes to the wire, or what is wrong with it.
    pub fn check(&self, value: &Json) -> Result<Json, String> {
        match self.kind {
            Kind::Text => self.text(value).map(Json::String),
            Kind::Number => self.number(value),
            Kind::Boolean => boolean(value),
            Kind::Texts | Kind::Numbers => self.list(value),
        }
    }

    fn list(&self, value: &Json) -> Result<Json, String> {
        let one = std::slice::from_ref(value);
        let items = value.as_array().map_or(one, Vec::as_slice);
        if items.is_empty() || items.len() > MAX_ITEMS {
            return Err(format!(
                "must have 1 to {MAX_ITEMS} items, not {}",
                items.len()
            ));
        }
        let check = |item: &Json| match self.kind {
            Kind::Numbers => self.number(item),
            _ => self.text(item).map(Json::String),
        };
        items.iter().map(check).collect()
    }

    fn text(&self, value: &Json) -> Result<String, String> {
        let text = match value {
            Json::String(text) => text.trim().to_owned(),
            // Numbers and switches are texts in some places of the API.
            Json::Number(number) => number.to_string(),
            Json::Bool(switch) => switch.to_string(),
            other => return Err(format!("must be a string, not {}", name_of(other))),
        };
        if text.is_empty() {
            return Err("is empty".into());
        }
        if text.chars().count() > MAX_TEXT {
            return Err(format!("is longer than {MAX_TEXT} characters"));
        }
        if text.chars().any(char::is_control) {
            return Err("has control characters".into());
        }
        if self.place == ParameterIn::Path && (text == "." || text == ".." || text.contains('/')) {
            return Err(format!("cannot be `{text}`: it is one part of a path"));
        }
        if !self.values.is_empty() {
            let same = |known: &&String| known.to_lowercase() == text.to_lowercase();
            if let Some(known) = self.values.iter().find(same) {
                return Ok(known.clone());
            }
            let hint = did_you_mean::hint(&text, self.values.iter().map(|it| &**it));
            let all = self.values.join(", ");
            return Err(format!("cannot be `{text}`{hint}; it is one of {all}"));
        }
        match self.name.as_str() {
            "genre" => {
                let found = words::genre(&text).map(str::to_owned);
                found.map_err(|near| unknown(&text, near, ("genres", &words::GENRES)))
            }
            "mood" => {
                let found = words::mood(&text).map(str::to_owned);
                found.map_err(|near| unknown(&text, near, ("moods", &words::MOODS)))
            }
            "url" if !text.starts_with("https://audius.co/") => Err(format!(
                "cannot be `{text}`: it must begin with https://audius.co/"
            )),
            "bpm_min" | "bpm_max" => {
                let number: Json = text.parse::<u64>().map(Into::into).unwrap_or_default();
                self.number(&number)?;
                Ok(text)
            }
            _ => Ok(text),
        }
    }

    fn number(&self, value: &Json) -> Result<Json, String> {
        let number = match value {
            Json::Number(number) => number.as_u64(),
            Json::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let Some(number) = number else {
            let shown: String = value.to_string().chars().take(40).collect();
            return Err(format!("must be a whole number of at least 0, not {shown}"));
        };
        let (least, most) = match self.name.as_str() {
            "limit" => (1, MAX_LIMIT),
            "bpm_min" | "bpm_max" => (1, 999),
            "offset" => (0, 1_000_000),
            _ => (0, u64::from(u32::MAX) * 1000),
        };
        if !(least..=most).contains(&number) {
            return Err(format!("must be {least} to {most}, not {number}"));
        }
        Ok(number.into())
    }
}

/// What is wrong with a word that is none of these, and the one that may be meant.
fn unknown(text: &str, near: Option<&str>, (what, all): (&str, &[&str])) -> String {
    let near = near.map(|near| format!("; did you mean `{near}`?"));
    let (near, all) = (near.unwrap_or_default(), all.join(", "));
    format!("cannot be `{text}`{near}; {what} are {all}")
}

fn boolean(value: &Json) -> Result<Json, String> {
    match value {
        Json::Bool(_) => Ok(value.clone()),
        Json::String(text) if text == "true" => Ok(true.into()),
        Json::String(text) if text == "false" => Ok(false.into()),
        other => Err(format!("must be true or false, not {}", name_of(other))),
    }
}

fn name_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use serde_json::json;

    use crate::catalogue::Catalogue;

    use super::*;

    fn check(id: &str, given: Json) -> Result<Json, Vec<String>> {
        let operation = Catalogue::get().unwrap().operation(id).unwrap();
        let Json::Object(given) = given else {
            panic!("parameters are an object")
        };
        let shown = |faults: Vec<Fault>| faults.iter().map(ToString::to_string).collect();
        operation.check(&given).map(Json::Object).map_err(shown)
    }

    #[test]
    fn defaults_are_filled_in_and_null_is_absent() {
        let checked = check("getTrendingTracks", json!({"genre": null}));
        assert_eq!(checked, Ok(json!({"limit": 10, "time": "week"})));
        let checked = check(
            "getTrendingTracks",
            json!({"time": "alltime", "genre": "hip hop"}),
        );
        let expected = json!({"limit": 10, "genre": "Hip-Hop/Rap", "time": "allTime"});
        assert_eq!(checked, Ok(expected));
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once_with_the_nearest_value() {
        let given = json!({"time": "mnth", "genre": "Elektronic", "limit": 0, "trackId": "x"});
        let faults = check("getTrendingTracks", given).unwrap_err();
        assert_eq!(faults.len(), 4, "{faults:?}");
        assert!(
            faults[0].starts_with("`limit` must be 1 to 100, not 0"),
            "{faults:?}"
        );
        assert!(
            faults[1].contains("did you mean `Electronic`?"),
            "{faults:?}"
        );
        assert!(faults[2].contains("did you mean `month`?"), "{faults:?}");
        assert!(
            faults[3].contains("is no parameter of getTrendingTracks"),
            "{faults:?}"
        );
    }

    #[test]
    fn the_wire_is_snake_case() {
        let faults = check("getTrack", json!({"trackId": "D7KyD"})).unwrap_err();
        assert!(faults[1].contains("did you mean `track_id`?"), "{faults:?}");
    }

    #[test]
    fn signatures_cannot_be_given() {
        let given = json!({"id": "a", "Encoded-Data-Message": "m"});
        assert!(check("getSales", given).is_err());
    }

    #[test]
    fn a_part_of_a_path_stays_one_part() {
        for id in ["..", "a/b", ".", ""] {
            assert!(check("getTrack", json!({"track_id": id})).is_err(), "{id}");
        }
        let long = "x".repeat(501);
        for text in ["a\u{1b}[2J", "a\nb", &long] {
            assert!(
                check("searchTracks", json!({"query": text})).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn numbers_have_ranges() {
        for given in [
            json!({"limit": 101}),
            json!({"limit": -1}),
            json!({"limit": 1.5}),
            json!({"offset": "many"}),
            json!({"bpm_min": 140, "bpm_max": 120}),
            json!({"bpm_min": 0}),
        ] {
            assert!(check("search", given.clone()).is_err(), "{given}");
        }
        let checked = check("search", json!({"limit": "25", "bpm_min": 120})).unwrap();
        assert_eq!(checked, json!({"limit": 25, "bpm_min": 120}));
    }
}
