//! Filters of every kind, over the same few items.

use serde_json::{Value, json};

use super::fixture::{StoreFixture, Stores, refused, under};
use crate::kit::{Failure, Verdict, cases, equal};
use superstep_store::Filter::{And, Eq, Exists, Ge, Gt, In, IsObject, Le, Lt, Ne, Not, Or};
use superstep_store::{FieldPath, Filter, MAX_FILTER_DEPTH, Search};

cases![
    StoreCheck: eq_compares_deeply_and_numbers_by_value,
    ne_holds_for_what_is_different_or_absent,
    bounds_on_numbers_are_sharp,
    bounds_on_texts_go_by_code_point,
    bounds_never_hold_between_kinds,
    large_integers_are_compared_exactly,
    in_holds_for_any_of_its_values,
    exists_tells_null_from_absent,
    is_object_looks_at_the_kind,
    and_or_not_combine,
    a_path_goes_into_objects,
    an_empty_path_is_the_value_itself,
    hostile_keys_in_a_filter_are_only_keys,
    the_json_form_filters_alike,
    a_filter_counts_before_the_page,
    a_filter_that_is_too_deep_is_refused,
];

async fn eq_compares_deeply_and_numbers_by_value(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("int", json!({"v": 1})),
        ("float", json!({"v": 1.0})),
        ("true", json!({"v": true})),
        ("text", json!({"v": "1"})),
        ("upper", json!({"v": "A"})),
        ("list", json!({"v": [1, 2]})),
        ("object", json!({"v": {"x": 1, "y": [2]}})),
        ("more", json!({"v": {"x": 1, "y": [2], "z": 3}})),
        ("null", json!({"v": null})),
        ("absent", json!({"w": 1})),
    ];
    let fixture = filled(bench, &values).await?;
    let eq = |wanted: Value| Eq("v".into(), wanted);
    let cases = [
        (eq(json!(1)), "int float"),
        (eq(json!(1.0)), "int float"),
        (eq(json!(true)), "true"),
        (eq(json!("1")), "text"),
        (eq(json!("a")), ""),
        (eq(json!([1, 2])), "list"),
        (eq(json!([2, 1])), ""),
        (eq(json!([1])), ""),
        (eq(json!({"y": [2.0], "x": 1})), "object"),
        (eq(json!(null)), "null"),
        (eq(json!({})), ""),
    ];
    all(&fixture, cases).await
}

async fn ne_holds_for_what_is_different_or_absent(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("one", json!({"v": 1})),
        ("two", json!({"v": 2})),
        ("text", json!({"v": "1"})),
        ("null", json!({"v": null})),
        ("absent", json!({})),
        ("scalar", json!(1)),
    ];
    let fixture = filled(bench, &values).await?;
    let cases = [
        (Ne("v".into(), json!(1)), "two text null absent scalar"),
        (Ne("v".into(), json!(null)), "one two text absent scalar"),
    ];
    all(&fixture, cases).await
}

async fn bounds_on_numbers_are_sharp(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("-1", json!({"v": -1})),
        ("1", json!({"v": 1})),
        ("2", json!({"v": 2})),
        ("2.5", json!({"v": 2.5})),
        ("10", json!({"v": 10})),
    ];
    let fixture = filled(bench, &values).await?;
    let v = || FieldPath::from("v");
    let cases = [
        (Lt(v(), json!(2)), "-1 1"),
        (Le(v(), json!(2)), "-1 1 2"),
        (Gt(v(), json!(2)), "2.5 10"),
        (Ge(v(), json!(2)), "2 2.5 10"),
        (Lt(v(), json!(2.5)), "-1 1 2"),
        (Ge(v(), json!(2.5)), "2.5 10"),
        (Gt(v(), json!(-1.5)), "-1 1 2 2.5 10"),
    ];
    all(&fixture, cases).await
}

async fn bounds_on_texts_go_by_code_point(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("B", json!({"v": "B"})),
        ("a", json!({"v": "a"})),
        ("a1", json!({"v": "a1"})),
        ("é", json!({"v": "é"})),
        ("10", json!({"v": "10"})),
    ];
    let fixture = filled(bench, &values).await?;
    let v = || FieldPath::from("v");
    let cases = [
        (Lt(v(), json!("a")), "B 10"),
        (Le(v(), json!("a")), "B a 10"),
        (Gt(v(), json!("a")), "a1 é"),
        (Ge(v(), json!("a")), "a a1 é"),
        (Lt(v(), json!("9")), "10"),
    ];
    all(&fixture, cases).await
}

