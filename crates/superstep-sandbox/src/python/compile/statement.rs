//! Statements.

use std::rc::Rc;

use super::{Compiler, Parsed, block::Block, names, number, scope::Scope};
use crate::{
    python::{
        code::Op,
        value::{Name, Value},
    },
    syntax::ast::{
        Alias, Argument, ClassDef, Expr, ExprKind, FunctionDef, Handler, Params, Stmt, StmtKind,
    },
};

impl Compiler {
    pub(super) fn body(&mut self, body: &[Stmt]) -> Parsed<()> {
        body.iter()
            .try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Stmt) -> Parsed<()> {
        self.line = statement.line;
        match &statement.kind {
            StmtKind::Expr(value) => {
                self.expression(value)?;
                self.emit(Op::Pop);
            }
            StmtKind::Assign { targets, value } => {
                self.expression(value)?;
                for (at, target) in targets.iter().enumerate() {
                    if at + 1 < targets.len() {
                        self.emit(Op::Dup);
                    }
                    self.assign(target)?;
                }
            }
            StmtKind::AugAssign { target, op, value } => {
                self.augmented(target, Op::InPlace(*op), value)?;
            }
            StmtKind::AnnAssign {
                target,
                annotation,
                value,
            } => {
                if let Some(value) = value {
                    self.expression(value)?;
                    self.assign(target)?;
                }
                self.annotate(target, annotation);
            }
            StmtKind::Return(value) => {
                if self.units.len() == 1 {
                    return self.fail("'return' outside function");
                }
                match value {
                    Some(value) => self.expression(value)?,
                    None => self.constant(Value::None),
                }
                self.unwind(0)?;
                self.emit(Op::Return);
            }
            StmtKind::Raise { exception, cause } => {
                let mut count = 0;
                for value in [exception, cause].into_iter().flatten() {
                    self.expression(value)?;
                    count += 1;
                }
                self.emit(Op::Raise(count));
            }
            StmtKind::Assert { test, message } => {
                self.expression(test)?;
                let passed = self.jump(Op::JumpIfTrue);
                let class = self.name_index(&"AssertionError".into());
                self.emit(Op::LoadGlobal(class));
                let mut count = 0;
                if let Some(message) = message {
                    self.expression(message)?;
                    count = 1;
                }
                self.emit(Op::Call(count, u32::MAX));
                self.emit(Op::Raise(1));
                self.land(passed);
            }
            StmtKind::Delete(targets) => {
                for target in targets {
                    self.remove(target)?;
                }
            }
            StmtKind::Pass | StmtKind::Global(_) | StmtKind::Nonlocal(_) => {}
            StmtKind::Break => self.break_loop()?,
            StmtKind::Continue => self.continue_loop()?,
            StmtKind::Import(aliases) => self.import(aliases),
            StmtKind::ImportFrom { module, names } => self.import_from(module, names.as_deref()),
            StmtKind::If { test, body, orelse } => {
                self.expression(test)?;
                let otherwise = self.jump(Op::JumpIfFalse);
                self.body(body)?;
                if orelse.is_empty() {
                    self.land(otherwise);
                } else {
                    let end = self.jump(Op::Jump);
                    self.land(otherwise);
                    self.body(orelse)?;
                    self.land(end);
                }
            }
            StmtKind::While { test, body, orelse } => self.while_loop(test, body, orelse)?,
            StmtKind::For {
                target,
                iter,
                body,
                orelse,
            } => self.for_loop(target, iter, body, orelse)?,
            StmtKind::Try {
                body,
                handlers,
                orelse,
                finally,
            } => {
                if finally.is_empty() {
                    self.handlers(body, handlers, orelse)?;
                } else {
                    self.finally(body, handlers, orelse, finally)?;
                }
            }
            StmtKind::With { items, body } => self.with_items(items, body)?,
            StmtKind::Function(function) => self.definition(function)?,
            StmtKind::Class(class) => self.class(class)?,
            StmtKind::Match { subject, cases } => self.matching(subject, cases)?,
        }
        Ok(())
    }

