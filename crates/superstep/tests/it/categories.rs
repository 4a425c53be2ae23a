//! Every error code has a category, which servers make a status of.

use std::collections::BTreeSet;

use superstep::Category;

const LIST: &str = include_str!("../../../../docs/errors.md");

/// The codes that the list has a row for.
fn listed() -> BTreeSet<&'static str> {
    let rows = LIST.lines().filter_map(|line| line.strip_prefix("| "));
    let codes = rows.filter_map(|row| row.split(' ').next());
    codes.filter(|code| code.starts_with("SS")).collect()
}

#[test]
fn every_listed_code_has_a_category() {
    let codes = listed();
    assert!(codes.len() > 150, "{codes:?}");
    let unknown = codes.iter().filter(|code| Category::of(code).is_none());
    assert_eq!(unknown.collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn a_server_answers_with_the_status_that_clients_expect() {
    for (code, status) in [
        ("SS1105", 422),
        ("SS1112", 404),
        ("SS1204", 409),
        ("SS2001", 409),
        ("SS2003", 404),
        ("SS2018", 404),
        ("SS1001", 500),
        ("SS1003", 504),
        ("SS5005", 429),
        ("SS5007", 503),
        ("SS5001", 403),
    ] {
        let found = Category::of(code).map(Category::http_status);
        assert_eq!(found, Some(status), "{code}");
    }
}

#[test]
fn errors_that_end_a_program_show_their_text_and_a_hint() {
    use superstep::{
        BuildError, BuildErrors,
        schema::Schema,
        store::{Namespace, StoreError},
    };

    let wrong = BuildErrors(vec![BuildError::NoStore("draft".into())]);
    assert_eq!(format!("{wrong:?}"), wrong.to_string());
    let conflict = StoreError::Conflict {
        namespace: Namespace::escaped(["users", "ann@example.com"]).unwrap(),
        key: "k".to_owned(),
    };
    let shown = format!("{conflict:?}");
    assert!(shown.starts_with("[SS2107] key \"k\""), "{shown}");
    assert!(shown.contains("\n  hint: read the item again"), "{shown}");
    let schema = Schema::new("next", serde_json::json!({ "type": 7 })).unwrap_err();
    assert_eq!(format!("{schema:?}"), schema.to_string());
}
