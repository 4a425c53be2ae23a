//! Cases of an evaluation: an input, the answers of a person, and what must come of it.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::{agents::Agent, error::Error, output::shown};

/// The largest file of cases.
const LARGEST: u64 = 64 << 20;

/// Where the e-mail assistant keeps its decision.
const DECISION: &str = "/classification_decision";

/// A case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    id: Option<String>,
    /// The input of the agent's graph; a text is words for the agent.
    pub(super) input: Json,
    /// Answers to its questions, in their order.
    #[serde(default)]
    pub(super) answers: Vec<String>,
    pub(super) checks: Vec<CaseCheck>,
}

/// What must come of a case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseCheck {
    /// A place in the last state, as a JSON pointer; what the agent said if absent.
    field: Option<String>,
    contains: Option<String>,
    not_contains: Option<String>,
    equals: Option<Json>,
    /// The decision of the e-mail assistant about the mail.
    decision: Option<String>,
}

/// Reads cases, one per line. Empty lines and lines that begin with `#` are skipped.
pub(super) fn read(file: &Path, agent: Agent) -> Result<Vec<Case>, Error> {
    let path = file.display();
    let text = superstep::fs::read_text(file, LARGEST)
        .map_err(|error| Error::Usage(shown(format!("{path}: {error}"))))?;
    let mut cases = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |why: String| Error::Usage(shown(format!("{path}:{number}: {why}")));
        let mut case: Case =
            serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        if case.checks.is_empty() {
            return Err(wrong("a case needs a check".into()));
        }
        for check in &case.checks {
            check.refuse_nonsense().map_err(wrong)?;
        }
        if let Json::String(words) = &case.input {
            let input = agent.card().input_of(words);
            let name = agent.name();
            case.input = input
                .ok_or_else(|| wrong(format!("{name} takes no text; give its input as JSON")))?;
        }
        cases.push(case);
    }
    match cases.is_empty() {
        true => Err(Error::Usage(shown(format!("{path}: there are no cases")))),
        false => Ok(cases),
    }
}

impl Case {
    /// Its id, or its place.
    pub(super) fn name(&self, number: usize) -> String {
        let id = self.id.clone();
        id.unwrap_or_else(|| format!("case {number}"))
    }
}

impl CaseCheck {
    fn refuse_nonsense(&self) -> Result<(), String> {
        let wanted = [
            self.contains.is_some(),
            self.not_contains.is_some(),
            self.equals.is_some(),
            self.decision.is_some(),
        ];
        if wanted.iter().filter(|is_there| **is_there).count() != 1 {
            return Err("a check has one of contains, not_contains, equals and decision".into());
        }
        if self.equals.is_some() && self.field.is_none() {
            return Err("`equals` needs a `field`, such as \"/answer\"".into());
        }
        if self.decision.is_some() && self.field.is_some() {
            return Err("`decision` has a field of its own".into());
        }
        match &self.field {
            Some(field) if !field.starts_with('/') => {
                Err(format!("`{field}` is no JSON pointer, such as \"/answer\""))
            }
            _ => Ok(()),
        }
    }

    /// Why the check fails, if it does. Case does not matter in texts.
    pub(super) fn failure(&self, said: &str, state: &Json) -> Option<String> {
        if let Some(decision) = &self.decision {
            let found = state.pointer(DECISION).cloned().unwrap_or_default();
            let is_it = found.as_str() == Some(decision);
            return (!is_it).then(|| format!("the decision is {found}, not \"{decision}\""));
        }
        let found = self.field.as_ref().map(|field| state.pointer(field));
        let place = self.field.as_deref().unwrap_or("the output");
        if let Some(expected) = &self.equals {
            let found = found.flatten().cloned().unwrap_or_default();
            return (found != *expected).then(|| format!("{place} is {found}, not {expected}"));
        }
        let text = match found {
            None => said.to_owned(),
            Some(None) => String::new(),
            Some(Some(Json::String(text))) => text.clone(),
            Some(Some(other)) => other.to_string(),
        };
        let text = text.to_lowercase();
        let has = |part: &String| text.contains(&part.to_lowercase());
        if let Some(part) = self.contains.as_ref().filter(|part| !has(part)) {
            return Some(format!("{place} does not contain \"{part}\""));
        }
        let part = self.not_contains.as_ref().filter(|part| has(part))?;
        Some(format!("{place} contains \"{part}\""))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(json: Json) -> CaseCheck {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn checks_look_at_what_was_said_or_at_a_field() {
        let state = json!({"answer": {"text": "Port 8080"}, "count": 3,
            "classification_decision": "respond"});
        let said = "It listens on port 8080.";
        for passed in [
            json!({"contains": "PORT 8080"}),
            json!({"not_contains": "9090"}),
            json!({"field": "/answer/text", "contains": "8080"}),
            json!({"field": "/count", "equals": 3}),
            json!({"field": "/missing", "equals": null}),
            json!({"field": "/missing", "not_contains": "x"}),
            json!({"decision": "respond"}),
        ] {
            assert_eq!(
                check(passed.clone()).failure(said, &state),
                None,
                "{passed}"
            );
        }
        for (failed, why) in [
            (
                json!({"contains": "9090"}),
                "the output does not contain \"9090\"",
            ),
            (
                json!({"field": "/count", "equals": "3"}),
                "/count is 3, not \"3\"",
            ),
            (
                json!({"field": "/answer", "not_contains": "port"}),
                "/answer contains \"port\"",
            ),
            (
                json!({"decision": "ignore"}),
                "the decision is \"respond\", not \"ignore\"",
            ),
        ] {
            let failure = check(failed).failure(said, &state);
            assert_eq!(failure.as_deref(), Some(why));
        }
    }

    #[test]
    fn checks_that_check_nothing_are_refused() {
        for nonsense in [
            json!({}),
            json!({"contains": "a", "equals": "b", "field": "/c"}),
            json!({"equals": "b"}),
            json!({"field": "c", "equals": "b"}),
            json!({"field": "/c", "decision": "respond"}),
        ] {
            assert!(
                check(nonsense.clone()).refuse_nonsense().is_err(),
                "{nonsense}"
            );
        }
    }
}
