//! The outline of a code base: the files that most others import, with the signatures of what they define, the lines of each
//! definition, and what it says of itself.

use std::{cmp::Reverse, fmt::Write as _};

use super::{
    lines,
    quotes::{above, head},
};
use crate::{
    agent::AgentContext,
    facts::{File, Language, Lookup, Symbol, SymbolKind},
    inert::{self, counted},
};

/// The longest signature.
const LONGEST: usize = 180;

/// How many lines a signature may have.
const MOST_LINES: usize = 12;

/// The most definitions of a file.
const MOST: usize = 60;

/// The files that most others import, within the room; then those that no other imports.
pub(super) fn outline(context: &AgentContext, room: usize) -> String {
    let lookup = Lookup::new(&context.facts);
    let files = context.facts.files.iter();
    let files = files.filter(|it| it.language.is_code() && !it.test && !it.symbols.is_empty());
    let mut files: Vec<(usize, &File)> = files
        .map(|it| (lookup.importers(&it.path).count(), it))
        .collect();
    files.sort_by_key(|(importers, file)| (Reverse(*importers), Reverse(file.lines), &file.path));
    let mut text = String::from("\n# Outline, the most imported files first\n");
    let mut left_out = 0_usize;
    for (importers, file) in files {
        let left = room.saturating_sub(text.len() + 40);
        let shown = of_file(context, file, importers, left.min(room / 3));
        match shown {
            Some(shown) => text.push_str(&shown),
            None => left_out += 1,
        }
    }
    if left_out > 0 {
        let files = counted(u64::try_from(left_out).unwrap_or(u64::MAX), "more file");
        let _written = writeln!(text, "\n({files} not shown)");
    }
    text
}

/// The outline of a file; nothing if there is no room for what matters of it.
fn of_file(context: &AgentContext, file: &File, importers: usize, room: usize) -> Option<String> {
    let about = head(context, &file.path).map_or(String::new(), |it| format!(": {it}"));
    let mut text = format!(
        "\n## {} ({}, importers: {importers}){}\n",
        inert::line(&file.path),
        counted(file.lines.into(), "line"),
        inert::line(&about)
    );
    if text.len() > room {
        return None;
    }
    let all = lines(context, &file.path, 1, usize::MAX)?;
    let all: Vec<String> = all.into_iter().map(|(_, line)| line).collect();
    let has_public = file.symbols.iter().any(|it| it.public);
    let is_shown = |it: &&Symbol| {
        let is_public = it.public || !has_public;
        is_public && !(it.kind == SymbolKind::Module || it.name.starts_with("__"))
    };
    let mut shown = 0;
    let symbols = file.symbols.iter().filter(is_shown);
    let total = symbols.clone().count();
    for symbol in symbols.take(MOST) {
        let indent = if symbol.of.is_some() { "  " } else { "" };
        let about = match symbol.of.is_none() || total < 12 {
            true => above(context, &file.path, symbol.line),
            false => None,
        };
        let about = about.map_or(String::new(), |it| format!(": {it}"));
        let line = format!(
            "{indent}- {} {}-{}{about}\n",
            signature(symbol, &all, file.language),
            symbol.line,
            symbol.end.max(symbol.line)
        );
        if text.len() + line.len() > room {
            break;
        }
        text.push_str(&line);
        shown += 1;
    }
    if shown < total {
        let more = u64::try_from(total - shown).unwrap_or(u64::MAX);
        let _written = writeln!(text, "({} not shown)", counted(more, "more definition"));
    }
    Some(text)
}

/// The head of a definition, on one line.
fn signature(symbol: &Symbol, all: &[String], language: Language) -> String {
    let at = usize::try_from(symbol.line).unwrap_or(1).saturating_sub(1);
    let mut text = String::new();
    let mut depth = 0_usize;
    'lines: for line in all.iter().skip(at).take(MOST_LINES) {
        if !text.is_empty() {
            text.push(' ');
        }
        for c in line.trim().chars() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                '{' | ';' if depth == 0 => break 'lines,
                ':' if depth == 0 && language == Language::Python => break 'lines,
                _ => {}
            }
            text.push(c);
        }
        let is_whole = depth == 0 && !matches!(language, Language::Python | Language::Java);
        if text.len() > LONGEST || is_whole && symbol.kind == SymbolKind::Constant {
            break;
        }
    }
    let text = text.replace("( ", "(").replace(", )", ")");
    let short: String = text.trim().chars().take(LONGEST).collect();
    match short.is_empty() {
        true => symbol.name.clone(),
        false => inert::line(&short),
    }
}
