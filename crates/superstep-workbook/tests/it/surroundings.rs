//! Comments, tables, links, validations, conditional formats, and how sheets are printed: made by
//! operations, written, and found again by a reader.

use superstep_workbook::{Changes, OnLoad, Workbook};

use crate::made::{Made, at, operations, read};

fn sales() -> Workbook {
    Made::with_sheets(&[
        (
            "Data",
            "<sheetData><row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>Region</t></is></c>\
             <c r=\"B1\" t=\"inlineStr\"><is><t>Units</t></is></c></row>\
             <row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>North</t></is></c><c r=\"B2\"><v>3</v></c></row>\
             <row r=\"3\"><c r=\"A3\" t=\"inlineStr\"><is><t>South</t></is></c><c r=\"B3\"><v>5</v></c></row>\
             </sheetData>",
        ),
        ("Other", "<sheetData/>"),
    ])
    .book()
}

/// The workbook after operations, written and read again; what the report says is the same before and
/// after it was written.
fn after(list: &str) -> Workbook {
    let before = sales();
    let after = before.apply(&operations(list)).unwrap();
    let written = after.write(OnLoad::Trust).unwrap();
    let again = read(written.bytes);
    let told = |book: &Workbook| Changes::between(&before, book).others;
    assert_eq!(told(&after), told(&again), "{list}");
    again
}

fn lines(book: &Workbook, sheet: &str) -> Vec<String> {
    let sheet = book.sheet(sheet).unwrap();
    let features = book.features(sheet).unwrap();
    features.iter().map(ToString::to_string).collect()
}

#[test]
fn comments_are_added_changed_and_removed() {
    let book = after(
        r#"[{"op":"comment","sheet":"Data","cell":"A2","comment":{"text":"first <&> line\nsecond","author":"Ann"}},
            {"op":"comment","sheet":"Data","cell":"B3","comment":{"text":"other"}}]"#,
    );
    let sheet = book.sheet("Data").unwrap();
    assert_eq!(sheet.comments[&at("A2")].text, "first <&> line\nsecond");
    assert_eq!(sheet.comments[&at("A2")].author, "Ann");
    let again = book
        .apply(&operations(
            r#"[{"op":"comment","sheet":"Data","cell":"A2","comment":null},
                {"op":"comment","sheet":"Data","cell":"B2","comment":{"text":"third","author":"Ben"}}]"#,
        ))
        .unwrap();
    let again = read(again.write(OnLoad::Trust).unwrap().bytes);
    assert_eq!(
        lines(&again, "Data"),
        [r#"comment B2: "third" by "Ben""#, r#"comment B3: "other""#]
    );
    let drawing = again.package().part("xl/drawings/vmlDrawing1.vml").unwrap();
    let drawing = String::from_utf8(drawing.unwrap().into_owned()).unwrap();
    assert_eq!(
        drawing.matches("ObjectType=\"Note\"").count(),
        2,
        "{drawing}"
    );
    let report = Changes::between(&book, &again).to_string();
    assert!(report.contains("- comment A2: "), "{report}");
    assert!(report.contains("+ comment B2: "), "{report}");
}

