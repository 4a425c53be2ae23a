//! Errors say what kind of fault they are, which servers make a status of.

use superstep::{
    Category, Coded, Error, ErrorKind, Failure, SaverError, ThreadId,
    model::{ErrorKind as ModelErrorKind, ModelError},
};

/// An error of a layer above the engine, on its way out of a node.
fn failed(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    ErrorKind::Failed(Failure::from(error)).into()
}

#[test]
fn a_server_answers_with_the_status_that_clients_expect() {
    let thread = || ThreadId::from("t");
    let model = |kind: ModelErrorKind| failed(ModelError::from(kind));
    for (error, code, status) in [
        (ErrorKind::NoSaver.into(), "SS1107", 500),
        (
            ErrorKind::Failed(Failure::new("Broken", "x")).into(),
            "SS1001",
            500,
        ),
        (
            Error::from(SaverError::Busy { thread: thread() }),
            "SS2001",
            409,
        ),
        (
            model(ModelErrorKind::NoModel { why: "none".into() }),
            "SS5016",
            404,
        ),
        (
            model(ModelErrorKind::Settings { why: "x".into() }),
            "SS5019",
            422,
        ),
    ] {
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(error.category().http_status(), status, "{error}");
    }
}

#[test]
fn a_failure_made_of_a_code_keeps_its_category_and_hint() {
    let coded = Coded {
        code: "SS7003",
        category: Category::Refused,
        hint: Some("sign in again"),
        transient: false,
    };
    let failure = coded.failure("MailError", "signed out");
    assert_eq!(failure.code(), "SS7003");
    assert_eq!(failure.category(), Category::Refused);
    assert_eq!(failure.hint(), Some("sign in again"));
    assert!(!failure.transient);
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
