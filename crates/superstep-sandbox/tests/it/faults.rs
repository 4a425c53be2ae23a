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
        (
            "import os\nos.listdir('.')", "PermissionError", "cannot be reached",
        ),
        (
            "from pathlib import Path\nPath('x').open()",
            "PermissionError",
            "cannot be reached",
        ),
        (
            "import subprocess", "ModuleNotFoundError", "cannot be reached",
        ),
        (
            "workbook['Sales'].colour = 1", "AttributeError", "freeze_panes",
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
        (
            "from openpyxl.chart.trendline import Trendline\nTrendline()",
            "Trendline",
        ),
        (
            "from openpyxl.chart.marker import DataPoint\nDataPoint(idx=1)",
            "DataPoint",
        ),
        (
            "from openpyxl.worksheet.formula import ArrayFormula\nws['A1'] = ArrayFormula('A1:A3', '=B1:B3')",
            "SUMPRODUCT",
        ),
        (
            "from openpyxl.worksheet.filters import FilterColumn\nFilterColumn(colId=0)",
            "hide the rows",
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

#[tokio::test]
async fn styles_of_cells_are_changed_by_reassigning_them_as_in_openpyxl() {
    let sandbox = Embedded::new(kit::worker());
    for program in [
        "workbook['Sales']['A1'].font.bold = True",
        "workbook['Sales']['A1'].fill.fgColor = 'FF0000'",
        "workbook['Sales']['A1'].alignment.horizontal = 'center'",
        "workbook['Sales']['A1'].border.left.style = 'thin'",
    ] {
        let ran = sandbox.run(&kit::job(program)).await.unwrap();
        let Ending::Raised(raised) = &ran.ending else {
            panic!("{program}: {:?}", ran.ending);
        };
        assert_eq!(raised.class, "AttributeError", "{program}");
        let message = "Style objects are immutable and cannot be changed.";
        assert!(raised.message.starts_with(message), "{}", raised.message);
    }
    // One that belongs to no cell can be changed, and a copy of one that does.
    let program = "from copy import copy\nfrom openpyxl.styles import Font, Side\n\
        f = Font()\nf.bold = True\nf.color = 'FF0000'\ncell = workbook['Sales']['B2']\ncell.font = f\n\
        g = copy(cell.font)\ng.italic = True\ncell.font = g\ns = Side()\ns.border_style = 'thin'\n\
        print(cell.font.b, cell.font.i, cell.font.color.rgb[-6:], s.style)\n";
    let ran = sandbox.run(&kit::job(program)).await.unwrap();
    assert_eq!(ran.stdout, "True True FF0000 thin\n", "{:?}", ran.ending);
}

#[tokio::test]
async fn control_characters_are_refused_and_long_exceptions_are_cut() {
    let sandbox = Embedded::new(kit::worker());
    let program = "from openpyxl.utils.exceptions import IllegalCharacterError\n\
        try:\n    workbook['Notes']['A1'] = 'bell \\x07'\nexcept IllegalCharacterError as e:\n    print('refused')\n\
        try:\n    workbook['Notes'].append(['\\x01'])\nexcept IllegalCharacterError as e:\n    print('refused')\n";
    let ran = sandbox.run(&kit::job(program)).await.unwrap();
    assert_eq!(ran.stdout, "refused\nrefused\n", "{:?}", ran.ending);
    let program = "raise ValueError('x' * 50_000_000)";
    let ran = sandbox.run(&kit::job(program)).await.unwrap();
    let Ending::Raised(raised) = &ran.ending else {
        panic!("it raises");
    };
    assert!(raised.message.len() < 11_000 && raised.traceback.len() < 21_000);
}

#[tokio::test]
async fn times_and_moved_cells_look_as_in_openpyxl() {
    let sandbox = Embedded::new(kit::worker());
    let program = "import datetime\nfrom copy import copy\nfrom openpyxl.styles import Font, PatternFill\n\
        ws = workbook['Notes']\n\
        ws['H1'] = datetime.time(8, 30)\nws['H2'] = datetime.timedelta(hours=30)\n\
        ws.append([datetime.timedelta(minutes=90)])\n\
        for cell in (ws['H1'], ws['H2'], ws.cell(ws.max_row, 1)):\n    print(cell.value, cell.number_format)\n\
        ws['K1'] = 'moved'\nws['K1'].font = Font(bold=True)\nws['K1'].fill = PatternFill('solid', fgColor='FF0000')\n\
        ws.move_range('K1:K1', rows=2, cols=1)\n\
        print(ws['K1'].value, ws['K1'].font.b, ws['K1'].fill.fill_type, ws['L3'].value, ws['L3'].font.b, ws['L3'].fill.fill_type)\n\
        ws['M1']._style = copy(ws['L3']._style)\nprint(ws['M1'].font.b, ws['M1'].fill.fill_type)\n";
    let ran = sandbox.run(&kit::job(program)).await.unwrap();
    assert_eq!(
        ran.stdout,
        "08:30:00 h:mm:ss\n1 day, 6:00:00 [hh]:mm:ss\n1:30:00 [hh]:mm:ss\n\
         None False None moved True solid\nTrue solid\n",
        "{:?}",
        ran.ending
    );
}

#[tokio::test]
async fn values_are_written_as_openpyxl_writes_them_or_refused() {
    let sandbox = Embedded::new(kit::worker());
    let program = "ws = workbook['Notes']\nws['D1'] = ''\nws['D2'] = '#N/A'\nws['D3'] = '#nothing'\nws['E1'] = 1\nws['E1'] = ''\n";
    let before = kit::sales();
    let ran = sandbox.run(&kit::job(program)).await.unwrap();
    let after = ran.workbook(&before).unwrap();
    let notes = after.sheet("Notes").unwrap();
    let value = |at: &str| notes.value(at.parse().unwrap()).clone();
    assert_eq!(value("D1"), superstep_workbook::Value::Empty);
    assert_eq!(value("D2"), superstep_workbook::Value::Error("#N/A".into()));
    assert_eq!(value("D3").as_text(), Some("#nothing"));
    assert_eq!(value("E1"), superstep_workbook::Value::Empty);
    for (value, why) in [
        ("float('nan')", "NaN is no number of a cell"),
        ("float('inf')", "inf is no number of a cell"),
        ("'=SUM('", "is no whole formula"),
    ] {
        let program = format!("workbook['Notes']['D1'] = {value}\n");
        let ran = sandbox.run(&kit::job(&program)).await.unwrap();
        let Ending::Raised(raised) = &ran.ending else {
            panic!("{program}: {:?}", ran.ending);
        };
        assert!(raised.message.contains(why), "{}", raised.message);
    }
}

#[tokio::test]
async fn a_name_that_is_changed_in_place_is_changed_in_the_workbook() {
    let sandbox = Embedded::new(kit::worker());
    let program = "from openpyxl.workbook.defined_name import DefinedName\n\
        workbook.defined_names['Rate'] = DefinedName('Rate', attr_text='Sales!$A$1')\n\
        workbook.defined_names['Rate'].attr_text = 'Sales!$B$2'\n\
        print(workbook.defined_names['Rate'].attr_text)\n";
    let before = kit::sales();
    let ran = sandbox.run(&kit::job(program)).await.unwrap();
    assert_eq!(ran.stdout, "Sales!$B$2\n");
    let after = ran.workbook(&before).unwrap();
    let names: Vec<&str> = after
        .names
        .iter()
        .filter(|it| it.name == "Rate")
        .map(|it| it.refers_to.as_str())
        .collect();
    assert_eq!(names, ["Sales!$B$2"]);
}
