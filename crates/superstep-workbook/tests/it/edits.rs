//! Operations: each is applied, written and read again.

use superstep_workbook::{OnLoad, Operation, Workbook};

use crate::made::{Made, at, done, operations, read, refused, shown};

fn sample() -> Made {
    Made::with_sheets(&[
        (
            "Data",
            "<sheetData><row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>name</t></is></c>\
             <c r=\"B1\" t=\"inlineStr\"><is><t>value</t></is></c></row>\
             <row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>b</t></is></c><c r=\"B2\"><v>2</v></c></row>\
             <row r=\"3\"><c r=\"A3\" t=\"inlineStr\"><is><t>a</t></is></c><c r=\"B3\"><v>3</v></c>\
             <c r=\"C3\"><f>B3*2</f><v>6</v></c></row>\
             <row r=\"4\"><c r=\"A4\" t=\"inlineStr\"><is><t>C</t></is></c><c r=\"B4\"><v>1</v></c></row></sheetData>\
             <pageMargins left=\"0.7\" right=\"0.7\" top=\"0.75\" bottom=\"0.75\" header=\"0.3\" footer=\"0.3\"/>",
        ),
        (
            "Other",
            "<sheetData><row r=\"1\"><c r=\"A1\"><f>SUM(Data!B2:B4)</f><v>6</v></c></row></sheetData>",
        ),
    ])
}

fn book() -> Workbook {
    sample().book()
}

fn part(book: &Workbook, name: &str) -> String {
    let bytes = book.package().part(name).unwrap().unwrap();
    String::from_utf8(bytes.into_owned()).unwrap()
}

#[test]
fn values_of_every_kind_are_set_and_formulas_are_only_what_is_said_to_be_one() {
    let after = done(
        &book(),
        r#"[{"op":"set_rows","sheet":"Data","cell":"E1","rows":[
            [{"number":-0.1},{"text":"=cmd|' /C calc'!A0"},{"bool":true}],
            [{"formula":"=IF(B2<3,\"<&>\",\"\")"},{"date":"2025-06-10T08:30:00"},"empty"],
            [{"text":" padded\nlines\u0001 _x0041_ "},{"text":"ünïcödé 😀"},{"text":""}]]}]"#,
    );
    assert_eq!(shown(&after, "Data", "E1"), "-0.1");
    assert_eq!(shown(&after, "Data", "F1"), "=cmd|' /C calc'!A0");
    let sheet = after.sheet("Data").unwrap();
    assert!(sheet.cell(at("F1")).unwrap().formula().is_none());
    assert_eq!(shown(&after, "Data", "G1"), "TRUE");
    assert_eq!(shown(&after, "Data", "E2"), "=IF(B2<3,\"<&>\",\"\")");
    assert_eq!(shown(&after, "Data", "F2"), "2025-06-10T08:30:00");
    assert_eq!(shown(&after, "Data", "E3"), " padded\nlines\u{1} _x0041_ ");
    assert_eq!(shown(&after, "Data", "F3"), "ünïcödé 😀");
}

#[test]
fn a_changed_workbook_asks_to_be_calculated_and_drops_the_order_of_calculation() {
    let mut made = sample();
    made.set("xl/calcChain.xml", "<calcChain/>");
    made.edit(
        "xl/_rels/workbook.xml.rels",
        "</Relationships>",
        "<Relationship Id=\"rId9\" Type=\"x/calcChain\" Target=\"calcChain.xml\"/></Relationships>",
    );
    let set = r#"[{"op":"set","sheet":"Data","cell":"B2","value":{"number":5}}]"#;
    let after = made.book().apply(&operations(set)).unwrap();
    let written = after.write(OnLoad::Calculate).unwrap();
    assert_eq!(written.share.removed, ["xl/calcChain.xml"]);
    let again = read(written.bytes);
    assert!(part(&again, "xl/workbook.xml").contains("fullCalcOnLoad=\"1\""));
    assert!(!part(&again, "xl/_rels/workbook.xml.rels").contains("calcChain"));
    let trusted = read(after.write(OnLoad::Trust).unwrap().bytes);
    assert!(!part(&trusted, "xl/workbook.xml").contains("fullCalcOnLoad"));
}

