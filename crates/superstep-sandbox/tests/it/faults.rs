//! What a program that fails, prints or changes too much leaves.

use superstep_sandbox::{
    Availability, Embedded, Ending, Limits, Outcome, Sandbox, Stop, sandbox, sandboxes,
};

use crate::kit;

#[tokio::test]
async fn an_exception_comes_with_a_traceback_and_changes_nothing() {
    let sandbox = Embedded::new(kit::worker());
    let program = "def f(n):\n    return 1 / n\nworkbook['Notes']['A1'] = 'changed'\nf(0)\n";
    let ran = sandbox.run(&kit::job(program)).await.unwrap();
    let Ending::Raised(raised) = &ran.ending else {
        panic!("{:?}", ran.ending);
    };
    assert_eq!(raised.class, "ZeroDivisionError");
    assert_eq!(raised.line, Some(2));
    assert_eq!(
        raised.traceback,
        "Traceback (most recent call last):\n  File \"program.py\", line 4, in <module>\n    f(0)\n  \
         File \"program.py\", line 2, in f\n    return 1 / n\nZeroDivisionError: division by zero"
    );
    let error = ran.workbook(&kit::sales()).unwrap_err();
    assert_eq!(error.code(), "SS7602");
    assert!(error.hint().is_some());
}

#[tokio::test]
async fn a_text_that_is_no_program_is_an_exception_with_its_line() {
    let sandbox = Embedded::new(kit::worker());
    let ran = sandbox
        .run(&kit::job("x = 1\nif x\n    y\n"))
        .await
        .unwrap();
    let Ending::Raised(raised) = &ran.ending else {
        panic!("{:?}", ran.ending);
    };
    assert_eq!(raised.class, "SyntaxError");
    assert!(raised.message.contains("line 2"), "{}", raised.message);
}

#[tokio::test]
async fn what_is_not_supported_says_what_there_is() {
    let sandbox = Embedded::new(kit::worker());
    for (program, class, part) in [
        ("import pandas", "ModuleNotFoundError", "cpython"),
        ("import os", "ModuleNotFoundError", "cannot be reached"),
        (
            "workbook['Sales'].colour = 1",
            "AttributeError",
            "freeze_panes",
        ),
        ("workbook.sheets", "AttributeError", "sheetnames"),
        (
            "from openpyxl.styles import Fonts",
            "ImportError",
            "PatternFill",
        ),
        ("workbook['Nope']", "KeyError", "does not exist"),
        (
            "import openpyxl\nopenpyxl.load_workbook('/etc/passwd')",
            "FileNotFoundError",
            "sales.xlsx",
        ),
        ("open('x')", "PermissionError", "workbook"),
    ] {
        let ran = sandbox.run(&kit::job(program)).await.unwrap();
        let Ending::Raised(raised) = &ran.ending else {
            panic!("{program}: {:?}", ran.ending);
        };
        assert_eq!(raised.class, class, "{program}: {}", raised.message);
        assert!(
            raised.message.contains(part),
            "{program}: {}",
            raised.message
        );
    }
}

