//! Functions that are newer than the file format: files put a mark before their names, and before the names that `LET`
//! and `LAMBDA` make, which nobody sees in a formula. Without it Excel shows `#NAME?`.

use std::{borrow::Cow, ops::Range};

use crate::formula::{Word, bracketed, is_word, quoted, words};

/// The mark of functions.
const FUNCTION: &str = "_xlfn.";

/// Behind it, the mark of some of them.
const SHEET: &str = "_xlws.";

/// The mark of names that a formula makes for itself.
const PARAMETER: &str = "_xlpm.";

/// How deep calls are followed.
const DEEPEST: usize = 100;

/// Newer functions, in order.
const NEWER: [&str; 161] = [
    "ACOT", "ACOTH", "AGGREGATE", "ARABIC", "ARRAYTOTEXT", "BASE", "BETA.DIST", "BETA.INV",
    "BINOM.DIST", "BINOM.DIST.RANGE", "BINOM.INV", "BITAND", "BITLSHIFT", "BITOR", "BITRSHIFT",
    "BITXOR", "BYCOL", "BYROW", "CEILING.MATH", "CEILING.PRECISE", "CHISQ.DIST", "CHISQ.DIST.RT",
    "CHISQ.INV", "CHISQ.INV.RT", "CHISQ.TEST", "CHOOSECOLS", "CHOOSEROWS", "COMBINA", "CONCAT",
    "CONFIDENCE.NORM", "CONFIDENCE.T", "COT", "COTH", "COVARIANCE.P", "COVARIANCE.S", "CSC",
    "CSCH", "DAYS", "DECIMAL", "DROP", "ENCODEURL", "ERF.PRECISE", "ERFC.PRECISE", "EXPAND",
    "EXPON.DIST", "F.DIST", "F.DIST.RT", "F.INV", "F.INV.RT", "F.TEST", "FILTER", "FILTERXML",
    "FLOOR.MATH", "FLOOR.PRECISE", "FORECAST.ETS", "FORECAST.ETS.CONFINT",
    "FORECAST.ETS.SEASONALITY", "FORECAST.ETS.STAT", "FORECAST.LINEAR", "FORMULATEXT", "GAMMA",
    "GAMMA.DIST", "GAMMA.INV", "GAMMALN.PRECISE", "GAUSS", "GROUPBY", "HSTACK", "HYPGEOM.DIST",
    "IFNA", "IFS", "IMAGE", "IMCOSH", "IMCOT", "IMCSC", "IMCSCH", "IMSEC", "IMSECH", "IMSINH",
    "IMTAN", "ISFORMULA", "ISOMITTED", "ISOWEEKNUM", "LAMBDA", "LET", "LOGNORM.DIST",
    "LOGNORM.INV", "MAKEARRAY", "MAP", "MAXIFS", "MINIFS", "MODE.MULT", "MODE.SNGL", "MUNIT",
    "NEGBINOM.DIST", "NORM.DIST", "NORM.INV", "NORM.S.DIST", "NORM.S.INV", "NUMBERVALUE",
    "PDURATION", "PERCENTILE.EXC", "PERCENTILE.INC", "PERCENTOF", "PERCENTRANK.EXC",
    "PERCENTRANK.INC", "PERMUTATIONA", "PHI", "PIVOTBY", "POISSON.DIST", "QUARTILE.EXC",
    "QUARTILE.INC", "RANDARRAY", "RANK.AVG", "RANK.EQ", "REDUCE", "REGEXEXTRACT", "REGEXREPLACE",
    "REGEXTEST", "RRI", "SCAN", "SEC", "SECH", "SEQUENCE", "SHEET", "SHEETS", "SKEW.P", "SORT",
    "SORTBY", "STDEV.P", "STDEV.S", "STOCKHISTORY", "SWITCH", "T.DIST", "T.DIST.2T", "T.DIST.RT",
    "T.INV", "T.INV.2T", "T.TEST", "TAKE", "TEXTAFTER", "TEXTBEFORE", "TEXTJOIN", "TEXTSPLIT",
    "TOCOL", "TOROW", "TRIMRANGE", "UNICHAR", "UNICODE", "UNIQUE", "VALUETOTEXT", "VAR.P", "VAR.S",
    "VSTACK", "WEBSERVICE", "WEIBULL.DIST", "WRAPCOLS", "WRAPROWS", "XLOOKUP", "XMATCH", "XOR",
    "Z.TEST",
];

