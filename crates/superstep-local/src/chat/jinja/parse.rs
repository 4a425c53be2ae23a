//! The parser of templates.

use std::sync::Arc;

use super::{
    ast::{Args, Comparison, Expr, For, Operator, Stmt, Suffix, Target},
    lex::{Lexeme, Piece},
    value::Value,
};

/// How deep a template may nest: statements, brackets and the like together. What walks through its
/// tree calls itself as often.
const MAX_DEPTH: usize = 50;

/// The tree of a template.
pub(super) fn parse(pieces: Vec<Piece>) -> Result<Vec<Stmt>, String> {
    let mut parser = Parser {
        pieces: pieces.into_iter(),
        tokens: Vec::new().into_iter().peekable(),
        line: 1,
        depth: 0,
    };
    let body = parser.body(&[]);
    let (body, _) = body.map_err(|why| format!("line {}: {why}", parser.line))?;
    Ok(body)
}

fn suffixed(value: Expr, suffixes: Vec<Suffix>) -> Expr {
    match suffixes.is_empty() {
        true => value,
        false => Expr::Suffixed(Box::new(value), suffixes),
    }
}

struct Parser {
    pieces: std::vec::IntoIter<Piece>,
    /// Of the tag that is read.
    tokens: std::iter::Peekable<std::vec::IntoIter<Lexeme>>,
    line: usize,
    depth: usize,
}

type Parsed<T> = Result<T, String>;

impl Parser {
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(format!("it is nested more than {MAX_DEPTH} times"));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn enter(&mut self, tokens: Vec<Lexeme>, line: usize) {
        self.tokens = tokens.into_iter().peekable();
        self.line = line;
    }

