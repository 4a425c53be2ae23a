//! Exceptions: how they are made, raised, matched and shown.

use std::{fmt::Write as _, rc::Rc};

use super::{Frame, Vm};
use crate::{
    fault::Raised,
    python::{
        fault::{Fault, Res, Thrown},
        value::{Args, Class, Name, Object, Value},
    },
};

impl Vm {
    /// An exception of the interpreter.
    pub(crate) fn error(&mut self, class: &'static str, message: impl Into<String>) -> Fault {
        let text = Value::str(message.into());
        self.throw(class, vec![text])
    }

    pub(crate) fn throw(&mut self, class: &'static str, args: Vec<Value>) -> Fault {
        let found = self.exceptions.get(class);
        let class = match found.or_else(|| self.exceptions.get("Exception")) {
            Some(class) => Rc::clone(class),
            None => self.class_of(&Value::None),
        };
        let object = Object {
            class,
            attributes: Default::default(),
            payload: std::cell::RefCell::new(Value::None),
        };
        let args = Value::tuple(args);
        object.attributes.borrow_mut().set(&"args".into(), args);
        thrown(Value::Object(Rc::new(object)))
    }

    pub(super) fn exception_methods(&mut self, class: &Class) {
        let init = Value::native("__init__", |vm, args| {
            let object = args.get(0);
            let rest = args.plain.into_iter().skip(1).collect();
            vm.set_plainly(&object, &"args".into(), Value::tuple(rest))?;
            Ok(Value::None)
        });
        let with_traceback = Value::native("with_traceback", |_, args| Ok(args.get(0)));
        let mut attributes = class.attributes.borrow_mut();
        attributes.set(&"__init__".into(), init);
        attributes.set(&"with_traceback".into(), with_traceback);
        let add_note = Value::native("add_note", |vm, args| {
            let name: Name = "__notes__".into();
            let notes = match vm.find_attribute(&args.get(0), &name)? {
                Some(Value::List(notes)) => notes,
                _ => Rc::default(),
            };
            notes.borrow_mut().push(args.get(1));
            vm.set_plainly(&args.get(0), &name, Value::List(notes))?;
            Ok(Value::None)
        });
        attributes.set(&"add_note".into(), add_note);
        for name in ["__cause__", "__context__", "__traceback__"] {
            attributes.set(&name.into(), Value::None);
        }
    }

    /// Attributes that exceptions of the interpreter take from their arguments.
    pub(super) fn exception_attribute(&self, exception: &Value, name: &str) -> Option<Value> {
        let Value::Object(it) = exception else {
            return None;
        };
        let (class, at, least) = match name {
            "value" => ("StopIteration", 0, 0),
            "code" => ("SystemExit", 0, 0),
            "errno" => ("OSError", 0, 2),
            "strerror" => ("OSError", 1, 2),
            "filename" => ("OSError", 2, 2),
            _ => return None,
        };
        let class = self.exceptions.get(class)?;
        let Some(Value::Tuple(args)) = it.attributes.borrow().get("args") else {
            return None;
        };
        let has_it = it.class.is_below(class) && args.len() >= least;
        Some(match has_it {
            true => args.get(at).cloned().unwrap_or(Value::None),
            false if it.class.is_below(class) => Value::None,
            false => return None,
        })
    }

    /// `raise` with so many values on the stack.
    pub(super) fn raise(&mut self, frame: &mut Frame, count: u32) -> Fault {
        let cause = match count {
            2 => Some(frame.pop()),
            _ => None,
        };
        if count == 0 {
            return match frame.handling.last() {
                Some((exception, trace)) => Fault::Thrown(Box::new(Thrown {
                    exception: exception.clone(),
                    trace: trace.clone(),
                })),
                None => self.error("RuntimeError", "No active exception to reraise"),
            };
        }
        let value = frame.pop();
        match self.raisable(&value) {
            Ok(exception) => {
                if let (Value::Object(it), Some((context, _))) = (&exception, frame.handling.last())
                    && !context.is(&exception)
                {
                    let mut attributes = it.attributes.borrow_mut();
                    attributes.set(&"__context__".into(), context.clone());
                }
                if let (Value::Object(it), Some(cause)) = (&exception, cause) {
                    let cause = match cause {
                        Value::None => cause,
                        cause => match self.raisable(&cause) {
                            Ok(cause) => cause,
                            Err(fault) => return fault,
                        },
                    };
                    it.attributes.borrow_mut().set(&"__cause__".into(), cause);
                }
                thrown(exception)
            }
            Err(fault) => fault,
        }
    }

