//! Rows and columns inserted and deleted: references follow, or the operation is refused.

use superstep_workbook::Workbook;

use crate::made::{Made, at, done, refused, shown};

fn sample() -> Made {
    let mut made = Made::with_sheets(&[
        (
            "Data",
            "<cols><col min=\"2\" max=\"3\" width=\"20\" customWidth=\"1\"/></cols><sheetData>\
             <row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"C1\"><f>SUM(A1:A5)+A3+$A$4+SUM(A:A)+SUM(4:4)</f><v>0</v></c></row>\
             <row r=\"3\" ht=\"30\" customHeight=\"1\"><c r=\"A3\"><v>3</v></c></row>\
             <row r=\"4\"><c r=\"A4\"><v>4</v></c></row><row r=\"5\"><c r=\"A5\"><v>5</v></c></row></sheetData>\
             <autoFilter ref=\"A1:C5\"/><mergeCells count=\"1\"><mergeCell ref=\"A7:B8\"/></mergeCells>\
             <conditionalFormatting sqref=\"A1:A5 C3\"><cfRule type=\"expression\" priority=\"1\"><formula>A3&gt;2</formula></cfRule></conditionalFormatting>\
             <dataValidations count=\"1\"><dataValidation type=\"list\" sqref=\"B3\"><formula1>$A$3:$A$5</formula1></dataValidation></dataValidations>",
        ),
        (
            "Other",
            "<sheetData><row r=\"1\"><c r=\"A1\"><f>Data!A4+A4</f><v>0</v></c></row></sheetData>",
        ),
    ]);
    made.edit(
        "xl/workbook.xml",
        "</sheets>",
        "</sheets><definedNames><definedName name=\"Last\">Data!$A$5</definedName></definedNames>",
    );
    made
}

fn sheet_text(book: &Workbook) -> String {
    let bytes = book
        .package()
        .part("xl/worksheets/sheet1.xml")
        .unwrap()
        .unwrap();
    String::from_utf8(bytes.into_owned()).unwrap()
}

#[test]
fn references_follow_inserted_rows() {
    let after = done(
        &sample().book(),
        r#"[{"op":"insert_rows","sheet":"Data","before":3,"count":2}]"#,
    );
    assert_eq!(shown(&after, "Data", "A5"), "3");
    assert_eq!(
        shown(&after, "Data", "C1"),
        "=SUM(A1:A7)+A5+$A$6+SUM(A:A)+SUM(6:6)"
    );
    assert_eq!(shown(&after, "Other", "A1"), "=Data!A6+A4");
    assert_eq!(after.names[0].refers_to, "Data!$A$7");
    let sheet = after.sheet("Data").unwrap();
    assert_eq!(sheet.merged[0].to_string(), "A9:B10");
    assert_eq!(sheet.filter.unwrap().to_string(), "A1:C7");
    assert_eq!(sheet.rows[&5].height, Some(30.0));
    let text = sheet_text(&after);
    assert!(text.contains("sqref=\"A1:A7 C5\""), "{text}");
    assert!(text.contains("<formula>A5&gt;2</formula>"), "{text}");
    assert!(text.contains("sqref=\"B5\""), "{text}");
    assert!(text.contains("$A$5:$A$7"), "{text}");
}

#[test]
fn references_follow_deleted_rows_and_columns() {
    let after = done(
        &sample().book(),
        r#"[{"op":"delete_rows","sheet":"Data","first":3,"count":1}]"#,
    );
    assert_eq!(
        shown(&after, "Data", "C1"),
        "=SUM(A1:A4)+#REF!+$A$3+SUM(A:A)+SUM(3:3)"
    );
    assert_eq!(shown(&after, "Data", "A3"), "4");
    assert_eq!(after.names[0].refers_to, "Data!$A$4");
    assert!(!sheet_text(&after).contains("dataValidation"));
    let after = done(
        &sample().book(),
        r#"[{"op":"delete_columns","sheet":"Data","first":"B","count":1}]"#,
    );
    assert_eq!(
        shown(&after, "Data", "B1"),
        "=SUM(A1:A5)+A3+$A$4+SUM(A:A)+SUM(4:4)"
    );
    let sheet = after.sheet("Data").unwrap();
    assert_eq!(sheet.width(2), Some(20.0));
    assert_eq!(sheet.width(3), None);
    assert!(sheet.merged.iter().all(|area| area.to_string() == "A7:A8"));
    let after = done(
        &sample().book(),
        r#"[{"op":"insert_columns","sheet":"Data","before":"A","count":1}]"#,
    );
    assert_eq!(
        shown(&after, "Data", "D1"),
        "=SUM(B1:B5)+B3+$B$4+SUM(B:B)+SUM(4:4)"
    );
}

