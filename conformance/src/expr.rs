//! Expressions of the mini-language.
//!
//! Scalars stand for themselves, lists and objects evaluate what they contain, and an object
//! whose only key begins with `$` is an operator. Control operators are here; those that merely
//! compute on evaluated arguments are in `ops`. Programs ([`crate::program`]) are built on top.

mod ops;

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::value::{CommandTarget, CommandVal, Goto, SendVal, Val};

/// The variables of a running program.
pub type Env = BTreeMap<String, Val>;

/// The error kinds case code can raise.
pub const KINDS: [&str; 9] = [
    "ValueError", "RuntimeError", "TypeError", "KeyError", "ConnectionError", "TimeoutError",
    "CustomError", "FatalError", "Exception",
];

/// What an expression can see beside its variables: state of the case run outside all graphs.
pub trait Externals {
    /// A counter; 0 if it was never bumped.
    fn counter(&self, name: &str) -> i64;
    /// A flag; null if it was never set.
    fn flag(&self, name: &str) -> Json;
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExprError {
    /// The case raised an error on purpose.
    #[error("{kind}: {message}")]
    Raised {
        /// One of [`KINDS`].
        kind: String,
        /// Its message.
        message: String,
    },
    /// The expression itself is wrong.
    #[error("mistake in the case: {0}")]
    CaseBug(String),
}

/// Evaluates an expression.
pub fn eval(expr: &Json, env: &Env, externals: &dyn Externals) -> Result<Val, ExprError> {
    let scope = Scope::Variables(env);
    let scope = &scope;
    Eval { scope, externals }.value(expr)
}

/// Follows a dotted path through the variables; none if it leads nowhere.
pub fn lookup<'a>(env: &'a Env, path: &str) -> Option<&'a Val> {
    Scope::Variables(env).follow(path)
}

/// Checks that a kind is one case code can raise.
pub(crate) fn known_kind(kind: &str) -> Result<&str, ExprError> {
    match KINDS.contains(&kind) {
        true => Ok(kind),
        false => Err(bug(format!("there is no error kind {kind:?}"))),
    }
}

/// Variables, with those bound by `$map` and `$filter` in front.
enum Scope<'a> {
    Variables(&'a Env),
    Bound {
        name: &'a str,
        value: &'a Val,
        outer: &'a Scope<'a>,
    },
}

impl<'a> Scope<'a> {
    fn get(&self, wanted: &str) -> Option<&'a Val> {
        match self {
            Scope::Variables(env) => env.get(wanted),
            Scope::Bound { name, value, .. } if *name == wanted => Some(value),
            Scope::Bound { outer, .. } => outer.get(wanted),
        }
    }

    fn follow(&self, path: &str) -> Option<&'a Val> {
        let mut parts = path.split('.');
        let first = self.get(parts.next()?)?;
        parts.try_fold(first, |value, part| match value {
            Val::Map(map) => map.get(part),
            Val::List(items) => element(items, part),
            _ => None,
        })
    }
}

/// An element by position; negative positions count from the end.
fn element<'a>(items: &'a [Val], position: &str) -> Option<&'a Val> {
    let position: i64 = position.parse().ok()?;
    let distance = usize::try_from(position.unsigned_abs()).ok()?;
    let index = match position {
        0.. => distance,
        _ => items.len().checked_sub(distance)?,
    };
    items.get(index)
}

struct Eval<'a> {
    scope: &'a Scope<'a>,
    externals: &'a dyn Externals,
}

