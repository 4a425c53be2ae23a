//! What another program leaves out when it writes a workbook anew is carried over from the one that it read.

use superstep_workbook::{BandMove, Lineage, MoveAxis, MoveKind, OnLoad, Workbook};

use crate::made::{Made, read, shown};

const REL: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MICROSOFT: &str = "http://schemas.microsoft.com/office/2017/10/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

fn rows(first: u32) -> String {
    let comment_row = first + 1;
    format!(
        "<row r=\"{first}\"><c r=\"A{first}\" t=\"inlineStr\"><is><t>plain bold</t></is></c></row>\
         <row r=\"{comment_row}\"><c r=\"A{comment_row}\"><v>5</v></c></row>"
    )
}

fn with_comment(made: &mut Made, cell: &str, more: &str) {
    made.set(
        "xl/worksheets/_rels/sheet1.xml.rels",
        &format!(
            "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"rId1\" Type=\"{REL}/comments\" \
             Target=\"/xl/comments1.xml\"/>{more}</Relationships>"
        ),
    );
    made.set(
        "xl/comments1.xml",
        &format!(
            "<comments xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><authors><author>tc=1</author></authors>\
             <commentList><comment ref=\"{cell}\" authorId=\"0\"><text><t>said</t></text></comment></commentList></comments>"
        ),
    );
}

/// A workbook with all that openpyxl does not know.
fn rich() -> Workbook {
    let rich = rows(1).replace(
        "<t>plain bold</t>",
        "<r><t xml:space=\"preserve\">plain </t></r><r><rPr><b/></rPr><t>bold</t></r>",
    );
    let mut made = Made::with_sheets(&[
        (
            "Data",
            &format!(
                "<sheetData>{rich}</sheetData><extLst><ext uri=\"{{1}}\"><x14:sparklineGroups><x14:sparklineGroup><x14:sparklines>\
                 <x14:sparkline><xm:f>Data!A1:A2</xm:f><xm:sqref>C1</xm:sqref></x14:sparkline></x14:sparklines>\
                 </x14:sparklineGroup></x14:sparklineGroups></ext><ext uri=\"{{2}}\"><x14:slicerList><x14:slicer r:id=\"rId9\"/>\
                 </x14:slicerList></ext></extLst>"
            ),
        ),
        (
            "Other",
            "<sheetData><row r=\"1\"><c r=\"A1\"><f>Data!A2*2</f><v>10</v></c></row></sheetData>",
        ),
    ]);
    made.edit(
        "xl/worksheets/sheet1.xml",
        "<worksheet ",
        "<worksheet xmlns:x14=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/main\" \
         xmlns:xm=\"http://schemas.microsoft.com/office/excel/2006/main\" ",
    );
    with_comment(
        &mut made,
        "A2",
        &format!(
            "<Relationship Id=\"rId2\" Type=\"{MICROSOFT}/threadedComment\" Target=\"/xl/threadedComments/threadedComment1.xml\"/>\
             <Relationship Id=\"rId9\" Type=\"http://schemas.microsoft.com/office/2007/relationships/slicer\" \
             Target=\"/xl/slicers/slicer1.xml\"/>"
        ),
    );
    made.set(
        "xl/threadedComments/threadedComment1.xml",
        "<ThreadedComments xmlns=\"http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments\">\
         <threadedComment ref=\"A2\" personId=\"{1}\" id=\"{2}\"><text>said</text></threadedComment>\
         <threadedComment ref=\"A2\" personId=\"{1}\" id=\"{3}\" parentId=\"{2}\"><text>and answered</text></threadedComment>\
         </ThreadedComments>",
    );
    made.set("xl/slicers/slicer1.xml", "<slicers/>");
    made.set("xl/persons/person.xml", "<personList/>");
    made.set("customXml/item1.xml", "<a>kept</a>");
    made.set("customXml/itemProps1.xml", "<props/>");
    made.set(
        "customXml/_rels/item1.xml.rels",
        &format!(
            "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"rId1\" Type=\"{REL}/customXmlProps\" \
             Target=\"itemProps1.xml\"/></Relationships>"
        ),
    );
    made.edit(
        "xl/_rels/workbook.xml.rels",
        "</Relationships>",
        &format!(
            "<Relationship Id=\"rId8\" Type=\"{REL}/customXml\" Target=\"../customXml/item1.xml\"/>\
             <Relationship Id=\"rId9\" Type=\"{MICROSOFT}/person\" Target=\"persons/person.xml\"/></Relationships>"
        ),
    );
    made.book()
}

