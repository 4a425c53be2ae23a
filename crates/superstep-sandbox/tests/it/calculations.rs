//! Formulas calculated in the worker: within limits, and without harm to who asks.

use std::time::Duration;

use superstep_sandbox::Calculator;
use superstep_workbook::{Calculated, Calculation, Error, Operation, Workbook};

use crate::kit;

fn with(formulas: &[(&str, &str)]) -> Workbook {
    let operations: Vec<Operation> = formulas
        .iter()
        .map(|(cell, formula)| {
            let set = serde_json::json!({"op": "set", "sheet": "Notes", "cell": cell, "value": {"formula": formula}});
            serde_json::from_value(set).unwrap()
        })
        .collect();
    kit::sales().apply(&operations).unwrap()
}

async fn calculated(book: &Workbook) -> Result<Calculated, Error> {
    let calculator = Calculator::new(kit::worker()).within(Duration::from_secs(20), 512 << 20);
    calculator.calculate(book).await
}

#[tokio::test]
async fn formulas_are_calculated_in_another_process_as_in_this_one() {
    let book = with(&[
        ("H1", "=SUM(1,2)"),
        ("H2", "=H1&\"x\""),
        ("H3", "=NOSUCHFUNCTION()"),
        ("H4", "=YEAR(TODAY())>2000"),
    ]);
    let calculated = calculated(&book).await.unwrap();
    assert_eq!(calculated, book.calculate().unwrap());
    let (_, calculation) = book.write_with(Ok(calculated)).unwrap();
    let told = calculation.told().unwrap();
    assert!(told.contains("\"Notes\"!H3"), "{told}");
}

#[tokio::test]
async fn formulas_that_want_too_much_are_stopped_and_nothing_is_lost() {
    let greedy = [
        "=SUM(ROW(1:1048576)*COLUMN(A:XFD))",
        "=SUM(_xlfn.SEQUENCE(1048576,16384))",
        "=LEN(REPT(REPT(\"a\",32767),32767))",
        "=SUM(MMULT(_xlfn.SEQUENCE(9000,9000),_xlfn.SEQUENCE(9000,9000)))",
    ];
    for formula in greedy {
        let book = with(&[("H1", formula), ("H2", "=1+1")]);
        let outcome = calculated(&book).await;
        let (written, calculation) = book.write_with(outcome).unwrap();
        match &calculation {
            Calculation::Refused { why } => {
                assert!(!why.contains('/'), "no path: {why}");
            }
            Calculation::Done { .. } => {}
            other => panic!("{formula}: {other:?}"),
        }
        let limits = superstep_workbook::Limits::default();
        let again = Workbook::read(written.bytes, &limits).unwrap();
        let cell = again.sheet("Notes").unwrap().cell("H1".parse().unwrap());
        let text = &cell.unwrap().formula().unwrap().text;
        // The mark of newer functions is in the file alone.
        assert_eq!(format!("={text}"), formula.replace("_xlfn.", ""));
    }
}

/// A worker that answers nothing, and writes down when it begins and ends.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn however_many_ask_few_workers_run_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let script = format!(
        "echo + >> '{log}'; i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done; echo - >> '{log}'",
        log = log.display()
    );
    let worker = superstep_sandbox::Worker::new("/bin/sh", ["-c".into(), script.into()]);
    let book = with(&[("H1", "=SUM(1,2)")]);
    let asked = (0..40).map(|_| {
        let (calculator, book) = (Calculator::new(worker.clone()), book.clone());
        tokio::spawn(async move { calculator.calculate(&book).await })
    });
    for asked in asked.collect::<Vec<_>>() {
        assert!(asked.await.unwrap().is_err(), "it answers nothing");
    }
    let (mut now, mut most) = (0_i32, 0);
    let log = std::fs::read_to_string(&log).unwrap();
    for line in log.lines() {
        now += if line == "+" { 1 } else { -1 };
        most = most.max(now);
    }
    assert_eq!((log.lines().count(), now), (80, 0));
    assert!((1..=8).contains(&most), "{most} at the same time");
}
