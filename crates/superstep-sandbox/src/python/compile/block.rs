//! What a statement stands in, so that `return`, `break` and `continue` leave it in order.

use std::rc::Rc;

use super::{Compiler, Parsed};
use crate::{
    python::{code::Op, value::Value},
    syntax::ast::Stmt,
};

/// What statements stand in, the innermost last.
#[derive(Clone)]
pub(super) enum Block {
    /// A loop: where it begins, the jumps out of it, and whether its iterator is on the stack.
    Loop {
        start: u32,
        breaks: Vec<u32>,
        has_iterator: bool,
    },
    /// The body of a `try`.
    Try,
    /// The body of a handler.
    Handler,
    /// A body with statements that run in any case.
    Finally(Rc<[Stmt]>),
    /// Statements that run in any case, while an exception is on its way.
    Unwinding,
    /// The body of a `with`, and the local that has its context.
    With(u32),
}

impl Compiler {
    pub(super) fn enter(&mut self, block: Block) {
        self.with(|unit| unit.blocks.push(block));
    }

    pub(super) fn leave(&mut self) -> Option<Block> {
        self.with(|unit| unit.blocks.pop())
    }

    /// Emits what leaving the innermost blocks takes, down to a depth; the blocks stay.
    pub(super) fn unwind(&mut self, depth: usize) -> Parsed<()> {
        let blocks = self.with(|unit| unit.blocks.split_off(depth.min(unit.blocks.len())));
        let mut rest = blocks.clone();
        while let Some(block) = rest.pop() {
            match block {
                Block::Loop { .. } => {}
                Block::Try => self.emit(Op::EndTry),
                Block::Handler => {
                    self.emit(Op::EndTry);
                    self.emit(Op::EndHandling);
                }
                Block::Unwinding => {
                    // a loop that continues must not keep the exception on the stack.
                    if depth > 0 {
                        self.emit(Op::Pop);
                    }
                    self.emit(Op::EndHandling);
                }
                Block::Finally(body) => {
                    self.emit(Op::EndTry);
                    // The body stands outside of what it finishes.
                    self.with(|unit| unit.blocks.extend(rest.iter().cloned()));
                    let compiled = self.body(&body);
                    self.with(|unit| unit.blocks.truncate(depth));
                    compiled?;
                }
                Block::With(context) => {
                    self.emit(Op::EndTry);
                    self.exit_call(context);
                    self.emit(Op::Pop);
                }
            }
        }
        self.with(|unit| unit.blocks.extend(blocks));
        Ok(())
    }

    /// The depth of the innermost loop, counted with it.
    pub(super) fn loop_depth(&mut self) -> Option<usize> {
        self.with(|unit| {
            let is_loop = |block: &Block| matches!(block, Block::Loop { .. });
            unit.blocks.iter().rposition(is_loop).map(|at| at + 1)
        })
    }

    pub(super) fn exit_call(&mut self, context: u32) {
        self.emit(Op::LoadLocal(context));
        for _ in 0..3 {
            self.constant(Value::None);
        }
        let name = self.name_index(&"__exit__".into());
        self.emit(Op::CallMethod(name, 3));
    }
}
