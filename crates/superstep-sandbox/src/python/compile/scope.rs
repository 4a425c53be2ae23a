//! Whose a name is: a local, a variable that inner functions share, a global.

use std::{collections::HashSet, rc::Rc};

use super::{Compiler, names, number};
use crate::{
    python::value::Name,
    syntax::ast::{Comprehension, Expr, Params, Stmt},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Module,
    Class,
    Function,
    Comprehension,
}

/// The names of one function, class or program.
pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    /// Names that live in slots.
    pub(super) locals: Vec<Name>,
    /// Own names that inner functions see, with the parameter that each begins with.
    pub(super) cells: Vec<(Name, Option<u32>)>,
    /// Names of outer functions.
    pub(super) free: Vec<Name>,
    /// Names that are declared global.
    globals: HashSet<Name>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    Local(u32),
    Variable(u32),
    Global,
    Named,
}

impl Scope {
    pub(super) fn module() -> Self {
        Self::bare(ScopeKind::Module)
    }

    fn bare(kind: ScopeKind) -> Self {
        Self {
            kind,
            locals: Vec::new(),
            cells: Vec::new(),
            free: Vec::new(),
            globals: HashSet::new(),
        }
    }

    pub(super) fn class(body: &[Stmt]) -> Self {
        let mut scope = Self::bare(ScopeKind::Class);
        scope.globals = names::declared(body).globals;
        scope
    }

    pub(super) fn function(params: &Params, body: &[Stmt]) -> Self {
        let declared = names::declared(body);
        let inner = names::of_inner(body);
        let mut scope = Self::bare(ScopeKind::Function);
        scope.params(params, &inner);
        for name in names::bound(body) {
            if !declared.globals.contains(&name) && !declared.nonlocals.contains(&name) {
                scope.add(name, &inner);
            }
        }
        scope.globals = declared.globals;
        scope
    }

    pub(super) fn lambda(params: &Params, body: &Expr) -> Self {
        let inner = names::of_inner_expression(body);
        let mut scope = Self::bare(ScopeKind::Function);
        scope.params(params, &inner);
        for name in names::bound_in(body) {
            scope.add(name, &inner);
        }
        scope
    }

    pub(super) fn comprehension(it: &Comprehension) -> Self {
        let mut inner = HashSet::new();
        names::of_inner_comprehension(it, &mut inner);
        let mut scope = Self::bare(ScopeKind::Comprehension);
        scope.locals.push(".0".into());
        for each in &it.loops {
            let mut bound = Vec::new();
            names::targets(&each.target, &mut bound);
            for name in bound {
                scope.add(name, &inner);
            }
        }
        scope
    }

    fn params(&mut self, params: &Params, inner: &HashSet<Name>) {
        let all = params.plain.iter().chain(&params.named);
        let names = all.map(|param| &param.name);
        let names = names.chain(&params.star).chain(&params.double_star);
        for name in names {
            let at = number(self.locals.len());
            self.locals.push(Rc::clone(name));
            if inner.contains(name) {
                self.cells.push((Rc::clone(name), Some(at)));
            }
        }
    }

    fn add(&mut self, name: Name, inner: &HashSet<Name>) {
        if self.locals.contains(&name) || self.cells.iter().any(|(cell, _)| *cell == name) {
            return;
        }
        match inner.contains(&name) {
            true => self.cells.push((name, None)),
            false => self.locals.push(name),
        }
    }

    fn variable(&self, name: &Name) -> Option<u32> {
        if let Some(at) = self.cells.iter().position(|(cell, _)| cell == name) {
            return Some(number(at));
        }
        let at = self.free.iter().position(|free| free == name)?;
        Some(number(self.cells.len() + at))
    }

    fn has(&self, name: &Name) -> bool {
        self.locals.contains(name) || self.cells.iter().any(|(cell, _)| cell == name)
    }
}

impl Compiler {
    /// Where a name is bound: what a class binds is an attribute of it.
    pub(super) fn own_place(&mut self, name: &Name) -> Binding {
        match self.units.last() {
            Some(unit) if unit.scope.kind == ScopeKind::Class => {
                match unit.scope.globals.contains(name) {
                    true => Binding::Global,
                    false => Binding::Named,
                }
            }
            _ => self.place(name),
        }
    }

    /// Where a name lives, seen from the innermost function.
    pub(super) fn place(&mut self, name: &Name) -> Binding {
        let Some(unit) = self.units.last() else {
            return Binding::Global;
        };
        let scope = &unit.scope;
        if scope.globals.contains(name) {
            return Binding::Global;
        }
        if let Some(at) = scope.variable(name) {
            return Binding::Variable(at);
        }
        if let Some(at) = scope.locals.iter().position(|local| local == name) {
            return Binding::Local(number(at));
        }
        let fallback = match scope.kind {
            ScopeKind::Class => Binding::Named,
            _ => Binding::Global,
        };
        let outer = self.units.len() - 1;
        let is_shared = |unit: &super::Unit| {
            !matches!(unit.scope.kind, ScopeKind::Module | ScopeKind::Class) && unit.scope.has(name)
        };
        let Some(owner) = self.units.iter().take(outer).rposition(is_shared) else {
            return fallback;
        };
        for unit in self.units.iter_mut().skip(owner + 1) {
            if unit.scope.variable(name).is_none() {
                unit.scope.free.push(Rc::clone(name));
            }
        }
        match self.units.last().and_then(|unit| unit.scope.variable(name)) {
            Some(at) => Binding::Variable(at),
            None => fallback,
        }
    }
}
