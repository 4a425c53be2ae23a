//! Statements that have statements in them.

use std::rc::Rc;

use super::{Parsed, Parser};
use crate::syntax::{
    ast::{ClassDef, Expr, ExprKind, FunctionDef, Handler, Param, Params, Stmt, StmtKind},
    token::Word,
};

impl Parser {
    /// A statement with a block; nothing if there is none here.
    pub(super) fn compound(&mut self) -> Parsed<Option<Stmt>> {
        let line = self.line();
        let kind = match self.kind() {
            Word::Op("@") => self.decorated()?,
            Word::Name(word) => match &*Rc::clone(word) {
                "if" => self.conditional()?,
                "while" => self.while_loop()?,
                "for" => self.for_loop()?,
                "try" => self.try_block()?,
                "with" => self.with_block()?,
                "def" => self.function(Vec::new())?,
                "class" => self.class(Vec::new())?,
                "match" if self.is_match() => self.matching()?,
                "async" => return self.fail("async functions are not supported in this sandbox"),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(Stmt { line, kind }))
    }

    pub(super) fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.op(":")?;
        let mut body = Vec::new();
        if !self.is(&Word::Newline) {
            self.simple_line(&mut body)?;
            return Ok(body);
        }
        self.next();
        if !self.is(&Word::Indent) {
            return self.fail("expected an indented block");
        }
        self.next();
        while !self.is(&Word::Dedent) && !self.is(&Word::End) {
            self.statement(&mut body)?;
        }
        if self.is(&Word::Dedent) {
            self.next();
        }
        Ok(body)
    }

    fn orelse(&mut self) -> Parsed<Vec<Stmt>> {
        match self.eat_word("else") {
            true => self.block(),
            false => Ok(Vec::new()),
        }
    }

    fn conditional(&mut self) -> Parsed<StmtKind> {
        self.next();
        let test = self.named_expression()?;
        let body = self.block()?;
        // A chain of `elif` is built from its end, so that its length costs no depth.
        let mut chain = Vec::new();
        while self.is_word("elif") {
            let line = self.line();
            self.next();
            let test = self.named_expression()?;
            chain.push((line, test, self.block()?));
            if chain.len() > 400 {
                return self.fail("too many branches of one if");
            }
        }
        let mut orelse = self.orelse()?;
        while let Some((line, test, body)) = chain.pop() {
            orelse = vec![Stmt {
                line,
                kind: StmtKind::If { test, body, orelse },
            }];
        }
        Ok(StmtKind::If { test, body, orelse })
    }

    fn while_loop(&mut self) -> Parsed<StmtKind> {
        self.next();
        let test = self.named_expression()?;
        let body = self.block()?;
        let orelse = self.orelse()?;
        Ok(StmtKind::While { test, body, orelse })
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.next();
        let target = self.targets()?;
        self.word("in")?;
        let iter = self.expressions()?;
        let body = self.block()?;
        let orelse = self.orelse()?;
        Ok(StmtKind::For {
            target,
            iter,
            body,
            orelse,
        })
    }

    fn try_block(&mut self) -> Parsed<StmtKind> {
        self.next();
        let body = self.block()?;
        let mut handlers = Vec::new();
        while self.is_word("except") {
            let line = self.line();
            self.next();
            if self.is_op("*") {
                return self.fail("except* is not supported in this sandbox");
            }
            let mut class = None;
            let mut name = None;
            if !self.is_op(":") {
                class = Some(self.expressions()?);
                if self.eat_word("as") {
                    name = Some(self.name()?);
                }
            }
            let body = self.block()?;
            handlers.push(Handler {
                line,
                class,
                name,
                body,
            });
        }
        let orelse = match handlers.is_empty() {
            true => Vec::new(),
            false => self.orelse()?,
        };
        let finally = match self.eat_word("finally") {
            true => self.block()?,
            false => Vec::new(),
        };
        if handlers.is_empty() && finally.is_empty() {
            return self.fail("expected 'except' or 'finally' block");
        }
        Ok(StmtKind::Try {
            body,
            handlers,
            orelse,
            finally: finally.into(),
        })
    }

    fn with_block(&mut self) -> Parsed<StmtKind> {
        self.next();
        // Items in brackets are tried first; what follows the bracket decides.
        let from = self.at;
        if self.eat_op("(")
            && let Ok(items) = self.with_items(true)
            && self.eat_op(")")
            && self.is_op(":")
        {
            let body = self.block()?;
            return Ok(StmtKind::With { items, body });
        }
        self.at = from;
        let items = self.with_items(false)?;
        let body = self.block()?;
        Ok(StmtKind::With { items, body })
    }

