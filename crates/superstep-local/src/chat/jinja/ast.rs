//! The tree of a template.
//!
//! Runs of operators, of suffixes and of `elif` are lists and not trees, so that the depth of the tree
//! is the nesting of the template, which the parser limits.

use std::sync::Arc;

use super::value::Value;

/// A part of a template.
pub(super) enum Stmt {
    Text(Arc<str>),
    Emit(Expr),
    If {
        branches: Vec<(Expr, Vec<Stmt>)>,
        otherwise: Vec<Stmt>,
    },
    For(Box<For>),
    Set(Vec<Target>, Expr),
    /// `{% set x %}…{% endset %}`
    Capture(Target, Vec<Stmt>),
    Break,
    Continue,
}

/// A loop.
pub(super) struct For {
    pub(super) targets: Vec<Arc<str>>,
    pub(super) items: Expr,
    pub(super) only: Option<Expr>,
    pub(super) body: Vec<Stmt>,
    pub(super) otherwise: Vec<Stmt>,
}

/// What is assigned to: a variable, or a field of a namespace.
pub(super) struct Target {
    pub(super) name: Arc<str>,
    pub(super) field: Option<Arc<str>>,
}

/// What has a value.
pub(super) enum Expr {
    Const(Value),
    Var(Arc<str>),
    List(Vec<Expr>),
    Dict(Vec<(Expr, Expr)>),
    /// A function of that name.
    Call(Arc<str>, Args),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    Chain(Box<Expr>, Vec<(Operator, Expr)>),
    Choice {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Option<Box<Expr>>,
    },
    Suffixed(Box<Expr>, Vec<Suffix>),
}

/// What is behind a value.
pub(super) enum Suffix {
    Attribute(Arc<str>),
    Index(Expr),
    Slice([Option<Expr>; 3]),
    Method(Arc<str>, Args),
    Filter(Arc<str>, Args),
    Test {
        name: Arc<str>,
        args: Args,
        is_negated: bool,
    },
}

/// Arguments, by position and by name.
#[derive(Default)]
pub(super) struct Args {
    pub(super) plain: Vec<Expr>,
    pub(super) named: Vec<(Arc<str>, Expr)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
    In,
    NotIn,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Concat,
    Multiply,
    Divide,
    DivideDown,
    Remainder,
    Power,
}
