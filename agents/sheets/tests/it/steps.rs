//! Steps: one action each, applied as a whole or not at all.

use std::sync::Arc;

use serde_json::json;
use superstep::{
    Res,
    model::{Body, Model, Script, ToolChoice, script::Step},
    tool,
    tools::{Policy, ToolError},
};
use superstep_sheets::{
    MAX_FORMAT_ERRORS, Problem, Settings, SheetsState, Status, USUAL_MAX_STEPS, Workbench,
};
use superstep_workbook::{CellRef, Input, Operation};

use crate::support::{agent, agent_with, apply, done, finish, observations, sales, set, shown};

#[tokio::test]
async fn an_action_changes_the_workbook_and_its_observation_has_the_id_of_its_call() {
    let agent = agent(vec![
        Step::text("A total is missing.").and_call(
            "ApplyOperations",
            json!({"operations": [
                {"op": "set", "sheet": "Data", "cell": "E1", "value": {"text": "Total"}},
                {"op": "set", "sheet": "Data", "cell": "E2", "value": {"formula": "=C2*D2"}},
            ]}),
        ),
        finish("one column"),
    ]);
    let state = done(&agent, sales()).await;
    assert_eq!(state.status, Status::Finished);
    assert_eq!(state.answer.as_deref(), Some("one column"));
    assert_eq!((state.step, state.max_steps), (1, USUAL_MAX_STEPS));
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Data", "E1"), "Total");
    assert_eq!(shown(&book, "Data", "E2"), "=C2*D2");
    let Body::Model(reply) = &state.messages[1].body else {
        panic!("the planner spoke");
    };
    // What it thought stays in its message.
    assert_eq!(reply.content.text(), "A total is missing.");
    let (observation, worked) = observations(&state)[0];
    assert!(worked);
    assert_eq!(observation.tool_call_id, reply.tool_calls[0].id);
    assert!(observation.content.text().contains("\"Data\"!E2"));
    let record = &state.op_log[0];
    assert_eq!(record.operations["set"], 2);
    assert_eq!(record.version, state.version);
    assert!(state.sheet_state.contains("Total"), "{}", state.sheet_state);
    let verification = state.verification.as_ref().unwrap();
    assert_eq!((verification.cells, verification.sheets), (2, 0));
}

#[tokio::test]
async fn the_graph_starts_at_the_planner_and_tools_lead_back_to_it() {
    let agent = agent(vec![]);
    let drawn = agent.graph().dynamic().drawing().mermaid();
    for node in [
        "n0([\"START\"])", "n1[\"planner_node\"]", "n2[\"tool_node\"]", "n4[\"informer_node\"]",
    ] {
        assert!(drawn.contains(node), "{drawn}");
    }
    for edge in ["n0 --> n1", "n3 --> n1", "n4 --> n1"] {
        assert!(drawn.contains(edge), "{drawn}");
    }
}

#[tokio::test]
async fn a_failed_step_changes_nothing_and_is_read_by_the_planner() {
    let agent = agent(vec![
        // The first of them could be done.
        apply(json!([set("Data", "F1", 1.0), set("Nowhere", "A1", 1.0)])),
        apply(json!([set("Data", "G1", 2.0)])),
        finish("done"),
    ]);
    let state = done(&agent, sales()).await;
    let (observation, worked) = observations(&state)[0];
    assert!(!worked);
    let text = observation.content.text();
    assert!(
        text.contains("[SS7513]") && text.contains("Nowhere"),
        "{text}"
    );
    assert!(text.contains("Nothing was changed"), "{text}");
    assert_eq!(state.op_log[0].version, state.problem.workbook);
    assert!(!state.op_log[0].is_done);
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Data", "F1"), "");
    assert_eq!(shown(&book, "Data", "G1"), "2");
    assert_eq!(state.step, 2);
}

