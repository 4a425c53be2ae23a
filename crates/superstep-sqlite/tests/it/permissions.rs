//! File permissions: a database is for its owner, unless its mode says otherwise.
#![cfg(unix)]

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Command,
    sync::{Arc, Barrier},
};

use superstep_sqlite::Database;

use crate::env::{Folder, fill};

/// The names beside a database, and their rights.
fn rights(folder: &Folder) -> Vec<(String, u32)> {
    let files = fs::read_dir(folder.at("")).unwrap().map(Result::unwrap);
    let mut all: Vec<(String, u32)> = files
        .map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            (name, mode(&file.path()))
        })
        .collect();
    all.sort();
    all
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn a_new_database_its_logs_and_its_copy_are_for_their_owner_alone() {
    let folder = Folder::new();
    let database = folder.open();
    fill(&database, "thread", "text", 3).await;
    database.backup(folder.at("copy.db")).await.unwrap();
    let all = rights(&folder);
    for name in ["a.db", "a.db-shm", "a.db-wal", "copy.db"] {
        assert!(all.iter().any(|(it, _)| it == name), "{name}: {all:?}");
    }
    assert!(all.iter().any(|(it, _)| it.contains("-worker-")), "{all:?}");
    for (name, mode) in all {
        assert_eq!(mode, 0o600, "{name}: {mode:03o}");
    }
}

/// Set in a process whose umask takes all rights: the folder of the database.
const STRICT: &str = "SUPERSTEP_TEST_STRICT_UMASK";

/// The child of the test below, which has a umask of its own.
async fn store_under_a_strict_umask(folder: &Path) {
    let database = Database::open(folder.join("a.db")).unwrap();
    fill(&database, "thread", "text", 3).await;
    database.backup(folder.join("copy.db")).await.unwrap();
    // Everything stays as it is, as if the process were killed.
    std::process::exit(0);
}

#[tokio::test]
async fn a_new_database_is_its_owners_whatever_the_umask_takes() {
    if let Some(folder) = std::env::var_os(STRICT) {
        return store_under_a_strict_umask(Path::new(&folder)).await;
    }
    let own_name = "permissions::a_new_database_is_its_owners_whatever_the_umask_takes";
    for umask in ["0777", "0277", "0000"] {
        let folder = Folder::new();
        let run = Command::new("sh")
            .args(["-c", "umask $1; exec \"$0\" --exact \"$2\""])
            .arg(std::env::current_exe().unwrap())
            .args([umask, own_name])
            .env(STRICT, folder.at(""))
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        let all = rights(&folder);
        assert_eq!(all.len(), 5, "{all:?}");
        for (name, mode) in all {
            assert_eq!(mode, 0o600, "{name} with umask {umask}: {mode:03o}");
        }
    }
}

#[tokio::test]
async fn a_database_that_is_shared_stays_so_with_all_that_is_beside_it() {
    let folder = Folder::new();
    drop(folder.open());
    fs::set_permissions(folder.path(), Permissions::from_mode(0o660)).unwrap();
    let database = folder.open();
    fill(&database, "thread", "text", 3).await;
    let all = rights(&folder);
    assert_eq!(all.len(), 4, "{all:?}");
    for (name, mode) in all {
        assert_eq!(mode, 0o660, "{name}: {mode:03o}");
    }
}

#[tokio::test]
async fn threads_that_make_the_same_database_do_not_take_its_locks_away() {
    const OPENERS: usize = 8;
    for _ in 0..20 {
        let folder = Folder::new();
        let barrier = Arc::new(Barrier::new(OPENERS));
        let openers: Vec<_> = (0..OPENERS)
            .map(|_| {
                let (path, barrier) = (folder.path(), barrier.clone());
                std::thread::spawn(move || {
                    barrier.wait();
                    Database::open(path).unwrap()
                })
            })
            .collect();
        let all: Vec<Database> = openers.into_iter().map(|it| it.join().unwrap()).collect();
        for (number, database) in all.iter().enumerate() {
            fill(database, &format!("thread-{number}"), "text", 2).await;
        }
        let report = all[0].check().await.unwrap();
        assert!(report.is_clean(), "{:#?}", report.problems);
    }
}

#[tokio::test]
async fn a_copy_never_takes_a_file_that_is_there() {
    let folder = Folder::new();
    let database = folder.open();
    fs::write(folder.at("copy.db"), "").unwrap();
    database.backup(folder.at("copy.db")).await.unwrap_err();
    assert_eq!(fs::read(folder.at("copy.db")).unwrap(), b"");
}
