//! The loop over instructions.

use std::rc::Rc;

use super::{Frame, Guard, Vm};
use crate::{
    python::{
        code::Op,
        fault::{Fault, Res, Thrown, TraceLine},
        value::{Args, Closure, Dict, Key, Set, Value},
    },
    syntax::ast::CompareOp,
};

/// Why the loop stopped.
pub(crate) enum Exit {
    Return(Value),
    Yield(Value),
}

enum Flow {
    Next,
    Jump(u32),
    Exit(Exit),
}

impl Vm {
    /// Runs a frame until it returns or yields.
    pub(crate) fn execute(&mut self, frame: &mut Frame) -> Res<Exit> {
        self.deeper(|vm| vm.run_frame(frame))
    }

    fn run_frame(&mut self, frame: &mut Frame) -> Res<Exit> {
        loop {
            self.tick()?;
            let Some(op) = frame.code.ops.get(frame.at).copied() else {
                return Ok(Exit::Return(Value::None));
            };
            frame.at += 1;
            match self.step(frame, op) {
                Ok(Flow::Next) => {}
                Ok(Flow::Jump(target)) => frame.at = target as usize,
                Ok(Flow::Exit(exit)) => return Ok(exit),
                Err(fault) => self.caught(frame, fault)?,
            }
        }
    }

    /// Goes to the handler of an exception; without one it continues to the caller.
    pub(crate) fn caught(&mut self, frame: &mut Frame, fault: Fault) -> Res<()> {
        let Fault::Thrown(mut thrown) = fault else {
            return Err(fault);
        };
        let line = frame.code.lines.get(frame.at.saturating_sub(1)).copied();
        let here = TraceLine {
            file: Rc::clone(&frame.code.file),
            function: Rc::clone(&frame.code.name),
            line: line.unwrap_or(0),
        };
        let is_again = thrown
            .trace
            .last()
            .is_some_and(|last| last.function == here.function && last.file == here.file)
            && !frame.handling.is_empty();
        if !is_again {
            thrown.trace.push(here);
        }
        let Some(block) = frame.blocks.pop() else {
            return Err(Fault::Thrown(thrown));
        };
        frame.stack.truncate(block.stack);
        frame.handling.truncate(block.handling);
        frame.push(thrown.exception.clone());
        frame.handling.push((thrown.exception, thrown.trace));
        frame.at = block.handler as usize;
        Ok(())
    }