    /// Statements up to one of these, or to the end of the template, and which it was.
    fn body(&mut self, ends: &[&'static str]) -> Parsed<(Vec<Stmt>, &'static str)> {
        let mut body = Vec::new();
        while let Some(piece) = self.pieces.next() {
            match piece {
                Piece::Text(text) => body.push(Stmt::Text(text.into())),
                Piece::Emit(tokens, line) => {
                    self.enter(tokens, line);
                    let value = self.value()?;
                    self.end()?;
                    body.push(Stmt::Emit(value));
                }
                Piece::Statement(tokens, line) => {
                    self.enter(tokens, line);
                    let name = self.name()?;
                    if let Some(end) = ends.iter().find(|end| **end == name) {
                        return Ok((body, end));
                    }
                    body.push(self.deeper(|parser| parser.statement(&name))?);
                }
            }
        }
        match ends {
            [] => Ok((body, "")),
            [first, ..] => Err(format!("there is no `{first}`")),
        }
    }

    fn statement(&mut self, name: &str) -> Parsed<Stmt> {
        match name {
            "if" => self.conditional(),
            "for" => self.repeated(),
            "set" => self.assignment(),
            "break" => self.end().map(|()| Stmt::Break),
            "continue" => self.end().map(|()| Stmt::Continue),
            other => Err(format!("there is no statement `{other}`")),
        }
    }

    fn conditional(&mut self) -> Parsed<Stmt> {
        let mut branches = Vec::new();
        loop {
            let condition = self.value()?;
            self.end()?;
            let (body, end) = self.body(&["endif", "elif", "else"])?;
            branches.push((condition, body));
            if end == "elif" {
                continue;
            }
            self.end()?;
            let otherwise = match end {
                "else" => self.body_to("endif")?,
                _ => Vec::new(),
            };
            return Ok(Stmt::If {
                branches,
                otherwise,
            });
        }
    }

    fn body_to(&mut self, end: &'static str) -> Parsed<Vec<Stmt>> {
        let (body, _) = self.body(&[end])?;
        self.end()?;
        Ok(body)
    }

    fn repeated(&mut self) -> Parsed<Stmt> {
        let is_bracketed = self.takes("(");
        let mut targets: Vec<Arc<str>> = vec![self.name()?.into()];
        while self.takes(",") {
            targets.push(self.name()?.into());
        }
        if is_bracketed {
            self.expect(")")?;
        }
        if !self.takes_word("in") {
            return Err("a loop has no `in`".to_owned());
        }
        let items = self.deeper(Self::any)?;
        let only = match self.takes_word("if") {
            true => Some(self.value()?),
            false => None,
        };
        self.end()?;
        let (body, end) = self.body(&["endfor", "else"])?;
        self.end()?;
        let otherwise = match end {
            "else" => self.body_to("endfor")?,
            _ => Vec::new(),
        };
        Ok(Stmt::For(Box::new(For {
            targets,
            items,
            only,
            body,
            otherwise,
        })))
    }

    fn assignment(&mut self) -> Parsed<Stmt> {
        let mut targets = Vec::new();
        loop {
            let name = self.name()?.into();
            let field = match self.takes(".") {
                true => Some(self.name()?.into()),
                false => None,
            };
            targets.push(Target { name, field });
            if !self.takes(",") {
                break;
            }
        }
        if self.takes("=") {
            let value = self.value_or_list()?;
            self.end()?;
            return Ok(Stmt::Set(targets, value));
        }
        self.end()?;
        match (targets.pop(), targets.is_empty()) {
            (Some(target), true) => Ok(Stmt::Capture(target, self.body_to("endset")?)),
            _ => Err("a block is given to more than one variable".to_owned()),
        }
    }

    /// A value, or several with commas between them.
    fn value_or_list(&mut self) -> Parsed<Expr> {
        let first = self.value()?;
        if !self.takes(",") {
            return Ok(first);
        }
        let mut items = vec![first];
        while self
            .tokens
            .peek()
            .is_some_and(|token| *token != Lexeme::Mark(")"))
        {
            items.push(self.value()?);
            if !self.takes(",") {
                break;
            }
        }
        Ok(Expr::List(items))
    }

    fn value(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let value = parser.any()?;
            if !parser.takes_word("if") {
                return Ok(value);
            }
            let condition = parser.any()?;
            let otherwise = match parser.takes_word("else") {
                true => Some(Box::new(parser.value()?)),
                false => None,
            };
            Ok(Expr::Choice {
                condition: Box::new(condition),
                then: Box::new(value),
                otherwise,
            })
        })
    }

    fn any(&mut self) -> Parsed<Expr> {
        self.joined("or", Self::all, Expr::Any)
    }

    fn all(&mut self) -> Parsed<Expr> {
        self.joined("and", Self::negation, Expr::All)
    }

    fn joined(
        &mut self,
        word: &str,
        part: impl Fn(&mut Self) -> Parsed<Expr>,
        make: impl Fn(Vec<Expr>) -> Expr,
    ) -> Parsed<Expr> {
        let first = part(self)?;
        if !self.takes_word(word) {
            return Ok(first);
        }
        let mut parts = vec![first, part(self)?];
        while self.takes_word(word) {
            parts.push(part(self)?);
        }
        Ok(make(parts))
    }

    fn negation(&mut self) -> Parsed<Expr> {
        if self.takes_word("not") {
            let value = self.deeper(Self::negation)?;
            return Ok(Expr::Not(Box::new(value)));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let first = self.chain(0)?;
        let mut others = Vec::new();
        while let Some(comparison) = self.comparison_mark()? {
            others.push((comparison, self.chain(0)?));
        }
        Ok(match others.is_empty() {
            true => first,
            false => Expr::Compare(Box::new(first), others),
        })
    }

    fn comparison_mark(&mut self) -> Parsed<Option<Comparison>> {
        let marks = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::MoreOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::More),
        ];
        if let Some((_, comparison)) = marks.into_iter().find(|(mark, _)| self.takes(mark)) {
            return Ok(Some(comparison));
        }
        if self.takes_word("in") {
            return Ok(Some(Comparison::In));
        }
        if self.takes_word("not") {
            return match self.takes_word("in") {
                true => Ok(Some(Comparison::NotIn)),
                false => Err("`not` stands where an operator should".to_owned()),
            };
        }
        Ok(None)
    }

    /// Operators of one rank after the other, those that bind least first.
    fn chain(&mut self, rank: usize) -> Parsed<Expr> {
        let operators: &[(&str, Operator)] = match rank {
            0 => &[("+", Operator::Add), ("-", Operator::Subtract)],
            1 => &[("~", Operator::Concat)],
            2 => &[
                ("*", Operator::Multiply),
                ("/", Operator::Divide),
                ("//", Operator::DivideDown),
                ("%", Operator::Remainder),
            ],
            3 => &[("**", Operator::Power)],
            _ => return self.signed(),
        };
        let first = self.chain(rank + 1)?;
        let mut others = Vec::new();
        while let Some((_, operator)) = operators.iter().find(|(mark, _)| self.takes(mark)) {
            others.push((*operator, self.chain(rank + 1)?));
        }
        Ok(match others.is_empty() {
            true => first,
            false => Expr::Chain(Box::new(first), others),
        })
    }

    /// A value with its sign. Filters and tests apply to the sign too.
    fn signed(&mut self) -> Parsed<Expr> {
        let value = self.bare()?;
        let mut suffixes = Vec::new();
        while let Some(suffix) = self.suffix()? {
            suffixes.push(suffix);
        }
        Ok(suffixed(value, suffixes))
    }

    fn bare(&mut self) -> Parsed<Expr> {
        if self.takes("-") {
            let value = self.deeper(Self::bare)?;
            return Ok(Expr::Negate(Box::new(value)));
        }
        if self.takes("+") {
            return self.deeper(Self::bare);
        }
        let value = self.primary()?;
        let mut parts = Vec::new();
        while let Some(part) = self.part()? {
            parts.push(part);
        }
        Ok(suffixed(value, parts))
    }

    fn part(&mut self) -> Parsed<Option<Suffix>> {
        if self.takes(".") {
            let name: Arc<str> = match self.tokens.next() {
                Some(Lexeme::Name(name)) => name.into(),
                Some(Lexeme::Int(index)) => {
                    return Ok(Some(Suffix::Index(Expr::Const(Value::Int(index)))));
                }
                _ => return Err("a point has no name behind it".to_owned()),
            };
            return Ok(Some(match self.takes("(") {
                true => Suffix::Method(name, self.arguments()?),
                false => Suffix::Attribute(name),
            }));
        }
        if self.takes("[") {
            return self.subscript().map(Some);
        }
        Ok(None)
    }

    fn suffix(&mut self) -> Parsed<Option<Suffix>> {
        if self.takes("|") {
            let name = self.name()?.into();
            let args = match self.takes("(") {
                true => self.arguments()?,
                false => Args::default(),
            };
            return Ok(Some(Suffix::Filter(name, args)));
        }
        if self.takes_word("is") {
            return self.test().map(Some);
        }
        self.part()
    }

    fn test(&mut self) -> Parsed<Suffix> {
        let is_negated = self.takes_word("not");
        let name: Arc<str> = match self.tokens.next() {
            Some(Lexeme::Name(name)) => name.into(),
            Some(Lexeme::Mark(mark @ ("==" | "!=" | "<" | "<=" | ">" | ">="))) => mark.into(),
            _ => return Err("`is` has no test behind it".to_owned()),
        };
        let mut args = Args::default();
        if self.takes("(") {
            args = self.arguments()?;
        } else if self.has_argument() {
            args.plain.push(self.deeper(Self::primary)?);
        }
        Ok(Suffix::Test {
            name,
            args,
            is_negated,
        })
    }

    /// Whether a test has an argument without brackets.
    fn has_argument(&mut self) -> bool {
        match self.tokens.peek() {
            Some(Lexeme::Name(name)) => {
                !["else", "or", "and", "is", "if", "in", "not"].contains(&name.as_str())
            }
            Some(Lexeme::Text(_) | Lexeme::Int(_) | Lexeme::Float(_)) => true,
            Some(Lexeme::Mark(mark)) => ["[", "{"].contains(mark),
            None => false,
        }
    }

    fn subscript(&mut self) -> Parsed<Suffix> {
        let mut parts = [None, None, None];
        let mut is_slice = false;
        for (number, part) in parts.iter_mut().enumerate() {
            let ends = |token: &Lexeme| matches!(token, Lexeme::Mark(":" | "]"));
            if !self.tokens.peek().is_none_or(ends) {
                *part = Some(self.value()?);
            }
            if number == 2 || !self.takes(":") {
                break;
            }
            is_slice = true;
        }
        self.expect("]")?;
        match (is_slice, parts) {
            (true, parts) => Ok(Suffix::Slice(parts)),
            (false, [Some(index), ..]) => Ok(Suffix::Index(index)),
            (false, _) => Err("an index is missing".to_owned()),
        }
    }

    /// Arguments up to the bracket that ends them.
    fn arguments(&mut self) -> Parsed<Args> {
        let mut args = Args::default();
        while !self.takes(")") {
            let value = self.value()?;
            match value {
                Expr::Var(name) if self.takes("=") => args.named.push((name, self.value()?)),
                value => args.plain.push(value),
            }
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(args)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.tokens.next().ok_or("a value is missing")?;
        match token {
            Lexeme::Text(mut text) => {
                // Texts side by side are one.
                while let Some(Lexeme::Text(more)) =
                    self.tokens.next_if(|it| matches!(it, Lexeme::Text(_)))
                {
                    text.push_str(&more);
                }
                Ok(Expr::Const(Value::Text(text.into())))
            }
            Lexeme::Int(number) => Ok(Expr::Const(Value::Int(number))),
            Lexeme::Float(number) => Ok(Expr::Const(Value::Float(number))),
            Lexeme::Name(name) => self.named(&name),
            Lexeme::Mark("(") => {
                if self.takes(")") {
                    return Ok(Expr::List(Vec::new()));
                }
                let value = self.value_or_list()?;
                self.expect(")")?;
                Ok(value)
            }
            Lexeme::Mark("[") => {
                let mut items = Vec::new();
                while !self.takes("]") {
                    items.push(self.value()?);
                    if !self.takes(",") {
                        self.expect("]")?;
                        break;
                    }
                }
                Ok(Expr::List(items))
            }
            Lexeme::Mark("{") => {
                let mut members = Vec::new();
                while !self.takes("}") {
                    let key = self.value()?;
                    self.expect(":")?;
                    members.push((key, self.value()?));
                    if !self.takes(",") {
                        self.expect("}")?;
                        break;
                    }
                }
                Ok(Expr::Dict(members))
            }
            Lexeme::Mark(mark) => Err(format!("`{mark}` stands where a value should")),
        }
    }

    fn named(&mut self, name: &str) -> Parsed<Expr> {
        Ok(match name {
            "true" | "True" => Expr::Const(Value::Bool(true)),
            "false" | "False" => Expr::Const(Value::Bool(false)),
            "none" | "None" => Expr::Const(Value::None),
            "or" | "and" | "not" | "in" | "is" | "if" | "else" => {
                return Err(format!("`{name}` stands where a value should"));
            }
            name if self.takes("(") => Expr::Call(name.into(), self.arguments()?),
            name => Expr::Var(name.into()),
        })
    }

    fn name(&mut self) -> Parsed<String> {
        match self.tokens.next() {
            Some(Lexeme::Name(name)) => Ok(name),
            _ => Err("a name is missing".to_owned()),
        }
    }

    fn takes(&mut self, mark: &str) -> bool {
        let is_it = |token: &Lexeme| matches!(token, Lexeme::Mark(it) if *it == mark);
        self.tokens.next_if(is_it).is_some()
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_it = |token: &Lexeme| matches!(token, Lexeme::Name(it) if it == word);
        self.tokens.next_if(is_it).is_some()
    }

    fn expect(&mut self, mark: &str) -> Parsed<()> {
        match self.takes(mark) {
            true => Ok(()),
            false => Err(format!("`{mark}` is missing")),
        }
    }

    fn end(&mut self) -> Parsed<()> {
        match self.tokens.next() {
            None => Ok(()),
            Some(_) => Err("there is something behind the end of a statement".to_owned()),
        }
    }
}
