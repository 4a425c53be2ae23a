//! Functions that the calculation has differently: over many cells, of texts, of where a cell is.

use superstep_workbook::{Calculation, Workbook};

use crate::made::{Made, at, read};

/// A sheet with texts in A, numbers in B and dates in C, and formulas from E1 down.
fn calculated(formulas: &[&str]) -> (Workbook, Calculation) {
    let book = with_formulas(formulas);
    let (written, calculation) = book.write_with(book.calculate()).unwrap();
    (read(written.bytes), calculation)
}

fn with_formulas(formulas: &[&str]) -> Workbook {
    let mut rows = String::new();
    let texts = ["ab", "Abc", "x😀y"];
    let count = formulas.len().max(texts.len());
    for row in 1..=count {
        let mut cells = String::new();
        if let Some(text) = texts.get(row - 1) {
            let number = [1.5, -2.25, 7.0][row - 1];
            let date = [45000, 45100, 45101][row - 1];
            cells.push_str(&format!(
                "<c r=\"A{row}\" t=\"inlineStr\"><is><t>{text}</t></is></c><c r=\"B{row}\"><v>{number}</v></c>\
                 <c r=\"C{row}\"><v>{date}</v></c>"
            ));
        }
        if let Some(formula) = formulas.get(row - 1) {
            let formula = formula.replace('&', "&amp;").replace('<', "&lt;");
            cells.push_str(&match formula.strip_prefix('{') {
                Some(array) => format!(
                    "<c r=\"E{row}\"><f t=\"array\" ref=\"E{row}\">{}</f><v>77</v></c>",
                    array.trim_end_matches('}')
                ),
                None => format!("<c r=\"E{row}\"><f>{formula}</f><v>77</v></c>"),
            });
        }
        rows.push_str(&format!("<row r=\"{row}\">{cells}</row>"));
    }
    Made::with_rows(&rows).book()
}

/// Formulas and what they give.
fn check(wanted: &[(&str, &str)]) {
    let formulas: Vec<&str> = wanted.iter().map(|(formula, _)| *formula).collect();
    let (book, calculation) = calculated(&formulas);
    let sheet = book.sheet("Data").unwrap();
    let found: Vec<(&str, String)> = (1..)
        .zip(&formulas)
        .map(|(row, formula)| (*formula, sheet.value(at(&format!("E{row}"))).to_string()))
        .collect();
    let wanted: Vec<(&str, String)> = wanted
        .iter()
        .map(|(formula, value)| (*formula, (*value).to_owned()))
        .collect();
    assert_eq!(found, wanted, "{calculation:?}");
}

#[test]
fn functions_are_applied_to_each_of_many_cells() {
    check(&[
        ("SUMPRODUCT(LEN(A1:A3))", "9"),
        ("SUMPRODUCT(--(LEFT(A1:A3,1)=\"a\"))", "2"),
        ("SUMPRODUCT(--ISNUMBER(FIND(\"b\",A1:A3)))", "2"),
        ("SUMPRODUCT(ABS(B1:B3))", "10.75"),
        ("SUMPRODUCT(ROUND(B1:B3,0),B1:B3)", "56.5"),
        ("SUMPRODUCT((MONTH(C1:C3)=6)*B1:B3)", "4.75"),
        ("SUMPRODUCT(1/COUNTIF(A1:A3,A1:A3))", "3"),
        ("SUMPRODUCT(SUMIF(A1:A3,A1:A3,B1:B3))", "6.25"),
        ("SUMPRODUCT((MOD(ROW(B1:B3),2)=1)*B1:B3)", "8.5"),
        (
            "SUMPRODUCT(LEN(A1:A3)-LEN(SUBSTITUTE(A1:A3,\"b\",\"\")))",
            "2",
        ),
        ("INDEX(LEN(A1:A3),2)", "3"),
        ("SUMPRODUCT(VLOOKUP(A1:A3,A1:B3,2,FALSE))", "6.25"),
        ("SUMPRODUCT(--(TRIM(UPPER(A1:A3))=\"AB\"))", "1"),
        ("SUM(COUNTIF(A1:A3,{\"ab\",\"abc\"}))", "2"),
        ("SUM(LARGE(B1:B3,{1,2}))", "8.5"),
        ("LOOKUP(2,1/(LEN(A1:A3)>0),A1:A3)", "x😀y"),
        ("SUMPRODUCT(ABS(INDEX(A1:B3,0,2)))", "10.75"),
        // Array formulas calculate many values everywhere.
        ("{SUM(LEN(A1:A3))}", "9"),
        ("{SUM(IF(MONTH(C1:C3)=6,B1:B3,0))}", "4.75"),
        ("{MAX(LEN(A1:A3)*(B1:B3>0))}", "4"),
        ("{SUM(IFERROR(VALUE(A1:A3),1))}", "3"),
        ("{SUM(MATCH(B1:B3,B1:B3,0))}", "6"),
    ]);
}

