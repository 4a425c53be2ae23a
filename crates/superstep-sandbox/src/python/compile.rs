//! From the tree of a program to instructions. `scope` says which names are whose; statements are in
//! `statement`, expressions in `expression`.

mod block;
mod expression;
mod names;
mod pattern;
mod scope;
mod statement;

use std::rc::Rc;

use num_bigint::BigInt;

use super::{
    code::{Code, Op, ParamShape},
    value::{Name, Value},
};
use crate::syntax::{
    Parsed, SyntaxError,
    ast::{ExprKind, Params, Stmt, StmtKind},
};
use scope::{Binding, Scope, ScopeKind};

/// Compiles a program.
pub(crate) fn compile(body: &[Stmt], file: &str) -> Parsed<Rc<Code>> {
    let mut compiler = Compiler {
        file: file.into(),
        units: Vec::new(),
        line: 1,
    };
    compiler.begin("<module>".into(), Scope::module());
    compiler.body(body)?;
    compiler.constant(Value::None);
    compiler.emit(Op::Return);
    Ok(Rc::new(compiler.end()))
}

struct Compiler {
    file: Name,
    /// The functions that are being compiled, the innermost last.
    units: Vec<Unit>,
    line: u32,
}

/// A function while it is compiled.
struct Unit {
    code: Code,
    scope: Scope,
    blocks: Vec<block::Block>,
    hidden: u32,
}

impl Compiler {
    fn begin(&mut self, name: Name, scope: Scope) {
        let path = match self.units.last() {
            Some(outer) if outer.code.is_class => format!("{}.{name}", outer.code.path).into(),
            Some(outer) if self.units.len() > 1 => {
                format!("{}.<locals>.{name}", outer.code.path).into()
            }
            _ => Rc::clone(&name),
        };
        let mut code = Code {
            name,
            path,
            file: Rc::clone(&self.file),
            ops: Vec::new(),
            lines: Vec::new(),
            constants: Vec::new(),
            names: Vec::new(),
            codes: Vec::new(),
            keywords: Vec::new(),
            locals: scope.locals.clone(),
            cells: Vec::new(),
            free: Vec::new(),
            params: ParamShape::default(),
            is_generator: false,
            is_class: scope.kind == ScopeKind::Class,
            doc: None,
        };
        code.cells = scope.cells.clone();
        self.units.push(Unit {
            code,
            scope,
            blocks: Vec::new(),
            hidden: 0,
        });
    }

    fn end(&mut self) -> Code {
        match self.units.pop() {
            Some(unit) => {
                let mut code = unit.code;
                code.free = unit.scope.free;
                code
            }
            None => Code {
                name: "".into(),
                path: "".into(),
                file: Rc::clone(&self.file),
                ops: Vec::new(),
                lines: Vec::new(),
                constants: Vec::new(),
                names: Vec::new(),
                codes: Vec::new(),
                keywords: Vec::new(),
                locals: Vec::new(),
                cells: Vec::new(),
                free: Vec::new(),
                params: ParamShape::default(),
                is_generator: false,
                is_class: false,
                doc: None,
            },
        }
    }

    fn with<T: Default>(&mut self, change: impl FnOnce(&mut Unit) -> T) -> T {
        self.units.last_mut().map(change).unwrap_or_default()
    }

    fn emit(&mut self, op: Op) {
        let line = self.line;
        self.with(|unit| {
            unit.code.ops.push(op);
            unit.code.lines.push(line);
        });
    }

    fn here(&mut self) -> u32 {
        self.with(|unit| number(unit.code.ops.len()))
    }

    /// Emits a jump whose target is set later.
    fn jump(&mut self, op: fn(u32) -> Op) -> u32 {
        let at = self.here();
        self.emit(op(0));
        at
    }

    /// Lets a jump lead here.
    fn land(&mut self, jump: u32) {
        let target = self.here();
        self.with(|unit| {
            let Some(op) = unit.code.ops.get_mut(jump as usize) else {
                return;
            };
            *op = match *op {
                Op::Jump(_) => Op::Jump(target),
                Op::JumpIfFalse(_) => Op::JumpIfFalse(target),
                Op::JumpIfTrue(_) => Op::JumpIfTrue(target),
                Op::JumpIfFalseOrPop(_) => Op::JumpIfFalseOrPop(target),
                Op::JumpIfTrueOrPop(_) => Op::JumpIfTrueOrPop(target),
                Op::Next(_) => Op::Next(target),
                Op::Try(_) => Op::Try(target),
                other => other,
            };
        });
    }

