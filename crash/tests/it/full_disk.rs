//! A file system without room.

use std::{path::Path, process::Command};

use superstep_core::{
    checkpoint::Loaded,
    id::GraphPath,
    saver::{HistoryQuery, Saver},
};
use superstep_crash::work_dir::DATABASE;
use superstep_sqlite::Database;

#[test]
fn what_was_stored_before_the_room_ran_out_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let stored = fill(folder.path());
    assert!(stored > 10, "{stored}");
    let newest = newest(&folder.path().join(DATABASE));
    // A commit that was not acknowledged may be there or not.
    assert!(
        newest == stored || newest == stored + 1,
        "{newest}, not {stored}"
    );
}

/// Grows a thread in files of limited size, and returns the last step that was acknowledged.
fn fill(dir: &Path) -> i64 {
    // The signal that comes with the limit would end the process; a full disk sends none.
    let script = "trap '' XFSZ; ulimit -f 1000; exec \"$0\" \"$@\"";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_superstep-crash")])
        .arg("filler")
        .arg(dir)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().collect();
    let Some(([.., stored], [code])) = lines.split_last_chunk::<1>() else {
        panic!("{text}{errors}");
    };
    assert!(["SS2006", "SS2008"].contains(code), "{code}");
    stored.parse().unwrap()
}

/// The newest step of a database that passes its check.
#[tokio::main]
async fn newest(path: &Path) -> i64 {
    let database = Database::open(path).unwrap();
    let report = database.check().await.unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
    let (root, all) = (GraphPath::from(""), HistoryQuery::default());
    let saver = database.saver();
    let history = saver.history(&"long".into(), &root, &all).await.unwrap();
    history.first().and_then(Loaded::head).unwrap().step
}