#[test]
fn elsewhere_the_cell_of_the_row_is_taken() {
    check(&[
        ("LEN(A1:A3)", "2"),
        ("LEN(A1:A3)", "3"),
        ("ABS(B1:B3)", "7"),
        // There is none in this row.
        ("ABS(B1:B3)", "#VALUE!"),
        ("ROUND(SUM(B1:B3),1)", "6.3"),
    ]);
}

#[test]
fn texts_are_counted_as_excel_counts_them() {
    check(&[
        ("LEN(A3)", "4"),
        ("LEFT(A3,3)", "x😀"),
        ("RIGHT(A3,3)", "😀y"),
        ("MID(A3,2,2)", "😀"),
        ("MID(A3,4,9)", "y"),
        ("FIND(\"y\",A3)", "4"),
        ("SEARCH(\"Y\",A3)", "4"),
        ("SEARCH(\"?Y\",A3)", "3"),
        ("REPLACE(A3,2,2,\"-\")", "x-y"),
        ("LEN(\"ab\")", "2"),
        ("LEN(UNICHAR(128512))", "2"),
        ("FIND(\"z\",A3)", "#VALUE!"),
    ]);
    // No file holds half of a letter: the cell keeps its value, and it is said why.
    let (book, calculation) = calculated(&["LEFT(A3,2)", "LEN(A3)"]);
    let sheet = book.sheet("Data").unwrap();
    assert_eq!(sheet.value(at("E1")).to_string(), "77");
    assert_eq!(sheet.value(at("E2")).to_string(), "4");
    let told = calculation.told().unwrap();
    assert!(told.starts_with("1 cell keeps its old value: "), "{told}");
    assert!(
        told.contains("cuts a letter of two units in half"),
        "{told}"
    );
}

#[test]
fn where_a_cell_is_can_be_asked_in_the_area_itself() {
    check(&[
        ("ROWS(E1:E20)", "20"),
        ("SUM(ROW(1:10))", "55"),
        ("COLUMNS(A:E)", "5"),
        ("SUMPRODUCT(ROW(E1:E4))", "10"),
    ]);
    let (_, calculation) = calculated(&["SUM(ROW(1:1048576))", "E2+1"]);
    let Calculation::Done { not_calculated, .. } = calculation else {
        panic!("{calculation:?}");
    };
    let why = |at: usize| not_calculated[at].why.as_str();
    assert!(why(0).contains("its own cell"), "{}", why(0));
    assert_eq!(why(1), "it is part of a circular reference");
}

#[test]
fn a_calculation_that_has_no_time_to_look_says_so_and_not_what_it_met_last() {
    let book = with_formulas(&["E1+1", "E2+1"]);
    let error = book
        .calculate_within(std::time::Duration::ZERO)
        .unwrap_err();
    let told = error.to_string();
    assert!(
        told.contains("there was no time to find all of them"),
        "{told}"
    );
    assert!(told.contains("circular reference"), "{told}");
}

