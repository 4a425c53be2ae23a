//! Which names a body binds, declares, and uses in functions within it.

use std::{collections::HashSet, rc::Rc};

use crate::{
    python::value::Name,
    syntax::ast::{
        Argument, Comprehension, Expr, ExprKind, FormatPart, Params, Pattern, Stmt, StmtKind,
    },
};

#[derive(Default)]
pub(super) struct Declared {
    pub(super) globals: HashSet<Name>,
    pub(super) nonlocals: HashSet<Name>,
}

/// Names that `global` and `nonlocal` declare.
pub(super) fn declared(body: &[Stmt]) -> Declared {
    let mut found = Declared::default();
    each_statement(body, &mut |statement| match &statement.kind {
        StmtKind::Global(names) => found.globals.extend(names.iter().cloned()),
        StmtKind::Nonlocal(names) => found.nonlocals.extend(names.iter().cloned()),
        _ => {}
    });
    found
}

/// Names that statements of a body bind, functions within it left out.
pub(super) fn bound(body: &[Stmt]) -> Vec<Name> {
    let mut names = Vec::new();
    each_statement(body, &mut |statement| {
        match &statement.kind {
            StmtKind::Assign { targets: to, .. } | StmtKind::Delete(to) => {
                to.iter().for_each(|target| targets(target, &mut names));
            }
            StmtKind::AugAssign { target, .. }
            | StmtKind::AnnAssign { target, .. }
            | StmtKind::For { target, .. } => targets(target, &mut names),
            StmtKind::With { items, .. } => items
                .iter()
                .filter_map(|(_, target)| target.as_ref())
                .for_each(|target| targets(target, &mut names)),
            StmtKind::Import(aliases) => {
                for alias in aliases {
                    let first = alias.name.split('.').next().unwrap_or_default();
                    names.push(alias.bound.clone().unwrap_or_else(|| first.into()));
                }
            }
            StmtKind::ImportFrom {
                names: Some(aliases),
                ..
            } => {
                for alias in aliases {
                    names.push(
                        alias
                            .bound
                            .clone()
                            .unwrap_or_else(|| Rc::clone(&alias.name)),
                    );
                }
            }
            StmtKind::Function(function) => names.push(Rc::clone(&function.name)),
            StmtKind::Class(class) => names.push(Rc::clone(&class.name)),
            StmtKind::Try { handlers, .. } => {
                names.extend(handlers.iter().filter_map(|handler| handler.name.clone()));
            }
            StmtKind::Match { cases, .. } => {
                cases
                    .iter()
                    .for_each(|case| captures(&case.pattern, &mut names));
            }
            _ => {}
        }
        own_expressions(statement, &mut |expression| {
            names.extend(bound_in(expression));
        });
    });
    names
}

/// Names that `:=` binds in an expression, comprehensions included.
pub(super) fn bound_in(expression: &Expr) -> Vec<Name> {
    let mut names = Vec::new();
    walk(expression, &mut |inner| {
        match &*inner.kind {
            ExprKind::Named(name, _) => names.push(Rc::clone(name)),
            ExprKind::Lambda(..) => return false,
            _ => {}
        }
        true
    });
    names
}

/// Names that a target binds.
pub(super) fn targets(target: &Expr, names: &mut Vec<Name>) {
    match &*target.kind {
        ExprKind::Name(name) => names.push(Rc::clone(name)),
        ExprKind::Tuple(items) | ExprKind::List(items) => {
            items.iter().for_each(|item| targets(item, names));
        }
        ExprKind::Star(inner) => targets(inner, names),
        _ => {}
    }
}

fn captures(pattern: &Pattern, names: &mut Vec<Name>) {
    match pattern {
        Pattern::Any | Pattern::Value(_) => {}
        Pattern::Capture(name) => names.push(Rc::clone(name)),
        Pattern::Rest(name) => names.extend(name.clone()),
        Pattern::Mapping(pairs, rest) => {
            pairs.iter().for_each(|(_, inner)| captures(inner, names));
            names.extend(rest.clone());
        }
        Pattern::Or(all) | Pattern::Sequence(all) => {
            all.iter().for_each(|inner| captures(inner, names));
        }
        Pattern::As(inner, name) => {
            captures(inner, names);
            names.push(Rc::clone(name));
        }
        Pattern::Class(_, places, attributes) => {
            places.iter().for_each(|inner| captures(inner, names));
            attributes
                .iter()
                .for_each(|(_, inner)| captures(inner, names));
        }
    }
}

/// Whether a body has a `yield` of its own.
pub(super) fn has_yield(body: &[Stmt]) -> bool {
    let mut found = false;
    each_statement(body, &mut |statement| {
        own_expressions(statement, &mut |expression| {
            found |= expression_has_yield(expression);
        });
    });
    found
}

