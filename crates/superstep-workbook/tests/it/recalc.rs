//! Files with calculated formulas; or with the reason why they are not.

use superstep_workbook::Calculation;

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
            "[Content_Types].xml",
            "xl/_rels/workbook.xml.rels",
            "xl/workbook.xml"
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

    let set =
        r#"[{"op":"set","sheet":"Sheet1","cell":"X1","value":{"formula":"=NOSUCHFUNCTION(1)"}}]"#;
    let (written, calculation) = book
        .apply(&operations(set))
        .unwrap()
        .write_calculated()
        .unwrap();
    let Calculation::Refused { why } = calculation else {
        panic!("{calculation:?}");
    };
    assert!(why.contains("NOSUCHFUNCTION"), "{why}");
    assert!(workbook_part(written.bytes).contains("fullCalcOnLoad=\"1\""));
}