#[test]
fn looks_are_added_to_what_cells_look_like() {
    let after = done(
        &book(),
        r#"[{"op":"format","sheet":"Data","area":"A1:B1","style":{"bold":true,"color":"FF0000","size":14,"font":"Arial"}},
            {"op":"format","sheet":"Data","area":"A1","style":{"italic":true,"fill":"00FF00","horizontal":"center","wrap":true,
              "border":{"bottom":{"style":"thin"},"top":{"style":"double","color":"0000FF"}}}},
            {"op":"format","sheet":"Data","area":"A1","style":{"bold":false,"border":{"top":{"style":"none"}}}},
            {"op":"format","sheet":"Data","area":"B2:B4","style":{"number_format":"0.00 \"pcs\""}},
            {"op":"format","sheet":"Data","area":"D9","style":{"number_format":"0.00%"}}]"#,
    );
    let sheet = after.sheet("Data").unwrap();
    let look = |cell: &str| after.styles.look(sheet.cell(at(cell)).unwrap().style);
    let (one, other) = (look("A1"), look("B1"));
    assert_eq!((one.bold, one.italic), (None, Some(true)));
    assert_eq!(one.color.as_deref(), Some("FFFF0000"));
    assert_eq!(one.fill.as_deref(), Some("FF00FF00"));
    assert_eq!((one.size, one.font.as_deref()), (Some(14.0), Some("Arial")));
    assert_eq!(
        (one.horizontal.as_deref(), one.wrap),
        (Some("center"), Some(true))
    );
    let border = one.border.unwrap();
    assert_eq!(border.bottom.unwrap().style, "thin");
    assert!(border.top.is_none());
    assert_eq!((other.bold, other.fill), (Some(true), None));
    assert_eq!(look("B3").number_format.as_deref(), Some("0.00 \"pcs\""));
    assert_eq!(look("D9").number_format.as_deref(), Some("0.00%"));
}

#[test]
fn layout_is_changed() {
    let after = done(
        &book(),
        r#"[{"op":"merge","sheet":"Data","area":"A6:C6"},
            {"op":"merge","sheet":"Data","area":"A8:C8"},
            {"op":"unmerge","sheet":"Data","area":"A8:C8"},
            {"op":"column_width","sheet":"Data","columns":"B:D","width":22.5},
            {"op":"column_width","sheet":"Data","columns":"C","width":5},
            {"op":"hide_columns","sheet":"Data","columns":"D","hidden":true},
            {"op":"row_height","sheet":"Data","first":1,"height":30},
            {"op":"hide_rows","sheet":"Data","first":4,"last":5,"hidden":true},
            {"op":"freeze","sheet":"Data","cell":"A2"},
            {"op":"filter","sheet":"Data","area":"A1:B4"}]"#,
    );
    let sheet = after.sheet("Data").unwrap();
    assert_eq!(sheet.merged.len(), 1);
    let widths: Vec<_> = (1..=5).map(|column| sheet.width(column)).collect();
    assert_eq!(widths, [None, Some(22.5), Some(5.0), Some(22.5), None]);
    assert!(sheet.columns.last().unwrap().hidden);
    assert_eq!(sheet.rows[&1].height, Some(30.0));
    assert!(sheet.rows[&4].hidden && sheet.rows[&5].hidden);
    assert_eq!(sheet.freeze, Some(at("A2")));
    let text = part(&after, "xl/worksheets/sheet1.xml");
    // In the order of the schema, or programs call the file damaged.
    let order = [
        "<sheetViews", "<cols", "<sheetData", "<autoFilter", "<mergeCells", "<pageMargins",
    ];
    let places: Vec<_> = order.iter().map(|it| text.find(it).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    let thawed = done(
        &after,
        r#"[{"op":"freeze","sheet":"Data","cell":null},{"op":"filter","sheet":"Data","area":null}]"#,
    );
    assert_eq!(thawed.sheet("Data").unwrap().freeze, None);
}