#[test]
fn letters_of_all_scripts_have_two_cases() {
    check(&[
        ("UPPER(\"ärger éλд\")", "ÄRGER ÉΛД"),
        ("LOWER(\"ÄÉΛД\")", "äéλд"),
        // A letter that would become two stays, as in Excel.
        ("UPPER(\"straße\")", "STRAßE"),
        ("\"Ä\"=\"ä\"", "TRUE"),
        ("\"Éa\"<>\"éA\"", "FALSE"),
        ("EXACT(\"Ä\",\"ä\")", "FALSE"),
        ("IF(\"МОСКВА\"=\"москва\",1,2)", "1"),
        ("SEARCH(\"ÄR\",\"der Bär\")", "6"),
        ("SEARCH(\"λ?\",\"xΛy\")", "2"),
        ("SUMPRODUCT(--({\"Ä\",\"b\",\"ä\"}=\"ä\"))", "2"),
        (
            "ROWS(UNIQUE({\"Pear\";\"pear\";\"Ärger\";\"ärger\";\"x\"}))",
            "3",
        ),
        ("INDEX(UNIQUE({\"Pear\";\"pear\";\"x\"}),1)", "Pear"),
        ("ROWS(UNIQUE({\"a\";\"A\";\"x\"},FALSE,TRUE))", "1"),
    ]);
}

#[test]
fn texts_are_made_of_15_digits() {
    check(&[
        ("(0.1+0.2)&\"\"", "0.3"),
        ("1/3&\" of it\"", "0.333333333333333 of it"),
        ("LEN(0.1+0.2)", "3"),
        ("CONCAT(0.1+0.2,\"-\",B1:B2)", "0.3-1.5-2.25"),
        ("CONCATENATE(1/3,\"x\")", "0.333333333333333x"),
        ("TEXTJOIN(\";\",TRUE,0.1+0.2,,1E+21)", "0.3;1E+21"),
        ("LEFT(2/3,4)", "0.66"),
        ("1E-5&\"\"", "0.00001"),
        ("1E+20&\"|\"&1E+21", "100000000000000000000|1E+21"),
        ("-1.5E-20&\"\"", "-1.5E-20"),
        ("TRUE&1&\"\"", "TRUE1"),
        ("SUBSTITUTE(0.1+0.2,\".\",\",\")", "0,3"),
        ("(0.1+0.2)&\"\"=\"0.3\"", "TRUE"),
        ("\"a\"&A1", "aab"),
    ]);
    // Of an area the cell of the row is taken.
    check(&[("A1:A3&\"x\"", "abx"), ("A1:A3&\"x\"", "Abcx")]);
}

#[test]
fn texts_and_truth_values_are_nought_in_a_sum_of_products() {
    check(&[
        ("SUMPRODUCT(A1:A3,B1:B3)", "0"),
        ("SUMPRODUCT({1,\"2\",TRUE},{3,4,5})", "3"),
        ("SUMPRODUCT(B1:B3>0,B1:B3)", "0"),
        ("SUMPRODUCT(--(B1:B3>0),B1:B3)", "8.5"),
        ("SUMPRODUCT(B1:B3)", "6.25"),
        ("SUMPRODUCT(B1:B3,C1:C2)", "#VALUE!"),
        ("SUMPRODUCT({1,2},{3,#N/A})", "#N/A"),
    ]);
}

#[test]
fn spaces_that_do_not_break_and_multiples_of_nothing_are_as_in_excel() {
    check(&[
        ("LEN(TRIM(\"  a  b\"&CHAR(160)&\" \"))", "4"),
        ("CEILING(2.5,0)", "0"),
        ("CEILING(2.5,1)", "3"),
    ]);
}

#[test]
fn formulas_that_may_read_what_is_not_calculated_are_named() {
    let (book, calculation) = calculated(&["NOSUCH(1)", "SUM(OFFSET(B1,0,0,3,1))", "B1+1"]);
    let sheet = book.sheet("Data").unwrap();
    assert_eq!(sheet.value(at("E2")).to_string(), "77");
    assert_eq!(sheet.value(at("E3")).to_string(), "2.5");
    let Calculation::Done {
        not_calculated,
        kept: 2,
        ..
    } = calculation
    else {
        panic!("{calculation:?}");
    };
    let named: Vec<String> = not_calculated
        .iter()
        .map(|it| format!("{}: {}", it.cell, it.why))
        .collect();
    assert_eq!(
        named,
        [
            "E1: the function NOSUCH is not known",
            "E2: which cells it reads is only known when it is calculated, and some of them may not be",
        ]
    );
}
