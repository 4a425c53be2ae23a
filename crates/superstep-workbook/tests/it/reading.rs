//! What is read: kinds of values, formulas, dates of both systems, what surrounds cells.

use superstep_workbook::{DateSystem, FormulaKind, Value, Visibility};

use crate::made::{Made, at, shown};

#[test]
fn every_kind_of_value_is_read() {
    let mut made = Made::with_rows(
        "<row r=\"1\"><c r=\"A1\"><v>1.5</v></c><c r=\"B1\" t=\"s\"><v>1</v></c>\
         <c r=\"C1\" t=\"inlineStr\"><is><r><t>rich </t></r><r><t>text</t></r></is></c>\
         <c r=\"D1\" t=\"b\"><v>1</v></c><c r=\"E1\" t=\"e\"><v>#N/A</v></c>\
         <c r=\"F1\" t=\"str\"><f>\"a\"&amp;\"b\"</f><v>ab</v></c><c r=\"G1\"/>\
         <c r=\"H1\" t=\"d\"><v>2025-06-10</v></c></row>\
         <row><c><v>2</v></c><c t=\"inlineStr\"><is><t>a_x000D_b &lt;&#65;&gt;</t></is></c></row>",
    );
    made.set(
        "xl/sharedStrings.xml",
        "<sst><si><t>no</t></si><si><r><rPr><b/></rPr><t>two </t></r><r><t>runs</t></r>\
         <rPh sb=\"0\" eb=\"1\"><t>said</t></rPh></si></sst>",
    );
    made.edit(
        "xl/_rels/workbook.xml.rels",
        "</Relationships>",
        "<Relationship Id=\"rId9\" Type=\"http://purl.oclc.org/ooxml/officeDocument/relationships/sharedStrings\" \
         Target=\"/xl/sharedStrings.xml\"/></Relationships>",
    );
    let book = made.book();
    let sheet = book.sheet("Data").unwrap();
    assert_eq!(*sheet.value(at("A1")), Value::Number(1.5));
    assert_eq!(*sheet.value(at("B1")), Value::text("two runs"));
    assert_eq!(*sheet.value(at("C1")), Value::text("rich text"));
    assert_eq!(*sheet.value(at("D1")), Value::Bool(true));
    assert_eq!(*sheet.value(at("E1")), Value::Error("#N/A".into()));
    assert_eq!(*sheet.value(at("F1")), Value::text("ab"));
    assert_eq!(shown(&book, "Data", "F1"), "=\"a\"&\"b\"");
    assert_eq!(*sheet.value(at("G1")), Value::Empty);
    assert_eq!(*sheet.value(at("H1")), Value::Number(45_818.0));
    assert_eq!(*sheet.value(at("A2")), Value::Number(2.0));
    assert_eq!(*sheet.value(at("B2")), Value::text("a\rb <A>"));
}

#[test]
fn shared_formulas_are_expanded_and_array_formulas_are_marked() {
    let book = Made::with_rows(
        "<row r=\"1\"><c r=\"B1\"><f t=\"shared\" ref=\"B1:B3\" si=\"0\">A1*$D$1</f><v>2</v></c>\
         <c r=\"C1\"><f t=\"array\" ref=\"C1:C2\">A1:A2*2</f><v>2</v></c></row>\
         <row r=\"2\"><c r=\"B2\"><f t=\"shared\" si=\"0\"/><v>4</v></c></row>\
         <row r=\"3\"><c r=\"B3\"><f t=\"shared\" si=\"0\"/><v>6</v></c></row>",
    )
    .book();
    assert_eq!(shown(&book, "Data", "B1"), "=A1*$D$1");
    assert_eq!(shown(&book, "Data", "B3"), "=A3*$D$1");
    let sheet = book.sheet("Data").unwrap();
    assert_eq!(*sheet.value(at("B3")), Value::Number(6.0));
    let formula = sheet.cell(at("C1")).unwrap().formula().unwrap();
    assert_eq!(formula.kind, FormulaKind::Array("C1:C2".parse().unwrap()));
}