#[tokio::test]
async fn words_do_not_end_the_work() {
    let agent = agent(vec![
        Step::text("Done! Finish! All is finished."),
        Step::text(
            "Think: now\nAction: ApplyOperations\nAction Input:\n```json\n{\"operations\": [{\"op\": \"set\", \"sheet\": \"Data\", \"cell\": \"F1\", \"value\": {\"text\": \"# Done\"}}]}\n```",
        ),
        Step::text("Think: it is there\nFinish: written"),
    ]);
    let state = done(&agent, sales()).await;
    assert_eq!(state.status, Status::Finished);
    assert_eq!(state.answer.as_deref(), Some("written"));
    assert_eq!(state.step, 1);
    assert_eq!(state.format_errors, 0, "an action ends the count");
    let told = state.messages[2].text();
    assert!(told.starts_with("Format error: "), "{told}");
    // An action in a text is a call like others.
    let (observation, worked) = observations(&state)[0];
    assert!(worked && observation.name == "ApplyOperations");
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Data", "F1"), "# Done");
}

#[tokio::test]
async fn a_call_written_as_json_is_taken_and_plain_values_are_values() {
    let call = json!({"name": "ApplyOperations", "arguments": {"operations": [
        {"op": "set", "sheet": "Data", "cell": "F1", "value": "Total"},
        {"op": "set", "sheet": "Data", "cell": "F2", "value": "=SUM(C2:C5)"},
        {"op": "set", "sheet": "Data", "cell": "A5", "value": null},
        {"op": "set_rows", "sheet": "Data", "cell": "G1", "rows": [["x", 2.5, true]]},
    ]}});
    let agent = agent(vec![
        Step::text(format!("I add the total.\n```json\n{call}\n```")),
        Step::text(
            r#"<tool_call>{"name": "Finish", "arguments": {"answer": "added"}}</tool_call>"#,
        ),
    ]);
    let state = done(&agent, sales()).await;
    assert_eq!(state.answer.as_deref(), Some("added"));
    let book = agent.workbook(&state).await.unwrap();
    let shown = |cell| shown(&book, "Data", cell);
    assert_eq!(
        (shown("F1"), shown("F2")),
        ("Total".into(), "=SUM(C2:C5)".into())
    );
    assert_eq!((shown("A5"), shown("G1")), (String::new(), "x".into()));
    assert_eq!((shown("H1"), shown("I1")), ("2.5".into(), "TRUE".into()));
    #[cfg(feature = "recalc")]
    {
        let text = observations(&state)[0].0.content.text();
        assert!(text.contains("Calculated: \"Data\"!F2 is 16"), "{text}");
    }
}

#[tokio::test]
async fn a_small_model_has_to_call_a_tool_in_a_limit_and_every_model_is_told_the_day() {
    for (small, choice) in [(true, ToolChoice::Required), (false, ToolChoice::Auto)] {
        let script = Script::new([finish("over")]);
        let mut caps = script.caps();
        caps.small = small;
        let script = Arc::new(script.with_caps(caps));
        let agent = agent_with(script.clone(), Settings::default());
        done(&agent, sales()).await;
        let request = &script.seen()[0];
        assert_eq!(request.tool_choice, choice);
        assert_eq!(
            request.max_tokens.is_some(),
            small,
            "a strong model has no cap"
        );
        let told = request.messages[0].text();
        assert!(told.contains("\nToday is "), "{told}");
    }
}

#[tokio::test]
async fn finishing_with_new_errors_is_answered_once_with_their_cells() {
    let broken =
        json!([{"op": "set", "sheet": "Data", "cell": "F2", "value": {"error": "#DIV/0!"}}]);
    let agent = agent(vec![
        apply(broken),
        finish("done"),
        finish("F2 is meant to fail"),
    ]);
    let state = done(&agent, sales()).await;
    assert_eq!(state.answer.as_deref(), Some("F2 is meant to fail"));
    let observations = observations(&state);
    let made = observations[0].0.content.text();
    assert!(
        made.contains("New errors, to be corrected: \"Data\"!F2: #DIV/0!"),
        "{made}"
    );
    let (refused, worked) = &observations[1];
    let text = refused.content.text();
    assert!(!worked && text.contains("not finished yet"), "{text}");
    assert!(text.contains("\"Data\"!F2: #DIV/0!"), "{text}");
    let verification = state.verification.as_ref().unwrap();
    assert_eq!(verification.new_errors, ["\"Data\"!F2: #DIV/0!"]);
}

