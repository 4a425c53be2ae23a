//! One broken rule at one place, and how to fix it.

use std::fmt;

/// Shown as `path:line: what; hint`; sorted by place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Problem {
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) what: String,
    pub(super) hint: String,
}

impl Problem {
    pub(super) fn new(
        path: &str,
        line: usize,
        what: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            path: path.to_owned(),
            line,
            what: what.into(),
            hint: hint.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            line,
            what,
            hint,
        } = self;
        write!(f, "{path}:{line}: {what}; {hint}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_one_line_that_an_editor_can_open() {
        let problem = Problem::new("a/b.rs", 7, "no module docs", "say what it is for");
        assert_eq!(
            problem.to_string(),
            "a/b.rs:7: no module docs; say what it is for"
        );
    }
}
