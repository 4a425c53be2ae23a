//! `run_analysis`: from an instruction and a file to a file.

use serde_json::json;
use superstep_sheets::{Analysis, Status};

use crate::support::{agent, apply, done, finish, ops, read, sales, set, shown, written};

#[tokio::test]
async fn an_instruction_and_a_workbook_give_a_file_and_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (
        folder.path().join("in.xlsx"),
        folder.path().join("out.xlsx"),
    );
    let bytes = sales()
        .write(superstep_workbook::OnLoad::Trust)
        .unwrap()
        .bytes;
    std::fs::write(&from, &bytes).unwrap();
    let agent = agent(vec![
        apply(json!([
            {"op": "add_sheet", "name": "Sum"},
            set("Sum", "A1", 16.0),
            {"op": "format", "sheet": "Sum", "area": "A1", "style": {"bold": true}},
        ])),
        finish("16 units"),
    ]);
    let analysis = Analysis {
        instruction: "sum up the units".into(),
        workbook: from.clone(),
        output: to.clone(),
    };
    let report = agent.run_analysis("t", &analysis).await.unwrap();
    assert_eq!(report.status, Status::Finished);
    assert_eq!(report.answer.as_deref(), Some("16 units"));
    assert_eq!(report.changes.sheets_added, ["Sum"]);
    assert_eq!(
        (report.changes.cell_count, report.changes.format_count),
        (1, 1)
    );
    assert_eq!(
        std::fs::read(&from).unwrap(),
        bytes,
        "the input is as it was"
    );
    let book = read(std::fs::read(&to).unwrap());
    assert_eq!(shown(&book, "Sum", "A1"), "16");
    // The thread is done: to resume it writes the same file, and no other.
    let again = agent.resume_analysis("t", &to).await.unwrap();
    assert_eq!(again.steps, 1);
    std::fs::write(&to, b"something else").unwrap();
    let error = agent.resume_analysis("t", &to).await.unwrap_err();
    assert_eq!(error.code(), "SS7516");
    let state = agent.graph().state("t").await.unwrap().state;
    assert_eq!(state.problem.file, "in.xlsx");
}

#[tokio::test]
async fn the_input_is_never_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("in.xlsx");
    let bytes = written(&sales()).write(superstep_workbook::OnLoad::Trust);
    std::fs::write(&from, bytes.unwrap().bytes).unwrap();
    let other = folder.path().join(".").join("in.xlsx");
    let linked = folder.path().join("linked.xlsx");
    std::fs::hard_link(&from, &linked).unwrap();
    for output in [from.clone(), other, linked] {
        let analysis = Analysis {
            instruction: "x".into(),
            workbook: from.clone(),
            output,
        };
        let error = agent(vec![])
            .run_analysis("t", &analysis)
            .await
            .unwrap_err();
        assert_eq!(error.code(), "SS7709");
    }
}

#[tokio::test]
async fn a_question_leaves_the_thread_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (
        folder.path().join("in.xlsx"),
        folder.path().join("out.xlsx"),
    );
    let book = sales().apply(&ops(json!([]))).unwrap();
    let bytes = book.write(superstep_workbook::OnLoad::Trust).unwrap().bytes;
    std::fs::write(&from, bytes).unwrap();
    let agent = agent(vec![
        apply(json!([{"op": "delete_columns", "sheet": "Data", "first": "A", "count": 1}])),
        finish("x"),
    ]);
    let analysis = Analysis {
        instruction: "x".into(),
        workbook: from,
        output: to.clone(),
    };
    let error = agent.run_analysis("t", &analysis).await.unwrap_err();
    assert_eq!(error.code(), "SS7712");
    let error = agent.resume_analysis("t", &to).await.unwrap_err();
    assert_eq!(error.code(), "SS7712");
    assert!(!to.exists());
}

#[tokio::test]
async fn a_run_begins_by_data_alone_as_a_server_does_it() {
    let agent = agent(vec![
        apply(json!([set("Data", "F1", 1.0)])),
        finish("over"),
        apply(json!([set("Data", "G1", 2.0)])),
        finish("over again"),
    ]);
    let bytes = sales()
        .write(superstep_workbook::OnLoad::Trust)
        .unwrap()
        .bytes;
    let hash = agent.upload(bytes).await.unwrap();
    let input = json!({"problem": {"instruction": "do it", "workbook": hash}});
    let options = superstep::RunOptions::on("t");
    agent
        .graph()
        .dynamic()
        .invoke(input, &options)
        .await
        .unwrap();
    let state = agent.graph().state("t").await.unwrap().state;
    assert_eq!(state.status, Status::Finished);
    assert_eq!(state.problem.sheets, ["Data"]);
    let book = read(agent.bytes(&state).await.unwrap());
    assert_eq!(shown(&book, "Data", "F1"), "1");

    let input = json!({"problem": {"instruction": "go on", "output": "elsewhere.xlsx"}});
    agent
        .graph()
        .dynamic()
        .invoke(input, &options)
        .await
        .unwrap();
    let state = agent.graph().state("t").await.unwrap().state;
    assert_eq!(state.answer.as_deref(), Some("over again"));
    assert_eq!(
        (state.problem.output.as_ref(), state.step),
        (None, 1),
        "a path is nothing that data says"
    );
    let book = read(agent.bytes(&state).await.unwrap());
    let cells = ["F1", "G1"].map(|cell| shown(&book, "Data", cell));
    assert_eq!(cells, ["1", "2"]);

    let error = agent.upload(b"no workbook".to_vec()).await.unwrap_err();
    assert_eq!(error.code(), "SS7501");
}

#[tokio::test]
async fn an_input_without_an_instruction_is_refused_and_the_finished_version_stays() {
    let agent = agent(vec![apply(json!([set("Data", "F1", 1.0)])), finish("over")]);
    let done = done(&agent, sales()).await;
    let options = superstep::RunOptions::on("t");
    for input in [
        json!({"messages": [{"role": "user", "content": "Now make the header bold"}]}),
        json!({"problem": {"workbook": done.problem.workbook}}),
        json!({"problem": {"instruction": " \u{200b}", "workbook": done.problem.workbook}}),
    ] {
        let run = agent.graph().dynamic().invoke(input, &options);
        assert_eq!(run.await.unwrap_err().code(), "SS7702");
    }
    let now = agent.graph().state("t").await.unwrap();
    assert_eq!(now.state.version, done.version);
    assert_ne!(now.state.version, now.state.problem.workbook);
    assert_eq!(now.state.messages, done.messages);
    assert_eq!(now.state.status, Status::Finished);
}
