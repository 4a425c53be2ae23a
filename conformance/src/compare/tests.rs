//! The comparer on small cases.

use std::slice::from_ref;

use serde_json::json;

use super::*;

const STRICTNESS: [Level; 3] = [Level::Normal, Level::Strict, Level::Exact];

/// A case whose operations expect these answers.
fn case(expected: &[Json]) -> Case {
    let graph = json!({"channels": {}, "nodes": []});
    let op = |expect: &Json| json!({"op": "invoke", "expect": expect});
    let script: Vec<Json> = expected.iter().map(op).collect();
    let case = json!({"format": 1, "name": "c", "feature": "f", "graphs": {"main": graph}, "script": script});
    Case::parse("c.json", &case.to_string()).unwrap()
}

fn check_at(level: Level, expected: &[Json], actual: &[Json]) -> Vec<Mismatch> {
    check_case(&case(expected), actual, level, Quirks::Require)
}

fn accepts(expected: Json, actual: Json) {
    for level in STRICTNESS {
        let found = check_at(level, from_ref(&expected), from_ref(&actual));
        assert_eq!(found, [], "{level:?}");
    }
}

/// The only mismatch at every level.
fn refusal(expected: Json, actual: Json) -> Mismatch {
    let [normal, strict, exact] = STRICTNESS.map(|level| {
        let mut found = check_at(level, from_ref(&expected), from_ref(&actual));
        assert_eq!(found.len(), 1, "{level:?}");
        found.remove(0)
    });
    assert_eq!(normal, strict);
    assert_eq!(strict, exact);
    normal
}

fn place(mismatch: &Mismatch) -> (&str, &str) {
    (&mismatch.path, &mismatch.why)
}

fn stream(chunks: Json) -> Json {
    json!({ "chunks": chunks })
}

/// A chunk of the custom mode.
fn c(data: &str) -> Json {
    json!(["custom", [], data])
}

#[test]
fn equal_answers_agree_and_notes_do_not_count() {
    let expected =
        json!({"output": {"x": [1, null, {"y": "z"}]}, "_note": 1, "counters": {"a": 2}});
    let actual =
        json!({"counters": {"a": 2}, "output": {"x": [1.0, null, {"y": "z", "_more": 2}]}});
    accepts(expected, actual);
}

#[test]
fn the_first_difference_is_located() {
    let expected = json!({"output": {"log": ["a", "b"], "x": 1}});
    let changed = refusal(
        expected.clone(),
        json!({"output": {"log": ["a", "c"], "x": 1}}),
    );
    assert_eq!(place(&changed), ("/output/log/1", "values differ"));
    assert_eq!(changed.expected, json!({"log": ["a", "b"], "x": 1}));
    assert_eq!(changed.actual, json!({"log": ["a", "c"], "x": 1}));
    let longer = refusal(
        expected.clone(),
        json!({"output": {"log": ["a", "b", "c"], "x": 1}}),
    );
    assert_eq!(place(&longer), ("/output/log", "3 elements instead of 2"));
    let other = refusal(expected, json!({"output": {"log": ["a", "b"], "y": 1}}));
    assert_eq!(place(&other), ("/output", "missing x, unexpected y"));
}

#[test]
fn values_of_different_types_are_never_equal() {
    for (expected, actual) in [
        (json!(1), json!(true)),
        (json!(0), json!(null)),
        (json!("1"), json!(1)),
        (json!([]), json!({})),
        (json!({}), json!(null)),
    ] {
        let found = refusal(json!({ "output": expected }), json!({ "output": actual }));
        assert_eq!(place(&found), ("/output", "values differ"));
    }
}

#[test]
fn every_operation_is_compared_and_needs_an_answer() {
    let expected = [
        json!({"output": 1}),
        json!({"output": 2}),
        json!({"output": 3}),
    ];
    let actual = [json!({"output": 1}), json!({"output": 0})];
    let found = check_at(Level::Normal, &expected, &actual);
    let places: Vec<_> = found.iter().map(|m| (m.op, m.path.as_str())).collect();
    assert_eq!(places, [(1, "/output"), (3, "")]);
}