async fn bounds_never_hold_between_kinds(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("number", json!({"v": 5})),
        ("text", json!({"v": "5"})),
        ("null", json!({"v": null})),
        ("bool", json!({"v": true})),
        ("list", json!({"v": [5]})),
        ("object", json!({"v": {}})),
        ("absent", json!({})),
    ];
    let fixture = filled(bench, &values).await?;
    let v = || FieldPath::from("v");
    let cases = [
        (Gt(v(), json!(0)), "number"),
        (Lt(v(), json!(9)), "number"),
        (Ge(v(), json!("")), "text"),
        (Le(v(), json!("z")), "text"),
        (Ge(v(), json!(null)), ""),
        (Le(v(), json!(true)), ""),
        (Ge(v(), json!([])), ""),
    ];
    all(&fixture, cases).await
}

async fn large_integers_are_compared_exactly(bench: &Stores<'_>) -> Verdict {
    const EDGE: i64 = 1 << 53;
    let values = [
        ("edge", json!({"v": EDGE})),
        ("above", json!({"v": EDGE + 1})),
        ("max", json!({"v": u64::MAX})),
        ("min", json!({"v": i64::MIN})),
    ];
    let fixture = filled(bench, &values).await?;
    let v = || FieldPath::from("v");
    let cases = [
        (Eq(v(), json!(EDGE)), "edge"),
        (Gt(v(), json!(EDGE)), "above max"),
        (Lt(v(), json!(EDGE + 1)), "edge min"),
        (Ge(v(), json!(u64::MAX)), "max"),
        (Le(v(), json!(i64::MIN)), "min"),
    ];
    all(&fixture, cases).await
}

async fn in_holds_for_any_of_its_values(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("1", json!({"v": 1})),
        ("x", json!({"v": "x"})),
        ("list", json!({"v": [1]})),
        ("null", json!({"v": null})),
        ("absent", json!({})),
    ];
    let fixture = filled(bench, &values).await?;
    let among = |wanted: &[Value]| In("v".into(), wanted.to_vec());
    let cases = [
        (among(&[json!("x"), json!(1.0)]), "1 x"),
        (among(&[json!([1])]), "list"),
        (among(&[json!(null)]), "null"),
        (among(&[json!("1"), json!("X")]), ""),
        (among(&[]), ""),
    ];
    all(&fixture, cases).await
}

async fn exists_tells_null_from_absent(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("one", json!({"v": {"w": 1}})),
        ("null", json!({"v": null})),
        ("absent", json!({"w": 1})),
        ("scalar", json!("v")),
    ];
    let fixture = filled(bench, &values).await?;
    let cases = [
        (Exists("v".into()), "one null"),
        (Exists(["v", "w"].into()), "one"),
        (Not(Box::new(Exists("v".into()))), "absent scalar"),
    ];
    all(&fixture, cases).await
}

async fn is_object_looks_at_the_kind(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("empty", json!({"v": {}})),
        ("full", json!({"v": {"w": 1}})),
        ("list", json!({"v": []})),
        ("text", json!({"v": "{}"})),
        ("absent", json!({})),
    ];
    let fixture = filled(bench, &values).await?;
    all(&fixture, [(IsObject("v".into()), "empty full")]).await
}

async fn and_or_not_combine(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("1x", json!({"n": 1, "t": "x"})),
        ("2x", json!({"n": 2, "t": "x"})),
        ("1y", json!({"n": 1, "t": "y"})),
        ("none", json!({})),
    ];
    let fixture = filled(bench, &values).await?;
    let one = || Eq("n".into(), json!(1));
    let x = || Eq("t".into(), json!("x"));
    let not = |inner: Filter| Not(Box::new(inner));
    let cases = [
        (And(vec![one(), x()]), "1x"),
        (Or(vec![one(), x()]), "1x 2x 1y"),
        (not(one()), "2x none"),
        (
            And(vec![Or(vec![one(), x()]), not(And(vec![one(), x()]))]),
            "2x 1y",
        ),
        (not(not(one())), "1x 1y"),
        (not(Gt("n".into(), json!(1))), "1x 1y none"),
        (And(vec![]), "1x 2x 1y none"),
        (Or(vec![]), ""),
    ];
    all(&fixture, cases).await
}

async fn a_path_goes_into_objects(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("deep", json!({"a": {"b": {"c": 1}}})),
        ("dotted", json!({"a.b.c": 1})),
        ("list", json!({"a": [{"b": {"c": 1}}]})),
        ("cut", json!({"a": {"b": 1}})),
    ];
    let fixture = filled(bench, &values).await?;
    let cases = [
        (Eq(["a", "b", "c"].into(), json!(1)), "deep"),
        (Eq("a.b.c".into(), json!(1)), "dotted"),
        (Ge(["a", "b"].into(), json!(0)), "cut"),
        (Exists(["a", "0"].into()), ""),
        (Ne(["a", "b", "c"].into(), json!(1)), "dotted list cut"),
    ];
    all(&fixture, cases).await
}