    fn with_items(&mut self, in_brackets: bool) -> Parsed<Vec<(Expr, Option<Expr>)>> {
        let mut items = Vec::new();
        loop {
            let context = self.expression()?;
            let target = match self.eat_word("as") {
                true => {
                    let target = self.target()?;
                    self.check_target(&target, "assign to")?;
                    Some(target)
                }
                false => None,
            };
            items.push((context, target));
            if !self.eat_op(",") || in_brackets && self.is_op(")") {
                return Ok(items);
            }
        }
    }

    fn decorated(&mut self) -> Parsed<StmtKind> {
        let mut decorators = Vec::new();
        while self.eat_op("@") {
            decorators.push(self.named_expression()?);
            if !self.is(&Word::Newline) {
                return self.fail("invalid syntax");
            }
            self.next();
        }
        match self.kind() {
            Word::Name(word) if &**word == "def" => self.function(decorators),
            Word::Name(word) if &**word == "class" => self.class(decorators),
            _ => self.fail("a decorator stands before a function or a class"),
        }
    }

    fn function(&mut self, decorators: Vec<Expr>) -> Parsed<StmtKind> {
        self.next();
        let name = self.name()?;
        self.op("(")?;
        let params = self.params(")", true)?;
        self.op(")")?;
        if self.eat_op("->") {
            self.expression()?;
        }
        let body = self.block()?;
        Ok(StmtKind::Function(FunctionDef {
            name,
            params,
            body,
            decorators,
        }))
    }

    /// Parameters up to a mark.
    pub(super) fn params(&mut self, end: &str, annotated: bool) -> Parsed<Params> {
        let mut params = Params::default();
        let mut after_star = false;
        while !self.is_op(end) {
            if self.eat_op("/") {
                params.positional_only = params.plain.len();
            } else if self.eat_op("**") {
                params.double_star = Some(self.name()?);
                self.annotation(annotated)?;
            } else if self.eat_op("*") {
                after_star = true;
                if !self.is_op(",") {
                    params.star = Some(self.name()?);
                    self.annotation(annotated)?;
                }
            } else {
                let name = self.name()?;
                self.annotation(annotated)?;
                let default = match self.eat_op("=") {
                    true => Some(self.expression()?),
                    false => None,
                };
                let has_default = |param: &Param| param.default.is_some();
                if !after_star && default.is_none() && params.plain.last().is_some_and(has_default)
                {
                    return self
                        .fail("parameter without a default follows parameter with a default");
                }
                let known = params.plain.iter().chain(&params.named);
                if known.clone().any(|param| param.name == name) {
                    return self.fail(format!(
                        "duplicate argument '{name}' in function definition"
                    ));
                }
                let list = match after_star {
                    true => &mut params.named,
                    false => &mut params.plain,
                };
                list.push(Param { name, default });
            }
            if !self.eat_op(",") {
                break;
            }
        }
        Ok(params)
    }

    fn annotation(&mut self, annotated: bool) -> Parsed<()> {
        if annotated && self.eat_op(":") {
            self.expression()?;
        }
        Ok(())
    }

    fn class(&mut self, decorators: Vec<Expr>) -> Parsed<StmtKind> {
        self.next();
        let name = self.name()?;
        let bases = match self.eat_op("(") {
            true => self.arguments()?,
            false => Vec::new(),
        };
        let outer = self.class.replace(Rc::clone(&name));
        let body = self.block();
        self.class = outer;
        let body = body?;
        Ok(StmtKind::Class(ClassDef {
            name,
            bases,
            body,
            decorators,
        }))
    }

    /// One target: a name, an attribute, an element, or several in brackets.
    pub(super) fn target(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if self.eat_op("*") {
            let inner = self.postfix()?;
            return Ok(Expr {
                line,
                kind: Box::new(ExprKind::Star(inner)),
            });
        }
        self.postfix()
    }

    /// Targets with commas between them.
    pub(super) fn targets(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let first = self.target()?;
        if !self.is_op(",") {
            self.check_target(&first, "assign to")?;
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat_op(",") {
            if self.is_word("in") || self.is_op("=") {
                break;
            }
            items.push(self.target()?);
        }
        let target = Expr {
            line,
            kind: Box::new(ExprKind::Tuple(items)),
        };
        self.check_target(&target, "assign to")?;
        Ok(target)
    }
}
