//! Elements: `a[i]`, `a[i:j]`, and their changes.

use std::rc::Rc;

use super::{Vm, exec::put};
use crate::python::{
    fault::{Fault, Res},
    value::{Range, Value},
};

/// The elements that a slice stands for: where it begins, how it continues, how many.
struct Span {
    start: i64,
    step: i64,
    count: usize,
}

impl Span {
    fn places(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.count).filter_map(|at| {
            let at = i64::try_from(at).ok()?;
            usize::try_from(self.start + at * self.step).ok()
        })
    }
}

impl Vm {
    pub(crate) fn get_item(&mut self, object: &Value, index: &Value) -> Res<Value> {
        match object {
            Value::List(list) => {
                if let Value::Slice(slice) = index {
                    let span = self.span(slice, list.borrow().len())?;
                    let list = list.borrow();
                    let items = span.places().filter_map(|at| list.get(at).cloned());
                    return Ok(Value::list(items.collect()));
                }
                let length = list.borrow().len();
                let at = self.index(index, length, "list")?;
                let value = list.borrow().get(at).cloned();
                Ok(value.unwrap_or(Value::None))
            }
            Value::Tuple(items) => {
                if let Value::Slice(slice) = index {
                    let span = self.span(slice, items.len())?;
                    let items = span.places().filter_map(|at| items.get(at).cloned());
                    return Ok(Value::tuple(items.collect()));
                }
                let at = self.index(index, items.len(), "tuple")?;
                Ok(items.get(at).cloned().unwrap_or(Value::None))
            }
            Value::Str(text) => self.text_item(text, index),
            Value::Dict(dict) => {
                let key = self.key(index)?;
                let found = dict.borrow().get(&key).map(|(_, value)| value.clone());
                match found {
                    Some(value) => Ok(value),
                    None => Err(self.throw("KeyError", vec![index.clone()])),
                }
            }
            Value::Range(range) => {
                if let Value::Slice(slice) = index {
                    let span = self.span(slice, range.len())?;
                    let at = |at: i64| range.start + at * range.step;
                    let count = i64::try_from(span.count).unwrap_or(0);
                    // A step beyond the end is not used, and may be too long to count with.
                    let step = if count > 1 { span.step } else { 1 };
                    return Ok(Value::Range(Rc::new(Range {
                        start: at(span.start),
                        stop: at(span.start + step * count),
                        step: range.step * step,
                    })));
                }
                let at = self.index(index, range.len(), "range object")?;
                Ok(range.get(at).map_or(Value::None, Value::Int))
            }
            Value::Bytes(bytes) => {
                if let Value::Slice(slice) = index {
                    let span = self.span(slice, bytes.len())?;
                    let some: Vec<u8> = span
                        .places()
                        .filter_map(|at| bytes.get(at).copied())
                        .collect();
                    return Ok(Value::Bytes(some.into()));
                }
                let at = self.index(index, bytes.len(), "bytes")?;
                Ok(bytes
                    .get(at)
                    .map_or(Value::None, |byte| Value::Int(i64::from(*byte))))
            }
            Value::Object(it) => {
                if let Some(value) = self.special(object, "__getitem__", vec![index.clone()])? {
                    return Ok(value);
                }
                let payload = it.payload.borrow().clone();
                match payload {
                    Value::None => Err(self.no_items(object)),
                    Value::Dict(dict) => {
                        let key = self.key(index)?;
                        let found = dict.borrow().get(&key).map(|(_, value)| value.clone());
                        if let Some(value) = found {
                            return Ok(value);
                        }
                        match self.special(object, "__missing__", vec![index.clone()])? {
                            Some(value) => Ok(value),
                            None => Err(self.throw("KeyError", vec![index.clone()])),
                        }
                    }
                    payload => self.get_item(&payload, index),
                }
            }
            // `list[int]` in an annotation stands for the class.
            Value::Class(class) => match class.find("__class_getitem__") {
                Some(Value::OfClass(get)) => {
                    self.call_with(&get, vec![object.clone(), index.clone()])
                }
                Some(get @ Value::Closure(_)) => {
                    self.call_with(&get, vec![object.clone(), index.clone()])
                }
                None if class.is_builtin || class.find("__is_generic__").is_some() => {
                    Ok(object.clone())
                }
                _ => {
                    let message = format!("type '{}' is not subscriptable", class.name);
                    Err(self.error("TypeError", message))
                }
            },
            _ => Err(self.no_items(object)),
        }
    }