    /// Assigns the value on top.
    pub(super) fn assign(&mut self, target: &Expr) -> Parsed<()> {
        match &*target.kind {
            ExprKind::Name(name) => self.store(name),
            ExprKind::Attribute(object, name) => {
                self.expression(object)?;
                let name = self.name_index(name);
                self.emit(Op::StoreAttribute(name));
            }
            ExprKind::Subscript(object, index) => {
                self.expression(object)?;
                self.expression(index)?;
                self.emit(Op::StoreItem);
            }
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                let is_star = |item: &Expr| matches!(&*item.kind, ExprKind::Star(_));
                match items.iter().position(is_star) {
                    Some(at) => {
                        let after = items.len() - at - 1;
                        self.emit(Op::UnpackStar(number(at), number(after)));
                    }
                    None => self.emit(Op::Unpack(number(items.len()))),
                }
                for item in items {
                    match &*item.kind {
                        ExprKind::Star(inner) => self.assign(inner)?,
                        _ => self.assign(item)?,
                    }
                }
            }
            _ => return self.fail("cannot assign to expression"),
        }
        Ok(())
    }

    fn augmented(&mut self, target: &Expr, op: Op, value: &Expr) -> Parsed<()> {
        match &*target.kind {
            ExprKind::Name(name) => {
                self.load(name);
                self.expression(value)?;
                self.emit(op);
                self.store(name);
            }
            ExprKind::Attribute(object, name) => {
                self.expression(object)?;
                self.emit(Op::Dup);
                let name = self.name_index(name);
                self.emit(Op::LoadAttribute(name));
                self.expression(value)?;
                self.emit(op);
                self.emit(Op::Swap);
                self.emit(Op::StoreAttribute(name));
            }
            ExprKind::Subscript(object, index) => {
                self.expression(object)?;
                self.expression(index)?;
                self.emit(Op::Dup2);
                self.emit(Op::LoadItem);
                self.expression(value)?;
                self.emit(op);
                self.emit(Op::Rotate3);
                self.emit(Op::StoreItem);
            }
            _ => return self.fail("illegal expression for augmented assignment"),
        }
        Ok(())
    }

    /// Classes remember the names that they annotate, for dataclasses.
    fn annotate(&mut self, target: &Expr, annotation: &Expr) {
        let is_class = self.with(|unit| unit.code.is_class);
        if let ExprKind::Name(name) = &*target.kind
            && is_class
        {
            let text: Rc<str> = match &*annotation.kind {
                ExprKind::Name(name) => Rc::clone(name),
                ExprKind::Text(text) => Rc::clone(text),
                ExprKind::Attribute(_, name) => Rc::clone(name),
                ExprKind::Subscript(inner, _) => match &*inner.kind {
                    ExprKind::Name(name) | ExprKind::Attribute(_, name) => Rc::clone(name),
                    _ => "object".into(),
                },
                _ => "object".into(),
            };
            self.constant(Value::Str(text));
            let name = self.name_index(name);
            self.emit(Op::Annotate(name));
        }
    }

    fn remove(&mut self, target: &Expr) -> Parsed<()> {
        match &*target.kind {
            ExprKind::Name(name) => self.delete(name),
            ExprKind::Attribute(object, name) => {
                self.expression(object)?;
                let name = self.name_index(name);
                self.emit(Op::DeleteAttribute(name));
            }
            ExprKind::Subscript(object, index) => {
                self.expression(object)?;
                self.expression(index)?;
                self.emit(Op::DeleteItem);
            }
            _ => return self.fail("cannot delete expression"),
        }
        Ok(())
    }

    fn break_loop(&mut self) -> Parsed<()> {
        let Some(depth) = self.loop_depth() else {
            return self.fail("'break' outside loop");
        };
        self.unwind(depth)?;
        let at_loop = depth - 1;
        let pops = self.with(|unit| {
            matches!(
                unit.blocks.get(at_loop),
                Some(Block::Loop {
                    has_iterator: true,
                    ..
                })
            )
        });
        if pops {
            self.emit(Op::Pop);
        }
        let jump = self.jump(Op::Jump);
        self.with(|unit| {
            if let Some(Block::Loop { breaks, .. }) = unit.blocks.get_mut(at_loop) {
                breaks.push(jump);
            }
        });
        Ok(())
    }

    fn continue_loop(&mut self) -> Parsed<()> {
        let Some(depth) = self.loop_depth() else {
            return self.fail("'continue' not properly in loop");
        };
        self.unwind(depth)?;
        let start = self.with(|unit| match unit.blocks.get(depth - 1) {
            Some(Block::Loop { start, .. }) => *start,
            _ => 0,
        });
        self.emit(Op::Jump(start));
        Ok(())
    }

    fn end_loop(&mut self) {
        if let Some(Block::Loop { breaks, .. }) = self.leave() {
            for jump in breaks {
                self.land(jump);
            }
        }
    }

    fn while_loop(&mut self, test: &Expr, body: &[Stmt], orelse: &[Stmt]) -> Parsed<()> {
        let start = self.here();
        self.enter(Block::Loop {
            start,
            breaks: Vec::new(),
            has_iterator: false,
        });
        self.expression(test)?;
        let done = self.jump(Op::JumpIfFalse);
        self.body(body)?;
        self.emit(Op::Jump(start));
        self.land(done);
        let left = self.leave();
        self.body(orelse)?;
        self.with(|unit| unit.blocks.extend(left));
        self.end_loop();
        Ok(())
    }

    fn for_loop(
        &mut self,
        target: &Expr,
        iter: &Expr,
        body: &[Stmt],
        orelse: &[Stmt],
    ) -> Parsed<()> {
        self.expression(iter)?;
        self.emit(Op::Iterate);
        let start = self.here();
        let done = self.jump(Op::Next);
        self.enter(Block::Loop {
            start,
            breaks: Vec::new(),
            has_iterator: true,
        });
        self.assign(target)?;
        self.body(body)?;
        self.emit(Op::Jump(start));
        self.land(done);
        let left = self.leave();
        self.body(orelse)?;
        self.with(|unit| unit.blocks.extend(left));
        self.end_loop();
        Ok(())
    }

    fn handlers(&mut self, body: &[Stmt], handlers: &[Handler], orelse: &[Stmt]) -> Parsed<()> {
        let caught = self.jump(Op::Try);
        self.enter(Block::Try);
        self.body(body)?;
        self.leave();
        self.emit(Op::EndTry);
        self.body(orelse)?;
        let mut ends = vec![self.jump(Op::Jump)];
        self.land(caught);
        for handler in handlers {
            self.line = handler.line;
            let mut next = None;
            if let Some(class) = &handler.class {
                self.emit(Op::Dup);
                self.expression(class)?;
                self.emit(Op::IsException);
                next = Some(self.jump(Op::JumpIfFalse));
            }
            match &handler.name {
                Some(name) => self.store(name),
                None => self.emit(Op::Pop),
            }
            let failed = self.jump(Op::Try);
            self.enter(Block::Handler);
            self.body(&handler.body)?;
            self.leave();
            self.emit(Op::EndTry);
            self.emit(Op::EndHandling);
            if let Some(name) = &handler.name {
                self.constant(Value::None);
                self.store(name);
                self.delete(name);
            }
            ends.push(self.jump(Op::Jump));
            self.land(failed);
            self.emit(Op::Again);
            if let Some(next) = next {
                self.land(next);
            }
        }
        self.emit(Op::Again);
        for end in ends {
            self.land(end);
        }
        Ok(())
    }

    fn finally(
        &mut self,
        body: &[Stmt],
        handlers: &[Handler],
        orelse: &[Stmt],
        finally: &Rc<[Stmt]>,
    ) -> Parsed<()> {
        let caught = self.jump(Op::Try);
        self.enter(Block::Finally(Rc::clone(finally)));
        match handlers.is_empty() {
            true => self.body(body)?,
            false => self.handlers(body, handlers, orelse)?,
        }
        self.leave();
        self.emit(Op::EndTry);
        self.body(finally)?;
        let end = self.jump(Op::Jump);
        self.land(caught);
        self.enter(Block::Unwinding);
        self.body(finally)?;
        self.leave();
        self.emit(Op::Again);
        self.land(end);
        Ok(())
    }

    fn with_items(&mut self, items: &[(Expr, Option<Expr>)], body: &[Stmt]) -> Parsed<()> {
        let Some(((context, target), rest)) = items.split_first() else {
            return self.body(body);
        };
        let slot = self.hidden();
        self.expression(context)?;
        self.emit(Op::StoreLocal(slot));
        self.emit(Op::LoadLocal(slot));
        let enter = self.name_index(&"__enter__".into());
        self.emit(Op::CallMethod(enter, 0));
        match target {
            Some(target) => self.assign(target)?,
            None => self.emit(Op::Pop),
        }
        let failed = self.jump(Op::Try);
        self.enter(Block::With(slot));
        self.with_items(rest, body)?;
        self.leave();
        self.emit(Op::EndTry);
        self.exit_call(slot);
        self.emit(Op::Pop);
        let end = self.jump(Op::Jump);
        self.land(failed);
        self.emit(Op::LoadLocal(slot));
        self.emit(Op::ExitArguments);
        let exit = self.name_index(&"__exit__".into());
        self.emit(Op::CallMethod(exit, 3));
        let is_handled = self.jump(Op::JumpIfTrue);
        self.emit(Op::Again);
        self.land(is_handled);
        self.emit(Op::Pop);
        self.emit(Op::EndHandling);
        self.land(end);
        Ok(())
    }

    fn import(&mut self, aliases: &[Alias]) {
        for alias in aliases {
            let at = self.name_index(&alias.name);
            self.emit(Op::Import(at));
            match &alias.bound {
                // `import a.b as c` binds the inner module, `import a.b` the outer one.
                Some(bound) => {
                    for part in alias.name.split('.').skip(1) {
                        let part = self.name_index(&part.into());
                        self.emit(Op::LoadAttribute(part));
                    }
                    self.store(bound);
                }
                None => {
                    let first: Name = alias.name.split('.').next().unwrap_or_default().into();
                    self.store(&first);
                }
            }
        }
    }

    fn import_from(&mut self, module: &Name, names: Option<&[Alias]>) {
        let at = self.name_index(module);
        self.emit(Op::Import(at));
        for part in module.split('.').skip(1) {
            let part = self.name_index(&part.into());
            self.emit(Op::LoadAttribute(part));
        }
        let Some(names) = names else {
            self.emit(Op::ImportAll);
            return;
        };
        for alias in names {
            let name = self.name_index(&alias.name);
            self.emit(Op::ImportFrom(name));
            self.store(alias.bound.as_ref().unwrap_or(&alias.name));
        }
        self.emit(Op::Pop);
    }

    fn decorators(&mut self, decorators: &[Expr]) -> Parsed<()> {
        decorators.iter().try_for_each(|it| self.expression(it))
    }

    fn definition(&mut self, function: &FunctionDef) -> Parsed<()> {
        self.decorators(&function.decorators)?;
        let scope = Scope::function(&function.params, &function.body);
        let is_generator = names::has_yield(&function.body);
        let name = Rc::clone(&function.name);
        let line = self.line;
        self.function(name, &function.params, scope, is_generator, |compiler| {
            compiler.docstring(&function.body);
            compiler.body(&function.body)?;
            compiler.constant(Value::None);
            compiler.emit(Op::Return);
            Ok(())
        })?;
        self.line = line;
        for _ in &function.decorators {
            self.emit(Op::Call(1, u32::MAX));
        }
        self.store(&function.name);
        Ok(())
    }

    fn class(&mut self, class: &ClassDef) -> Parsed<()> {
        self.decorators(&class.decorators)?;
        let (mut bases, mut named) = (0, 0);
        for base in &class.bases {
            match base {
                Argument::Plain(base) => {
                    self.expression(base)?;
                    bases += 1;
                }
                Argument::Named(..) => {}
                _ => return self.fail("bases of a class cannot be unpacked in this sandbox"),
            }
        }
        for argument in &class.bases {
            if let Argument::Named(name, value) = argument {
                self.constant(Value::Str(Rc::clone(name)));
                self.expression(value)?;
                named += 1;
            }
        }
        self.emit(Op::Dict(named));
        self.constant(Value::Str(Rc::clone(&class.name)));
        let scope = Scope::class(&class.body);
        let line = self.line;
        self.function(
            Rc::clone(&class.name),
            &Params::default(),
            scope,
            false,
            |compiler| {
                compiler.docstring(&class.body);
                compiler.body(&class.body)?;
                compiler.constant(Value::None);
                compiler.emit(Op::Return);
                Ok(())
            },
        )?;
        self.line = line;
        self.emit(Op::Class(bases));
        for _ in &class.decorators {
            self.emit(Op::Call(1, u32::MAX));
        }
        self.store(&class.name);
        Ok(())
    }
}
