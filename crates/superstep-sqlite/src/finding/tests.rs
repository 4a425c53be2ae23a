//! How SQLite goes about queries of threads, how many rows it looks at, and which values have one number.

use rusqlite::{StatementStatus, params};
use superstep_core::{runs::RunStatus, saver::ThreadOrder, value::Value};

use super::{
    index::{TEXT, kind_pair, metadata_pair, owner_pair, state},
    statement::Stream,
    *,
};

/// A file with this many threads, of which each tenth is ann's.
fn filled(threads: i64) -> Connection {
    let db = Connection::open_in_memory().unwrap();
    crate::schema::create_for_tests(&db);
    let seal = Seal::default();
    for thread in 1..=threads {
        let name = ThreadId::of_uuid(u128::from(thread.unsigned_abs()));
        assert_eq!(graphs::add(&db, &name, 0, None, 0).unwrap(), thread);
        let kind = kind_pair(&seal, ThreadKind::Recorded);
        let owner = (thread % 10 == 0).then(|| owner_pair(&seal, "ann"));
        let metadata = metadata_pair(&seal, "team", &Value::from(7));
        for pair in [kind].into_iter().chain(owner).chain(metadata) {
            let state = state(RunStatus::Done, false);
            db.prepare_cached("INSERT INTO found_pairs VALUES (?1, ?2, ?3, ?1, ?1, ?1, ?1)")
                .unwrap()
                .execute(params![thread, pair, state])
                .unwrap();
        }
    }
    db
}

fn queries() -> Vec<ThreadQuery> {
    let mut queries = Vec::new();
    for order in [
        ThreadOrder::Updated,
        ThreadOrder::Created,
        ThreadOrder::Changed,
        ThreadOrder::Used,
        ThreadOrder::Name,
        ThreadOrder::Uuid,
    ] {
        for reversed in [false, true] {
            let all = ThreadQuery {
                kind: ThreadKind::Recorded,
                order,
                reversed,
                ..ThreadQuery::default()
            };
            let owner = Some("ann".into());
            let metadata = Value::map([("team", Value::from(7))]);
            queries.push(ThreadQuery {
                owner: owner.clone(),
                ..all.clone()
            });
            queries.push(ThreadQuery {
                status: vec![RunStatus::Done, RunStatus::Failed],
                metadata: metadata.clone(),
                ..all.clone()
            });
            queries.push(ThreadQuery {
                owner,
                metadata,
                ..all.clone()
            });
            queries.push(all);
        }
    }
    queries
}

fn streams(db: &Connection, query: &ThreadQuery) -> Vec<Stream> {
    let plan = Plan::of(db, &Seal::default(), query).unwrap();
    let streams = plan.streams(db, query, None).unwrap();
    assert!(!streams.is_empty());
    streams
}

#[test]
fn threads_are_found_by_an_index_and_not_by_a_scan() {
    let db = filled(20_000);
    for query in queries() {
        for stream in streams(&db, &query) {
            let statement = format!("EXPLAIN QUERY PLAN {}", stream.statement);
            let mut explain = db.prepare(&statement).unwrap();
            let rows = explain.raw_query().mapped(|row| row.get(3));
            let plan: Vec<String> = rows.map(Result::unwrap).collect();
            let is_scan = |step: &String| {
                let by_name = step.contains("USING INDEX sqlite_autoindex_threads_1")
                    || step.contains("USING INDEX threads_by_uuid");
                step.starts_with("SCAN") && !by_name || step.contains("TEMP B-TREE")
            };
            assert!(!plan.iter().any(is_scan), "{query:?}: {plan:#?}");
        }
    }
}

#[test]
fn a_page_takes_as_many_steps_among_many_threads_as_among_few() {
    let steps = |db: &Connection, query: &ThreadQuery| -> i32 {
        let streams = streams(db, query).into_iter().map(|stream| {
            let mut select = db.prepare(&stream.statement).unwrap();
            assert!(stream.read_by(&mut select, 10).unwrap().len() <= 10);
            select.get_status(StatementStatus::VmStep)
        });
        streams.sum()
    };
    let (few, many) = (filled(12_000), filled(48_000));
    for query in queries() {
        assert_eq!(steps(&few, &query), steps(&many, &query), "{query:?}");
    }
}

#[test]
fn equal_values_have_one_number_and_others_have_others() {
    let seal = Seal::default();
    let of = |value: Value| metadata_pair(&seal, "k", &value);
    assert_eq!(of(1.into()), of(Value::Float(1.0)));
    assert_ne!(of(1.into()), of(Value::from("1")));
    assert_ne!(of(true.into()), of(Value::from("true")));
    assert_ne!(
        metadata_pair(&seal, "a=b", &"c".into()),
        metadata_pair(&seal, "a", &"b=c".into())
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