    fn no_items(&mut self, object: &Value) -> Fault {
        let message = format!("'{}' object is not subscriptable", self.type_name(object));
        self.error("TypeError", message)
    }

    fn text_item(&mut self, text: &Rc<str>, index: &Value) -> Res<Value> {
        let is_ascii = text.is_ascii();
        let length = match is_ascii {
            true => text.len(),
            false => text.chars().count(),
        };
        if let Value::Slice(slice) = index {
            let span = self.span(slice, length)?;
            if is_ascii && span.step == 1 {
                let start = usize::try_from(span.start).unwrap_or(0);
                let part = text.get(start..start + span.count);
                return Ok(Value::str(part.unwrap_or_default()));
            }
            let chars: Vec<char> = text.chars().collect();
            let part: String = span.places().filter_map(|at| chars.get(at)).collect();
            return Ok(Value::str(part));
        }
        let at = self.index(index, length, "string")?;
        let found = match is_ascii {
            true => text.get(at..=at).map(Value::str),
            false => text.chars().nth(at).map(|c| Value::str(c.to_string())),
        };
        Ok(found.unwrap_or(Value::None))
    }

    /// A place from an index that may count from the end.
    fn index(&mut self, index: &Value, length: usize, what: &str) -> Res<usize> {
        let at = match index.as_int() {
            Some(at) => at,
            None => match self
                .special(index, "__index__", Vec::new())?
                .and_then(|it| it.as_int())
            {
                Some(at) => at,
                None => {
                    let message = format!(
                        "{what} indices must be integers or slices, not {}",
                        self.type_name(index)
                    );
                    return Err(self.error("TypeError", message));
                }
            },
        };
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let place = if at < 0 { at + length } else { at };
        match usize::try_from(place) {
            Ok(place) if at < length => Ok(place),
            _ => Err(self.error("IndexError", format!("{what} index out of range"))),
        }
    }

    fn span(&mut self, slice: &[Value; 3], length: usize) -> Res<Span> {
        let (start, stop, step) = self.bounds(slice, length)?;
        let range = Range { start, stop, step };
        Ok(Span {
            start,
            step,
            count: range.len(),
        })
    }

    /// Where a slice begins and ends in a sequence of this length, and its step.
    pub(crate) fn bounds(&mut self, slice: &[Value; 3], length: usize) -> Res<(i64, i64, i64)> {
        let [start, stop, step] = slice;
        let mut bound = |value: &Value| match value {
            Value::None => Ok(None),
            // No sequence is as long.
            Value::Big(it) if it.sign() == num_bigint::Sign::Minus => Ok(Some(i64::MIN / 2)),
            Value::Big(_) => Ok(Some(i64::MAX / 2)),
            value => match value.as_int() {
                Some(at) => Ok(Some(at)),
                None => match self.special(value, "__index__", Vec::new())? {
                    Some(Value::Int(at)) => Ok(Some(at)),
                    _ => {
                        let message =
                            "slice indices must be integers or None or have an __index__ method";
                        Err(self.error("TypeError", message))
                    }
                },
            },
        };
        let (start, stop, step) = (bound(start)?, bound(stop)?, bound(step)?.unwrap_or(1));
        if step == 0 {
            return Err(self.error("ValueError", "slice step cannot be zero"));
        }
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let (low, high) = if step > 0 {
            (0, length)
        } else {
            (-1, length - 1)
        };
        let clamp = |at: i64| {
            (if at < 0 {
                at.saturating_add(length)
            } else {
                at
            })
            .clamp(low, high)
        };
        let (first, last) = if step > 0 {
            (0, length)
        } else {
            (length - 1, -1)
        };
        Ok((start.map_or(first, clamp), stop.map_or(last, clamp), step))
    }

