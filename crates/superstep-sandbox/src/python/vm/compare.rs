//! Equality, order, truth and membership.

use std::{cmp::Ordering, rc::Rc};

use super::Vm;
use crate::{
    python::{
        fault::Res,
        number,
        value::{Kind, Set, Value, ViewKind},
    },
    syntax::ast::CompareOp,
};

impl Vm {
    pub(crate) fn truth(&mut self, value: &Value) -> Res<bool> {
        Ok(match value {
            Value::None => false,
            Value::Bool(it) => *it,
            Value::Int(it) => *it != 0,
            Value::Float(it) => *it != 0.0,
            Value::Str(it) => !it.is_empty(),
            Value::Bytes(it) => !it.is_empty(),
            Value::Tuple(it) => !it.is_empty(),
            Value::List(it) => !it.borrow().is_empty(),
            Value::Dict(it) => !it.borrow().is_empty(),
            Value::Set(it) => !it.borrow().is_empty(),
            Value::FrozenSet(it) => !it.is_empty(),
            Value::View(it) => !it.dict.borrow().is_empty(),
            Value::Range(it) => it.len() > 0,
            Value::Object(object) => {
                if let Some(found) = self.special(value, "__bool__", Vec::new())? {
                    return self.truth(&found);
                }
                if let Some(length) = self.special(value, "__len__", Vec::new())? {
                    return self.truth(&length);
                }
                let payload = object.payload.borrow().clone();
                match (payload, object.class.kind) {
                    (Value::None, _) => true,
                    (payload, _) => self.truth(&payload)?,
                }
            }
            _ => true,
        })
    }

    pub(crate) fn equal(&mut self, left: &Value, right: &Value) -> Res<bool> {
        if left.is(right) {
            return Ok(true);
        }
        let found = self.equality(left, right)?;
        self.truth(&found)
    }

    /// `left == right`
    pub(super) fn equality(&mut self, left: &Value, right: &Value) -> Res<Value> {
        match (left, right) {
            (Value::Str(a), Value::Str(b)) => return Ok(Value::Bool(a == b)),
            (Value::Int(a), Value::Int(b)) => return Ok(Value::Bool(a == b)),
            (Value::Object(_), _) | (_, Value::Object(_)) => {
                return self.equal_objects(left, right);
            }
            _ => {}
        }
        self.equal_plain(left, right).map(Value::Bool)
    }

    /// `left != right`
    pub(super) fn inequality(&mut self, left: &Value, right: &Value) -> Res<Value> {
        if let Value::Object(it) = left
            && it.class.find("__ne__").is_some()
        {
            match self.special(left, "__ne__", vec![right.clone()])? {
                None | Some(Value::NotImplemented) => {}
                Some(found) => return Ok(found),
            }
        }
        let found = self.equality(left, right)?;
        Ok(Value::Bool(!self.truth(&found)?))
    }

    fn equal_objects(&mut self, left: &Value, right: &Value) -> Res<Value> {
        let mut sides = [(left, right), (right, left)];
        if is_more_special(right, left) {
            sides.reverse();
        }
        for (one, other) in sides {
            match self.special(one, "__eq__", vec![other.clone()])? {
                None | Some(Value::NotImplemented) => {}
                Some(found) => return Ok(found),
            }
        }
        let (one, other) = (left.plain(), right.plain());
        if matches!(one, Value::Object(_)) || matches!(other, Value::Object(_)) {
            return Ok(Value::Bool(one.is(&other)));
        }
        self.equal_plain(&one, &other).map(Value::Bool)
    }

