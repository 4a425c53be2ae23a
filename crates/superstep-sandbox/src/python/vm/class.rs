//! Classes: those of the interpreter, and those that programs define.

use std::{cell::RefCell, rc::Rc};

use super::{Frame, Vm, exec::Exit};
use crate::python::{
    fault::Res,
    value::{Args, Attributes, Class, Kind, Name, Object, Value},
};

const TYPES: [(Kind, &str); 26] = [
    (Kind::Type, "type"),
    (Kind::None, "NoneType"),
    (Kind::Ellipsis, "ellipsis"),
    (Kind::NotImplemented, "NotImplementedType"),
    (Kind::Int, "int"),
    (Kind::Bool, "bool"),
    (Kind::Float, "float"),
    (Kind::Str, "str"),
    (Kind::Bytes, "bytes"),
    (Kind::Tuple, "tuple"),
    (Kind::List, "list"),
    (Kind::Dict, "dict"),
    (Kind::Set, "set"),
    (Kind::FrozenSet, "frozenset"),
    (Kind::View, "dict_view"),
    (Kind::Range, "range"),
    (Kind::Slice, "slice"),
    (Kind::Function, "function"),
    (Kind::Module, "module"),
    (Kind::Iterator, "iterator"),
    (Kind::Generator, "generator"),
    (Kind::Property, "property"),
    (Kind::Static, "staticmethod"),
    (Kind::OfClass, "classmethod"),
    (Kind::Super, "super"),
    (Kind::Object, "object"),
];

const EXCEPTIONS: [(&str, &str); 38] = [
    ("BaseException", ""),
    ("Exception", "BaseException"),
    ("SystemExit", "BaseException"),
    ("KeyboardInterrupt", "BaseException"),
    ("GeneratorExit", "BaseException"),
    ("ArithmeticError", "Exception"),
    ("ZeroDivisionError", "ArithmeticError"),
    ("OverflowError", "ArithmeticError"),
    ("FloatingPointError", "ArithmeticError"),
    ("AssertionError", "Exception"),
    ("AttributeError", "Exception"),
    ("EOFError", "Exception"),
    ("ImportError", "Exception"),
    ("ModuleNotFoundError", "ImportError"),
    ("LookupError", "Exception"),
    ("IndexError", "LookupError"),
    ("KeyError", "LookupError"),
    ("MemoryError", "Exception"),
    ("NameError", "Exception"),
    ("UnboundLocalError", "NameError"),
    ("OSError", "Exception"),
    ("FileNotFoundError", "OSError"),
    ("FileExistsError", "OSError"),
    ("PermissionError", "OSError"),
    ("TimeoutError", "OSError"),
    ("RuntimeError", "Exception"),
    ("NotImplementedError", "RuntimeError"),
    ("RecursionError", "RuntimeError"),
    ("StopIteration", "Exception"),
    ("SyntaxError", "Exception"),
    ("TypeError", "Exception"),
    ("ValueError", "Exception"),
    ("UnicodeError", "ValueError"),
    ("UnicodeDecodeError", "UnicodeError"),
    ("UnicodeEncodeError", "UnicodeError"),
    ("Warning", "Exception"),
    ("UserWarning", "Warning"),
    ("DeprecationWarning", "Warning"),
];

impl Vm {
    pub(super) fn make_classes(&mut self) {
        let object = Rc::new(builtin("object", Kind::Object, Vec::new()));
        for (kind, name) in TYPES {
            let class = match kind {
                Kind::Object => Rc::clone(&object),
                Kind::Bool => {
                    let int = self.classes.get(&Kind::Int).cloned();
                    let ancestors = int.into_iter().chain([Rc::clone(&object)]).collect();
                    Rc::new(builtin(name, kind, ancestors))
                }
                _ => Rc::new(builtin(name, kind, vec![Rc::clone(&object)])),
            };
            self.classes.insert(kind, Rc::clone(&class));
            let is_public = !matches!(
                kind,
                Kind::None
                    | Kind::Ellipsis
                    | Kind::NotImplemented
                    | Kind::View
                    | Kind::Function
                    | Kind::Module
                    | Kind::Iterator
                    | Kind::Generator
            );
            if is_public {
                self.builtins.insert(name.into(), Value::Class(class));
            }
        }
        for (name, parent) in EXCEPTIONS {
            let mut ancestors = Vec::new();
            if let Some(parent) = self.exceptions.get(parent) {
                ancestors.push(Rc::clone(parent));
                ancestors.extend(parent.ancestors.iter().cloned());
            } else {
                ancestors.push(Rc::clone(&object));
            }
            let mut class = builtin(name, Kind::Exception, ancestors);
            class.is_builtin = false;
            let class = Rc::new(class);
            if name == "BaseException" {
                self.exception_methods(&class);
            }
            self.exceptions.insert(name, Rc::clone(&class));
            self.builtins.insert(name.into(), Value::Class(class));
        }
        for (alias, name) in [("IOError", "OSError"), ("EnvironmentError", "OSError")] {
            if let Some(class) = self.exceptions.get(name) {
                let class = Value::Class(Rc::clone(class));
                self.builtins.insert(alias.into(), class);
            }
        }
    }

