//! Functions of single values over many cells, as Excel has them and the calculation has not.
//!
//! Where many values are calculated at once, as in an array formula or in `SUMPRODUCT`, such a function is applied to each
//! of them: `LEN(A1:A3)` becomes `LET(sst_1,0,EACH("sst_1",A1:A3,LEN(sst_1)))`, where [`EACH`] is a function of ours.
//! Elsewhere it takes the cell in the row or column of the formula: `LEN(@(A1:A3))`. Without that the calculation takes
//! the first cell, or gives an error.

use super::{
    functions::{EACH, plain},
    operators, own_cell,
};
use crate::{
    book::Workbook,
    formula::{Change, Word, bracketed, is_word, quoted, rewrite, word, words},
    sheet::{Formula, FormulaKind},
};

/// How deep calls in formulas are followed.
const DEEPEST: usize = 100;

/// Which arguments of a function are single values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Singles {
    /// All of them.
    All,
    /// The first.
    First,
    /// The first and the third.
    FirstAndThird,
    /// The second.
    Second,
    /// Every second one, from the second on.
    Pairs,
    /// Every second one, from the third on.
    PairsBehindFirst,
}

impl Singles {
    fn contains(self, at: usize) -> bool {
        match self {
            Self::All => true,
            Self::First => at == 0,
            Self::FirstAndThird => at == 0 || at == 2,
            Self::Second => at == 1,
            Self::Pairs => at % 2 == 1,
            Self::PairsBehindFirst => at >= 2 && at.is_multiple_of(2),
        }
    }
}

/// Functions that take single values and give one.
const ALL: [&str; 60] = [
    "ABS", "ADDRESS", "CEILING", "CHAR", "CLEAN", "CODE", "COMBIN", "DATE", "DATEDIF", "DATEVALUE",
    "DAY", "DAYS", "DAYS360", "DEGREES", "DOLLAR", "ERROR.TYPE", "EVEN", "EXACT", "EXP", "FACT",
    "FIND", "FIXED", "FLOOR", "HOUR", "INT", "ISBLANK", "ISERR", "ISERROR", "ISLOGICAL", "ISNA",
    "ISNONTEXT", "ISNUMBER", "ISTEXT", "LEFT", "LEN", "LN", "LOG", "LOG10", "LOWER", "MID",
    "MINUTE", "MOD", "MONTH", "NOT", "NUMBERVALUE", "ODD", "POWER", "PROPER", "RADIANS", "REPLACE",
    "REPT", "RIGHT", "ROUND", "ROUNDDOWN", "ROUNDUP", "SEARCH", "SECOND", "SIGN", "SQRT",
    "SUBSTITUTE",
];

/// More of them; and those of which some arguments are single values.
const OTHERS: [(&str, Singles); 32] = [
    ("TEXT", Singles::All),
    ("TIME", Singles::All),
    ("TIMEVALUE", Singles::All),
    ("TRIM", Singles::All),
    ("TRUNC", Singles::All),
    ("UNICHAR", Singles::All),
    ("UNICODE", Singles::All),
    ("UPPER", Singles::All),
    ("VALUE", Singles::All),
    ("WEEKDAY", Singles::All),
    ("YEAR", Singles::All),
    ("IFS", Singles::All),
    ("SWITCH", Singles::All),
    ("BITAND", Singles::All),
    ("BITOR", Singles::All),
    ("BITXOR", Singles::All),
    ("CHOOSE", Singles::First),
    ("MATCH", Singles::First),
    ("XMATCH", Singles::First),
    ("XLOOKUP", Singles::First),
    ("VLOOKUP", Singles::FirstAndThird),
    ("HLOOKUP", Singles::FirstAndThird),
    ("LARGE", Singles::Second),
    ("SMALL", Singles::Second),
    ("COUNTIF", Singles::Second),
    ("SUMIF", Singles::Second),
    ("AVERAGEIF", Singles::Second),
    ("COUNTIFS", Singles::Pairs),
    ("SUMIFS", Singles::PairsBehindFirst),
    ("AVERAGEIFS", Singles::PairsBehindFirst),
    ("MAXIFS", Singles::PairsBehindFirst),
    ("MINIFS", Singles::PairsBehindFirst),
];

/// Functions that calculate many values at once in whatever formula they are, from which argument on.
const MANY: [(&str, usize); 8] = [
    ("SUMPRODUCT", 0),
    ("MMULT", 0),
    ("LOOKUP", 1),
    ("FREQUENCY", 0),
    ("AGGREGATE", 2),
    ("SUMX2MY2", 0),
    ("SUMX2PY2", 0),
    ("SUMXMY2", 0),
];

