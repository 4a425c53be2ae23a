//! Values against schemas, friendly and hostile.

use serde_json::{Value as Json, json};
use superstep_model::{
    Schema,
    schema::{MAX_DEPTH, MAX_PROBLEMS},
};

fn schema(json: Json) -> Schema {
    Schema::new("test", json).unwrap()
}

fn messages(json: Json, value: &Json) -> Vec<String> {
    let problems = schema(json).check(value);
    problems.iter().map(ToString::to_string).collect()
}

/// As derived for a struct with a nested enum, an option, a list and a map.
fn mail() -> Json {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Mail",
        "type": "object",
        "properties": {
            "label": {"$ref": "#/$defs/Label"},
            "score": {"type": "integer", "format": "uint8", "minimum": 0, "maximum": 100},
            "to": {"type": "array", "items": {"type": "string", "minLength": 3}, "maxItems": 2},
            "note": {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}]},
            "extra": {"type": "object", "additionalProperties": {"type": "number"}},
            "act": {"oneOf": [
                {"type": "object", "properties": {"kind": {"const": "send"},
                    "to": {"type": "string"}, "text": {"type": "string"}},
                    "required": ["kind", "to", "text"], "additionalProperties": false},
                {"type": "object", "properties": {"kind": {"const": "wait"},
                    "days": {"type": "integer", "exclusiveMinimum": 0}},
                    "required": ["kind", "days"], "additionalProperties": false}
            ]},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}],
                "minItems": 2, "maxItems": 2}
        },
        "required": ["label", "score"],
        "additionalProperties": false,
        "$defs": {"Label": {"oneOf": [
            {"const": "ignore"}, {"const": "respond"}, {"const": "notify", "description": "x"}
        ]}}
    })
}

#[test]
fn values_of_a_type_fit_its_schema() {
    let good = [
        json!({"label": "ignore", "score": 0}),
        json!({"label": "notify", "score": 100.0}),
        json!({"label": "respond", "score": 7, "to": ["abc", "äöü"], "note": null}),
        json!({"label": "respond", "score": 7, "note": "short", "extra": {"x": 1, "y": 1.5}}),
        json!({"label": "respond", "score": 7, "act": {"kind": "wait", "days": 1}}),
        json!({"label": "respond", "score": 7, "pair": ["a", true]}),
    ];
    for value in good {
        assert_eq!(messages(mail(), &value), [""; 0], "{value}");
    }
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let bad = [
        (json!(null), "must be object, is null null"),
        (json!([1]), "must be object, is array [1]"),
        (json!({"score": 1}), "`label` is missing"),
        (
            json!({"label": "spam", "score": 1}),
            r#"/label: must be one of "ignore", "respond", "notify", is "spam""#,
        ),
        (
            json!({"label": "ignore", "score": 140}),
            "/score: must be at most 100, is 140",
        ),
        (
            json!({"label": "ignore", "score": "85/100"}),
            r#"/score: must be integer, is string "85/100""#,
        ),
        (
            json!({"label": "ignore", "score": 1.5}),
            "/score: must be integer, is number 1.5",
        ),
        (
            json!({"label": "ignore", "score": 1, "to": ["abc", "x"]}),
            "/to/1: must have at least 3 characters, has 1",
        ),
        (
            json!({"label": "ignore", "score": 1, "to": ["abc", "abc", "abc"]}),
            "/to: must have at most 2 items, has 3",
        ),
        (
            json!({"label": "ignore", "score": 1, "note": "far too long"}),
            "/note: must have at most 5 characters, has 12",
        ),
        (
            json!({"label": "ignore", "score": 1, "extra": {"a/b~c": "x"}}),
            r#"/extra/a~1b~0c: must be number, is string "x""#,
        ),
        (
            json!({"label": "ignore", "score": 1, "act": {"kind": "wait", "days": 0}}),
            "/act/days: must be more than 0, is 0",
        ),
        (
            json!({"label": "ignore", "score": 1, "pair": ["a", 1]}),
            "/pair/1: must be boolean, is number 1",
        ),
    ];
    for (value, message) in bad {
        assert_eq!(messages(mail(), &value), [message], "{value}");
    }
}

#[test]
fn of_several_shapes_the_one_that_was_meant_is_told_about() {
    let value = json!({"label": "ignore", "score": 1, "act": {"kind": "send"}});
    assert_eq!(
        messages(mail(), &value),
        ["/act: `to` is missing", "/act: `text` is missing"]
    );
    let value = json!({"label": "ignore", "score": 1, "more": 2});
    let reported = messages(mail(), &value);
    assert_eq!(reported.len(), 1);
    assert!(reported[0].starts_with("`more` is not allowed; there are "));
}

