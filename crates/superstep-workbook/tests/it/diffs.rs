//! Change reports.

use superstep_workbook::Changes;

use crate::made::{Made, operations};

#[test]
fn a_report_names_cells_looks_sheets_and_the_rest() {
    let before = Made::with_sheets(&[
        ("Data", "<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><v>2</v></c></row></sheetData>"),
        ("Old", "<sheetData/>"),
        ("Gone", "<sheetData/>"),
    ])
    .book();
    let after = before
        .apply(&operations(
            r#"[{"op":"set","sheet":"Data","cell":"A1","value":{"formula":"=B1"}},
                {"op":"clear","sheet":"Data","area":"B1"},
                {"op":"set","sheet":"Data","cell":"C1","value":{"text":"new"}},
                {"op":"format","sheet":"Data","area":"C1","style":{"bold":true}},
                {"op":"merge","sheet":"Data","area":"A3:B3"},
                {"op":"freeze","sheet":"Data","cell":"A2"},
                {"op":"column_width","sheet":"Data","columns":"A","width":30},
                {"op":"rename_sheet","sheet":"Old","name":"Newer"},
                {"op":"delete_sheet","sheet":"Gone"},
                {"op":"add_sheet","name":"Added"},
                {"op":"define_name","name":"Rate","refers_to":"Data!$A$1"}]"#,
        ))
        .unwrap();
    let changes = Changes::between(&before, &after);
    let text = changes.to_string();
    for line in [
        "+ sheet \"Added\"",
        "- sheet \"Gone\"",
        "~ sheet \"Old\" is now \"Newer\"",
        "3 cells:",
        "\"Data\"!A1: \"1\" → \"=B1\"",
        "\"Data\"!B1: \"2\" → \"\"",
        "\"Data\"!C1: \"\" → \"new\"",
        "1 cell looks different",
        "\"Data\": merged cells: none → A3:B3",
        "\"Data\": frozen at: none → A2",
        "\"Data\": columns A have other widths",
        "name \"Rate\": none → Data!$A$1",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let json = serde_json::to_value(&changes).unwrap();
    assert_eq!(json["cell_count"], 3);
    assert_eq!(json["cells"][0]["cell"], "A1");
    assert_eq!(json["formats"][0]["after"]["bold"], true);
    let nothing = Changes::between(&before, &before);
    assert!(nothing.is_empty());
    assert_eq!(nothing.to_string(), "nothing changed\n");
}

#[test]
fn what_looks_the_same_and_is_not_is_reported_with_its_type() {
    let before = Made::with_sheets(&[(
        "Data",
        "<sheetData><row r=\"1\"><c r=\"A1\"><v>5</v></c><c r=\"B1\"><v>1.004</v></c><c r=\"C1\"><v>7</v></c></row></sheetData>",
    )])
    .book()
    .apply(&operations(
        r#"[{"op":"format","sheet":"Data","area":"B1","style":{"number_format":"0.00"}}]"#,
    ))
    .unwrap();
    let after = before
        .apply(&operations(
            r#"[{"op":"set","sheet":"Data","cell":"A1","value":{"text":"5"}},
                {"op":"set","sheet":"Data","cell":"B1","value":{"number":1.0041}},
                {"op":"set","sheet":"Data","cell":"C1","value":{"number":7}}]"#,
        ))
        .unwrap();
    let text = Changes::between(&before, &after).to_string();
    assert_eq!(
        text,
        "2 cells:\n  \"Data\"!A1: \"5 (number)\" → \"5 (text)\"\n  \"Data\"!B1: \"1.004\" → \"1.0041\"\n"
    );
}

#[test]
fn sheets_are_compared_by_their_names_wherever_another_program_stores_them() {
    let data = "<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><v>2</v></c></row></sheetData>";
    let notes = "<sheetData><row r=\"1\"><c r=\"A1\"><v>7</v></c></row></sheetData>";
    let new = "<sheetData><row r=\"1\"><c r=\"A1\"><v>9</v></c></row></sheetData>";
    let before = Made::with_sheets(&[("Data", data), ("Notes", notes)]).book();

    let inserted = Made::with_sheets(&[("New", new), ("Data", data), ("Notes", notes)]).book();
    let changes = Changes::between(&before, &inserted);
    assert_eq!(changes.sheets_added, ["New"]);
    assert!(changes.sheets_renamed.is_empty() && changes.sheets_removed.is_empty());
    assert!(!changes.sheets_reordered);
    assert_eq!(changes.cell_count, 1, "{changes}");

    let moved = Made::with_sheets(&[("Notes", notes), ("Data", data)]).book();
    let changes = Changes::between(&before, &moved);
    assert_eq!(changes.to_string(), "~ sheets stand in another order\n");

    let renamed = Made::with_sheets(&[("New", new), ("Numbers", data), ("Notes", notes)]).book();
    let changes = Changes::between(&before, &renamed);
    assert_eq!(changes.sheets_renamed, [("Data".into(), "Numbers".into())]);
    assert_eq!(changes.sheets_added, ["New"]);

    let replaced = Made::with_sheets(&[("New", new), ("Notes", notes)]).book();
    let changes = Changes::between(&before, &replaced);
    assert_eq!(changes.sheets_removed, ["Data"]);
    assert_eq!(changes.sheets_added, ["New"]);
}

#[test]
fn hidden_rows_and_columns_are_told_apart_from_heights_and_widths() {
    let before = Made::with_rows("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>").book();
    let after = before
        .apply(&operations(
            r#"[{"op":"hide_rows","sheet":"Data","first":2,"last":4,"hidden":true},
                {"op":"hide_columns","sheet":"Data","columns":"C:D","hidden":true},
                {"op":"row_height","sheet":"Data","first":7,"height":30}]"#,
        ))
        .unwrap();
    let changes = Changes::between(&before, &after);
    assert_eq!(
        changes.others,
        [
            "\"Data\": columns C:D are hidden or shown",
            "\"Data\": rows 7 have other heights",
            "\"Data\": rows 2:4 are hidden or shown",
        ]
    );
}
