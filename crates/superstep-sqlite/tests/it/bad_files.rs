//! Paths at which there is something else, files that are damaged or locked.
//!
//! Each is refused with a code of its own and a message that names the file, and stays as it is.

use std::{fs, path::Path, time::Duration};

use superstep_sqlite::{Database, Options};

use crate::env::{Folder, fill, load, tamper};

/// The code and the message of a refusal, which names the file.
fn refused(path: &Path) -> (&'static str, String) {
    let options = Options {
        busy_timeout: Duration::from_millis(50),
        ..Options::default()
    };
    let error = match Database::open_with(path, options) {
        Err(error) => error,
        Ok(_) => panic!("{} opened", path.display()),
    };
    let message = error.to_string();
    let name = path.display().to_string();
    assert!(message.contains(&name), "{message} does not name {name}");
    // Either the code says what to do, or the message does.
    let advice = error.hint().is_some() || message.contains(';') || message.contains("unable");
    assert!(advice, "{message}");
    (error.code(), message)
}

/// A refusal that leaves the file as it was.
fn refused_untouched(path: &Path) -> (&'static str, String) {
    let before = fs::read(path).unwrap();
    let reported = refused(path);
    assert_eq!(fs::read(path).unwrap(), before, "the file was changed");
    reported
}

/// No sign of a process is left behind.
fn no_signs(folder: &Folder) {
    let entries = fs::read_dir(folder.path().parent().unwrap()).unwrap();
    for entry in entries {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.contains("-worker-"), "{name} was left behind");
    }
}

#[test]
fn a_folder_in_place_of_the_file_is_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.path()).unwrap();
    let (code, message) = refused(&folder.path());
    assert_eq!(code, "SS2006");
    assert!(message.contains("leads to a folder"), "{message}");
}

#[test]
fn a_file_in_a_folder_that_does_not_exist_is_refused() {
    let folder = Folder::new();
    let path = folder.at("missing").join("a.db");
    let (code, message) = refused(&path);
    assert_eq!(code, "SS2006");
    assert!(message.contains("make it first"), "{message}");
    assert!(!folder.at("missing").exists());
}

#[test]
fn a_text_file_is_foreign() {
    let folder = Folder::new();
    for text in ["x", "a text", &"a long text".repeat(1_000)] {
        fs::write(folder.path(), text).unwrap();
        let (code, message) = refused_untouched(&folder.path());
        assert_eq!(code, "SS2010");
        assert!(message.contains("not a database"), "{message}");
    }
    no_signs(&folder);
}

#[test]
fn a_database_of_another_program_is_foreign_and_stays_as_it_is() {
    let setups = [
        "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)",
        "PRAGMA journal_mode = wal; CREATE TABLE mine (x)",
        "PRAGMA application_id = 7; CREATE TABLE mine (x)",
        "PRAGMA user_version = 1; CREATE TABLE mine (x)",
        "PRAGMA user_version = 1",
        "PRAGMA application_id = 7",
    ];
    for setup in setups {
        let folder = Folder::new();
        tamper(&folder.path(), setup);
        let (code, _) = refused_untouched(&folder.path());
        assert_eq!(code, "SS2010", "{setup}");
        no_signs(&folder);
    }
}

#[test]
fn a_foreign_database_in_use_keeps_its_log() {
    let folder = Folder::new();
    let theirs = rusqlite::Connection::open(folder.path()).unwrap();
    theirs
        .execute_batch("PRAGMA journal_mode = wal; CREATE TABLE mine (x)")
        .unwrap();
    let log = fs::read(folder.at("a.db-wal")).unwrap();
    assert!(!log.is_empty());
    let (code, _) = refused_untouched(&folder.path());
    assert_eq!(code, "SS2010");
    assert_eq!(fs::read(folder.at("a.db-wal")).unwrap(), log);
}

#[tokio::test]
async fn a_newer_version_is_refused_and_stays_as_it_is() {
    let folder = Folder::new();
    fill(&folder.open(), "a", "text", 3).await;
    tamper(&folder.path(), "PRAGMA user_version = 4711");
    let (code, message) = refused_untouched(&folder.path());
    assert_eq!(code, "SS2011");
    assert!(message.contains("format 4711"), "{message}");
    no_signs(&folder);
}

