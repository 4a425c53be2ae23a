//! Calls of everything that can be called.

use std::{cell::RefCell, rc::Rc};

use super::{Frame, Vm, exec::Exit};
use crate::python::{
    fault::{Fault, Res},
    value::{Args, Class, Closure, Dict, Generator, Key, Name, Value},
};

impl Args {
    pub(crate) fn plain(plain: Vec<Value>) -> Self {
        Self {
            plain,
            named: Vec::new(),
        }
    }

    /// The argument at a place, or by its name; it is taken.
    pub(crate) fn take(&mut self, at: usize, name: &str) -> Option<Value> {
        if let Some(value) = self.plain.get_mut(at) {
            return Some(std::mem::replace(value, Value::None));
        }
        self.named(name)
    }

    /// An argument by its name; it is taken.
    pub(crate) fn named(&mut self, name: &str) -> Option<Value> {
        let at = self.named.iter().position(|(known, _)| &**known == name)?;
        Some(self.named.remove(at).1)
    }

    pub(crate) fn get(&self, at: usize) -> Value {
        self.plain.get(at).cloned().unwrap_or(Value::None)
    }
}

impl Vm {
    pub(crate) fn call(&mut self, function: &Value, mut args: Args) -> Res<Value> {
        match function {
            Value::Closure(closure) => self.call_closure(closure, args),
            Value::Native(native) => {
                self.tick()?;
                let known = named_of(&native.name);
                let is_known = |name: &Name| known.iter().any(|it| *it == "*" || **it == **name);
                if let Some((name, _)) = args.named.iter().find(|(name, _)| !is_known(name)) {
                    let message = match known {
                        [] => format!("{}() takes no keyword arguments", native.name),
                        _ => format!(
                            "'{name}' is an invalid keyword argument for {}()",
                            native.name
                        ),
                    };
                    return Err(self.error("TypeError", message));
                }
                (native.call)(self, args)
            }
            Value::Method(method) => {
                args.plain.insert(0, method.0.clone());
                self.call(&method.1, args)
            }
            Value::Class(class) if class.is_called_by_itself => {
                match class.find("__class_call__") {
                    Some(Value::OfClass(call)) => {
                        args.plain.insert(0, function.clone());
                        self.call(&call, args)
                    }
                    _ => self.instantiate(class, args),
                }
            }
            Value::Class(class) => self.instantiate(class, args),
            Value::Static(inner) => self.call(inner, args),
            Value::Object(object) => match object.class.find("__call__") {
                Some(call) => {
                    args.plain.insert(0, function.clone());
                    self.call(&call, args)
                }
                None => Err(self.not_callable(function)),
            },
            _ => Err(self.not_callable(function)),
        }
    }

    fn not_callable(&mut self, value: &Value) -> Fault {
        let message = format!("'{}' object is not callable", self.type_name(value));
        self.error("TypeError", message)
    }

    /// Calls with arguments by place.
    pub(crate) fn call_with(&mut self, function: &Value, plain: Vec<Value>) -> Res<Value> {
        self.call(function, Args::plain(plain))
    }

    /// Calls a method by its name.
    pub(crate) fn call_method(
        &mut self,
        object: &Value,
        name: &Name,
        mut plain: Vec<Value>,
    ) -> Res<Value> {
        if let Value::Object(it) = object {
            let is_own = it.attributes.borrow().get(name).is_some();
            if !is_own && let Some(method @ Value::Closure(_)) = it.class.find(name) {
                plain.insert(0, object.clone());
                return self.call_with(&method, plain);
            }
        } else if !matches!(object, Value::Class(_) | Value::Module(_) | Value::Super(_))
            && let Some(native) = Self::method_of(object.kind(), name)
        {
            self.tick()?;
            plain.insert(0, object.clone());
            return native(self, Args::plain(plain));
        }
        let method = self.get_attribute(object, name)?;
        self.call_with(&method, plain)
    }

    /// Calls a method with two underscores, if the class has it.
    pub(crate) fn special(
        &mut self,
        object: &Value,
        name: &str,
        mut plain: Vec<Value>,
    ) -> Res<Option<Value>> {
        let Value::Object(it) = object else {
            return Ok(None);
        };
        let Some(method) = it.class.find(name) else {
            return Ok(None);
        };
        if method.is_none() {
            return Ok(None);
        }
        if !matches!(method, Value::Static(_)) {
            plain.insert(0, object.clone());
        }
        self.call_with(&method, plain).map(Some)
    }