#[test]
fn conditions_validations_and_links_are_written() {
    let after = done(
        &book(),
        r##"[{"op":"conditional_format","sheet":"Data","area":"B2:B4","condition":{"cell":{"operator":"greaterThan","formulas":["2"]}},"style":{"fill":"FFC7CE"}},
            {"op":"conditional_format","sheet":"Data","area":"B2:B4","condition":{"color_scale":["F8696B","FFEB84","63BE7B"]}},
            {"op":"conditional_format","sheet":"Data","area":"A2:A4","condition":{"contains":"a"},"style":{"bold":true}},
            {"op":"conditional_format","sheet":"Data","area":"A2:A4","condition":"duplicates","style":{"bold":true}},
            {"op":"conditional_format","sheet":"Data","area":"B2:B4","condition":{"data_bar":{"color":"638EC6"}}},
            {"op":"validate","sheet":"Data","area":"D2:D4","validation":{"list":["yes","no"]}},
            {"op":"validate","sheet":"Data","area":"E2:E4","validation":{"range":{"kind":"whole","operator":"between","formulas":["1","9"]}}},
            {"op":"link","sheet":"Data","cell":"A2","address":"https://example.org/?a=1&b=2"},
            {"op":"link","sheet":"Data","cell":"A3","address":"#Other!A1"}]"##,
    );
    let text = part(&after, "xl/worksheets/sheet1.xml");
    assert_eq!(text.matches("<conditionalFormatting").count(), 5);
    assert!(text.contains("<dataValidations count=\"2\">"), "{text}");
    assert!(
        text.contains(
            "<hyperlinks><hyperlink ref=\"A3\" location=\"Other!A1\"/><hyperlink ref=\"A2\""
        ),
        "{text}"
    );
    assert!(
        part(&after, "xl/worksheets/_rels/sheet1.xml.rels")
            .contains("https://example.org/?a=1&amp;b=2")
    );
    let styles = part(&after, "xl/styles.xml");
    assert!(styles.contains("<dxfs count=\"2\">"), "{styles}");
    // A second round keeps what is there.
    let again = done(
        &after,
        r#"[{"op":"validate","sheet":"Data","area":"F2","validation":{"source":"=$B$2:$B$4"}},
            {"op":"link","sheet":"Data","cell":"A4","address":"mailto:a@example.org"}]"#,
    );
    let text = part(&again, "xl/worksheets/sheet1.xml");
    assert!(text.contains("<dataValidations count=\"3\">"));
    assert_eq!(text.matches("<hyperlink ").count(), 3);
    assert_eq!(text.matches("<conditionalFormatting").count(), 5);
}

#[test]
fn sheets_are_added_renamed_copied_moved_and_deleted() {
    let after = done(
        &book(),
        r#"[{"op":"add_sheet","name":"x\"); import os ;","at":0},
            {"op":"set","sheet":"x\"); import os ;","cell":"A1","value":{"number":1}},
            {"op":"rename_sheet","sheet":"Data","name":"It's data"},
            {"op":"copy_sheet","sheet":"It's data","name":"Copy"},
            {"op":"move_sheet","sheet":"Other","to":0},
            {"op":"hide_sheet","sheet":"Copy","hidden":true}]"#,
    );
    let names: Vec<_> = after
        .sheets
        .iter()
        .map(|sheet| sheet.name.as_str())
        .collect();
    assert_eq!(names, ["Other", "x\"); import os ;", "It's data", "Copy"]);
    assert_eq!(shown(&after, "Other", "A1"), "=SUM('It''s data'!B2:B4)");
    assert_eq!(shown(&after, "Copy", "C3"), "=B3*2");
    let gone = done(&after, r#"[{"op":"delete_sheet","sheet":"It's data"}]"#);
    assert_eq!(gone.sheets.len(), 3);
    assert_eq!(shown(&gone, "Other", "A1"), "=SUM(#REF!)");
    assert!(!gone.package().has("xl/worksheets/sheet1.xml"));
    assert!(!part(&gone, "[Content_Types].xml").contains("/xl/worksheets/sheet1.xml"));
}

