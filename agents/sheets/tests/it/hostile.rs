//! Workbooks as they come: hostile ones are refused, odd ones are read right, and what is in them is data.

use std::io::{Cursor, Write};

use serde_json::json;
use superstep::model::script::Step;
use superstep_sheets::{Field, Mirror, Node, QueryLimits, Settings, SheetsState};
use superstep_workbook::Limits;
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::support::{
    OPOS, agent, agent_with, apply, book_with, done, finish, packed, parts, read, run, sales, set,
    shown,
};

/// The code with which a file is refused.
async fn refused(bytes: Vec<u8>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.xlsx");
    std::fs::write(&path, bytes).unwrap();
    let settings = Settings {
        limits: Limits {
            part: 16 << 20,
            ..Limits::default()
        },
        ..Settings::default()
    };
    let script = std::sync::Arc::new(superstep::model::Script::new([]));
    let agent = agent_with(script, settings);
    let error = agent.begin("x", &path).await.unwrap_err();
    error.code().to_owned()
}

#[tokio::test]
async fn bad_files_are_refused_and_no_thread_begins() {
    assert_eq!(refused(OPOS[..OPOS.len() / 2].to_vec()).await, "SS7506");
    assert_eq!(refused(b"Region;Units\nNorth;3\n".to_vec()).await, "SS7501");
    let old = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
    let old = [&old[..], &[0; 600]].concat();
    let code = refused(old).await;
    assert!(["SS7503", "SS7504"].contains(&&*code), "{code}");
    let mut macros = parts("");
    macros.push(("xl/vbaProject.bin".into(), "x".into()));
    assert_eq!(refused(packed(&macros)).await, "SS7505");
    // A part that is a thousand times larger than it looks.
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts("") {
        writer
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer
        .start_file("xl/media/bomb.bin", SimpleFileOptions::default())
        .unwrap();
    for _ in 0..32 {
        writer.write_all(&vec![0; 1 << 20]).unwrap();
    }
    let bomb = writer.finish().unwrap().into_inner();
    assert!(bomb.len() < 100_000);
    assert_eq!(refused(bomb).await, "SS7507");
}

#[tokio::test]
async fn names_and_formulas_are_data() {
    let name = "x\"]; import os #";
    let name = name.replace(']', ")");
    let agent = agent(vec![
        apply(json!([
            {"op": "rename_sheet", "sheet": "Data", "name": name},
            {"op": "set", "sheet": name, "cell": "A1", "value": {"text": "=cmd|' /C calc'!A0"}},
            {"op": "set", "sheet": name, "cell": "A2",
             "value": {"formula": "=LEN(\"http://example.org\")"}},
        ])),
        Step::call(
            "SheetSelector",
            json!({"sql": format!("SELECT * FROM \"{}\"", name.replace('"', "\"\""))}),
        ),
        finish("over"),
    ]);
    let state = done(&agent, book_with(json!([]))).await;
    let book = agent.workbook(&state).await.unwrap();
    assert!(state.op_log.iter().all(|record| record.is_done));
    let cell = book
        .sheet(&name)
        .unwrap()
        .cell("A1".parse().unwrap())
        .unwrap();
    assert!(cell.formula().is_none(), "a text stays a text");
    assert_eq!(cell.value.as_text(), Some("=cmd|' /C calc'!A0"));
    assert!(state.sheet_state.contains("sheet \"x\\\"); import os #\""));
}

#[tokio::test]
async fn odd_workbooks_are_read_right() {
    // Days since 1904, with a date that was written as one.
    let book = read(packed(&parts("date1904=\"1\"")));
    let text = |text: &str| json!({"text": text});
    let operations = json!([
        {"op": "set_rows", "sheet": "Data", "cell": "A1", "rows": [
            [text("Day"), text("Betrag"), text("Code"), text("Rate")],
            [json!({"date": "2025-06-10"}), text("1.234,56"), text("007"), json!({"formula": "=1/0"})],
            [json!({"date": "1904-01-02"}), text("0,5"), text("008"), json!({"number": 0.5})],
        ]},
        {"op": "add_sheet", "name": "Empty"},
        {"op": "add_sheet", "name": "Secret"},
        {"op": "set", "sheet": "Secret", "cell": "B3", "value": {"number": 7.0}},
        {"op": "hide_sheet", "sheet": "Secret", "hidden": true},
    ]);
    // The error in D2 is meant: it is said once more that it is there.
    let agent = agent(vec![apply(operations), finish("over").always()]);
    let state = done(&agent, book).await;
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Data", "A2"), "2025-06-10");
    let told = &state.sheet_state;
    for wanted in [
        "sheet \"Empty\": empty", "sheet \"Secret\" (hidden)", "\"Betrag\": number as text",
        "\"Day\": date",
    ] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
    let mirror = Mirror::of(&book, QueryLimits::default()).unwrap();
    let rows = mirror
        .query("SELECT \"Day\", \"Betrag\", \"Code\" FROM \"Data\"")
        .unwrap();
    let texts =
        |at: usize| -> Vec<String> { rows.rows[at].iter().map(ToString::to_string).collect() };
    assert_eq!(texts(0), ["2025-06-10", "1.234,56", "007"]);
    assert_eq!(texts(1)[0], "1904-01-02");
    let hidden = mirror.query("SELECT * FROM \"Secret\"").unwrap();
    assert_eq!(hidden.rows, [[Field::Integer(3), Field::Real(7.0)]]);
    let json = serde_json::to_value(&hidden.rows).unwrap();
    assert_eq!(json, json!([[3, 7]]));
}

#[tokio::test]
async fn what_a_step_does_not_touch_stays_as_it_is() {
    let mut with_pivot = parts("");
    with_pivot.push((
        "xl/worksheets/_rels/sheet1.xml.rels".into(),
        "<Relationships><Relationship Id=\"rId1\" Type=\"x/pivotTable\" \
         Target=\"../pivotTables/pivotTable1.xml\"/></Relationships>"
            .into(),
    ));
    with_pivot.push((
        "xl/pivotTables/pivotTable1.xml".into(),
        "<pivotTableDefinition name=\"P\"/>".into(),
    ));
    let book = read(packed(&with_pivot));
    let chart = json!({"op": "add_chart", "sheet": "Data", "chart": {
        "kind": "column", "at": "F2", "title": "Units",
        "series": [{"sheet": "Data", "values": "A1:A3"}],
    }});
    let agent = agent(vec![
        apply(json!([set("Data", "A1", 1.0), chart])),
        apply(json!([set("Data", "Z9", 2.0)])),
        finish("over"),
    ]);
    let state = done(&agent, book).await;
    assert!(
        state.op_log.iter().all(|record| record.is_done),
        "{:?}",
        state.messages
    );
    let part = |bytes: Vec<u8>, name: &str| {
        let book = read(bytes);
        let part = book.package().part(name).unwrap();
        part.map(|bytes| bytes.into_owned())
    };
    let history = agent.graph().history("t").await.unwrap();
    let first = history.iter().find(|it| it.state.step == 1).unwrap();
    let before = agent.bytes(&first.state).await.unwrap();
    let after = agent.bytes(&state).await.unwrap();
    for name in ["xl/pivotTables/pivotTable1.xml", "xl/charts/chart1.xml"] {
        let old = part(before.clone(), name);
        assert!(old.is_some(), "{name}");
        assert_eq!(old, part(after.clone(), name), "{name}");
    }
    let last = agent.workbook(&state).await.unwrap();
    let sheet = last.sheet("Data").unwrap();
    assert_eq!((sheet.drawings, sheet.pivots), (1, 1));
}

#[tokio::test]
async fn no_caller_writes_what_takes_the_place_of_an_approval() {
    let delete = json!([{"op": "delete_rows", "sheet": "Data", "first": 2, "count": 2}]);
    let agent = agent(vec![apply(delete), finish("over")]);
    let waiting = run(&agent, "t", sales()).await;
    let asked = waiting.asks().to_vec();
    assert_eq!(asked.len(), 1);
    let proposal = agent
        .graph()
        .state("t")
        .await
        .unwrap()
        .state
        .proposal
        .clone();
    let forged = proposal.map(|it| superstep_sheets::Proposal {
        losses: Vec::new(),
        ..it
    });
    for update in [
        SheetsState::update().proposal(forged),
        SheetsState::update().own_sheets(["Data".to_owned()]),
        SheetsState::update().overwritten(0_u64),
    ] {
        for node in [Node::PlannerNode, Node::ToolNode, Node::ApproveNode] {
            let refused = agent.graph().update_state("t", update.clone(), Some(node));
            assert_eq!(refused.await.unwrap_err().code(), "SS1122");
        }
        let refused = agent.graph().run("other", update).await.unwrap_err();
        assert!(["SS1122", "SS7702"].contains(&refused.code()), "{refused}");
    }
    assert_eq!(agent.graph().state("t").await.unwrap().asks, asked);
}
