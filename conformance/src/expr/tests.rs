//! Expressions, one by one.

use serde_json::json;

use super::*;

struct Fixed;

impl Externals for Fixed {
    fn counter(&self, name: &str) -> i64 {
        match name {
            "seen" => 3,
            _ => 0,
        }
    }

    fn flag(&self, name: &str) -> Json {
        match name {
            "mode" => json!({"fast": true}),
            _ => Json::Null,
        }
    }
}

fn env() -> Env {
    let state = json!({"n": 5, "log": ["a", "b"], "deep": {"x": [10, {"y": 20}]}, "none": null});
    Env::from([
        ("state".to_owned(), Val::from(state)),
        ("f".to_owned(), Val::Future(7)),
    ])
}

fn result(expr: Json) -> Result<Val, ExprError> {
    eval(&expr, &env(), &Fixed)
}

fn value(expr: Json) -> Json {
    result(expr).unwrap().into_json()
}

fn bug_in(expr: Json) -> String {
    match result(expr) {
        Err(ExprError::CaseBug(why)) => why,
        other => panic!("expected a mistake, got {other:?}"),
    }
}

#[test]
fn scalars_lists_and_plain_objects_stand_for_themselves() {
    let plain = json!({"a": [1, "x", null], "$b": 1, "c": {"d": true}});
    assert_eq!(value(plain.clone()), plain);
}

#[test]
fn objects_with_several_dollar_keys_are_no_operators() {
    let plain = json!({"$add": [1, 2], "$sub": [1, 2]});
    assert_eq!(value(plain.clone()), plain);
}

#[test]
fn paths_lead_through_objects_and_lists() {
    assert_eq!(value(json!({"$": "state.n"})), json!(5));
    assert_eq!(value(json!({"$": "state.log.0"})), json!("a"));
    assert_eq!(value(json!({"$": "state.log.-1"})), json!("b"));
    assert_eq!(value(json!({"$": "state.deep.x.1.y"})), json!(20));
}

#[test]
fn paths_that_lead_nowhere_give_null() {
    for path in [
        "gone", "state.gone", "state.log.2", "state.log.-3", "state.log.x", "state.n.0",
        "state.none.x", "",
    ] {
        assert_eq!(value(json!({"$": path})), Json::Null, "{path}");
        assert_eq!(value(json!({"$has": path})), json!(false), "{path}");
    }
    assert_eq!(value(json!({"$has": "state.none"})), json!(true));
}

#[test]
fn literals_are_not_evaluated() {
    assert_eq!(
        value(json!({"$lit": {"$": "state.n"}})),
        json!({"$": "state.n"})
    );
}

#[test]
fn a_default_replaces_null_only() {
    assert_eq!(
        value(json!({"$default": [{"$": "state.gone"}, 1]})),
        json!(1)
    );
    assert_eq!(value(json!({"$default": [0, 1]})), json!(0));
}

#[test]
fn addition_works_on_numbers_strings_and_lists() {
    assert_eq!(value(json!({"$add": [1, 2, 3]})), json!(6));
    assert_eq!(value(json!({"$add": [1, 0.5]})), json!(1.5));
    assert_eq!(value(json!({"$add": ["a", "b"]})), json!("ab"));
    assert_eq!(value(json!({"$add": [[1], [2, 3]]})), json!([1, 2, 3]));
    assert_eq!(value(json!({"$add": [[1]]})), json!([1]));
    assert_eq!(bug_in(json!({"$add": [1, "a"]})), "$add of 1 and a");
    assert_eq!(bug_in(json!({"$add": []})), "$add needs arguments");
}

#[test]
fn arithmetic_is_on_integers_and_the_remainder_follows_the_divisor() {
    assert_eq!(value(json!({"$sub": [1, 3]})), json!(-2));
    assert_eq!(value(json!({"$mul": [4, -3]})), json!(-12));
    assert_eq!(value(json!({"$mod": [7, 3]})), json!(1));
    assert_eq!(value(json!({"$mod": [-7, 3]})), json!(2));
    assert_eq!(value(json!({"$mod": [7, -3]})), json!(-2));
    assert_eq!(bug_in(json!({"$mod": [7, 0]})), "$mod of 7 and 0");
    assert_eq!(bug_in(json!({"$sub": [null, 1]})), "$sub of null and 1");
    assert_eq!(
        bug_in(json!({"$mul": [i64::MAX, 2]})),
        format!("$mul of {} and 2", i64::MAX)
    );
}

