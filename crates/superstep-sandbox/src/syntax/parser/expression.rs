//! Expressions, by the strength of their operators.

use std::rc::Rc;

use super::{Parsed, Parser};
use crate::syntax::{
    ast::{
        Argument, BinaryOp, CompareOp, Comprehension, ComprehensionKind, Expr, ExprKind,
        FormatPart, Loop, UnaryOp,
    },
    lexer,
    token::{KEYWORDS, Piece, Word},
};

fn at(line: u32, kind: ExprKind) -> Expr {
    Expr {
        line,
        kind: Box::new(kind),
    }
}

impl Parser {
    /// Expressions with commas between them: one, or a tuple.
    pub(super) fn expressions(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if self.is_word("yield") {
            return self.yielded();
        }
        let first = self.star_or_named()?;
        if !self.is_op(",") {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat_op(",") {
            if !self.begins_expression() {
                break;
            }
            items.push(self.star_or_named()?);
        }
        Ok(at(line, ExprKind::Tuple(items)))
    }

    fn begins_expression(&self) -> bool {
        match self.kind() {
            Word::Name(word) => {
                !KEYWORDS.contains(&&**word)
                    || matches!(
                        &**word,
                        "None" | "True" | "False" | "not" | "lambda" | "yield"
                    )
            }
            Word::Op(op) => matches!(*op, "(" | "[" | "{" | "-" | "+" | "~" | "*" | "..."),
            Word::Newline | Word::Indent | Word::Dedent | Word::End => false,
            _ => true,
        }
    }

    fn yielded(&mut self) -> Parsed<Expr> {
        let line = self.line();
        self.next();
        if self.eat_word("from") {
            let inner = self.expression()?;
            return Ok(at(line, ExprKind::YieldFrom(inner)));
        }
        let value = match self.begins_expression() {
            true => Some(self.expressions()?),
            false => None,
        };
        Ok(at(line, ExprKind::Yield(value)))
    }

    fn star_or_named(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if self.eat_op("*") {
            let inner = self.binary(1)?;
            return Ok(at(line, ExprKind::Star(inner)));
        }
        self.named_expression()
    }

    /// An expression, or `name := expression`.
    pub(super) fn named_expression(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if matches!(self.kind(), Word::Name(_)) && matches!(self.ahead(1), Word::Op(":=")) {
            let name = self.name()?;
            self.next();
            let value = self.expression()?;
            return Ok(at(line, ExprKind::Named(name, value)));
        }
        self.expression()
    }

    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(Self::ternary)
    }

    fn ternary(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if self.eat_word("lambda") {
            let params = self.params(":", false)?;
            self.op(":")?;
            let body = self.expression()?;
            return Ok(at(line, ExprKind::Lambda(Rc::new(params), body)));
        }
        let body = self.disjunction()?;
        if !self.is_word("if") {
            return Ok(body);
        }
        self.next();
        let test = self.disjunction()?;
        if !self.eat_word("else") {
            return self.fail("expected 'else' after 'if' expression");
        }
        let orelse = self.expression()?;
        Ok(at(line, ExprKind::If { test, body, orelse }))
    }

    fn disjunction(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let mut items = vec![self.conjunction()?];
        while self.eat_word("or") {
            items.push(self.conjunction()?);
        }
        Ok(single(items, |items| at(line, ExprKind::Or(items))))
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let mut items = vec![self.negation()?];
        while self.eat_word("and") {
            items.push(self.negation()?);
        }
        Ok(single(items, |items| at(line, ExprKind::And(items))))
    }

