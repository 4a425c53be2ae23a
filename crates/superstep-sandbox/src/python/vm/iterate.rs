//! Iteration over everything that can be iterated over.

use std::rc::Rc;

use super::{Vm, exec::Exit};
use crate::python::{
    fault::{Fault, Res},
    value::{Iter, Value, ViewKind},
};

impl Vm {
    pub(crate) fn iterator(&mut self, value: &Value) -> Res<Value> {
        Ok(Value::iter(match value {
            Value::Iter(_) | Value::Generator(_) => return Ok(value.clone()),
            Value::List(list) => Iter::List(Rc::clone(list), 0),
            Value::Tuple(items) => Iter::Tuple(Rc::clone(items), 0),
            Value::Str(text) => Iter::Str(Rc::clone(text), 0),
            Value::Bytes(bytes) => Iter::Bytes(Rc::clone(bytes), 0),
            Value::Range(range) => Iter::Range(**range, 0),
            Value::Dict(dict) => {
                let size = dict.borrow().len();
                Iter::Dict(Rc::clone(dict), 0, ViewKind::Keys, size)
            }
            Value::View(view) => {
                let size = view.dict.borrow().len();
                Iter::Dict(Rc::clone(&view.dict), 0, view.kind, size)
            }
            Value::Set(set) => {
                let size = set.borrow().len();
                Iter::Set(Rc::clone(set), 0, size)
            }
            Value::FrozenSet(set) => {
                let items: Vec<Value> = set.values().cloned().collect();
                Iter::Values(items.into_iter())
            }
            Value::Object(object) => {
                if let Some(iterator) = self.special(value, "__iter__", Vec::new())? {
                    return Ok(iterator);
                }
                let payload = object.payload.borrow().clone();
                if !payload.is_none() {
                    return self.iterator(&payload);
                }
                match object.class.find("__getitem__") {
                    Some(_) => Iter::Index(value.clone(), 0),
                    None => return Err(self.not_iterable(value)),
                }
            }
            Value::Class(class) => match class.find("__class_iter__") {
                Some(Value::OfClass(iter)) => {
                    return self.call_with(&iter, vec![value.clone()]);
                }
                _ => return Err(self.not_iterable(value)),
            },
            _ => return Err(self.not_iterable(value)),
        }))
    }

    fn not_iterable(&mut self, value: &Value) -> Fault {
        let message = format!("'{}' object is not iterable", self.type_name(value));
        self.error("TypeError", message)
    }

    /// The next value of an iterator; nothing at its end.
    pub(crate) fn next(&mut self, iterator: &Value) -> Res<Option<Value>> {
        self.tick()?;
        match iterator {
            Value::Generator(generator) => match self.resume(generator, Ok(Value::None))? {
                Exit::Yield(value) => Ok(Some(value)),
                Exit::Return(_) => Ok(None),
            },
            Value::Iter(iter) => {
                // What calls the program must not hold the iterator.
                let simple = match &mut *iter.borrow_mut() {
                    Iter::Zip(..)
                    | Iter::Map(..)
                    | Iter::Filter(..)
                    | Iter::Enumerate(..)
                    | Iter::Calls(..)
                    | Iter::Index(..) => None,
                    other => Some(step(other)),
                };
                match simple {
                    Some(Ok(value)) => Ok(value),
                    Some(Err(message)) => Err(self.error("RuntimeError", message)),
                    None => {
                        let mut taken = std::mem::replace(&mut *iter.borrow_mut(), Iter::Done);
                        let found = self.next_of(&mut taken);
                        if matches!(found, Ok(Some(_))) {
                            *iter.borrow_mut() = taken;
                        }
                        found
                    }
                }
            }
            Value::Object(_) => {
                let found = self.special(iterator, "__next__", Vec::new());
                match found {
                    Ok(Some(value)) => Ok(Some(value)),
                    Ok(None) => {
                        let message =
                            format!("'{}' object is not an iterator", self.type_name(iterator));
                        Err(self.error("TypeError", message))
                    }
                    Err(fault) if self.is_fault(&fault, "StopIteration") => Ok(None),
                    Err(fault) => Err(fault),
                }
            }
            _ => {
                let message = format!("'{}' object is not an iterator", self.type_name(iterator));
                Err(self.error("TypeError", message))
            }
        }
    }

