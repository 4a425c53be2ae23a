//! Expressions: each leaves one value on the stack.

use std::rc::Rc;

use super::{Compiler, Parsed, names, number, scope::Scope};
use crate::{
    python::{
        code::Op,
        value::{Name, Value},
    },
    syntax::ast::{
        Argument, BinaryOp, CompareOp, Comprehension, ComprehensionKind, Expr, ExprKind,
        FormatPart, Param, Params, UnaryOp,
    },
};

impl Compiler {
    pub(super) fn expression(&mut self, expression: &Expr) -> Parsed<()> {
        let outer = self.line;
        self.line = expression.line;
        let compiled = self.inner(expression);
        self.line = outer;
        compiled
    }

    fn inner(&mut self, expression: &Expr) -> Parsed<()> {
        match &*expression.kind {
            ExprKind::Name(name) => self.load(name),
            ExprKind::None => self.constant(Value::None),
            ExprKind::Ellipsis => self.constant(Value::Ellipsis),
            ExprKind::Bool(value) => self.constant(Value::Bool(*value)),
            ExprKind::Int(value) => self.integer(value),
            ExprKind::Float(value) => self.constant(Value::Float(*value)),
            ExprKind::Text(text) => self.constant(Value::Str(Rc::clone(text))),
            ExprKind::Bytes(bytes) => self.constant(Value::Bytes(Rc::clone(bytes))),
            ExprKind::Format(parts) => self.format(parts)?,
            ExprKind::Tuple(items) => {
                if has_star(items) {
                    self.spread(items, Op::List(0), Op::ListAppend(0), Op::ListExtend)?;
                    self.emit(Op::ListToTuple);
                } else {
                    self.all(items)?;
                    self.emit(Op::Tuple(number(items.len())));
                }
            }
            ExprKind::List(items) => {
                if has_star(items) {
                    self.spread(items, Op::List(0), Op::ListAppend(0), Op::ListExtend)?;
                } else {
                    self.all(items)?;
                    self.emit(Op::List(number(items.len())));
                }
            }
            ExprKind::Set(items) => {
                if has_star(items) {
                    self.spread(items, Op::Set(0), Op::SetAdd(0), Op::SetExtend)?;
                } else {
                    self.all(items)?;
                    self.emit(Op::Set(number(items.len())));
                }
            }
            ExprKind::Dict(pairs) => self.dict(pairs)?,
            ExprKind::Attribute(object, name) => {
                self.expression(object)?;
                let name = self.name_index(name);
                self.emit(Op::LoadAttribute(name));
            }
            ExprKind::Subscript(object, index) => {
                self.expression(object)?;
                self.expression(index)?;
                self.emit(Op::LoadItem);
            }
            ExprKind::Slice(start, stop, step) => {
                for bound in [start, stop, step] {
                    match bound {
                        Some(bound) => self.expression(bound)?,
                        None => self.constant(Value::None),
                    }
                }
                self.emit(Op::Slice);
            }
            ExprKind::Call(function, arguments) => self.call(function, arguments)?,
            ExprKind::Unary(op, inner) => self.unary(*op, inner)?,
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            ExprKind::And(items) => self.chain(items, Op::JumpIfFalseOrPop)?,
            ExprKind::Or(items) => self.chain(items, Op::JumpIfTrueOrPop)?,
            ExprKind::Compare(left, rest) => self.comparison(left, rest)?,
            ExprKind::If { test, body, orelse } => {
                self.expression(test)?;
                let otherwise = self.jump(Op::JumpIfFalse);
                self.expression(body)?;
                let end = self.jump(Op::Jump);
                self.land(otherwise);
                self.expression(orelse)?;
                self.land(end);
            }
            ExprKind::Lambda(params, body) => {
                let scope = Scope::lambda(params, body);
                let is_generator = names::expression_has_yield(body);
                self.function("<lambda>".into(), params, scope, is_generator, |compiler| {
                    compiler.expression(body)?;
                    compiler.emit(Op::Return);
                    Ok(())
                })?;
            }
            ExprKind::Comprehension(it) => self.comprehension(it)?,
            ExprKind::Yield(value) => {
                self.in_function()?;
                match value {
                    Some(value) => self.expression(value)?,
                    None => self.constant(Value::None),
                }
                self.emit(Op::Yield);
            }
            ExprKind::YieldFrom(inner) => {
                self.in_function()?;
                self.expression(inner)?;
                self.emit(Op::Iterate);
                self.constant(Value::None);
                self.emit(Op::YieldFrom);
            }
            ExprKind::Star(_) => return self.fail("can't use starred expression here"),
            ExprKind::Named(name, value) => {
                self.expression(value)?;
                self.emit(Op::Dup);
                self.store(name);
            }
        }
        Ok(())
    }

    fn in_function(&mut self) -> Parsed<()> {
        match self.with(|unit| unit.code.is_generator) {
            true => Ok(()),
            false => self.fail("'yield' outside function"),
        }
    }