    pub(crate) fn class_of(&self, value: &Value) -> Rc<Class> {
        if let Value::Object(object) = value {
            return Rc::clone(&object.class);
        }
        let found = self.classes.get(&value.kind());
        match found.or_else(|| self.classes.get(&Kind::Object)) {
            Some(class) => Rc::clone(class),
            None => Rc::new(builtin("object", Kind::Object, Vec::new())),
        }
    }

    pub(crate) fn type_name(&self, value: &Value) -> Name {
        match value {
            Value::Native(_) => "builtin_function_or_method".into(),
            Value::Method(_) => "method".into(),
            _ => Rc::clone(&self.class_of(value).name),
        }
    }

    /// A class from its statement: the body runs and leaves the attributes.
    pub(super) fn make_class(&mut self, name: &Value, bases: &[Value], body: &Value) -> Res<Value> {
        let Value::Closure(body) = body else {
            return Ok(Value::None);
        };
        let names = Self::namespace();
        let mut frame = Frame::new(Rc::clone(&body.code), Rc::clone(&body.globals));
        frame.names = Some(Rc::clone(&names));
        frame.variables = body.variables.clone();
        match self.execute(&mut frame)? {
            Exit::Return(_) | Exit::Yield(_) => {}
        }
        let mut attributes = Attributes::default();
        let mut found: Vec<(Name, Value)> = names.borrow_mut().drain().collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        attributes.0 = found;
        if let Some(doc) = &body.code.doc {
            attributes.set(&"__doc__".into(), Value::Str(Rc::clone(doc)));
        }
        let name = name.as_str().unwrap_or_else(|| "".into());
        self.new_class(name, bases, attributes)
    }

    pub(crate) fn new_class(
        &mut self,
        name: Name,
        bases: &[Value],
        attributes: Attributes,
    ) -> Res<Value> {
        let mut parents = Vec::new();
        for base in bases {
            match base {
                Value::Class(class) => parents.push(Rc::clone(class)),
                _ => {
                    let message = format!("cannot inherit from {}", self.repr(base)?);
                    return Err(self.error("TypeError", message));
                }
            }
        }
        if parents.is_empty() {
            parents.extend(self.classes.get(&Kind::Object).cloned());
        }
        let mut ancestors: Vec<Rc<Class>> = Vec::new();
        for parent in &parents {
            ancestors.push(Rc::clone(parent));
            ancestors.extend(parent.ancestors.iter().cloned());
        }
        // What several parents have in common comes after all of them.
        let mut unique: Vec<Rc<Class>> = Vec::new();
        for class in ancestors.into_iter().rev() {
            if !unique.iter().any(|known| Rc::ptr_eq(known, &class)) {
                unique.push(class);
            }
        }
        unique.reverse();
        let kinds = unique.iter().map(|class| class.kind);
        let kind = kinds
            .into_iter()
            .find(|kind| *kind != Kind::Object)
            .unwrap_or(Kind::Object);
        if matches!(kind, Kind::Bool | Kind::Type | Kind::Function | Kind::None) {
            return Err(self.error("TypeError", "this type is not an acceptable base type"));
        }
        let mut slots = self.slots(&attributes)?;
        let inherited = unique.iter().find_map(|class| class.slots.borrow().clone());
        if let (Some(own), Some(more)) = (&mut slots, &inherited) {
            own.extend(more.iter().cloned());
        }
        let is_open = unique
            .iter()
            .any(|class| !class.is_builtin && class.slots.borrow().is_none());
        let class = Rc::new(Class {
            name,
            ancestors: unique,
            attributes: RefCell::new(attributes),
            kind,
            is_builtin: false,
            slots: RefCell::new(slots.filter(|_| !is_open).map(Into::into)),
        });
        for (_, value) in &class.attributes.borrow().0 {
            own(value, &class);
        }
        let value = Value::Class(Rc::clone(&class));
        if let Some(hook) = class
            .ancestors
            .iter()
            .find_map(|it| it.attributes.borrow().get("__init_subclass__").cloned())
        {
            let hook = match hook {
                Value::OfClass(inner) => (*inner).clone(),
                other => other,
            };
            self.call_with(&hook, vec![value.clone()])?;
        }
        Ok(value)
    }

