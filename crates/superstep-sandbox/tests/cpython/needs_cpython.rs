//! The same programs and the same attempts to escape as in the embedded sandbox.

use std::sync::Arc;

use superstep_sandbox::{Availability, CPython, Ending, Sandbox, Stop};

use crate::kit;

fn sandbox() -> CPython {
    let sandbox = CPython::new(kit::worker());
    let available = sandbox.available();
    assert!(available.is_ready(), "{available:?}");
    sandbox
}

#[tokio::test]
async fn programs_give_the_workbook_that_openpyxl_gives() {
    // The expected looks are what CPython with openpyxl gives; they are written by this run when asked for.
    if std::env::var_os("SUPERSTEP_WRITE_LOOKS").is_some() {
        kit::write_looks(Arc::new(sandbox())).await;
    }
    let wrong = kit::wrong(Arc::new(sandbox())).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn attempts_to_escape_are_contained_and_the_host_lives() {
    let escaped = kit::escaped(Arc::new(sandbox())).await;
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
}

#[tokio::test]
async fn landlock_alone_contains_attempts_to_escape_or_nothing_is_run() {
    let sandbox = CPython::new(kit::worker()).without_namespaces();
    match sandbox.available() {
        Availability::Ready { contained_by } => {
            assert!(contained_by.iter().any(|it| it == "Landlock"));
            assert!(!contained_by.iter().any(|it| it.contains("bubblewrap")));
        }
        // A kernel without Landlock: refused, with the reason.
        Availability::Missing { why } => {
            assert!(why.contains("Landlock"), "{why}");
            let refused = sandbox.run(&kit::job("x = 1")).await.unwrap_err();
            assert_eq!(refused.code(), "SS7601");
            return;
        }
    }
    let program = "workbook['Notes']['A1'] = 'changed'\nprint('ran')\n";
    let ran = sandbox.run(&kit::job(program)).await.unwrap();
    assert_eq!(ran.stdout, "ran\n", "{:?}", ran.ending);
    let escaped = kit::escaped(Arc::new(sandbox)).await;
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
}

#[tokio::test]
async fn what_surrounds_cells_is_in_the_report_of_what_changed() {
    let program = "from openpyxl.comments import Comment\n\
        from openpyxl.worksheet.table import Table\n\
        from openpyxl.worksheet.datavalidation import DataValidation\n\
        ws = workbook['Sales']\n\
        ws['B2'].comment = Comment('look', 'me')\n\
        ws.add_table(Table(displayName='T', ref='A1:F11'))\n\
        dv = DataValidation(type='list', formula1='\"a,b\"')\n\
        dv.add('H1')\n\
        ws.add_data_validation(dv)\n\
        workbook['Notes']['A5'].hyperlink = 'https://example.com'\n";
    let before = kit::sales();
    let ran = sandbox().run(&kit::job(program)).await.unwrap();
    let after = ran.workbook(&before).unwrap();
    let report = superstep_workbook::Changes::between(&before, &after).to_string();
    for line in [
        "\"Sales\": + comment B2: \"look\" by \"me\"",
        "\"Sales\": + table A1:F11: T ",
        "\"Sales\": + validation H1: list",
        "\"Notes\": + link A5: https://example.com",
    ] {
        assert!(report.contains(line), "{line}\n{report}");
    }
}

#[tokio::test]
async fn an_exception_comes_with_the_line_of_the_program() {
    let ran = sandbox()
        .run(&kit::job("x = 1\nworkbook['Nope']\n"))
        .await
        .unwrap();
    let Ending::Raised(raised) = &ran.ending else {
        panic!("{:?}", ran.ending);
    };
    assert_eq!((raised.class.as_str(), raised.line), ("KeyError", Some(2)));
    assert!(
        !raised.traceback.contains("harness"),
        "{}",
        raised.traceback
    );
}

#[tokio::test]
async fn a_program_without_end_is_killed_at_its_time() {
    let job = kit::job("while True:\n    pass\n").within(kit::tight());
    let ran = sandbox().run(&job).await.unwrap();
    assert!(
        matches!(ran.ending, Ending::Stopped(Stop::Time)),
        "{:?}",
        ran.ending
    );
}

#[test]
fn without_openpyxl_nothing_is_run() {
    let sandbox = CPython::with_python(kit::worker(), "/bin/false");
    assert!(!sandbox.available().is_ready());
}

#[tokio::test]
async fn formulas_of_a_program_are_calculated_and_sheets_are_told_by_their_names() {
    use superstep_sandbox::Calculator;
    use superstep_workbook::{Calculation, Changes};

    let program = "ws = workbook.create_sheet('First', 0)\n\
        ws['A1'] = '=1+2'\n\
        ws['A2'] = '=NOSUCHFUNCTION(1)'\n\
        workbook.move_sheet('Notes', -1)\n";
    let before = kit::sales();
    let ran = sandbox().run(&kit::job(program)).await.unwrap();
    let after = ran.workbook(&before).unwrap();
    let changes = Changes::between(&before, &after);
    assert_eq!(changes.sheets_added, ["First"], "{changes}");
    assert!(changes.sheets_renamed.is_empty() && changes.sheets_removed.is_empty());
    assert!(changes.sheets_reordered);
    assert_eq!(changes.cell_count, 2, "{changes}");
    let calculated = Calculator::new(kit::worker()).calculate(&after).await;
    let (written, calculation) = after.write_with(calculated).unwrap();
    let Calculation::Done { kept: 1, .. } = calculation else {
        panic!("{calculation:?}");
    };
    let limits = superstep_workbook::Limits::default();
    let book = superstep_workbook::Workbook::read(written.bytes, &limits).unwrap();
    let first = book.sheet("First").unwrap();
    assert_eq!(first.value("A1".parse().unwrap()).as_number(), Some(3.0));
}

#[tokio::test]
async fn a_program_that_fills_its_folder_is_stopped() {
    for program in [
        "for n in range(10**6):\n    open(f'f{n}', 'w').close()\n",
        "for n in range(100):\n    open(f'f{n}', 'wb').write(b'x' * (50 << 20))\n",
    ] {
        let ran = sandbox().run(&kit::job(program)).await.unwrap();
        let is_stopped = matches!(ran.ending, Ending::Stopped(Stop::Disk));
        assert!(is_stopped, "{program}: {:?}", ran.ending);
    }
}

#[tokio::test]
async fn page_breaks_filters_and_properties_are_in_the_report_of_what_changed() {
    let program = "from openpyxl.worksheet.pagebreak import Break\n\
        ws = workbook['Sales']\n\
        ws.row_breaks.append(Break(id=5))\n\
        ws.auto_filter.ref = 'A1:F11'\n\
        ws.auto_filter.add_filter_column(1, ['North'])\n\
        ws.row_dimensions[3].hidden = True\n\
        workbook.properties.title = 'Quarter'\n";
    let before = kit::sales();
    let ran = sandbox().run(&kit::job(program)).await.unwrap();
    let after = ran.workbook(&before).unwrap();
    let report = superstep_workbook::Changes::between(&before, &after).to_string();
    for line in [
        "page break: below row 5",
        "filtered column B: ",
        "North",
        "rows 3 are hidden or shown",
        "property title: none → \"Quarter\"",
    ] {
        assert!(report.contains(line), "{line}\n{report}");
    }
}

#[tokio::test]
async fn folders_of_killed_processes_are_deleted_by_the_next_run() {
    // No process has this number: it is above what the kernel gives.
    let left = std::env::temp_dir().join("superstep-cpython-4194305-left");
    std::fs::create_dir_all(left.join("deep")).unwrap();
    let ran = sandbox().run(&kit::job("print('ran')")).await.unwrap();
    assert_eq!(ran.stdout, "ran\n");
    assert!(!left.exists());
}

#[tokio::test]
async fn formulas_that_openpyxl_leaves_behind_are_told() {
    use superstep_sandbox::Job;

    let formulas = serde_json::json!([
        {"op": "set", "sheet": "Sales", "cell": "H1", "value": {"formula": "=SUM(D2:D11)"}},
        {"op": "set", "sheet": "Sales", "cell": "H12", "value": {"formula": "=A1"}},
        {"op": "merge", "sheet": "Sales", "area": "J5:K6"},
    ]);
    let formulas: Vec<superstep_workbook::Operation> = serde_json::from_value(formulas).unwrap();
    let before = kit::sales().apply(&formulas).unwrap();
    let told = async |program: &str| {
        let job = Job::new(program, before.clone());
        let ran = sandbox().run(&job).await.unwrap();
        let after = ran.workbook(&before).unwrap();
        ran.warnings(&before, &after)
    };
    let [inserted] = &told("workbook['Sales'].insert_rows(3, 2)\n").await[..] else {
        panic!("it is told");
    };
    assert!(
        inserted.starts_with("2 rows inserted at row 3 of \"Sales\": "),
        "{inserted}"
    );
    // A1 is where it was.
    let left = "the formulas of \"Sales\"!H1 (=SUM(D2:D11)), \"Notes\"!B2 (=SUM(Sales!D2:D11)); 1 merged area";
    assert!(inserted.ends_with(left), "{inserted}");
    let deleted = told("workbook['Sales'].delete_cols(2)\n").await;
    assert!(
        deleted[0].starts_with("1 column deleted at column 2 of \"Sales\": "),
        "{deleted:?}"
    );
    // Below all that is named, on a sheet of its own, and where the program sees to it itself.
    for fine in [
        "workbook['Sales'].insert_rows(50)\n",
        "ws = workbook.create_sheet('Own')\nws['A5'] = '=A9'\nws.insert_rows(1)\n",
        "ws = workbook['Sales']\nws.unmerge_cells('J5:K6')\nws.insert_rows(3)\nws['H1'] = '=SUM(D2:D12)'\n\
         workbook['Notes']['B2'] = '=SUM(Sales!D2:D12)'\n",
    ] {
        assert_eq!(told(fine).await, Vec::<String>::new(), "{fine}");
    }
}