    /// The exception that a value in `raise` stands for.
    pub(crate) fn raisable(&mut self, value: &Value) -> Res<Value> {
        let exception = match value {
            Value::Class(class) if self.is_exception_class(class) => {
                self.call(value, Args::default())?
            }
            other => other.clone(),
        };
        match &exception {
            Value::Object(it) if self.is_exception_class(&it.class) => Ok(exception),
            _ => Err(self.error("TypeError", "exceptions must derive from BaseException")),
        }
    }

    fn is_exception_class(&self, class: &Class) -> bool {
        let base = self.exceptions.get("BaseException");
        base.is_some_and(|base| class.is_below(base))
    }

    pub(super) fn is_exception(&mut self, exception: &Value, class: &Value) -> Res<bool> {
        match class {
            Value::Class(class) => Ok(self.class_of(exception).is_below(class)),
            Value::Tuple(classes) => {
                for class in classes.iter() {
                    if self.is_exception(exception, class)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Err(self.error(
                "TypeError",
                "catching classes that do not inherit from BaseException is not allowed",
            )),
        }
    }

    /// Whether a fault is an exception of a class.
    pub(crate) fn is_fault(&self, fault: &Fault, class: &str) -> bool {
        match (fault, self.exceptions.get(class)) {
            (Fault::Thrown(thrown), Some(class)) => {
                self.class_of(&thrown.exception).is_below(class)
            }
            _ => false,
        }
    }

    /// What an exception says.
    pub(crate) fn exception_text(&mut self, exception: &Value) -> Res<String> {
        let Value::Object(it) = exception else {
            return Ok(String::new());
        };
        let args = it.attributes.borrow().get("args");
        let Some(Value::Tuple(args)) = args else {
            return Ok(String::new());
        };
        let is_key = self
            .exceptions
            .get("KeyError")
            .is_some_and(|class| it.class.is_below(class));
        let is_os = self
            .exceptions
            .get("OSError")
            .is_some_and(|class| it.class.is_below(class));
        match &*args {
            [number, text] if is_os => Ok(format!(
                "[Errno {}] {}",
                self.text_of(number)?,
                self.text_of(text)?
            )),
            [] => Ok(String::new()),
            [only] if is_key => self.repr(only),
            [only] => self.text_of(only),
            _ => self.repr(&Value::Tuple(args)),
        }
    }

    /// An exception as it is told to those who wrote the program.
    pub(crate) fn raised(&mut self, thrown: &Thrown, program: &str, file: &str) -> Raised {
        let class = self.type_name(&thrown.exception).to_string();
        let message = match self.text_of(&thrown.exception) {
            Ok(text) => text,
            Err(_) => "<exception str() failed>".to_owned(),
        };
        let lines: Vec<&str> = program.lines().collect();
        let mut traceback = String::from("Traceback (most recent call last):\n");
        let own = thrown
            .trace
            .iter()
            .rev()
            .filter(|place| &*place.file == file);
        let own: Vec<_> = own.collect();
        let mut line = None;
        for (at, place) in own.iter().enumerate() {
            line = Some(place.line);
            // A recursion that went too deep fills pages otherwise.
            if own.len() > 24 && at >= 12 && at + 12 < own.len() {
                if at == 12 {
                    let _ = writeln!(traceback, "  [{} more calls]", own.len() - 24);
                }
                continue;
            }
            let _ = writeln!(
                traceback,
                "  File \"{file}\", line {}, in {}",
                place.line, place.function
            );
            let at = usize::try_from(place.line).unwrap_or(0).saturating_sub(1);
            if let Some(text) = lines.get(at) {
                let _ = writeln!(traceback, "    {}", text.trim());
            }
        }
        match message.is_empty() {
            true => traceback.push_str(&class),
            false => {
                let _ = write!(traceback, "{class}: {message}");
            }
        }
        Raised {
            class,
            message,
            line,
            traceback,
        }
    }
}

pub(crate) fn thrown(exception: Value) -> Fault {
    Fault::Thrown(Box::new(Thrown {
        exception,
        trace: Vec::new(),
    }))
}