    fn slots(&mut self, attributes: &Attributes) -> Res<Option<Vec<Name>>> {
        let Some(slots) = attributes.get("__slots__").cloned() else {
            return Ok(None);
        };
        let mut names = Vec::new();
        match slots.as_str() {
            Some(one) => names.push(one),
            None => {
                for item in self.collect_items(&slots)? {
                    names.extend(item.as_str());
                }
            }
        }
        Ok(Some(names))
    }

    /// An object before `__init__`.
    pub(crate) fn new_object(&mut self, class: &Rc<Class>, args: &Args) -> Res<Value> {
        let has_init = class.find("__init__").is_some();
        let payload = match class.kind {
            Kind::Object | Kind::Exception => {
                if class.kind == Kind::Object
                    && !has_init
                    && class.find("__new__").is_none()
                    && !(args.plain.is_empty() && args.named.is_empty())
                {
                    let message = format!("{}() takes no arguments", class.name);
                    return Err(self.error("TypeError", message));
                }
                Value::None
            }
            kind => {
                let builtin = self.classes.get(&kind).cloned();
                let is_mutable = matches!(kind, Kind::List | Kind::Dict | Kind::Set);
                let plain = match has_init && is_mutable {
                    true => Vec::new(),
                    false => args.plain.clone(),
                };
                let named = match kind == Kind::Dict && !has_init {
                    true => args.named.clone(),
                    false => Vec::new(),
                };
                match builtin {
                    Some(builtin) => self.construct(&builtin, Args { plain, named })?,
                    None => Value::None,
                }
            }
        };
        let object = Value::Object(Rc::new(Object {
            class: Rc::clone(class),
            attributes: RefCell::default(),
            payload: RefCell::new(payload),
        }));
        if class.kind == Kind::Exception
            && let Value::Object(it) = &object
        {
            let args = Value::tuple(args.plain.clone());
            it.attributes.borrow_mut().set(&"args".into(), args);
        }
        Ok(object)
    }

    /// Whether a value is of a class, or of one of several.
    pub(crate) fn is_instance(&mut self, value: &Value, class: &Value) -> Res<bool> {
        match class {
            Value::Class(class) => Ok(self.class_of(value).is_below(class)),
            Value::Tuple(classes) => {
                for class in classes.iter() {
                    if self.is_instance(value, class)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::Object(it) => match it.class.find("__instancecheck__") {
                Some(check) => {
                    let found = self.call_with(&check, vec![class.clone(), value.clone()])?;
                    self.truth(&found)
                }
                None => Err(self.not_a_class()),
            },
            // Such as `type(None)` written as `None` in a union.
            Value::None => Ok(value.is_none()),
            _ => Err(self.not_a_class()),
        }
    }

    fn not_a_class(&mut self) -> crate::python::fault::Fault {
        self.error(
            "TypeError",
            "isinstance() arg 2 must be a type, a tuple of types, or a union",
        )
    }
}

fn builtin(name: &str, kind: Kind, ancestors: Vec<Rc<Class>>) -> Class {
    Class {
        name: name.into(),
        ancestors,
        attributes: RefCell::default(),
        kind,
        is_builtin: true,
        slots: RefCell::new(None),
    }
}

/// Functions in the body of a class remember it, for `super()`.
fn own(value: &Value, class: &Rc<Class>) {
    match value {
        Value::Closure(closure) => {
            closure
                .owner
                .borrow_mut()
                .get_or_insert_with(|| Rc::clone(class));
        }
        Value::Static(inner) | Value::OfClass(inner) => own(inner, class),
        Value::Property(property) => {
            for part in [&property.get, &property.set, &property.delete] {
                own(part, class);
            }
        }
        _ => {}
    }
}
