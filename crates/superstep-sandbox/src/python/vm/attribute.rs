//! Attributes: of objects, classes, modules and everything else.

use std::rc::Rc;

use super::Vm;
use crate::python::{
    fault::{Fault, Res},
    value::{Args, Class, Dict, Key, Kind, Name, Property, Value},
};

impl Vm {
    pub(crate) fn get_attribute(&mut self, object: &Value, name: &Name) -> Res<Value> {
        match self.find_attribute(object, name)? {
            Some(value) => Ok(value),
            None => Err(self.no_attribute(object, name)),
        }
    }

    pub(crate) fn find_attribute(&mut self, object: &Value, name: &Name) -> Res<Option<Value>> {
        match object {
            Value::Object(it) => {
                let of_class = it.class.find(name);
                match &of_class {
                    Some(Value::Property(property)) => {
                        return self.get_property(property, object).map(Some);
                    }
                    Some(descriptor @ Value::Object(inner))
                        if inner.class.find("__set__").is_some() =>
                    {
                        return self.bound(descriptor.clone(), object, &it.class).map(Some);
                    }
                    _ => {}
                }
                if let Some(value) = it.attributes.borrow().get(name) {
                    return Ok(Some(value));
                }
                if let Some(value) = of_class {
                    return self.bound(value, object, &it.class).map(Some);
                }
                match &**name {
                    "__class__" => return Ok(Some(Value::Class(Rc::clone(&it.class)))),
                    "__dict__" => return Ok(Some(self.attributes_of(object)?)),
                    "__doc__" => return Ok(Some(Value::None)),
                    _ => {}
                }
                if it.class.kind == Kind::Exception
                    && let Some(value) = self.exception_attribute(object, name)
                {
                    return Ok(Some(value));
                }
                let native = match it.class.kind {
                    Kind::Object if !name.starts_with("__") => None,
                    kind => Self::method_of(kind, name),
                };
                if let Some(native) = native {
                    let native = Value::native(name, native);
                    return Ok(Some(Value::Method(Rc::new((object.clone(), native)))));
                }
                let fallback = it.class.find("__getattr__");
                match fallback {
                    Some(get) => {
                        let plain = vec![object.clone(), Value::Str(Rc::clone(name))];
                        self.call_with(&get, plain).map(Some)
                    }
                    None => Ok(None),
                }
            }
            Value::Class(class) => self.class_attribute(class, name),
            Value::Module(module) => {
                if let Some(value) = module.names.borrow().get(name) {
                    return Ok(Some(value.clone()));
                }
                let full = format!("{}.{name}", module.name);
                if crate::python::modules::source(&full).is_some() {
                    return self.load(&full).map(Some);
                }
                let fallback = module.names.borrow().get("__getattr__").cloned();
                match fallback {
                    Some(get) if !name.starts_with("__") => self
                        .call_with(&get, vec![Value::Str(Rc::clone(name))])
                        .map(Some),
                    _ => Ok(None),
                }
            }
            Value::Super(inner) => {
                let (owner, object) = &**inner;
                let class = match object {
                    Value::Class(class) => Rc::clone(class),
                    other => self.class_of(other),
                };
                let after = std::iter::once(&class)
                    .chain(&class.ancestors)
                    .skip_while(|it| !Rc::ptr_eq(it, owner))
                    .skip(1);
                let found = after
                    .into_iter()
                    .find_map(|it| it.attributes.borrow().get(name));
                if let Some(Value::Property(property)) = &found {
                    return self.get_property(property, object).map(Some);
                }
                let native = || {
                    let native = Self::method_of(class.kind, name)
                        .or_else(|| Self::method_of(Kind::Object, name))?;
                    Some(Value::native(name, native))
                };
                match found {
                    Some(value) => self.bound(value, object, &class).map(Some),
                    None => Ok(native().map(|value| bind_method(value, object, &class))),
                }
            }
            Value::Closure(closure) => {
                if let Some(value) = closure.attributes.borrow().get(name) {
                    return Ok(Some(value));
                }
                Ok(match &**name {
                    "__name__" => Some(Value::Str(Rc::clone(&closure.code.name))),
                    "__qualname__" => Some(Value::Str(Rc::clone(&closure.code.path))),
                    "__defaults__" => Some(match closure.defaults.is_empty() {
                        true => Value::None,
                        false => Value::tuple(closure.defaults.clone()),
                    }),
                    "__doc__" => Some(closure.code.doc.clone().map_or(Value::None, Value::Str)),
                    "__module__" => Some(Value::str("__main__")),
                    "__dict__" => Some(Value::Dict(closure.attributes.borrow_mut().share())),
                    _ => None,
                })
            }
            Value::Native(native) => Ok(match &**name {
                "__name__" | "__qualname__" => Some(Value::Str(Rc::clone(&native.name))),
                "__doc__" => Some(Value::None),
                _ => None,
            }),
            Value::Method(method) => match &**name {
                "__self__" => Ok(Some(method.0.clone())),
                "__func__" => Ok(Some(method.1.clone())),
                _ => self.find_attribute(&method.1, name),
            },
            Value::Property(property) => Ok(self.property_attribute(property, name)),
            _ => Ok(self.builtin_attribute(object, name)),
        }
    }

