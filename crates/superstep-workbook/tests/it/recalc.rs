//! Files with calculated formulas; or with the reason why they are not.

use superstep_workbook::{Calculation, Lineage};

use crate::made::{Made, operations, read};

fn workbook_part(bytes: Vec<u8>) -> String {
    let book = read(bytes);
    let part = book.package().part("xl/workbook.xml").unwrap().unwrap();
    String::from_utf8(part.into_owned()).unwrap()
}

#[test]
fn an_unchanged_workbook_needs_no_calculation() {
    let book = Made::with_rows("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>").book();
    let (written, calculation) = book.write_calculated().unwrap();
    assert_eq!(calculation, Calculation::NotNeeded);
    assert_eq!(written.bytes, book.package().to_bytes().unwrap());
}

#[cfg(not(feature = "recalc"))]
#[test]
fn a_build_without_calculation_says_so_and_leaves_it_to_the_reader() {
    let book = Made::with_rows("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>").book();
    let set = r#"[{"op":"set","sheet":"Data","cell":"B1","value":{"formula":"=A1*2"}}]"#;
    let after = book.apply(&operations(set)).unwrap();
    let (written, calculation) = after.write_calculated().unwrap();
    assert!(matches!(calculation, Calculation::Refused { .. }));
    assert!(workbook_part(written.bytes).contains("fullCalcOnLoad=\"1\""));
}

#[cfg(feature = "recalc")]
#[test]
fn formulas_are_calculated_and_refusals_are_said() {
    use superstep_workbook::Value;

    use crate::made::at;

    let book = read(include_bytes!("../fixtures/opos_input.xlsx").to_vec());
    let list = operations(
        r#"[{"op":"add_sheet","name":"Sum"},
            {"op":"set_rows","sheet":"Sum","cell":"A1","rows":[
              [{"formula":"=SUMIFS(Sheet1!R:R,Sheet1!R:R,\">0\",Sheet1!D:D,\"<>\")"}],
              [{"formula":"=COUNTIFS(Sheet1!R:R,\">0\",Sheet1!D:D,\"<>\")"}],
              [{"formula":"=A1/0"}],[{"formula":"=\"a\"&\"b\""}]]}]"#,
    );
    let after = book.apply(&list).unwrap();
    let (written, calculation) = after.write_calculated().unwrap();
    assert!(
        matches!(calculation, Calculation::Done { formulas: 4, .. }),
        "{calculation:?}"
    );
    assert!(!workbook_part(written.bytes.clone()).contains("fullCalcOnLoad"));
    assert_eq!(written.share.identical, 7);
    assert_eq!(written.share.added, ["xl/worksheets/sheet2.xml"]);
    assert_eq!(
        written.share.rewritten,
        [
            "[Content_Types].xml", "xl/_rels/workbook.xml.rels", "xl/workbook.xml"
        ]
    );
    let again = read(written.bytes);
    let sheet = again.sheet("Sum").unwrap();
    let sum = sheet.value(at("A1")).as_number().unwrap();
    assert_eq!((sum * 100.0).round(), 69_243_109.0);
    assert_eq!(sheet.value(at("A2")).as_number(), Some(69.0));
    assert_eq!(*sheet.value(at("A3")), Value::Error("#DIV/0!".into()));
    assert_eq!(sheet.value(at("A4")).as_text(), Some("ab"));

    // A value that formulas of another sheet read: that sheet is written anew, and right.
    let set = r#"[{"op":"set","sheet":"Sheet1","cell":"R2","value":{"number":0}}]"#;
    let changed = again.apply(&operations(set)).unwrap();
    let (written, _) = changed.write_calculated().unwrap();
    let is_sum = |part: &String| part == "xl/worksheets/sheet2.xml";
    assert!(written.share.rewritten.iter().any(is_sum));
    let changed = read(written.bytes);
    let less = changed.sheet("Sum").unwrap().value(at("A1"));
    assert_eq!(
        ((sum - less.as_number().unwrap()) * 100.0).round(),
        278_460.0
    );
}

/// Cells `name=formula` beside numbers in A1 to A5, each with the value 77 from before.
#[cfg(feature = "recalc")]
fn with_formulas(cells: &[(&str, &str)]) -> superstep_workbook::Workbook {
    let mut rows = std::collections::BTreeMap::<u32, Vec<(u32, String)>>::new();
    for row in 1..=5 {
        let number = format!("<c r=\"A{row}\"><v>{}</v></c>", row * 10);
        rows.entry(row).or_default().push((1, number));
    }
    for (cell, formula) in cells {
        let place = crate::made::at(cell);
        let formula = formula.replace('&', "&amp;").replace('<', "&lt;");
        let cell = format!("<c r=\"{cell}\"><f>{formula}</f><v>77</v></c>");
        rows.entry(place.row)
            .or_default()
            .push((place.column, cell));
    }
    let rows: String = rows
        .into_iter()
        .map(|(row, mut cells)| {
            cells.sort();
            let cells: String = cells.into_iter().map(|(_, cell)| cell).collect();
            format!("<row r=\"{row}\">{cells}</row>")
        })
        .collect();
    Made::with_rows(&rows).book()
}