pub(super) fn expression_has_yield(expression: &Expr) -> bool {
    let mut found = false;
    walk(expression, &mut |inner| {
        match &*inner.kind {
            ExprKind::Yield(_) | ExprKind::YieldFrom(_) => found = true,
            ExprKind::Lambda(..) | ExprKind::Comprehension(_) => return false,
            _ => {}
        }
        true
    });
    found
}

/// Names that functions within a body use: those that it has to share with them.
pub(super) fn of_inner(body: &[Stmt]) -> HashSet<Name> {
    let mut used = HashSet::new();
    each_statement(body, &mut |statement| {
        match &statement.kind {
            StmtKind::Function(function) => {
                all_in_function(&function.params, &function.body, &mut used)
            }
            StmtKind::Class(class) => all_names(&class.body, &mut used),
            _ => {}
        }
        own_expressions(statement, &mut |expression| {
            inner_names(expression, &mut used)
        });
    });
    used
}

pub(super) fn of_inner_expression(expression: &Expr) -> HashSet<Name> {
    let mut used = HashSet::new();
    inner_names(expression, &mut used);
    used
}

pub(super) fn of_inner_comprehension(it: &Comprehension, used: &mut HashSet<Name>) {
    each_of_comprehension(it, &mut |expression| inner_names(expression, used));
}

fn all_in_function(params: &Params, body: &[Stmt], used: &mut HashSet<Name>) {
    for param in params.plain.iter().chain(&params.named) {
        if let Some(default) = &param.default {
            expression_names(default, used);
        }
    }
    all_names(body, used);
}

/// Every name in a body, at any depth.
fn all_names(body: &[Stmt], used: &mut HashSet<Name>) {
    used.extend(bound(body));
    each_statement(body, &mut |statement| {
        match &statement.kind {
            StmtKind::Function(function) => {
                all_in_function(&function.params, &function.body, used);
            }
            StmtKind::Class(class) => all_names(&class.body, used),
            StmtKind::Nonlocal(names) => used.extend(names.iter().cloned()),
            _ => {}
        }
        own_expressions(statement, &mut |expression| {
            expression_names(expression, used)
        });
    });
}

fn expression_names(expression: &Expr, used: &mut HashSet<Name>) {
    walk(expression, &mut |inner| {
        if let ExprKind::Name(name) | ExprKind::Named(name, _) = &*inner.kind {
            used.insert(Rc::clone(name));
        }
        true
    });
}

/// Names in the lambdas and comprehensions of an expression.
fn inner_names(expression: &Expr, used: &mut HashSet<Name>) {
    walk(expression, &mut |inner| match &*inner.kind {
        ExprKind::Lambda(..) | ExprKind::Comprehension(_) => {
            expression_names(inner, used);
            false
        }
        _ => true,
    });
}

/// Visits the statements of a body, functions and classes within it left out.
fn each_statement(body: &[Stmt], visit: &mut dyn FnMut(&Stmt)) {
    for statement in body {
        visit(statement);
        match &statement.kind {
            StmtKind::If { body, orelse, .. }
            | StmtKind::While { body, orelse, .. }
            | StmtKind::For { body, orelse, .. } => {
                each_statement(body, visit);
                each_statement(orelse, visit);
            }
            StmtKind::Try {
                body,
                handlers,
                orelse,
                finally,
            } => {
                each_statement(body, visit);
                for handler in handlers {
                    each_statement(&handler.body, visit);
                }
                each_statement(orelse, visit);
                each_statement(finally, visit);
            }
            StmtKind::With { body, .. } => each_statement(body, visit),
            StmtKind::Match { cases, .. } => {
                for case in cases {
                    each_statement(&case.body, visit);
                }
            }
            _ => {}
        }
    }
}

/// Visits the expressions that a statement has itself.
fn own_expressions(statement: &Stmt, visit: &mut dyn FnMut(&Expr)) {
    match &statement.kind {
        StmtKind::Expr(value) => visit(value),
        StmtKind::Assign { targets, value } => {
            targets.iter().for_each(&mut *visit);
            visit(value);
        }
        StmtKind::AugAssign { target, value, .. } => {
            visit(target);
            visit(value);
        }
        StmtKind::AnnAssign { target, value, .. } => {
            visit(target);
            value.iter().for_each(visit);
        }
        StmtKind::Return(value) => value.iter().for_each(visit),
        StmtKind::Raise { exception, cause } => {
            exception.iter().for_each(&mut *visit);
            cause.iter().for_each(visit);
        }
        StmtKind::Assert { test, message } => {
            visit(test);
            message.iter().for_each(visit);
        }
        StmtKind::Delete(targets) => targets.iter().for_each(visit),
        StmtKind::If { test, .. } | StmtKind::While { test, .. } => visit(test),
        StmtKind::For { target, iter, .. } => {
            visit(target);
            visit(iter);
        }
        StmtKind::Try { handlers, .. } => {
            for handler in handlers {
                handler.class.iter().for_each(&mut *visit);
            }
        }
        StmtKind::With { items, .. } => {
            for (context, target) in items {
                visit(context);
                target.iter().for_each(&mut *visit);
            }
        }
        StmtKind::Function(function) => {
            function.decorators.iter().for_each(&mut *visit);
            for param in function.params.plain.iter().chain(&function.params.named) {
                param.default.iter().for_each(&mut *visit);
            }
        }
        StmtKind::Class(class) => {
            class.decorators.iter().for_each(&mut *visit);
            for base in &class.bases {
                visit(argument(base));
            }
        }
        StmtKind::Match { subject, cases } => {
            visit(subject);
            for case in cases {
                case.guard.iter().for_each(&mut *visit);
                pattern_expressions(&case.pattern, visit);
            }
        }
        StmtKind::Pass
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Global(_)
        | StmtKind::Nonlocal(_)
        | StmtKind::Import(_)
        | StmtKind::ImportFrom { .. } => {}
    }
}

