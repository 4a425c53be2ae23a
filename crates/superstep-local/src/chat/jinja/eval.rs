//! The evaluation of a template.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value as Json;

use super::{
    ast::{Args, Expr, For, Stmt, Suffix, Target},
    filter, function,
    meter::{Fault, Meter},
    method, operator, predicate,
    value::{List, Turn, Value, push, search},
};

type Scope = HashMap<Arc<str>, Value>;

/// Where a statement leads.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Break,
    Continue,
}

/// One rendering of a template.
pub(super) struct Render<'m> {
    meter: &'m Meter,
    /// Of loops, the innermost last.
    scopes: Vec<Scope>,
    namespaces: Vec<Scope>,
    output: String,
    most: usize,
}

impl<'m> Render<'m> {
    pub(super) fn new(meter: &'m Meter, most: usize) -> Self {
        Self {
            meter,
            scopes: vec![Scope::new()],
            namespaces: Vec::new(),
            output: String::new(),
            most,
        }
    }

    /// Gives the template a variable.
    pub(super) fn give(&mut self, name: &str, value: &Json) -> Result<(), Fault> {
        let value = Value::from_json(value, self.meter)?;
        self.assign(&name.into(), value)
    }

    pub(super) fn run(mut self, body: &[Stmt]) -> Result<String, Fault> {
        self.body(body)?;
        Ok(self.output)
    }