impl Eval<'_> {
    fn value(&self, expr: &Json) -> Result<Val, ExprError> {
        match expr {
            Json::Array(items) => self.values(items).map(Val::List),
            Json::Object(map) => {
                let mut entries = map.iter();
                if let (Some((name, arg)), None) = (entries.next(), entries.next())
                    && name.starts_with('$')
                {
                    return self.operator(name, arg);
                }
                let evaluated = map
                    .iter()
                    .map(|(key, expr)| Ok((key.clone(), self.value(expr)?)));
                evaluated.collect::<Result<_, _>>().map(Val::Map)
            }
            scalar => Ok(Val::from(scalar)),
        }
    }

    fn values(&self, exprs: &[Json]) -> Result<Vec<Val>, ExprError> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    fn operator(&self, name: &str, arg: &Json) -> Result<Val, ExprError> {
        match name {
            "$" => {
                let found = self.scope.follow(string(name, arg)?);
                Ok(found.cloned().unwrap_or_default())
            }
            "$has" => Ok(self.scope.follow(string(name, arg)?).is_some().into()),
            "$lit" => Ok(Val::from(arg)),
            "$counter" => Ok(self.externals.counter(string(name, arg)?).into()),
            "$flag" => Ok(self.externals.flag(string(name, arg)?).into()),
            "$default" => {
                let [first, second] = pair(name, arg)?;
                match self.value(first)? {
                    Val::Null => self.value(second),
                    present => Ok(present),
                }
            }
            "$and" => self
                .any(name, arg, Stopper::False)
                .map(|found| (!found).into()),
            "$or" => self.any(name, arg, Stopper::True).map(Val::Bool),
            "$if" => self.choose(name, arg),
            "$map" | "$filter" => self.each(name, arg),
            "$send" => Ok(Val::Send(Box::new(self.send(name, arg)?))),
            "$command" => Ok(Val::Command(Box::new(self.command(name, arg)?))),
            "$overwrite" => Ok(Val::Overwrite(Box::new(self.value(arg)?))),
            "$raise" => {
                let [kind, message] = pair(name, arg)?;
                let kind = known_kind(string(name, kind)?)?.to_owned();
                let message = self.value(message)?.text();
                Err(ExprError::Raised { kind, message })
            }
            _ if ops::takes_list(name) => ops::of_list(name, self.values(list(name, arg)?)?),
            _ => ops::of_one(name, self.value(arg)?),
        }
    }

    /// Whether some argument is the stopper; those after it are not evaluated.
    fn any(&self, name: &str, arg: &Json, stopper: Stopper) -> Result<bool, ExprError> {
        for expr in list(name, arg)? {
            if self.value(expr)?.truthy() == (stopper == Stopper::True) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn choose(&self, name: &str, arg: &Json) -> Result<Val, ExprError> {
        let (condition, yes, no) = match list(name, arg)? {
            [condition, yes] => (condition, yes, None),
            [condition, yes, no] => (condition, yes, Some(no)),
            _ => return Err(bug(format!("{name} takes [condition, then, else?]"))),
        };
        match (self.value(condition)?.truthy(), no) {
            (true, _) => self.value(yes),
            (false, Some(no)) => self.value(no),
            (false, None) => Ok(Val::Null),
        }
    }

    fn each(&self, operator: &str, arg: &Json) -> Result<Val, ExprError> {
        let [items, Json::String(name), body] = list(operator, arg)? else {
            return Err(bug(format!("{operator} takes [list, name, expression]")));
        };
        let mut kept = Vec::new();
        for item in ops::items(operator, self.value(items)?)? {
            let scope = &Scope::Bound {
                name,
                value: &item,
                outer: self.scope,
            };
            let externals = self.externals;
            let outcome = Eval { scope, externals }.value(body)?;
            match operator {
                "$map" => kept.push(outcome),
                _ if outcome.truthy() => kept.push(item),
                _ => {}
            }
        }
        Ok(Val::List(kept))
    }

    fn send(&self, name: &str, arg: &Json) -> Result<SendVal, ExprError> {
        let (node, arg, options) = match list(name, arg)? {
            [node, arg] => (node, arg, None),
            [node, arg, options] => (node, arg, Some(options)),
            _ => return Err(bug(format!("{name} takes [node, argument, options?]"))),
        };
        let Val::Str(node) = self.value(node)? else {
            return Err(bug(format!("{name} needs a node name")));
        };
        let timeout = options.and_then(|options| options.get("timeout_ms"));
        Ok(SendVal {
            node,
            arg: self.value(arg)?,
            timeout_ms: timeout.and_then(Json::as_u64).filter(|ms| *ms > 0),
        })
    }

    fn command(&self, name: &str, arg: &Json) -> Result<CommandVal, ExprError> {
        let Json::Object(parts) = arg else {
            return Err(bug(format!("{name} takes an object")));
        };
        let part = |key: &str| parts.get(key).map(|expr| self.value(expr)).transpose();
        let target = match parts.get("graph") {
            None | Some(Json::Null) => CommandTarget::Here,
            Some(Json::String(graph)) if graph == "parent" => CommandTarget::Parent,
            Some(other) => return Err(bug(format!("{name} cannot be sent to graph {other}"))),
        };
        Ok(CommandVal {
            update: part("update")?,
            goto: part("goto")?.map_or_else(|| Ok(Vec::new()), |goto| targets(name, goto))?,
            resume: part("resume")?,
            target,
        })
    }
}

#[derive(PartialEq)]
enum Stopper {
    True,
    False,
}

fn targets(name: &str, goto: Val) -> Result<Vec<Goto>, ExprError> {
    match goto {
        Val::List(items) => items.into_iter().map(|item| target(name, item)).collect(),
        one => Ok(vec![target(name, one)?]),
    }
}

fn target(name: &str, value: Val) -> Result<Goto, ExprError> {
    match value {
        Val::Str(node) => Ok(Goto::Node(node)),
        Val::Send(send) => Ok(Goto::Send(*send)),
        other => Err(bug(format!("{name} cannot go to {}", other.text()))),
    }
}

fn bug(why: String) -> ExprError {
    ExprError::CaseBug(why)
}

fn string<'a>(operator: &str, arg: &'a Json) -> Result<&'a str, ExprError> {
    arg.as_str()
        .ok_or_else(|| bug(format!("{operator} takes a string, not {arg}")))
}

fn list<'a>(operator: &str, arg: &'a Json) -> Result<&'a [Json], ExprError> {
    arg.as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| bug(format!("{operator} takes a list, not {arg}")))
}

fn pair<'a>(operator: &str, arg: &'a Json) -> Result<&'a [Json; 2], ExprError> {
    list(operator, arg)?
        .try_into()
        .map_err(|_| bug(format!("{operator} takes two arguments")))
}

#[cfg(test)]
mod tests;
