//! Programs of the planner: what they make of the workbook is proposed, how they fail is read.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use superstep::{
    Outcome,
    future::BoxFuture,
    model::{Script, script::Step},
    tools::Approval,
};
use superstep_sheets::{
    Settings, Sheets, exec,
    sandbox::{
        Availability, Base, Ending, Job, Limits, Outcome as Made, ProgramRun, Raised, Sandbox,
        SandboxError, Stop,
    },
};
use superstep_workbook::{BandMove, Lineage, MoveAxis, MoveKind, OnLoad};

use crate::support::{
    agent_with, done, finish, observations, ops, run, sales, set, shown, written,
};

/// A sandbox that gives what it is told to, and keeps what it was given.
struct Told {
    ending: Ending,
    stdout: &'static str,
    lineage: Lineage,
    jobs: Mutex<Vec<Job>>,
}

impl Sandbox for Told {
    fn name(&self) -> &'static str {
        "told"
    }

    fn available(&self) -> Availability {
        let contained_by = vec!["nothing is run".into()];
        Availability::Ready { contained_by }
    }

    fn guide(&self) -> String {
        "There is a module named `told`.".into()
    }

    fn run<'a>(&'a self, job: &'a Job) -> BoxFuture<'a, Result<ProgramRun, SandboxError>> {
        self.jobs.lock().unwrap().push(job.clone());
        let ran = ProgramRun {
            ending: self.ending.clone(),
            stdout: self.stdout.into(),
            stdout_dropped: 0,
            took: Duration::ZERO,
            lineage: self.lineage.clone(),
        };
        Box::pin(async { Ok(ran) })
    }
}

fn told(ending: Ending, stdout: &'static str) -> (Sheets, Arc<Told>) {
    told_moved(ending, stdout, Vec::new())
}

fn told_moved(ending: Ending, stdout: &'static str, moved: Vec<BandMove>) -> (Sheets, Arc<Told>) {
    let lineage = Lineage {
        moved,
        ..Lineage::default()
    };
    told_from(ending, stdout, lineage)
}

fn told_from(ending: Ending, stdout: &'static str, lineage: Lineage) -> (Sheets, Arc<Told>) {
    let sandbox = Arc::new(Told {
        ending,
        stdout,
        lineage,
        jobs: Mutex::default(),
    });
    let script = Script::new([
        Step::call("PythonInterpreter", json!({"code": "ws['F1'] = 1  # Done"})),
        finish("over"),
    ]);
    let settings = Settings {
        sandbox: Some(sandbox.clone()),
        ..Settings::default()
    };
    (agent_with(Arc::new(script), settings), sandbox)
}

#[tokio::test]
async fn programs_are_the_first_action_that_a_model_is_told_of() {
    let sandbox = Arc::new(Told {
        ending: Ending::Stopped(Stop::Time),
        stdout: "",
        lineage: Lineage::default(),
        jobs: Mutex::default(),
    });
    let script = Arc::new(Script::new([finish("over")]));
    let settings = Settings {
        sandbox: Some(sandbox),
        ..Settings::default()
    };
    done(&agent_with(script.clone(), settings), sales()).await;
    let offered: Vec<String> = script.seen()[0]
        .tools
        .iter()
        .map(|it| it.name.clone())
        .collect();
    let python = &script.seen()[0].tools[0].description;
    assert!(
        python.ends_with("There is a module named `told`."),
        "{python}"
    );
    assert_eq!(
        offered,
        [
            "PythonInterpreter", "ApplyOperations", "SheetSelector", "Informer", "Undo", "Finish"
        ]
    );
}

#[tokio::test]
async fn what_a_program_does_is_applied_and_what_it_prints_is_read() {
    let operations = ops(json!([set("Data", "F1", 1.0)]));
    let base = Base::Given;
    let (agent, sandbox) = told(
        Ending::Done(Made::Operations { base, operations }),
        "16 units\n",
    );
    let state = done(&agent, sales()).await;
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Data", "F1"), "1");
    let text = observations(&state)[0].0.content.text();
    assert!(text.starts_with("16 units\n\nChanged:\n1 cell:"), "{text}");
    let jobs = sandbox.jobs.lock().unwrap();
    assert_eq!(jobs[0].program, "ws['F1'] = 1  # Done");
    assert_eq!(jobs[0].file, "workbook.xlsx");
}

