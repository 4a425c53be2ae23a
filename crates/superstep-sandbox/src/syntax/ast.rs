//! The tree of a program.

use std::rc::Rc;

use num_bigint::BigInt;

pub(crate) type Name = Rc<str>;

#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) line: u32,
    pub(crate) kind: StmtKind,
}

#[derive(Debug)]
pub(crate) enum StmtKind {
    Expr(Expr),
    Assign {
        targets: Vec<Expr>,
        value: Expr,
    },
    AugAssign {
        target: Expr,
        op: BinaryOp,
        value: Expr,
    },
    AnnAssign {
        target: Expr,
        annotation: Expr,
        value: Option<Expr>,
    },
    Return(Option<Expr>),
    Raise {
        exception: Option<Expr>,
        cause: Option<Expr>,
    },
    Assert {
        test: Expr,
        message: Option<Expr>,
    },
    Delete(Vec<Expr>),
    Pass,
    Break,
    Continue,
    Global(Vec<Name>),
    Nonlocal(Vec<Name>),
    Import(Vec<Alias>),
    ImportFrom {
        module: Name,
        /// None for `*`.
        names: Option<Vec<Alias>>,
    },
    If {
        test: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    While {
        test: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    For {
        target: Expr,
        iter: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    Try {
        body: Vec<Stmt>,
        handlers: Vec<Handler>,
        orelse: Vec<Stmt>,
        finally: Rc<[Stmt]>,
    },
    With {
        items: Vec<(Expr, Option<Expr>)>,
        body: Vec<Stmt>,
    },
    Function(FunctionDef),
    Class(ClassDef),
    Match {
        subject: Expr,
        cases: Vec<Case>,
    },
}

/// `import a.b as c`, or one name of `from a import b as c`.
#[derive(Debug)]
pub(crate) struct Alias {
    pub(crate) name: Name,
    pub(crate) bound: Option<Name>,
}

#[derive(Debug)]
pub(crate) struct Handler {
    pub(crate) line: u32,
    pub(crate) class: Option<Expr>,
    pub(crate) name: Option<Name>,
    pub(crate) body: Vec<Stmt>,
}

#[derive(Debug)]
pub(crate) struct FunctionDef {
    pub(crate) name: Name,
    pub(crate) params: Params,
    pub(crate) body: Vec<Stmt>,
    pub(crate) decorators: Vec<Expr>,
}

#[derive(Debug)]
pub(crate) struct ClassDef {
    pub(crate) name: Name,
    pub(crate) bases: Vec<Argument>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) decorators: Vec<Expr>,
}

/// What a function takes.
#[derive(Debug, Default)]
pub(crate) struct Params {
    /// By place or by name; the first `positional_only` by place alone.
    pub(crate) plain: Vec<Param>,
    pub(crate) positional_only: usize,
    pub(crate) star: Option<Name>,
    /// By name alone.
    pub(crate) named: Vec<Param>,
    pub(crate) double_star: Option<Name>,
}

#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) name: Name,
    pub(crate) default: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) line: u32,
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Vec<Stmt>,
}

#[derive(Debug)]
pub(crate) enum Pattern {
    Any,
    Capture(Name),
    Value(Expr),
    Or(Vec<Pattern>),
    As(Box<Pattern>, Name),
    Sequence(Vec<Pattern>),
    /// The rest of a sequence, with the name that it gets.
    Rest(Option<Name>),
    /// Patterns of some values of a mapping by their keys, and the name that the rest gets.
    Mapping(Vec<(Expr, Pattern)>, Option<Name>),
    /// A class, with patterns of attributes by place and by name.
    Class(Expr, Vec<Pattern>, Vec<(Name, Pattern)>),
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) line: u32,
    pub(crate) kind: Box<ExprKind>,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Name(Name),
    None,
    Ellipsis,
    Bool(bool),
    Int(BigInt),
    Float(f64),
    Text(Rc<str>),
    Bytes(Rc<[u8]>),
    Format(Vec<FormatPart>),
    Tuple(Vec<Expr>),
    List(Vec<Expr>),
    Set(Vec<Expr>),
    /// A pair without a key is `**value`.
    Dict(Vec<(Option<Expr>, Expr)>),
    Attribute(Expr, Name),
    Subscript(Expr, Expr),
    Slice(Option<Expr>, Option<Expr>, Option<Expr>),
    Call(Expr, Vec<Argument>),
    Unary(UnaryOp, Expr),
    Binary(BinaryOp, Expr, Expr),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Compare(Expr, Vec<(CompareOp, Expr)>),
    /// `body if test else orelse`
    If {
        test: Expr,
        body: Expr,
        orelse: Expr,
    },
    Lambda(Rc<Params>, Expr),
    Comprehension(Rc<Comprehension>),
    Yield(Option<Expr>),
    YieldFrom(Expr),
    Star(Expr),
    Named(Name, Expr),
}

#[derive(Debug)]
pub(crate) struct Comprehension {
    pub(crate) kind: ComprehensionKind,
    pub(crate) element: Expr,
    /// The value, where the element is the key of a dict.
    pub(crate) value: Option<Expr>,
    pub(crate) loops: Vec<Loop>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComprehensionKind {
    List,
    Set,
    Dict,
    Generator,
}

/// `for target in iter if …`
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) target: Expr,
    pub(crate) iter: Expr,
    pub(crate) conditions: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub(crate) enum FormatPart {
    Text(Rc<str>),
    Field {
        value: Expr,
        conversion: Option<char>,
        spec: Vec<FormatPart>,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Plain(Expr),
    Star(Expr),
    Named(Name, Expr),
    DoubleStar(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Not,
    Minus,
    Plus,
    Invert,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Pow,
    And,
    Or,
    Xor,
    LeftShift,
    RightShift,
    MatMul,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Is,
    IsNot,
    In,
    NotIn,
}