#[test]
fn interrupts_are_unordered_and_their_labels_stand_for_any_ids() {
    let expected = json!({"interrupts": [{"value": "p", "id": "i0"}, {"value": "q", "id": "i1"}]});
    let actual = json!({"interrupts": [{"value": "q", "id": "abc"}, {"value": "p", "id": "def"}]});
    accepts(expected, actual);
}

#[test]
fn a_label_means_the_same_id_in_the_whole_case() {
    let asked = |first: &str, second: &str| json!({"interrupts": [{"value": "p", "id": first}, {"value": "q", "id": second}]});
    let expected = [asked("i0", "i1"), asked("i0", "i1"), asked("i2", "i1")];
    let same = [asked("x", "y"), asked("x", "y"), asked("z", "y")];
    let swapped = [asked("x", "y"), asked("y", "x"), asked("z", "y")];
    let reused = [asked("x", "y"), asked("x", "y"), asked("x", "y")];
    for level in STRICTNESS {
        assert_eq!(check_at(level, &expected, &same), []);
        let found = check_at(level, &expected, &swapped);
        assert_eq!(found[0].op, 1);
        assert_eq!(
            place(&found[0]),
            ("/interrupts/0/id", "i0 is not the same interrupt as before")
        );
        let found = check_at(level, &expected, &reused);
        assert_eq!((found.len(), found[0].op), (1, 2));
    }
}

#[test]
fn two_labels_cannot_mean_one_id() {
    let expected = json!({"interrupts": [{"value": "p", "id": "i0"}, {"value": "q", "id": "i1"}]});
    let actual = json!({"interrupts": [{"value": "p", "id": "x"}, {"value": "q", "id": "x"}]});
    let found = refusal(expected, actual);
    assert_eq!(
        place(&found),
        ("/interrupts/1/id", "i1 is not the same interrupt as before")
    );
}

#[test]
fn ids_that_look_like_labels_elsewhere_are_plain_values() {
    let row = |id: &str| json!({"output": {"rows": [{"value": 1, "id": id, "size": 2}]}});
    accepts(row("i0"), row("i0"));
    let found = refusal(row("i0"), row("x"));
    assert_eq!(found.path, "/output/rows/0/id");
}

#[test]
fn generated_message_ids_may_be_anything_or_absent() {
    let expected = json!({"output": [{"type": "ai", "content": "hi", "id": "*"}]});
    accepts(
        expected.clone(),
        json!({"output": [{"type": "ai", "content": "hi", "id": "m-1"}]}),
    );
    accepts(
        expected.clone(),
        json!({"output": [{"type": "ai", "content": "hi", "id": null}]}),
    );
    accepts(
        expected.clone(),
        json!({"output": [{"type": "ai", "content": "hi"}]}),
    );
    let found = refusal(
        expected,
        json!({"output": [{"type": "ai", "content": "ho", "id": "m-1"}]}),
    );
    assert_eq!(found.path, "/output/0/content");
    assert_eq!(
        found.actual,
        json!({"type": "ai", "content": "ho", "id": "*"})
    );
}

#[test]
fn engine_errors_agree_by_kind_and_recorded_details() {
    let expected = json!({"error": {"kind": "GraphDrained", "engine": true, "reason": "r", "code": "C", "_message": "m"}});
    accepts(
        expected.clone(),
        json!({"error": {"kind": "GraphDrained", "reason": "r", "message": "other"}}),
    );
    let found = refusal(
        expected.clone(),
        json!({"error": {"kind": "GraphDrained", "reason": "s"}}),
    );
    assert_eq!(place(&found), ("/error/reason", "engine errors differ"));
    let found = refusal(
        expected,
        json!({"error": {"kind": "ValueError", "reason": "r"}}),
    );
    assert_eq!(found.path, "/error/kind");
}

#[test]
fn errors_of_case_code_agree_by_kind_and_message() {
    let expected = json!({"error": {"kind": "ValueError", "message": "boom"}});
    accepts(expected.clone(), expected.clone());
    let found = refusal(
        expected,
        json!({"error": {"kind": "ValueError", "message": "bang"}}),
    );
    assert_eq!(found.path, "/error/message");
}

#[test]
fn pending_tasks_are_unordered_at_the_normal_level_only() {
    let snapshot = |names: [&str; 2]| {
        let tasks = names.map(|name| json!({ "name": name }));
        json!({"snapshot": {"values": {}, "next": names, "tasks": tasks}})
    };
    let (expected, actual) = ([snapshot(["a", "b"])], [snapshot(["b", "a"])]);
    assert_eq!(check_at(Level::Normal, &expected, &actual), []);
    let found = check_at(Level::Strict, &expected, &actual);
    assert_eq!(found[0].path, "/snapshot/next/0");
}