    fn constant(&mut self, value: Value) {
        let at = self.with(|unit| {
            unit.code.constants.push(value);
            number(unit.code.constants.len() - 1)
        });
        self.emit(Op::Const(at));
    }

    fn integer(&mut self, value: &BigInt) {
        self.constant(Value::big(value.clone()));
    }

    fn name_index(&mut self, name: &Name) -> u32 {
        self.with(|unit| {
            let names = &mut unit.code.names;
            let at = names.iter().position(|known| known == name);
            number(at.unwrap_or_else(|| {
                names.push(Rc::clone(name));
                names.len() - 1
            }))
        })
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(SyntaxError {
            message: message.into(),
            line: self.line,
        })
    }

    /// A local that no program can name.
    fn hidden(&mut self) -> u32 {
        self.with(|unit| {
            unit.hidden += 1;
            let name: Name = format!(".{}", unit.hidden).into();
            unit.code.locals.push(name);
            number(unit.code.locals.len() - 1)
        })
    }

    fn load(&mut self, name: &Name) {
        let op = match self.place(name) {
            Binding::Local(at) => Op::LoadLocal(at),
            Binding::Variable(at) => Op::LoadVariable(at),
            Binding::Global => Op::LoadGlobal(self.name_index(name)),
            Binding::Named => Op::LoadName(self.name_index(name)),
        };
        self.emit(op);
    }

    fn store(&mut self, name: &Name) {
        let op = match self.own_place(name) {
            Binding::Local(at) => Op::StoreLocal(at),
            Binding::Variable(at) => Op::StoreVariable(at),
            Binding::Global => Op::StoreGlobal(self.name_index(name)),
            Binding::Named => Op::StoreName(self.name_index(name)),
        };
        self.emit(op);
    }

    fn delete(&mut self, name: &Name) {
        let op = match self.own_place(name) {
            Binding::Local(at) => Op::DeleteLocal(at),
            Binding::Variable(at) => Op::DeleteVariable(at),
            Binding::Global => Op::DeleteGlobal(self.name_index(name)),
            Binding::Named => Op::DeleteName(self.name_index(name)),
        };
        self.emit(op);
    }

    /// Compiles a function and leaves it on the stack; its defaults are there already.
    fn function(
        &mut self,
        name: Name,
        params: &Params,
        scope: Scope,
        is_generator: bool,
        body: impl FnOnce(&mut Self) -> Parsed<()>,
    ) -> Parsed<()> {
        let defaults = params.plain.iter().filter(|param| param.default.is_some());
        let defaults = number(defaults.count());
        let mut named = Vec::new();
        for param in &params.plain {
            if let Some(default) = &param.default {
                self.expression(default)?;
            }
        }
        for param in &params.named {
            if let Some(default) = &param.default {
                self.constant(Value::Str(Rc::clone(&param.name)));
                self.expression(default)?;
                named.push(());
            }
        }
        self.begin(name, scope);
        self.with(|unit| {
            unit.code.is_generator = is_generator;
            unit.code.params = ParamShape {
                plain: params.plain.len(),
                positional_only: params.positional_only,
                named: params.named.len(),
                has_star: params.star.is_some(),
                has_double_star: params.double_star.is_some(),
            };
        });
        let compiled = body(self);
        let code = self.end();
        compiled?;
        let at = self.with(|unit| {
            unit.code.codes.push(Rc::new(code));
            number(unit.code.codes.len() - 1)
        });
        self.emit(Op::Function(at, defaults, number(named.len())));
        Ok(())
    }

    fn docstring(&mut self, body: &[Stmt]) {
        if let Some(Stmt { kind, .. }) = body.first()
            && let StmtKind::Expr(first) = kind
            && let ExprKind::Text(text) = &*first.kind
        {
            let text = Rc::clone(text);
            self.with(|unit| unit.code.doc = Some(text));
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
