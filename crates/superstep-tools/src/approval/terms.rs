//! The terms of an approval: the mode and the scope it was given in. A run on other terms withholds the call.
//!
//! A person who accepts in a dry run was told that nothing happens, and one who accepts for real expects the call to be
//! made. A copy of a thread has the approvals of its original, which may have made the call, or may still make it.

use serde::{Deserialize, Serialize};

use super::scope::Scope;

/// Dry run or real run, ordered from least to most permissive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A dry run: calls are only described. Approvals that were stored without a mode have this one.
    #[default]
    Dry,
    /// For real: calls are made.
    Send,
}

/// The terms of an approval, as they are stored with it, or those of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// The mode.
    #[serde(default)]
    pub mode: Mode,
    /// The scope; absent in approvals of older versions, which allow nothing on any thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
}

/// Why a call was withheld, as it is journaled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Withheld {
    /// The run has another mode than the approval: this one.
    Mode(Mode),
    /// The approval is of another scope, or of an unknown one.
    Scope {
        /// The mode of the run.
        run: Mode,
        /// The scope of the approval.
        approved_in: Option<Scope>,
    },
}

impl Terms {
    /// Why a run withholds a call that was approved on these terms; nothing if the run is on the same terms.
    pub fn withheld_by(&self, run: &Self) -> Option<Withheld> {
        if self.scope != run.scope {
            return Some(Withheld::Scope {
                run: run.mode,
                approved_in: self.scope.clone(),
            });
        }
        (self.mode != run.mode).then_some(Withheld::Mode(run.mode))
    }
}

impl Withheld {
    /// The mode of the run that withheld the call. A later run that asks about it may have another one.
    pub fn mode(&self) -> Mode {
        match self {
            Self::Mode(run) | Self::Scope { run, .. } => *run,
        }
    }

    /// The heading of the question, and why it is asked again.
    pub fn explanation(&self) -> (&'static str, String) {
        match self {
            Self::Mode(Mode::Send) => (
                "Accepted in a dry run: do it for real?",
                "You accepted this in a dry run, so nothing was done. The run that continues is for real."
                    .into(),
            ),
            Self::Mode(Mode::Dry) => (
                "Accepted for real, but not done",
                "You accepted this for real. The run that continues is a dry run, so it does nothing."
                    .into(),
            ),
            Self::Scope { approved_in, .. } => (
                "Accepted in another thread: do it here too?",
                match approved_in {
                    Some(scope) => format!(
                        "This was accepted in the thread `{}`, of which this one is a copy, or in an archive. An approval \
                         is for one thread, so nothing was done here. The other thread may have done \
                         it, or may still do it.",
                        scope.name()
                    ),
                    None => "This was accepted by an earlier version, which did not store in which \
                             thread. An approval is for one thread, so nothing was done here."
                        .into(),
                },
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn terms(mode: &str, scope: Json) -> Terms {
        let terms = serde_json::from_value(json!({"mode": mode, "scope": scope}));
        terms.unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn an_approval_allows_nothing_on_other_terms() {
        let here = terms("send", json!({"thread": "t", "import": "mark"}));
        assert_eq!(here.withheld_by(&here), None);
        let of_mode = |mode: &str| terms(mode, json!({"thread": "t", "import": "mark"}));
        assert_eq!(
            of_mode("dry").withheld_by(&here),
            Some(Withheld::Mode(Mode::Send))
        );
        assert_eq!(
            here.withheld_by(&of_mode("dry")),
            Some(Withheld::Mode(Mode::Dry))
        );
        for scope in [
            json!({"thread": "t"}),
            json!({"thread": "copy", "import": "mark"}),
            json!({"thread": "t", "import": "older mark"}),
            Json::Null,
        ] {
            let withheld = terms("send", scope.clone()).withheld_by(&here);
            assert!(matches!(withheld, Some(Withheld::Scope { .. })), "{scope}");
        }
    }

    #[test]
    fn an_approval_that_was_stored_without_terms_allows_nothing() {
        let stored: Terms = serde_json::from_value(json!({})).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(stored, Terms::default());
        assert_eq!(Mode::Send.min(Mode::Dry), Mode::Dry);
        assert_eq!(json!(Mode::Send), "send");
        let withheld = stored.withheld_by(&terms("dry", json!({"thread": "t"})));
        assert_eq!(json!(withheld), json!({"run": "dry", "approved_in": null}));
    }
}