    fn all(&mut self, items: &[Expr]) -> Parsed<()> {
        items.iter().try_for_each(|item| self.expression(item))
    }

    fn spread(&mut self, items: &[Expr], start: Op, one: Op, many: Op) -> Parsed<()> {
        self.emit(start);
        for item in items {
            match &*item.kind {
                ExprKind::Star(inner) => {
                    self.expression(inner)?;
                    self.emit(many);
                }
                _ => {
                    self.expression(item)?;
                    self.emit(one);
                }
            }
        }
        Ok(())
    }

    fn dict(&mut self, pairs: &[(Option<Expr>, Expr)]) -> Parsed<()> {
        let is_plain = pairs.iter().all(|(key, _)| key.is_some()) && pairs.len() < 100;
        if is_plain {
            for (key, value) in pairs {
                key.iter().try_for_each(|key| self.expression(key))?;
                self.expression(value)?;
            }
            self.emit(Op::Dict(number(pairs.len())));
            return Ok(());
        }
        self.emit(Op::Dict(0));
        for (key, value) in pairs {
            match key {
                Some(key) => {
                    self.expression(key)?;
                    self.expression(value)?;
                    self.emit(Op::DictAdd(0));
                }
                None => {
                    self.expression(value)?;
                    self.emit(Op::DictExtend);
                }
            }
        }
        Ok(())
    }

    fn format(&mut self, parts: &[FormatPart]) -> Parsed<()> {
        for part in parts {
            match part {
                FormatPart::Text(text) => self.constant(Value::Str(Rc::clone(text))),
                FormatPart::Field {
                    value,
                    conversion,
                    spec,
                } => {
                    self.expression(value)?;
                    let has_spec = !spec.is_empty();
                    if has_spec {
                        self.format(spec)?;
                    }
                    self.emit(Op::Format(conversion.unwrap_or('\0'), has_spec));
                }
            }
        }
        if parts.len() != 1 || matches!(parts.first(), Some(FormatPart::Text(_))) {
            self.emit(Op::Join(number(parts.len())));
        }
        Ok(())
    }

    fn call(&mut self, function: &Expr, arguments: &[Argument]) -> Parsed<()> {
        if let ExprKind::Name(name) = &*function.kind
            && &**name == "super"
            && arguments.is_empty()
            && self.units.len() > 1
        {
            self.emit(Op::Super);
            return Ok(());
        }
        let is_spread =
            |argument: &Argument| matches!(argument, Argument::Star(_) | Argument::DoubleStar(_));
        if arguments.iter().any(is_spread) {
            self.expression(function)?;
            return self.spread_call(arguments);
        }
        let is_plain = arguments
            .iter()
            .all(|argument| matches!(argument, Argument::Plain(_)));
        if let ExprKind::Attribute(object, name) = &*function.kind
            && is_plain
        {
            self.expression(object)?;
            for argument in arguments {
                if let Argument::Plain(value) = argument {
                    self.expression(value)?;
                }
            }
            let name = self.name_index(name);
            self.emit(Op::CallMethod(name, number(arguments.len())));
            return Ok(());
        }
        self.expression(function)?;
        let mut keywords: Vec<Name> = Vec::new();
        let mut plain = 0;
        for argument in arguments {
            match argument {
                Argument::Plain(value) => {
                    plain += 1;
                    self.expression(value)?;
                }
                Argument::Named(name, value) => {
                    if keywords.contains(name) {
                        return self.fail(format!("keyword argument repeated: {name}"));
                    }
                    keywords.push(Rc::clone(name));
                    self.expression(value)?;
                }
                Argument::Star(_) | Argument::DoubleStar(_) => {}
            }
        }
        let names = match keywords.is_empty() {
            true => u32::MAX,
            false => self.with(|unit| {
                unit.code.keywords.push(keywords.into());
                number(unit.code.keywords.len() - 1)
            }),
        };
        self.emit(Op::Call(plain, names));
        Ok(())
    }

    fn spread_call(&mut self, arguments: &[Argument]) -> Parsed<()> {
        self.emit(Op::List(0));
        for argument in arguments {
            match argument {
                Argument::Plain(value) => {
                    self.expression(value)?;
                    self.emit(Op::ListAppend(0));
                }
                Argument::Star(value) => {
                    self.expression(value)?;
                    self.emit(Op::ListExtend);
                }
                Argument::Named(..) | Argument::DoubleStar(_) => {}
            }
        }
        self.emit(Op::Dict(0));
        for argument in arguments {
            match argument {
                Argument::Named(name, value) => {
                    self.constant(Value::Str(Rc::clone(name)));
                    self.expression(value)?;
                    self.emit(Op::DictAdd(0));
                }
                Argument::DoubleStar(value) => {
                    self.expression(value)?;
                    self.emit(Op::DictExtend);
                }
                Argument::Plain(_) | Argument::Star(_) => {}
            }
        }
        self.emit(Op::CallSpread);
        Ok(())
    }