#[tokio::test]
async fn what_is_not_kept_is_an_exception_that_names_it() {
    let sandbox = Embedded::new(kit::worker());
    let sheet = "ws = workbook['Sales']\n";
    for (program, part) in [
        ("ws.add_image('x')", "ws.add_image"),
        (
            "from openpyxl.drawing.image import Image\nImage('x.png')",
            "a picture",
        ),
        (
            "from openpyxl.chart import BarChart3D\nBarChart3D()",
            "BarChart3D",
        ),
        (
            "from openpyxl.chart import BarChart\nBarChart().plot_area = 1",
            "BarChart.plot_area",
        ),
        (
            "from openpyxl.chart import BarChart, LineChart\nBarChart() + LineChart()",
            "a chart over another one",
        ),
        ("workbook.properties.title = 'x'", "wb.properties.title"),
        ("ws.column_dimensions['A'].font = 1", "ColumnDimension.font"),
        (
            "from openpyxl.styles import PatternFill\nws['A1'].fill = PatternFill('lightGrid', fgColor='FF0000')",
            "the pattern lightGrid",
        ),
        (
            "ws.auto_filter.add_filter_column(0, ['x'])",
            "ws.auto_filter.add_filter_column",
        ),
        ("ws.protection.set_password('x')", "a password"),
        (
            "ws.page_setup.cellComments = 'x'",
            "ws.page_setup.cellComments",
        ),
        (
            "ws.sheet_format.defaultRowHeight = 30",
            "ws.sheet_format.defaultRowHeight",
        ),
        ("ws.sheet_state = 'veryHidden'", "veryHidden"),
    ] {
        let ran = sandbox
            .run(&kit::job(&format!("{sheet}{program}\n")))
            .await
            .unwrap();
        let Ending::Raised(raised) = &ran.ending else {
            panic!("{program}: {:?}", ran.ending);
        };
        assert_eq!(raised.class, "NotImplementedError", "{program}");
        assert!(
            raised.message.contains(part),
            "{program}: {}",
            raised.message
        );
        assert!(raised.message.contains("cpython"), "{}", raised.message);
    }
}

#[tokio::test]
async fn what_is_printed_beyond_the_limit_is_dropped_and_counted() {
    let sandbox = Embedded::new(kit::worker());
    let limits = Limits {
        output: 10,
        ..Limits::default()
    };
    let job = kit::job("print('12345678901234567890')").within(limits);
    let ran = sandbox.run(&job).await.unwrap();
    assert_eq!(ran.stdout, "1234567890");
    assert_eq!(ran.stdout_dropped, 11);
}

#[tokio::test]
async fn too_many_operations_stop_a_program() {
    let sandbox = Embedded::new(kit::worker());
    let limits = Limits {
        operations: 100,
        ..Limits::default()
    };
    let program = "for i in range(1, 200):\n    workbook['Notes'].cell(i, 9, i)\n";
    let ran = sandbox
        .run(&kit::job(program).within(limits))
        .await
        .unwrap();
    assert!(
        matches!(ran.ending, Ending::Stopped(Stop::Operations)),
        "{:?}",
        ran.ending
    );
}

#[tokio::test]
async fn rows_become_few_operations() {
    let sandbox = Embedded::new(kit::worker());
    let program = "ws = workbook.create_sheet('Many')\nfor i in range(1000):\n    ws.append([i, i * 2, 'x'])\n";
    let ran = sandbox.run(&kit::job(program)).await.unwrap();
    let Ending::Done(Outcome::Operations { operations, .. }) = &ran.ending else {
        panic!("{:?}", ran.ending);
    };
    assert_eq!(operations.len(), 2);
    let book = ran.workbook(&kit::sales()).unwrap();
    assert_eq!(book.sheet("Many").unwrap().rows.len(), 1000);
}

#[tokio::test]
async fn the_workbook_that_went_in_stays_as_it_is() {
    let sandbox = Embedded::new(kit::worker());
    let job = kit::job("workbook['Sales']['A1'] = 'changed'\ndel workbook['Notes']\n");
    let ran = sandbox.run(&job).await.unwrap();
    assert_eq!(ran.workbook(&job.workbook).unwrap().sheets.len(), 1);
    assert_eq!(kit::shown(&job.workbook, ""), kit::shown(&kit::sales(), ""));
}

#[test]
fn sandboxes_are_found_by_name_and_say_what_contains_programs() {
    let worker = kit::worker();
    let all = sandboxes(&worker);
    assert_eq!(all[0].name(), "embedded");
    assert!(
        matches!(all[0].available(), Availability::Ready { contained_by } if !contained_by.is_empty())
    );
    let Err(error) = sandbox("none", &worker) else {
        panic!("there is no such sandbox");
    };
    assert_eq!(error.code(), "SS7607");
}
