//! The same programs and the same attempts to escape as in the embedded sandbox.

mod differences;

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
            let program = "workbook['Notes']['A1'] = 'changed'\nprint('ran')\n";
            let ran = sandbox.run(&kit::job(program)).await.unwrap();
            assert_eq!(ran.stdout, "ran\n", "{:?}", ran.ending);
            let escaped = kit::escaped(Arc::new(sandbox)).await;
            assert!(escaped.is_empty(), "{}", escaped.join("\n"));
        }
        // A kernel without Landlock: refused, with the reason.
        Availability::Missing { why } => {
            assert!(why.contains("Landlock"), "{why}");
            let refused = sandbox.run(&kit::job("x = 1")).await.unwrap_err();
            assert_eq!(refused.code(), "SS7601");
        }
    }
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

/// The sales with what openpyxl does not know: a text with formats, a sparkline, a conversation and custom XML.
fn extended() -> superstep_workbook::Workbook {
    use std::io::{Cursor, Read, Write};

    const REL: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let bytes = std::fs::read(kit::folder("programs/sales.xlsx")).unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut parts: Vec<(String, String)> = Vec::new();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).unwrap();
        let name = file.name().unwrap().into_owned();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        parts.push((name, text));
    }
    let part = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    for (name, text) in &mut parts {
        match name.as_str() {
            "xl/worksheets/sheet1.xml" => {
                *text = text.replace(
                    "</sheetData>",
                    "<row r=\"30\"><c r=\"A30\" t=\"inlineStr\"><is><r><t xml:space=\"preserve\">plain </t></r><r><rPr><b/></rPr>\
                     <t>bold</t></r></is></c></row></sheetData>",
                );
                *text = text.replace(
                    "</worksheet>",
                    "<extLst><ext xmlns:x14=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/main\" \
                     uri=\"{05C60535-1F16-4fd2-B633-F4F36F0B64E0}\"><x14:sparklineGroups \
                     xmlns:xm=\"http://schemas.microsoft.com/office/excel/2006/main\"><x14:sparklineGroup><x14:sparklines>\
                     <x14:sparkline><xm:f>Sales!D2:D11</xm:f><xm:sqref>H1</xm:sqref></x14:sparkline></x14:sparklines>\
                     </x14:sparklineGroup></x14:sparklineGroups></ext></extLst></worksheet>",
                );
            }
            "xl/_rels/workbook.xml.rels" => {
                let more = format!(
                    "<Relationship Id=\"rId98\" Type=\"{REL}/customXml\" Target=\"/customXml/item1.xml\"/></Relationships>"
                );
                *text = text.replace("</Relationships>", &more);
            }
            _ => {}
        }
    }
    parts.push(part("customXml/item1.xml", "<a>kept</a>"));
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in &parts {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(name.as_str(), options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    let limits = superstep_workbook::Limits::default();
    superstep_workbook::Workbook::read(bytes, &limits).unwrap()
}

#[tokio::test]
async fn what_openpyxl_does_not_know_is_there_afterwards() {
    use superstep_sandbox::Job;
    use superstep_workbook::{OnLoad, Value, Workbook};

    let before = extended();
    let known = before.extras().unwrap();
    assert_eq!(known.len(), 2, "{known:?}");
    for (program, cell) in [
        ("workbook['Sales']['H2'] = 1\n", "A30"),
        ("workbook['Sales'].insert_rows(2, 3)\n", "A33"),
        ("workbook['Sales'].title = 'Sold'\n", "A30"),
    ] {
        let ran = sandbox()
            .run(&Job::new(program, before.clone()))
            .await
            .unwrap();
        let after = ran.workbook(&before).unwrap();
        let written = after.write(OnLoad::Calculate).unwrap();
        let limits = superstep_workbook::Limits::default();
        let after = Workbook::read(written.bytes, &limits).unwrap();
        let counts = |all: &[superstep_workbook::ExtraFeature]| -> Vec<(&'static str, usize)> {
            all.iter().map(|it| (it.kind, it.count)).collect()
        };
        assert_eq!(
            counts(&after.extras().unwrap()),
            counts(&known),
            "{program}"
        );
        let name = ran.lineage.sheet("Sales").unwrap();
        let sheet = after.sheet(name).unwrap();
        let Value::Text(text) = sheet.value(cell.parse().unwrap()) else {
            panic!("{program}: there is no text in {cell}");
        };
        assert!(
            text.has_formats() && text.plain == "plain bold",
            "{program}"
        );
    }
}

#[tokio::test]
async fn sheets_that_a_program_renames_or_makes_anew_are_told_apart() {
    let before = kit::sales();
    let ran = async |program: &str| sandbox().run(&kit::job(program)).await.unwrap();
    let renamed = ran("workbook['Sales'].title = 'Sold'\n").await;
    let after = renamed.workbook(&before).unwrap();
    let notes = after.sheet("Notes").unwrap();
    let formula = notes
        .cell("B2".parse().unwrap())
        .unwrap()
        .formula()
        .unwrap();
    assert_eq!(formula.text, "SUM(Sold!D2:D11)");
    assert_eq!(renamed.lineage.sheet("Sales"), Some("Sold"));
    let anew = ran("workbook.remove(workbook['Sales'])\nworkbook.create_sheet('Sales')\n").await;
    assert_eq!(anew.lineage.sheet("Sales"), None);
    assert_eq!(anew.lineage.before("Sales"), None);
    let deleted = ran("workbook['Sales'].delete_rows(2, 2)\n").await;
    assert_eq!(deleted.lineage.tracks("Sales").deleted_rows(), [(2, 3)]);
    let own = ran("import openpyxl\nwb = openpyxl.Workbook()\nwb.save('sales.xlsx')\n").await;
    assert!(own.lineage.is_new);
    // Who saves what was not changed gets the workbook as it was.
    let same = ran("workbook.save('sales.xlsx')\n").await;
    let same = same.workbook(&before).unwrap();
    let share = same.write(superstep_workbook::OnLoad::Trust).unwrap().share;
    assert!(
        share.rewritten.is_empty() && share.added.is_empty(),
        "{share:?}"
    );
}

fn output(program: &std::path::Path, arguments: &[&str]) -> String {
    let ran = std::process::Command::new(program)
        .args(arguments)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{}: {told}", program.display());
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

/// A virtual environment with an openpyxl of its own, which knows no texts with formats, as before version 3.1.
fn virtual_environment(folder: &std::path::Path) -> std::path::PathBuf {
    let python = std::path::Path::new("python3");
    output(
        python,
        &["-m", "venv", "--without-pip", folder.to_str().unwrap()],
    );
    let inside = folder.join("bin/python3");
    let place = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let packages = output(&inside, &["-c", place]);
    let copy = "import os, shutil, sys, openpyxl, et_xmlfile\n\
        for it in (openpyxl, et_xmlfile):\n    \
            shutil.copytree(os.path.dirname(it.__file__), os.path.join(sys.argv[1], it.__name__))\n";
    output(python, &["-I", "-c", copy, &packages]);
    let about = std::path::Path::new(&packages).join("openpyxl/__init__.py");
    let text = std::fs::read_to_string(&about).unwrap();
    let older = "\n_newer = load_workbook\n\
        def load_workbook(filename, read_only=False, keep_vba=False, data_only=False, keep_links=True):\n    \
            return _newer(filename, read_only, keep_vba, data_only, keep_links)\n";
    std::fs::write(&about, format!("{text}{older}")).unwrap();
    inside
}

#[tokio::test]
async fn programs_run_in_a_virtual_environment_and_with_an_older_openpyxl() {
    let folder = tempfile::tempdir().unwrap();
    let python = virtual_environment(folder.path());
    for namespaces in [true, false] {
        let sandbox = CPython::with_python(kit::worker(), &python);
        let sandbox = match namespaces {
            true => sandbox,
            false => sandbox.without_namespaces(),
        };
        if !namespaces && !sandbox.available().is_ready() {
            // A kernel without Landlock: refused, as another test shows.
            continue;
        }
        let program = "import openpyxl\nprint(openpyxl.__file__)\nworkbook['Notes']['A1'] = 1\n";
        let ran = sandbox.run(&kit::job(program)).await.unwrap();
        assert!(matches!(ran.ending, Ending::Done(_)), "{:?}", ran.ending);
        let place = folder.path().to_str().unwrap();
        assert!(ran.stdout.starts_with(place), "{}", ran.stdout);
        let tried = (&sandbox as &dyn Sandbox).tried().await;
        assert!(tried.is_ready(), "{tried:?}");
    }
}

#[tokio::test]
async fn a_python_whose_openpyxl_fails_in_the_sandbox_is_not_ready() {
    let folder = tempfile::tempdir().unwrap();
    let python = virtual_environment(folder.path());
    let place = "import openpyxl; print(openpyxl.__file__)";
    let about = output(&python, &["-I", "-c", place]);
    let text = std::fs::read_to_string(&about).unwrap();
    // It is imported without harm, and cannot load a workbook.
    let broken = "\ndef load_workbook(*_, **__):\n    raise RuntimeError('broken on purpose')\n";
    std::fs::write(&about, format!("{text}{broken}")).unwrap();
    let sandbox = CPython::with_python(kit::worker(), &python);
    assert!(sandbox.available().is_ready());
    match (&sandbox as &dyn Sandbox).tried().await {
        Availability::Missing { why } => assert!(why.contains("broken on purpose"), "{why}"),
        ready => panic!("{ready:?}"),
    }
}

/// Runs a program that looks for open descriptors: the child of the test below.
async fn look_for_descriptors() {
    let program = "import os\n\
        places = ['/proc/self/fd/%d' % fd for fd in range(3, 20)]\n\
        places += ['/proc/1/fd/%d' % fd for fd in range(3, 20)]\n\
        for fd in range(3, 20):\n    \
            for act in (lambda: os.read(fd, 100), lambda: os.write(fd, b'WRITTEN')):\n        \
                try:\n            print(fd, act())\n        \
                except OSError:\n            pass\n\
        for place in places:\n    \
            try:\n        print(place, open(place).read())\n    \
            except OSError:\n        pass\n\
        print('over')\n";
    let both = [sandbox(), CPython::new(kit::worker()).without_namespaces()];
    for sandbox in both.iter().filter(|it| it.available().is_ready()) {
        let ran = sandbox.run(&kit::job(program)).await.unwrap();
        assert!(!ran.stdout.contains("THE-SECRET"), "{}", ran.stdout);
        assert!(ran.stdout.ends_with("over\n"), "{}", ran.stdout);
    }
}

/// The descriptors are inherited by this test itself, which starts once more for that.
#[tokio::test]
async fn programs_have_no_descriptor_that_was_open_before() {
    let (again, name) = (
        "SUPERSTEP_TEST_DESCRIPTORS",
        "needs_cpython::programs_have_no_descriptor_that_was_open_before",
    );
    if std::env::var_os(again).is_some() {
        return look_for_descriptors().await;
    }
    let folder = tempfile::tempdir().unwrap();
    let (secret, written) = (folder.path().join("secret"), folder.path().join("written"));
    std::fs::write(&secret, "THE-SECRET").unwrap();
    std::fs::write(&written, "").unwrap();
    let script = "exec 3<\"$0\" 4>\"$1\"; shift; exec \"$@\"";
    let ran = std::process::Command::new("/bin/sh")
        .args(["-c", script])
        .args([&secret, &written])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(again, "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{told}");
    assert!(told.contains("1 passed"), "{told}");
    assert_eq!(std::fs::read_to_string(&written).unwrap(), "");
}
