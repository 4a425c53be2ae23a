//! Jinja for chat templates, with bounds.
//!
//! Weights come from anybody, and so do the templates in them. This is the part of Jinja that chat
//! templates are written in, made so that no template can hang, abort or exhaust memory: the nesting
//! of a template and of its values is limited (`parse`, `value`), and every step, every byte written,
//! copied or compared and every item of a list is paid for before it is made (`meter`). What a render
//! may spend is therefore a bound of its time and of its memory.
//!
//! Undefined names, printing and JSON follow Jinja2 in Python, which templates are written for.

mod ast;
mod eval;
mod filter;
mod function;
mod lex;
mod meter;
mod method;
mod operator;
mod parse;
mod predicate;
mod value;

use serde_json::Value as Json;

pub(super) use meter::Fault;

use self::{ast::Stmt, eval::Render, meter::Meter};

/// Templates of well-known models have at most 30 KB.
const MAX_SOURCE: usize = 128 << 10;

/// What a render may spend.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Steps, bytes and items.
    pub(super) steps: u64,
    /// Bytes of the result.
    pub(super) output: usize,
}

/// A template that was read.
pub(super) struct Template(Vec<Stmt>);

impl Template {
    /// Reads a template.
    pub(super) fn parse(source: &str) -> Result<Self, String> {
        if source.len() > MAX_SOURCE {
            return Err(format!("it has more than {MAX_SOURCE} bytes"));
        }
        parse::parse(lex::pieces(source)?).map(Self)
    }

    /// The text of the template with these variables.
    pub(super) fn render(
        &self,
        variables: &[(&str, &Json)],
        limits: Limits,
    ) -> Result<String, Fault> {
        let meter = Meter::new(limits.steps);
        let mut render = Render::new(&meter, limits.output);
        for (name, value) in variables {
            render.give(name, value)?;
        }
        render.run(&self.0)
    }
}

#[cfg(test)]
mod tests;