#[tokio::test]
async fn the_last_change_of_an_instruction_can_be_taken_back_and_no_more() {
    let undo = || Step::call("Undo", json!({}));
    let agent = agent(vec![
        apply(json!([set("Data", "F1", 1.0)])),
        apply(json!([{"op": "add_sheet", "name": "Scratch"}, set("Data", "F2", 2.0)])),
        undo(),
        finish("one is left"),
        undo(),
        finish("the rest is another instruction's"),
    ]);
    let state = done(&agent, sales()).await;
    let book = agent.workbook(&state).await.unwrap();
    let (kept, undone) = (shown(&book, "Data", "F1"), shown(&book, "Data", "F2"));
    assert_eq!((kept.as_str(), undone.as_str()), ("1", ""));
    assert!(book.sheet("Scratch").is_err());
    assert_eq!(
        state.own_sheets,
        Vec::<String>::new(),
        "a sheet of that name is nobody's now"
    );
    assert_eq!(state.version, state.op_log[0].version);
    assert_eq!(state.verification.as_ref().unwrap().cells, 1);
    let next = agent.instruct(&state, "and one more").unwrap();
    let state = agent.graph().run("t", next).await.unwrap().done().unwrap();
    let (refused, worked) = observations(&state)[4];
    let text = refused.content.text();
    assert!(
        !worked && text.contains("no change of this instruction"),
        "{text}"
    );
    assert_eq!(state.version, state.op_log[0].version);
}

#[tokio::test]
async fn replies_without_an_action_are_bounded() {
    let script = Arc::new(Script::new([Step::text("I think so.").always()]));
    let agent = agent_with(script.clone(), Settings::default());
    let state = done(&agent, sales()).await;
    assert_eq!(state.status, Status::FormatErrors);
    assert_eq!(state.format_errors, MAX_FORMAT_ERRORS);
    assert_eq!(script.seen().len(), MAX_FORMAT_ERRORS as usize);
    assert_eq!(state.version, state.problem.workbook);
}

#[tokio::test]
async fn steps_are_bounded_and_partial_work_is_kept() {
    let steps = (1..=5).map(|row| apply(json!([set("Data", &format!("H{row}"), 1.0)])));
    let script = Arc::new(Script::new(steps));
    let settings = Settings {
        max_steps: 2,
        ..Settings::default()
    };
    let agent = agent_with(script.clone(), settings);
    let state = done(&agent, sales()).await;
    assert_eq!(state.status, Status::StepLimit);
    assert_eq!((state.step, state.op_log.len()), (2, 2));
    // The planner may still say what it did; its third action is answered and not taken.
    assert_eq!(script.seen().len(), 3);
    let (last, worked) = *observations(&state).last().unwrap();
    assert!(!worked && last.content.text().contains("no action was left"));
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Data", "H2"), "1");
    assert_eq!(shown(&book, "Data", "H3"), "");
}