/// Functions that give as many values as they are given.
const THROUGH: [&str; 14] = [
    "IF", "IFERROR", "IFNA", "ROW", "COLUMN", "TRANSPOSE", "SEQUENCE", "FILTER", "SORT", "UNIQUE",
    "OFFSET", "INDIRECT", "INDEX", "MMULT",
];

/// Whether a function calculates many values at once for an argument.
fn takes_many(name: &str, at: usize) -> bool {
    if name.eq_ignore_ascii_case("INDEX") {
        return at == 0;
    }
    let mut all = MANY.iter();
    all.any(|(known, from)| known.eq_ignore_ascii_case(name) && at >= *from)
}

fn singles(name: &str) -> Option<Singles> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    if ALL.iter().any(|known| is(known)) {
        return Some(Singles::All);
    }
    let others = OTHERS.iter().find(|(known, _)| is(known));
    others.map(|(_, singles)| *singles)
}

/// What is done with many values where one is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    /// They stay: the function that gets them takes many.
    Plain,
    /// The cell in the row or column of the formula is taken.
    One,
    /// The function is applied to each.
    Each,
}

/// The text of a formula whose functions are applied to each value, or take one; none if it stays as it is.
pub(super) fn lifted(book: &Workbook, formula: &Formula) -> Option<String> {
    let text = &formula.text;
    if !is_concerned(book, text) {
        return None;
    }
    let mut reader = Lifting {
        book,
        names: 0,
        changed: false,
    };
    let context = match formula.kind {
        FormulaKind::Array(_) => Where::Each,
        _ => Where::Plain,
    };
    let mut rest = text.as_str();
    let whole = reader.expression(&mut rest, context, 0)?;
    // What is not understood stays as it is.
    (rest.is_empty() && reader.changed).then_some(whole.text)
}

/// Whether a formula has such a function, many cells, and no names of its own.
fn is_concerned(book: &Workbook, formula: &str) -> bool {
    let mut has_function = false;
    let mut has_many = formula.contains(['{', '[', '#']);
    let mut has_own = false;
    words(formula, |word| match word {
        Word::Function(name) => {
            let name = plain(name);
            has_function |= singles(name).is_some() || is_one_of(&["ROW", "COLUMN"], name);
            has_many |= is_one_of(&["OFFSET", "INDIRECT", "SEQUENCE"], name);
            has_own |= is_one_of(&["LET", "LAMBDA"], name);
        }
        Word::Other(name) => {
            has_many |= book
                .names
                .iter()
                .any(|it| it.name.eq_ignore_ascii_case(name));
        }
        Word::Table(_) | Word::OwnTable | Word::Elsewhere => {}
    });
    has_function && !has_own && (has_many || is_many(formula))
}

fn is_one_of(all: &[&str], name: &str) -> bool {
    all.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a text names more than one cell.
fn is_many(text: &str) -> bool {
    let mut is_many = false;
    rewrite(text, |reference| {
        let area = reference.area();
        is_many |= area.first != area.last;
        Change::Keep
    });
    is_many
}

/// A piece of a formula.
#[derive(Debug, Default)]
struct Term {
    text: String,
    /// Whether it may give more than one value.
    is_many: bool,
}

struct Lifting<'a> {
    book: &'a Workbook,
    /// How many names were made.
    names: usize,
    changed: bool,
}

