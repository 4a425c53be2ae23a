//! How SQLite goes about queries of threads, and which values have one number.

use superstep_core::runs::RunStatus;

use super::*;

/// How SQLite goes about a query.
fn plan(query: &ThreadQuery) -> Vec<String> {
    let db = Connection::open_in_memory().unwrap();
    crate::schema::create_for_tests(&db);
    let (statement, values) = wanted(&Seal::default(), query);
    let values: Vec<&dyn ToSql> = values.iter().map(|value| value as &dyn ToSql).collect();
    let mut explain = db
        .prepare(&format!("EXPLAIN QUERY PLAN {statement}"))
        .unwrap();
    let rows = explain.query_map(&*values, |row| row.get(3)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn threads_are_found_by_an_index_and_not_by_a_scan() {
    let by = ThreadQuery::default;
    let graph = Some("chat".into());
    let status = vec![RunStatus::Waiting, RunStatus::Failed];
    let metadata = Value::map([("user", Value::from("ann")), ("team", Value::from(7))]);
    let all = ThreadQuery {
        graph: graph.clone(),
        status: status.clone(),
        metadata: metadata.clone(),
        updated_from: Some(1),
        ..by()
    };
    for (query, index) in [
        (ThreadQuery { graph, ..by() }, "found_by_graph"),
        (ThreadQuery { status, ..by() }, "found_by_state"),
        (
            ThreadQuery { metadata, ..by() },
            "found_pairs USING PRIMARY KEY",
        ),
        (all, "found_pairs USING PRIMARY KEY"),
    ] {
        let plan = plan(&query);
        assert!(plan[0].contains(index), "{plan:#?}");
        let scans = |step: &String| step.starts_with("SCAN");
        assert!(!plan.iter().any(scans), "{plan:#?}");
    }
}

#[test]
fn equal_values_have_one_number_and_others_have_others() {
    let seal = Seal::default();
    let of = |value: Value| pair(&seal, "k", &value);
    assert_eq!(of(1.into()), of(Value::Float(1.0)));
    assert_ne!(of(1.into()), of(Value::from("1")));
    assert_ne!(of(true.into()), of(Value::from("true")));
    assert_ne!(
        pair(&seal, "a=b", &"c".into()),
        pair(&seal, "a", &"b=c".into())
    );
    for outside in [
        Value::Null,
        Value::Float(0.5),
        Value::from(i64::MAX),
        Value::from("x".repeat(TEXT + 1)),
        Value::list([1.into()]),
    ] {
        assert_eq!(of(outside), None);
    }
}
