//! The informer: asked by the planner, or automatically; and what its mirror refuses.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use superstep::model::{
    Script,
    script::{Step, When},
};
use superstep_sheets::{Field, Mirror, QueryLimits, Settings};

use crate::support::{agent_with, apply, book_with, done, finish, observations, sales, set};

fn sql(sql: &str) -> Step {
    Step::data(json!({"sql": sql})).when(When::schema("query"))
}

#[tokio::test]
async fn the_planner_asks_the_informer_which_corrects_its_query() {
    let script = Arc::new(Script::new([
        sql("SELECT a FROM nowhere"),
        sql("SELECT \"Region\", sum(\"Units\") AS units FROM \"Data\" GROUP BY 1 ORDER BY 1"),
        Step::call("Informer", json!({"question": "units by region?"})),
        finish("{result:Informer}"),
    ]));
    let agent = agent_with(script.clone(), Settings::default());
    let state = done(&agent, sales()).await;
    let (observation, worked) = observations(&state)[0];
    assert!(worked && observation.name == "Informer");
    let text = observation.content.text();
    assert!(text.contains("North | 10\nSouth | 6"), "{text}");
    assert_eq!(state.step, 1);
    assert_eq!(state.key_info, None, "it did not look by itself");
    let asked = script.seen();
    let first = &asked[1].messages;
    assert!(
        first
            .iter()
            .any(|it| it.text().contains("units by region?"))
    );
    let second = asked[2].messages.last().unwrap().text();
    assert!(second.contains("no such table"), "{second}");
}

#[tokio::test]
async fn with_the_informer_each_version_is_looked_at_once_before_the_planner() {
    let script = Arc::new(Script::new([
        sql("SELECT count(*) AS n, max(\"Units\") FROM \"Data\"").always(),
        apply(json!([set("Data", "C2", 99.0)])),
        Step::call("SheetSelector", json!({"sql": "SELECT 1"})),
        finish("over"),
    ]));
    let settings = Settings {
        with_informer: true,
        ..Settings::default()
    };
    let agent = agent_with(script.clone(), settings);
    let state = done(&agent, sales()).await;
    let info = state.key_info.clone().unwrap();
    assert_eq!(info.version, state.version);
    // Values are those after the last step.
    assert!(info.text.contains("4 | 99"), "{info:?}");
    let queries = script
        .seen()
        .into_iter()
        .filter(|request| request.tools.is_empty());
    assert_eq!(queries.count(), 2, "once for each of two versions");
    let seen = script.seen();
    let [.., workbook, instruction] = seen.last().unwrap().messages.as_slice() else {
        panic!("a request has a workbook and an instruction");
    };
    assert!(workbook.text().contains("4 | 99"), "{}", workbook.text());
    assert_eq!(instruction.label(), superstep::model::Label::User);
}

#[tokio::test]
async fn nothing_to_look_up_is_fine() {
    let script = Script::new([sql("").always(), finish("over")]);
    let settings = Settings {
        with_informer: true,
        ..Settings::default()
    };
    let agent = agent_with(Arc::new(script), settings);
    let state = done(&agent, sales()).await;
    assert_eq!(state.key_info.clone().unwrap().sql, None);
}

fn mirror() -> Mirror {
    let limits = QueryLimits {
        rows: 3,
        time: Duration::from_millis(200),
        ..QueryLimits::default()
    };
    Mirror::of(&sales(), limits).unwrap()
}

#[test]
fn one_statement_that_reads_is_all_that_is_taken() {
    let mirror = mirror();
    for refused in [
        "DELETE FROM \"Data\"",
        "UPDATE \"Data\" SET \"Units\" = 0",
        "INSERT INTO \"Data\" DEFAULT VALUES",
        "DROP TABLE \"Data\"",
        "CREATE TABLE t (a)",
        "ATTACH '/etc/passwd' AS p",
        "PRAGMA table_info(\"Data\")",
        "SELECT * FROM pragma_database_list",
        "SELECT sum(\"Unitz\") FROM \"Data\"",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE \"Data\"",
        "SELECT load_extension('/tmp/x.so')",
        "VACUUM INTO '/tmp/x.db'",
        "BEGIN",
        "EXPLAIN SELECT 1; SELECT 1",
        "WITH t AS (SELECT 1) DELETE FROM \"Data\"",
        "",
        "-- nothing",
    ] {
        let error = mirror.query(refused).unwrap_err();
        assert_eq!(error.code(), "SS7707", "{refused}: {error}");
    }
    let rows = mirror.query("SELECT count(*) FROM \"Data\"; ").unwrap();
    assert_eq!(rows.rows, [[Field::Integer(4)]]);
}

#[test]
fn rows_bytes_and_time_are_limited() {
    let mirror = mirror();
    let rows = mirror.query("SELECT * FROM \"Data\"").unwrap();
    assert_eq!((rows.rows.len(), rows.is_cut), (3, true));
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n";
    assert_eq!(mirror.query(endless).unwrap_err().code(), "SS7708");
    // The next query has time again.
    assert!(mirror.query("SELECT 1").is_ok());
    let huge = mirror
        .query("SELECT length(zeroblob(900000000))")
        .unwrap_err();
    assert_eq!(huge.code(), "SS7707");
}

#[test]
fn names_are_data_and_each_is_there_once() {
    let text = |text: &str| json!({"text": text});
    let book = book_with(json!([
        {"op": "rename_sheet", "sheet": "Data", "name": "x\"); import os #"},
        {"op": "set_rows", "sheet": "x\"); import os #", "cell": "A1", "rows": [
            [text("a\"b"), text("Total"), text("total"), text("_row")],
            [json!({"number": 1.0}), json!({"bool": true}), text("2,50"), json!({"date": "2025-06-10"})],
        ]},
    ]));
    let mirror = Mirror::of(&book, QueryLimits::default()).unwrap();
    let table = &mirror.tables()[0];
    assert_eq!(table.name, "x\"); import os #");
    assert_eq!(
        table.columns,
        ["_row", "a\"b", "Total", "total_2", "_row_2"]
    );
    let rows = mirror
        .query("SELECT \"a\"\"b\", \"Total\", \"total_2\", \"_row_2\", \"_row\" FROM \"x\"\"); import os #\"")
        .unwrap();
    let texts: Vec<String> = rows.rows[0].iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["1", "1", "2,50", "2025-06-10", "2"]);
}