#[tokio::test]
async fn how_a_program_fails_is_an_observation() {
    let raised = Raised {
        class: "KeyError".into(),
        message: "'Sales'".into(),
        line: Some(3),
        traceback: "Traceback: line 3: KeyError: 'Sales'".into(),
    };
    let endings = [
        (Ending::Raised(raised), "[SS7602]"),
        (Ending::Stopped(Stop::Time), "[SS7603]"),
        (Ending::Stopped(Stop::Memory), "[SS7603]"),
    ];
    for (ending, code) in endings {
        let (agent, _) = told(ending, "so far\n");
        let state = done(&agent, sales()).await;
        let (observation, worked) = observations(&state)[0];
        let text = observation.content.text();
        assert!(!worked && text.contains(code), "{text}");
        assert!(text.contains("so far") && text.contains("Nothing was changed"));
        assert_eq!(state.version, state.problem.workbook);
    }
}

#[tokio::test]
async fn a_program_that_loses_data_waits_for_a_person_and_is_not_run_again() {
    let operations = ops(json!([{"op": "delete_rows", "sheet": "Data", "first": 2, "count": 1}]));
    let base = Base::Given;
    let (agent, sandbox) = told(Ending::Done(Made::Operations { base, operations }), "");
    let outcome = run(&agent, "t", sales()).await;
    let [ask] = outcome.asks() else {
        panic!("it asks");
    };
    let approval = ask.question::<Approval>().unwrap();
    let answer = json!({"digest": approval.digest, "type": "accept"});
    let answer = serde_json::from_value(answer).unwrap();
    let answer = ask.answer::<Approval>(&answer).unwrap();
    let outcome = agent.graph().answer("t", [answer]).await.unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
    assert_eq!(sandbox.jobs.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn another_workbook_takes_the_place_of_the_first_as_far_as_nothing_is_lost() {
    let more = sales()
        .apply(&ops(json!([set("Data", "F1", 7.0)])))
        .unwrap();
    let bytes = more.write(OnLoad::Calculate).unwrap().bytes;
    let (agent, _) = told(Ending::Done(Made::Package(bytes.into())), "");
    let state = done(&agent, sales()).await;
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Data", "F1"), "7");
    assert_eq!(state.op_log[0].operations["replace_workbook"], 1);
    // A new workbook has none of the sheets.
    let operations = ops(json!([set("Sheet", "A1", 1.0)]));
    let base = Base::New;
    let (agent, _) = told(Ending::Done(Made::Operations { base, operations }), "");
    let outcome = run(&agent, "t", sales()).await;
    let approval = outcome.asks()[0].question::<Approval>().unwrap();
    assert!(approval.description.contains("deletes sheet \"Data\""));
    // What is no workbook is an observation.
    let broken: Arc<[u8]> = Arc::from(&b"no workbook"[..]);
    let (agent, _) = told(Ending::Done(Made::Package(broken)), "");
    let state = done(&agent, sales()).await;
    let text = observations(&state)[0].0.content.text();
    assert!(text.contains("[SS7501]"), "{text}");
}

/// What openpyxl makes of the sales with a formula when a row is inserted: cells move, formulas stay.
fn moved_by_openpyxl() -> (superstep_workbook::Workbook, Arc<[u8]>, Vec<BandMove>) {
    let formula = |cell: &str, text: &str| json!({"op": "set", "sheet": "Data", "cell": cell, "value": {"formula": text}});
    let before = sales()
        .apply(&ops(json!([
            formula("E1", "=SUM(C2:C5)"),
            formula("F1", "=A1&\"\""),
            {"op": "define_name", "name": "Units", "refers_to": "Data!$C$2:$C$5"},
        ])))
        .unwrap();
    let before = written(&before);
    let after = before
        .apply(&ops(json!([
            {"op": "insert_rows", "sheet": "Data", "before": 3, "count": 1},
            formula("E1", "=SUM(C2:C5)"),
            formula("G1", "=SUM(C2:C6)"),
            {"op": "define_name", "name": "Units", "refers_to": "Data!$C$2:$C$5"},
        ])))
        .unwrap();
    let bytes = after.write(OnLoad::Calculate).unwrap().bytes;
    let moved = BandMove {
        sheet: "Data".into(),
        kind: MoveKind::Insert,
        axis: MoveAxis::Rows,
        at: 3,
        count: 1,
    };
    (before, bytes.into(), vec![moved])
}

#[tokio::test]
async fn formulas_that_a_program_left_behind_are_warned_of_to_the_planner_and_in_the_report() {
    let (before, bytes, moved) = moved_by_openpyxl();
    let warning = "1 row inserted at row 3 of \"Data\": openpyxl moved the cells alone; where they were is still \
        what these say: the formula of \"Data\"!E1 (=SUM(C2:C5)); the names \"Units\"";
    let (agent, _) = told_moved(
        Ending::Done(Made::Package(bytes.clone())),
        "",
        moved.clone(),
    );
    let outcome = run(&agent, "t", before.clone()).await;
    let state = outcome.done().unwrap();
    let text = observations(&state)[0].0.content.text();
    assert!(text.contains(&format!("\nWarning: {warning}\n")), "{text}");
    assert!(text.contains("insert_rows"), "{text}");
    assert_eq!(state.op_log[0].warnings, [warning]);
    assert_eq!(state.verification.as_ref().unwrap().warnings, [warning]);
    // What the program wrote itself is meant so, and one that moves nothing is not warned of.
    assert!(!text.contains("G1 (="), "{text}");
    let (agent, _) = told_moved(Ending::Done(Made::Package(bytes.clone())), "", Vec::new());
    let state = run(&agent, "t", before.clone()).await.done().unwrap();
    assert_eq!(state.op_log[0].warnings, Vec::<String>::new());
    // A person who is asked about losses sees it, too.
    let fewer = before
        .apply(&ops(json!([{"op": "delete_name", "name": "Units"}])))
        .unwrap();
    let fewer = fewer.write(OnLoad::Calculate).unwrap().bytes;
    let (agent, _) = told_moved(Ending::Done(Made::Package(fewer.into())), "", moved.clone());
    let outcome = run(&agent, "t", before.clone()).await;
    let approval = outcome.asks()[0].question::<Approval>().unwrap();
    assert!(
        approval.description.contains("\nwarning: 1 row inserted"),
        "{}",
        approval.description
    );
    // So does who runs a program by hand.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.xlsx");
    std::fs::write(&path, before.write(OnLoad::Trust).unwrap().bytes).unwrap();
    let (_, sandbox) = told_moved(Ending::Done(Made::Package(bytes)), "", moved);
    let done = exec(&*sandbox, "x", &path, Limits::default(), None)
        .await
        .unwrap();
    assert_eq!(done.warnings, [warning]);
}

#[tokio::test]
async fn a_program_runs_without_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.xlsx");
    let bytes = sales().write(OnLoad::Trust).unwrap().bytes;
    std::fs::write(&path, &bytes).unwrap();
    let operations = ops(json!([set("Data", "F1", 1.0)]));
    let base = Base::Given;
    let (_, sandbox) = told(
        Ending::Done(Made::Operations { base, operations }),
        "hello\n",
    );
    let done = exec(&*sandbox, "x", &path, Limits::default(), None)
        .await
        .unwrap();
    assert_eq!(done.stdout, "hello\n");
    assert_eq!(done.changes.cell_count, 1);
    assert_eq!(shown(&done.book, "Data", "F1"), "1");
    assert_eq!(sandbox.jobs.lock().unwrap()[0].file, "in.xlsx");
    assert_eq!(
        std::fs::read(&path).unwrap(),
        bytes,
        "the input is as it was"
    );
    let (_, sandbox) = told(Ending::Stopped(Stop::Time), "");
    let error = exec(&*sandbox, "x", &path, Limits::default(), None)
        .await
        .unwrap_err();
    assert_eq!(error.code(), "SS7603");
}

/// What a person is asked about when a program leaves this workbook in place of the sales.
async fn asked(after: &superstep_workbook::Workbook, lineage: Lineage) -> Option<String> {
    let bytes = after.write(OnLoad::Calculate).unwrap().bytes;
    let (agent, _) = told_from(Ending::Done(Made::Package(bytes.into())), "", lineage);
    let outcome = run(&agent, "t", sales()).await;
    let approval = outcome.asks().first()?.question::<Approval>().unwrap();
    Some(approval.description)
}

fn deleted(axis: MoveAxis, at: i64, count: i64) -> Lineage {
    let moved = BandMove {
        sheet: "Data".into(),
        kind: MoveKind::Delete,
        axis,
        at,
        count,
    };
    Lineage {
        sheets: Some(vec![("Data".into(), "Data".into())]),
        moved: vec![moved],
        is_new: false,
    }
}

#[tokio::test]
async fn rows_and_columns_that_a_program_deleted_are_asked_about_and_not_counted_as_overwritten() {
    let after = |json| sales().apply(&ops(json)).unwrap();
    let fewer = after(json!([{"op": "delete_rows", "sheet": "Data", "first": 2, "count": 2}]));
    let question = asked(&fewer, deleted(MoveAxis::Rows, 2, 2)).await.unwrap();
    assert!(
        question.contains("deletes rows 2 to 3 of \"Data\": 8 cells with content"),
        "{question}"
    );
    assert!(!question.contains("overwrites"), "{question}");
    let fewer = after(json!([{"op": "delete_columns", "sheet": "Data", "first": "B", "count": 1}]));
    let question = asked(&fewer, deleted(MoveAxis::Columns, 2, 1))
        .await
        .unwrap();
    assert!(
        question.contains("deletes columns B to B of \"Data\": 5 cells with content"),
        "{question}"
    );
    // Rows without content, and rows that are inserted, lose nothing.
    let mut inserted = deleted(MoveAxis::Rows, 2, 1);
    inserted.moved[0].kind = MoveKind::Insert;
    let more = after(json!([{"op": "insert_rows", "sheet": "Data", "before": 2, "count": 1}]));
    assert_eq!(asked(&more, inserted).await, None);
    assert_eq!(asked(&sales(), deleted(MoveAxis::Rows, 50, 2)).await, None);
}

#[tokio::test]
async fn a_sheet_that_a_program_made_anew_is_a_deleted_one_and_a_renamed_one_is_not() {
    let again = sales()
        .apply(&ops(json!([
            {"op": "add_sheet", "name": "x"},
            {"op": "delete_sheet", "sheet": "Data"},
            {"op": "add_sheet", "name": "Data"},
            {"op": "delete_sheet", "sheet": "x"},
        ])))
        .unwrap();
    let gone = Lineage {
        sheets: Some(Vec::new()),
        ..Lineage::default()
    };
    let question = asked(&again, gone).await.unwrap();
    assert!(
        question.contains("deletes sheet \"Data\": 20 cells"),
        "{question}"
    );
    let renamed = Lineage {
        sheets: Some(vec![("Data".into(), "Sold".into())]),
        ..Lineage::default()
    };
    let sold = sales()
        .apply(&ops(
            json!([{"op": "rename_sheet", "sheet": "Data", "name": "Sold"}]),
        ))
        .unwrap();
    assert_eq!(asked(&sold, renamed).await, None);
}

#[tokio::test]
async fn what_the_library_of_a_program_leaves_out_is_asked_about_and_warned_of() {
    use crate::support::{packed, parts, read};

    let mut with = parts("");
    for (name, text) in &mut with {
        if name == "xl/worksheets/sheet1.xml" {
            let cell = "<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row></sheetData>";
            *text = text.replace("<sheetData/>", cell);
        }
    }
    let plain = read(packed(&with));
    let slicer = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" \
        Type=\"http://schemas.microsoft.com/office/2007/relationships/slicer\" Target=\"/xl/slicers/slicer1.xml\"/></Relationships>";
    with.push(("xl/worksheets/_rels/sheet1.xml.rels".into(), slicer.into()));
    with.push(("xl/slicers/slicer1.xml".into(), "<slicers/>".into()));
    let before = read(packed(&with));
    let bytes = plain.write(OnLoad::Trust).unwrap().bytes;
    let ending = Ending::Done(Made::Package(bytes.into()));
    let (agent, sandbox) = told(ending, "");
    let outcome = run(&agent, "t", before.clone()).await;
    let approval = outcome.asks()[0].question::<Approval>().unwrap();
    let lost = "loses 1 slicer of \"Data\"";
    assert!(
        approval.description.contains(lost),
        "{}",
        approval.description
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.xlsx");
    std::fs::write(&path, packed(&with)).unwrap();
    let done = exec(&*sandbox, "x", &path, Limits::default(), None)
        .await
        .unwrap();
    assert_eq!(done.warnings, [lost]);
}