/// The workbook with its formulas calculated, and what is said about that.
#[cfg(feature = "recalc")]
fn calculated(cells: &[(&str, &str)]) -> (superstep_workbook::Workbook, Calculation) {
    let book = with_formulas(cells);
    let (written, calculation) = book.write_with(book.calculate()).unwrap();
    (read(written.bytes), calculation)
}

#[cfg(feature = "recalc")]
fn shown(book: &superstep_workbook::Workbook, cell: &str) -> String {
    let value = book.sheet("Data").unwrap().value(crate::made::at(cell));
    value.to_string()
}

#[cfg(feature = "recalc")]
#[test]
fn a_formula_for_a_range_gives_the_value_of_its_row_and_fills_no_other_cell() {
    use superstep_workbook::FormulaKind;

    let formulas = [
        ("C1", "A1:A5*2"),
        ("C3", "A1:A5*2"),
        ("C9", "A1:A5*2"),
        ("E2", "_xlfn.SEQUENCE(3)"),
        ("E3", "E2+1"),
        ("F1", "SUM(F2:F5)"),
        ("G1", "_xlfn.SEQUENCE(2)"),
    ];
    let (book, calculation) = calculated(&formulas);
    let Calculation::Done { formulas: 7, .. } = calculation else {
        panic!("{calculation:?}");
    };
    for (cell, value) in [
        ("C1", "20"),
        ("C3", "60"),
        ("C9", "#VALUE!"),
        ("E2", "1"),
        ("E3", "2"),
        ("F1", "0"),
        ("G1", "1"),
    ] {
        assert_eq!(shown(&book, cell), value, "{cell}");
    }
    let sheet = book.sheet("Data").unwrap();
    let cells: Vec<_> = sheet.cells().collect();
    assert_eq!(cells.len(), 5 + formulas.len());
    for (at, cell) in cells {
        if let Some(formula) = cell.formula() {
            assert_eq!(formula.kind, FormulaKind::Plain, "{at}");
        }
    }
}

#[cfg(feature = "recalc")]
#[test]
fn array_formulas_stay_what_they_are_with_new_values() {
    let rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f t=\"array\" ref=\"B1:B2\">A1:A2*3</f><v>0</v></c></row>\
                <row r=\"2\"><c r=\"A2\"><v>2</v></c><c r=\"B2\"><v>0</v></c></row>";
    let book = Made::with_rows(rows).book();
    let (written, calculation) = book.write_with(book.calculate()).unwrap();
    assert!(calculation.told().is_none(), "{calculation:?}");
    let book = read(written.bytes);
    assert_eq!(
        (shown(&book, "B1"), shown(&book, "B2")),
        ("3".into(), "6".into())
    );
}

#[cfg(feature = "recalc")]
#[test]
fn numbers_are_compared_by_fifteen_digits() {
    let (book, _) = calculated(&[
        ("C1", "0.1+0.2=0.3"),
        ("C2", "0.1+0.2>0.3"),
        ("C3", "IF(C5=0.3,\"same\",\"other\")"),
        ("C4", "SUMPRODUCT((A1:A5>=30)*1)"),
        ("C5", "0.1+0.2"),
        ("D1", "A1=10"),
        ("D2", "0.3<>0.30001"),
        ("D3", "B9=\"\""),
        ("D4", "B9=B8"),
        ("D5", "\"x\"=\"X\""),
    ]);
    let all: Vec<String> = ["C1", "C2", "C3", "C4", "D1", "D2", "D3", "D4", "D5"]
        .iter()
        .map(|cell| shown(&book, cell))
        .collect();
    assert_eq!(
        all,
        [
            "TRUE", "FALSE", "same", "3", "TRUE", "TRUE", "TRUE", "TRUE", "TRUE"
        ]
    );
    // What is stored is not rounded.
    let sum = book
        .sheet("Data")
        .unwrap()
        .value(crate::made::at("C5"))
        .as_number();
    assert_eq!(sum, Some(0.1 + 0.2));
}

