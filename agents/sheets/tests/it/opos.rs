//! The open-posts analysis by a scripted plan: figures to the cent.

use serde_json::json;
use superstep::model::script::Step;

use crate::support::{OPOS, agent, apply, done, finish, read};

const AMOUNT: &str = "\"Betrag in Belegwährung\"";

/// One row of figures: invoices, credits, sums, and invoices by age at 2025-06-10.
fn figures() -> String {
    let post = "\"Belegnummer\" IS NOT NULL";
    let age = "julianday('2025-06-10') - julianday(\"Nettofälligkeit\")";
    let invoice = format!("{post} AND {AMOUNT} > 0");
    let sum = |condition: &str| format!("printf('%.2f', sum({AMOUNT}) FILTER (WHERE {condition}))");
    let count = |condition: &str| format!("count(*) FILTER (WHERE {condition})");
    let credit = format!("{post} AND {AMOUNT} < 0");
    let columns = [
        count(&invoice),
        sum(&invoice),
        count(&credit),
        sum(&credit),
        count(&format!("\"Belegnummer\" IS NULL AND {AMOUNT} IS NOT NULL")),
        sum(&format!("{invoice} AND {age} <= 0")),
        sum(&format!("{invoice} AND {age} > 0 AND {age} <= 30")),
        sum(&format!("{invoice} AND {age} > 30 AND {age} <= 60")),
        sum(&format!("{invoice} AND {age} > 60")),
    ];
    format!("SELECT {} FROM \"Sheet1\"", columns.join(", "))
}

#[tokio::test]
async fn the_figures_are_right_to_the_cent() {
    let agent = agent(vec![
        Step::call("SheetSelector", json!({"sql": figures()})),
        finish("{result:SheetSelector}"),
    ]);
    let state = done(&agent, read(OPOS.to_vec())).await;
    let answer = state.answer.clone().unwrap();
    let row = answer.lines().nth(1).unwrap();
    assert_eq!(
        row,
        "69 | 692431.09 | 36 | -270988.08 | 45 | 343446.61 | 117724.01 | 58008.36 | 173252.11"
    );
    // Two columns of the workbook have one name; here they have two.
    let mirror = superstep_sheets::Mirror::of(
        &read(OPOS.to_vec()),
        superstep_sheets::QueryLimits::default(),
    );
    let mirror = mirror.unwrap();
    let columns = &mirror.tables()[0].columns;
    assert!(columns.contains(&"Währung".to_owned()));
    assert!(columns.contains(&"Währung_2".to_owned()));
}

/// A sheet with the figures as formulas over the posts.
fn sheet() -> serde_json::Value {
    let text = |text: &str| json!({"text": text});
    let formula = |formula: String| json!({"formula": formula});
    let sum = |conditions: &str| {
        formula(format!(
            "=ROUND(SUMIFS(Sheet1!$R$2:$R$151,Sheet1!$D$2:$D$151,\"<>\"{conditions}),2)"
        ))
    };
    let invoice = ",Sheet1!$R$2:$R$151,\">0\"";
    let due = |from: &str, to: &str| {
        let mut conditions = invoice.to_owned();
        for bound in [from, to].iter().filter(|bound| !bound.is_empty()) {
            conditions.push_str(&format!(",Sheet1!$P$2:$P$151,{bound}"));
        }
        sum(&conditions)
    };
    json!([
        {"op": "add_sheet", "name": "OPOS"},
        {"op": "set_rows", "sheet": "OPOS", "cell": "A1", "rows": [
            [text("Stichtag"), json!({"date": "2025-06-10"})],
            [text("Rechnungen"), sum(invoice)],
            [text("Gutschriften"), sum(",Sheet1!$R$2:$R$151,\"<0\"")],
            [text("nicht fällig"), due("\">=\"&$B$1", "")],
            [text("1-30 Tage"), due("\"<\"&$B$1", "\">=\"&($B$1-30)")],
            [text("31-60 Tage"), due("\"<\"&($B$1-30)", "\">=\"&($B$1-60)")],
            [text("über 60 Tage"), due("\"<\"&($B$1-60)", "")],
        ]},
        {"op": "format", "sheet": "OPOS", "area": "B2:B7", "style": {"number_format": "#,##0.00"}},
    ])
}

#[cfg(feature = "recalc")]
#[tokio::test]
async fn the_figures_as_formulas_are_calculated_to_the_cent() {
    let agent = agent(vec![apply(sheet()), finish("done")]);
    let state = done(&agent, read(OPOS.to_vec())).await;
    assert_eq!(state.op_log[0].calculation, None);
    let book = agent.workbook(&state).await.unwrap();
    let sheet = book.sheet("OPOS").unwrap();
    let value = |row| {
        let at = superstep_workbook::CellRef { row, column: 2 };
        sheet.value(at).as_number().unwrap()
    };
    let figures: Vec<f64> = (2..=7).map(value).collect();
    assert_eq!(
        figures,
        [
            692_431.09, -270_988.08, 343_446.61, 117_724.01, 58_008.36, 173_252.11
        ]
    );
    // The next step reads what was calculated.
    let mirror = superstep_sheets::Mirror::of(&book, superstep_sheets::QueryLimits::default());
    let rows = mirror.unwrap().query("SELECT * FROM \"OPOS\"").unwrap();
    assert!(rows.to_string().contains("343446.61"), "{rows}");
}

#[cfg(not(feature = "recalc"))]
#[tokio::test]
async fn values_that_are_not_calculated_are_said_to_be_so() {
    let agent = agent(vec![apply(sheet()), finish("done")]);
    let state = done(&agent, read(OPOS.to_vec())).await;
    let why = state.op_log[0].calculation.clone().unwrap();
    assert!(why.contains("recalc"), "{why}");
    let verification = state.verification.as_ref().unwrap();
    assert_eq!(verification.not_calculated, Some(why));
}
