//! What patterns of `match` ask of values.

use super::Vm;
use crate::python::{
    fault::Res,
    value::{Kind, Value},
};

impl Vm {
    /// The values of a mapping at some keys, as a tuple; `None` if it is no mapping or a key is missing.
    pub(super) fn match_keys(&mut self, subject: &Value, keys: &[Value]) -> Res<Value> {
        let Value::Dict(dict) = subject.plain() else {
            return Ok(Value::None);
        };
        let mut values = Vec::new();
        for key in keys {
            let key = self.key(key)?;
            match dict.borrow().get(&key) {
                Some((_, value)) => values.push(value.clone()),
                None => return Ok(Value::None),
            }
        }
        Ok(Value::tuple(values))
    }

    /// A mapping without some keys, as a dict.
    pub(super) fn rest_of_keys(&mut self, subject: &Value, keys: &[Value]) -> Res<Value> {
        let Value::Dict(dict) = subject.plain() else {
            return Ok(Value::None);
        };
        let mut rest = dict.borrow().clone();
        for key in keys {
            let key = self.key(key)?;
            rest.shift_remove(&key);
        }
        Ok(Value::dict(rest))
    }

    /// What patterns by place stand for: the value itself for types such as `int`, else the attributes that
    /// `__match_args__` of the class names; `None` if one is missing.
    pub(super) fn match_places(
        &mut self,
        subject: &Value,
        class: &Value,
        count: usize,
    ) -> Res<Value> {
        let Value::Class(class) = class else {
            return Err(self.error("TypeError", "called match pattern must be a class"));
        };
        let names = match class.find("__match_args__") {
            Some(names) => self.collect_items(&names)?,
            None if count == 1 && !matches!(class.kind, Kind::Object | Kind::Exception) => {
                return Ok(Value::tuple(vec![subject.clone()]));
            }
            None => Vec::new(),
        };
        if names.len() < count {
            let message = format!(
                "{}() accepts {} positional sub-patterns ({count} given)",
                class.name,
                names.len()
            );
            return Err(self.error("TypeError", message));
        }
        let mut values = Vec::new();
        for name in names.iter().take(count).filter_map(Value::as_str) {
            match self.find_attribute(subject, &name)? {
                Some(value) => values.push(value),
                None => return Ok(Value::None),
            }
        }
        Ok(Value::tuple(values))
    }
}