    pub(crate) fn set_item(&mut self, object: &Value, index: &Value, value: Value) -> Res<()> {
        match object {
            Value::List(list) => {
                if let Value::Slice(slice) = index {
                    let items = self.collect_items(&value)?;
                    let span = self.span(slice, list.borrow().len())?;
                    return self.set_slice(list, &span, items);
                }
                let length = list.borrow().len();
                let at = self.index(index, length, "list assignment")?;
                if let Some(slot) = list.borrow_mut().get_mut(at) {
                    *slot = value;
                }
                Ok(())
            }
            Value::Dict(dict) => {
                let key = self.key(index)?;
                put(&mut dict.borrow_mut(), key, index.clone(), value);
                Ok(())
            }
            Value::Object(it) => {
                let plain = vec![index.clone(), value.clone()];
                if self.special(object, "__setitem__", plain)?.is_some() {
                    return Ok(());
                }
                let payload = it.payload.borrow().clone();
                match payload {
                    Value::None => Err(self.no_assignment(object, "item assignment")),
                    payload => self.set_item(&payload, index, value),
                }
            }
            _ => Err(self.no_assignment(object, "item assignment")),
        }
    }

    fn no_assignment(&mut self, object: &Value, what: &str) -> Fault {
        let message = format!(
            "'{}' object does not support {what}",
            self.type_name(object)
        );
        self.error("TypeError", message)
    }

    fn set_slice(
        &mut self,
        list: &std::cell::RefCell<Vec<Value>>,
        span: &Span,
        items: Vec<Value>,
    ) -> Res<()> {
        if span.step == 1 {
            let start = usize::try_from(span.start).unwrap_or(0);
            list.borrow_mut().splice(start..start + span.count, items);
            return Ok(());
        }
        if items.len() != span.count {
            let message = format!(
                "attempt to assign sequence of size {} to extended slice of size {}",
                items.len(),
                span.count
            );
            return Err(self.error("ValueError", message));
        }
        let mut list = list.borrow_mut();
        for (at, item) in span.places().zip(items) {
            if let Some(slot) = list.get_mut(at) {
                *slot = item;
            }
        }
        Ok(())
    }

    pub(crate) fn delete_item(&mut self, object: &Value, index: &Value) -> Res<()> {
        match object {
            Value::List(list) => {
                if let Value::Slice(slice) = index {
                    let span = self.span(slice, list.borrow().len())?;
                    let mut places: Vec<usize> = span.places().collect();
                    places.sort_unstable();
                    let mut list = list.borrow_mut();
                    for at in places.into_iter().rev() {
                        list.remove(at);
                    }
                    return Ok(());
                }
                let length = list.borrow().len();
                let at = self.index(index, length, "list assignment")?;
                list.borrow_mut().remove(at);
                Ok(())
            }
            Value::Dict(dict) => {
                let key = self.key(index)?;
                let gone = dict.borrow_mut().shift_remove(&key);
                match gone {
                    Some(_) => Ok(()),
                    None => Err(self.throw("KeyError", vec![index.clone()])),
                }
            }
            Value::Object(it) => {
                if self
                    .special(object, "__delitem__", vec![index.clone()])?
                    .is_some()
                {
                    return Ok(());
                }
                let payload = it.payload.borrow().clone();
                match payload {
                    Value::None => Err(self.no_assignment(object, "item deletion")),
                    payload => self.delete_item(&payload, index),
                }
            }
            _ => Err(self.no_assignment(object, "item deletion")),
        }
    }
}
