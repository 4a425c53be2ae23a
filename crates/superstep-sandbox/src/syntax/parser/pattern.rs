//! `match` and its patterns.

use super::{Parsed, Parser};
use crate::syntax::{
    ast::{Case, Expr, ExprKind, Pattern, StmtKind},
    token::Word,
};

impl Parser {
    /// Whether the word `match` begins a statement here: a name of that kind is common too.
    pub(super) fn is_match(&self) -> bool {
        let follows = match self.ahead(1) {
            Word::Op(op) => matches!(*op, "(" | "[" | "{" | "-" | "*"),
            Word::Newline | Word::End => false,
            Word::Name(word) => {
                !matches!(&**word, "in" | "is" | "and" | "or" | "if" | "not" | "else")
            }
            _ => true,
        };
        if !follows {
            return false;
        }
        // The line ends with a colon, and the next one is a case.
        let mut at = 1;
        let mut open = 0_i32;
        loop {
            match self.ahead(at) {
                Word::Op("(" | "[" | "{") => open += 1,
                Word::Op(")" | "]" | "}") => open -= 1,
                Word::Op(":") if open == 0 => {
                    return matches!(self.ahead(at + 1), Word::Newline)
                        && matches!(self.ahead(at + 2), Word::Indent)
                        && matches!(self.ahead(at + 3), Word::Name(word) if &**word == "case");
                }
                Word::Newline | Word::End => return false,
                _ => {}
            }
            at += 1;
        }
    }

    pub(super) fn matching(&mut self) -> Parsed<StmtKind> {
        self.next();
        let subject = self.expressions()?;
        self.op(":")?;
        self.next();
        self.next();
        let mut cases = Vec::new();
        while self.is_word("case") {
            let line = self.line();
            self.next();
            let pattern = self.patterns()?;
            let guard = match self.eat_word("if") {
                true => Some(self.named_expression()?),
                false => None,
            };
            let body = self.block()?;
            cases.push(Case {
                line,
                pattern,
                guard,
                body,
            });
        }
        if !self.is(&Word::Dedent) && !self.is(&Word::End) {
            return self.fail("expected 'case'");
        }
        if self.is(&Word::Dedent) {
            self.next();
        }
        Ok(StmtKind::Match { subject, cases })
    }

    fn patterns(&mut self) -> Parsed<Pattern> {
        let first = self.part()?;
        if !self.is_op(",") && !matches!(first, Pattern::Rest(_)) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat_op(",") {
            if self.is_op(":") || self.is_word("if") {
                break;
            }
            items.push(self.part()?);
        }
        self.sequence(items)
    }

    /// A pattern, or `*rest`, which a sequence has once at most.
    fn part(&mut self) -> Parsed<Pattern> {
        if !self.eat_op("*") {
            return self.pattern();
        }
        let name = self.name()?;
        Ok(Pattern::Rest(Some(name).filter(|name| &**name != "_")))
    }

    fn sequence(&self, items: Vec<Pattern>) -> Parsed<Pattern> {
        let rests = items.iter().filter(|item| matches!(item, Pattern::Rest(_)));
        match rests.count() > 1 {
            true => self.fail("multiple starred expressions in sequence pattern"),
            false => Ok(Pattern::Sequence(items)),
        }
    }

    fn mapping(&mut self) -> Parsed<Pattern> {
        let (mut pairs, mut rest) = (Vec::new(), None);
        while !self.is_op("}") {
            if self.eat_op("**") {
                rest = Some(self.name()?);
            } else {
                let Pattern::Value(key) = self.closed_pattern()? else {
                    return self.fail("keys of a mapping pattern are values");
                };
                self.op(":")?;
                pairs.push((key, self.pattern()?));
            }
            if !self.eat_op(",") {
                break;
            }
        }
        self.op("}")?;
        Ok(Pattern::Mapping(pairs, rest))
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        self.nested(|parser| {
            let mut choices = vec![parser.closed_pattern()?];
            while parser.eat_op("|") {
                choices.push(parser.closed_pattern()?);
            }
            let mut pattern = match choices.len() {
                1 => choices.pop().unwrap_or(Pattern::Any),
                _ => Pattern::Or(choices),
            };
            if parser.eat_word("as") {
                pattern = Pattern::As(Box::new(pattern), parser.name()?);
            }
            Ok(pattern)
        })
    }

    fn closed_pattern(&mut self) -> Parsed<Pattern> {
        for (open, close) in [("(", ")"), ("[", "]")] {
            if !self.eat_op(open) {
                continue;
            }
            let mut items = Vec::new();
            let mut is_sequence = open == "[";
            while !self.is_op(close) {
                items.push(self.part()?);
                is_sequence |= matches!(items.last(), Some(Pattern::Rest(_)));
                if !self.eat_op(",") {
                    break;
                }
                is_sequence = true;
            }
            self.op(close)?;
            return Ok(match (is_sequence, items.len()) {
                (false, 1) => items.pop().unwrap_or(Pattern::Any),
                _ => self.sequence(items)?,
            });
        }
        if self.eat_op("{") {
            return self.mapping();
        }
        let is_constant = self.is_word("None") || self.is_word("True") || self.is_word("False");
        let Word::Name(_) = self.kind() else {
            return Ok(Pattern::Value(self.binary(5)?));
        };
        if is_constant {
            return Ok(Pattern::Value(self.atom()?));
        }
        let line = self.line();
        let name = self.name()?;
        let mut value = Expr {
            line,
            kind: Box::new(ExprKind::Name(name.clone())),
        };
        let mut is_dotted = false;
        while self.eat_op(".") {
            is_dotted = true;
            let kind = Box::new(ExprKind::Attribute(value, self.name()?));
            value = Expr { line, kind };
        }
        if self.eat_op("(") {
            let (mut places, mut attributes) = (Vec::new(), Vec::new());
            while !self.is_op(")") {
                if matches!(self.ahead(1), Word::Op("=")) {
                    let attribute = self.name()?;
                    self.op("=")?;
                    attributes.push((attribute, self.pattern()?));
                } else if attributes.is_empty() {
                    places.push(self.pattern()?);
                } else {
                    return self.fail("positional patterns follow keyword patterns");
                }
                if !self.eat_op(",") {
                    break;
                }
            }
            self.op(")")?;
            return Ok(Pattern::Class(value, places, attributes));
        }
        Ok(match (&*name, is_dotted) {
            ("_", false) => Pattern::Any,
            (_, false) => Pattern::Capture(name),
            (_, true) => Pattern::Value(value),
        })
    }
}
