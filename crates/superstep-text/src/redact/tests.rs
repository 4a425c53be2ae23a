//! What is taken for a secret, and what is not.

use super::*;

fn clean(text: &str) -> String {
    Redactor::standard().text(text).into_owned()
}

#[test]
fn keys_of_well_known_services_are_taken_out() {
    for key in [
        "sk-abcdefghij0123456789",
        "sk-ant-api03-abcdefghij-0123456789_x",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "github_pat_11ABCDEFG0abcdefghijkl",
        "glpat-abcdefghij0123456789",
        "xoxb-1234567890-abcdef",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "hf_abcdefghijklmnopqrstuvwxyz",
        "lsv2_pt_0123456789abcdef0123456789abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    ] {
        for text in [
            key.to_owned(),
            format!("with {key}, then"),
            format!("({key})\n"),
        ] {
            let wanted = text.replace(key, REDACTED);
            assert_eq!(clean(&text), wanted);
        }
    }
}

#[test]
fn what_only_looks_a_little_like_a_key_stays() {
    for text in [
        "a risk-adjusted-performance-measure of task-management-software",
        "sk-short",
        "AKIA is a prefix",
        "the bearer certificates of old",
        "basic understanding of eyJunk",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
        "http://example.com/a:b@c",
        "a token: the smallest unit",
        "max_tokens=5, tokens: 7",
        "Schlüssel = Wert; 鍵=値",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn a_bearer_token_is_taken_out_and_its_scheme_stays() {
    assert_eq!(clean("bearer abc123def456"), "bearer [redacted]");
    assert_eq!(
        clean("curl -H 'Bearer  a1b2c3d4e5'"),
        "curl -H 'Bearer  [redacted]'"
    );
}

#[test]
fn a_private_key_is_taken_out_with_its_block() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----";
    assert_eq!(clean(&format!("a {key} b")), "a [redacted] b");
    let torn = "a -----BEGIN PRIVATE KEY-----\nMIIE";
    assert_eq!(clean(torn), "a [redacted]");
}

#[test]
fn a_password_in_a_url_is_taken_out() {
    let text = "postgres://anna:hunter2@db:5432/app";
    assert_eq!(clean(text), "postgres://anna:[redacted]@db:5432/app");
}

#[test]
fn values_behind_their_name_are_taken_out_of_text() {
    for (text, wanted) in [
        (r#"{"password":"hunter2"}"#, r#"{"password":"[redacted]"}"#),
        (
            r#"{"api_key" : "a\"b", "x": "y"}"#,
            r#"{"api_key" : "[redacted]", "x": "y"}"#,
        ),
        (
            r#"{\"Token\": \"abc\", \"n\": 1}"#,
            r#"{\"Token\": \"[redacted]\", \"n\": 1}"#,
        ),
        ("GET /?api_key=abc&q=1", "GET /?api_key=[redacted]&q=1"),
        ("PASSWORD='a b' run", "PASSWORD='[redacted]' run"),
        ("X-Api-Key: abc\nHost: x", "X-Api-Key: [redacted]\nHost: x"),
        ("Cookie: a=b; c=d", "Cookie: [redacted]"),
    ] {
        assert_eq!(clean(text), wanted);
    }
}

#[test]
fn values_are_redacted_by_the_name_of_their_key() {
    for name in [
        "password",
        "PASSWORD",
        "api-key",
        "apiKey",
        "X-API-Key",
        "github_token",
        "Cookie",
    ] {
        let value = Value::map([(name, Value::from("x")), ("other", "y".into())]);
        let clean = Redactor::standard().value(&value);
        assert_eq!(
            clean.get(name).and_then(Value::as_str),
            Some(REDACTED),
            "{name}"
        );
        assert_eq!(clean.get("other").and_then(Value::as_str), Some("y"));
    }
    for name in ["input_tokens", "tokens", "keyboard", "author", "secretary"] {
        assert!(!Redactor::standard().hides(name), "{name}");
    }
    assert!(
        Redactor::default()
            .with_name("Account-Number")
            .hides("account_number")
    );
}

#[test]
fn secrets_are_found_deep_inside_and_in_typed_values() {
    #[derive(serde::Serialize)]
    struct Login {
        password: &'static str,
        notes: Vec<&'static str>,
    }
    let login = Login {
        password: "hunter2",
        notes: vec!["key sk-abcdefghij0123456789"],
    };
    let value = Value::list([Value::map([("login", Value::typed(login))])]);
    let text = Redactor::standard().value(&value).to_string();
    assert_eq!(
        text,
        r#"[{"login":{"notes":["key [redacted]"],"password":"[redacted]"}}]"#
    );
}

#[test]
fn a_known_value_is_found_wherever_it_stands() {
    let redactor = Redactor::default()
        .with_secret(&"correct horse".into())
        .and_then(|redactor| redactor.with_secret(&"correct horse battery".into()))
        .unwrap_or_default();
    let value = Value::map([("correct horse", Value::from("a correct horse battery b"))]);
    assert_eq!(
        redactor.value(&value).to_string(),
        r#"{"[redacted]":"a [redacted] b"}"#
    );
}

#[test]
fn a_short_secret_is_refused() {
    let refused = Redactor::default().with_secret(&"1234567".into());
    assert_eq!(refused.err(), Some(RedactError::TooShort { found: 7 }));
}

#[test]
fn a_secret_and_a_redactor_do_not_show_secrets() {
    let secret = Secret::new("correct horse");
    assert_eq!(format!("{secret:?}"), "[secret]");
    let redactor = Redactor::default().with_secret(&secret).unwrap_or_default();
    assert!(!format!("{redactor:?}").contains("horse"));
}

#[test]
fn without_capture_a_value_says_only_how_much_it_is() {
    let privacy = Privacy {
        capture: Capture::None,
        redactor: None,
    };
    let value = Value::list([Value::from("planted"), Value::Int(5)]);
    assert_eq!(
        privacy.value(&value).to_string(),
        r#"{"bytes":13,"count":2,"omitted":"list"}"#
    );
    assert_eq!(privacy.message("planted"), "[7 bytes]");
    assert_eq!(privacy.message("[7 bytes]"), "[7 bytes]");
    assert_eq!(privacy.value(&privacy.value(&value)), privacy.value(&value));
}

#[test]
fn overlapping_secrets_leave_one_mark() {
    let text = "Authorization: Bearer sk-abcdefghij0123456789";
    assert_eq!(clean(text), "Authorization: [redacted]");
}

#[test]
fn a_text_that_is_made_of_beginnings_is_read_in_one_go() {
    for piece in [
        "-----BEGIN PRIVATE KEY-----",
        "eyJ-",
        "eyJabcdefghij.",
        "Cookie:",
        "token=",
        "\"token\":\"\\",
        "://a:b",
        "bearer ",
        "sk-",
        "'password':'",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        assert!(!clean(&text).is_empty());
    }
}

#[test]
fn a_document_is_searched_as_data() {
    let redactor = Redactor::default()
        .with_secret(&"pass\"word/with ü".into())
        .unwrap_or_default();
    let clean = |text: &str| redactor.document(text).into_owned();
    for (text, wanted) in [
        (
            r#"{"pin": 1, "token": 4711}"#,
            r#"{"pin":1,"token":"[redacted]"}"#,
        ),
        (
            r#"[{"secrets": ["a", "b"]}]"#,
            r#"[{"secrets":"[redacted]"}]"#,
        ),
        (r#"{"pass\u0077ord": "x"}"#, r#"{"password":"[redacted]"}"#),
        (
            r#"{"a": "is pass\"word\/with \u00fc here"}"#,
            r#"{"a":"is [redacted] here"}"#,
        ),
        (r#"{ "a" : 1 }"#, r#"{ "a" : 1 }"#),
        (r#"{"token": "x""#, r#"{"token": "[redacted]""#),
        ("plain", "plain"),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
}