    fn builtin_attribute(&mut self, object: &Value, name: &Name) -> Option<Value> {
        match (object, &**name) {
            (_, "__class__") => return Some(Value::Class(self.class_of(object))),
            (_, "__doc__") => return Some(Value::None),
            (Value::Int(_) | Value::Bool(_) | Value::Big(_), "real" | "numerator") => {
                return Some(object.clone());
            }
            (Value::Int(_) | Value::Bool(_) | Value::Big(_), "denominator") => {
                return Some(Value::Int(1));
            }
            (Value::Float(_), "real") => return Some(object.clone()),
            (Value::Int(_) | Value::Bool(_) | Value::Float(_), "imag") => {
                return Some(Value::Int(0));
            }
            (Value::Slice(parts), "start" | "stop" | "step") => {
                let [start, stop, step] = &**parts;
                return Some(match &**name {
                    "start" => start.clone(),
                    "stop" => stop.clone(),
                    _ => step.clone(),
                });
            }
            (Value::Range(range), "start") => return Some(Value::Int(range.start)),
            (Value::Range(range), "stop") => return Some(Value::Int(range.stop)),
            (Value::Range(range), "step") => return Some(Value::Int(range.step)),
            (Value::Generator(generator), "__name__") => {
                return Some(Value::Str(Rc::clone(&generator.name)));
            }
            _ => {}
        }
        let native = Self::method_of(object.kind(), name)?;
        let native = Value::native(name, native);
        Some(Value::Method(Rc::new((object.clone(), native))))
    }

    fn property_attribute(&mut self, property: &Rc<Property>, name: &str) -> Option<Value> {
        let own = Value::Property(Rc::clone(property));
        let native = match name {
            "setter" => Value::native("setter", |_, args| Ok(with_part(&args, 's'))),
            "getter" => Value::native("getter", |_, args| Ok(with_part(&args, 'g'))),
            "deleter" => Value::native("deleter", |_, args| Ok(with_part(&args, 'd'))),
            "fget" => return Some(property.get.clone()),
            "fset" => return Some(property.set.clone()),
            _ => return None,
        };
        Some(Value::Method(Rc::new((own, native))))
    }

    fn class_attribute(&mut self, class: &Rc<Class>, name: &Name) -> Res<Option<Value>> {
        if let Some(value) = class.find(name) {
            return Ok(Some(match value {
                Value::Static(inner) => (*inner).clone(),
                Value::OfClass(inner) => {
                    let own = Value::Class(Rc::clone(class));
                    Value::Method(Rc::new((own, (*inner).clone())))
                }
                Value::Object(it) if it.class.find("__get__").is_some() => {
                    let own = Value::Class(Rc::clone(class));
                    let descriptor = Value::Object(it);
                    let got = self.special(&descriptor, "__get__", vec![Value::None, own])?;
                    got.unwrap_or(Value::None)
                }
                other => other,
            }));
        }
        Ok(match &**name {
            "__name__" | "__qualname__" => Some(Value::Str(Rc::clone(&class.name))),
            "__module__" => Some(Value::str("builtins")),
            "__doc__" => Some(Value::None),
            "__class__" => self.classes.get(&Kind::Type).cloned().map(Value::Class),
            "__mro__" => {
                let all = std::iter::once(class).chain(&class.ancestors);
                Some(Value::tuple(
                    all.map(|it| Value::Class(Rc::clone(it))).collect(),
                ))
            }
            "__bases__" => {
                let bases = class.bases.iter();
                Some(Value::tuple(
                    bases.map(|it| Value::Class(Rc::clone(it))).collect(),
                ))
            }
            "__dict__" => {
                let mut dict = Dict::new();
                for (name, value) in class.attributes.borrow().pairs() {
                    let key = Key::Str(Rc::clone(&name));
                    dict.insert(key, (Value::Str(name), value));
                }
                Some(Value::dict(dict))
            }
            _ => match Self::static_of(class.kind, name) {
                Some(native) => {
                    let own = Value::Class(Rc::clone(class));
                    Some(Value::Method(Rc::new((own, Value::native(name, native)))))
                }
                None => Self::method_of(class.kind, name)
                    .or_else(|| Self::method_of(Kind::Object, name))
                    .map(|native| Value::native(name, native)),
            },
        })
    }

