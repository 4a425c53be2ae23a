//! External effects: which happened, and how often.

use std::collections::BTreeMap;

use superstep_core::Value;

use crate::report::{Broken, Promise, broken};

/// All effects that happened.
#[derive(Default)]
pub(crate) struct ExternalEffects(BTreeMap<String, Happened>);

struct Happened {
    /// What it acted on.
    with: Value,
    /// Whether the task that had it saw its end stored.
    stored: bool,
    /// Somebody settled it, so that a late attempt is turned away.
    settled: bool,
}

impl ExternalEffects {
    /// A task has an effect. A second time is never right.
    pub(crate) fn happen(&mut self, key: &str, with: &Value) -> Result<Value, Broken> {
        match self.0.get(key) {
            Some(before) if before.settled => {}
            Some(before) if before.stored => {
                return broken(Promise::EffectDone, format!("`{key}` happens again"));
            }
            Some(_) => {
                return broken(Promise::EffectUnknown, format!("`{key}` happens again"));
            }
            None => {
                let (with, stored, settled) = (with.clone(), false, false);
                self.0.insert(
                    key.to_owned(),
                    Happened {
                        with,
                        stored,
                        settled,
                    },
                );
            }
        }
        Ok(Value::map([
            ("key", Value::from(key)),
            ("with", with.clone()),
        ]))
    }

    /// The end of an effect is stored.
    pub(crate) fn is_stored(&mut self, key: &str) {
        if let Some(happened) = self.0.get_mut(key) {
            happened.stored = true;
        }
    }

    /// Somebody looks whether it happened and, if not, has it happen; from then on the outcome is
    /// known.
    pub(crate) fn settle(&mut self, key: &str) -> Value {
        let happened = self.0.entry(key.to_owned()).or_insert(Happened {
            with: Value::Null,
            stored: true,
            settled: true,
        });
        happened.settled = true;
        key.into()
    }

    /// A task gets the stored result of an effect that it has with these answers now.
    pub(crate) fn check_fit(&self, key: &str, with: &Value) -> Result<(), Broken> {
        match self.0.get(key) {
            Some(happened) if happened.with != *with && !happened.settled => broken(
                Promise::EffectFits,
                format!(
                    "`{key}` happened with {} and its task continues with {with}",
                    happened.with
                ),
            ),
            _ => Ok(()),
        }
    }

    /// What happened, by key.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
