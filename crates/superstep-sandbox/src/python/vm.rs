//! The machine that runs instructions. Its state is here; `exec` is its loop.

mod attribute;
mod call;
mod class;
mod compare;
mod exception;
mod exec;
mod hash;
mod import;
mod item;
mod iterate;
mod matching;
mod operators;

pub(crate) use exec::{Exit, put};
pub(crate) use operators::floor_divide;

use std::{cell::RefCell, collections::HashMap, rc::Rc, time::Instant};

use indexmap::IndexMap;

use super::{
    code::Code,
    fault::{Fault, Res, TraceLine},
    modules::{random, sheet::Host},
    value::{Class, Kind, Name, Namespace, Value, Variable},
};
use crate::fault::Stop;

pub(crate) struct Vm {
    pub(crate) builtins: HashMap<Name, Value>,
    pub(crate) classes: HashMap<Kind, Rc<Class>>,
    pub(crate) exceptions: HashMap<&'static str, Rc<Class>>,
    pub(crate) modules: HashMap<Name, Value>,
    pub(crate) output: Output,
    pub(crate) host: Host,
    /// Generators of random numbers that the program has.
    pub(crate) random: Vec<random::Twister>,
    /// Values whose classes say what is equal, by their hashes, with a number for those that are.
    pub(crate) numbered: HashMap<i64, Vec<(Value, usize)>>,
    pub(crate) patterns: HashMap<(Rc<str>, Rc<str>), Rc<fancy_regex::Regex>>,
    depth: usize,
    most_depth: usize,
    deadline: Instant,
    ticks: u32,
    /// How many bytes one value may have.
    largest: usize,
}

/// What a program printed.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) text: String,
    pub(crate) dropped: u64,
    pub(crate) most: usize,
}

impl Output {
    pub(crate) fn write(&mut self, text: &str) {
        let room = self.most.saturating_sub(self.text.len());
        if text.len() <= room && self.dropped == 0 {
            self.text.push_str(text);
            return;
        }
        let mut cut = room.min(text.len());
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        if self.dropped > 0 {
            cut = 0;
        }
        self.text.push_str(text.get(..cut).unwrap_or_default());
        self.dropped += (text.len() - cut) as u64;
    }
}

/// A function that runs, or waits at a `yield`.
pub(crate) struct Frame {
    pub(crate) code: Rc<Code>,
    pub(crate) globals: Namespace,
    /// The names of a class, while its body runs.
    pub(crate) names: Option<Namespace>,
    pub(crate) locals: Vec<Option<Value>>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) owner: Option<Rc<Class>>,
    stack: Vec<Value>,
    blocks: Vec<Guard>,
    /// Exceptions that are being handled, with where they passed through.
    handling: Vec<(Value, Vec<TraceLine>)>,
    at: usize,
}

/// A handler: where it is, and how much was on the stacks before.
#[derive(Clone, Copy)]
struct Guard {
    handler: u32,
    stack: usize,
    handling: usize,
}

impl Frame {
    pub(crate) fn new(code: Rc<Code>, globals: Namespace) -> Self {
        Self {
            locals: vec![None; code.locals.len()],
            code,
            globals,
            names: None,
            variables: Vec::new(),
            owner: None,
            stack: Vec::new(),
            blocks: Vec::new(),
            handling: Vec::new(),
            at: 0,
        }
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::None)
    }

    fn top(&self) -> Value {
        self.stack.last().cloned().unwrap_or(Value::None)
    }

    fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    fn take(&mut self, count: u32) -> Vec<Value> {
        let from = self.stack.len().saturating_sub(count as usize);
        self.stack.split_off(from)
    }

    /// Gives a value to the `yield` that the frame waits at.
    pub(crate) fn send(&mut self, value: Value) {
        self.stack.push(value);
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.at > 0
    }

    /// What `yield from` takes values from, while the frame waits there.
    fn delegate(&self) -> Option<Value> {
        match self.code.ops.get(self.at) {
            Some(super::code::Op::YieldFrom) => self.stack.last().cloned(),
            _ => None,
        }
    }

    /// Continues after `yield from`, which gives a value.
    fn end_delegate(&mut self, value: Value) {
        self.pop();
        self.push(value);
        self.at += 1;
    }
}

impl Vm {
    pub(crate) fn new(host: Host, limits: &crate::limits::Limits, deadline: Instant) -> Self {
        let mut vm = Self {
            builtins: HashMap::new(),
            classes: HashMap::new(),
            exceptions: HashMap::new(),
            modules: HashMap::new(),
            output: Output {
                most: limits.output,
                ..Output::default()
            },
            host,
            random: Vec::new(),
            numbered: HashMap::new(),
            patterns: HashMap::new(),
            depth: 0,
            most_depth: limits.depth,
            deadline,
            ticks: 0,
            largest: usize::try_from(limits.memory / 4).unwrap_or(usize::MAX),
        };
        vm.make_classes();
        vm.make_builtins();
        vm
    }

    /// Counts a piece of work; stops the program when its time is over.
    pub(crate) fn tick(&mut self) -> Res<()> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(4096) && Instant::now() >= self.deadline {
            return Err(Fault::Stop(Stop::Time));
        }
        Ok(())
    }

    /// Refuses a value of this many bytes before it is made.
    pub(crate) fn room(&mut self, bytes: usize) -> Res<()> {
        if bytes > self.largest {
            return Err(self.error(
                "MemoryError",
                "the value is larger than the sandbox permits",
            ));
        }
        Ok(())
    }

    /// Runs something one level deeper.
    pub(crate) fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= self.most_depth {
            return Err(self.error("RecursionError", "maximum recursion depth exceeded"));
        }
        self.depth += 1;
        let done = run(self);
        self.depth -= 1;
        done
    }

    pub(crate) fn namespace() -> Namespace {
        Rc::new(RefCell::new(IndexMap::new()))
    }
}
