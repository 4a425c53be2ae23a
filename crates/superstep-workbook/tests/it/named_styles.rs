//! Styles with a name.

use crate::made::{Made, at, operations, read};

#[test]
fn styles_with_a_name_are_kept_and_made_and_used() {
    let book = Made::with_rows("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>").book();
    let list = operations(
        r#"[{"op":"define_style","name":"Good","style":{"fill":"C6EFCE","color":"006100"},"builtin":26},
            {"op":"define_style","name":"good","style":{"bold":true}},
            {"op":"format","sheet":"Data","area":"A1","style":{"italic":true}},
            {"op":"format","sheet":"Data","area":"A1:B1","style":{"named":"Good"}},
            {"op":"format","sheet":"Data","area":"B1","style":{"bold":true}}]"#,
    );
    let after = book.apply(&list).unwrap();
    let written = after.write(superstep_workbook::OnLoad::Trust).unwrap();
    let after = read(written.bytes);
    let look = |cell: &str| {
        let cell = after.sheet("Data").unwrap().cell(at(cell)).unwrap();
        after.styles.look(cell.style)
    };
    assert_eq!(after.styles.named(), ["Normal", "Good"]);
    let good = look("A1");
    assert_eq!(good.named.as_deref(), Some("Good"));
    assert_eq!(
        (good.fill.as_deref(), good.italic),
        (Some("FFC6EFCE"), None)
    );
    assert_eq!(
        (look("B1").named.as_deref(), look("B1").bold),
        (Some("Good"), Some(true))
    );
    let styles = after.package().part("xl/styles.xml").unwrap().unwrap();
    let styles = String::from_utf8(styles.into_owned()).unwrap();
    assert!(
        styles.contains("<cellStyle name=\"Good\" xfId=\"1\" builtinId=\"26\"/>"),
        "{styles}"
    );
    let unknown = r#"[{"op":"format","sheet":"Data","area":"A1","style":{"named":"Nice"}}]"#;
    let error = after.apply(&operations(unknown)).unwrap_err().to_string();
    assert!(error.contains("there are Normal, Good"), "{error}");
}
