//! `match`: each pattern tests a value and binds names.

use super::{Compiler, Parsed, number};
use crate::{
    python::{
        code::Op,
        value::{Name, Value},
    },
    syntax::ast::{Case, CompareOp, Expr, ExprKind, Pattern},
};

impl Compiler {
    pub(super) fn matching(&mut self, subject: &Expr, cases: &[Case]) -> Parsed<()> {
        let slot = self.hidden();
        self.expression(subject)?;
        self.emit(Op::StoreLocal(slot));
        let mut ends = Vec::new();
        for case in cases {
            self.line = case.line;
            let mut misses = Vec::new();
            self.emit(Op::LoadLocal(slot));
            self.pattern(&case.pattern, &mut misses)?;
            if let Some(guard) = &case.guard {
                self.expression(guard)?;
                misses.push(self.jump(Op::JumpIfFalse));
            }
            self.body(&case.body)?;
            ends.push(self.jump(Op::Jump));
            for miss in misses {
                self.land(miss);
            }
        }
        for end in ends {
            self.land(end);
        }
        Ok(())
    }

    /// Tests the value on top, which is taken, and jumps away if it does not fit.
    fn pattern(&mut self, pattern: &Pattern, misses: &mut Vec<u32>) -> Parsed<()> {
        match pattern {
            Pattern::Any => self.emit(Op::Pop),
            Pattern::Capture(name) => self.store(name),
            Pattern::Value(value) => {
                self.expression(value)?;
                let op = match &*value.kind {
                    ExprKind::None | ExprKind::Bool(_) => CompareOp::Is,
                    _ => CompareOp::Eq,
                };
                self.emit(Op::Compare(op));
                misses.push(self.jump(Op::JumpIfFalse));
            }
            Pattern::As(inner, name) => {
                let slot = self.hidden();
                self.emit(Op::Dup);
                self.emit(Op::StoreLocal(slot));
                self.pattern(inner, misses)?;
                self.emit(Op::LoadLocal(slot));
                self.store(name);
            }
            Pattern::Or(choices) => {
                let slot = self.hidden();
                self.emit(Op::StoreLocal(slot));
                let mut hits = Vec::new();
                for choice in choices {
                    let mut own = Vec::new();
                    self.emit(Op::LoadLocal(slot));
                    self.pattern(choice, &mut own)?;
                    hits.push(self.jump(Op::Jump));
                    for miss in own {
                        self.land(miss);
                    }
                }
                misses.push(self.jump(Op::Jump));
                for hit in hits {
                    self.land(hit);
                }
            }
            Pattern::Sequence(items) => self.sequence(items, misses)?,
            // It stands in a sequence, which binds it.
            Pattern::Rest(_) => self.emit(Op::Pop),
            Pattern::Mapping(pairs, rest) => self.mapping(pairs, rest.as_ref(), misses)?,
            Pattern::Class(class, places, attributes) => {
                self.class_pattern(class, places, attributes, misses)?;
            }
        }
        Ok(())
    }

    fn sequence(&mut self, items: &[Pattern], misses: &mut Vec<u32>) -> Parsed<()> {
        let slot = self.hidden();
        let rest = items
            .iter()
            .position(|item| matches!(item, Pattern::Rest(_)));
        let least = items.len() - usize::from(rest.is_some());
        self.emit(Op::Dup);
        self.emit(Op::StoreLocal(slot));
        self.emit(Op::IsSequence(number(least), rest.is_some()));
        misses.push(self.jump(Op::JumpIfFalse));
        self.emit(Op::LoadLocal(slot));
        self.emit(match rest {
            Some(at) => Op::UnpackStar(number(at), number(items.len() - at - 1)),
            None => Op::Unpack(number(items.len())),
        });
        for (item, slot) in self.stored(items) {
            match item {
                Pattern::Rest(None) => {}
                Pattern::Rest(Some(name)) => {
                    self.emit(Op::LoadLocal(slot));
                    self.store(name);
                }
                item => {
                    self.emit(Op::LoadLocal(slot));
                    self.pattern(item, misses)?;
                }
            }
        }
        Ok(())
    }

    /// Locals that get the values on the stack, the first one on top, each for a pattern.
    fn stored<'a, T>(&mut self, items: &'a [T]) -> Vec<(&'a T, u32)> {
        let mut stored = Vec::new();
        for item in items {
            let slot = self.hidden();
            self.emit(Op::StoreLocal(slot));
            stored.push((item, slot));
        }
        stored
    }

    /// Misses if `None` is in a local, and unpacks the tuple that is there otherwise.
    fn unpack_found(&mut self, slot: u32, count: usize, misses: &mut Vec<u32>) {
        self.emit(Op::LoadLocal(slot));
        self.constant(Value::None);
        self.emit(Op::Compare(CompareOp::Is));
        misses.push(self.jump(Op::JumpIfTrue));
        self.emit(Op::LoadLocal(slot));
        self.emit(Op::Unpack(number(count)));
    }

    fn mapping(
        &mut self,
        pairs: &[(Expr, Pattern)],
        rest: Option<&Name>,
        misses: &mut Vec<u32>,
    ) -> Parsed<()> {
        let (subject, found) = (self.hidden(), self.hidden());
        self.emit(Op::StoreLocal(subject));
        self.emit(Op::LoadLocal(subject));
        for (key, _) in pairs {
            self.expression(key)?;
        }
        self.emit(Op::MatchKeys(number(pairs.len())));
        self.emit(Op::StoreLocal(found));
        self.unpack_found(found, pairs.len(), misses);
        for ((_, inner), slot) in self.stored(pairs) {
            self.emit(Op::LoadLocal(slot));
            self.pattern(inner, misses)?;
        }
        if let Some(rest) = rest {
            self.emit(Op::LoadLocal(subject));
            for (key, _) in pairs {
                self.expression(key)?;
            }
            self.emit(Op::RestOfKeys(number(pairs.len())));
            self.store(rest);
        }
        Ok(())
    }

    fn class_pattern(
        &mut self,
        class: &Expr,
        places: &[Pattern],
        attributes: &[(Name, Pattern)],
        misses: &mut Vec<u32>,
    ) -> Parsed<()> {
        let (subject, found) = (self.hidden(), self.hidden());
        self.emit(Op::StoreLocal(subject));
        let isinstance = self.name_index(&"isinstance".into());
        self.emit(Op::LoadGlobal(isinstance));
        self.emit(Op::LoadLocal(subject));
        self.expression(class)?;
        self.emit(Op::Call(2, u32::MAX));
        misses.push(self.jump(Op::JumpIfFalse));
        if !places.is_empty() {
            self.emit(Op::LoadLocal(subject));
            self.expression(class)?;
            self.emit(Op::MatchPlaces(number(places.len())));
            self.emit(Op::StoreLocal(found));
            self.unpack_found(found, places.len(), misses);
            for (inner, slot) in self.stored(places) {
                self.emit(Op::LoadLocal(slot));
                self.pattern(inner, misses)?;
            }
        }
        for (name, inner) in attributes {
            self.emit(Op::LoadLocal(subject));
            let name = self.name_index(name);
            self.emit(Op::HasAttribute(name));
            self.emit(Op::StoreLocal(found));
            self.unpack_found(found, 1, misses);
            self.pattern(inner, misses)?;
        }
        Ok(())
    }
}