    fn next_of(&mut self, iter: &mut Iter) -> Res<Option<Value>> {
        match iter {
            Iter::Zip(inner, is_strict) => {
                let mut items = Vec::with_capacity(inner.len());
                for (at, each) in inner.iter().enumerate() {
                    match self.next(each)? {
                        Some(item) => items.push(item),
                        None if *is_strict && at > 0 => {
                            let message =
                                format!("zip() argument {} is shorter than argument 1", at + 1);
                            return Err(self.error("ValueError", message));
                        }
                        None => {
                            if *is_strict {
                                for (at, each) in inner.iter().enumerate().skip(1) {
                                    if self.next(each)?.is_some() {
                                        let message = format!(
                                            "zip() argument {} is longer than argument 1",
                                            at + 1
                                        );
                                        return Err(self.error("ValueError", message));
                                    }
                                }
                            }
                            return Ok(None);
                        }
                    }
                }
                match items.is_empty() {
                    true => Ok(None),
                    false => Ok(Some(Value::tuple(items))),
                }
            }
            Iter::Map(function, inner) => {
                let mut items = Vec::with_capacity(inner.len());
                for each in inner.iter() {
                    match self.next(each)? {
                        Some(item) => items.push(item),
                        None => return Ok(None),
                    }
                }
                self.call_with(function, items).map(Some)
            }
            Iter::Filter(function, inner) => {
                while let Some(item) = self.next(inner)? {
                    let keeps = match function.is_none() {
                        true => self.truth(&item)?,
                        false => {
                            let found = self.call_with(function, vec![item.clone()])?;
                            self.truth(&found)?
                        }
                    };
                    if keeps {
                        return Ok(Some(item));
                    }
                }
                Ok(None)
            }
            Iter::Enumerate(inner, at) => {
                let Some(item) = self.next(inner)? else {
                    return Ok(None);
                };
                let number = Value::Int(*at);
                *at += 1;
                Ok(Some(Value::tuple(vec![number, item])))
            }
            Iter::Calls(function, last) => {
                let value = self.call_with(function, Vec::new())?;
                match self.equal(&value, last)? {
                    true => Ok(None),
                    false => Ok(Some(value)),
                }
            }
            Iter::Index(object, at) => {
                let index = Value::Int(*at);
                *at += 1;
                match self.get_item(object, &index) {
                    Ok(value) => Ok(Some(value)),
                    Err(fault) if self.is_fault(&fault, "IndexError") => Ok(None),
                    Err(fault) => Err(fault),
                }
            }
            other => step(other).map_err(|message| self.error("RuntimeError", message)),
        }
    }

    /// All values of something that can be iterated over.
    pub(crate) fn collect_items(&mut self, value: &Value) -> Res<Vec<Value>> {
        match value {
            Value::List(list) => return Ok(list.borrow().clone()),
            Value::Tuple(items) => return Ok(items.to_vec()),
            Value::Range(range) => self.room(range.len().saturating_mul(size_of::<Value>()))?,
            _ => {}
        }
        let iterator = self.iterator(value)?;
        let mut items = Vec::new();
        while let Some(item) = self.next(&iterator)? {
            items.push(item);
            if items.len() % 65_536 == 0 {
                self.room(items.len() * size_of::<Value>())?;
            }
        }
        Ok(items)
    }

    /// The pairs of a dict, or of something that has `keys`, or of a sequence of pairs.
    pub(crate) fn pairs(&mut self, value: &Value) -> Res<Vec<(Value, Value)>> {
        if let Value::Dict(dict) = value.plain() {
            return Ok(dict.borrow().values().cloned().collect());
        }
        let keys = self.find_attribute(value, &"keys".into())?;
        if let Some(keys) = keys {
            let keys = self.call_with(&keys, Vec::new())?;
            let mut pairs = Vec::new();
            for key in self.collect_items(&keys)? {
                let value = self.get_item(value, &key)?;
                pairs.push((key, value));
            }
            return Ok(pairs);
        }
        let mut pairs = Vec::new();
        for (at, item) in self.collect_items(value)?.into_iter().enumerate() {
            let two = self.collect_items(&item)?;
            let length = two.len();
            let mut two = two.into_iter();
            match (two.next(), two.next(), two.next()) {
                (Some(key), Some(value), None) => pairs.push((key, value)),
                _ => {
                    let message = format!(
                        "dictionary update sequence element #{at} has length {length}; 2 is required"
                    );
                    return Err(self.error("ValueError", message));
                }
            }
        }
        Ok(pairs)
    }
}

/// The next value where no function of the program is needed.
fn step(iter: &mut Iter) -> Result<Option<Value>, &'static str> {
    Ok(match iter {
        Iter::List(list, at) => {
            let value = list.borrow().get(*at).cloned();
            *at += 1;
            value
        }
        Iter::Tuple(items, at) => {
            let value = items.get(*at).cloned();
            *at += 1;
            value
        }
        Iter::Str(text, at) => {
            let next = text.get(*at..).and_then(|rest| rest.chars().next());
            next.map(|c| {
                *at += c.len_utf8();
                Value::str(c.encode_utf8(&mut [0; 4]) as &str)
            })
        }
        Iter::Bytes(bytes, at) => {
            let value = bytes.get(*at).map(|byte| Value::Int(i64::from(*byte)));
            *at += 1;
            value
        }
        Iter::Range(range, at) => {
            let value = range.get(*at).map(Value::Int);
            *at += 1;
            value
        }
        Iter::Dict(dict, at, kind, size) => {
            let dict = dict.borrow();
            if dict.len() != *size {
                return Err("dictionary changed size during iteration");
            }
            let entry = dict.get_index(*at);
            *at += 1;
            entry.map(|(_, (key, value))| match kind {
                ViewKind::Keys => key.clone(),
                ViewKind::Values => value.clone(),
                ViewKind::Items => Value::tuple(vec![key.clone(), value.clone()]),
            })
        }
        Iter::Set(set, at, size) => {
            let set = set.borrow();
            if set.len() != *size {
                return Err("Set changed size during iteration");
            }
            let entry = set.get_index(*at).map(|(_, value)| value.clone());
            *at += 1;
            entry
        }
        Iter::Values(values) => values.next(),
        _ => None,
    })
}