#[test]
fn rows_are_sorted_and_formulas_go_with_them() {
    let after = done(
        &book(),
        r#"[{"op":"sort","sheet":"Data","area":"A1:C4","keys":[{"column":"A"}],"has_header":true}]"#,
    );
    let names: Vec<_> = ["A1", "A2", "A3", "A4"]
        .iter()
        .map(|it| shown(&after, "Data", it))
        .collect();
    assert_eq!(names, ["name", "a", "b", "C"]);
    assert_eq!(shown(&after, "Data", "C2"), "=B2*2");
    let after = done(
        &book(),
        r#"[{"op":"sort","sheet":"Data","area":"A2:C4","keys":[{"column":"B","descending":true}]}]"#,
    );
    assert_eq!(shown(&after, "Data", "B2"), "3");
    assert_eq!(shown(&after, "Data", "B4"), "1");
}

#[test]
fn charts_of_every_kind_are_added() {
    let mut list = Vec::new();
    for (row, kind) in [
        "column", "bar", "line", "pie", "doughnut", "scatter", "area",
    ]
    .iter()
    .enumerate()
    {
        list.push(format!(
            r#"{{"op":"add_chart","sheet":"Data","chart":{{"kind":"{kind}","at":"E{}","title":"A & <b>",
              "x_title":"x","series":[{{"sheet":"Data","values":"B2:B4","categories":"A2:A4","name_cell":"B1"}}]}}}}"#,
            row * 16 + 1
        ));
    }
    let after = done(&book(), &format!("[{}]", list.join(",")));
    assert_eq!(after.sheet("Data").unwrap().drawings, 7);
    for number in 1..=7 {
        let chart = part(&after, &format!("xl/charts/chart{number}.xml"));
        assert!(chart.contains("Data!$B$2:$B$4"), "{chart}");
        assert!(chart.contains("A &amp; &lt;b&gt;"), "{chart}");
    }
    // An unrelated edit leaves charts alone; a renamed sheet is followed.
    let edited = after
        .apply(&operations(
            r#"[{"op":"set","sheet":"Other","cell":"B1","value":{"number":1}}]"#,
        ))
        .unwrap();
    let share = edited.write(OnLoad::Calculate).unwrap().share;
    assert_eq!(
        share.rewritten,
        ["xl/workbook.xml", "xl/worksheets/sheet2.xml"]
    );
    let renamed = done(
        &after,
        r#"[{"op":"rename_sheet","sheet":"Data","name":"New name"}]"#,
    );
    assert!(part(&renamed, "xl/charts/chart1.xml").contains("'New name'!$B$2:$B$4"));
}