#[test]
fn days_since_1904_are_read_as_such() {
    let mut made = Made::with_rows("<row r=\"1\"><c r=\"A1\" s=\"1\"><v>44320</v></c></row>");
    made.edit(
        "xl/workbook.xml",
        "<sheets>",
        "<workbookPr date1904=\"1\"/><sheets>",
    );
    made.set(
        "xl/styles.xml",
        "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">\
         <cellXfs count=\"2\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>",
    );
    made.edit(
        "xl/_rels/workbook.xml.rels",
        "</Relationships>",
        "<Relationship Id=\"rId9\" Type=\"x/styles\" Target=\"styles.xml\"/></Relationships>",
    );
    let book = made.book();
    assert_eq!(book.dates, DateSystem::Since1904);
    assert_eq!(shown(&book, "Data", "A1"), "2025-05-05");
}

#[test]
fn what_surrounds_cells_is_read() {
    let mut made = Made::with_sheets(&[
        (
            "Data",
            "<sheetViews><sheetView workbookViewId=\"0\"><pane xSplit=\"1\" ySplit=\"2\" topLeftCell=\"B9\" \
             state=\"frozen\"/></sheetView></sheetViews><cols><col min=\"2\" max=\"4\" width=\"20.5\" \
             customWidth=\"1\"/></cols><sheetData/><autoFilter ref=\"A1:C9\"/>\
             <mergeCells count=\"1\"><mergeCell ref=\"A1:B2\"/></mergeCells>",
        ),
        ("Hidden &amp; more", "<sheetData/>"),
        ("Deep", "<sheetData/>"),
    ]);
    made.edit(
        "xl/workbook.xml",
        "sheetId=\"2\"",
        "sheetId=\"2\" state=\"hidden\"",
    );
    made.edit(
        "xl/workbook.xml",
        "sheetId=\"3\"",
        "sheetId=\"3\" state=\"veryHidden\"",
    );
    made.edit(
        "xl/workbook.xml",
        "</sheets>",
        "</sheets><definedNames><definedName name=\"Rate\">Data!$A$1</definedName>\
         <definedName name=\"Own\" localSheetId=\"1\" hidden=\"1\">1</definedName></definedNames>",
    );
    let book = made.book();
    let sheet = book.sheet("data").unwrap();
    assert_eq!(sheet.freeze, Some(at("B3")));
    assert_eq!(sheet.width(3), Some(20.5));
    assert_eq!(sheet.width(5), None);
    assert_eq!(sheet.filter.unwrap().to_string(), "A1:C9");
    assert_eq!(sheet.merged[0].to_string(), "A1:B2");
    assert_eq!(book.sheets[1].name, "Hidden & more");
    assert_eq!(book.sheets[1].visibility, Visibility::Hidden);
    assert_eq!(book.sheets[2].visibility, Visibility::VeryHidden);
    assert_eq!(book.names[0].refers_to, "Data!$A$1");
    assert_eq!(book.names[1].sheet, Some(1));
    assert!(book.names[1].hidden);
    assert_eq!(book.sheet("missing").unwrap_err().code(), "SS7512");
}

#[test]
fn prefixed_and_wide_parts_are_read_and_edited() {
    let mut made = Made::with_rows("");
    made.set(
        "xl/worksheets/sheet1.xml",
        "<?xml version=\"1.0\"?><x:worksheet xmlns:x=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">\
         <x:sheetData><x:row r=\"1\"><x:c r=\"A1\"><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>",
    );
    let text = String::from_utf8(made.parts.last().unwrap().1.clone()).unwrap();
    let mut wide = vec![0xFF, 0xFE];
    wide.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    made.parts.last_mut().unwrap().1 = wide;
    let book = made.book();
    assert_eq!(shown(&book, "Data", "A1"), "7");
    let after = crate::made::done(
        &book,
        r#"[{"op":"set","sheet":"Data","cell":"B1","value":{"text":"x"}},
            {"op":"merge","sheet":"Data","area":"C1:D1"}]"#,
    );
    assert_eq!(shown(&after, "Data", "A1"), "7");
}