async fn an_empty_path_is_the_value_itself(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("3", json!(3)),
        ("text", json!("3")),
        ("null", json!(null)),
        ("object", json!({"v": 3})),
    ];
    let fixture = filled(bench, &values).await?;
    let itself = FieldPath::default;
    let cases = [
        (Eq(itself(), json!(3)), "3"),
        (Eq(itself(), json!(null)), "null"),
        (Gt(itself(), json!(2)), "3"),
        (IsObject(itself()), "object"),
        (Exists(itself()), "3 text null object"),
    ];
    all(&fixture, cases).await
}

async fn hostile_keys_in_a_filter_are_only_keys(bench: &Stores<'_>) -> Verdict {
    let hostile = [
        "", "$", "$.v", "v\"", "v'", "v' OR 1=1 --", "')) OR 1=1 --", "v[0]", "#-1", "*", "%",
        "\\", "日本",
    ];
    let fixture = bench.open().await?;
    fixture.put("m", "plain", json!({"v": 1})).await?;
    for key in hostile {
        let filter = || Eq(key.into(), json!(1));
        all(&fixture, [(filter(), "")]).await?;
        fixture.put("m", "hit", json!({key: 1})).await?;
        all(&fixture, [(filter(), "hit")]).await?;
        all(&fixture, [(Eq("v".into(), json!(key)), "")]).await?;
        fixture.delete("m", "hit").await?;
    }
    Ok(())
}

async fn the_json_form_filters_alike(bench: &Stores<'_>) -> Verdict {
    let values = [
        ("1", json!({"n": 1, "t": "x", "d": {"e": 1}})),
        ("2", json!({"n": 2, "t": "x", "d": {"e": 2, "f": null}})),
        ("3", json!({"n": 3, "t": null, "d": 7})),
    ];
    let fixture = filled(bench, &values).await?;
    let cases = [
        (json!({}), "1 2 3"),
        (json!({"t": "x"}), "1 2"),
        (json!({"t": "x", "n": {"$gt": 1}}), "2"),
        (json!({"n": {"$gte": 2, "$lte": 2}}), "2"),
        (json!({"n": {"$lt": 2}}), "1"),
        (json!({"n": {"$ne": 2}}), "1 3"),
        (json!({"t": null}), "3"),
        (json!({"gone": null}), "1 2 3"),
        (json!({"d": {"e": {"$gt": 1}}}), "2"),
        (json!({"d": {}}), "1 2"),
        (json!({"d": {"$eq": {"e": 1}}}), "1"),
        (json!({"$or": [{"n": 1}, {"d": 7}]}), "1 3"),
    ];
    for (form, wanted) in cases {
        let filter = Filter::from_json(&form).map_err(|error| Failure(error.to_string()))?;
        all(&fixture, [(filter, wanted)]).await?;
    }
    Ok(())
}

async fn a_filter_counts_before_the_page(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for number in 0..10 {
        let even = number % 2 == 0;
        let value = json!({"even": even});
        fixture.put("m", &number.to_string(), value).await?;
    }
    let page = Search {
        filter: Eq("even".into(), json!(true)),
        limit: 2,
        offset: 1,
        ..under("m")?
    };
    equal("the page", fixture.found(page).await?, ["m/2", "m/4"])
}

async fn a_filter_that_is_too_deep_is_refused(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("m", "1", json!({"v": 1})).await?;
    let tower = |height: usize| {
        let ground = Exists("v".into());
        (0..height).fold(ground, |inner, _| Not(Box::new(inner)))
    };
    let search = |filter| {
        under("m").map(|everything| Search {
            filter,
            ..everything
        })
    };
    // An odd number of negations of what is true.
    let found = fixture.found(search(tower(MAX_FILTER_DEPTH - 1))?).await?;
    equal("at the limit", found.len(), 0)?;
    let found = fixture.store.search(search(tower(MAX_FILTER_DEPTH))?).await;
    refused("above the limit", found, "SS3024")
}

async fn filled(bench: &Stores<'_>, values: &[(&str, Value)]) -> Result<StoreFixture, Failure> {
    let fixture = bench.open().await?;
    for (key, value) in values {
        fixture.put("m", key, value.clone()).await?;
    }
    Ok(fixture)
}

/// Each filter must find exactly the keys given, which are separated by spaces.
async fn all<const N: usize>(fixture: &StoreFixture, cases: [(Filter, &str); N]) -> Verdict {
    for (filter, keys) in cases {
        let what = format!("{filter:?}");
        let wanted: Vec<String> = keys
            .split_whitespace()
            .map(|key| format!("m/{key}"))
            .collect();
        let search = Search {
            filter,
            ..under("m")?
        };
        equal(&what, fixture.found(search).await?, wanted)?;
    }
    Ok(())
}
