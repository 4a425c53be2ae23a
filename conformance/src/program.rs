//! Programs of the mini-language: lists of statements, run over a [`Host`].
//!
//! Variables live in one flat environment, also those of loops and handlers. Expressions are in
//! [`crate::expr`]; everything that reaches outside the program goes through the host.

mod host;

use std::collections::BTreeMap;
use std::pin::Pin;

use serde_json::{Map, Value as Json};

pub use self::host::{Host, LlmCall, Reply, Stop};
use crate::expr::{self, Env, Externals, KINDS};
use crate::value::Val;

/// How a program ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// With a value; null if it ran off its end.
    Returned(Val),
    /// With a value, and another one to be kept for the next run.
    Final {
        /// What the caller gets.
        value: Val,
        /// What the next run sees as `previous`.
        save: Val,
    },
}

/// Runs a program with the given variables.
pub async fn run(stmts: &[Json], mut env: Env, host: &mut dyn Host) -> Result<Ended, Stop> {
    match block(stmts, &mut env, host).await? {
        Flow::End(ended) => Ok(ended),
        Flow::Next => Ok(Ended::Returned(Val::Null)),
    }
}

/// Where control goes after a statement.
enum Flow {
    Next,
    End(Ended),
}

/// Blocks nest, so their futures are boxed.
type BlockFuture<'a> = Pin<Box<dyn Future<Output = Result<Flow, Stop>> + Send + 'a>>;

fn block<'a>(stmts: &'a [Json], env: &'a mut Env, host: &'a mut dyn Host) -> BlockFuture<'a> {
    Box::pin(async move {
        for stmt in stmts {
            let Json::Object(parts) = stmt else {
                return Err(Stop::Bug(format!("a statement is an object, not {stmt}")));
            };
            if let Flow::End(ended) = Stmt(parts).run(env, host).await? {
                return Ok(Flow::End(ended));
            }
        }
        Ok(Flow::Next)
    })
}

/// The keys that name a statement, most significant first.
const NAMES: [&str; 18] = [
    "set", "return", "final", "if", "for", "try", "interrupt", "raise", "count", "emit", "sleep",
    "store", "call", "task", "await", "llm", "drain", "heartbeat",
];

#[derive(Clone, Copy)]
struct Stmt<'a>(&'a Map<String, Json>);

impl<'a> Stmt<'a> {
    async fn run(self, env: &mut Env, host: &mut dyn Host) -> Result<Flow, Stop> {
        let Some(name) = NAMES.iter().find(|name| self.0.contains_key(**name)) else {
            return Err(self.bug("unknown statement"));
        };
        match *name {
            "if" | "for" | "try" => return self.control(name, env, host).await,
            "return" => {
                let value = self.eval("return", env, host)?;
                return Ok(Flow::End(Ended::Returned(value)));
            }
            "final" => return self.finish(env, host).map(Flow::End),
            "set" => {
                let value = self.eval("to", env, host)?;
                env.insert(self.word("set")?.to_owned(), value);
            }
            "raise" => return Err(self.raise(env, host)?),
            "count" => {
                let count = host.count(self.word("count")?);
                self.keep(count.into(), env)?;
            }
            effect => {
                let value = self.effect(effect, env, host).await?;
                self.keep(value, env)?;
            }
        }
        Ok(Flow::Next)
    }

    async fn control(self, name: &str, env: &mut Env, host: &mut dyn Host) -> Result<Flow, Stop> {
        match name {
            "if" => {
                let side = match self.eval("if", env, host)?.truthy() {
                    true => "then",
                    false => "else",
                };
                block(self.list_or_none(side)?, env, host).await
            }
            "for" => {
                let variable = self.word("for")?;
                let items = match self.eval("in", env, host)? {
                    Val::List(items) => items,
                    Val::Null => Vec::new(),
                    other => return Err(self.bug(&format!("cannot loop over {}", other.text()))),
                };
                for item in items {
                    env.insert(variable.to_owned(), item);
                    if let Flow::End(ended) = block(self.list("do")?, env, host).await? {
                        return Ok(Flow::End(ended));
                    }
                }
                Ok(Flow::Next)
            }
            _ => {
                let caught = match block(self.list("try")?, env, host).await {
                    Err(stop) => caught(stop)?,
                    flow => return flow,
                };
                env.insert(self.word("catch")?.to_owned(), caught);
                block(self.list("do")?, env, host).await
            }
        }
    }

    /// Statements that ask the host for something and may keep what it gives.
    async fn effect(self, name: &str, env: &mut Env, host: &mut dyn Host) -> Result<Val, Stop> {
        match name {
            "interrupt" => {
                let value = self.eval("interrupt", env, host)?.into_json();
                host.interrupt(value, self.0.get("schema").cloned()).await
            }
            "emit" => {
                let data = self.eval("emit", env, host)?.into_json();
                host.emit(data).await.map(|()| Val::Null)
            }
            "sleep" => {
                let Some(ms) = self.0.get("sleep").and_then(Json::as_u64) else {
                    return Err(self.bug("sleep needs milliseconds"));
                };
                host.sleep(ms).await.map(|()| Val::Null)
            }
            "store" => {
                let mut fields = Map::new();
                for (key, expr) in self.0 {
                    if key != "store" && key != "into" {
                        let value = expr::eval(expr, env, externals(host))?;
                        fields.insert(key.clone(), value.into_json());
                    }
                }
                host.store(self.word("store")?, fields).await
            }
            "call" => {
                let input = self.eval("input", env, host)?;
                host.call(self.word("call")?, input).await
            }
            "task" => self.task(env, host).await,
            "await" => {
                let path = self.word("await")?;
                let Some(Val::Future(id)) = expr::lookup(env, path) else {
                    return Err(self.bug(&format!("{path} is no future")));
                };
                host.await_task(*id).await
            }
            "llm" => {
                let call = self.llm_call(env, host)?;
                host.llm(call).await
            }
            "drain" => host.drain(self.word("drain")?).await.map(|()| Val::Null),
            _ => host.heartbeat().await.map(|()| Val::Null),
        }
    }