#[cfg(feature = "recalc")]
#[test]
fn texts_that_no_cell_holds_are_errors_and_cost_nothing() {
    let mut formulas = vec![("C1".to_owned(), "REPT(\"x\",20000)".to_owned())];
    // Doubled forty times this would be more than any machine has.
    for row in 2..=40 {
        let before = row - 1;
        formulas.push((format!("C{row}"), format!("C{before}&C{before}")));
    }
    formulas.push(("D1".into(), "LEN(C1)".into()));
    formulas.push(("D2".into(), "IFERROR(LEN(C40),\"none\")".into()));
    formulas.push(("D3".into(), "VALUE(\"1,234.5\")+VALUE(\"12\")".into()));
    let formulas: Vec<(&str, &str)> = formulas
        .iter()
        .map(|(cell, formula)| (cell.as_str(), formula.as_str()))
        .collect();
    let (book, calculation) = calculated(&formulas);
    assert!(calculation.told().is_none(), "{calculation:?}");
    assert_eq!(shown(&book, "C2"), "#VALUE!");
    assert_eq!(shown(&book, "D1"), "20000");
    assert_eq!(shown(&book, "D2"), "none");
    assert_eq!(shown(&book, "D3"), "1246.5");
}

#[cfg(feature = "recalc")]
#[test]
fn what_cannot_be_calculated_keeps_its_value_and_is_named_and_the_rest_is_calculated() {
    let formulas = [
        ("B1", "SUM(A1:A5)"),
        ("B2", "NOSUCHFUNCTION(1)"),
        ("B3", "IFERROR(B2,0)+1"),
        ("B4", "SUM(B2:B3)"),
        ("C1", "C2+1"),
        ("C2", "C1+1"),
        ("C3", "C2*2"),
        ("D1", "[1]Other!A1"),
        ("D2", "D1+1"),
        ("E1", "SUM("),
        ("F1", "A2+1"),
        ("F2", "CHAR(7)"),
    ];
    let book = with_formulas(&formulas);
    let (written, calculation) = book.write_with(book.calculate()).unwrap();
    let part = workbook_part(written.bytes.clone());
    assert!(part.contains("fullCalcOnLoad=\"1\""), "{part}");
    let after = read(written.bytes);
    assert_eq!(shown(&after, "B1"), "150");
    assert_eq!(shown(&after, "F1"), "21");
    for cell in ["B2", "B3", "B4", "C1", "C2", "C3", "D1", "D2", "E1"] {
        assert_eq!(shown(&after, cell), "77", "{cell}");
    }
    let told = calculation.told().unwrap();
    let Calculation::Done {
        not_calculated,
        kept,
        ..
    } = calculation
    else {
        panic!("{told}");
    };
    let named: Vec<String> = not_calculated
        .iter()
        .map(|it| it.cell.to_string())
        .collect();
    for cell in ["B2", "D1", "E1"] {
        assert!(named.iter().any(|it| it == cell), "{cell} in {named:?}");
    }
    assert!(named.iter().any(|it| it == "C1" || it == "C2"), "{named:?}");
    assert!(kept >= 9, "{kept}");
    assert!(told.contains("NOSUCHFUNCTION"), "{told}");
    let why = &not_calculated
        .iter()
        .find(|it| it.cell.to_string().starts_with('C'))
        .unwrap()
        .why;
    assert!(why.contains("circular"), "{why}");
}

#[cfg(feature = "recalc")]
#[test]
fn a_workbook_of_another_program_is_calculated_and_keeps_values_until_then() {
    let before = with_formulas(&[("B1", "SUM(A1:A5)"), ("B2", "NOSUCHFUNCTION(A1)")]);
    // As openpyxl writes it: formulas without values, one of them another one.
    let rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>SUM(A1:A5)+1</f></c></row>\
                <row r=\"2\"><c r=\"B2\"><f>NOSUCHFUNCTION(A1)</f></c></row>";
    let after = Made::with_rows(rows)
        .book()
        .in_place_of(&before, &Lineage::default());
    assert_eq!(
        (shown(&after, "B1"), shown(&after, "B2")),
        ("".into(), "77".into())
    );
    let (written, calculation) = after.write_calculated().unwrap();
    let Calculation::Done {
        formulas: 2,
        changed: 1,
        kept: 1,
        ..
    } = calculation
    else {
        panic!("{calculation:?}");
    };
    let book = read(written.bytes);
    assert_eq!(
        (shown(&book, "B1"), shown(&book, "B2")),
        ("2".into(), "77".into())
    );
}

#[cfg(feature = "recalc")]
#[test]
fn a_sheet_that_says_it_is_smaller_than_it_is_is_calculated_all_the_same() {
    let content = "<dimension ref=\"A1\"/><sheetData><row r=\"1\"><c r=\"A1\"><v>4</v></c></row>\
                   <row r=\"3\"><c r=\"C3\"><f>A1*2</f></c><c r=\"F3\" s=\"0\"/></row></sheetData>";
    let book = Made::with_sheet(content).book();
    let (written, calculation) = book.write_with(book.calculate()).unwrap();
    assert!(calculation.told().is_none(), "{calculation:?}");
    assert_eq!(shown(&read(written.bytes), "C3"), "8");
}