impl Lifting<'_> {
    /// Reads up to a separator or a closing bracket.
    fn expression(&mut self, rest: &mut &str, context: Where, depth: usize) -> Option<Term> {
        if depth > DEEPEST {
            return None;
        }
        let mut piece = Term::default();
        while let Some(c) = rest.chars().next() {
            match c {
                ')' | ',' | ';' | '}' => break,
                '"' => piece.text.push_str(take(rest, quoted(rest, '"'))?),
                '{' => {
                    let array = take(rest, operators::braced(rest))?;
                    piece.is_many |= array.contains([',', ';']);
                    piece.text.push_str(array);
                }
                '(' => {
                    take(rest, 1)?;
                    let inner = self.list(rest, context, depth)?;
                    piece.is_many |= inner.iter().any(|it| it.is_many);
                    let texts: Vec<&str> = inner.iter().map(|it| it.text.as_str()).collect();
                    piece.text.push_str(&format!("({})", texts.join(",")));
                }
                c if is_word(c) || matches!(c, '\'' | '[' | '#') => {
                    let operand = self.operand(rest, context, depth)?;
                    piece.is_many |= operand.is_many;
                    piece.text.push_str(&operand.text);
                }
                c => piece.text.push_str(take(rest, c.len_utf8())?),
            }
        }
        Some(piece)
    }

    /// Reads what is between two brackets, of which the first was read already.
    fn list(&mut self, rest: &mut &str, context: Where, depth: usize) -> Option<Vec<Term>> {
        let mut all = Vec::new();
        loop {
            all.push(self.expression(rest, context, depth + 1)?);
            match take(rest, 1)? {
                ")" => return Some(all),
                "," => {}
                _ => return None,
            }
        }
    }

    /// Reads a call, or something that has a value: a reference, a name, a number.
    fn operand(&mut self, rest: &mut &str, context: Where, depth: usize) -> Option<Term> {
        let end = word(rest);
        let name = rest.get(..end)?;
        if end > 0 && rest.get(end..)?.starts_with('(') {
            let name = take(rest, end)?;
            take(rest, 1)?;
            return self.call(name, rest, context, depth);
        }
        if name.parse::<f64>().is_ok() && !rest.get(end..)?.starts_with(':') {
            return Some(Term {
                text: take(rest, end)?.to_owned(),
                is_many: false,
            });
        }
        let text = take(rest, reference(rest))?;
        let is_many = self.gives_many(text);
        match context {
            Where::One if is_many => {
                self.changed = true;
                Some(Term {
                    text: format!("@({text})"),
                    is_many: false,
                })
            }
            _ => Some(Term {
                text: text.to_owned(),
                is_many,
            }),
        }
    }

    /// Whether a reference or a name may give more than one value.
    fn gives_many(&self, text: &str) -> bool {
        if text.ends_with('#') {
            return true;
        }
        if text.contains('[') {
            let is_row = text.contains('@') || text.contains("This Row");
            return !is_row;
        }
        if is_many(text) {
            return true;
        }
        let name = text.rsplit('!').next().unwrap_or(text);
        let mut names = self.book.names.iter();
        let named = names.find(|it| it.name.eq_ignore_ascii_case(name));
        named.is_some_and(|it| is_many(&it.refers_to) || it.refers_to.contains(['(', '{']))
    }

    fn call(&mut self, name: &str, rest: &mut &str, context: Where, depth: usize) -> Option<Term> {
        let known = plain(name);
        let single = singles(known);
        let mut arguments: Vec<Term> = Vec::new();
        loop {
            let is_single = single.is_some_and(|it| it.contains(arguments.len()));
            let inner = match context {
                Where::Each => Where::Each,
                _ if takes_many(known, arguments.len()) => Where::Each,
                _ if is_single => Where::One,
                // What a function of a single value is given is one; others take what they are given.
                _ => Where::Plain,
            };
            let argument = self.expression(rest, inner, depth + 1)?;
            arguments.push(argument);
            match take(rest, 1)? {
                ")" => break,
                "," => {}
                _ => return None,
            }
        }
        // Constant arrays are many values in any formula. Of areas to choose from the whole would be wanted.
        let chooses = known.eq_ignore_ascii_case("CHOOSE");
        let chooses_areas = chooses && arguments.iter().skip(1).any(|it| it.is_many);
        let is_each = |at: usize, argument: &Term| {
            argument.is_many && !chooses_areas && single.is_some_and(|it| it.contains(at))
        };
        let mut lets = String::new();
        let mut arrays = String::new();
        let mut given = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            if !is_each(at, argument) {
                given.push(argument.text.clone());
                continue;
            }
            self.names += 1;
            // With the mark that files put before such names: a text that names it gets none where it is written.
            let local = format!("_xlpm.sst_{}", self.names);
            lets.push_str(&format!("{local},0,"));
            arrays.push_str(&format!("\"{local}\",{},", argument.text));
            given.push(local);
        }
        let call = format!("{name}({})", given.join(","));
        if let (Where::Each, [only]) = (context, arguments.as_slice())
            && let Some(numbers) = own_cell::many(known, &only.text)
        {
            self.changed = true;
            return Some(Term {
                text: numbers,
                is_many: true,
            });
        }
        if arrays.is_empty() {
            let passes = is_one_of(&THROUGH, known) && arguments.iter().any(|it| it.is_many);
            let is_open = is_one_of(&["OFFSET", "INDIRECT", "SEQUENCE"], known);
            return Some(Term {
                text: call,
                is_many: passes || is_open,
            });
        }
        self.changed = true;
        Some(Term {
            text: format!("LET({lets}{EACH}({arrays}{call}))"),
            is_many: true,
        })
    }
}

