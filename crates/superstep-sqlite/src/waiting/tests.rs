//! What a claim looks at while others sleep.

use rusqlite::StatementStatus;

use super::*;

/// A file in which this many owners sleep and two have runs that are due at 100.
fn filled(asleep: i64) -> Connection {
    let db = Connection::open_in_memory().unwrap();
    crate::schema::create_for_tests(&db);
    let mut insert = db
        .prepare(
            "INSERT INTO runs (run, thread, state, body, due, owner, graph, ready)
             VALUES (randomblob(16), ?1, 0, x'', ?2, ?1, 7, ?3)",
        )
        .unwrap();
    for owner in 1..=asleep {
        insert.execute([owner, 200 + owner, 0]).unwrap();
    }
    for owner in [asleep + 1, asleep + 2] {
        insert.execute([owner, 100, 1]).unwrap();
    }
    drop(insert);
    db
}

#[test]
fn only_owners_with_runs_that_are_due_are_looked_at() {
    let db = filled(1000);
    let owners: Vec<i64> = groups(&db, 7).unwrap().iter().map(|it| it.owner).collect();
    assert_eq!(owners, [1001, 1002]);
    assert_eq!(groups(&db, 8).unwrap(), []);
    let due = next(
        &db,
        Group {
            owner: 1001,
            graph: 7,
        },
        None,
        150,
    )
    .unwrap();
    assert_eq!(due.map(|it| it.due), Some(100));
    let asleep = next(&db, Group { owner: 1, graph: 7 }, None, 150).unwrap();
    assert!(asleep.is_none());
    assert_eq!(next_due(&db, 150).unwrap(), Some(201));
    db.execute(WAKE, [202]).unwrap();
    assert_eq!(groups(&db, 7).unwrap().len(), 4);
    assert_eq!(next_due(&db, 202).unwrap(), Some(203));
}

#[test]
fn a_claim_takes_as_many_steps_while_many_sleep_as_while_few_do() {
    let steps = |db: &Connection| -> Vec<i32> {
        let count = |statement: &str, values: &[i64]| {
            let mut select = db.prepare(statement).unwrap();
            let rows = select.query(rusqlite::params_from_iter(values)).unwrap();
            rows.mapped(|_| Ok(())).for_each(drop);
            select.get_status(StatementStatus::VmStep)
        };
        let last: i64 = db
            .query_row("SELECT max(owner) FROM runs", [], |row| row.get(0))
            .unwrap();
        vec![
            count(HAS_DUE, &[150]),
            count(NEXT_DUE, &[150]),
            count(OWNER, &[7, i64::MIN]),
            count(OWNER, &[7, last]),
            count(NEXT, &[last, 7, 150, i64::MIN, 0]),
        ]
    };
    assert_eq!(steps(&filled(10)), steps(&filled(20_000)));
}

#[test]
fn each_statement_of_a_claim_has_its_index() {
    let db = filled(10);
    for (statement, index) in [
        (HAS_DUE, "runs_by_due"),
        (NEXT_DUE, "runs_by_due"),
        (WAKE, "runs_by_due"),
        (OWNER, "runs_ready"),
        (NEXT, "runs_ready"),
    ] {
        let mut explain = db
            .prepare(&format!("EXPLAIN QUERY PLAN {statement}"))
            .unwrap();
        let rows = explain.raw_query().mapped(|row| row.get(3));
        let plan: Vec<String> = rows.map(Result::unwrap).collect();
        let text = plan.join("; ");
        assert!(text.contains(index), "{statement}: {plan:#?}");
        let is_bad = |step: &String| step.starts_with("SCAN runs") || step.contains("TEMP B-TREE");
        assert!(!plan.iter().any(is_bad), "{statement}: {plan:#?}");
    }
}