#[test]
fn a_quirk_counts_only_on_request() {
    let graph = json!({"channels": {}, "nodes": []});
    let script = json!([{"op": "get_state", "quirk": "odd", "expect": {"output": 1}}]);
    let text = json!({"format": 1, "name": "c", "feature": "f", "graphs": {"main": graph}, "script": script});
    let case = Case::parse("c.json", &text.to_string()).unwrap();
    let actual = [json!({"output": 2})];
    assert_eq!(check_case(&case, &actual, Level::Strict, Quirks::Skip), []);
    assert_eq!(
        check_case(&case, &actual, Level::Strict, Quirks::Require).len(),
        1
    );
}

#[test]
fn fields_with_two_underscores_are_compared_only_exactly() {
    let chunk = |value: &str| {
        stream(json!([["updates", [], {"__interrupt__": [{"value": value, "id": "i0"}]}]]))
    };
    let (expected, actual) = ([chunk("q")], [chunk("other")]);
    assert_eq!(check_at(Level::Normal, &expected, &actual), []);
    assert_eq!(check_at(Level::Strict, &expected, &actual), []);
    let found = check_at(Level::Exact, &expected, &actual);
    assert_eq!(found[0].path, "/chunks/0/2/__interrupt__/0/value");
}

#[test]
fn chunks_come_in_the_recorded_order() {
    let expected = stream(json!([c("1"), c("2")]));
    accepts(expected.clone(), stream(json!([c("1"), c("2")])));
    let found = refusal(expected.clone(), stream(json!([c("2"), c("1")])));
    assert_eq!(place(&found), ("/chunks/0/2", "values differ"));
    let found = refusal(expected.clone(), stream(json!([c("1")])));
    assert_eq!(place(&found), ("/chunks/1", "the stream ended early"));
    assert_eq!(found.expected, c("2"));
    let found = refusal(expected.clone(), stream(json!([c("1"), c("2"), c("2")])));
    assert_eq!(place(&found), ("/chunks/2", "the stream should have ended"));
    let found = refusal(expected, json!({"output": 1}));
    assert_eq!(place(&found), ("/chunks", "expected a stream"));
}

#[test]
fn what_comes_with_a_stream_is_compared_too() {
    let expected = json!({"chunks": [c("1")], "counters": {"a": 1}});
    let found = refusal(expected, json!({"chunks": [c("1")], "counters": {"a": 2}}));
    assert_eq!(found.path, "/counters/a");
}

#[test]
fn lanes_may_interleave_but_keep_their_order() {
    let lanes = json!([c("0"), {"par": [[c("a1"), c("a2")], [c("b1"), c("b2")]]}, c("9")]);
    let expected = stream(lanes);
    for order in [
        ["a1", "a2", "b1", "b2"],
        ["b1", "b2", "a1", "a2"],
        ["a1", "b1", "b2", "a2"],
        ["b1", "a1", "b2", "a2"],
    ] {
        let mut chunks = vec![c("0")];
        chunks.extend(order.map(c));
        chunks.push(c("9"));
        accepts(expected.clone(), stream(json!(chunks)));
    }
    for order in [
        ["0", "a2", "a1", "b1", "b2", "9"],
        ["0", "a1", "b2", "b1", "a2", "9"],
        ["0", "a1", "a2", "b1", "9", "b2"],
        ["a1", "0", "a2", "b1", "b2", "9"],
    ] {
        refusal(expected.clone(), stream(json!(order.map(c))));
    }
}

#[test]
fn a_chunk_that_fits_no_lane_is_compared_with_the_most_similar() {
    let update = |node: &str, value: i64| {
        let mut data = serde_json::Map::new();
        data.insert(node.to_owned(), json!({ "x": value }));
        json!(["updates", [], data])
    };
    let expected = stream(json!([{"par": [[update("a", 1)], [update("b", 2)]]}]));
    let found = refusal(expected, stream(json!([update("a", 1), update("b", 3)])));
    assert_eq!(place(&found), ("/chunks/1/2/b/x", "values differ"));
    let expected = stream(json!([{"par": [[update("a", 1)], [update("b", 2)]]}]));
    let found = refusal(expected, stream(json!([update("b", 3), update("a", 1)])));
    let why = "values differ (2 chunks could come here)";
    assert_eq!(place(&found), ("/chunks/0/2/b/x", why));
}

