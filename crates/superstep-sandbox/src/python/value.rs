//! Values of Python programs.

use std::{cell::RefCell, rc::Rc};

use indexmap::IndexMap;
use num_bigint::BigInt;

use super::{code::Code, fault::Res, vm::Vm};

pub(crate) use crate::syntax::ast::Name;
pub(crate) type Dict = IndexMap<Key, (Value, Value)>;
pub(crate) type Set = IndexMap<Key, Value>;
/// Names in the order in which they were set.
pub(crate) type Namespace = Rc<RefCell<IndexMap<Name, Value>>>;
pub(crate) type Variable = Rc<RefCell<Option<Value>>>;
pub(crate) type Function = fn(&mut Vm, Args) -> Res<Value>;

#[derive(Clone)]
pub(crate) enum Value {
    None,
    Ellipsis,
    NotImplemented,
    Bool(bool),
    Int(i64),
    Big(Rc<BigInt>),
    Float(f64),
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
    Tuple(Rc<[Value]>),
    List(Rc<RefCell<Vec<Value>>>),
    Dict(Rc<RefCell<Dict>>),
    Set(Rc<RefCell<Set>>),
    FrozenSet(Rc<Set>),
    View(Rc<View>),
    Range(Rc<Range>),
    Slice(Rc<[Value; 3]>),
    Closure(Rc<Closure>),
    Native(Rc<Native>),
    Method(Rc<(Value, Value)>),
    Class(Rc<Class>),
    Object(Rc<Object>),
    Module(Rc<Module>),
    Iter(Rc<RefCell<Iter>>),
    Generator(Rc<Generator>),
    Property(Rc<Property>),
    Static(Rc<Value>),
    OfClass(Rc<Value>),
    Super(Rc<(Rc<Class>, Value)>),
    /// `int | str`.
    Union(Rc<[Value]>),
}

/// What a dict finds its entries by: equal keys are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    None,
    Int(i64),
    Big(Rc<BigInt>),
    /// The bits of a number that is no integer.
    Float(u64),
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
    Tuple(Vec<Key>),
    Frozen(Vec<Key>),
    /// What is only equal to itself.
    Identity(usize),
    /// The number of a value whose class says itself what is equal (`Vm::number_of`).
    Own(usize),
}

/// `keys()`, `values()` or `items()` of a dict.
pub(crate) struct View {
    pub(crate) dict: Rc<RefCell<Dict>>,
    pub(crate) kind: ViewKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ViewKind {
    Keys,
    Values,
    Items,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: i64,
    pub(crate) stop: i64,
    pub(crate) step: i64,
}

impl Range {
    pub(crate) fn len(self) -> usize {
        let (start, stop, step) = (
            i128::from(self.start),
            i128::from(self.stop),
            i128::from(self.step),
        );
        let span = match step > 0 {
            true => stop - start,
            false => start - stop,
        };
        let step = step.abs().max(1);
        usize::try_from(((span + step - 1) / step).max(0)).unwrap_or(usize::MAX)
    }

    pub(crate) fn get(self, at: usize) -> Option<i64> {
        if at >= self.len() {
            return None;
        }
        let at = i64::try_from(at).ok()?;
        self.start.checked_add(at.checked_mul(self.step)?)
    }
}

/// A function of the program.
pub(crate) struct Closure {
    pub(crate) code: Rc<Code>,
    pub(crate) globals: Namespace,
    pub(crate) defaults: Vec<Value>,
    pub(crate) named_defaults: Vec<(Name, Value)>,
    pub(crate) variables: Vec<Variable>,
    /// The class in whose body it stands, for `super()`.
    pub(crate) owner: RefCell<Option<Rc<Class>>>,
    pub(crate) attributes: RefCell<Attributes>,
}

/// A function of the interpreter.
pub(crate) struct Native {
    pub(crate) name: Name,
    pub(crate) call: Function,
}

/// What a function is called with.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) plain: Vec<Value>,
    pub(crate) named: Vec<(Name, Value)>,
}

/// Attributes of an object, in the order in which they were set.
pub(crate) enum Attributes {
    Own(Vec<(Name, Value)>),
    /// The `__dict__` of an object, once a program has asked for it.
    Shared(Rc<RefCell<Dict>>),
}

