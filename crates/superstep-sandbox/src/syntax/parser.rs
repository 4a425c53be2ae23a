//! Makes a tree of words: statements here, expressions in `expression`, patterns in `pattern`.

mod compound;
mod expression;
mod pattern;

use std::rc::Rc;

use super::{
    Parsed, SyntaxError,
    ast::{Alias, BinaryOp, Expr, ExprKind, Name, Stmt, StmtKind},
    lexer,
    token::{KEYWORDS, Token, Word},
};

/// How deep expressions and statements may be nested.
const DEPTH: usize = 120;

/// The statements of a program.
pub(crate) fn parse(text: &str) -> Parsed<Vec<Stmt>> {
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser::new(tokens, 0, None);
    let mut body = Vec::new();
    while !parser.is(&Word::End) {
        parser.statement(&mut body)?;
    }
    Ok(body)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// The class around, whose private names are its own.
    class: Option<Name>,
}

impl Parser {
    fn new(tokens: Vec<Token>, depth: usize, class: Option<Name>) -> Self {
        Self {
            tokens,
            at: 0,
            depth,
            class,
        }
    }

    /// A name as it is known: `__name` in the class `Table` is `_Table__name`.
    fn known(&self, name: &Name) -> Name {
        match &self.class {
            Some(class) if name.starts_with("__") && !name.ends_with("__") => {
                format!("_{}{name}", class.trim_start_matches('_')).into()
            }
            _ => Rc::clone(name),
        }
    }

    fn kind(&self) -> &Word {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> &Word {
        match self.tokens.get(self.at + count) {
            Some(token) => &token.kind,
            None => &Word::End,
        }
    }

    fn line(&self) -> u32 {
        let token = self.tokens.get(self.at).or(self.tokens.last());
        token.map_or(1, |token| token.line)
    }

    fn is(&self, kind: &Word) -> bool {
        self.kind() == kind
    }

    fn is_op(&self, op: &str) -> bool {
        matches!(self.kind(), Word::Op(it) if *it == op)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Word::Name(it) if &**it == word)
    }

    fn next(&mut self) {
        self.at += 1;
    }