#[test]
fn lanes_can_nest() {
    let inner = json!({"par": [[c("x")], [c("y")]]});
    let expected = stream(json!([{"par": [[c("a"), inner, c("z")], [c("b")]]}]));
    accepts(
        expected.clone(),
        stream(json!(["a", "y", "b", "x", "z"].map(c))),
    );
    refusal(expected, stream(json!(["a", "y", "z", "b", "x"].map(c))));
}

#[test]
fn a_choice_between_equal_chunks_is_made_late() {
    let expected = stream(json!([{"par": [[c("s"), c("a")], [c("s"), c("b")]]}]));
    accepts(expected.clone(), stream(json!(["s", "b", "s", "a"].map(c))));
    accepts(expected.clone(), stream(json!(["s", "s", "a", "b"].map(c))));
    refusal(expected, stream(json!(["s", "b", "a", "s"].map(c))));
}

#[test]
fn many_equal_lanes_do_not_multiply_the_ways() {
    let lane = json!([c("start"), c("end")]);
    let lanes = vec![lane; 60];
    let chunks: Vec<Json> = [c("start"), c("end")]
        .into_iter()
        .cycle()
        .take(120)
        .collect();
    accepts(stream(json!([{ "par": lanes }])), stream(json!(chunks)));
}

#[test]
fn labels_bound_in_a_stream_hold_afterwards() {
    let tasks = |value: &str, id: &str| json!(["tasks", [], {"end": "n", "interrupts": [{"value": value, "id": id}]}]);
    let first = stream(json!([{"par": [[tasks("q", "i0")], [tasks("q", "i1")]]}]));
    let second = json!({"interrupts": [{"value": "q", "id": "i1"}]});
    let expected = [first, second];
    let delivered = stream(json!([tasks("q", "x"), tasks("q", "y")]));
    for level in STRICTNESS {
        let same = [
            delivered.clone(),
            json!({"interrupts": [{"value": "q", "id": "y"}]}),
        ];
        assert_eq!(check_at(level, &expected, &same), []);
        let unknown = [
            delivered.clone(),
            json!({"interrupts": [{"value": "q", "id": "z"}]}),
        ];
        assert_eq!(check_at(level, &expected, &unknown).len(), 1);
    }
}

#[test]
fn task_starts_of_a_step_are_unordered_at_the_normal_level_only() {
    let start = |name: &str| json!(["tasks", [], {"start": name, "input": {}}]);
    let copy =
        |name: &str| json!(["debug", [], {"type": "task", "step": 1, "payload": {"start": name}}]);
    let expected = [stream(json!([
        start("a"),
        copy("a"),
        start("b"),
        copy("b"),
        c("x")
    ]))];
    let reversed = [stream(json!([
        start("b"),
        copy("b"),
        start("a"),
        copy("a"),
        c("x")
    ]))];
    assert_eq!(check_at(Level::Normal, &expected, &reversed), []);
    assert_eq!(check_at(Level::Strict, &expected, &reversed).len(), 1);
    let torn = [stream(json!([
        copy("a"),
        start("a"),
        start("b"),
        copy("b"),
        c("x")
    ]))];
    assert_eq!(check_at(Level::Normal, &expected, &torn).len(), 1);
    let late = [stream(json!([
        start("a"),
        copy("a"),
        c("x"),
        start("b"),
        copy("b")
    ]))];
    assert_eq!(check_at(Level::Normal, &expected, &late).len(), 1);
}

#[test]
fn task_starts_of_different_graphs_keep_their_order() {
    let start = |space: &str, name: &str| json!(["tasks", [space], {"start": name, "input": {}}]);
    let expected = [stream(json!([start("s", "a"), start("t", "b")]))];
    let reversed = [stream(json!([start("t", "b"), start("s", "a")]))];
    assert_eq!(check_at(Level::Normal, &expected, &expected), []);
    assert_eq!(check_at(Level::Normal, &expected, &reversed).len(), 1);
}