    fn step(&mut self, frame: &mut Frame, op: Op) -> Res<Flow> {
        match op {
            Op::Const(at) => {
                let value = frame.code.constants.get(at as usize).cloned();
                frame.push(value.unwrap_or(Value::None));
            }
            Op::Pop => {
                // A generator that a loop leaves does what it has to do in any case.
                if let Value::Generator(left) = frame.pop()
                    && Rc::strong_count(&left) == 1
                {
                    self.close(&left)?;
                }
            }
            Op::Dup => {
                let top = frame.top();
                frame.push(top);
            }
            Op::Dup2 => {
                let two = frame.take(2);
                frame.stack.extend(two.iter().cloned());
                frame.stack.extend(two);
            }
            Op::Swap => {
                let (top, below) = (frame.pop(), frame.pop());
                frame.push(top);
                frame.push(below);
            }
            Op::Rotate3 => {
                let (top, second, third) = (frame.pop(), frame.pop(), frame.pop());
                frame.push(top);
                frame.push(third);
                frame.push(second);
            }
            Op::LoadLocal(at) => match frame.locals.get(at as usize) {
                Some(Some(value)) => {
                    let value = value.clone();
                    frame.push(value);
                }
                _ => {
                    let name = frame.code.locals.get(at as usize).cloned();
                    return Err(self.unbound(&name.unwrap_or_else(|| "".into())));
                }
            },
            Op::StoreLocal(at) => {
                let value = frame.pop();
                if let Some(slot) = frame.locals.get_mut(at as usize) {
                    *slot = Some(value);
                }
            }
            Op::DeleteLocal(at) => {
                if let Some(slot) = frame.locals.get_mut(at as usize) {
                    *slot = None;
                }
            }
            Op::LoadVariable(at) => {
                let value = frame.variables.get(at as usize);
                match value.and_then(|value| value.borrow().clone()) {
                    Some(value) => frame.push(value),
                    None => return Err(self.unbound(&variable_name(frame, at))),
                }
            }
            Op::StoreVariable(at) => {
                let value = frame.pop();
                if let Some(variable) = frame.variables.get(at as usize) {
                    *variable.borrow_mut() = Some(value);
                }
            }
            Op::DeleteVariable(at) => {
                if let Some(variable) = frame.variables.get(at as usize) {
                    *variable.borrow_mut() = None;
                }
            }
            Op::LoadGlobal(_)
            | Op::StoreGlobal(_)
            | Op::DeleteGlobal(_)
            | Op::LoadName(_)
            | Op::StoreName(_)
            | Op::DeleteName(_) => self.names(frame, op)?,
            Op::LoadAttribute(at) => {
                let object = frame.pop();
                let name = self.name(frame, at);
                let value = self.get_attribute(&object, &name)?;
                frame.push(value);
            }
            Op::StoreAttribute(at) => {
                let (object, value) = (frame.pop(), frame.pop());
                let name = self.name(frame, at);
                self.set_attribute(&object, &name, value)?;
            }
            Op::DeleteAttribute(at) => {
                let object = frame.pop();
                let name = self.name(frame, at);
                self.delete_attribute(&object, &name)?;
            }
            Op::LoadItem => {
                let (index, object) = (frame.pop(), frame.pop());
                let value = self.get_item(&object, &index)?;
                frame.push(value);
            }
            Op::StoreItem => {
                let (index, object, value) = (frame.pop(), frame.pop(), frame.pop());
                self.set_item(&object, &index, value)?;
            }
            Op::DeleteItem => {
                let (index, object) = (frame.pop(), frame.pop());
                self.delete_item(&object, &index)?;
            }
            Op::Unary(op) => {
                let value = frame.pop();
                let value = self.unary(op, &value)?;
                frame.push(value);
            }
            Op::Binary(op) => {
                let (right, left) = (frame.pop(), frame.pop());
                let value = self.binary(op, &left, &right)?;
                frame.push(value);
            }
            Op::InPlace(op) => {
                let (right, left) = (frame.pop(), frame.pop());
                let value = self.in_place(op, &left, &right)?;
                frame.push(value);
            }
            Op::Compare(op) => {
                let (right, left) = (frame.pop(), frame.pop());
                let value = self.compare_op(op, &left, &right)?;
                frame.push(value);
            }
            Op::Jump(target) => return Ok(Flow::Jump(target)),
            Op::JumpIfFalse(target) => {
                let value = frame.pop();
                if !self.truth(&value)? {
                    return Ok(Flow::Jump(target));
                }
            }
            Op::JumpIfTrue(target) => {
                let value = frame.pop();
                if self.truth(&value)? {
                    return Ok(Flow::Jump(target));
                }
            }
            Op::JumpIfFalseOrPop(target) => {
                let value = frame.top();
                if !self.truth(&value)? {
                    return Ok(Flow::Jump(target));
                }
                frame.pop();
            }
            Op::JumpIfTrueOrPop(target) => {
                let value = frame.top();
                if self.truth(&value)? {
                    return Ok(Flow::Jump(target));
                }
                frame.pop();
            }
            Op::Iterate => {
                let value = frame.pop();
                let iterator = self.iterator(&value)?;
                frame.push(iterator);
            }
            Op::Next(target) => {
                let iterator = frame.top();
                match self.next(&iterator)? {
                    Some(value) => frame.push(value),
                    None => {
                        frame.pop();
                        return Ok(Flow::Jump(target));
                    }
                }
            }
            Op::Call(plain, names) => {
                let mut args = Args::default();
                if let Some(names) = frame.code.keywords.get(names as usize) {
                    let names = Rc::clone(names);
                    let from = frame.stack.len().saturating_sub(names.len());
                    let values = frame.stack.split_off(from);
                    args.named = names.iter().cloned().zip(values).collect();
                }
                args.plain = frame.take(plain);
                let function = frame.pop();
                let value = self.call(&function, args)?;
                frame.push(value);
            }
            Op::CallMethod(at, count) => {
                let plain = frame.take(count);
                let object = frame.pop();
                let name = self.name(frame, at);
                let value = self.call_method(&object, &name, plain)?;
                frame.push(value);
            }
            Op::Return => return Ok(Flow::Exit(Exit::Return(frame.pop()))),
            Op::Yield => return Ok(Flow::Exit(Exit::Yield(frame.pop()))),
            Op::YieldFrom => return self.yield_from(frame),
            Op::Try(handler) => {
                let block = Guard {
                    handler,
                    stack: frame.stack.len(),
                    handling: frame.handling.len(),
                };
                frame.blocks.push(block);
            }
            Op::EndTry => {
                frame.blocks.pop();
            }
            Op::EndHandling => {
                frame.handling.pop();
            }
            Op::Tuple(_)
            | Op::List(_)
            | Op::Set(_)
            | Op::Dict(_)
            | Op::Slice
            | Op::Join(_)
            | Op::ListAppend(_)
            | Op::SetAdd(_)
            | Op::DictAdd(_)
            | Op::ListExtend
            | Op::SetExtend
            | Op::DictExtend
            | Op::ListToTuple
            | Op::Unpack(_)
            | Op::UnpackStar(..) => self.collect(frame, op)?,
            _ => self.rare(frame, op)?,
        }
        Ok(Flow::Next)
    }

