//! The command line: a workload and `key=value` words.

use std::{collections::BTreeMap, str::FromStr, sync::Arc};

use superstep_engine::{Backends, memory::saver::MemorySaver};

use crate::error::BenchError;

/// A workload and its settings.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    /// The workload.
    pub(crate) workload: String,
    settings: BTreeMap<String, String>,
}

/// Where threads are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// Nowhere.
    None,
    /// In memory, with full history.
    Memory,
}

impl Words {
    /// Reads the words after the program's name.
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, BenchError> {
        let usage = "usage: superstep-bench WORKLOAD [key=value...]";
        let workload = words
            .next()
            .ok_or_else(|| BenchError::Words(usage.to_owned()))?;
        let settings = words
            .map(|word| match word.split_once('=') {
                Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
                None => Err(BenchError::Words(format!("`{word}` is not key=value"))),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { workload, settings })
    }

    /// The value of a key as text.
    pub(crate) fn text<'a>(&'a self, key: &str, default: &'a str) -> &'a str {
        self.settings.get(key).map_or(default, String::as_str)
    }

    /// The value of a key as a number.
    pub(crate) fn number<T: FromStr>(&self, key: &str, default: T) -> Result<T, BenchError> {
        let Some(text) = self.settings.get(key) else {
            return Ok(default);
        };
        text.parse()
            .map_err(|_| BenchError::Words(format!("`{key}={text}` is not a number")))
    }

    /// Where threads are kept.
    pub(crate) fn store(&self) -> Result<Store, BenchError> {
        match self.text("store", "none") {
            "none" => Ok(Store::None),
            "memory" => Ok(Store::Memory),
            other => Err(BenchError::NoStore(other.to_owned())),
        }
    }
}

impl Store {
    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Memory => "memory",
        }
    }

    /// New, empty backends.
    pub(crate) fn backends(self) -> Backends {
        match self {
            Self::None => Backends::default(),
            Self::Memory => Backends {
                saver: Some(Arc::new(MemorySaver::new())),
                ..Backends::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Words, BenchError> {
        Words::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn words_after_the_workload_are_settings() {
        let words = words("chain n=100 store=memory").unwrap();
        assert_eq!(words.workload, "chain");
        assert_eq!(words.number("n", 10).unwrap(), 100);
        assert_eq!(words.store().unwrap(), Store::Memory);
        assert_eq!(words.text("kind", "custom"), "custom");
    }

    #[test]
    fn a_store_this_build_lacks_is_refused_by_name() {
        let error = words("chain store=sqlite").unwrap().store().unwrap_err();
        assert!(error.to_string().contains("`sqlite`"));
    }

    #[test]
    fn a_word_without_a_value_is_refused() {
        assert!(words("chain n").is_err());
        assert!(words("").is_err());
    }
}