#[test]
fn a_comment_that_nobody_changed_keeps_its_formats() {
    let book = after(r#"[{"op":"comment","sheet":"Data","cell":"A2","comment":{"text":"x"}}]"#);
    let part = book
        .package()
        .part("xl/comments1.xml")
        .unwrap()
        .unwrap()
        .into_owned();
    let rich = String::from_utf8(part)
        .unwrap()
        .replace("<r><t", "<r><rPr><b/></rPr><t");
    let mut made = Made { parts: Vec::new() };
    for name in book.package().names() {
        let content = book.package().part(name).unwrap().unwrap().into_owned();
        made.set(name, &String::from_utf8(content).unwrap());
    }
    made.set("xl/comments1.xml", &rich);
    let next = made
        .book()
        .apply(&operations(
            r#"[{"op":"comment","sheet":"Data","cell":"B2","comment":{"text":"y"}}]"#,
        ))
        .unwrap();
    let next = read(next.write(OnLoad::Trust).unwrap().bytes);
    let part = next
        .package()
        .part("xl/comments1.xml")
        .unwrap()
        .unwrap()
        .into_owned();
    assert!(String::from_utf8(part).unwrap().contains("<b/>"));
    assert_eq!(next.sheet("Data").unwrap().comments.len(), 2);
}

#[test]
fn tables_are_added_and_grow_and_wrong_ones_are_refused() {
    let book = after(
        r#"[{"op":"add_table","sheet":"Data","table":{"name":"Sales","area":"A1:B3","style":{"name":"TableStyleLight1"}}},
            {"op":"insert_rows","sheet":"Data","before":3,"count":1}]"#,
    );
    let table = &book.sheet("Data").unwrap().tables[0];
    assert_eq!(
        (table.name.as_str(), table.area.to_string().as_str()),
        ("Sales", "A1:B4")
    );
    assert_eq!(table.columns, ["Region", "Units"]);
    let grown = book
        .apply(&operations(
            r#"[{"op":"resize_table","sheet":"Data","table":"sales","area":"A1:B9"}]"#,
        ))
        .unwrap();
    let grown = read(grown.write(OnLoad::Trust).unwrap().bytes);
    assert_eq!(
        lines(&grown, "Data"),
        ["table A1:B9: Sales (Region, Units), TableStyleLight1"]
    );
    for (wrong, part) in [
        (r#"{"name":"Sales","area":"A5:B6"}"#, "already"),
        (r#"{"name":"Second","area":"B2:B3"}"#, "overlaps"),
        (r#"{"name":"Second","area":"D1:E3"}"#, "must be a text"),
        (r#"{"name":"A1","area":"D1:E3"}"#, "cannot be a name"),
        (r#"{"name":"Second","area":"D1:E1"}"#, "at least two rows"),
    ] {
        let list = format!(r#"[{{"op":"add_table","sheet":"Data","table":{wrong}}}]"#);
        let error = book.apply(&operations(&list)).unwrap_err().to_string();
        assert!(error.contains(part), "{wrong}: {error}");
    }
}

#[test]
fn rules_validations_and_links_are_told_by_what_they_say() {
    let book = after(
        r##"[{"op":"conditional_format","sheet":"Data","area":"B2:B3","condition":{"icons":{"set":"3Arrows",
             "thresholds":[{"kind":"percent","value":"0"},{"kind":"percent","value":"33"},{"kind":"percent","value":"67"}]}}},
            {"op":"conditional_format","sheet":"Data","area":"B2:B3","condition":{"data_bar":{"color":"638EC6",
             "from":{"kind":"num","value":"0"},"hides_value":true}}},
            {"op":"conditional_format","sheet":"Data","area":"B2:B3","condition":{"scale":[
             {"at":{"kind":"min"},"color":"FFFFFF"},{"at":{"kind":"max"},"color":"FF0000"}]}},
            {"op":"conditional_format","sheet":"Data","area":"A2:A3","condition":{"begins":"N"},"style":{"bold":true},"stops":true},
            {"op":"validate","sheet":"Data","area":"B2:B3","validation":{"custom":"=B2>0"},
             "messages":{"error":"too small","shows_error":true,"allows_blank":false}},
            {"op":"link","sheet":"Data","cell":"A2","address":"https://example.com/a","tooltip":"there"},
            {"op":"link","sheet":"Data","cell":"A3","address":"#Other!A1"}]"##,
    );
    assert_eq!(
        lines(&book, "Data"),
        [
            "conditional format A2:A3: beginsWith beginsWith \"N\" stopIfTrue (bold) LEFT(A2,1)=\"N\"",
            "conditional format B2:B3: colorScale min max FFFFFF FF0000",
            "conditional format B2:B3: dataBar alone num 0 max 638EC6",
            "conditional format B2:B3: iconSet 3Arrows percent 0 percent 33 percent 67",
            "link A2: https://example.com/a, \"there\"",
            "link A3: #Other!A1",
            "validation B2:B3: custom error \"too small\" showErrorMessage B2>0",
        ]
    );
    let gone = book
        .apply(&operations(
            r#"[{"op":"unlink","sheet":"Data","cell":"A2"},{"op":"unlink","sheet":"Data","cell":"A3"}]"#,
        ))
        .unwrap();
    let report = Changes::between(&book, &gone).to_string();
    assert!(
        report.contains("- link A2: https://example.com/a"),
        "{report}"
    );
    let wrong = r#"[{"op":"conditional_format","sheet":"Data","area":"B2","condition":{"icons":{"set":"3Arrows","thresholds":[]}}}]"#;
    let error = sales().apply(&operations(wrong)).unwrap_err().to_string();
    assert!(error.contains("a threshold for each icon"), "{error}");
}

#[test]
fn pages_views_and_tabs_are_as_they_were_said() {
    let book = after(
        r#"[{"op":"page","sheet":"Data","page":{"orientation":"landscape","paper":9,"fits":true,"fit_width":1,"fit_height":0,
             "margins":{"left":0.5},"centered_across":true,"header":"&CSales","areas":["A1:B3"],"title_rows":"1:1"}},
            {"op":"page","sheet":"Data","page":{"title_columns":"A:A","footer":"&R&P"}},
            {"op":"tab_color","sheet":"Data","color":"1072BA"},
            {"op":"view","sheet":"Data","gridlines":false,"zoom":85},
            {"op":"outline_rows","sheet":"Data","first":2,"last":3,"level":1},
            {"op":"outline_columns","sheet":"Data","columns":"B","level":2},
            {"op":"protect","sheet":"Data","protected":true},
            {"op":"activate","sheet":"Other"}]"#,
    );
    let found = lines(&book, "Data");
    for line in [
        "group 2:3: level 1", "group B:B: level 2", "page: fitToHeight 0", "page: fitToWidth 1",
        "page: fits pages", "page: horizontalCentered 1", "page: margin left 0.5",
        "page: oddFooter \"&R&P\"", "page: oddHeader \"&CSales\"", "page: orientation landscape",
        "page: paperSize 9", "protection: on", "tab color: 1072BA", "view: no lines of the grid",
        "view: zoom 85 %",
    ] {
        assert!(found.iter().any(|it| it == line), "{line}\n{found:#?}");
    }
    let names: Vec<_> = book
        .names
        .iter()
        .map(|it| (it.name.as_str(), it.refers_to.as_str()))
        .collect();
    assert!(
        names.contains(&("_xlnm.Print_Area", "Data!$A$1:$B$3")),
        "{names:?}"
    );
    assert!(
        names.contains(&("_xlnm.Print_Titles", "Data!$1:$1,Data!$A:$A")),
        "{names:?}"
    );
    let part = |name: &str| {
        let part = book.package().part(name).unwrap().unwrap().into_owned();
        String::from_utf8(part).unwrap()
    };
    assert!(part("xl/workbook.xml").contains("activeTab=\"1\""));
    assert!(part("xl/worksheets/sheet2.xml").contains("tabSelected=\"1\""));
    assert!(!part("xl/worksheets/sheet1.xml").contains("tabSelected=\"1\""));
}