    fn call_closure(&mut self, closure: &Rc<Closure>, args: Args) -> Res<Value> {
        let code = &closure.code;
        let mut frame = Frame::new(Rc::clone(code), Rc::clone(&closure.globals));
        frame.owner = closure.owner.borrow().clone();
        self.bind(closure, args, &mut frame.locals)?;
        for (_, param) in &code.cells {
            let value =
                param.and_then(|at| frame.locals.get_mut(at as usize).and_then(Option::take));
            frame.variables.push(Rc::new(RefCell::new(value)));
        }
        frame.variables.extend(closure.variables.iter().cloned());
        // `super()` finds the object among the parameters.
        if code.is_generator {
            return Ok(Value::Generator(Rc::new(Generator {
                name: Rc::clone(&code.name),
                frame: RefCell::new(Some(Box::new(frame))),
                is_running: std::cell::Cell::new(false),
            })));
        }
        match self.execute(&mut frame)? {
            Exit::Return(value) | Exit::Yield(value) => Ok(value),
        }
    }

    /// Gives parameters their values.
    fn bind(&mut self, closure: &Closure, args: Args, locals: &mut [Option<Value>]) -> Res<()> {
        let code = &closure.code;
        let shape = &code.params;
        let given = args.plain.len();
        let mut plain = args.plain.into_iter();
        for slot in locals.iter_mut().take(shape.plain) {
            match plain.next() {
                Some(value) => *slot = Some(value),
                None => break,
            }
        }
        let rest: Vec<Value> = plain.collect();
        let after = shape.plain + shape.named;
        if shape.has_star {
            if let Some(slot) = locals.get_mut(after) {
                *slot = Some(Value::tuple(rest));
            }
        } else if !rest.is_empty() {
            let least = shape.plain - closure.defaults.len().min(shape.plain);
            let takes = match closure.defaults.is_empty() {
                true => format!("{}", shape.plain),
                false => format!("from {least} to {}", shape.plain),
            };
            let plural = if shape.plain == 1 { "" } else { "s" };
            let verb = if given == 1 { "was" } else { "were" };
            let message = format!(
                "{}() takes {takes} positional argument{plural} but {given} {verb} given",
                code.path
            );
            return Err(self.error("TypeError", message));
        }
        let mut others = Dict::new();
        for (name, value) in args.named {
            let known = code
                .locals
                .iter()
                .take(after)
                .position(|local| *local == name);
            let known = known.filter(|at| *at >= shape.positional_only);
            match known.and_then(|at| locals.get_mut(at)) {
                Some(slot @ None) => *slot = Some(value),
                Some(Some(_)) => {
                    let message =
                        format!("{}() got multiple values for argument '{name}'", code.path);
                    return Err(self.error("TypeError", message));
                }
                None if shape.has_double_star => {
                    let key = Key::Str(Rc::clone(&name));
                    others.insert(key, (Value::Str(name), value));
                }
                None => {
                    let known: Vec<&str> = code.locals.iter().take(after).map(|it| &**it).collect();
                    let message = format!(
                        "{}() got an unexpected keyword argument '{name}' (it takes: {})",
                        code.path,
                        known.join(", ")
                    );
                    return Err(self.error("TypeError", message));
                }
            }
        }
        if shape.has_double_star
            && let Some(slot) = locals.get_mut(after + usize::from(shape.has_star))
        {
            *slot = Some(Value::dict(others));
        }
        let first_default = shape.plain.saturating_sub(closure.defaults.len());
        let mut missing = Vec::new();
        for (at, slot) in locals.iter_mut().enumerate().take(after) {
            if slot.is_some() {
                continue;
            }
            let name = code.locals.get(at);
            let default = match at < shape.plain {
                true => at
                    .checked_sub(first_default)
                    .and_then(|at| closure.defaults.get(at)),
                false => closure
                    .named_defaults
                    .iter()
                    .find(|(known, _)| Some(known) == name)
                    .map(|(_, value)| value),
            };
            match default {
                Some(value) => *slot = Some(value.clone()),
                None => missing.extend(name.map(|name| format!("'{name}'"))),
            }
        }
        if !missing.is_empty() {
            let plural = if missing.len() == 1 { "" } else { "s" };
            let message = format!(
                "{}() missing {} required positional argument{plural}: {}",
                code.path,
                missing.len(),
                missing.join(" and ")
            );
            return Err(self.error("TypeError", message));
        }
        Ok(())
    }