    fn body(&mut self, body: &[Stmt]) -> Result<Flow, Fault> {
        for statement in body {
            self.meter.pay(1)?;
            let flow = match statement {
                Stmt::Text(text) => self.write(text)?,
                Stmt::Emit(value) => self.emit(value)?,
                Stmt::If {
                    branches,
                    otherwise,
                } => self.conditional(branches, otherwise)?,
                Stmt::For(repeated) => self.repeated(repeated)?,
                Stmt::Set(targets, value) => self.set(targets, value)?,
                Stmt::Capture(target, body) => self.capture(target, body)?,
                Stmt::Break => Flow::Break,
                Stmt::Continue => Flow::Continue,
            };
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn write(&mut self, text: &str) -> Result<Flow, Fault> {
        push(&mut self.output, text, self.meter)?;
        self.is_written()
    }

    fn emit(&mut self, value: &Expr) -> Result<Flow, Fault> {
        let value = self.value(value)?;
        value.print(&mut self.output, self.meter)?;
        self.is_written()
    }

    fn is_written(&self) -> Result<Flow, Fault> {
        match self.output.len() > self.most {
            true => {
                let most = self.most;
                Err(Fault::Stopped(format!("it wrote more than {most} bytes")))
            }
            false => Ok(Flow::On),
        }
    }

    fn conditional(
        &mut self,
        branches: &[(Expr, Vec<Stmt>)],
        otherwise: &[Stmt],
    ) -> Result<Flow, Fault> {
        for (condition, body) in branches {
            if self.value(condition)?.is_true() {
                return self.body(body);
            }
        }
        self.body(otherwise)
    }

    fn repeated(&mut self, repeated: &For) -> Result<Flow, Fault> {
        let mut items = self.value(&repeated.items)?.items(self.meter)?;
        if let Some(only) = &repeated.only {
            items = self.filtered(&items, repeated, only)?;
        }
        if items.items.is_empty() {
            return self.body(&repeated.otherwise);
        }
        for (index, item) in items.items.iter().enumerate() {
            self.meter.pay_items(1)?;
            self.scopes.push(Scope::new());
            let turn = Turn {
                items: Arc::clone(&items),
                index,
            };
            self.assign(&"loop".into(), Value::Loop(turn))?;
            self.unpack(&repeated.targets, item)?;
            let flow = self.body(&repeated.body)?;
            self.scopes.pop();
            if flow == Flow::Break {
                break;
            }
        }
        Ok(Flow::On)
    }

    fn filtered(
        &mut self,
        items: &Arc<List>,
        repeated: &For,
        only: &Expr,
    ) -> Result<Arc<List>, Fault> {
        let mut kept = Vec::new();
        for item in &items.items {
            self.meter.pay_items(1)?;
            self.scopes.push(Scope::new());
            self.unpack(&repeated.targets, item)?;
            let is_kept = self.value(only)?.is_true();
            self.scopes.pop();
            if is_kept {
                kept.push(item.clone());
            }
        }
        Value::list(kept)?.items(self.meter)
    }

    fn unpack(&mut self, targets: &[Arc<str>], item: &Value) -> Result<(), Fault> {
        if let [target] = targets {
            return self.assign(target, item.clone());
        }
        let parts = item.items(self.meter)?;
        if parts.items.len() != targets.len() {
            return Err(Fault::refused("a loop has more or fewer names than values"));
        }
        for (target, part) in targets.iter().zip(&parts.items) {
            self.assign(target, part.clone())?;
        }
        Ok(())
    }

    fn set(&mut self, targets: &[Target], value: &Expr) -> Result<Flow, Fault> {
        let value = self.value(value)?;
        if let [target] = targets {
            self.set_one(target, value)?;
            return Ok(Flow::On);
        }
        let parts = value.items(self.meter)?;
        if parts.items.len() != targets.len() {
            return Err(Fault::refused("there are more or fewer names than values"));
        }
        for (target, part) in targets.iter().zip(&parts.items) {
            self.set_one(target, part.clone())?;
        }
        Ok(Flow::On)
    }

    fn set_one(&mut self, target: &Target, value: Value) -> Result<(), Fault> {
        let Some(field) = &target.field else {
            return self.assign(&target.name, value);
        };
        self.meter.pay_items(2)?;
        let Value::Namespace(number) = self.variable(&target.name)? else {
            let name = &target.name;
            return Err(Fault::refused(format!("`{name}` is no namespace")));
        };
        if let Some(namespace) = self.namespaces.get_mut(number) {
            namespace.insert(Arc::clone(field), value);
        }
        Ok(())
    }

    fn capture(&mut self, target: &Target, body: &[Stmt]) -> Result<Flow, Fault> {
        let before = std::mem::take(&mut self.output);
        let flow = self.body(body)?;
        let captured = std::mem::replace(&mut self.output, before);
        self.meter.pay(captured.len())?;
        self.set_one(target, Value::text(captured))?;
        Ok(flow)
    }

    fn assign(&mut self, name: &Arc<str>, value: Value) -> Result<(), Fault> {
        self.meter.pay_items(2)?;
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(Arc::clone(name), value);
        }
        Ok(())
    }

    fn variable(&self, name: &str) -> Result<Value, Fault> {
        self.meter.pay(self.scopes.len())?;
        let mut scopes = self.scopes.iter().rev();
        let found = scopes.find_map(|scope| scope.get(name));
        Ok(found.cloned().unwrap_or(Value::Undefined))
    }

    fn value(&mut self, expr: &Expr) -> Result<Value, Fault> {
        self.meter.pay(1)?;
        match expr {
            Expr::Const(value) => Ok(value.clone()),
            Expr::Var(name) => self.variable(name),
            Expr::List(items) => self.list(items),
            Expr::Dict(members) => self.dict(members),
            Expr::Call(name, args) => self.call(name, args),
            Expr::Not(value) => Ok(Value::Bool(!self.value(value)?.is_true())),
            Expr::Negate(value) => self.negated(value),
            Expr::All(parts) => self.first(parts, false),
            Expr::Any(parts) => self.first(parts, true),
            Expr::Compare(first, others) => {
                let mut one = self.value(first)?;
                for (comparison, other) in others {
                    let other = self.value(other)?;
                    if !operator::compare(*comparison, &one, &other, self.meter)? {
                        return Ok(Value::Bool(false));
                    }
                    one = other;
                }
                Ok(Value::Bool(true))
            }
            Expr::Chain(first, others) => {
                let mut one = self.value(first)?;
                for (operator, other) in others {
                    let other = self.value(other)?;
                    one = operator::apply(*operator, &one, &other, self.meter)?;
                }
                Ok(one)
            }
            Expr::Choice {
                condition,
                then,
                otherwise,
            } => match (self.value(condition)?.is_true(), otherwise) {
                (true, _) => self.value(then),
                (false, Some(otherwise)) => self.value(otherwise),
                (false, None) => Ok(Value::Undefined),
            },
            Expr::Suffixed(base, suffixes) => {
                let mut value = self.value(base)?;
                for suffix in suffixes {
                    value = self.suffixed(&value, suffix)?;
                }
                Ok(value)
            }
        }
    }

    fn values(&mut self, exprs: &[Expr]) -> Result<Vec<Value>, Fault> {
        self.meter.pay_items(exprs.len())?;
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    fn list(&mut self, items: &[Expr]) -> Result<Value, Fault> {
        Value::list(self.values(items)?)
    }

    fn dict(&mut self, members: &[(Expr, Expr)]) -> Result<Value, Fault> {
        let mut found: Vec<(Arc<str>, Value)> = Vec::new();
        for (key, value) in members {
            self.meter.pay_items(1)?;
            let key = self.value(key)?.as_text().cloned()?;
            let value = self.value(value)?;
            self.meter.pay(search(found.len(), &key))?;
            found.retain(|(known, _)| *known != key);
            found.push((key, value));
        }
        Value::dict(found)
    }

    fn negated(&mut self, value: &Expr) -> Result<Value, Fault> {
        match self.value(value)? {
            Value::Float(number) => Ok(Value::Float(-number)),
            other => match other.as_int()?.checked_neg() {
                Some(number) => Ok(Value::Int(number)),
                None => Err(Fault::refused("a number is too large")),
            },
        }
    }

    /// The first part that is true or false, or the last.
    fn first(&mut self, parts: &[Expr], wanted: bool) -> Result<Value, Fault> {
        let mut last = Value::Undefined;
        for part in parts {
            last = self.value(part)?;
            if last.is_true() == wanted {
                break;
            }
        }
        Ok(last)
    }

    fn named(&mut self, args: &Args) -> Result<Vec<(Arc<str>, Value)>, Fault> {
        self.meter.pay_items(args.named.len())?;
        let named = args.named.iter();
        let named = named.map(|(name, value)| Ok((Arc::clone(name), self.value(value)?)));
        named.collect()
    }

    fn call(&mut self, name: &str, args: &Args) -> Result<Value, Fault> {
        let plain = self.values(&args.plain)?;
        let named = self.named(args)?;
        if name != "namespace" {
            return function::call(name, &plain, named, self.meter);
        }
        self.meter.pay_items(2 + 2 * named.len())?;
        self.namespaces.push(named.into_iter().collect());
        Ok(Value::Namespace(self.namespaces.len() - 1))
    }

    fn suffixed(&mut self, value: &Value, suffix: &Suffix) -> Result<Value, Fault> {
        self.meter.pay(1)?;
        match suffix {
            Suffix::Attribute(name) => self.attribute(value, name),
            Suffix::Index(index) => match self.value(index)? {
                Value::Text(name) => self.attribute(value, &name),
                index => operator::item(value, &index, self.meter),
            },
            Suffix::Slice(parts) => self.slice(value, parts),
            Suffix::Method(name, args) => {
                let args = self.values(&args.plain)?;
                method::call(value, name, &args, self.meter)
            }
            Suffix::Filter(name, args) => {
                let plain = self.values(&args.plain)?;
                let named = self.named(args)?;
                filter::apply(name, value, &plain, &named, self.meter)
            }
            Suffix::Test {
                name,
                args,
                is_negated,
            } => {
                let args = self.values(&args.plain)?;
                let passes = predicate::passes(name, value, &args, self.meter)?;
                Ok(Value::Bool(passes != *is_negated))
            }
        }
    }

    fn slice(&mut self, value: &Value, parts: &[Option<Expr>; 3]) -> Result<Value, Fault> {
        let mut numbers = [None; 3];
        for (number, part) in numbers.iter_mut().zip(parts) {
            if let Some(part) = part {
                *number = match self.value(part)? {
                    Value::None => None,
                    value => Some(value.as_int()?),
                };
            }
        }
        operator::slice(value, numbers, self.meter)
    }

    fn attribute(&self, value: &Value, name: &Arc<str>) -> Result<Value, Fault> {
        match value {
            Value::Namespace(number) => {
                self.meter.pay(name.len())?;
                let namespace = self.namespaces.get(*number);
                let field = namespace.and_then(|namespace| namespace.get(name));
                Ok(field.cloned().unwrap_or(Value::Undefined))
            }
            Value::Loop(turn) => Ok(turn.attribute(name)),
            other => operator::item(other, &Value::Text(Arc::clone(name)), self.meter),
        }
    }
}

impl Turn {
    fn attribute(&self, name: &str) -> Value {
        let (index, length) = (self.index, self.items.items.len());
        let number = |number: usize| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        let item = |place: Option<usize>| {
            let item = place.and_then(|place| self.items.items.get(place));
            item.cloned().unwrap_or(Value::Undefined)
        };
        match name {
            "index" => number(index + 1),
            "index0" => number(index),
            "revindex" => number(length - index),
            "revindex0" => number(length - index - 1),
            "first" => Value::Bool(index == 0),
            "last" => Value::Bool(index + 1 == length),
            "length" => number(length),
            "previtem" => item(index.checked_sub(1)),
            "nextitem" => item(index.checked_add(1)),
            _ => Value::Undefined,
        }
    }
}
