//! A sheet of a million cells, read, changed and written within a memory cap.

use std::fmt::Write as _;

use superstep_workbook::OnLoad;

use crate::made::{Made, at, operations, read};

const ROWS: u32 = 100_000;
const COLUMNS: [char; 10] = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'];

/// What a million cells may take at the peak, the file and its XML included.
#[cfg(target_os = "linux")]
const CAP: usize = 384 << 20;

/// The most memory that this process ever had.
#[cfg(target_os = "linux")]
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kib: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib << 10
}

#[test]
fn a_million_cells_are_read_changed_and_written_within_the_cap() {
    let mut rows = String::with_capacity(40 << 20);
    for row in 1..=ROWS {
        let _ = write!(rows, "<row r=\"{row}\">");
        for column in COLUMNS {
            let _ = write!(rows, "<c r=\"{column}{row}\"><v>{}.25</v></c>", row % 997);
        }
        rows.push_str("</row>");
    }
    let made = Made::with_rows(&rows);
    drop(rows);
    let bytes = made.bytes();
    drop(made);
    let book = read(bytes);
    let sheet = book.sheet("Data").unwrap();
    assert_eq!(sheet.cells().count(), 1_000_000);
    assert_eq!(sheet.used().unwrap().to_string(), "A1:J100000");
    let sum: f64 = sheet
        .cells()
        .filter_map(|(_, cell)| cell.value.as_number())
        .sum();
    let list = operations(
        r#"[{"op":"set","sheet":"Data","cell":"K1","value":{"formula":"=SUM(A1:J100000)"}},
            {"op":"delete_rows","sheet":"Data","first":50000,"count":1}]"#,
    );
    let after = book.apply(&list).unwrap();
    let written = after.write(OnLoad::Calculate).unwrap();
    drop((book, after));
    let again = read(written.bytes);
    let sheet = again.sheet("Data").unwrap();
    assert_eq!(sheet.cells().count(), 999_991);
    let formula = sheet.cell(at("K1")).unwrap().formula().unwrap();
    assert_eq!(formula.text, "SUM(A1:J99999)");
    let left: f64 = sheet
        .cells()
        .filter_map(|(_, cell)| cell.value.as_number())
        .sum();
    assert_eq!(sum - left, 10.0 * (f64::from(50_000 % 997) + 0.25));
    assert!(again.state(1_000).len() <= 4_000);
    #[cfg(target_os = "linux")]
    assert!(peak() < CAP, "{} MiB", peak() >> 20);
}