    fn unary(&mut self, op: UnaryOp, inner: &Expr) -> Parsed<()> {
        match (op, &*inner.kind) {
            (UnaryOp::Minus, ExprKind::Int(value)) => self.integer(&-value),
            (UnaryOp::Minus, ExprKind::Float(value)) => self.constant(Value::Float(-value)),
            _ => {
                self.expression(inner)?;
                self.emit(Op::Unary(op));
            }
        }
        Ok(())
    }

    /// A long sum leans to the left; it is followed without going deeper.
    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Parsed<()> {
        let mut pending = vec![(op, right)];
        let mut first = left;
        while let ExprKind::Binary(op, left, right) = &*first.kind {
            pending.push((*op, right));
            first = left;
        }
        self.expression(first)?;
        while let Some((op, right)) = pending.pop() {
            self.expression(right)?;
            self.emit(Op::Binary(op));
        }
        Ok(())
    }

    fn chain(&mut self, items: &[Expr], op: fn(u32) -> Op) -> Parsed<()> {
        let mut ends = Vec::new();
        for (at, item) in items.iter().enumerate() {
            self.expression(item)?;
            if at + 1 < items.len() {
                ends.push(self.jump(op));
            }
        }
        for end in ends {
            self.land(end);
        }
        Ok(())
    }

    fn comparison(&mut self, left: &Expr, rest: &[(CompareOp, Expr)]) -> Parsed<()> {
        self.expression(left)?;
        let Some(((last, value), links)) = rest.split_last() else {
            return Ok(());
        };
        let mut fails = Vec::new();
        for (op, right) in links {
            self.expression(right)?;
            self.emit(Op::Dup);
            self.emit(Op::Rotate3);
            self.emit(Op::Compare(*op));
            fails.push(self.jump(Op::JumpIfFalseOrPop));
        }
        self.expression(value)?;
        self.emit(Op::Compare(*last));
        if fails.is_empty() {
            return Ok(());
        }
        let end = self.jump(Op::Jump);
        for fail in fails {
            self.land(fail);
        }
        self.emit(Op::Swap);
        self.emit(Op::Pop);
        self.land(end);
        Ok(())
    }

    fn comprehension(&mut self, it: &Rc<Comprehension>) -> Parsed<()> {
        let Some(first) = it.loops.first() else {
            return self.fail("invalid comprehension");
        };
        let params = Params {
            plain: vec![Param {
                name: ".0".into(),
                default: None,
            }],
            ..Params::default()
        };
        let (name, is_generator) = match it.kind {
            ComprehensionKind::List => ("<listcomp>", false),
            ComprehensionKind::Set => ("<setcomp>", false),
            ComprehensionKind::Dict => ("<dictcomp>", false),
            ComprehensionKind::Generator => ("<genexpr>", true),
        };
        let scope = Scope::comprehension(it);
        self.function(name.into(), &params, scope, is_generator, |compiler| {
            match it.kind {
                ComprehensionKind::List => compiler.emit(Op::List(0)),
                ComprehensionKind::Set => compiler.emit(Op::Set(0)),
                ComprehensionKind::Dict => compiler.emit(Op::Dict(0)),
                ComprehensionKind::Generator => {}
            }
            compiler.loops(it, 0)?;
            if it.kind == ComprehensionKind::Generator {
                compiler.constant(Value::None);
            }
            compiler.emit(Op::Return);
            Ok(())
        })?;
        self.expression(&first.iter)?;
        self.emit(Op::Iterate);
        self.emit(Op::Call(1, u32::MAX));
        Ok(())
    }

    fn loops(&mut self, it: &Comprehension, at: usize) -> Parsed<()> {
        let depth = number(it.loops.len());
        let Some(each) = it.loops.get(at) else {
            self.expression(&it.element)?;
            match it.kind {
                ComprehensionKind::List => self.emit(Op::ListAppend(depth)),
                ComprehensionKind::Set => self.emit(Op::SetAdd(depth)),
                ComprehensionKind::Dict => {
                    it.value
                        .iter()
                        .try_for_each(|value| self.expression(value))?;
                    self.emit(Op::DictAdd(depth));
                }
                ComprehensionKind::Generator => {
                    self.emit(Op::Yield);
                    self.emit(Op::Pop);
                }
            }
            return Ok(());
        };
        if at == 0 {
            self.emit(Op::LoadLocal(0));
        } else {
            self.expression(&each.iter)?;
            self.emit(Op::Iterate);
        }
        let start = self.here();
        let done = self.jump(Op::Next);
        self.assign(&each.target)?;
        for condition in &each.conditions {
            self.expression(condition)?;
            self.emit(Op::JumpIfFalse(start));
        }
        self.loops(it, at + 1)?;
        self.emit(Op::Jump(start));
        self.land(done);
        Ok(())
    }
}

fn has_star(items: &[Expr]) -> bool {
    items
        .iter()
        .any(|item| matches!(&*item.kind, ExprKind::Star(_)))
}