/// The same as another program writes it, its rows from `first` on and its first sheet by another name.
fn rewritten(first: u32, name: &str) -> Workbook {
    let mut made = Made::with_sheets(&[
        (name, &format!("<sheetData>{}</sheetData>", rows(first))),
        (
            "Other",
            "<sheetData><row r=\"1\"><c r=\"A1\"><f>Data!A2*2</f></c></row></sheetData>",
        ),
    ]);
    with_comment(&mut made, &format!("A{}", first + 1), "");
    made.book()
}

fn counted(book: &Workbook) -> Vec<String> {
    let extras = book.extras().unwrap();
    let mut all: Vec<String> = extras
        .iter()
        .map(|it| format!("{} {} {:?}", it.count, it.kind, it.sheet.as_deref()))
        .collect();
    all.sort();
    all
}

fn part(book: &Workbook, name: &str) -> String {
    let bytes = book.package().part(name).unwrap().unwrap();
    String::from_utf8(bytes.into_owned()).unwrap()
}

#[test]
fn what_a_program_does_not_know_is_carried_over_and_the_rest_is_counted() {
    let before = rich();
    assert_eq!(
        counted(&before),
        [
            "1 custom XML part None",
            "1 slicer Some(\"Data\")",
            "1 sparkline Some(\"Data\")",
            "2 entry of a conversation Some(\"Data\")",
        ]
    );
    let after = rewritten(1, "Data").in_place_of(&before, &Lineage::default());
    let after = read(after.write(OnLoad::Calculate).unwrap().bytes);
    // A slicer is a part of its own, which nothing leads to any more.
    assert_eq!(
        counted(&after),
        [
            "1 custom XML part None",
            "1 sparkline Some(\"Data\")",
            "2 entry of a conversation Some(\"Data\")",
        ]
    );
    let sheet = part(&after, "xl/worksheets/sheet1.xml");
    assert!(
        sheet.contains("<r><rPr><b/></rPr><t>bold</t></r>"),
        "{sheet}"
    );
    assert!(
        sheet.contains("<extLst xmlns:") && sheet.contains("xmlns:x14="),
        "{sheet}"
    );
    assert!(!sheet.contains("slicer"), "{sheet}");
    assert_eq!(part(&after, "customXml/itemProps1.xml"), "<props/>");
    assert_eq!(part(&after, "xl/persons/person.xml"), "<personList/>");
    assert_eq!(shown(&after, "Other", "A1"), "=Data!A2*2");
}

#[test]
fn what_is_carried_over_is_where_the_program_moved_its_cells() {
    let before = rich();
    let lineage = Lineage {
        sheets: Some(vec![
            ("Data".to_owned(), "My data".to_owned()),
            ("Other".to_owned(), "Other".to_owned()),
        ]),
        moved: vec![BandMove {
            sheet: "Data".to_owned(),
            kind: MoveKind::Insert,
            axis: MoveAxis::Rows,
            at: 1,
            count: 3,
        }],
        is_new: false,
    };
    let after = rewritten(4, "My data").in_place_of(&before, &lineage);
    let after = read(after.write(OnLoad::Calculate).unwrap().bytes);
    let sheet = part(&after, "xl/worksheets/sheet1.xml");
    assert!(
        sheet.contains("<c r=\"A4\" t=\"inlineStr\"><is><r>"),
        "{sheet}"
    );
    assert!(sheet.contains("<xm:sqref>C4</xm:sqref>"), "{sheet}");
    // Formulas follow the name of a sheet; where its cells went is another matter.
    assert!(sheet.contains("<xm:f>'My data'!A1:A2</xm:f>"), "{sheet}");
    assert_eq!(shown(&after, "Other", "A1"), "='My data'!A2*2");
    let talk = part(&after, "xl/threadedComments/threadedComment1.xml");
    assert_eq!(talk.matches("ref=\"A5\"").count(), 2, "{talk}");
}

#[test]
fn a_sheet_of_the_same_name_that_the_program_made_gets_nothing() {
    let before = rich();
    let lineage = Lineage {
        sheets: Some(vec![("Other".to_owned(), "Other".to_owned())]),
        ..Lineage::default()
    };
    let after = rewritten(1, "Data").in_place_of(&before, &lineage);
    assert_eq!(counted(&after), ["1 custom XML part None"]);
    let own = Lineage {
        is_new: true,
        ..Lineage::default()
    };
    let after = rewritten(1, "Data").in_place_of(&before, &own);
    assert_eq!(counted(&after), Vec::<String>::new());
}
