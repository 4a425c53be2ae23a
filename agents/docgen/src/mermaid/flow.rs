//! Flowcharts.

use super::Invalid;

pub(super) fn check(lines: &[(usize, &str)]) -> Result<(), Invalid> {
    let mut open = 0_usize;
    for (number, line) in lines {
        let wrong = |why: &str| Invalid {
            line: *number,
            why: why.to_owned(),
        };
        let line = line.trim_end_matches(';').trim();
        let word = line.split_whitespace().next().unwrap_or_default();
        match word {
            "subgraph" => open += 1,
            "end" if line == "end" => {
                open = open
                    .checked_sub(1)
                    .ok_or_else(|| wrong("`end` without a subgraph"))?;
            }
            "direction" | "classDef" | "class" | "style" | "linkStyle" => {}
            _ => statement(line).map_err(|why| wrong(&why))?,
        }
    }
    match open {
        0 => Ok(()),
        _ => Err(Invalid {
            line: lines.last().map_or(1, |(number, _)| *number),
            why: "a subgraph has no `end`".into(),
        }),
    }
}

/// Nodes with links between them: `a["x"] --> b & c -.->|"why"| d`.
fn statement(line: &str) -> Result<(), String> {
    let mut rest = Rest(line);
    loop {
        rest.node()?;
        while rest.take("&") {
            rest.node()?;
        }
        if rest.is_empty() {
            return Ok(());
        }
        rest.link()?;
    }
}

struct Rest<'a>(&'a str);

const SHAPES: [(&str, &str); 10] = [
    ("(((", ")))"),
    ("((", "))"),
    ("([", "])"),
    ("[[", "]]"),
    ("[(", ")]"),
    ("{{", "}}"),
    ("[", "]"),
    ("(", ")"),
    ("{", "}"),
    (">", "]"),
];

const LINKS: [&str; 16] = [
    "<-.->", "<==>", "<-->", "-.->", "-..->", "==>", "===>", "--->", "-->", "--o", "--x", "---",
    "-.-", "===", "~~~", "--",
];

impl<'a> Rest<'a> {
    fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }

    fn take(&mut self, word: &str) -> bool {
        let text = self.0.trim_start();
        match text.strip_prefix(word) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn node(&mut self) -> Result<(), String> {
        let text = self.0.trim_start();
        let is_sign = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let mut end = text.find(|c| !is_sign(c)).unwrap_or(text.len());
        // A dash within a name, not the beginning of a link.
        while let Some(more) = text.get(end..).and_then(|it| it.strip_prefix('-')) {
            if !more.starts_with(is_sign) {
                break;
            }
            let length = more.find(|c| !is_sign(c)).unwrap_or(more.len());
            end += 1 + length;
        }
        if end == 0 {
            return Err(format!("a node is expected at `{}`", short(text)));
        }
        let name = text.get(..end).unwrap_or_default();
        if name == "end" {
            return Err("no node may be called `end`".into());
        }
        self.0 = text.get(end..).unwrap_or_default();
        for (open, close) in SHAPES {
            if let Some(inside) = self.0.strip_prefix(open) {
                self.0 = label(inside, close)?;
                break;
            }
        }
        if let Some(rest) = self.0.strip_prefix(":::") {
            let end = rest
                .find(|c: char| !is_sign(c) && c != '-')
                .unwrap_or(rest.len());
            self.0 = rest.get(end..).unwrap_or_default();
        }
        Ok(())
    }

    fn link(&mut self) -> Result<(), String> {
        let text = self.0.trim_start();
        let Some(link) = LINKS.iter().find(|link| text.starts_with(**link)) else {
            return Err(format!("a link is expected at `{}`", short(text)));
        };
        let mut rest = text.get(link.len()..).unwrap_or_default();
        if *link == "--" || *link == "==" {
            // Words within the link: `a -- why --> b`.
            let (words, after) = rest
                .split_once("--")
                .ok_or("the words of a link do not end")?;
            if words.trim().is_empty() {
                return Err("the words of a link are empty".into());
            }
            rest = after.trim_start_matches(['-', '>', 'o', 'x']);
        }
        let after = rest.trim_start();
        if let Some(inside) = after.strip_prefix('|') {
            let (words, behind) = inside
                .split_once('|')
                .ok_or("the label of a link does not end")?;
            if words.trim().is_empty() {
                return Err("the label of a link is empty".into());
            }
            rest = behind;
        }
        self.0 = rest;
        match self.is_empty() {
            true => Err("a link leads nowhere".into()),
            false => Ok(()),
        }
    }
}

/// What is behind the label of a node.
fn label<'a>(text: &'a str, close: &str) -> Result<&'a str, String> {
    let unclosed = || format!("a label has no `{close}`");
    if let Some(quoted) = text.strip_prefix('"') {
        let (_, rest) = quoted
            .split_once('"')
            .ok_or("a quoted label does not end")?;
        return rest.strip_prefix(close).ok_or_else(unclosed);
    }
    let (inside, rest) = text.split_once(close).ok_or_else(unclosed)?;
    match inside.contains(['[', ']', '(', ')', '{', '}', '"', '|']) {
        true => Err(format!("the label `{}` must be in quotes", short(inside))),
        false => Ok(rest),
    }
}

pub(super) fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