#[test]
fn a_sheet_whose_surroundings_change_leaves_the_other_parts_as_they_were() {
    let before = sales();
    let after = before
        .apply(&operations(
            r#"[{"op":"comment","sheet":"Data","cell":"A2","comment":{"text":"x"}},
                {"op":"add_table","sheet":"Data","table":{"name":"T","area":"A1:B3"}}]"#,
        ))
        .unwrap();
    let share = after.write(OnLoad::Trust).unwrap().share;
    assert!(share.removed.is_empty(), "{share:?}");
    assert!(
        !share
            .rewritten
            .contains(&"xl/worksheets/sheet2.xml".to_owned()),
        "{share:?}"
    );
    assert!(
        !share.rewritten.contains(&"xl/workbook.xml".to_owned()),
        "{share:?}"
    );
}

#[test]
fn comments_go_with_their_cells_when_rows_and_columns_move() {
    let book = after(
        r#"[{"op":"comment","sheet":"Data","cell":"A2","comment":{"text":"first","author":"Ann"}},
            {"op":"comment","sheet":"Data","cell":"B3","comment":{"text":"other"}}]"#,
    );
    let moved = book
        .apply(&operations(
            r#"[{"op":"insert_rows","sheet":"Data","before":2,"count":3},
                {"op":"insert_columns","sheet":"Data","before":"B","count":1}]"#,
        ))
        .unwrap();
    let next = read(moved.write(OnLoad::Trust).unwrap().bytes);
    let sheet = next.sheet("Data").unwrap();
    let comments: Vec<(String, &str)> = sheet
        .comments
        .iter()
        .map(|(at, comment)| (at.to_string(), comment.text.as_str()))
        .collect();
    assert_eq!(
        comments,
        [("A5".to_owned(), "first"), ("C6".to_owned(), "other")]
    );
    let shapes: Vec<String> = next
        .package()
        .names()
        .filter(|name| name.ends_with(".vml"))
        .map(str::to_owned)
        .collect();
    let [shapes] = &shapes[..] else {
        panic!("{shapes:?}");
    };
    let shapes = next.package().part(shapes).unwrap().unwrap();
    let shapes = String::from_utf8(shapes.into_owned()).unwrap();
    assert_eq!(shapes.matches("ObjectType=\"Note\"").count(), 2);
    assert!(
        shapes.contains("<x:Row>4</x:Row><x:Column>0</x:Column>"),
        "{shapes}"
    );
    assert!(
        shapes.contains("<x:Row>5</x:Row><x:Column>2</x:Column>"),
        "{shapes}"
    );
    // With the row its comment goes.
    let less = next
        .apply(&operations(
            r#"[{"op":"delete_rows","sheet":"Data","first":5,"count":1}]"#,
        ))
        .unwrap();
    let less = read(less.write(OnLoad::Trust).unwrap().bytes);
    let left: Vec<String> = less
        .sheet("Data")
        .unwrap()
        .comments
        .keys()
        .map(ToString::to_string)
        .collect();
    assert_eq!(left, ["C5"]);
}

#[test]
fn a_cell_gets_the_whole_format_of_another_or_none() {
    let book = after(
        r#"[{"op":"format","sheet":"Data","area":"A1","style":{"bold":true,"fill":"FF0000","number_format":"0.0"}},
            {"op":"format","sheet":"Data","area":"A2","style":{"italic":true}},
            {"op":"format_like","sheet":"Data","area":"B1:B2","from":"A1"},
            {"op":"format_like","sheet":"Data","area":"A2"}]"#,
    );
    let sheet = book.sheet("Data").unwrap();
    let style = |cell: &str| sheet.cell(at(cell)).map_or(0, |cell| cell.style);
    assert_eq!(style("B1"), style("A1"));
    assert_eq!(style("B2"), style("A1"));
    assert_eq!(style("A2"), 0);
}