impl Default for Attributes {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

impl Attributes {
    pub(crate) fn get(&self, name: &str) -> Option<Value> {
        match self {
            Self::Own(pairs) => {
                let found = pairs.iter().find(|(known, _)| &**known == name);
                found.map(|(_, value)| value.clone())
            }
            Self::Shared(dict) => {
                let found = dict.borrow();
                found
                    .get(&Key::Str(name.into()))
                    .map(|(_, value)| value.clone())
            }
        }
    }

    pub(crate) fn set(&mut self, name: &Name, value: Value) {
        match self {
            Self::Own(pairs) => match pairs.iter_mut().find(|(known, _)| known == name) {
                Some((_, old)) => *old = value,
                None => pairs.push((Rc::clone(name), value)),
            },
            Self::Shared(dict) => {
                let key = Key::Str(Rc::clone(name));
                dict.borrow_mut()
                    .insert(key, (Value::Str(Rc::clone(name)), value));
            }
        }
    }

    pub(crate) fn remove(&mut self, name: &str) -> bool {
        match self {
            Self::Own(pairs) => {
                let before = pairs.len();
                pairs.retain(|(known, _)| &**known != name);
                pairs.len() != before
            }
            Self::Shared(dict) => {
                let gone = dict.borrow_mut().shift_remove(&Key::Str(name.into()));
                gone.is_some()
            }
        }
    }

    pub(crate) fn pairs(&self) -> Vec<(Name, Value)> {
        match self {
            Self::Own(pairs) => pairs.clone(),
            Self::Shared(dict) => {
                let dict = dict.borrow();
                let pairs = dict.values();
                pairs
                    .filter_map(|(name, value)| Some((name.as_str()?, value.clone())))
                    .collect()
            }
        }
    }

    /// The attributes as a dict that changes with them.
    pub(crate) fn share(&mut self) -> Rc<RefCell<Dict>> {
        if let Self::Shared(dict) = self {
            return Rc::clone(dict);
        }
        let pairs = self.pairs().into_iter();
        let entries = pairs.map(|(name, value)| {
            let key = Key::Str(Rc::clone(&name));
            (key, (Value::Str(name), value))
        });
        let dict = Rc::new(RefCell::new(entries.collect()));
        *self = Self::Shared(Rc::clone(&dict));
        dict
    }
}

pub(crate) struct Class {
    pub(crate) name: Name,
    /// The classes that it names, and all that it inherits from, the nearest first.
    pub(crate) bases: Vec<Rc<Class>>,
    pub(crate) ancestors: Vec<Rc<Class>>,
    pub(crate) attributes: RefCell<Attributes>,
    /// The type of the interpreter that it is, or is made from.
    pub(crate) kind: Kind,
    /// Whether it is that type itself.
    pub(crate) is_builtin: bool,
    /// Whether it says itself what calling it does, as an `Enum`.
    pub(crate) is_called_by_itself: bool,
    /// The only attributes that its objects may have, where it says so.
    pub(crate) slots: RefCell<Option<Rc<[Name]>>>,
}

/// Types of the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Object,
    Exception,
    Type,
    None,
    Ellipsis,
    NotImplemented,
    Bool,
    Int,
    Float,
    Str,
    Bytes,
    Tuple,
    List,
    Dict,
    Set,
    FrozenSet,
    View,
    Range,
    Slice,
    Function,
    Native,
    Method,
    Module,
    Iterator,
    Generator,
    Property,
    Static,
    OfClass,
    Super,
    Union,
}

impl Kind {
    /// Whether a type has a method of those that many types have.
    pub(crate) fn offers(self, method: &str) -> bool {
        let is_number = matches!(self, Self::Int | Self::Float | Self::Bool);
        let is_sequence = matches!(self, Self::Str | Self::Bytes | Self::Tuple | Self::List);
        let is_mapped = matches!(self, Self::Dict | Self::Range);
        let is_set = matches!(self, Self::Set | Self::FrozenSet | Self::View);
        let is_iterator = matches!(self, Self::Iterator | Self::Generator);
        match method {
            "__next__" => is_iterator,
            "__iter__" => is_sequence || is_mapped || is_set || is_iterator,
            "__len__" | "__contains__" => is_sequence || is_mapped || is_set,
            "__getitem__" => is_sequence || is_mapped,
            "__add__" | "__mul__" => is_number || is_sequence,
            "__sub__" | "__or__" | "__and__" => is_number || is_set || self == Self::Dict,
            "__bool__" => is_number,
            _ => true,
        }
    }

