//! Functions that are newer than the file format: marked in files, and nowhere else.

use superstep_workbook::{Lineage, OnLoad};

use crate::made::{Made, done, read, refused, shown};

fn part(book: &superstep_workbook::Workbook, name: &str) -> String {
    let bytes = book.package().part(name).unwrap().unwrap();
    String::from_utf8(bytes.into_owned()).unwrap()
}

const SHEET: &str = "xl/worksheets/sheet1.xml";

#[test]
fn newer_functions_are_written_as_excel_reads_them_and_read_as_people_do() {
    let book = Made::with_rows("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>").book();
    let after = done(
        &book,
        r#"[{"op":"set","sheet":"Data","cell":"B1","value":{"formula":"=XLOOKUP(A1,A:A,A:A)&TEXTJOIN(\",\",TRUE,A1)"}},
            {"op":"set","sheet":"Data","cell":"B2","value":{"formula":"=SUM(_xlfn._xlws.FILTER(A1:A3,A1:A3>0))"}},
            {"op":"set","sheet":"Data","cell":"B3","value":{"formula":"=LET(x,A1,x*2)"}},
            {"op":"define_name","name":"Twice","refers_to":"=LAMBDA(n,n*2)"},
            {"op":"conditional_format","sheet":"Data","area":"A1:A9","condition":{"formula":"=IFNA(A1,0)>1"},"style":{"bold":true}},
            {"op":"validate","sheet":"Data","area":"C1","validation":{"custom":"=XOR(A1,A2)"}}]"#,
    );
    let sheet = part(&after, SHEET);
    for stored in [
        "<f>_xlfn.XLOOKUP(A1,A:A,A:A)&amp;_xlfn.TEXTJOIN(",
        "<f>SUM(_xlfn._xlws.FILTER(A1:A3,A1:A3&gt;0))</f>",
        "<f>_xlfn.LET(_xlpm.x,A1,_xlpm.x*2)</f>",
        "<formula>_xlfn.IFNA(A1,0)&gt;1</formula>",
        "<formula1>_xlfn.XOR(A1,A2)</formula1>",
    ] {
        assert!(sheet.contains(stored), "{stored}\n{sheet}");
    }
    assert!(part(&after, "xl/workbook.xml").contains(">_xlfn.LAMBDA(_xlpm.n,_xlpm.n*2)<"));
    assert_eq!(
        shown(&after, "Data", "B1"),
        "=XLOOKUP(A1,A:A,A:A)&TEXTJOIN(\",\",TRUE,A1)"
    );
    assert_eq!(shown(&after, "Data", "B2"), "=SUM(FILTER(A1:A3,A1:A3>0))");
    assert_eq!(shown(&after, "Data", "B3"), "=LET(x,A1,x*2)");
    assert_eq!(after.names[0].refers_to, "LAMBDA(n,n*2)");
}

#[cfg(feature = "recalc")]
#[test]
fn newer_functions_are_calculated_with_and_without_their_mark() {
    let rows = "<row r=\"1\"><c r=\"A1\"><v>4</v></c><c r=\"B1\"><f>_xlfn.LET(_xlpm.x,A1,_xlpm.x*2)</f></c>\
        <c r=\"C1\"><f>XLOOKUP(4,A1:A1,A1:A1)</f></c><c r=\"D1\"><f>_xlfn.IFS(A1&gt;3,\"ä\",TRUE,\"b\")</f></c>\
        <c r=\"E1\"><f>SUM(SORT(A1:A1))</f></c></row>";
    let book = Made::with_rows(rows).book();
    let (written, calculation) = book.write_with(book.calculate()).unwrap();
    let again = read(written.bytes);
    let sheet = again.sheet("Data").unwrap();
    let values: Vec<String> = ["B1", "C1", "D1", "E1"]
        .iter()
        .map(|at| sheet.value(at.parse().unwrap()).to_string())
        .collect();
    assert_eq!(values, ["8", "4", "ä", "4"], "{calculation:?}");
}

#[test]
fn what_another_program_wrote_without_marks_gets_them() {
    let before = Made::with_rows("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>").book();
    let rows =
        "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>XLOOKUP(A1,A:A,A:A)</f></c></row>";
    let after = Made::with_rows(rows)
        .book()
        .in_place_of(&before, &Lineage::default());
    let written = read(after.write(OnLoad::Calculate).unwrap().bytes);
    assert!(part(&written, SHEET).contains("<f>_xlfn.XLOOKUP("));
}

#[test]
fn a_formula_that_is_not_closed_is_refused() {
    let book = Made::with_rows("").book();
    for formula in ["=SUM(", "=SUM(A1))", "=\\\"a", "={1,2"] {
        let json = format!(
            r#"[{{"op":"set","sheet":"Data","cell":"A1","value":{{"formula":"{formula}"}}}}]"#
        );
        let why = refused(&book, &json);
        assert!(why.contains("is no whole formula"), "{why}");
    }
}
