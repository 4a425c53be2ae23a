//! Classes: those of the interpreter, and those that programs define.

use std::{cell::RefCell, rc::Rc};

use super::{Frame, Vm, exec::Exit};
use crate::python::{
    fault::Res,
    value::{Args, Attributes, Class, Kind, Name, Object, Value},
};

const TYPES: [(Kind, &str); 29] = [
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
    (Kind::Native, "builtin_function_or_method"),
    (Kind::Method, "method"),
    (Kind::Module, "module"),
    (Kind::Iterator, "iterator"),
    (Kind::Generator, "generator"),
    (Kind::Property, "property"),
    (Kind::Static, "staticmethod"),
    (Kind::OfClass, "classmethod"),
    (Kind::Super, "super"),
    (Kind::Union, "UnionType"),
    (Kind::Object, "object"),
];

const EXCEPTIONS: [(&str, &str); 58] = [
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
    ("UnicodeTranslateError", "UnicodeError"),
    ("BufferError", "Exception"),
    ("ReferenceError", "Exception"),
    ("SystemError", "Exception"),
    ("StopAsyncIteration", "Exception"),
    ("IndentationError", "SyntaxError"),
    ("BlockingIOError", "OSError"),
    ("ConnectionError", "OSError"),
    ("BrokenPipeError", "ConnectionError"),
    ("InterruptedError", "OSError"),
    ("IsADirectoryError", "OSError"),
    ("NotADirectoryError", "OSError"),
    ("Warning", "Exception"),
    ("UserWarning", "Warning"),
    ("DeprecationWarning", "Warning"),
    ("PendingDeprecationWarning", "Warning"),
    ("RuntimeWarning", "Warning"),
    ("FutureWarning", "Warning"),
    ("SyntaxWarning", "Warning"),
    ("ImportWarning", "Warning"),
    ("UnicodeWarning", "Warning"),
    ("BytesWarning", "Warning"),
    ("ResourceWarning", "Warning"),
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
                    | Kind::Native
                    | Kind::Method
                    | Kind::Module
                    | Kind::Iterator
                    | Kind::Generator
                    | Kind::Union
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
        Rc::clone(&self.class_of(value).name)
    }

    /// A class from its statement: the body runs and leaves the attributes.
    pub(super) fn make_class(
        &mut self,
        name: &Value,
        bases: &[Value],
        body: &Value,
        named: &Value,
    ) -> Res<Value> {
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
        let mut found = vec![(
            "__qualname__".into(),
            Value::Str(Rc::clone(&body.code.path)),
        )];
        if let Some(module) = body.globals.borrow().get("__name__") {
            found.push(("__module__".into(), module.clone()));
        }
        found.extend(names.borrow_mut().drain(..));
        let mut attributes = Attributes::Own(found);
        if let Some(doc) = &body.code.doc {
            attributes.set(&"__doc__".into(), Value::Str(Rc::clone(doc)));
        }
        let name = name.as_str().unwrap_or_else(|| "".into());
        let mut arguments = Vec::new();
        for (name, value) in self.pairs(named)? {
            arguments.extend(name.as_str().map(|name| (name, value)));
        }
        self.new_class(name, bases, attributes, arguments)
    }

    pub(crate) fn new_class(
        &mut self,
        name: Name,
        bases: &[Value],
        mut attributes: Attributes,
        mut named: Vec<(Name, Value)>,
    ) -> Res<Value> {
        let metaclass = named.iter().position(|(name, _)| &**name == "metaclass");
        let metaclass = metaclass.map(|at| named.remove(at).1);
        let mut parents: Vec<Rc<Class>> = Vec::new();
        // `ABCMeta` is known by a base that does the same.
        for base in bases.iter().chain(&metaclass) {
            match base {
                Value::Class(class) if class.kind == Kind::Type && class.is_builtin => {}
                Value::Class(class) if parents.iter().any(|it| it.is_below(class)) => {}
                Value::Class(class) => parents.push(Rc::clone(class)),
                // A class of `typing` that stands for a type alone.
                Value::Object(it) if it.class.find("__is_hint__").is_some() => {
                    attributes.set(&"__is_generic__".into(), Value::Bool(true));
                }
                _ => {
                    let message = format!("cannot inherit from {}", self.repr(base)?);
                    return Err(self.error("TypeError", message));
                }
            }
        }
        if parents.is_empty() {
            parents.extend(self.classes.get(&Kind::Object).cloned());
        }
        if let Some(Value::Class(class)) = &metaclass
            && class.find("__is_abstract__").is_none()
            && class.kind != Kind::Type
        {
            let message = "metaclasses are not supported in this sandbox";
            return Err(self.error("NotImplementedError", message));
        }
        for name in ["__getattribute__", "__del__"] {
            if attributes.get(name).is_some() {
                let message = format!("classes with {name} are not supported in this sandbox");
                return Err(self.error("NotImplementedError", message));
            }
        }
        if attributes.get("__eq__").is_some() && attributes.get("__hash__").is_none() {
            attributes.set(&"__hash__".into(), Value::None);
        }
        for (attribute, usual) in [("__module__", "__main__"), ("__qualname__", &*name)] {
            if attributes.get(attribute).is_none() {
                attributes.set(&attribute.into(), Value::str(usual));
            }
        }
        let Some(unique) = merged(&parents) else {
            let message = "Cannot create a consistent method resolution order (MRO) for bases";
            return Err(self.error("TypeError", message));
        };
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
        let is_called_by_itself = attributes.get("__class_call__").is_some()
            || unique.iter().any(|class| class.is_called_by_itself);
        let class = Rc::new(Class {
            name,
            bases: parents,
            ancestors: unique,
            attributes: RefCell::new(attributes),
            kind,
            is_builtin: false,
            is_called_by_itself,
            slots: RefCell::new(slots.filter(|_| !is_open).map(Into::into)),
        });
        let value = Value::Class(Rc::clone(&class));
        let pairs = class.attributes.borrow().pairs();
        for (name, attribute) in pairs {
            own(&attribute, &class);
            if let Value::Object(_) = &attribute {
                let plain = vec![value.clone(), Value::Str(name)];
                self.special(&attribute, "__set_name__", plain)?;
            }
        }
        if class.find("__is_abstract__").is_some() {
            let missing = missing(&class);
            let mut attributes = class.attributes.borrow_mut();
            attributes.set(&"__abstractmethods__".into(), Value::tuple(missing));
        }
        let hook = class
            .ancestors
            .iter()
            .find_map(|it| it.attributes.borrow().get("__init_subclass__"));
        if let Some(hook) = hook {
            let hook = match hook {
                Value::OfClass(inner) => (*inner).clone(),
                other => other,
            };
            let plain = vec![value.clone()];
            self.call(&hook, Args { plain, named })?;
        } else if !named.is_empty() {
            let message = format!(
                "{}.__init_subclass__() takes no keyword arguments",
                class.name
            );
            return Err(self.error("TypeError", message));
        }
        Ok(value)
    }

    fn slots(&mut self, attributes: &Attributes) -> Res<Option<Vec<Name>>> {
        let Some(slots) = attributes.get("__slots__") else {
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
            Value::Union(classes) => {
                for class in classes.iter() {
                    let is = match class {
                        Value::None => value.is_none(),
                        class => self.is_instance(value, class)?,
                    };
                    if is {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
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
        bases: ancestors.first().cloned().into_iter().collect(),
        ancestors,
        attributes: RefCell::default(),
        kind,
        is_builtin: true,
        is_called_by_itself: false,
        slots: RefCell::new(None),
    }
}

/// All that a class with these parents inherits from, in the order in which it is looked up: every class before its
/// own parents, and parents in the order that they are named in. Nothing if there is no such order.
fn merged(parents: &[Rc<Class>]) -> Option<Vec<Rc<Class>>> {
    let whole = |class: &Rc<Class>| {
        let own = std::iter::once(class).chain(&class.ancestors);
        own.cloned().collect::<Vec<_>>()
    };
    let mut lines: Vec<Vec<Rc<Class>>> = parents.iter().map(whole).collect();
    lines.push(parents.to_vec());
    let mut order: Vec<Rc<Class>> = Vec::new();
    loop {
        lines.retain(|line| !line.is_empty());
        if lines.is_empty() {
            return Some(order);
        }
        let is_later = |class: &Rc<Class>| {
            let mut rests = lines.iter().flat_map(|line| line.iter().skip(1));
            rests.any(|other| Rc::ptr_eq(other, class))
        };
        let mut firsts = lines.iter().filter_map(|line| line.first());
        let next = Rc::clone(firsts.find(|class| !is_later(class))?);
        for line in &mut lines {
            line.retain(|class| !Rc::ptr_eq(class, &next));
        }
        order.push(next);
    }
}

/// Names of abstract methods that a class has not made its own.
fn missing(class: &Class) -> Vec<Value> {
    let mut names: Vec<Name> = Vec::new();
    for each in std::iter::once(class).chain(class.ancestors.iter().map(|it| &**it)) {
        let pairs = each.attributes.borrow().pairs();
        let open = pairs.into_iter().filter(|(_, value)| is_abstract(value));
        names.extend(open.map(|(name, _)| name));
    }
    names.retain(|name| class.find(name).is_some_and(|value| is_abstract(&value)));
    names.sort();
    names.dedup();
    names.into_iter().map(Value::Str).collect()
}

fn is_abstract(value: &Value) -> bool {
    match value {
        Value::Closure(closure) => {
            let mark = closure.attributes.borrow().get("__isabstractmethod__");
            matches!(mark, Some(Value::Bool(true)))
        }
        Value::Static(inner) | Value::OfClass(inner) => is_abstract(inner),
        Value::Property(property) => is_abstract(&property.get) || is_abstract(&property.set),
        _ => false,
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
