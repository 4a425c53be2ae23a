//! The list of cases that superstep answers differently on purpose: `DIFFERENCES.md`.

use std::collections::{BTreeMap, BTreeSet};

use crate::profile::Profile;

const LIST: &str = include_str!("../DIFFERENCES.md");
const CASES: &str = "## Cases";

/// What the list says about the answers to a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// They are as recorded.
    Equal,
    /// They differ, as listed under this rule.
    Differs(String),
    /// They differ, and the list does not have the case.
    Unlisted,
    /// They are as recorded, and the list has the case.
    Stale,
}

/// The list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    rules: BTreeSet<String>,
    cases: BTreeMap<String, Listed>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Listed {
    rule: String,
    profiles: Vec<String>,
}

impl Differences {
    /// Reads the list of this crate.
    pub fn load() -> Result<Self, String> {
        Self::parse(LIST)
    }

    /// Reads a list: rows of rules, and below the heading of cases rows of case, profiles and rule.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut list = Self::default();
        let mut in_cases = false;
        for line in text.lines() {
            in_cases |= line == CASES;
            let Some(cells) = row(line) else { continue };
            match (in_cases, cells.as_slice()) {
                (false, [rule, ..]) => drop(list.rules.insert(rule.clone())),
                (true, [case, profiles, rule]) if list.rules.contains(rule) => {
                    let profiles = profiles.split(", ").map(str::to_owned).collect();
                    let rule = rule.clone();
                    let known = list.cases.insert(case.clone(), Listed { rule, profiles });
                    if known.is_some() {
                        return Err(format!("`{case}` is listed twice"));
                    }
                }
                (true, _) => return Err(format!("no rule is above this row: {line}")),
                (false, []) => {}
            }
        }
        Ok(list)
    }

    /// The names of the listed cases.
    pub fn cases(&self) -> impl Iterator<Item = &str> {
        self.cases.keys().map(String::as_str)
    }

    /// Judges whether the answers to a case may be as they are.
    pub fn judge(&self, case: &str, profile: Profile, is_equal: bool) -> Judgement {
        let listed = self.cases.get(case);
        let listed = listed.filter(|it| it.profiles.iter().any(|name| name == profile.name()));
        match (listed, is_equal) {
            (None, true) => Judgement::Equal,
            (None, false) => Judgement::Unlisted,
            (Some(_), true) => Judgement::Stale,
            (Some(listed), false) => Judgement::Differs(listed.rule.clone()),
        }
    }
}

/// The cells of a table row whose first cell is code, without the marks of code.
fn row(line: &str) -> Option<Vec<String>> {
    let inner = line.strip_prefix("| `")?.strip_suffix(" |")?;
    let cells = inner.split(" | ");
    Some(cells.map(|cell| cell.replace('`', "")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "| rule | why |\n|---|---|\n| `keeps` | P3 |\n\n## Cases\n\n| `a` | default, typed | `keeps` |\n";

    #[test]
    fn a_case_is_judged_by_its_rows() {
        let list = Differences::parse(LIST).unwrap();
        let judge = |case, profile, equal| list.judge(case, profile, equal);
        let differs = Judgement::Differs("keeps".to_owned());
        assert_eq!(judge("a", Profile::Default, false), differs);
        assert_eq!(judge("a", Profile::Typed, true), Judgement::Stale);
        assert_eq!(judge("a", Profile::Langgraph, false), Judgement::Unlisted);
        assert_eq!(judge("b", Profile::Default, false), Judgement::Unlisted);
        assert_eq!(judge("b", Profile::Default, true), Judgement::Equal);
    }

    #[test]
    fn a_case_without_a_known_rule_or_listed_twice_is_refused() {
        let unknown = LIST.replace("`keeps` |\n", "`loses` |\n");
        assert!(Differences::parse(&unknown).is_err());
        let twice = format!("{LIST}| `a` | default | `keeps` |\n");
        assert!(Differences::parse(&twice).is_err());
    }
}
