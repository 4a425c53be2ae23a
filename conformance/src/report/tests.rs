//! Reports of mismatches.

use serde_json::json;

use super::*;

fn case(op: Json) -> Case {
    let graph = json!({"channels": {}, "nodes": []});
    let text = json!({"format": 1, "name": "c", "feature": "f", "graphs": {"main": graph}, "script": [op]});
    Case::parse("c.json", &text.to_string()).unwrap()
}

fn mismatch(path: &str, expected: Json, actual: Json) -> Mismatch {
    Mismatch {
        op: 0,
        path: path.to_owned(),
        expected,
        actual,
        why: "values differ".to_owned(),
    }
}

#[test]
fn a_short_difference_is_shown_with_carets() {
    let op =
        json!({"op": "invoke", "thread": "2", "input": {"x": 1}, "expect": {"output": {"x": 1}}});
    let expected = json!({"log": ["a", "b"], "x": 1});
    let actual = json!({"log": ["a", "c"], "x": 1});
    let shown = render(&case(op), &mismatch("/output/log/1", expected, actual));
    let wanted = [
        r#"c: operation 0: invoke thread="2" input={"x":1}"#,
        r#"  at /output/log/1: values differ"#,
        r#"  - {"log":["a","b"],"x":1}"#,
        r#"                 ^"#,
        r#"  + {"log":["a","c"],"x":1}"#,
        r#"                 ^"#,
        "",
    ];
    assert_eq!(shown, wanted.join("\n"));
}

#[test]
fn lines_that_agree_are_shown_only_near_the_difference() {
    let mut values: Vec<String> = (0..30).map(|n| format!("value number {n}")).collect();
    let expected = json!(values);
    values.remove(15);
    let op = json!({"op": "build", "quirk": "odd", "expect": {}});
    let shown = render(&case(op), &mismatch("/output", expected, json!(values)));
    let wanted = [
        "c: operation 0 (a quirk): build",
        "  at /output: values differ",
        "    ...",
        "      \"value number 11\",",
        "      \"value number 12\",",
        "      \"value number 13\",",
        "      \"value number 14\",",
        "  -   \"value number 15\",",
        "      \"value number 16\",",
        "      \"value number 17\",",
        "      \"value number 18\",",
        "      \"value number 19\",",
        "    ...",
        "",
    ];
    assert_eq!(shown, wanted.join("\n"));
}

#[test]
fn a_report_is_bounded_and_keeps_the_difference_in_sight() {
    let long = |end: &str| json!({ "text": format!("{}{end}", "x".repeat(5000)) });
    let op = || json!({"op": "invoke", "input": "y".repeat(5000), "expect": {}});
    let shown = render(&case(op()), &mismatch("/output/text", long("a"), long("b")));
    assert!(
        shown.lines().all(|line| line.chars().count() < 130),
        "{shown}"
    );
    let caret = |mark: &str| {
        let mut lines = shown.lines().skip_while(|line| !line.starts_with(mark));
        let (text, caret) = (lines.next().unwrap(), lines.next().unwrap());
        text.chars().nth(caret.len() - 1)
    };
    assert_eq!((caret("  -"), caret("  +")), (Some('a'), Some('b')));

    let many = |tag: &str| {
        json!(
            (0..2000)
                .map(|n| format!("{tag} {n} {}", "z".repeat(40)))
                .collect::<Vec<_>>()
        )
    };
    let shown = render(&case(op()), &mismatch("/output", many("a"), many("b")));
    assert!(shown.lines().count() < 50, "{shown}");
}

#[test]
fn missing_answers_are_reported_without_an_operation() {
    let op = json!({"op": "build", "expect": {}});
    let missing = Mismatch {
        op: 1,
        ..mismatch("", json!(1), json!(0))
    };
    let shown = render(&case(op), &missing);
    assert!(shown.starts_with("c: after the last operation\n  at the answer: values differ\n"));
}

#[test]
fn lines_are_aligned_at_what_they_share() {
    let text = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (expected, actual) = (text("a b c d e"), text("a c x d e"));
    let wanted = [
        Line::Both("a"),
        Line::Expected("b"),
        Line::Both("c"),
        Line::Actual("x"),
        Line::Both("d"),
        Line::Both("e"),
    ];
    assert_eq!(diff::align(&expected, &actual), wanted);
}