#[tokio::test]
async fn one_action_is_taken_at_a_time() {
    let agent = agent(vec![
        apply(json!([set("Data", "F1", 1.0)])).and_call(
            "ApplyOperations",
            json!({"operations": [set("Data", "F2", 2.0)]}),
        ),
        finish("done"),
    ]);
    let state = done(&agent, sales()).await;
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Data", "F1"), "1");
    assert_eq!(shown(&book, "Data", "F2"), "");
    let seen = observations(&state);
    assert!(seen.iter().any(|(reply, worked)| !worked
        && reply.content.text().contains("one action at a time")));
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_an_observation() {
    let agent = agent(vec![
        apply(json!([{"op": "explode", "sheet": "Data"}])),
        Step::call("Shell", json!({"command": "ls"})),
        finish("no"),
    ]);
    let state = done(&agent, sales()).await;
    assert_eq!(state.status, Status::Finished);
    assert_eq!(state.step, 0, "nothing was done");
    let texts: Vec<String> = observations(&state)
        .iter()
        .map(|(reply, _)| reply.content.text())
        .collect();
    assert!(texts[0].contains("explode"), "{texts:?}");
    assert!(texts[1].contains("there is no tool `Shell`"), "{texts:?}");
}

#[tokio::test]
async fn a_model_that_calls_no_tools_is_told_how_to_write_actions() {
    let script = Script::new([
        Step::text(
            "Think: look\nAction: SheetSelector\nAction Input: SELECT sum(\"Units\") FROM \"Data\"",
        ),
        Step::text("Finish: 16 units"),
    ]);
    let mut caps = superstep::model::Model::caps(&script);
    caps.tools = false;
    let script = Arc::new(script.with_caps(caps));
    let agent = agent_with(script.clone(), Settings::default());
    let state = done(&agent, sales()).await;
    assert_eq!(state.answer.as_deref(), Some("16 units"));
    let seen = script.seen();
    assert!(seen.iter().all(|request| request.tools.is_empty()));
    assert!(seen[0].messages[0].text().contains("Action Input:"));
    let last: Vec<String> = seen[1].messages.iter().map(|it| it.text()).collect();
    assert!(
        last.iter()
            .any(|text| text.starts_with("Observation of SheetSelector:") && text.contains("16")),
        "{last:?}"
    );
}

/// Adds a row at the end of a sheet.
#[tool(pure)]
async fn append_row(
    /// The sheet.
    sheet: String,
    /// Its values.
    values: Vec<f64>,
    bench: Res<Workbench>,
) -> Result<String, ToolError> {
    let book = bench.book()?;
    let used = book.sheet(&sheet)?.used();
    let row = used.map_or(1, |area| area.last.row + 1);
    bench.propose([Operation::SetRows {
        sheet,
        cell: CellRef { row, column: 1 },
        rows: vec![values.into_iter().map(Input::Number).collect()],
    }]);
    Ok(format!("row {row}"))
}

#[tokio::test]
async fn a_tool_of_ones_own_proposes_operations() {
    let script = Script::new([
        Step::call("append_row", json!({"sheet": "Data", "values": [1.0, 2.0]})),
        finish("done"),
    ]);
    let settings = Settings {
        extend: Some(Arc::new(|tools| tools.tool(AppendRow))),
        policy: Policy::default(),
        ..Settings::default()
    };
    let agent = agent_with(Arc::new(script), settings);
    let state = done(&agent, sales()).await;
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Data", "B6"), "2");
    let text = observations(&state)[0].0.content.text();
    assert!(text.starts_with("row 6"), "{text}");
}

#[tokio::test]
async fn another_instruction_goes_on_with_the_result() {
    let agent = agent(vec![
        apply(json!([set("Data", "F1", 1.0)])),
        finish("first"),
        apply(json!([set("Data", "F2", 2.0)])),
        finish("second"),
    ]);
    let state = done(&agent, sales()).await;
    let next = agent.instruct(&state, "and one more").unwrap();
    let state = agent.graph().run("t", next).await.unwrap().done().unwrap();
    assert_eq!(state.answer.as_deref(), Some("second"));
    assert_eq!((state.step, state.op_log.len()), (1, 2));
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Data", "F1"), "1");
    assert_eq!(shown(&book, "Data", "F2"), "2");
}

#[tokio::test]
async fn an_instruction_by_data_alone_keeps_the_workbook_that_the_thread_was_given() {
    let agent = agent(vec![
        apply(json!([set("Data", "F1", 1.0)])),
        finish("first"),
        apply(json!([set("Data", "F2", 2.0)])),
        finish("second"),
    ]);
    let before = done(&agent, sales()).await;
    let problem = Problem {
        instruction: "and one more".into(),
        ..Problem::default()
    };
    let next = SheetsState::update().problem(problem);
    let state = agent.graph().run("t", next).await.unwrap().done().unwrap();
    assert_eq!(state.problem.workbook, before.problem.workbook);
    assert_eq!(state.op_log.len(), 2);
    assert_eq!(state.verification.as_ref().unwrap().cells, 2);
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Data", "F1"), "1");
    assert_eq!(shown(&book, "Data", "F2"), "2");
}

#[tokio::test]
async fn there_is_no_run_without_an_instruction_or_a_workbook() {
    let agent = agent(vec![]);
    let error = agent.begin_with("  ", sales()).await.unwrap_err();
    assert_eq!(error.code(), "SS7702");
    let bare = SheetsState::update();
    let error = agent.graph().run("t", bare).await.unwrap_err();
    assert_eq!(error.code(), "SS7702");
    let without = Problem {
        instruction: "do it".into(),
        ..Problem::default()
    };
    let without = SheetsState::update().problem(without);
    let error = agent.graph().run("t", without).await.unwrap_err();
    assert_eq!(error.code(), "SS7701");
}
