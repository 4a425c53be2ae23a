//! What belongs to cells goes with them: headers of tables and the formulas that name them, comments and links of sorted
//! rows, extensions of moved rows, links and print areas of copies.

use superstep_workbook::Workbook;

use crate::made::{Made, at, done, shown};

const REL: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

fn text(cell: &str, value: &str) -> String {
    format!("<c r=\"{cell}\" t=\"inlineStr\"><is><t>{value}</t></is></c>")
}

fn part(book: &Workbook, name: &str) -> String {
    let bytes = book.package().part(name).unwrap().unwrap();
    String::from_utf8(bytes.into_owned()).unwrap()
}

/// A sheet with the table `Sales`, links of A2 and A3, and formulas that name its columns.
fn table() -> Workbook {
    let rows = format!(
        "<row r=\"1\">{}{}</row><row r=\"2\">{}<c r=\"B2\"><v>3</v></c></row><row r=\"3\">{}<c r=\"B3\"><v>1</v></c></row>\
         <row r=\"4\">{}<c r=\"B4\"><v>2</v></c></row><row r=\"6\"><c r=\"A6\"><f>SUM(Sales[Units])+SUM(B2:B4)</f></c></row>",
        text("A1", "Name"),
        text("B1", "Units"),
        text("A2", "c"),
        text("A3", "a"),
        text("A4", "b"),
    );
    let mut made = Made::with_sheet(&format!(
        "<sheetData>{rows}</sheetData><hyperlinks><hyperlink ref=\"A2\" r:id=\"rId2\" tooltip=\"tip\"/>\
         <hyperlink ref=\"A3\" location=\"Data!B1\"/></hyperlinks><tableParts count=\"1\"><tablePart r:id=\"rId1\"/></tableParts>"
    ));
    made.set(
        "xl/worksheets/_rels/sheet1.xml.rels",
        &format!(
            "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"rId1\" Type=\"{REL}/table\" Target=\"/xl/tables/table1.xml\"/>\
             <Relationship Id=\"rId2\" Type=\"{REL}/hyperlink\" Target=\"https://example.org/c\" TargetMode=\"External\"/></Relationships>"
        ),
    );
    made.set(
        "xl/tables/table1.xml",
        "<table xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" id=\"1\" name=\"Sales\" displayName=\"Sales\" \
         ref=\"A1:B4\"><autoFilter ref=\"A1:B4\"/><tableColumns count=\"2\"><tableColumn id=\"1\" name=\"Name\"/>\
         <tableColumn id=\"2\" name=\"Units\"><calculatedColumnFormula>Sales[[#This Row],[Units]]</calculatedColumnFormula>\
         </tableColumn></tableColumns></table>",
    );
    made.edit(
        "xl/workbook.xml",
        "</sheets>",
        "</sheets><definedNames><definedName name=\"_xlnm.Print_Area\" localSheetId=\"0\">Data!$A$1:$B$4</definedName>\
         <definedName name=\"All\">Sales[Units]</definedName></definedNames>",
    );
    made.book()
}

#[test]
fn the_header_of_a_table_is_changed_in_its_part_and_in_formulas_too() {
    let book = table();
    let after = done(
        &book,
        r#"[{"op":"set","sheet":"Data","cell":"B1","value":{"text":"Net [EUR]"}}]"#,
    );
    let table = part(&after, "xl/tables/table1.xml");
    assert!(
        table.contains("<tableColumn id=\"2\" name=\"Net [EUR]\">"),
        "{table}"
    );
    assert!(
        table.contains("Sales[[#This Row],[Net '[EUR']]]"),
        "{table}"
    );
    assert_eq!(
        shown(&after, "Data", "A6"),
        "=SUM(Sales[Net '[EUR']])+SUM(B2:B4)"
    );
    assert_eq!(after.names[1].refers_to, "Sales[Net '[EUR']]");
    assert_eq!(
        after.sheet("Data").unwrap().tables[0].columns,
        ["Name", "Net [EUR]"]
    );
    // What cannot be a name becomes one, in the cell, too: numbers, nothing, and what is there already.
    let after = done(
        &book,
        r#"[{"op":"set","sheet":"Data","cell":"B1","value":{"number":2024}}]"#,
    );
    assert_eq!(shown(&after, "Data", "B1"), "2024");
    assert!(
        after
            .sheet("Data")
            .unwrap()
            .value(at("B1"))
            .as_text()
            .is_some()
    );
    let after = done(&book, r#"[{"op":"clear","sheet":"Data","area":"B1:B2"}]"#);
    assert_eq!(shown(&after, "Data", "B1"), "Column2");
    let after = done(
        &book,
        r#"[{"op":"set","sheet":"Data","cell":"B1","value":{"text":"NAME"}}]"#,
    );
    assert_eq!(
        after.sheet("Data").unwrap().tables[0].columns,
        ["Name", "NAME2"]
    );
    assert_eq!(shown(&after, "Data", "B1"), "NAME2");
}

#[test]
fn comments_and_links_go_with_the_rows_that_are_sorted() {
    let after = done(
        &table(),
        r#"[{"op":"comment","sheet":"Data","cell":"A2","comment":{"text":"of c"}},
            {"op":"comment","sheet":"Data","cell":"D2","comment":{"text":"beside"}},
            {"op":"link","sheet":"Data","cell":"A4","address":"https://example.org/b"},
            {"op":"sort","sheet":"Data","area":"A1:B4","keys":[{"column":"A"}],"has_header":true}]"#,
    );
    let names: Vec<String> = ["A2", "A3", "A4"]
        .iter()
        .map(|at| shown(&after, "Data", at))
        .collect();
    assert_eq!(names, ["a", "b", "c"]);
    let sheet = after.sheet("Data").unwrap();
    let around: Vec<String> = after
        .features(sheet)
        .unwrap()
        .iter()
        .filter(|it| ["link", "comment"].contains(&it.kind))
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        around,
        [
            "comment A4: \"of c\"",
            "comment D2: \"beside\"",
            "link A2: #Data!B1",
            "link A3: https://example.org/b",
            "link A4: https://example.org/c, \"tip\"",
        ]
    );
}