/// The mark of a function, if it has one.
fn mark(name: &str) -> Option<String> {
    let name = name.to_ascii_uppercase();
    NEWER.binary_search(&name.as_str()).ok()?;
    Some(match name.as_str() {
        "FILTER" | "SORT" => format!("{FUNCTION}{SHEET}"),
        _ => FUNCTION.to_owned(),
    })
}

/// The text of a formula as a person reads it, from the way it is stored.
pub(crate) fn shown(formula: String) -> String {
    if !formula.contains("_xl") {
        return formula;
    }
    let mut cuts: Vec<Range<usize>> = Vec::new();
    words(&formula, |word| {
        let (name, is_call) = match word {
            Word::Function(name) => (name, true),
            Word::Other(name) => (name, false),
            Word::Table(_) | Word::OwnTable | Word::Elsewhere => return,
        };
        let plain = match name.strip_prefix(PARAMETER) {
            Some(plain) => plain,
            None if is_call => {
                let plain = name.strip_prefix(FUNCTION).unwrap_or(name);
                let plain = plain.strip_prefix(SHEET).unwrap_or(plain);
                // Of what is not known the mark says what it is.
                match mark(plain) {
                    Some(_) => plain,
                    None => name,
                }
            }
            None => name,
        };
        let start = place(&formula, name);
        if plain.len() < name.len() {
            cuts.push(start..start + name.len() - plain.len());
        }
    });
    let mut plain = String::with_capacity(formula.len());
    let mut done = 0;
    for cut in cuts {
        plain.push_str(formula.get(done..cut.start).unwrap_or_default());
        done = cut.end;
    }
    plain.push_str(formula.get(done..).unwrap_or_default());
    plain
}