#[test]
fn text_is_made_of_any_values() {
    let parts = json!({"$cat": ["a", 1, null, true, [1, "b"], {"z": 1, "y": 2}]});
    assert_eq!(value(parts), json!(r#"a1nulltrue[1,"b"]{"y":2,"z":1}"#));
    assert_eq!(value(json!({"$str": [1, 2]})), json!("[1,2]"));
    assert_eq!(
        value(json!({"$join": [["a", 1, null], "-"]})),
        json!("a-1-null")
    );
}

#[test]
fn lengths_are_of_lists_strings_objects_and_null() {
    assert_eq!(value(json!({"$len": {"$": "state.log"}})), json!(2));
    assert_eq!(value(json!({"$len": "größe"})), json!(5));
    assert_eq!(value(json!({"$len": {"a": 1, "b": 2}})), json!(2));
    assert_eq!(value(json!({"$len": null})), json!(0));
    assert_eq!(bug_in(json!({"$len": 3})), "$len of 3");
}

#[test]
fn lists_can_be_summed_sorted_and_cut() {
    assert_eq!(value(json!({"$last": [1, 2]})), json!(2));
    assert_eq!(value(json!({"$last": []})), Json::Null);
    assert_eq!(value(json!({"$last": null})), Json::Null);
    assert_eq!(value(json!({"$sum": [1, 2, 3]})), json!(6));
    assert_eq!(value(json!({"$sum": []})), json!(0));
    let sorted = json!([2, 10, "a", "b"]);
    assert_eq!(value(json!({"$sort": ["b", 10, "a", 2]})), sorted);
    assert_eq!(value(json!({"$range": 3})), json!([0, 1, 2]));
    assert_eq!(value(json!({"$range": 0})), json!([]));
}

#[test]
fn objects_can_be_merged_and_listed() {
    let merged = json!({"$merge": [{"a": 1, "b": 1}, null, {"b": 2}]});
    assert_eq!(value(merged), json!({"a": 1, "b": 2}));
    assert_eq!(value(json!({"$keys": {"b": 1, "a": 2}})), json!(["a", "b"]));
}

#[test]
fn comparisons_look_at_the_whole_value() {
    assert_eq!(value(json!({"$eq": [{"a": [1]}, {"a": [1]}]})), json!(true));
    assert_eq!(value(json!({"$ne": [[1], [2]]})), json!(true));
    assert_eq!(value(json!({"$lt": [1, 2]})), json!(true));
    assert_eq!(value(json!({"$le": [2, 2]})), json!(true));
    assert_eq!(value(json!({"$gt": [1, 2]})), json!(false));
    assert_eq!(value(json!({"$ge": [2, 2.5]})), json!(false));
    assert_eq!(value(json!({"$in": [[1], [[1], 2]]})), json!(true));
    assert_eq!(value(json!({"$in": [1, null]})), json!(false));
    assert_eq!(bug_in(json!({"$lt": [null, 1]})), "$lt of null and 1");
}

#[test]
fn logic_works_on_truthiness_and_stops_early() {
    for falsy in [
        json!(null),
        json!(false),
        json!(0),
        json!(""),
        json!([]),
        json!({}),
    ] {
        assert_eq!(value(json!({"$not": falsy})), json!(true));
    }
    let fails = json!({"$raise": ["ValueError", "evaluated"]});
    assert_eq!(value(json!({"$and": [1, 0, fails]})), json!(false));
    assert_eq!(value(json!({"$and": []})), json!(true));
    assert_eq!(value(json!({"$or": [0, "x", fails]})), json!(true));
    assert_eq!(value(json!({"$or": []})), json!(false));
}

#[test]
fn only_the_chosen_side_of_a_condition_is_evaluated() {
    let fails = json!({"$raise": ["ValueError", "evaluated"]});
    assert_eq!(value(json!({"$if": [1, "yes", fails]})), json!("yes"));
    assert_eq!(value(json!({"$if": [0, fails, "no"]})), json!("no"));
    assert_eq!(value(json!({"$if": [0, fails]})), Json::Null);
}

#[test]
fn bound_names_hide_variables_and_nest() {
    let nested =
        json!({"$map": [[1, 2], "x", {"$map": [[10], "y", {"$add": [{"$": "x"}, {"$": "y"}]}]}]});
    assert_eq!(value(nested), json!([[11], [12]]));
    assert_eq!(
        value(json!({"$map": [[1], "state", {"$": "state"}]})),
        json!([1])
    );
    assert_eq!(value(json!({"$map": [null, "x", 1]})), json!([]));
    let even = json!({"$filter": [[1, 2, 3], "x", {"$ne": [{"$": "x"}, {"$sub": [3, 1]}]}]});
    assert_eq!(value(even), json!([1, 3]));
}

#[test]
fn the_world_gives_counters_and_flags() {
    assert_eq!(value(json!({"$counter": "seen"})), json!(3));
    assert_eq!(value(json!({"$counter": "unseen"})), json!(0));
    assert_eq!(value(json!({"$flag": "mode"})), json!({"fast": true}));
    assert_eq!(value(json!({"$flag": "other"})), Json::Null);
}

#[test]
fn sends_evaluate_node_and_argument() {
    let Val::Send(send) = result(
        json!({"$send": [{"$": "state.log.0"}, {"i": {"$": "state.n"}}, {"timeout_ms": 50}]}),
    )
    .unwrap() else {
        panic!("not a send");
    };
    assert_eq!(send.node, "a");
    assert_eq!(send.arg.into_json(), json!({"i": 5}));
    assert_eq!(send.timeout_ms, Some(50));
    assert_eq!(bug_in(json!({"$send": [1, 2]})), "$send needs a node name");
}

#[test]
fn commands_accept_one_target_or_many() {
    let Val::Command(one) = result(json!({"$command": {"goto": "a", "graph": "parent"}})).unwrap()
    else {
        panic!("not a command");
    };
    assert_eq!(one.goto, [Goto::Node("a".into())]);
    assert_eq!(one.target, CommandTarget::Parent);
    assert_eq!(one.update, None);

    let many = json!({"$command": {"goto": ["a", {"$send": ["b", 1]}], "update": {"x": {"$": "state.n"}}, "resume": null}});
    let Val::Command(many) = result(many).unwrap() else {
        panic!("not a command");
    };
    assert!(matches!(
        many.goto.as_slice(),
        [Goto::Node(_), Goto::Send(_)]
    ));
    assert_eq!(many.update.unwrap().into_json(), json!({"x": 5}));
    assert_eq!(many.resume, Some(Val::Null));
    assert_eq!(many.target, CommandTarget::Here);
    assert_eq!(
        bug_in(json!({"$command": {"goto": 3}})),
        "$command cannot go to 3"
    );
}

#[test]
fn overwrites_keep_what_is_inside() {
    let Val::Map(map) = result(json!({"log": {"$overwrite": [{"$": "state.n"}]}})).unwrap() else {
        panic!("not an object");
    };
    let inner = Val::from(json!([5]));
    assert_eq!(map["log"], Val::Overwrite(Box::new(inner)));
}

#[test]
fn raising_is_not_a_mistake_of_the_case() {
    let raised = ExprError::Raised {
        kind: "CustomError".into(),
        message: "n is 5".into(),
    };
    let expr = json!({"$raise": ["CustomError", {"$cat": ["n is ", {"$": "state.n"}]}]});
    assert_eq!(result(expr), Err(raised));
    assert_eq!(
        bug_in(json!({"$raise": ["Oops", "x"]})),
        "there is no error kind \"Oops\""
    );
}

#[test]
fn malformed_expressions_are_mistakes_of_the_case() {
    assert_eq!(bug_in(json!({"$nope": 1})), "there is no operator $nope");
    assert_eq!(bug_in(json!({"$": 1})), "$ takes a string, not 1");
    assert_eq!(bug_in(json!({"$eq": [1]})), "$eq takes two arguments");
    assert_eq!(
        bug_in(json!({"$default": [1, 2, 3]})),
        "$default takes two arguments"
    );
    assert_eq!(bug_in(json!({"$add": 1})), "$add takes a list, not 1");
}

#[test]
fn a_future_is_a_variable_like_any_other() {
    assert_eq!(lookup(&env(), "f"), Some(&Val::Future(7)));
}