    async fn task(self, env: &mut Env, host: &mut dyn Host) -> Result<Val, Stop> {
        let mut args = Vec::new();
        for expr in self.list_or_none("args")? {
            args.push(expr::eval(expr, env, externals(host))?);
        }
        let id = host.start_task(self.word("task")?, args).await?;
        match self.0.get("wait") {
            Some(Json::Bool(false)) => Ok(Val::Future(id)),
            _ => host.await_task(id).await,
        }
    }

    fn llm_call(self, env: &Env, host: &dyn Host) -> Result<LlmCall, Stop> {
        let fail = || self.bug("llm needs an id and a list of text chunks");
        let Val::Map(mut parts) = self.eval("llm", env, host)? else {
            return Err(fail());
        };
        let (Some(Val::Str(id)), Some(Val::List(chunks))) =
            (parts.remove("id"), parts.remove("chunks"))
        else {
            return Err(fail());
        };
        let text = |chunk| match chunk {
            Val::Str(text) => Ok(text),
            _ => Err(fail()),
        };
        let tool_calls = match parts.remove("tool_calls") {
            None | Some(Val::Null) => Vec::new(),
            Some(Val::List(calls)) => calls.into_iter().map(Val::into_json).collect(),
            Some(_) => return Err(self.bug("tool_calls is a list")),
        };
        Ok(LlmCall {
            id,
            chunks: chunks.into_iter().map(text).collect::<Result<_, _>>()?,
            tool_calls,
        })
    }

    fn finish(self, env: &Env, host: &dyn Host) -> Result<Ended, Stop> {
        let Some(Json::Object(parts)) = self.0.get("final") else {
            return Err(self.bug("final needs a value and what to save"));
        };
        Ok(Ended::Final {
            value: Stmt(parts).eval("value", env, host)?,
            save: Stmt(parts).eval("save", env, host)?,
        })
    }

    fn raise(self, env: &Env, host: &dyn Host) -> Result<Stop, Stop> {
        let kind = expr::known_kind(self.word("raise")?)?.to_owned();
        let message = match self.0.contains_key("message") {
            true => self.eval("message", env, host)?.text(),
            false => String::new(),
        };
        Ok(Stop::Raised { kind, message })
    }

    /// Stores a result in the variable the statement names, if it names one.
    fn keep(self, value: Val, env: &mut Env) -> Result<(), Stop> {
        if self.0.contains_key("into") {
            env.insert(self.word("into")?.to_owned(), value);
        }
        Ok(())
    }

    fn eval(self, key: &str, env: &Env, host: &dyn Host) -> Result<Val, Stop> {
        let Some(expr) = self.0.get(key) else {
            return Err(self.bug(&format!("{key} is missing")));
        };
        Ok(expr::eval(expr, env, externals(host))?)
    }

    fn word(self, key: &str) -> Result<&'a str, Stop> {
        let word = self.0.get(key).and_then(Json::as_str);
        word.ok_or_else(|| self.bug(&format!("{key} must be a name")))
    }

    fn list(self, key: &str) -> Result<&'a [Json], Stop> {
        match self.0.get(key) {
            Some(Json::Array(stmts)) => Ok(stmts),
            _ => Err(self.bug(&format!("{key} must be a list"))),
        }
    }

    fn list_or_none(self, key: &str) -> Result<&'a [Json], Stop> {
        match self.0.contains_key(key) {
            true => self.list(key),
            false => Ok(&[]),
        }
    }

    fn bug(self, why: &str) -> Stop {
        let stmt = Json::Object(self.0.clone());
        Stop::Bug(format!("{why} in {stmt}"))
    }
}

fn externals(host: &dyn Host) -> &dyn Externals {
    host
}

/// What a handler sees of an error. Whatever is none travels on.
fn caught(stop: Stop) -> Result<Val, Stop> {
    let (kind, second) = match stop {
        Stop::Raised { kind, message } => (kind, ("message", message.into())),
        // An engine error of a kind that case code has too is not told apart from it.
        Stop::Engine { kind, message, .. } if KINDS.contains(&kind.as_str()) => {
            (kind, ("message", message.into()))
        }
        Stop::Engine { kind, .. } => (kind, ("engine", true.into())),
        other => return Err(other),
    };
    let (name, value) = second;
    let parts = [("kind".to_owned(), kind.into()), (name.to_owned(), value)];
    Ok(Val::Map(BTreeMap::from(parts)))
}

#[cfg(test)]
mod tests;