#[test]
fn every_keyword_says_yes_and_no() {
    let table = [
        (json!({"type": "null"}), json!(null), json!(0)),
        (json!({"type": "boolean"}), json!(true), json!("true")),
        (json!({"type": ["string", "null"]}), json!(null), json!(1)),
        (
            json!({"type": "string", "nullable": true}),
            json!(null),
            json!(1),
        ),
        (json!({"enum": [1, "a"]}), json!(1.0), json!(2)),
        (
            json!({"const": {"a": [1]}}),
            json!({"a": [1]}),
            json!({"a": [2]}),
        ),
        (json!({"minimum": -1}), json!(-1), json!(-1.1)),
        (json!({"maximum": 2.5}), json!(2.5), json!(3)),
        (json!({"exclusiveMaximum": 3}), json!(2.9), json!(3.0)),
        (json!({"multipleOf": 3}), json!(-9), json!(10)),
        (json!({"multipleOf": 0.1}), json!(0.3), json!(0.35)),
        (
            json!({"type": "integer", "format": "int8"}),
            json!(-128),
            json!(128),
        ),
        (
            json!({"type": "integer", "format": "uint64"}),
            json!(u64::MAX),
            json!(-1),
        ),
        (json!({"minItems": 1}), json!([1]), json!([])),
        (json!({"uniqueItems": true}), json!([1, 2]), json!([1, 1])),
        (json!({"minProperties": 1}), json!({"a": 1}), json!({})),
        (json!({"maxProperties": 0}), json!({}), json!({"a": 1})),
        (
            json!({"items": [{"type": "null"}], "additionalItems": false}),
            json!([null]),
            json!([null, 1]),
        ),
        (
            json!({"prefixItems": [true], "items": {"type": "string"}}),
            json!([1, "a"]),
            json!([1, 2]),
        ),
        (json!({"items": false}), json!([]), json!([1])),
        (
            json!({"allOf": [{"minimum": 1}, {"maximum": 2}]}),
            json!(2),
            json!(3),
        ),
        (
            json!({"oneOf": [{"minimum": 1}, {"maximum": 2}]}),
            json!(3),
            json!(1.5),
        ),
        (json!({"not": {"type": "string"}}), json!(1), json!("a")),
        (
            json!({"definitions": {"x": {"type": "string"}}, "$ref": "#/definitions/x"}),
            json!("a"),
            json!(1),
        ),
        (
            json!({"properties": {"kids": {"items": {"$ref": "#"}}}, "additionalProperties": false}),
            json!({"kids": [{"kids": []}]}),
            json!({"kids": [{"kid": []}]}),
        ),
        (json!(true), json!(1), Json::Null),
    ];
    for (rule, yes, no) in table {
        assert_eq!(messages(rule.clone(), &yes), [""; 0], "{rule} {yes}");
        let refuses = rule != json!(true);
        assert_eq!(
            !messages(rule.clone(), &no).is_empty(),
            refuses,
            "{rule} {no}"
        );
    }
}

#[test]
fn huge_numbers_are_compared_and_not_lost() {
    let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
    for text in [
        "18446744073709551616", "1e300", "-1e300", "99999999999999999999999", "256",
    ] {
        let value: Json = serde_json::from_str(text).unwrap();
        assert!(!messages(byte.clone(), &value).is_empty(), "{text}");
    }
    let exact = json!({"maximum": 9_007_199_254_740_992_u64});
    let above = json!(9_007_199_254_740_993_u64);
    assert!(!messages(exact, &above).is_empty());
    let stored = json!({"type": "integer", "format": "uint64"});
    let beyond: Json = serde_json::from_str("18446744073709551616").unwrap();
    assert!(!messages(stored, &beyond).is_empty());
}

#[test]
fn values_nested_too_deeply_are_refused_not_walked() {
    let anything = schema(json!({"items": {"$ref": "#"}}));
    let mut value = json!(1);
    for _ in 0..MAX_DEPTH - 1 {
        value = json!([value]);
    }
    assert!(schema(json!({})).check(&value).is_empty());
    for _ in 0..2 {
        value = json!([value]);
    }
    let reported = anything.check(&value);
    assert_eq!(reported.len(), 1);
    assert_eq!(reported[0].message, "nested deeper than 128");
}

#[test]
fn schemas_that_refer_to_themselves_come_to_an_end() {
    let hostile = [
        json!({"$ref": "#"}),
        json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}),
        json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]}),
        json!({"not": {"$ref": "#"}}),
        json!({"$defs": {"a": {"oneOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}]},
            "b": {"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}},
            "$ref": "#/$defs/a"}),
    ];
    for json in hostile {
        let problems = schema(json.clone()).check(&json!({"a": [1, 2, 3]}));
        assert!(!problems.is_empty(), "{json}");
    }
}

#[test]
fn a_flood_of_problems_is_cut_off() {
    let many: Vec<Json> = (0..10_000).map(|n| json!(n)).collect();
    let rule = json!({"items": {"type": "string"}});
    assert_eq!(messages(rule, &json!(many)).len(), MAX_PROBLEMS);
}

#[test]
fn large_values_that_fit_are_not_cut_off() {
    let many: Vec<Json> = (0..50_000).map(|n| json!({"n": n})).collect();
    let rule = json!({"items": {"type": "object", "properties": {"n": {"type": "integer"}},
        "required": ["n"], "additionalProperties": false}});
    assert_eq!(messages(rule, &json!(many)), [""; 0]);
}

#[test]
fn schemas_that_make_no_sense_are_refused_when_read() {
    let mut deep = json!({});
    for _ in 0..200 {
        deep = json!({"items": deep});
    }
    let table = [
        (json!(1), "", "an object or a boolean"),
        (json!({"type": "text"}), "", "no type is called"),
        (
            json!({"properties": {"a": 1}}),
            "/properties/a",
            "an object or a boolean",
        ),
        (
            json!({"items": {"$ref": "#/$defs/x"}}),
            "/items",
            "names nothing",
        ),
        (
            json!({"$ref": "https://example.com/x"}),
            "",
            "names nothing",
        ),
        (json!({"anyOf": {"a": 1}}), "", "`anyOf` is a list"),
        (json!({"required": "a"}), "", "`required` is a list"),
        (json!({"minItems": -1}), "", "`minItems` is a count"),
        (json!({"maximum": "9"}), "", "`maximum` is a number"),
        (json!({"enum": "a"}), "", "`enum` is a list"),
        (json!({"$defs": []}), "", "`$defs` is a map"),
        (deep, "", "nested deeper"),
    ];
    for (json, pointer, words) in table {
        let error = Schema::new("s", json).unwrap_err();
        assert_eq!(error.pointer, pointer, "{error}");
        assert!(error.message.contains(words), "{error}");
    }
}