    fn name(&self, frame: &Frame, at: u32) -> Rc<str> {
        let name = frame.code.names.get(at as usize).cloned();
        name.unwrap_or_else(|| "".into())
    }

    fn names(&mut self, frame: &mut Frame, op: Op) -> Res<()> {
        match op {
            Op::LoadGlobal(at) | Op::LoadName(at) => {
                let name = self.name(frame, at);
                let own = match (&frame.names, op) {
                    (Some(names), Op::LoadName(_)) => names.borrow().get(&name).cloned(),
                    _ => None,
                };
                let found = own
                    .or_else(|| frame.globals.borrow().get(&name).cloned())
                    .or_else(|| self.builtins.get(&name).cloned());
                match found {
                    Some(value) => frame.push(value),
                    None => {
                        let message = format!("name '{name}' is not defined");
                        return Err(self.error("NameError", message));
                    }
                }
            }
            Op::StoreGlobal(at) => {
                let (name, value) = (self.name(frame, at), frame.pop());
                frame.globals.borrow_mut().insert(name, value);
            }
            Op::StoreName(at) => {
                let (name, value) = (self.name(frame, at), frame.pop());
                let names = frame.names.as_ref().unwrap_or(&frame.globals);
                names.borrow_mut().insert(name, value);
            }
            Op::DeleteGlobal(at) | Op::DeleteName(at) => {
                let name = self.name(frame, at);
                let names = frame.names.as_ref().unwrap_or(&frame.globals);
                if names.borrow_mut().shift_remove(&name).is_none() {
                    return Err(self.error("NameError", format!("name '{name}' is not defined")));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn collect(&mut self, frame: &mut Frame, op: Op) -> Res<()> {
        match op {
            Op::Tuple(count) => {
                let items = frame.take(count);
                frame.push(Value::tuple(items));
            }
            Op::List(count) => {
                let items = frame.take(count);
                frame.push(Value::list(items));
            }
            Op::Set(count) => {
                let mut set = Set::new();
                for item in frame.take(count) {
                    set.entry(self.key(&item)?).or_insert(item);
                }
                frame.push(Value::set(set));
            }
            Op::Dict(count) => {
                let mut dict = Dict::new();
                let mut items = frame.take(count * 2).into_iter();
                while let (Some(key), Some(value)) = (items.next(), items.next()) {
                    put(&mut dict, self.key(&key)?, key, value);
                }
                frame.push(Value::dict(dict));
            }
            Op::Slice => {
                let mut items = frame.take(3).into_iter();
                let mut next = || items.next().unwrap_or(Value::None);
                frame.push(Value::Slice(Rc::new([next(), next(), next()])));
            }
            Op::Join(count) => {
                let mut text = String::new();
                for item in frame.take(count) {
                    if let Value::Str(part) = item {
                        text.push_str(&part);
                    }
                }
                self.room(text.len())?;
                frame.push(Value::str(text));
            }
            Op::ListAppend(depth) => {
                let value = frame.pop();
                if let Some(Value::List(list)) = below(frame, depth) {
                    list.borrow_mut().push(value);
                }
            }
            Op::SetAdd(depth) => {
                let value = frame.pop();
                let key = self.key(&value)?;
                if let Some(Value::Set(set)) = below(frame, depth) {
                    set.borrow_mut().entry(key).or_insert(value);
                }
            }
            Op::DictAdd(depth) => {
                let (value, key) = (frame.pop(), frame.pop());
                let found = self.key(&key)?;
                if let Some(Value::Dict(dict)) = below(frame, depth) {
                    put(&mut dict.borrow_mut(), found, key, value);
                }
            }
            Op::ListExtend => {
                let value = frame.pop();
                let items = self.collect_items(&value)?;
                if let Value::List(list) = frame.top() {
                    list.borrow_mut().extend(items);
                }
            }
            Op::SetExtend => {
                let value = frame.pop();
                for item in self.collect_items(&value)? {
                    let key = self.key(&item)?;
                    if let Value::Set(set) = frame.top() {
                        set.borrow_mut().entry(key).or_insert(item);
                    }
                }
            }
            Op::DictExtend => {
                let value = frame.pop();
                let pairs = self.pairs(&value)?;
                if let Value::Dict(dict) = frame.top() {
                    for (key, value) in pairs {
                        let found = self.key(&key)?;
                        put(&mut dict.borrow_mut(), found, key, value);
                    }
                }
            }
            Op::ListToTuple => {
                if let Value::List(list) = frame.pop() {
                    let items = list.borrow().clone();
                    frame.push(Value::tuple(items));
                }
            }
            Op::Unpack(count) => {
                let value = frame.pop();
                let items = self.unpack(&value, count as usize)?;
                frame.stack.extend(items.into_iter().rev());
            }
            Op::UnpackStar(before, after) => {
                let value = frame.pop();
                let mut items = self.collect_items(&value)?;
                let (before, after) = (before as usize, after as usize);
                if items.len() < before + after {
                    let message = format!(
                        "not enough values to unpack (expected at least {}, got {})",
                        before + after,
                        items.len()
                    );
                    return Err(self.error("ValueError", message));
                }
                let tail = items.split_off(items.len() - after);
                let middle = items.split_off(before);
                frame.stack.extend(tail.into_iter().rev());
                frame.push(Value::list(middle));
                frame.stack.extend(items.into_iter().rev());
            }
            _ => {}
        }
        Ok(())
    }

    fn unpack(&mut self, value: &Value, count: usize) -> Res<Vec<Value>> {
        let mut items = Vec::new();
        match value {
            Value::Tuple(all) if all.len() == count => return Ok(all.to_vec()),
            _ => {}
        }
        let iterator = match self.iterator(value) {
            Ok(iterator) => iterator,
            Err(_) => {
                let message = format!(
                    "cannot unpack non-iterable {} object",
                    self.type_name(value)
                );
                return Err(self.error("TypeError", message));
            }
        };
        while let Some(item) = self.next(&iterator)? {
            items.push(item);
            if items.len() > count {
                let message = format!("too many values to unpack (expected {count})");
                return Err(self.error("ValueError", message));
            }
        }
        if items.len() < count {
            let message = format!(
                "not enough values to unpack (expected {count}, got {})",
                items.len()
            );
            return Err(self.error("ValueError", message));
        }
        Ok(items)
    }

    fn rare(&mut self, frame: &mut Frame, op: Op) -> Res<()> {
        match op {
            Op::Format(conversion, has_spec) => {
                let spec = match has_spec {
                    true => frame.pop(),
                    false => Value::str(""),
                };
                let value = frame.pop();
                let value = match conversion {
                    'r' => Value::str(self.repr(&value)?),
                    'a' => Value::str(self.ascii(&value)?),
                    's' => Value::str(self.text_of(&value)?),
                    _ => value,
                };
                let spec = spec.as_str().unwrap_or_else(|| "".into());
                let text = self.format(&value, &spec)?;
                frame.push(Value::str(text));
            }
            Op::CallSpread => {
                let (named, plain, function) = (frame.pop(), frame.pop(), frame.pop());
                let mut args = Args::default();
                if let Value::List(list) = plain {
                    args.plain = list.borrow().clone();
                }
                for (key, value) in self.pairs(&named)? {
                    match key.as_str() {
                        Some(name) => args.named.push((name, value)),
                        None => return Err(self.error("TypeError", "keywords must be strings")),
                    }
                }
                let value = self.call(&function, args)?;
                frame.push(value);
            }
            Op::Super => {
                let first = match frame.locals.first() {
                    Some(Some(value)) => Some(value.clone()),
                    _ => frame.variables.first().and_then(|it| it.borrow().clone()),
                };
                match (&frame.owner, first) {
                    (Some(owner), Some(first)) => {
                        let owner = Rc::clone(owner);
                        frame.push(Value::Super(Rc::new((owner, first))));
                    }
                    _ => return Err(self.error("RuntimeError", "super(): no arguments")),
                }
            }
            Op::Function(at, defaults, named) => self.make_function(frame, at, defaults, named),
            Op::Class(bases) => {
                let (body, name, named) = (frame.pop(), frame.pop(), frame.pop());
                let bases = frame.take(bases);
                let class = self.make_class(&name, &bases, &body, &named)?;
                frame.push(class);
            }
            Op::IsException => {
                let (class, exception) = (frame.pop(), frame.pop());
                let is = self.is_exception(&exception, &class)?;
                frame.push(Value::Bool(is));
            }
            Op::Raise(count) => return Err(self.raise(frame, count)),
            Op::Again => {
                let exception = frame.pop();
                let trace = match frame.handling.last() {
                    Some((known, trace)) if known.is(&exception) => trace.clone(),
                    _ => Vec::new(),
                };
                return Err(Fault::Thrown(Box::new(Thrown { exception, trace })));
            }
            Op::ExitArguments => {
                let context = frame.pop();
                let exception = frame.top();
                let class = Value::Class(self.class_of(&exception));
                frame.stack.extend([context, class, exception, Value::None]);
            }
            Op::Import(at) => {
                let name = self.name(frame, at);
                let module = self.import(&name)?;
                frame.push(module);
            }
            Op::ImportFrom(at) => {
                let name = self.name(frame, at);
                let module = frame.top();
                let value = self.import_from(&module, &name)?;
                frame.push(value);
            }
            Op::ImportAll => {
                let module = frame.pop();
                if let Value::Module(module) = module {
                    let names = module.names.borrow();
                    let public = names.iter().filter(|(name, _)| !name.starts_with('_'));
                    let copies: Vec<_> = public.map(|(n, v)| (Rc::clone(n), v.clone())).collect();
                    frame.globals.borrow_mut().extend(copies);
                }
            }
            Op::IsSequence(least, has_rest) => {
                let value = frame.pop();
                let length = match value.plain() {
                    Value::Tuple(items) => Some(items.len()),
                    Value::List(items) => Some(items.borrow().len()),
                    Value::Range(range) => Some(range.len()),
                    _ => None,
                };
                let least = least as usize;
                frame.push(Value::Bool(length.is_some_and(|length| match has_rest {
                    true => length >= least,
                    false => length == least,
                })));
            }
            Op::MatchKeys(count) => {
                let keys = frame.take(count);
                let subject = frame.pop();
                let values = self.match_keys(&subject, &keys)?;
                frame.push(values);
            }
            Op::RestOfKeys(count) => {
                let keys = frame.take(count);
                let subject = frame.pop();
                let rest = self.rest_of_keys(&subject, &keys)?;
                frame.push(rest);
            }
            Op::MatchPlaces(count) => {
                let (class, subject) = (frame.pop(), frame.pop());
                let values = self.match_places(&subject, &class, count as usize)?;
                frame.push(values);
            }
            Op::HasAttribute(at) => {
                let (name, subject) = (self.name(frame, at), frame.pop());
                let found = match self.find_attribute(&subject, &name) {
                    Err(fault) if self.is_fault(&fault, "AttributeError") => None,
                    found => found?,
                };
                frame.push(match found {
                    Some(value) => Value::tuple(vec![value]),
                    None => Value::None,
                });
            }
            Op::Annotate(at) => {
                let (name, text) = (self.name(frame, at), frame.pop());
                let names = frame.names.as_ref().unwrap_or(&frame.globals);
                let known = names.borrow().get("__annotations__").cloned();
                let annotations = match known {
                    Some(Value::Dict(dict)) => dict,
                    _ => {
                        let dict = Rc::new(std::cell::RefCell::new(Dict::new()));
                        let value = Value::Dict(Rc::clone(&dict));
                        names.borrow_mut().insert("__annotations__".into(), value);
                        dict
                    }
                };
                let key = Key::Str(Rc::clone(&name));
                annotations
                    .borrow_mut()
                    .insert(key, (Value::Str(name), text));
            }
            _ => {}
        }
        Ok(())
    }

    fn make_function(&mut self, frame: &mut Frame, at: u32, defaults: u32, named: u32) {
        let Some(code) = frame.code.codes.get(at as usize).cloned() else {
            return;
        };
        let mut pairs = frame.take(named * 2).into_iter();
        let mut named_defaults = Vec::new();
        while let (Some(name), Some(value)) = (pairs.next(), pairs.next()) {
            named_defaults.extend(name.as_str().map(|name| (name, value)));
        }
        let defaults = frame.take(defaults);
        let mut variables = Vec::new();
        for name in &code.free {
            let own = frame.code.cells.iter().position(|(cell, _)| cell == name);
            let outer = || {
                let at = frame.code.free.iter().position(|free| free == name)?;
                Some(frame.code.cells.len() + at)
            };
            if let Some(variable) = own.or_else(outer).and_then(|at| frame.variables.get(at)) {
                variables.push(Rc::clone(variable));
            }
        }
        frame.push(Value::Closure(Rc::new(Closure {
            code,
            globals: Rc::clone(&frame.globals),
            defaults,
            named_defaults,
            variables,
            owner: std::cell::RefCell::new(None),
            attributes: std::cell::RefCell::default(),
        })));
    }

    /// The iterator is below what was sent; yields its values one by one.
    fn yield_from(&mut self, frame: &mut Frame) -> Res<Flow> {
        let sent = frame.pop();
        let iterator = frame.top();
        let exit = match &iterator {
            Value::Generator(inner) => self.resume(inner, Ok(sent))?,
            _ if !sent.is_none() => {
                let value = self.call_method(&iterator, &"send".into(), vec![sent])?;
                Exit::Yield(value)
            }
            _ => match self.next(&iterator)? {
                Some(value) => Exit::Yield(value),
                None => Exit::Return(Value::None),
            },
        };
        match exit {
            Exit::Yield(value) => {
                frame.at -= 1;
                Ok(Flow::Exit(Exit::Yield(value)))
            }
            Exit::Return(value) => {
                frame.pop();
                frame.push(value);
                Ok(Flow::Next)
            }
        }
    }

    fn unbound(&mut self, name: &str) -> Fault {
        self.error(
            "UnboundLocalError",
            format!(
                "cannot access local variable '{name}' where it is not associated with a value"
            ),
        )
    }

    pub(crate) fn compare_op(&mut self, op: CompareOp, left: &Value, right: &Value) -> Res<Value> {
        Ok(Value::Bool(match op {
            CompareOp::Is => left.is(right),
            CompareOp::IsNot => !left.is(right),
            CompareOp::In => self.contains(right, left)?,
            CompareOp::NotIn => !self.contains(right, left)?,
            CompareOp::Eq => return self.equality(left, right),
            CompareOp::Ne => return self.inequality(left, right),
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => {
                return self.order_op(op, left, right);
            }
        }))
    }
}

fn below(frame: &Frame, depth: u32) -> Option<Value> {
    let at = frame.stack.len().checked_sub(depth as usize + 1)?;
    frame.stack.get(at).cloned()
}

/// An entry that is there keeps its key and its place.
pub(crate) fn put(dict: &mut Dict, found: Key, key: Value, value: Value) {
    match dict.get_mut(&found) {
        Some(entry) => entry.1 = value,
        None => {
            dict.insert(found, (key, value));
        }
    }
}

fn variable_name(frame: &Frame, at: u32) -> Rc<str> {
    let at = at as usize;
    let own = frame.code.cells.get(at).map(|(name, _)| name);
    let name = own.or_else(|| {
        frame
            .code
            .free
            .get(at.saturating_sub(frame.code.cells.len()))
    });
    name.cloned().unwrap_or_else(|| "".into())
}
