//! The open-posts workbooks: figures to the cent, and what a round trip leaves alone.

use superstep_workbook::{Changes, DateSystem, Limits, OnLoad, Overwrite, Sheet, Workbook, save};

use crate::made::{at, done, read, shown};

const INPUT: &[u8] = include_bytes!("../fixtures/opos_input.xlsx");
const EXPECTED: &[u8] = include_bytes!("../fixtures/opos_expected.xlsx");

/// The column with this header; the first one if there are several.
fn column(sheet: &Sheet, header: &str) -> u32 {
    let row = sheet.rows.get(&1).unwrap();
    let cell = row
        .cells
        .iter()
        .find(|cell| cell.value.as_text() == Some(header));
    cell.unwrap().column
}

/// Amounts and due dates of the rows that are posts: those with a document number.
fn posts(book: &Workbook) -> Vec<(f64, f64)> {
    let sheet = book.sheet("Sheet1").unwrap();
    let number = column(sheet, "Belegnummer");
    let amount = column(sheet, "Betrag in Belegwährung");
    let due = column(sheet, "Nettofälligkeit");
    let rows = sheet.rows.values().skip(1);
    rows.filter_map(|row| {
        row.cell(number).filter(|cell| !cell.is_blank())?;
        let amount = row.cell(amount)?.value.as_number()?;
        Some((amount, row.cell(due)?.value.as_number()?))
    })
    .collect()
}

fn cents(amounts: impl Iterator<Item = f64>) -> i64 {
    amounts.map(|amount| (amount * 100.0).round() as i64).sum()
}

#[test]
fn the_figures_of_the_input_are_right_to_the_cent() {
    let book = read(INPUT.to_vec());
    let posts = posts(&book);
    let invoices: Vec<f64> = posts.iter().map(|it| it.0).filter(|it| *it > 0.0).collect();
    let credits: Vec<f64> = posts.iter().map(|it| it.0).filter(|it| *it < 0.0).collect();
    assert_eq!(invoices.len(), 69);
    assert_eq!(cents(invoices.into_iter()), 69_243_109);
    assert_eq!(credits.len(), 36);
    assert_eq!(cents(credits.into_iter()), -27_098_808);
    // Rows with an amount and no document are sums.
    let sheet = book.sheet("Sheet1").unwrap();
    let amount = column(sheet, "Betrag in Belegwährung");
    let is_amount = |row: &&superstep_workbook::Row| {
        row.cell(amount)
            .is_some_and(|cell| cell.value.as_number().is_some())
    };
    let rows = sheet.rows.values().filter(is_amount).count();
    assert_eq!(rows - posts.len(), 45);
}

#[test]
fn invoices_are_as_old_as_their_due_dates_say() {
    let book = read(INPUT.to_vec());
    let day = book.dates.read("2025-06-10").unwrap();
    let posts = posts(&book);
    let aged = |from: f64, to: f64| {
        let invoices = posts.iter().filter(|(amount, _)| *amount > 0.0);
        let meant = invoices.filter(|(_, due)| day - due > from && day - due <= to);
        cents(meant.map(|(amount, _)| *amount))
    };
    let ages = [
        aged(f64::NEG_INFINITY, 0.0),
        aged(0.0, 30.0),
        aged(30.0, 60.0),
        aged(60.0, f64::INFINITY),
    ];
    assert_eq!(ages, [34_344_661, 11_772_401, 5_800_836, 17_325_211]);
}

#[test]
fn dates_are_dates_and_texts_stay_texts() {
    let book = read(INPUT.to_vec());
    assert_eq!(book.dates, DateSystem::Since1900);
    assert_eq!(shown(&book, "Sheet1", "B2"), "2025-05-05");
    assert_eq!(shown(&book, "Sheet1", "A2"), "0090429355");
    assert_eq!(shown(&book, "Sheet1", "L2"), "2784.6");
    let sheet = book.sheet("sheet1").unwrap();
    assert_eq!(sheet.width(1), Some(23.0));
    assert!(sheet.columns.iter().any(|column| column.hidden));
}

#[test]
fn an_unchanged_workbook_is_the_file_that_was_read() {
    for file in [INPUT, EXPECTED] {
        let written = read(file.to_vec()).write(OnLoad::Calculate).unwrap();
        assert_eq!(written.bytes, file);
        assert!(written.share.rewritten.is_empty());
    }
}

#[test]
fn one_cell_rewrites_one_sheet_and_the_workbook_part() {
    for (file, parts) in [(INPUT, 10), (EXPECTED, 13)] {
        let book = read(file.to_vec());
        let name = &book.sheets[0].name;
        let set =
            format!(r#"[{{"op":"set","sheet":"{name}","cell":"AZ1","value":{{"number":1.5}}}}]"#);
        let after = book.apply(&crate::made::operations(&set)).unwrap();
        let written = after.write(OnLoad::Calculate).unwrap();
        assert_eq!(written.share.identical, parts - 2);
        assert_eq!(
            written.share.rewritten,
            ["xl/workbook.xml", "xl/worksheets/sheet1.xml"]
        );
        let again = read(written.bytes);
        for name in again.package().names() {
            let is_new = written.share.rewritten.iter().any(|it| it == name);
            let (one, other) = (book.package().part(name), again.package().part(name));
            assert_eq!(one.unwrap() == other.unwrap(), !is_new, "{name}");
        }
        let changes = Changes::between(&book, &again);
        assert_eq!(changes.cell_count, 1, "{changes}");
        assert_eq!(changes.format_count, 0, "{changes}");
        assert!(changes.others.is_empty(), "{changes}");
    }
}

#[test]
fn what_is_computed_from_the_input_can_be_written_into_it() {
    let book = read(INPUT.to_vec());
    let after = done(
        &book,
        r##"[{"op":"add_sheet","name":"Altersstruktur"},
            {"op":"set_rows","sheet":"Altersstruktur","cell":"A1","rows":[
              [{"text":"Stichtag"},{"date":"2025-06-10"}],
              [{"text":"Summe"},{"formula":"=SUM(Sheet1!T2:T106)"}]]},
            {"op":"format","sheet":"Altersstruktur","area":"A1:B1","style":{"bold":true,"fill":"FFFF00"}},
            {"op":"format","sheet":"Altersstruktur","area":"B2","style":{"number_format":"#,##0.00"}}]"##,
    );
    assert_eq!(shown(&after, "Altersstruktur", "B1"), "2025-06-10");
    assert_eq!(
        shown(&after, "Altersstruktur", "B2"),
        "=SUM(Sheet1!T2:T106)"
    );
    let sheet = after.sheet("Altersstruktur").unwrap();
    let look = after.styles.look(sheet.cell(at("A1")).unwrap().style);
    assert_eq!(look.bold, Some(true));
    assert_eq!(look.fill.as_deref(), Some("FFFFFF00"));
    assert_eq!(posts(&after), posts(&book));
}

#[test]
fn the_input_file_is_never_modified_and_outputs_are_not_overwritten_by_accident() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.xlsx");
    std::fs::write(&path, INPUT).unwrap();
    let book = Workbook::open(&path, &Limits::default()).unwrap();
    let error = save(&path, b"x", Overwrite::Never).unwrap_err();
    assert_eq!(error.code(), "SS7516");
    let out = folder.path().join("out.xlsx");
    let written = book.write(OnLoad::Trust).unwrap();
    save(&out, &written.bytes, Overwrite::Never).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), INPUT);
    assert_eq!(std::fs::read(&out).unwrap(), INPUT);
}