    fn eat_op(&mut self, op: &str) -> bool {
        let found = self.is_op(op);
        self.at += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn op(&mut self, op: &str) -> Parsed<()> {
        match self.eat_op(op) {
            true => Ok(()),
            false => self.fail(format!("expected '{op}'")),
        }
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        match self.eat_word(word) {
            true => Ok(()),
            false => self.fail(format!("expected '{word}'")),
        }
    }

    /// A name that is no keyword.
    fn name(&mut self) -> Parsed<Name> {
        match self.kind() {
            Word::Name(name) if !KEYWORDS.contains(&&**name) => {
                let name = self.known(name);
                self.next();
                Ok(name)
            }
            _ => self.fail("invalid syntax: a name is expected"),
        }
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(SyntaxError::new(self.line(), message))
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            return self.fail("too many levels of nesting");
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn statement(&mut self, body: &mut Vec<Stmt>) -> Parsed<()> {
        self.nested(|parser| match parser.compound()? {
            Some(statement) => {
                body.push(statement);
                Ok(())
            }
            None => parser.simple_line(body),
        })
    }

    /// Statements up to the end of the line.
    fn simple_line(&mut self, body: &mut Vec<Stmt>) -> Parsed<()> {
        loop {
            let line = self.line();
            let kind = self.simple()?;
            body.push(Stmt { line, kind });
            if self.eat_op(";") {
                if self.is(&Word::Newline) {
                    break;
                }
                continue;
            }
            break;
        }
        match self.kind() {
            Word::Newline => {
                self.next();
                Ok(())
            }
            Word::End => Ok(()),
            _ => self.fail("invalid syntax"),
        }
    }

    fn simple(&mut self) -> Parsed<StmtKind> {
        let word = match self.kind() {
            Word::Name(name) => Rc::clone(name),
            Word::Indent => return self.fail("unexpected indent"),
            _ => return self.expression_statement(),
        };
        match &*word {
            "pass" => self.alone(StmtKind::Pass),
            "break" => self.alone(StmtKind::Break),
            "continue" => self.alone(StmtKind::Continue),
            "return" => {
                self.next();
                let value = match self.is_line_end() {
                    true => None,
                    false => Some(self.expressions()?),
                };
                Ok(StmtKind::Return(value))
            }
            "raise" => {
                self.next();
                let mut exception = None;
                let mut cause = None;
                if !self.is_line_end() {
                    exception = Some(self.expression()?);
                    if self.eat_word("from") {
                        cause = Some(self.expression()?);
                    }
                }
                Ok(StmtKind::Raise { exception, cause })
            }
            "assert" => {
                self.next();
                let test = self.expression()?;
                let message = match self.eat_op(",") {
                    true => Some(self.expression()?),
                    false => None,
                };
                Ok(StmtKind::Assert { test, message })
            }
            "del" => {
                self.next();
                let mut targets = Vec::new();
                loop {
                    targets.push(self.expression()?);
                    if !self.eat_op(",") || self.is_line_end() {
                        break;
                    }
                }
                let targets: Vec<Expr> = targets
                    .into_iter()
                    .flat_map(|target| match *target.kind {
                        ExprKind::Tuple(items) | ExprKind::List(items) => items,
                        kind => vec![Expr {
                            line: target.line,
                            kind: Box::new(kind),
                        }],
                    })
                    .collect();
                for target in &targets {
                    self.check_target(target, "delete")?;
                }
                Ok(StmtKind::Delete(targets))
            }
            "global" | "nonlocal" => {
                self.next();
                let mut names = vec![self.name()?];
                while self.eat_op(",") {
                    names.push(self.name()?);
                }
                Ok(match &*word {
                    "global" => StmtKind::Global(names),
                    _ => StmtKind::Nonlocal(names),
                })
            }
            "import" => self.import(),
            "from" => self.import_from(),
            _ => self.expression_statement(),
        }
    }

    fn alone(&mut self, kind: StmtKind) -> Parsed<StmtKind> {
        self.next();
        Ok(kind)
    }

    fn is_line_end(&self) -> bool {
        matches!(self.kind(), Word::Newline | Word::End) || self.is_op(";")
    }

    fn dotted(&mut self) -> Parsed<Name> {
        let mut path = self.name()?.to_string();
        while self.eat_op(".") {
            path.push('.');
            path.push_str(&self.name()?);
        }
        Ok(path.into())
    }

    fn import(&mut self) -> Parsed<StmtKind> {
        self.next();
        let mut aliases = Vec::new();
        loop {
            let name = self.dotted()?;
            let bound = match self.eat_word("as") {
                true => Some(self.name()?),
                false => None,
            };
            aliases.push(Alias { name, bound });
            if !self.eat_op(",") {
                return Ok(StmtKind::Import(aliases));
            }
        }
    }

    fn import_from(&mut self) -> Parsed<StmtKind> {
        self.next();
        if self.is_op(".") || self.is_op("...") {
            return self.fail("a program has no package to import from");
        }
        let module = self.dotted()?;
        self.word("import")?;
        if self.eat_op("*") {
            let names = None;
            return Ok(StmtKind::ImportFrom { module, names });
        }
        let in_brackets = self.eat_op("(");
        let mut names = Vec::new();
        loop {
            let name = self.name()?;
            let bound = match self.eat_word("as") {
                true => Some(self.name()?),
                false => None,
            };
            names.push(Alias { name, bound });
            if !self.eat_op(",") || in_brackets && self.is_op(")") {
                break;
            }
        }
        if in_brackets {
            self.op(")")?;
        }
        let names = Some(names);
        Ok(StmtKind::ImportFrom { module, names })
    }

    fn expression_statement(&mut self) -> Parsed<StmtKind> {
        let first = self.expressions()?;
        if self.eat_op(":") {
            self.check_target(&first, "annotate")?;
            let annotation = self.expression()?;
            let value = match self.eat_op("=") {
                true => Some(self.expressions()?),
                false => None,
            };
            return Ok(StmtKind::AnnAssign {
                target: first,
                annotation,
                value,
            });
        }
        if let Some(op) = self.augmented() {
            self.next();
            self.check_target(&first, "assign to")?;
            if matches!(*first.kind, ExprKind::Tuple(_) | ExprKind::List(_)) {
                return self.fail("a tuple is an illegal expression for augmented assignment");
            }
            let value = self.expressions()?;
            return Ok(StmtKind::AugAssign {
                target: first,
                op,
                value,
            });
        }
        if !self.is_op("=") {
            return Ok(StmtKind::Expr(first));
        }
        let mut targets = vec![first];
        while self.eat_op("=") {
            targets.push(self.expressions()?);
        }
        let Some(value) = targets.pop() else {
            return self.fail("invalid syntax");
        };
        for target in &targets {
            self.check_target(target, "assign to")?;
        }
        Ok(StmtKind::Assign { targets, value })
    }

    fn augmented(&self) -> Option<BinaryOp> {
        let Word::Op(op) = self.kind() else {
            return None;
        };
        Some(match *op {
            "+=" => BinaryOp::Add,
            "-=" => BinaryOp::Sub,
            "*=" => BinaryOp::Mul,
            "/=" => BinaryOp::Div,
            "//=" => BinaryOp::FloorDiv,
            "%=" => BinaryOp::Mod,
            "**=" => BinaryOp::Pow,
            "&=" => BinaryOp::And,
            "|=" => BinaryOp::Or,
            "^=" => BinaryOp::Xor,
            "<<=" => BinaryOp::LeftShift,
            ">>=" => BinaryOp::RightShift,
            "@=" => BinaryOp::MatMul,
            _ => return None,
        })
    }

    fn check_target(&self, target: &Expr, verb: &str) -> Parsed<()> {
        match &*target.kind {
            ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Subscript(..) => Ok(()),
            ExprKind::Tuple(items) | ExprKind::List(items) => items
                .iter()
                .try_for_each(|item| self.check_target(item, verb)),
            ExprKind::Star(inner) => self.check_target(inner, verb),
            other => {
                let what = match other {
                    ExprKind::Call(..) => "function call",
                    ExprKind::Compare(..) => "comparison",
                    ExprKind::None | ExprKind::Bool(_) => "a keyword",
                    ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Text(_) => "literal",
                    _ => "expression",
                };
                Err(SyntaxError::new(
                    target.line,
                    format!("cannot {verb} {what}"),
                ))
            }
        }
    }
}