    fn equal_plain(&mut self, left: &Value, right: &Value) -> Res<bool> {
        if let Some(ordering) = number::compare(left, right) {
            return Ok(ordering == Some(Ordering::Equal));
        }
        self.deeper(|vm| match (left, right) {
            (Value::Bytes(a), Value::Bytes(b)) => Ok(a == b),
            (Value::Tuple(a), Value::Tuple(b)) => vm.equal_items(a, b),
            (Value::List(a), Value::List(b)) => {
                let (a, b) = (a.borrow().clone(), b.borrow().clone());
                vm.equal_items(&a, &b)
            }
            (Value::Dict(a), Value::Dict(b)) => {
                let (a, b) = (a.borrow().clone(), b.borrow().clone());
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (key, (_, value)) in &a {
                    let Some((_, other)) = b.get(key) else {
                        return Ok(false);
                    };
                    if !vm.equal(value, other)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Range(a), Value::Range(b)) => Ok(a.len() == b.len()
                && (a.len() == 0 || a.start == b.start && (a.len() == 1 || a.step == b.step))),
            (Value::Slice(a), Value::Slice(b)) => vm.equal_items(&a[..], &b[..]),
            (Value::Union(a), Value::Union(b)) => {
                Ok(a.len() == b.len() && a.iter().all(|one| b.iter().any(|other| one.is(other))))
            }
            (Value::Method(a), Value::Method(b)) => Ok(a.0.is(&b.0) && a.1.is(&b.1)),
            (Value::View(a), Value::View(b))
                if a.kind == ViewKind::Items && b.kind == ViewKind::Items =>
            {
                let (a, b) = (Rc::clone(&a.dict), Rc::clone(&b.dict));
                vm.equal_plain(&Value::Dict(a), &Value::Dict(b))
            }
            _ => match (vm.as_set(left)?, vm.as_set(right)?) {
                (Some(a), Some(b)) => Ok(a.len() == b.len() && a.keys().all(|k| b.contains_key(k))),
                _ => Ok(left.is(right)),
            },
        })
    }

    fn equal_items(&mut self, left: &[Value], right: &[Value]) -> Res<bool> {
        if left.len() != right.len() {
            return Ok(false);
        }
        for (one, other) in left.iter().zip(right) {
            self.tick()?;
            if !self.equal(one, other)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The entries of a set, a frozen set, or keys and items of a dict.
    pub(crate) fn as_set(&mut self, value: &Value) -> Res<Option<Set>> {
        Ok(match value {
            Value::Set(set) => Some(set.borrow().clone()),
            Value::FrozenSet(set) => Some((**set).clone()),
            Value::View(view) if view.kind == ViewKind::Items => {
                let mut set = Set::new();
                for item in self.collect_items(value)? {
                    set.insert(self.key(&item)?, item);
                }
                Some(set)
            }
            Value::View(view) if view.kind == ViewKind::Keys => {
                let dict = view.dict.borrow();
                Some(
                    dict.iter()
                        .map(|(key, (value, _))| (key.clone(), value.clone()))
                        .collect(),
                )
            }
            _ => None,
        })
    }

    pub(super) fn order_op(&mut self, op: CompareOp, left: &Value, right: &Value) -> Res<Value> {
        let (name, swapped, symbol) = match op {
            CompareOp::Lt => ("__lt__", "__gt__", "<"),
            CompareOp::Le => ("__le__", "__ge__", "<="),
            CompareOp::Gt => ("__gt__", "__lt__", ">"),
            _ => ("__ge__", "__le__", ">="),
        };
        let mut sides = [(left, right, name), (right, left, swapped)];
        if is_more_special(right, left) {
            sides.reverse();
        }
        for (one, other, name) in sides {
            match self.special(one, name, vec![other.clone()])? {
                None | Some(Value::NotImplemented) => {}
                Some(found) => return Ok(found),
            }
        }
        let (one, other) = (left.plain(), right.plain());
        if let (Some(a), Some(b)) = (self.as_set(&one)?, self.as_set(&other)?) {
            let below = a.keys().all(|key| b.contains_key(key));
            let above = b.keys().all(|key| a.contains_key(key));
            return Ok(Value::Bool(match op {
                CompareOp::Lt => below && a.len() < b.len(),
                CompareOp::Le => below,
                CompareOp::Gt => above && a.len() > b.len(),
                _ => above,
            }));
        }
        let Some(ordering) = self.order(&one, &other)? else {
            let message = format!(
                "'{symbol}' not supported between instances of '{}' and '{}'",
                self.type_name(left),
                self.type_name(right)
            );
            return Err(self.error("TypeError", message));
        };
        Ok(Value::Bool(match (op, ordering) {
            (_, None) => false,
            (CompareOp::Lt, Some(it)) => it == Ordering::Less,
            (CompareOp::Le, Some(it)) => it != Ordering::Greater,
            (CompareOp::Gt, Some(it)) => it == Ordering::Greater,
            (_, Some(it)) => it != Ordering::Less,
        }))
    }

    /// The order of two values of the interpreter; nothing if they have none, and nothing within if one
    /// is no number.
    fn order(&mut self, left: &Value, right: &Value) -> Res<Option<Option<Ordering>>> {
        if let Some(ordering) = number::compare(left, right) {
            return Ok(Some(ordering));
        }
        match (left, right) {
            (Value::Str(a), Value::Str(b)) => Ok(Some(Some(a.cmp(b)))),
            (Value::Bytes(a), Value::Bytes(b)) => Ok(Some(Some(a.cmp(b)))),
            (Value::Tuple(a), Value::Tuple(b)) => self.order_items(a, b),
            (Value::List(a), Value::List(b)) => {
                let (a, b) = (a.borrow().clone(), b.borrow().clone());
                self.order_items(&a, &b)
            }
            _ => Ok(None),
        }
    }

    fn order_items(&mut self, left: &[Value], right: &[Value]) -> Res<Option<Option<Ordering>>> {
        self.deeper(|vm| {
            for (one, other) in left.iter().zip(right) {
                vm.tick()?;
                if vm.equal(one, other)? {
                    continue;
                }
                let is_less = vm.order_op(CompareOp::Lt, one, other)?;
                let is_less = vm.truth(&is_less)?;
                let ordering = if is_less {
                    Ordering::Less
                } else {
                    Ordering::Greater
                };
                return Ok(Some(Some(ordering)));
            }
            Ok(Some(Some(left.len().cmp(&right.len()))))
        })
    }

    pub(crate) fn less(&mut self, left: &Value, right: &Value) -> Res<bool> {
        let found = self.order_op(CompareOp::Lt, left, right)?;
        self.truth(&found)
    }

    /// Sorts values by keys; equal ones keep their order. The first fault ends it.
    pub(crate) fn sort(
        &mut self,
        items: Vec<Value>,
        key: &Value,
        reverse: bool,
    ) -> Res<Vec<Value>> {
        let mut pairs = Vec::with_capacity(items.len());
        for item in items {
            let by = match key.is_none() {
                true => item.clone(),
                false => self.call_with(key, vec![item.clone()])?,
            };
            pairs.push((by, item));
        }
        if reverse {
            pairs.reverse();
        }
        let mut pairs = self.merge_sorted(pairs)?;
        if reverse {
            pairs.reverse();
        }
        Ok(pairs.into_iter().map(|(_, item)| item).collect())
    }

    /// Sorts halves and merges them. What a program says of its order may contradict itself, which `sort_by` does not
    /// permit.
    fn merge_sorted(&mut self, mut pairs: Vec<(Value, Value)>) -> Res<Vec<(Value, Value)>> {
        if pairs.len() < 2 {
            return Ok(pairs);
        }
        let second = pairs.split_off(pairs.len() / 2);
        let first = self.merge_sorted(pairs)?;
        let second = self.merge_sorted(second)?;
        if let (Some((last, _)), Some((next, _))) = (first.last(), second.first())
            && !self.less(next, last)?
        {
            return Ok(first.into_iter().chain(second).collect());
        }
        let mut merged = Vec::with_capacity(first.len() + second.len());
        let (mut left, mut right) = (first.into_iter().peekable(), second.into_iter().peekable());
        while let (Some((one, _)), Some((other, _))) = (left.peek(), right.peek()) {
            let next = match self.less(other, one)? {
                true => right.next(),
                false => left.next(),
            };
            merged.extend(next);
        }
        merged.extend(left);
        merged.extend(right);
        Ok(merged)
    }

    pub(crate) fn contains(&mut self, container: &Value, value: &Value) -> Res<bool> {
        match container {
            Value::Str(text) => match value.as_str() {
                Some(part) => Ok(text.contains(&*part)),
                None => {
                    let message = format!(
                        "'in <string>' requires string as left operand, not {}",
                        self.type_name(value)
                    );
                    Err(self.error("TypeError", message))
                }
            },
            Value::Dict(dict) => {
                let key = self.key(value)?;
                Ok(dict.borrow().contains_key(&key))
            }
            Value::Set(set) => {
                let key = self.key(value)?;
                Ok(set.borrow().contains_key(&key))
            }
            Value::FrozenSet(set) => {
                let key = self.key(value)?;
                Ok(set.contains_key(&key))
            }
            Value::View(view) if view.kind == ViewKind::Keys => {
                let key = self.key(value)?;
                Ok(view.dict.borrow().contains_key(&key))
            }
            Value::View(view) if view.kind == ViewKind::Items => {
                let Value::Tuple(pair) = value.plain() else {
                    return Ok(false);
                };
                let [key, value] = &*pair else {
                    return Ok(false);
                };
                let key = self.key(key)?;
                let found = view.dict.borrow().get(&key).map(|(_, value)| value.clone());
                match found {
                    Some(found) => self.equal(&found, value),
                    None => Ok(false),
                }
            }
            Value::Bytes(bytes) => match value {
                Value::Bytes(part) => Ok(
                    part.is_empty() || bytes.windows(part.len()).any(|window| window == &**part)
                ),
                other => {
                    let byte = self.int_argument(other)?;
                    Ok(bytes.iter().any(|known| i64::from(*known) == byte))
                }
            },
            Value::Class(class) if class.find("__class_contains__").is_some() => {
                let name = "__class_contains__".into();
                let found = self.call_method(container, &name, vec![value.clone()])?;
                self.truth(&found)
            }
            Value::Range(_) if !matches!(value, Value::Int(_) | Value::Bool(_)) => {
                self.contains_by_iteration(container, value)
            }
            Value::Range(range) => Ok(match value.as_int() {
                Some(it) => {
                    let within = match range.step > 0 {
                        true => it >= range.start && it < range.stop,
                        false => it <= range.start && it > range.stop,
                    };
                    within
                        && (i128::from(it) - i128::from(range.start)) % i128::from(range.step) == 0
                }
                None => false,
            }),
            Value::Object(object) => {
                if let Some(found) = self.special(container, "__contains__", vec![value.clone()])? {
                    return self.truth(&found);
                }
                let payload = object.payload.borrow().clone();
                match (payload, object.class.kind) {
                    (Value::None, Kind::Object | Kind::Exception) | (Value::None, _) => {
                        self.contains_by_iteration(container, value)
                    }
                    (payload, _) => self.contains(&payload, value),
                }
            }
            _ => self.contains_by_iteration(container, value),
        }
    }

    fn contains_by_iteration(&mut self, container: &Value, value: &Value) -> Res<bool> {
        let Ok(iterator) = self.iterator(container) else {
            let message = format!(
                "argument of type '{}' is not iterable",
                self.type_name(container)
            );
            return Err(self.error("TypeError", message));
        };
        while let Some(item) = self.next(&iterator)? {
            if self.equal(&item, value)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a value is of a class that inherits from the class of another one, which is asked after it.
fn is_more_special(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Object(a), Value::Object(b)) => {
            !Rc::ptr_eq(&a.class, &b.class) && a.class.is_below(&b.class)
        }
        (Value::Object(a), other) => a.class.kind == other.kind(),
        _ => false,
    }
}