    /// Whether values of a type do by themselves what such a method does.
    fn has(self, method: &str) -> bool {
        let is_compared = matches!(
            method,
            "__eq__" | "__ne__" | "__hash__" | "__lt__" | "__le__" | "__gt__" | "__ge__"
        );
        match self {
            Self::Object | Self::Exception | Self::Type => false,
            Self::Int | Self::Float | Self::Bool => {
                is_compared
                    || matches!(
                        method,
                        "__add__"
                            | "__sub__"
                            | "__mul__"
                            | "__or__"
                            | "__and__"
                            | "__xor__"
                            | "__invert__"
                            | "__bool__"
                    )
            }
            _ => {
                is_compared
                    || matches!(
                        method,
                        "__len__"
                            | "__iter__"
                            | "__contains__"
                            | "__getitem__"
                            | "__add__"
                            | "__mul__"
                    )
            }
        }
    }
}

impl Class {
    /// An attribute of the class or of one that it inherits from.
    pub(crate) fn find(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.attributes.borrow().get(name) {
            return Some(value);
        }
        for class in &self.ancestors {
            if let Some(value) = class.attributes.borrow().get(name) {
                return Some(value);
            }
            if class.is_builtin && class.kind.has(name) {
                return None;
            }
        }
        None
    }

    pub(crate) fn is_below(&self, other: &Class) -> bool {
        std::ptr::eq(self, other)
            || self
                .ancestors
                .iter()
                .any(|class| std::ptr::eq(&**class, other))
    }
}

/// An object of a class of the program.
pub(crate) struct Object {
    pub(crate) class: Rc<Class>,
    pub(crate) attributes: RefCell<Attributes>,
    /// The list, dict, text or number that it is, if its class inherits from one.
    pub(crate) payload: RefCell<Value>,
}

pub(crate) struct Module {
    pub(crate) name: Name,
    pub(crate) names: Namespace,
}

pub(crate) struct Property {
    pub(crate) get: Value,
    pub(crate) set: Value,
    pub(crate) delete: Value,
}

/// Where an iteration is.
pub(crate) enum Iter {
    List(Rc<RefCell<Vec<Value>>>, usize),
    Tuple(Rc<[Value]>, usize),
    Str(Rc<str>, usize),
    Bytes(Rc<[u8]>, usize),
    Range(Range, usize),
    /// A dict, where in it, what is wanted, and its size at the beginning.
    Dict(Rc<RefCell<Dict>>, usize, ViewKind, usize),
    Set(Rc<RefCell<Set>>, usize, usize),
    Values(std::vec::IntoIter<Value>),
    Zip(Vec<Value>, bool),
    Map(Value, Vec<Value>),
    Filter(Value, Value),
    Enumerate(Value, i64),
    /// Calls a function until it gives a value.
    Calls(Value, Value),
    /// Elements by number, until there is none.
    Index(Value, i64),
    Done,
}

/// A function that waits at a `yield`.
pub(crate) struct Generator {
    pub(crate) name: Name,
    pub(crate) frame: RefCell<Option<Box<super::vm::Frame>>>,
    pub(crate) is_running: std::cell::Cell<bool>,
}