#[test]
fn a_pivot_table_survives_edits_and_is_not_torn() {
    let mut made = sample();
    made.set(
        "xl/worksheets/_rels/sheet2.xml.rels",
        "<Relationships><Relationship Id=\"rId1\" Type=\"x/pivotTable\" Target=\"../pivotTables/pivotTable1.xml\"/></Relationships>",
    );
    made.set(
        "xl/pivotTables/pivotTable1.xml",
        "<pivotTableDefinition name=\"P\"/>",
    );
    made.set(
        "xl/pivotCache/pivotCacheDefinition1.xml",
        "<pivotCacheDefinition><cacheSource type=\"worksheet\"><worksheetSource ref=\"A1:B4\" sheet=\"Data\"/></cacheSource></pivotCacheDefinition>",
    );
    let book = made.book();
    assert_eq!(book.sheet("Other").unwrap().pivots, 1);
    let set = r#"[{"op":"set","sheet":"Data","cell":"B2","value":{"number":5}},
                  {"op":"set","sheet":"Other","cell":"D9","value":{"number":5}}]"#;
    let after = done(&book, set);
    for name in [
        "xl/pivotTables/pivotTable1.xml",
        "xl/pivotCache/pivotCacheDefinition1.xml",
    ] {
        assert_eq!(part(&after, name), part(&book, name));
    }
    assert_eq!(after.sheet("Other").unwrap().pivots, 1);
    let renamed = done(
        &book,
        r#"[{"op":"rename_sheet","sheet":"Data","name":"A & B"}]"#,
    );
    let cache = part(&renamed, "xl/pivotCache/pivotCacheDefinition1.xml");
    assert!(
        cache.contains("ref=\"A1:B4\" sheet=\"A &amp; B\""),
        "{cache}"
    );
    for (json, why) in [
        (
            r#"[{"op":"delete_sheet","sheet":"Data"}]"#,
            "a pivot table reads this sheet",
        ),
        (
            r#"[{"op":"insert_rows","sheet":"Data","before":2,"count":1}]"#,
            "a pivot table reads this sheet",
        ),
        (
            r#"[{"op":"insert_rows","sheet":"Other","before":2,"count":1}]"#,
            "has a pivot table",
        ),
    ] {
        let said = refused(&book, json);
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn names_are_defined_and_deleted() {
    let after = done(
        &book(),
        r#"[{"op":"define_name","name":"Rate","refers_to":"=Data!$B$2"},
            {"op":"define_name","name":"Gone","refers_to":"1"},
            {"op":"delete_name","name":"gone"}]"#,
    );
    assert_eq!(after.names.len(), 1);
    assert_eq!(after.names[0].refers_to, "Data!$B$2");
}

#[test]
fn a_list_with_one_impossible_operation_changes_nothing() {
    let before = book();
    let why = refused(
        &before,
        r#"[{"op":"set","sheet":"Data","cell":"B2","value":{"number":99}},
            {"op":"clear","sheet":"Dada","area":"A1"}]"#,
    );
    assert!(why.contains("operation 2 (clear)"), "{why}");
    assert!(why.contains("there are `Data`, `Other`"), "{why}");
    assert_eq!(shown(&before, "Data", "B2"), "2");
    let written = before.write(OnLoad::Calculate).unwrap();
    assert!(written.share.rewritten.is_empty());
}