    /// Resumes a generator by a value, or by an exception at its `yield`.
    pub(crate) fn resume(&mut self, generator: &Generator, sent: Res<Value>) -> Res<Exit> {
        if generator.is_running.get() {
            return Err(self.error("ValueError", "generator already executing"));
        }
        let Some(mut frame) = generator.frame.borrow_mut().take() else {
            sent?;
            return Ok(Exit::Return(Value::None));
        };
        generator.is_running.set(true);
        let begun = match sent {
            Ok(value) if frame.has_begun() => {
                frame.send(value);
                Ok(None)
            }
            Ok(Value::None) => Ok(None),
            Ok(_) => {
                generator.is_running.set(false);
                *generator.frame.borrow_mut() = Some(frame);
                let message = "can't send non-None value to a just-started generator";
                return Err(self.error("TypeError", message));
            }
            Err(fault) => self.throw_in(&mut frame, fault),
        };
        let done = match begun {
            Ok(None) => self.execute(&mut frame),
            Ok(Some(yielded)) => Ok(Exit::Yield(yielded)),
            Err(fault) => Err(fault),
        };
        generator.is_running.set(false);
        match done {
            Ok(Exit::Yield(value)) => {
                *generator.frame.borrow_mut() = Some(frame);
                Ok(Exit::Yield(value))
            }
            Err(fault) if self.is_fault(&fault, "StopIteration") => {
                Err(self.error("RuntimeError", "generator raised StopIteration"))
            }
            done => done,
        }
    }

    /// Raises an exception where a generator waits: in the generator that it takes values from, if there is one.
    fn throw_in(&mut self, frame: &mut Frame, fault: Fault) -> Res<Option<Value>> {
        let Some(Value::Generator(inner)) = frame.delegate() else {
            self.caught(frame, fault)?;
            return Ok(None);
        };
        let thrown = match self.is_fault(&fault, "GeneratorExit") {
            true => match self.close(&inner) {
                Ok(()) => Err(fault),
                Err(other) => Err(other),
            },
            false => self.resume(&inner, Err(fault)),
        };
        match thrown {
            Ok(Exit::Yield(value)) => return Ok(Some(value)),
            Ok(Exit::Return(value)) => frame.end_delegate(value),
            Err(fault) => self.caught(frame, fault)?,
        }
        Ok(None)
    }

    /// `close()`: what the generator has to do in any case is done.
    pub(crate) fn close(&mut self, generator: &Generator) -> Res<()> {
        let has_begun = match &*generator.frame.borrow() {
            Some(frame) => frame.has_begun(),
            None => return Ok(()),
        };
        if !has_begun {
            generator.frame.borrow_mut().take();
            return Ok(());
        }
        let exit = self.throw("GeneratorExit", Vec::new());
        match self.resume(generator, Err(exit)) {
            Ok(Exit::Yield(_)) => {
                Err(self.error("RuntimeError", "generator ignored GeneratorExit"))
            }
            Ok(Exit::Return(_)) => Ok(()),
            Err(fault) if self.is_fault(&fault, "GeneratorExit") => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    fn instantiate(&mut self, class: &Rc<Class>, args: Args) -> Res<Value> {
        if class.is_builtin {
            return self.construct(class, args);
        }
        if let Some(Value::Tuple(missing)) = class.find("__abstractmethods__")
            && !missing.is_empty()
        {
            let names: Vec<_> = missing.iter().filter_map(Value::as_str).collect();
            let plural = if names.len() == 1 { "" } else { "s" };
            let message = format!(
                "Can't instantiate abstract class {} with abstract method{plural} {}",
                class.name,
                names.join(", ")
            );
            return Err(self.error("TypeError", message));
        }
        let object = match class.find("__new__") {
            Some(new) => {
                let mut plain = vec![Value::Class(Rc::clone(class))];
                plain.extend(args.plain.iter().cloned());
                let named = args.named.clone();
                let new = match new {
                    Value::Static(inner) => (*inner).clone(),
                    other => other,
                };
                self.call(&new, Args { plain, named })?
            }
            None => self.new_object(class, &args)?,
        };
        let is_own = matches!(&object, Value::Object(it) if it.class.is_below(class));
        if is_own && let Some(init) = class.find("__init__") {
            let mut args = args;
            args.plain.insert(0, object.clone());
            self.call(&init, args)?;
        }
        Ok(object)
    }
}

/// The arguments that a function of the interpreter takes by name; `*` is any.
fn named_of(function: &str) -> &'static [&'static str] {
    match function {
        "format" | "update" | "__init__" | "__new__" | "open" => &["*"],
        "print" => &["sep", "end", "file", "flush"],
        "min" | "max" => &["key", "default"],
        "sorted" | "sort" => &["key", "reverse"],
        "sum" | "enumerate" | "prod" => &["start"],
        "zip" => &["strict"],
        "round" => &["number", "ndigits"],
        "split" | "rsplit" => &["sep", "maxsplit"],
        "splitlines" => &["keepends"],
        "expandtabs" => &["tabsize"],
        "encode" | "decode" => &["encoding", "errors"],
        "to_bytes" => &["length", "byteorder", "signed"],
        "from_bytes" => &["byteorder", "signed"],
        "isclose" => &["rel_tol", "abs_tol"],
        _ => &[],
    }
}