impl Value {
    pub(crate) fn str(text: impl Into<Rc<str>>) -> Self {
        Self::Str(text.into())
    }

    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(RefCell::new(items)))
    }

    pub(crate) fn tuple(items: Vec<Self>) -> Self {
        Self::Tuple(items.into())
    }

    pub(crate) fn dict(entries: Dict) -> Self {
        Self::Dict(Rc::new(RefCell::new(entries)))
    }

    pub(crate) fn set(entries: Set) -> Self {
        Self::Set(Rc::new(RefCell::new(entries)))
    }

    pub(crate) fn iter(iter: Iter) -> Self {
        Self::Iter(Rc::new(RefCell::new(iter)))
    }

    pub(crate) fn native(name: &str, call: Function) -> Self {
        let name = name.into();
        Self::Native(Rc::new(Native { name, call }))
    }

    pub(crate) fn int(value: impl TryInto<i64>) -> Self {
        Self::Int(value.try_into().unwrap_or(i64::MAX))
    }

    pub(crate) fn big(value: BigInt) -> Self {
        match i64::try_from(&value) {
            Ok(small) => Self::Int(small),
            Err(_) => Self::Big(Rc::new(value)),
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Whether two values are the same one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None)
            | (Self::Ellipsis, Self::Ellipsis)
            | (Self::NotImplemented, Self::NotImplemented) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Str(a), Self::Str(b)) => a == b,
            _ => match (self.address(), other.address()) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }

    /// Where a value is, for those that are the same only if they are at the same place.
    pub(crate) fn address(&self) -> Option<usize> {
        fn of<T: ?Sized>(rc: &Rc<T>) -> Option<usize> {
            Some(Rc::as_ptr(rc).cast::<u8>() as usize)
        }
        match self {
            Self::Big(it) => of(it),
            Self::Str(it) => of(it),
            Self::Bytes(it) => of(it),
            Self::Tuple(it) => of(it),
            Self::List(it) => of(it),
            Self::Dict(it) => of(it),
            Self::Set(it) => of(it),
            Self::FrozenSet(it) => of(it),
            Self::View(it) => of(it),
            Self::Range(it) => of(it),
            Self::Slice(it) => of(it),
            Self::Closure(it) => of(it),
            Self::Native(it) => of(it),
            Self::Method(it) => of(it),
            Self::Class(it) => of(it),
            Self::Object(it) => of(it),
            Self::Module(it) => of(it),
            Self::Iter(it) => of(it),
            Self::Generator(it) => of(it),
            Self::Property(it) => of(it),
            Self::Static(it) | Self::OfClass(it) => of(it),
            Self::Super(it) => of(it),
            Self::Union(it) => of(it),
            _ => None,
        }
    }

    /// The type of the interpreter.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::None => Kind::None,
            Self::Ellipsis => Kind::Ellipsis,
            Self::NotImplemented => Kind::NotImplemented,
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) | Self::Big(_) => Kind::Int,
            Self::Float(_) => Kind::Float,
            Self::Str(_) => Kind::Str,
            Self::Bytes(_) => Kind::Bytes,
            Self::Tuple(_) => Kind::Tuple,
            Self::List(_) => Kind::List,
            Self::Dict(_) => Kind::Dict,
            Self::Set(_) => Kind::Set,
            Self::FrozenSet(_) => Kind::FrozenSet,
            Self::View(_) => Kind::View,
            Self::Range(_) => Kind::Range,
            Self::Slice(_) => Kind::Slice,
            Self::Closure(_) => Kind::Function,
            Self::Native(_) => Kind::Native,
            Self::Method(_) => Kind::Method,
            Self::Class(_) => Kind::Type,
            Self::Object(object) => object.class.kind,
            Self::Module(_) => Kind::Module,
            Self::Iter(_) => Kind::Iterator,
            Self::Generator(_) => Kind::Generator,
            Self::Property(_) => Kind::Property,
            Self::Static(_) => Kind::Static,
            Self::OfClass(_) => Kind::OfClass,
            Self::Super(_) => Kind::Super,
            Self::Union(_) => Kind::Union,
        }
    }

    /// The text, also of an object whose class inherits from `str`.
    pub(crate) fn as_str(&self) -> Option<Rc<str>> {
        match self {
            Self::Str(text) => Some(Rc::clone(text)),
            Self::Object(object) => match &*object.payload.borrow() {
                Self::Str(text) => Some(Rc::clone(text)),
                _ => None,
            },
            _ => None,
        }
    }

    /// What an object is made from, if its class inherits from a type of the interpreter.
    pub(crate) fn plain(&self) -> Self {
        match self {
            Self::Object(object) => match &*object.payload.borrow() {
                Self::None => self.clone(),
                payload => payload.clone(),
            },
            _ => self.clone(),
        }
    }

    pub(crate) fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Bool(value) => Some(i64::from(*value)),
            Self::Object(object) => match &*object.payload.borrow() {
                Self::Int(value) => Some(*value),
                _ => None,
            },
            _ => None,
        }
    }
}