#[test]
fn what_would_be_damaged_is_refused() {
    let book = Made::with_rows(
        "<row r=\"1\"><c r=\"A1\"><f t=\"array\" ref=\"A1:A3\">B1:B3</f><v>1</v></c></row>\
         <row r=\"1048576\"><c r=\"A1048576\"><v>1</v></c></row>",
    )
    .book();
    let why = refused(
        &book,
        r#"[{"op":"delete_rows","sheet":"Data","first":2,"count":1}]"#,
    );
    assert!(why.contains("array formula"), "{why}");
    let why = refused(
        &book,
        r#"[{"op":"insert_rows","sheet":"Data","before":5,"count":1}]"#,
    );
    assert!(why.contains("fall off"), "{why}");
    let why = refused(
        &book,
        r#"[{"op":"set","sheet":"Data","cell":"A2","value":{"number":1}}]"#,
    );
    assert!(why.contains("array formula of A1"), "{why}");
    let why = refused(
        &book,
        r#"[{"op":"delete_rows","sheet":"Data","first":0,"count":1}]"#,
    );
    assert!(why.contains("nothing"), "{why}");
}

#[test]
fn formulas_over_several_sheets_are_not_followed_and_hence_refused() {
    let sum =
        "<sheetData><row r=\"1\"><c r=\"A1\"><f>SUM(Jan:Mar!B1)</f><v>0</v></c></row></sheetData>";
    let empty = "<sheetData/>";
    let book = Made::with_sheets(&[("Sum", sum), ("Jan", empty), ("Mar", empty)]).book();
    for json in [
        r#"[{"op":"rename_sheet","sheet":"Jan","name":"Feb"}]"#,
        r#"[{"op":"delete_sheet","sheet":"Mar"}]"#,
        r#"[{"op":"insert_rows","sheet":"Jan","before":1,"count":1}]"#,
    ] {
        let why = refused(&book, json);
        assert!(why.contains("A1 on `Sum` reads several sheets"), "{why}");
    }
}

#[test]
fn tables_move_grow_and_are_not_torn() {
    let mut made = Made::with_rows(
        "<row r=\"3\"><c r=\"B3\" t=\"inlineStr\"><is><t>n</t></is></c></row><row r=\"4\"><c r=\"B4\"><v>1</v></c></row>\
         <row r=\"5\"><c r=\"B5\"><v>2</v></c></row>",
    );
    made.set(
        "xl/tables/table1.xml",
        "<table id=\"1\" name=\"T\" displayName=\"T\" ref=\"B3:B5\"><autoFilter ref=\"B3:B5\"/>\
         <tableColumns count=\"1\"><tableColumn id=\"1\" name=\"n\"/></tableColumns></table>",
    );
    made.set(
        "xl/worksheets/_rels/sheet1.xml.rels",
        "<Relationships><Relationship Id=\"rId1\" Type=\"x/table\" Target=\"../tables/table1.xml\"/></Relationships>",
    );
    let book = made.book();
    assert_eq!(book.sheet("Data").unwrap().tables[0].columns, ["n"]);
    let after = done(
        &book,
        r#"[{"op":"insert_rows","sheet":"Data","before":1,"count":1},{"op":"insert_rows","sheet":"Data","before":6,"count":2}]"#,
    );
    let table = &after.sheet("Data").unwrap().tables[0];
    assert_eq!(table.area.to_string(), "B4:B8");
    assert_eq!(
        after.sheet("Data").unwrap().value(at("B8")).as_number(),
        Some(2.0)
    );
    for json in [
        r#"[{"op":"delete_rows","sheet":"Data","first":3,"count":1}]"#,
        r#"[{"op":"delete_rows","sheet":"Data","first":4,"count":2}]"#,
        r#"[{"op":"delete_columns","sheet":"Data","first":"B","count":1}]"#,
        r#"[{"op":"merge","sheet":"Data","area":"B4:C4"}]"#,
        r#"[{"op":"filter","sheet":"Data","area":"A1:B9"}]"#,
    ] {
        let why = refused(&book, json);
        assert!(why.contains("table `T`"), "{json}: {why}");
    }
}