    fn negation(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if self.eat_word("not") {
            let inner = self.nested(Self::negation)?;
            return Ok(at(line, ExprKind::Unary(UnaryOp::Not, inner)));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let left = self.binary(1)?;
        let mut rest = Vec::new();
        while let Some(op) = self.compare_op() {
            rest.push((op, self.binary(1)?));
        }
        Ok(match rest.is_empty() {
            true => left,
            false => at(line, ExprKind::Compare(left, rest)),
        })
    }

    fn compare_op(&mut self) -> Option<CompareOp> {
        let op = match self.kind() {
            Word::Op("==") => CompareOp::Eq,
            Word::Op("!=") => CompareOp::Ne,
            Word::Op("<") => CompareOp::Lt,
            Word::Op("<=") => CompareOp::Le,
            Word::Op(">") => CompareOp::Gt,
            Word::Op(">=") => CompareOp::Ge,
            Word::Name(word) => match &**word {
                "in" => CompareOp::In,
                "is" => CompareOp::Is,
                "not" if matches!(self.ahead(1), Word::Name(next) if &**next == "in") => {
                    self.next();
                    CompareOp::NotIn
                }
                _ => return None,
            },
            _ => return None,
        };
        self.next();
        if op == CompareOp::Is && self.eat_word("not") {
            return Some(CompareOp::IsNot);
        }
        Some(op)
    }

    fn binary_op(&self) -> Option<(BinaryOp, u8)> {
        let Word::Op(op) = self.kind() else {
            return None;
        };
        Some(match *op {
            "|" => (BinaryOp::Or, 1),
            "^" => (BinaryOp::Xor, 2),
            "&" => (BinaryOp::And, 3),
            "<<" => (BinaryOp::LeftShift, 4),
            ">>" => (BinaryOp::RightShift, 4),
            "+" => (BinaryOp::Add, 5),
            "-" => (BinaryOp::Sub, 5),
            "*" => (BinaryOp::Mul, 6),
            "/" => (BinaryOp::Div, 6),
            "//" => (BinaryOp::FloorDiv, 6),
            "%" => (BinaryOp::Mod, 6),
            "@" => (BinaryOp::MatMul, 6),
            _ => return None,
        })
    }

    /// Operators of at least a strength.
    pub(super) fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let Some((op, strength)) = self.binary_op()
            && strength >= least
        {
            let line = self.line();
            self.next();
            let right = self.binary(strength + 1)?;
            left = at(line, ExprKind::Binary(op, left, right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let op = match self.kind() {
            Word::Op("-") => UnaryOp::Minus,
            Word::Op("+") => UnaryOp::Plus,
            Word::Op("~") => UnaryOp::Invert,
            _ => return self.power(),
        };
        self.next();
        let inner = self.nested(Self::unary)?;
        Ok(at(line, ExprKind::Unary(op, inner)))
    }

    fn power(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if self.is_word("await") {
            return self.fail("await is not supported in this sandbox");
        }
        let base = self.postfix()?;
        if !self.eat_op("**") {
            return Ok(base);
        }
        let exponent = self.nested(Self::unary)?;
        Ok(at(line, ExprKind::Binary(BinaryOp::Pow, base, exponent)))
    }

    /// A value with its attributes, elements and calls.
    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        let mut value = self.atom()?;
        let mut length = 0;
        loop {
            let line = self.line();
            value = if self.eat_op(".") {
                let name = self.name()?;
                at(line, ExprKind::Attribute(value, name))
            } else if self.eat_op("(") {
                let arguments = self.arguments()?;
                at(line, ExprKind::Call(value, arguments))
            } else if self.eat_op("[") {
                let index = self.nested(Self::index)?;
                self.op("]")?;
                at(line, ExprKind::Subscript(value, index))
            } else {
                return Ok(value);
            };
            length += 1;
            if length > 500 {
                return self.fail("too long a chain of calls and attributes");
            }
        }
    }

    fn index(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let first = self.slice()?;
        if !self.is_op(",") {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat_op(",") {
            if self.is_op("]") {
                break;
            }
            items.push(self.slice()?);
        }
        Ok(at(line, ExprKind::Tuple(items)))
    }

    fn slice(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let bound = |parser: &mut Self| match parser.begins_expression() {
            true => parser.expression().map(Some),
            false => Ok(None),
        };
        if !self.is_op(":") {
            let first = self.star_or_named()?;
            if !self.is_op(":") {
                return Ok(first);
            }
            self.next();
            let end = bound(self)?;
            let step = match self.eat_op(":") {
                true => bound(self)?,
                false => None,
            };
            return Ok(at(line, ExprKind::Slice(Some(first), end, step)));
        }
        self.next();
        let end = bound(self)?;
        let step = match self.eat_op(":") {
            true => bound(self)?,
            false => None,
        };
        Ok(at(line, ExprKind::Slice(None, end, step)))
    }

    /// Arguments after the opening bracket, up to and with the closing one.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        let mut arguments = Vec::new();
        let mut after_named = false;
        while !self.is_op(")") {
            let line = self.line();
            if self.eat_op("**") {
                arguments.push(Argument::DoubleStar(self.expression()?));
                after_named = true;
            } else if self.eat_op("*") {
                arguments.push(Argument::Star(self.expression()?));
            } else if matches!(self.kind(), Word::Name(_)) && matches!(self.ahead(1), Word::Op("="))
            {
                let name = self.name()?;
                self.next();
                arguments.push(Argument::Named(name, self.expression()?));
                after_named = true;
            } else {
                if after_named {
                    return self.fail("positional argument follows keyword argument");
                }
                let value = self.named_expression()?;
                let value = match self.is_word("for") {
                    true => self.comprehension(line, ComprehensionKind::Generator, value, None)?,
                    false => value,
                };
                arguments.push(Argument::Plain(value));
            }
            if !self.eat_op(",") {
                break;
            }
        }
        if !self.is_op(")") {
            return self.fail("invalid syntax. Perhaps you forgot a comma?");
        }
        self.next();
        Ok(arguments)
    }

    fn comprehension(
        &mut self,
        line: u32,
        kind: ComprehensionKind,
        element: Expr,
        value: Option<Expr>,
    ) -> Parsed<Expr> {
        let mut loops = Vec::new();
        while self.is_word("for") {
            self.next();
            let target = self.targets()?;
            self.word("in")?;
            let iter = self.disjunction()?;
            let mut conditions = Vec::new();
            while self.eat_word("if") {
                conditions.push(match self.ahead(1) {
                    Word::Op(":=") => self.named_expression()?,
                    _ => self.disjunction()?,
                });
            }
            loops.push(Loop {
                target,
                iter,
                conditions,
            });
        }
        let inner = Comprehension {
            kind,
            element,
            value,
            loops,
        };
        Ok(at(line, ExprKind::Comprehension(Rc::new(inner))))
    }

    pub(super) fn atom(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let kind = match self.kind().clone() {
            Word::Name(word) => {
                let kind = match &*word {
                    "None" => ExprKind::None,
                    "True" => ExprKind::Bool(true),
                    "False" => ExprKind::Bool(false),
                    name if KEYWORDS.contains(&name) => return self.fail("invalid syntax"),
                    _ => ExprKind::Name(self.known(&word)),
                };
                self.next();
                kind
            }
            Word::Int(value) => {
                self.next();
                ExprKind::Int(value)
            }
            Word::Float(value) => {
                self.next();
                ExprKind::Float(value)
            }
            Word::Text(_) | Word::Format(_) | Word::Bytes(_) => return self.texts(),
            Word::Op("...") => {
                self.next();
                ExprKind::Ellipsis
            }
            Word::Op("(") => {
                self.next();
                return self.nested(|parser| parser.parenthesized(line));
            }
            Word::Op("[") => {
                self.next();
                return self.nested(|parser| parser.list(line));
            }
            Word::Op("{") => {
                self.next();
                return self.nested(|parser| parser.braces(line));
            }
            _ => return self.fail("invalid syntax"),
        };
        Ok(at(line, kind))
    }

    fn parenthesized(&mut self, line: u32) -> Parsed<Expr> {
        if self.eat_op(")") {
            return Ok(at(line, ExprKind::Tuple(Vec::new())));
        }
        if self.is_word("yield") {
            let value = self.yielded()?;
            self.op(")")?;
            return Ok(value);
        }
        let first = self.star_or_named()?;
        if self.is_word("for") {
            let value = self.comprehension(line, ComprehensionKind::Generator, first, None)?;
            self.op(")")?;
            return Ok(value);
        }
        if self.is_op(",") {
            let items = self.rest(first, ")")?;
            return Ok(at(line, ExprKind::Tuple(items)));
        }
        self.closing(")")?;
        Ok(first)
    }

    fn closing(&mut self, close: &str) -> Parsed<()> {
        match self.eat_op(close) {
            true => Ok(()),
            false => self.fail("invalid syntax. Perhaps you forgot a comma?"),
        }
    }

    fn rest(&mut self, first: Expr, close: &str) -> Parsed<Vec<Expr>> {
        let mut items = vec![first];
        while self.eat_op(",") {
            if self.is_op(close) {
                break;
            }
            items.push(self.star_or_named()?);
        }
        self.closing(close)?;
        Ok(items)
    }

    fn list(&mut self, line: u32) -> Parsed<Expr> {
        if self.eat_op("]") {
            return Ok(at(line, ExprKind::List(Vec::new())));
        }
        let first = self.star_or_named()?;
        if self.is_word("for") {
            let value = self.comprehension(line, ComprehensionKind::List, first, None)?;
            self.closing("]")?;
            return Ok(value);
        }
        let items = self.rest(first, "]")?;
        Ok(at(line, ExprKind::List(items)))
    }

    fn braces(&mut self, line: u32) -> Parsed<Expr> {
        if self.eat_op("}") {
            return Ok(at(line, ExprKind::Dict(Vec::new())));
        }
        if !self.is_op("**") {
            let first = self.star_or_named()?;
            if !self.eat_op(":") {
                if self.is_word("for") {
                    let value = self.comprehension(line, ComprehensionKind::Set, first, None)?;
                    self.closing("}")?;
                    return Ok(value);
                }
                let items = self.rest(first, "}")?;
                return Ok(at(line, ExprKind::Set(items)));
            }
            let value = self.expression()?;
            if self.is_word("for") {
                let value =
                    self.comprehension(line, ComprehensionKind::Dict, first, Some(value))?;
                self.closing("}")?;
                return Ok(value);
            }
            let pairs = vec![(Some(first), value)];
            return self.pairs(line, pairs);
        }
        self.next();
        let pairs = vec![(None, self.binary(1)?)];
        self.pairs(line, pairs)
    }

    fn pairs(&mut self, line: u32, mut pairs: Vec<(Option<Expr>, Expr)>) -> Parsed<Expr> {
        while self.eat_op(",") {
            if self.is_op("}") {
                break;
            }
            if self.eat_op("**") {
                pairs.push((None, self.binary(1)?));
                continue;
            }
            let key = self.expression()?;
            self.op(":")?;
            pairs.push((Some(key), self.expression()?));
        }
        self.closing("}")?;
        Ok(at(line, ExprKind::Dict(pairs)))
    }

    /// Texts that stand beside each other are one.
    fn texts(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let mut parts: Vec<FormatPart> = Vec::new();
        let mut plain = String::new();
        let mut bytes: Vec<u8> = Vec::new();
        let mut is_bytes = false;
        loop {
            match self.kind().clone() {
                Word::Text(text) => plain.push_str(&text),
                Word::Bytes(more) => {
                    is_bytes = true;
                    bytes.extend_from_slice(&more);
                }
                Word::Format(pieces) => {
                    if !plain.is_empty() {
                        parts.push(FormatPart::Text(std::mem::take(&mut plain).into()));
                    }
                    parts.extend(self.format_parts(&pieces)?);
                }
                _ => break,
            }
            self.next();
        }
        if is_bytes {
            return Ok(at(line, ExprKind::Bytes(bytes.into())));
        }
        if parts.is_empty() {
            return Ok(at(line, ExprKind::Text(plain.into())));
        }
        if !plain.is_empty() {
            parts.push(FormatPart::Text(plain.into()));
        }
        Ok(at(line, ExprKind::Format(parts)))
    }

    fn format_parts(&mut self, pieces: &[Piece]) -> Parsed<Vec<FormatPart>> {
        let mut parts = Vec::new();
        for piece in pieces {
            parts.push(match piece {
                Piece::Text(text) => FormatPart::Text(text.as_str().into()),
                Piece::Field(field) => {
                    let tokens = lexer::expression_tokens(&field.source, field.line)?;
                    let mut inner = Parser::new(tokens, self.depth + 1, self.class.clone());
                    let value = inner.nested(Self::expressions)?;
                    if !inner.is(&Word::End) {
                        return inner.fail("f-string: invalid syntax");
                    }
                    FormatPart::Field {
                        value,
                        conversion: field.conversion,
                        spec: self.format_parts(&field.spec)?,
                    }
                }
            });
        }
        Ok(parts)
    }
}

fn single(mut items: Vec<Expr>, join: impl FnOnce(Vec<Expr>) -> Expr) -> Expr {
    match (items.len(), items.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            items.extend(last);
            join(items)
        }
    }
}