    fn get_property(&mut self, property: &Rc<Property>, object: &Value) -> Res<Value> {
        if property.get.is_none() {
            return Err(self.error("AttributeError", "unreadable attribute"));
        }
        self.call_with(&property.get, vec![object.clone()])
    }

    pub(crate) fn set_attribute(&mut self, object: &Value, name: &Name, value: Value) -> Res<()> {
        match object {
            Value::Object(it) => {
                if let Some(set @ Value::Closure(_)) = it.class.find("__setattr__") {
                    let plain = vec![object.clone(), Value::Str(Rc::clone(name)), value];
                    self.call_with(&set, plain)?;
                    return Ok(());
                }
                self.set_plainly(object, name, value)
            }
            Value::Class(class) if !class.is_builtin => {
                class.attributes.borrow_mut().set(name, value);
                Ok(())
            }
            Value::Module(module) => {
                module.names.borrow_mut().insert(Rc::clone(name), value);
                Ok(())
            }
            Value::Closure(closure) => {
                closure.attributes.borrow_mut().set(name, value);
                Ok(())
            }
            Value::Super(inner) => self.set_plainly(&inner.1, name, value),
            _ => {
                let message = match self.find_attribute(object, name)? {
                    Some(_) => format!(
                        "'{}' object attribute '{name}' is read-only",
                        self.type_name(object)
                    ),
                    None => format!(
                        "'{}' object has no attribute '{name}'",
                        self.type_name(object)
                    ),
                };
                Err(self.error("AttributeError", message))
            }
        }
    }

    /// Sets an attribute without the `__setattr__` of the class.
    pub(crate) fn set_plainly(&mut self, object: &Value, name: &Name, value: Value) -> Res<()> {
        let Value::Object(it) = object else {
            return self.set_attribute(object, name, value);
        };
        match it.class.find(name) {
            Some(Value::Property(property)) => {
                if property.set.is_none() {
                    let message = format!(
                        "property '{name}' of '{}' object has no setter",
                        it.class.name
                    );
                    return Err(self.error("AttributeError", message));
                }
                self.call_with(&property.set, vec![object.clone(), value])?;
                return Ok(());
            }
            Some(descriptor @ Value::Object(_)) => {
                let plain = vec![object.clone(), value.clone()];
                if self.special(&descriptor, "__set__", plain)?.is_some() {
                    return Ok(());
                }
            }
            _ => {}
        }
        let slots = it.class.slots.borrow().clone();
        if let Some(slots) = slots
            && !slots.contains(name)
        {
            return Err(self.no_attribute(object, name));
        }
        it.attributes.borrow_mut().set(name, value);
        Ok(())
    }

    pub(crate) fn delete_attribute(&mut self, object: &Value, name: &Name) -> Res<()> {
        let is_gone = match object {
            Value::Object(it) => {
                if let Some(Value::Property(property)) = it.class.find(name)
                    && !property.delete.is_none()
                {
                    self.call_with(&property.delete, vec![object.clone()])?;
                    return Ok(());
                }
                if let Some(delete) = it.class.find("__delattr__") {
                    let plain = vec![object.clone(), Value::Str(Rc::clone(name))];
                    self.call_with(&delete, plain)?;
                    return Ok(());
                }
                if let Some(descriptor @ Value::Object(_)) = it.class.find(name)
                    && self
                        .special(&descriptor, "__delete__", vec![object.clone()])?
                        .is_some()
                {
                    return Ok(());
                }
                it.attributes.borrow_mut().remove(name)
            }
            Value::Class(class) if !class.is_builtin => class.attributes.borrow_mut().remove(name),
            Value::Module(module) => module.names.borrow_mut().shift_remove(name).is_some(),
            _ => false,
        };
        match is_gone {
            true => Ok(()),
            false => Err(self.no_attribute(object, name)),
        }
    }