/// The text of a formula as it is stored.
pub(crate) fn stored(formula: &str) -> Cow<'_, str> {
    if !formula.contains('(') {
        return Cow::Borrowed(formula);
    }
    let mut marks: Vec<(usize, String)> = Vec::new();
    let mut has_own = false;
    words(formula, |word| {
        if let Word::Function(name) = word
            && let Some(mark) = mark(name)
        {
            has_own |= ["LET", "LAMBDA"]
                .iter()
                .any(|it| it.eq_ignore_ascii_case(name));
            marks.push((place(formula, name), mark));
        }
    });
    if has_own {
        let mut own = Vec::new();
        let mut rest = formula;
        while parameters(&mut rest, &mut own, 0).is_some() && !rest.is_empty() {
            // What separates two parts, or ends one too many.
            let end = rest.chars().next().map_or(0, char::len_utf8);
            rest = rest.get(end..).unwrap_or_default();
        }
        words(formula, |word| {
            if let Word::Function(name) | Word::Other(name) = word
                && !name.starts_with(PARAMETER)
                && own.iter().any(|it: &&str| it.eq_ignore_ascii_case(name))
            {
                marks.push((place(formula, name), PARAMETER.to_owned()));
            }
        });
        marks.sort();
        marks.dedup_by_key(|(at, _)| *at);
    }
    if marks.is_empty() {
        return Cow::Borrowed(formula);
    }
    let mut out = String::with_capacity(formula.len() + marks.len() * 12);
    let mut done = 0;
    for (at, mark) in marks {
        out.push_str(formula.get(done..at).unwrap_or_default());
        out.push_str(&mark);
        done = at;
    }
    out.push_str(formula.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// Where a piece of a text is in it.
fn place(text: &str, piece: &str) -> usize {
    piece.as_ptr() as usize - text.as_ptr() as usize
}

/// Reads up to a separator or a closing bracket, and finds the names that `LET` and `LAMBDA` make.
fn parameters<'a>(rest: &mut &'a str, found: &mut Vec<&'a str>, depth: usize) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    let mut name = "";
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            ')' | ',' | ';' | '}' => return Some(()),
            '"' | '\'' => quoted(rest, c),
            '[' => bracketed(rest),
            '(' => {
                *rest = rest.get(1..)?;
                let mut arguments = Vec::new();
                loop {
                    let start = *rest;
                    parameters(rest, found, depth + 1)?;
                    let length = start.len() - rest.len();
                    arguments.push(start.get(..length)?.trim());
                    let end = rest.chars().next()?;
                    *rest = rest.get(end.len_utf8()..)?;
                    if end == ')' {
                        break;
                    }
                }
                arguments.pop();
                let every = match name {
                    name if name.eq_ignore_ascii_case("LET") => 2,
                    name if name.eq_ignore_ascii_case("LAMBDA") => 1,
                    _ => 0,
                };
                if every > 0 {
                    let made = arguments.into_iter().step_by(every);
                    found.extend(made.filter(|it| !it.is_empty() && it.chars().all(is_word)));
                }
                name = "";
                continue;
            }
            c if is_word(c) => crate::formula::word(rest),
            c => c.len_utf8(),
        };
        let (piece, after) = rest.split_at_checked(taken)?;
        name = piece;
        *rest = after;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_functions_are_marked_in_files_and_nowhere_else() {
        for (plain, marked) in [
            ("SUM(A1:A3)", "SUM(A1:A3)"),
            ("XLOOKUP(A1,B:B,C:C)", "_xlfn.XLOOKUP(A1,B:B,C:C)"),
            (
                "SUM(FILTER(SORT(A1:A9),A1:A9<>\"UNIQUE(\"))",
                "SUM(_xlfn._xlws.FILTER(_xlfn._xlws.SORT(A1:A9),A1:A9<>\"UNIQUE(\"))",
            ),
            (
                "LET(x,A1,y2z,x*2,IF(x>1,y2z,xx))",
                "_xlfn.LET(_xlpm.x,A1,_xlpm.y2z,_xlpm.x*2,IF(_xlpm.x>1,_xlpm.y2z,xx))",
            ),
            (
                "MAP(A1:A3,LAMBDA(v,v&\"v\"))",
                "_xlfn.MAP(A1:A3,_xlfn.LAMBDA(_xlpm.v,_xlpm.v&\"v\"))",
            ),
            (
                "LET(f,LAMBDA(n,n+1),f(2))",
                "_xlfn.LET(_xlpm.f,_xlfn.LAMBDA(_xlpm.n,_xlpm.n+1),_xlpm.f(2))",
            ),
            (
                "IFS(IFNA(A1,0)>1,'IFS('!B2)",
                "_xlfn.IFS(_xlfn.IFNA(A1,0)>1,'IFS('!B2)",
            ),
        ] {
            assert_eq!(stored(plain), marked);
            assert_eq!(shown(marked.to_owned()), plain);
            // What is marked already is not marked again.
            assert_eq!(stored(marked), marked);
        }
        // So is a name of which only the function before it has no mark.
        assert_eq!(
            stored("LET(_xlpm.x,1,_xlpm.x)"),
            "_xlfn.LET(_xlpm.x,1,_xlpm.x)"
        );
        for same in ["_xlfn.SINGLE(A1)", "_xludf.MINE(1)", "\"_xlfn.LET(\""] {
            assert_eq!(shown(same.to_owned()), same);
        }
        for odd in ["LET(", "LET(x", "LAMBDA())", "LET(,,)", "LET(x,1,x))))"] {
            assert_eq!(shown(stored(odd).into_owned()), odd);
        }
        assert!(NEWER.is_sorted());
    }
}
