//! The words of a command line: plain ones in order, and `--name value` pairs.

use std::{collections::BTreeMap, str::FromStr};

/// What was typed.
#[derive(Clone, Debug, Default)]
pub struct Args {
    words: std::collections::VecDeque<String>,
    options: BTreeMap<String, String>,
}

/// What was typed makes no sense.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A word is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A word cannot be read.
    #[error("{what}: {why}")]
    Wrong {
        /// Which.
        what: String,
        /// Why.
        why: String,
    },
}

impl Args {
    /// Sorts words.
    pub fn new(typed: impl IntoIterator<Item = String>) -> Result<Self, Error> {
        let mut args = Self::default();
        let mut typed = typed.into_iter();
        while let Some(word) = typed.next() {
            match word.strip_prefix("--") {
                None => args.words.push_back(word),
                Some(name) => {
                    let value = typed
                        .next()
                        .ok_or(Error::Missing("the value of an option"))?;
                    args.options.insert(name.to_owned(), value);
                }
            }
        }
        Ok(args)
    }

    /// The next plain word.
    pub fn word<T: FromStr<Err: ToString>>(&mut self, what: &'static str) -> Result<T, Error> {
        let word = self.words.pop_front().ok_or(Error::Missing(what))?;
        parse(what, &word)
    }

    /// An option, if it was given.
    pub fn option<T: FromStr<Err: ToString>>(&self, name: &str) -> Result<Option<T>, Error> {
        let given = self.options.get(name);
        given.map(|value| parse(name, value)).transpose()
    }

    /// An option, or what it is when it was not given.
    pub fn option_or<T: FromStr<Err: ToString>>(&self, name: &str, or: T) -> Result<T, Error> {
        Ok(self.option(name)?.unwrap_or(or))
    }
}

fn parse<T: FromStr<Err: ToString>>(what: &str, word: &str) -> Result<T, Error> {
    word.parse().map_err(|why: T::Err| Error::Wrong {
        what: what.to_owned(),
        why: why.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_options_are_told_apart() {
        let typed = ["worker", "--rounds", "3", "asks"].map(str::to_owned);
        let mut args = Args::new(typed).unwrap();
        assert_eq!(args.word::<String>("command").unwrap(), "worker");
        assert_eq!(args.word::<String>("graph").unwrap(), "asks");
        assert_eq!(args.option("rounds"), Ok(Some(3)));
        assert_eq!(args.option_or("jobs", 2), Ok(2));
        assert_eq!(args.word::<String>("folder"), Err(Error::Missing("folder")));
    }

    #[test]
    fn an_option_that_cannot_be_read_says_which() {
        let args = Args::new(["--rounds", "many"].map(str::to_owned)).unwrap();
        let error = args.option::<u32>("rounds").unwrap_err();
        assert!(error.to_string().starts_with("rounds: "), "{error}");
    }
}