    /// The attributes of an object as a dict.
    pub(crate) fn attributes_of(&mut self, object: &Value) -> Res<Value> {
        let pairs: Vec<(Name, Value)> = match object {
            Value::Object(it) => return Ok(Value::Dict(it.attributes.borrow_mut().share())),
            Value::Class(it) => it.attributes.borrow().pairs(),
            Value::Module(it) => {
                let names = it.names.borrow();
                let pairs = names.iter();
                pairs.map(|(n, v)| (Rc::clone(n), v.clone())).collect()
            }
            _ => {
                return Err(self.error("TypeError", "vars() argument must have __dict__ attribute"));
            }
        };
        let entries = pairs.into_iter().map(|(name, value)| {
            let key = Key::Str(Rc::clone(&name));
            (key, (Value::Str(name), value))
        });
        Ok(Value::dict(entries.collect()))
    }

    /// Names of the attributes that a program may use.
    pub(crate) fn attribute_names(&mut self, object: &Value) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        if let Value::Object(it) = object {
            let pairs = it.attributes.borrow().pairs();
            names.extend(pairs.into_iter().map(|(name, _)| name));
        }
        if let Value::Module(module) = object {
            names.extend(module.names.borrow().keys().cloned());
        }
        let class = match object {
            Value::Class(class) => Rc::clone(class),
            _ => self.class_of(object),
        };
        for each in std::iter::once(&class).chain(&class.ancestors) {
            let pairs = each.attributes.borrow().pairs();
            names.extend(pairs.into_iter().map(|(name, _)| name));
            names.extend(
                each.slots
                    .borrow()
                    .iter()
                    .flat_map(|slots| slots.iter().cloned()),
            );
        }
        names.sort();
        names.dedup();
        names
    }

    pub(crate) fn no_attribute(&mut self, object: &Value, name: &str) -> Fault {
        let mut message = match object {
            Value::Module(module) => format!("module '{}' has no attribute '{name}'", module.name),
            Value::Class(class) => {
                format!("type object '{}' has no attribute '{name}'", class.name)
            }
            Value::Super(_) => format!("'super' object has no attribute '{name}'"),
            _ => format!(
                "'{}' object has no attribute '{name}'",
                self.type_name(object)
            ),
        };
        // What there is helps who writes the next program.
        let is_described = match object {
            Value::Object(it) => it.class.slots.borrow().is_some(),
            Value::Module(_) => true,
            _ => false,
        };
        if is_described {
            let names = self.attribute_names(object);
            let public: Vec<&str> = names
                .iter()
                .map(|name| &**name)
                .filter(|name| !name.starts_with('_'))
                .collect();
            if !public.is_empty() {
                message.push_str("; there are: ");
                message.push_str(&public.join(", "));
            }
        }
        self.error("AttributeError", message)
    }

    /// An attribute of a class as its object has it.
    fn bound(&mut self, value: Value, object: &Value, class: &Rc<Class>) -> Res<Value> {
        if let Value::Object(it) = &value
            && it.class.find("__get__").is_some()
        {
            let plain = vec![object.clone(), Value::Class(Rc::clone(class))];
            let got = self.special(&value, "__get__", plain)?;
            return Ok(got.unwrap_or(Value::None));
        }
        Ok(bind_method(value, object, class))
    }

    pub(crate) fn make_property(args: &Args) -> Value {
        Value::Property(Rc::new(Property {
            get: args.get(0),
            set: args.get(1),
            delete: args.get(2),
        }))
    }
}

fn bind_method(value: Value, object: &Value, class: &Rc<Class>) -> Value {
    match value {
        Value::Static(inner) => (*inner).clone(),
        Value::OfClass(inner) => {
            let own = Value::Class(Rc::clone(class));
            Value::Method(Rc::new((own, (*inner).clone())))
        }
        Value::Closure(_) | Value::Native(_) => Value::Method(Rc::new((object.clone(), value))),
        other => other,
    }
}

fn with_part(args: &Args, part: char) -> Value {
    let Value::Property(old) = args.get(0) else {
        return Value::None;
    };
    let choose = |which: char, old: &Value| match part == which {
        true => args.get(1),
        false => old.clone(),
    };
    Value::Property(Rc::new(Property {
        get: choose('g', &old.get),
        set: choose('s', &old.set),
        delete: choose('d', &old.delete),
    }))
}