/// Takes the first bytes off a text.
fn take<'a>(rest: &mut &'a str, count: usize) -> Option<&'a str> {
    let (taken, after) = rest.split_at_checked(count.max(1))?;
    *rest = after;
    Some(taken)
}

/// The length of a reference or a name: words, sheets, brackets of tables, and the colons between them.
fn reference(text: &str) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(c) = rest.chars().next() else {
            break;
        };
        at += match c {
            '\'' => quoted(rest, '\''),
            '[' => bracketed(rest),
            '!' | ':' | '#' => 1,
            c if is_word(c) => word(rest),
            _ => break,
        };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Area;

    fn text(formula: &str, kind: FormulaKind) -> String {
        let book = Workbook::empty().unwrap();
        let formula = Formula {
            text: formula.to_owned(),
            kind,
        };
        let text = lifted(&book, &formula).unwrap_or(formula.text);
        text.replace("_xlpm.", "")
    }

    #[test]
    fn functions_are_applied_to_each_value_where_many_are_calculated() {
        let lift = |formula: &str| text(formula, FormulaKind::Plain).replace(EACH, "EACH");
        assert_eq!(
            lift("SUMPRODUCT(LEN(A1:A3))"),
            "SUMPRODUCT(LET(sst_1,0,EACH(\"sst_1\",A1:A3,LEN(sst_1))))"
        );
        assert_eq!(
            lift("SUMPRODUCT(1/COUNTIF(A1:A9,A1:A9&\"\"),B1:B9)"),
            "SUMPRODUCT(1/LET(sst_1,0,EACH(\"sst_1\",A1:A9&\"\",COUNTIF(A1:A9,sst_1))),B1:B9)"
        );
        assert_eq!(
            lift("SUMPRODUCT(--(MONTH(ROUND('my, sheet'!A:A,0))=3),B:B)"),
            "SUMPRODUCT(--(LET(sst_2,0,EACH(\"sst_2\",LET(sst_1,0,EACH(\"sst_1\",'my, sheet'!A:A,\
             ROUND(sst_1,0))),MONTH(sst_2)))=3),B:B)"
        );
        assert_eq!(
            lift("SUMPRODUCT((MOD(ROW(B1:B3),2)=1)*B1:B3)"),
            "SUMPRODUCT((LET(sst_1,0,EACH(\"sst_1\",SEQUENCE(3,1,1),MOD(sst_1,2)))=1)*B1:B3)"
        );
        // One value each: nothing is to be done.
        for same in [
            "SUMPRODUCT(LEN(A1),B1:B3)",
            "SUM(A1:A3)",
            "LEN(\"A1:A3\")",
            "IF(A1>0,LEFT(B1,2),SUM(C1:C9))",
            "LET(x,A1:A3,SUMPRODUCT(LEN(x)))",
            "COUNTIF(A1:A9,B1)",
            "VLOOKUP(D1,CHOOSE({1,2},B1:B9,A1:A9),2,FALSE)",
            "ROUND(SUM(A1:A9),2)",
            "LEN((A1:A3",
        ] {
            assert_eq!(lift(same), same);
        }
        assert_eq!(
            lift("SUM(SUMIFS(C:C,A:A,{\"x\",\"y\"}))"),
            "SUM(LET(sst_1,0,EACH(\"sst_1\",{\"x\",\"y\"},SUMIFS(C:C,A:A,sst_1))))"
        );
        let area = "E1:E3".parse::<Area>().unwrap();
        assert_eq!(
            text("LEFT(A1:A3,B1:B3)", FormulaKind::Array(area)).replace(EACH, "EACH"),
            "LET(sst_1,0,sst_2,0,EACH(\"sst_1\",A1:A3,\"sst_2\",B1:B3,LEFT(sst_1,sst_2)))"
        );
    }

    #[test]
    fn elsewhere_the_cell_beside_the_formula_is_taken() {
        let lift = |formula: &str| text(formula, FormulaKind::Plain);
        assert_eq!(lift("LEN(A1:A3)"), "LEN(@(A1:A3))");
        assert_eq!(
            lift("VLOOKUP(A:A,Data!A:C,2,FALSE)"),
            "VLOOKUP(@(A:A),Data!A:C,2,FALSE)"
        );
        assert_eq!(lift("SUM(ABS(A1:A3))"), "SUM(ABS(@(A1:A3)))");
        assert_eq!(
            lift("ROUND(SUM(A1:A3)*B1:B3,0)"),
            "ROUND(SUM(A1:A3)*@(B1:B3),0)"
        );
    }
}
