//! Command line: a workload and `key=value` settings.
//!
//! Read by hand: the syntax is that of the bench suite, and `cold` measures the start of this process.

use std::{collections::BTreeMap, str::FromStr};

use crate::{backend::Store, error::BenchError};

/// A workload and its settings.
#[derive(Clone, Debug)]
pub(crate) struct Args {
    /// The workload.
    pub(crate) workload: String,
    settings: BTreeMap<String, String>,
}

/// How a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Channels by name and values of any shape.
    Dynamic,
    /// Structs and enums.
    Typed,
}

impl Layer {
    /// Behind the settings of a workload; the layer that other engines have says nothing.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Dynamic => "",
            Self::Typed => ",layer=typed",
        }
    }
}

/// What `--help` says.
pub(crate) const USAGE: &str = "\
usage: superstep-bench WORKLOAD [key=value...]

  chain     n nodes in a row                                      n=10
  fanout    n tasks at once and a join                            n=100
  loop      n steps that append a message each; with tail=1 what
            a resume, the state and the history cost then         n=1000
  pause     n threads up to a question, then their answers        n=1000
  nested    a graph inside `depth` others                         depth=10
  stream    n chunks to a live reader; kind=custom or messages    n=100000
  upstream  graphs of LangGraph's own benches                     name=sequential_1000
  cold      from the start of a process to its first node
  all       many of them, each in a process of its own

store=none, memory, sqlite, sqlite_normal or sqlite_async; layer=dynamic or typed (chain, fanout, pause, nested).
One JSON line per result: the best of several samples, in microseconds per unit.";

/// The keys of settings, `first` among them, with which `cold` starts itself.
const KEYS: [&str; 8] = [
    "n", "store", "layer", "tail", "kind", "depth", "name", "first",
];

impl Args {
    /// Reads the arguments after the program's name.
    pub(crate) fn read(mut args: impl Iterator<Item = String>) -> Result<Self, BenchError> {
        let workload = args
            .next()
            .ok_or_else(|| BenchError::Args(USAGE.to_owned()))?;
        let settings = args
            .map(|arg| match arg.split_once('=') {
                Some((key, value)) if KEYS.contains(&key) => Ok((key.to_owned(), value.to_owned())),
                Some((key, _)) => Err(BenchError::Args(format!(
                    "no setting `{key}`; `superstep-bench --help` lists them"
                ))),
                None => Err(BenchError::Args(format!("`{arg}` is not key=value"))),
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
            .map_err(|_| BenchError::Args(format!("`{key}={text}` is not a number")))
    }

    /// How the graph is written.
    pub(crate) fn layer(&self) -> Result<Layer, BenchError> {
        match self.text("layer", "dynamic") {
            "dynamic" => Ok(Layer::Dynamic),
            "typed" => Ok(Layer::Typed),
            other => Err(BenchError::Args(format!(
                "no layer `{other}`: dynamic or typed"
            ))),
        }
    }

    /// Where threads are stored.
    pub(crate) fn store(&self) -> Result<Store, BenchError> {
        match self.text("store", "none") {
            "none" => Ok(Store::None),
            "memory" => Ok(Store::Memory),
            "sqlite" => Ok(Store::Sqlite),
            "sqlite_normal" => Ok(Store::SqliteNormal),
            "sqlite_async" => Ok(Store::SqliteAsync),
            other => Err(BenchError::NoStore(other.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Result<Args, BenchError> {
        Args::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_after_the_workload_are_settings() {
        let args = args("chain n=100 store=memory").unwrap();
        assert_eq!(args.workload, "chain");
        assert_eq!(args.number("n", 10).unwrap(), 100);
        assert_eq!(args.store().unwrap(), Store::Memory);
        assert_eq!(args.text("kind", "custom"), "custom");
    }

    #[test]
    fn a_store_this_build_lacks_is_refused_by_name() {
        let error = args("chain store=postgres").unwrap().store().unwrap_err();
        assert!(error.to_string().contains("`postgres`"));
    }

    #[test]
    fn an_argument_without_a_value_is_refused() {
        assert!(args("chain n").is_err());
        assert!(args("").is_err());
    }

    #[test]
    fn a_setting_that_does_not_exist_is_refused() {
        let error = args("chain m=3").unwrap_err();
        assert!(error.to_string().contains("no setting `m`"));
    }
}