#[test]
fn a_copy_has_the_links_and_the_print_area_of_its_sheet() {
    let after = done(
        &table(),
        r#"[{"op":"copy_sheet","sheet":"Data","name":"Two"}]"#,
    );
    let sheet = after.sheet("Two").unwrap();
    let links: Vec<String> = after
        .features(sheet)
        .unwrap()
        .iter()
        .filter(|it| it.kind == "link")
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        links,
        [
            "link A2: https://example.org/c, \"tip\"",
            "link A3: #Data!B1"
        ]
    );
    let printed: Vec<&str> = after
        .names
        .iter()
        .filter(|it| it.name == "_xlnm.Print_Area")
        .map(|it| it.refers_to.as_str())
        .collect();
    assert_eq!(printed, ["Data!$A$1:$B$4", "Two!$A$1:$B$4"]);
}

#[test]
fn extensions_move_with_rows_and_follow_names() {
    let x14 = "xmlns:x14=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/main\"";
    let xm = "xmlns:xm=\"http://schemas.microsoft.com/office/excel/2006/main\"";
    let book = Made::with_sheet(&format!(
        "<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"9\"><c r=\"A9\"><v>9</v></c></row></sheetData>\
         <extLst><ext {x14} uri=\"{{1}}\"><x14:dataValidations {xm} count=\"2\"><x14:dataValidation type=\"list\"><x14:formula1>\
         <xm:f>Data!$A$5:$A$9</xm:f></x14:formula1><xm:sqref>B5:B9</xm:sqref></x14:dataValidation><x14:dataValidation type=\"list\">\
         <x14:formula1><xm:f>Data!$A$1</xm:f></x14:formula1><xm:sqref>C3</xm:sqref></x14:dataValidation></x14:dataValidations></ext>\
         <ext {x14} uri=\"{{2}}\"><x14:sparklineGroups {xm}><x14:sparklineGroup><x14:sparklines><x14:sparkline><xm:f>Data!A5:A9</xm:f>\
         <xm:sqref>D3</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>"
    ))
    .book();
    let extended = |book: &Workbook, sheet: &str| -> Vec<String> {
        let features = book.features(book.sheet(sheet).unwrap()).unwrap();
        features.iter().map(ToString::to_string).collect()
    };
    let after = done(
        &book,
        r#"[{"op":"insert_rows","sheet":"Data","before":2,"count":2},{"op":"rename_sheet","sheet":"Data","name":"My data"}]"#,
    );
    assert_eq!(
        extended(&after, "My data"),
        [
            "extended validation B7:B11: list, 'My data'!$A$7:$A$11",
            "extended validation C5: list, 'My data'!$A$1",
            "sparkline D5: 'My data'!A7:A11",
        ]
    );
    let after = done(
        &book,
        r#"[{"op":"delete_rows","sheet":"Data","first":3,"count":1}]"#,
    );
    assert_eq!(
        extended(&after, "Data"),
        ["extended validation B4:B8: list, Data!$A$4:$A$8"]
    );
    let sheet = part(&after, "xl/worksheets/sheet1.xml");
    assert!(
        sheet.contains("count=\"1\"") && !sheet.contains("sparkline"),
        "{sheet}"
    );
}
