//! Instructions, and the functions that they make up.

use std::rc::Rc;

use super::value::{Name, Value};
use crate::syntax::ast::{BinaryOp, CompareOp, UnaryOp};

/// One instruction. Numbers are places in the lists of [`Code`], targets of jumps, or counts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Const(u32),
    Pop,
    Dup,
    Dup2,
    Swap,
    Rotate3,
    LoadLocal(u32),
    StoreLocal(u32),
    DeleteLocal(u32),
    LoadVariable(u32),
    StoreVariable(u32),
    DeleteVariable(u32),
    LoadGlobal(u32),
    StoreGlobal(u32),
    DeleteGlobal(u32),
    /// In the body of a class.
    LoadName(u32),
    StoreName(u32),
    DeleteName(u32),
    LoadAttribute(u32),
    StoreAttribute(u32),
    DeleteAttribute(u32),
    LoadItem,
    StoreItem,
    DeleteItem,
    Unary(UnaryOp),
    Binary(BinaryOp),
    InPlace(BinaryOp),
    Compare(CompareOp),
    Tuple(u32),
    List(u32),
    Set(u32),
    Dict(u32),
    Slice,
    Join(u32),
    /// Below this many values is a collection that gets the value on top.
    ListAppend(u32),
    SetAdd(u32),
    DictAdd(u32),
    ListExtend,
    SetExtend,
    DictExtend,
    ListToTuple,
    /// With a conversion (0 for none) and whether a format is on top.
    Format(char, bool),
    Jump(u32),
    JumpIfFalse(u32),
    JumpIfTrue(u32),
    JumpIfFalseOrPop(u32),
    JumpIfTrueOrPop(u32),
    Iterate,
    /// The next value, or a jump.
    Next(u32),
    /// Arguments by place, and the place of the names of the others, or `u32::MAX`.
    Call(u32, u32),
    /// A list of arguments and a dict of named ones.
    CallSpread,
    /// A method by its name, with arguments by place.
    CallMethod(u32, u32),
    Super,
    /// A function of a code, with this many defaults and this many named ones.
    Function(u32, u32, u32),
    /// A class: its named arguments, name and body on the stack over this many bases.
    Class(u32),
    Return,
    Yield,
    YieldFrom,
    /// What happens from here on goes to a handler.
    Try(u32),
    EndTry,
    EndHandling,
    /// Whether the exception below is of the class on top.
    IsException,
    Raise(u32),
    Again,
    /// Class, exception and nothing for `__exit__`.
    ExitArguments,
    Import(u32),
    ImportFrom(u32),
    ImportAll,
    Unpack(u32),
    /// With so many before and after the starred one.
    UnpackStar(u32, u32),
    /// Whether the value is a sequence of this length, or, with a rest, at least of this length.
    IsSequence(u32, bool),
    /// The values of a mapping at so many keys on the stack, or nothing if one is missing.
    MatchKeys(u32),
    /// A mapping without so many keys on the stack.
    RestOfKeys(u32),
    /// The attributes that patterns by place stand for, of an object below its class.
    MatchPlaces(u32),
    /// An attribute in a tuple, or nothing if there is none.
    HasAttribute(u32),
    Annotate(u32),
}

/// A function, a class body or a program, as instructions.
pub(crate) struct Code {
    pub(crate) name: Name,
    /// The name with those of what it is in: `Table.rows`.
    pub(crate) path: Name,
    pub(crate) file: Name,
    pub(crate) ops: Vec<Op>,
    /// The line of each instruction.
    pub(crate) lines: Vec<u32>,
    pub(crate) constants: Vec<Value>,
    pub(crate) names: Vec<Name>,
    pub(crate) codes: Vec<Rc<Code>>,
    /// Names of arguments, for calls.
    pub(crate) keywords: Vec<Rc<[Name]>>,
    /// Locals by number, for messages; parameters come first.
    pub(crate) locals: Vec<Name>,
    /// Own variables that inner functions see; with the parameter that each takes its value from.
    pub(crate) cells: Vec<(Name, Option<u32>)>,
    /// Variables of outer functions.
    pub(crate) free: Vec<Name>,
    pub(crate) params: ParamShape,
    pub(crate) is_generator: bool,
    pub(crate) is_class: bool,
    pub(crate) doc: Option<Rc<str>>,
}

/// What a function takes.
#[derive(Default)]
pub(crate) struct ParamShape {
    pub(crate) plain: usize,
    pub(crate) positional_only: usize,
    pub(crate) named: usize,
    pub(crate) has_star: bool,
    pub(crate) has_double_star: bool,
}