#[tokio::test]
async fn a_file_that_was_cut_off_is_damaged_wherever_it_was_cut() {
    let folder = Folder::new();
    fill(&folder.open(), "a", "text", 100).await;
    let whole = fs::read(folder.path()).unwrap();
    let near_the_start = [1, 5, 15, 16, 17, 50, 99, 100, 101, 511, 512, 1024];
    let around_pages = (1..9).flat_map(|page| [page * 4096 - 1, page * 4096, page * 4096 + 1]);
    let near_the_end = [whole.len() / 2, whole.len() - 4096, whole.len() - 1];
    for length in near_the_start
        .into_iter()
        .chain(around_pages)
        .chain(near_the_end)
    {
        let cut = Folder::new();
        fs::write(cut.path(), &whole[..length]).unwrap();
        let (code, message) = refused_untouched(&cut.path());
        // Of a few bytes nobody can say what they were.
        let known = if length < 512 {
            &["SS2005", "SS2010"][..]
        } else {
            &["SS2005"]
        };
        assert!(known.contains(&code), "{length} bytes: {message}");
    }
}

#[tokio::test]
async fn a_file_with_a_damaged_header_is_not_taken_for_a_new_one() {
    let folder = Folder::new();
    fill(&folder.open(), "a", "text", 3).await;
    let whole = fs::read(folder.path()).unwrap();
    for at in 0..100 {
        let damaged = Folder::new();
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        fs::write(damaged.path(), bytes).unwrap();
        // Some bytes of the header say nothing that matters.
        match Database::open(damaged.path()) {
            Ok(database) => assert_eq!(load(&database, "a").await.unwrap(), 3, "byte {at}"),
            Err(error) => {
                let known = ["SS2005", "SS2006", "SS2007", "SS2010", "SS2011"];
                assert!(known.contains(&error.code()), "byte {at}: {error}");
            }
        }
    }
}

#[test]
fn an_empty_file_is_a_new_one() {
    let folder = Folder::new();
    fs::write(folder.path(), "").unwrap();
    drop(folder.open());
    drop(folder.open());
}

#[tokio::test]
async fn opening_and_reading_write_nothing() {
    let folder = Folder::new();
    fill(&folder.open(), "a", "text", 3).await;
    let before = fs::read(folder.path()).unwrap();
    let database = folder.open();
    assert_eq!(load(&database, "a").await.unwrap(), 3);
    assert_eq!(fs::read(folder.at("a.db-wal")).unwrap().len(), 0);
    drop(database);
    assert_eq!(fs::read(folder.path()).unwrap(), before);
}

#[tokio::test]
async fn an_empty_file_beside_a_full_log_is_not_taken_for_a_new_one() {
    let folder = Folder::new();
    let database = folder.open();
    fill(&database, "a", "text", 3).await;
    let log = fs::read(folder.at("a.db-wal")).unwrap();
    drop(database);
    let cut = Folder::new();
    fs::write(cut.path(), "").unwrap();
    fs::write(cut.at("a.db-wal"), &log).unwrap();
    let (code, message) = refused(&cut.path());
    assert_eq!(code, "SS2005");
    assert!(message.contains("write-ahead log"), "{message}");
    assert_eq!(fs::read(cut.at("a.db-wal")).unwrap(), log);
}

#[test]
fn a_file_that_another_program_keeps_to_itself_is_locked() {
    let folder = Folder::new();
    drop(folder.open());
    let theirs = rusqlite::Connection::open(folder.path()).unwrap();
    theirs
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        .unwrap();
    let (code, _) = refused(&folder.path());
    assert_eq!(code, "SS2009");
    drop(theirs);
    drop(folder.open());
}

#[test]
fn a_new_file_that_another_program_writes_is_locked() {
    let folder = Folder::new();
    let theirs = rusqlite::Connection::open(folder.path()).unwrap();
    theirs
        .execute_batch("BEGIN EXCLUSIVE; CREATE TABLE mine (x)")
        .unwrap();
    let (code, _) = refused(&folder.path());
    assert_eq!(code, "SS2009");
}

#[test]
fn something_in_the_place_of_the_log_is_an_error_that_names_the_file() {
    let folder = Folder::new();
    drop(folder.open());
    fs::create_dir(folder.at("a.db-wal")).unwrap();
    let (code, _) = refused_untouched(&folder.path());
    assert_eq!(code, "SS2006");
    no_signs(&folder);
}

#[test]
fn many_who_make_the_same_file_at_once_all_get_it() {
    for _ in 0..10 {
        let folder = Folder::new();
        let path = folder.path();
        std::thread::scope(|scope| {
            let opening: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| Database::open(&path)))
                .collect();
            for opened in opening {
                opened.join().unwrap().unwrap();
            }
        });
    }
}