#[test]
fn impossible_operations_say_why() {
    let book = book();
    for (json, why) in [
        (
            r#"[{"op":"set","sheet":"Data","cell":"A1","value":{"date":"2025-02-30"}}]"#,
            "no date",
        ),
        (
            r#"[{"op":"format","sheet":"Data","area":"A1","style":{"color":"red"}}]"#,
            "no color",
        ),
        (
            r#"[{"op":"format","sheet":"Data","area":"A1:XFD1048576","style":{"bold":true}}]"#,
            "at once",
        ),
        (
            r#"[{"op":"format","sheet":"Data","area":"A1","style":{"horizontal":"middle"}}]"#,
            "alignment",
        ),
        (r#"[{"op":"merge","sheet":"Data","area":"A1"}]"#, "one cell"),
        (
            r#"[{"op":"merge","sheet":"Data","area":"A1:B1"},{"op":"merge","sheet":"Data","area":"B1:C1"}]"#,
            "overlaps",
        ),
        (
            r#"[{"op":"merge","sheet":"Data","area":"A1:B1"},{"op":"set","sheet":"Data","cell":"B1","value":{"number":1}}]"#,
            "write to A1",
        ),
        (
            r#"[{"op":"unmerge","sheet":"Data","area":"A1:B1"}]"#,
            "not merged",
        ),
        (r#"[{"op":"add_sheet","name":"data"}]"#, "already"),
        (r#"[{"op":"add_sheet","name":"a/b"}]"#, "cannot have"),
        (
            r#"[{"op":"delete_sheet","sheet":"Other"},{"op":"delete_sheet","sheet":"Data"}]"#,
            "at least one",
        ),
        (
            r#"[{"op":"define_name","name":"A1","refers_to":"1"}]"#,
            "cannot be a name",
        ),
        (
            r#"[{"op":"link","sheet":"Data","cell":"A1","address":"javascript:x"}]"#,
            "begins with",
        ),
        (
            r#"[{"op":"sort","sheet":"Data","area":"A1:B4","keys":[{"column":"D"}]}]"#,
            "not in",
        ),
        (
            r#"[{"op":"column_width","sheet":"Data","columns":"1","width":5}]"#,
            "no column",
        ),
        (
            r#"[{"op":"add_chart","sheet":"Data","chart":{"kind":"pie","at":"A1","series":[]}}]"#,
            "at least one",
        ),
    ] {
        let said = refused(&book, json);
        assert!(said.contains(why), "{json}: {said}");
    }
}

#[test]
fn operations_survive_json_and_know_what_they_destroy() {
    let list = operations(
        r#"[{"op":"delete_sheet","sheet":"Data"},{"op":"set","sheet":"Data","cell":"B2","value":{"formula":"=1"}},
            {"op":"format","sheet":"Data","area":"A1:B2","style":{"bold":true}}]"#,
    );
    let text = serde_json::to_string(&list).unwrap();
    assert_eq!(operations(&text), list);
    let destructive: Vec<_> = list.iter().map(Operation::is_destructive).collect();
    assert_eq!(destructive, [true, false, false]);
    assert!(
        serde_json::from_str::<Operation>(
            r#"{"op":"set","sheet":"x","cell":"A0","value":"empty"}"#
        )
        .is_err()
    );
    assert!(
        serde_json::from_str::<Operation>(r#"{"op":"clear","sheet":"x","area":"A1","extra":1}"#)
            .is_err()
    );
}

#[test]
fn a_new_workbook_has_one_empty_sheet_and_takes_operations() {
    let new = Workbook::empty().unwrap();
    assert_eq!(new.sheets.len(), 1);
    assert!(new.sheet("Sheet").unwrap().used().is_none());
    let after = done(
        &new,
        r#"[{"op":"set","sheet":"Sheet","cell":"A1","value":{"number":1}},
            {"op":"format","sheet":"Sheet","area":"A1","style":{"bold":true}},
            {"op":"add_sheet","name":"Two"}]"#,
    );
    assert_eq!(shown(&after, "Sheet", "A1"), "1");
    assert_eq!(after.sheets.len(), 2);
}

#[test]
fn operations_in_place_do_what_a_list_does_and_a_refused_one_leaves_the_workbook_as_it_was() {
    let before = book();
    let list = operations(
        r#"[{"op":"set","sheet":"Data","cell":"B2","value":{"number":20}},
            {"op":"format","sheet":"Data","area":"A1:B1","style":{"bold":true}},
            {"op":"row_height","sheet":"Data","first":2,"height":30},
            {"op":"insert_rows","sheet":"Data","before":1,"count":2},
            {"op":"rename_sheet","sheet":"Data","name":"Renamed"}]"#,
    );
    let mut in_place = before.clone();
    for operation in &list {
        in_place.make(operation).unwrap();
    }
    let listed = before.apply(&list).unwrap();
    let bytes = |book: &Workbook| book.write(OnLoad::Calculate).unwrap().bytes;
    assert_eq!(bytes(&in_place), bytes(&listed));

    for refused in operations(
        r#"[{"op":"format","sheet":"Renamed","area":"A3:B3","style":{"color":"blue"}},
            {"op":"format","sheet":"None","area":"A3:B3","style":{"bold":true}},
            {"op":"delete_sheet","sheet":"None"}]"#,
    ) {
        in_place.make(&refused).unwrap_err();
    }
    assert_eq!(bytes(&in_place), bytes(&listed));
}