fn pattern_expressions(pattern: &Pattern, visit: &mut dyn FnMut(&Expr)) {
    match pattern {
        Pattern::Value(value) => visit(value),
        Pattern::Or(all) | Pattern::Sequence(all) => {
            all.iter()
                .for_each(|inner| pattern_expressions(inner, visit));
        }
        Pattern::As(inner, _) => pattern_expressions(inner, visit),
        Pattern::Mapping(pairs, _) => {
            for (key, inner) in pairs {
                visit(key);
                pattern_expressions(inner, visit);
            }
        }
        Pattern::Class(class, places, attributes) => {
            visit(class);
            places
                .iter()
                .for_each(|inner| pattern_expressions(inner, visit));
            attributes
                .iter()
                .for_each(|(_, inner)| pattern_expressions(inner, visit));
        }
        Pattern::Any | Pattern::Capture(_) | Pattern::Rest(_) => {}
    }
}

fn argument(argument: &Argument) -> &Expr {
    match argument {
        Argument::Plain(value)
        | Argument::Star(value)
        | Argument::Named(_, value)
        | Argument::DoubleStar(value) => value,
    }
}

fn each_of_comprehension(it: &Comprehension, visit: &mut dyn FnMut(&Expr)) {
    for each in &it.loops {
        visit(&each.iter);
        visit(&each.target);
        each.conditions.iter().for_each(&mut *visit);
    }
    visit(&it.element);
    it.value.iter().for_each(visit);
}

/// Visits an expression and those within it; the visitor says whether to continue inside.
fn walk(expression: &Expr, visit: &mut dyn FnMut(&Expr) -> bool) {
    if !visit(expression) {
        return;
    }
    let mut go = |inner: &Expr| walk(inner, visit);
    match &*expression.kind {
        ExprKind::Format(parts) => format_parts(parts, &mut go),
        ExprKind::Tuple(items)
        | ExprKind::List(items)
        | ExprKind::Set(items)
        | ExprKind::And(items)
        | ExprKind::Or(items) => items.iter().for_each(go),
        ExprKind::Dict(pairs) => {
            for (key, value) in pairs {
                key.iter().for_each(&mut go);
                go(value);
            }
        }
        ExprKind::Attribute(inner, _)
        | ExprKind::Unary(_, inner)
        | ExprKind::YieldFrom(inner)
        | ExprKind::Star(inner)
        | ExprKind::Named(_, inner) => go(inner),
        ExprKind::Subscript(one, other) | ExprKind::Binary(_, one, other) => {
            go(one);
            go(other);
        }
        ExprKind::Slice(start, stop, step) => {
            [start, stop, step].into_iter().flatten().for_each(go);
        }
        ExprKind::Call(function, arguments) => {
            go(function);
            arguments.iter().map(argument).for_each(go);
        }
        ExprKind::Compare(left, rest) => {
            go(left);
            rest.iter().for_each(|(_, right)| go(right));
        }
        ExprKind::If { test, body, orelse } => {
            go(test);
            go(body);
            go(orelse);
        }
        ExprKind::Lambda(params, body) => {
            for param in params.plain.iter().chain(&params.named) {
                param.default.iter().for_each(&mut go);
            }
            go(body);
        }
        ExprKind::Comprehension(it) => each_of_comprehension(it, &mut go),
        ExprKind::Yield(value) => value.iter().for_each(go),
        ExprKind::Name(_)
        | ExprKind::None
        | ExprKind::Ellipsis
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Text(_)
        | ExprKind::Bytes(_) => {}
    }
}

fn format_parts(parts: &[FormatPart], visit: &mut dyn FnMut(&Expr)) {
    for part in parts {
        if let FormatPart::Field { value, spec, .. } = part {
            visit(value);
            format_parts(spec, visit);
        }
    }
}
