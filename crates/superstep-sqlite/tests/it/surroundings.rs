//! What other programs do to the files of a database: links, moves, damage of the log, raised formats.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
};

use superstep_core::{
    error::SaverError,
    record::Change,
    saver::{Commit, Saver},
    value::Value,
};
use superstep_sqlite::{Database, OpenMode, Options};
use superstep_store::{Namespace, PutOptions, Store as _};

use crate::env::{Folder, Writing, fill, load, record, tamper};

/// Set in a process that fills a thread of a database, holds it and waits.
const HOLDER: &str = "SUPERSTEP_TEST_HOLDER";

/// The test whose process is a [`Holder`] where [`HOLDER`] is set.
const HOLDER_TEST: &str = "surroundings::looking_sees_what_a_live_process_stores";

/// Fills a thread and holds it until the standard input ends.
async fn hold(path: &Path) {
    let database = Database::open(path).unwrap();
    fill(&database, "a", "text", 5).await;
    let held = Writing::begin(&database, "a").await;
    println!("holding=");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    drop(held);
}

/// A process that has stored five records of thread `a` and holds it.
struct Holder {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Holder {
    fn start(path: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", HOLDER_TEST, "--nocapture"])
            .env(HOLDER, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("holding=") {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0, "it did not start");
        }
        // Whoever is not read stops writing.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let pipe = child.stdin.take();
        Self { child, pipe }
    }

    /// Ends it as a crash would.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Lets it end by itself.
    fn end(mut self) {
        drop(self.pipe.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// The files of a database whose process was killed.
fn killed() -> Folder {
    let folder = Folder::new();
    Holder::start(&folder.path()).kill();
    folder
}

fn code(opened: Result<Database, SaverError>) -> &'static str {
    match opened {
        Ok(_) => "it opened",
        Err(error) => error.code(),
    }
}

fn open(path: &Path, mode: OpenMode) -> Result<Database, SaverError> {
    let options = Options {
        mode,
        ..Options::default()
    };
    Database::open_with(path, options)
}

const MODES: [OpenMode; 3] = [OpenMode::Create, OpenMode::Existing, OpenMode::ReadOnly];

/// The bytes of the file and its log.
fn bytes(folder: &Folder) -> [Option<Vec<u8>>; 2] {
    ["a.db", "a.db-wal"].map(|name| fs::read(folder.at(name)).ok())
}

/// Gives one bit of the log another value.
fn flip(folder: &Folder, byte: usize, bit: u8) {
    let path = folder.at("a.db-wal");
    let mut log = fs::read(&path).unwrap();
    log[byte] ^= 1 << bit;
    fs::write(path, log).unwrap();
}

#[tokio::test]
async fn a_flipped_bit_in_the_header_of_the_log_is_refused_and_putting_it_back_helps() {
    let folder = killed();
    let before = bytes(&folder);
    // One bit of each of its eight words.
    for word in 0..8 {
        let (byte, bit) = (word * 4 + word % 4, word as u8);
        flip(&folder, byte, bit);
        let damaged = bytes(&folder);
        for mode in MODES {
            assert_eq!(code(open(&folder.path(), mode)), "SS2005", "word {word}");
            assert_eq!(
                bytes(&folder),
                damaged,
                "word {word}: something was written"
            );
        }
        flip(&folder, byte, bit);
    }
    assert_eq!(bytes(&folder), before);
    assert_eq!(load(&folder.open(), "a").await.unwrap(), 5);
}

#[tokio::test]
async fn a_flipped_salt_of_the_first_frame_is_refused() {
    let folder = killed();
    flip(&folder, 32 + 8, 3);
    let damaged = bytes(&folder);
    for mode in MODES {
        assert_eq!(code(open(&folder.path(), mode)), "SS2005");
    }
    assert_eq!(bytes(&folder), damaged);
}

/// The damaged log is refused in every mode, nothing is written, and putting it back helps.
async fn refuses_log(folder: &Folder, what: &str, log: &[u8]) {
    let path = folder.at("a.db-wal");
    let before = bytes(folder);
    fs::write(&path, log).unwrap();
    let damaged = bytes(folder);
    for mode in MODES {
        assert_eq!(code(open(&folder.path(), mode)), "SS2005", "{what}");
        assert!(bytes(folder) == damaged, "{what}: something was written");
    }
    fs::write(&path, before[1].as_ref().unwrap()).unwrap();
}

#[tokio::test]
async fn a_log_whose_beginning_is_lost_or_moved_is_refused_and_putting_it_back_helps() {
    let folder = killed();
    let whole = fs::read(folder.at("a.db-wal")).unwrap();
    let with = |range: std::ops::Range<usize>, text: &[u8]| {
        let mut log = whole.clone();
        let bytes = text.iter().copied().cycle().take(range.len());
        log.splice(range, bytes);
        log
    };
    let cases = [
        ("a byte in front", [b"x", whole.as_slice()].concat()),
        ("the first page cut off", whole[4096..].to_vec()),
        ("the header cut off", whole[32..].to_vec()),
        ("zeros for the first page", with(0..4096, b"\0")),
        ("text for the first page", with(0..4096, b"some text\n")),
        ("zeros for the header", with(0..32, b"\0")),
        ("zeros for the header of frame 1", with(32..56, b"\0")),
        ("text for the header of frame 1", with(32..56, b"text")),
        ("zeros for all", vec![0; whole.len()]),
        ("a short text", b"a note".to_vec()),
        (
            "a byte behind the header",
            [&whole[..32], b"x", &whole[32..]].concat(),
        ),
    ];
    for (what, log) in &cases {
        refuses_log(&folder, what, log).await;
    }
    assert_eq!(load(&folder.open(), "a").await.unwrap(), 5);
}

#[tokio::test]
async fn the_beginnings_of_a_log_that_a_power_cut_leaves_are_no_damage() {
    let folder = killed();
    let whole = fs::read(folder.at("a.db-wal")).unwrap();
    let sector = |from: usize, to: usize| {
        let mut log = whole.clone();
        log[from..to].fill(0);
        log
    };
    let cases = [
        ("room for the header", vec![0; 32]),
        ("half of a header", whole[..16].to_vec()),
        ("a header", whole[..32].to_vec()),
        ("a header and room for frames", sector(32, whole.len())),
        ("a header, and later sectors of the frames", sector(32, 512)),
        ("all but the second sector", sector(512, 1024)),
        ("half of the first frame", whole[..2000].to_vec()),
    ];
    for (what, log) in cases {
        for mode in MODES {
            let copy = Folder::new();
            fs::copy(folder.path(), copy.path()).unwrap();
            fs::write(copy.at("a.db-wal"), &log).unwrap();
            let database =
                open(&copy.path(), mode).unwrap_or_else(|error| panic!("{what}: {error}"));
            // The first record is in the file itself.
            assert!(load(&database, "a").await.unwrap() >= 1, "{what}");
        }
    }
}

#[tokio::test]
async fn frames_from_before_a_restart_of_the_log_are_no_damage() {
    let folder = Folder::new();
    let database = folder.open();
    let writing = Writing::begin(&database, "a").await;
    writing.extend(1, None, "one").await;
    writing.extend(2, Some(1), "two").await;
    let before = fs::read(folder.at("a.db-wal")).unwrap();
    tamper(&folder.path(), "PRAGMA wal_checkpoint(PASSIVE)");
    let file = fs::read(folder.path()).unwrap();
    writing.extend(3, Some(2), "three").await;
    let after = fs::read(folder.at("a.db-wal")).unwrap();
    assert_ne!(before[..32], after[..32], "it was not restarted");
    // The power was cut after the header was written, or within it.
    for new in [32, 16] {
        let copy = Folder::new();
        fs::write(copy.path(), &file).unwrap();
        let log = [&after[..new], &before[new..]].concat();
        fs::write(copy.at("a.db-wal"), log).unwrap();
        for mode in [OpenMode::ReadOnly, OpenMode::Existing] {
            let database = open(&copy.path(), mode).unwrap();
            assert_eq!(load(&database, "a").await.unwrap(), 2, "{new} bytes");
        }
    }
}

/// The names beside a database and what they are.
#[cfg(unix)]
fn kinds(folder: &Folder) -> Vec<(std::ffi::OsString, fs::FileType)> {
    let entries = fs::read_dir(folder.at(".")).unwrap().map(Result::unwrap);
    let mut all: Vec<_> = entries
        .map(|entry| (entry.file_name(), entry.file_type().unwrap()))
        .collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

#[cfg(unix)]
#[test]
fn what_is_no_file_beside_a_database_is_refused_and_stays() {
    for suffix in ["-wal", "-shm", "-journal"] {
        let folder = killed();
        let place = folder.at(&format!("a.db{suffix}"));
        let aside = folder.at("aside");
        for kind in ["a pipe", "a link", "a folder"] {
            if place.is_file() {
                fs::rename(&place, &aside).unwrap();
            }
            match kind {
                "a pipe" => {
                    let made = Command::new("mkfifo").arg(&place).status();
                    assert!(made.unwrap().success());
                }
                "a link" => std::os::unix::fs::symlink("/dev/null", &place).unwrap(),
                _ => fs::create_dir(&place).unwrap(),
            }
            let before = (kinds(&folder), fs::read(folder.path()).unwrap());
            // Twice: the first refusal must not clear the way for the second.
            for mode in MODES.into_iter().chain(MODES) {
                assert_eq!(
                    code(open(&folder.path(), mode)),
                    "SS2006",
                    "{kind} {suffix}"
                );
                let after = (kinds(&folder), fs::read(folder.path()).unwrap());
                assert!(after == before, "{kind} {suffix}: something was changed");
            }
            match kind {
                "a folder" => fs::remove_dir(&place).unwrap(),
                _ => fs::remove_file(&place).unwrap(),
            }
            if aside.exists() {
                fs::rename(&aside, &place).unwrap();
            }
        }
        assert_eq!(code(open(&folder.path(), OpenMode::ReadOnly)), "it opened");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_the_log_of_a_missing_file_makes_no_file() {
    let folder = Folder::new();
    let made = Command::new("mkfifo").arg(folder.at("a.db-wal")).status();
    assert!(made.unwrap().success());
    assert_eq!(code(open(&folder.path(), OpenMode::Create)), "SS2006");
    assert!(!folder.path().exists());
}

#[tokio::test]
async fn a_damaged_log_of_which_all_is_in_the_file_is_no_damage() {
    let folder = killed();
    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    connection
        .execute_batch("PRAGMA wal_checkpoint(PASSIVE)")
        .unwrap();
    let (file, log) = (fs::read(folder.path()), fs::read(folder.at("a.db-wal")));
    drop(connection);
    let copy = Folder::new();
    fs::write(copy.path(), file.unwrap()).unwrap();
    fs::write(copy.at("a.db-wal"), log.unwrap()).unwrap();
    flip(&copy, 12, 0);
    assert_eq!(load(&copy.open(), "a").await.unwrap(), 5);
}

#[tokio::test]
async fn a_bare_first_page_beside_a_log_is_refused() {
    let folder = killed();
    let bare = Folder::new();
    rusqlite::Connection::open(bare.path())
        .unwrap()
        .execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = wal")
        .unwrap();
    // A log that SQLite reads would make the file whole; one that it does not read is all there is.
    let mut log = fs::read(folder.at("a.db-wal")).unwrap();
    log[0] ^= 1;
    fs::write(bare.at("a.db-wal"), log).unwrap();
    let before = bytes(&bare);
    for mode in MODES {
        assert_eq!(code(open(&bare.path(), mode)), "SS2005");
    }
    assert_eq!(bytes(&bare), before);
}

#[tokio::test]
async fn the_file_itself_is_ours_and_has_the_first_record_before_it_is_acknowledged() {
    let folder = Folder::new();
    let database = folder.open();
    let made = fs::read(folder.path()).unwrap();
    assert_eq!(&made[68..72], b"SSTP", "the application id is in the file");
    fill(&database, "a", "text", 1).await;
    let copy = Folder::new();
    fs::write(copy.path(), fs::read(folder.path()).unwrap()).unwrap();
    assert_eq!(load(&copy.open(), "a").await.unwrap(), 1);
}

#[tokio::test]
async fn a_log_without_its_file_is_refused_and_nothing_is_made_or_removed() {
    let folder = killed();
    fs::rename(folder.path(), folder.at("aside")).unwrap();
    let before = bytes(&folder);
    for mode in MODES {
        assert_eq!(code(open(&folder.path(), mode)), "SS2005");
    }
    assert_eq!(bytes(&folder), before);
    fs::rename(folder.at("aside"), folder.path()).unwrap();
    assert_eq!(load(&folder.open(), "a").await.unwrap(), 5);
}

#[cfg(unix)]
#[tokio::test]
async fn a_thread_that_is_held_is_busy_by_every_name_of_the_file() {
    let folder = Folder::new();
    drop(folder.open());
    std::os::unix::fs::symlink("a.db", folder.at("soft.db")).unwrap();
    std::os::unix::fs::symlink(folder.at("soft.db"), folder.at("softer.db")).unwrap();
    fs::hard_link(folder.path(), folder.at("hard.db")).unwrap();
    for name in ["soft.db", "softer.db", "hard.db"] {
        let holder = Holder::start(&folder.path());
        let database = Database::open(folder.at(name)).unwrap();
        assert_eq!(load(&database, "a").await.unwrap(), 5, "{name}");
        let taken = database.saver().lease(&"a".into()).await;
        assert!(matches!(taken, Err(SaverError::Busy { .. })), "{name}");
        assert!(!folder.at(&format!("{name}-wal")).exists(), "{name}");
        drop(database);
        holder.end();
        let database = Database::open(folder.at(name)).unwrap();
        database.saver().delete(&"a".into()).await.unwrap();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_to_a_file_that_is_not_there_yet_makes_that_file() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("a.db", folder.at("link.db")).unwrap();
    fill(
        &Database::open(folder.at("link.db")).unwrap(),
        "a",
        "text",
        2,
    )
    .await;
    assert!(folder.path().is_file());
    assert_eq!(load(&folder.open(), "a").await.unwrap(), 2);
}

#[cfg(unix)]
#[test]
fn a_hard_link_in_another_folder_is_refused() {
    let folder = Folder::new();
    drop(folder.open());
    fs::create_dir(folder.at("other")).unwrap();
    fs::hard_link(folder.path(), folder.at("other").join("b.db")).unwrap();
    for mode in MODES {
        assert_eq!(code(open(&folder.path(), mode)), "SS2017");
    }
    fs::remove_file(folder.at("other").join("b.db")).unwrap();
    drop(folder.open());
}

/// Stores one record more, as a run does that was begun before.
async fn commit(writing: &Writing, epoch: u64, id: u128) -> Result<(), SaverError> {
    let change = Change::Extend(Value::list([Value::from("late")]));
    let mut record = record(id, (id > 1).then(|| id - 1), change);
    record.durability = superstep_core::policy::Durability::Sync;
    let commit = Commit {
        thread: writing.thread.clone(),
        namespace: writing.namespace.clone(),
        epoch,
        record: record.into(),
        events: Vec::new(),
    };
    writing.saver.commit(commit).await.map(drop)
}

#[tokio::test]
async fn a_format_that_is_raised_while_the_file_is_open_is_noticed_by_the_next_write() {
    let folder = Folder::new();
    let database = folder.open();
    let writing = Writing::begin(&database, "a").await;
    commit(&writing, writing.epoch(), 1).await.unwrap();
    tamper(&folder.path(), "PRAGMA user_version = 4711");
    let error = commit(&writing, writing.epoch(), 2).await.unwrap_err();
    assert_eq!(error.code(), "SS2011");
    assert!(error.to_string().contains("a.db"), "{error}");
    let SaverError::Newer { known, .. } = error else {
        panic!("{error}");
    };
    tamper(&folder.path(), &format!("PRAGMA user_version = {known}"));
    assert_eq!(load(&database, "a").await.unwrap(), 1);
    commit(&writing, writing.epoch(), 2).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_step_is_not_acknowledged_into_a_file_that_was_removed_or_replaced() {
    let folder = Folder::new();
    let database = folder.open();
    let writing = Writing::begin(&database, "a").await;
    commit(&writing, writing.epoch(), 1).await.unwrap();
    fs::rename(folder.path(), folder.at("aside")).unwrap();
    let removed = commit(&writing, writing.epoch(), 2).await.unwrap_err();
    assert_eq!(removed.code(), "SS2014");
    let again = commit(&writing, writing.epoch(), 2).await.unwrap_err();
    assert_eq!(again.code(), "SS2014");
    fs::write(folder.path(), "somebody else's").unwrap();
    let replaced = commit(&writing, writing.epoch(), 2).await.unwrap_err();
    assert_eq!(replaced.code(), "SS2014");
    // Nothing is done to what is in its place, not even at the end.
    drop((writing, database));
    assert_eq!(fs::read(folder.path()).unwrap(), b"somebody else's");
}

#[cfg(unix)]
#[tokio::test]
async fn closing_a_file_that_was_replaced_leaves_the_log_of_the_other_one() {
    let folder = Folder::new();
    let database = folder.open();
    fill(&database, "a", "text", 3).await;
    load(&database, "a").await.unwrap();
    for name in ["a.db", "a.db-wal", "a.db-shm"] {
        fs::rename(folder.at(name), folder.at(&format!("aside-{name}"))).unwrap();
    }
    let other = Holder::start(&folder.path());
    drop(database);
    other.kill();
    assert!(folder.at("a.db-wal").exists());
    assert_eq!(load(&folder.open(), "a").await.unwrap(), 5);
}

#[test]
fn looking_makes_no_file_and_says_that_there_is_none() {
    let folder = Folder::new();
    for mode in [OpenMode::ReadOnly, OpenMode::Existing] {
        assert_eq!(code(open(&folder.path(), mode)), "SS2015");
        assert_eq!(code(open(&folder.at("no").join("a.db"), mode)), "SS2015");
    }
    assert_eq!(fs::read_dir(folder.at(".")).unwrap().count(), 0);
    fs::write(folder.path(), "").unwrap();
    assert_eq!(code(open(&folder.path(), OpenMode::ReadOnly)), "SS2015");
    assert_eq!(fs::read(folder.path()).unwrap(), b"");
}

#[tokio::test]
async fn looking_reads_what_a_killed_process_left_and_changes_nothing() {
    let folder = killed();
    let before = bytes(&folder);
    let database = open(&folder.path(), OpenMode::ReadOnly).unwrap();
    assert_eq!(load(&database, "a").await.unwrap(), 5);
    assert!(database.check().await.unwrap().is_clean());
    let refused = database.saver().lease(&"a".into()).await;
    assert!(matches!(refused, Err(SaverError::ReadOnly(_))));
    let refused = database.saver().delete(&"a".into()).await;
    assert!(matches!(refused, Err(SaverError::ReadOnly(_))));
    drop(database);
    assert_eq!(bytes(&folder), before);
}

#[tokio::test]
async fn looking_at_a_file_at_rest_leaves_nothing_beside_it() {
    let folder = Folder::new();
    fill(&folder.open(), "a", "text", 3).await;
    let before = fs::read(folder.path()).unwrap();
    let database = open(&folder.path(), OpenMode::ReadOnly).unwrap();
    assert_eq!(load(&database, "a").await.unwrap(), 3);
    drop(database);
    assert_eq!(fs::read(folder.path()).unwrap(), before);
    assert_eq!(fs::read_dir(folder.at(".")).unwrap().count(), 1);
}

#[tokio::test]
async fn looking_sees_what_a_live_process_stores() {
    if let Some(path) = std::env::var_os(HOLDER) {
        return hold(Path::new(&path)).await;
    }
    let folder = Folder::new();
    let holder = Holder::start(&folder.path());
    let database = open(&folder.path(), OpenMode::ReadOnly).unwrap();
    assert_eq!(load(&database, "a").await.unwrap(), 5);
    holder.end();
    let other = folder.open();
    fill(&other, "b", "text", 2).await;
    assert_eq!(load(&database, "b").await.unwrap(), 2);
}

#[test]
fn signs_of_processes_that_were_killed_before_their_first_lease_are_removed() {
    let folder = Folder::new();
    let database = folder.open();
    for id in 0..8 {
        let name = format!("a.db-worker-{id:016x}");
        fs::write(folder.at(&name), "").unwrap();
    }
    fs::write(folder.at("a.db-worker-notes"), "mine").unwrap();
    let signs = || {
        let entries = fs::read_dir(folder.at(".")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains("-worker-")).count()
    };
    assert_eq!(signs(), 10);
    let other = folder.open();
    assert_eq!(signs(), 3, "two that live, and what is none");
    drop((database, other));
    assert_eq!(signs(), 1);
}

#[tokio::test]
async fn a_file_without_its_log_has_the_first_step_also_when_something_else_was_stored_before() {
    let folder = Folder::new();
    let database = folder.open();
    let space = Namespace::new(["notes"]).unwrap();
    let note = serde_json::json!("first");
    let store = database.store();
    store
        .put(&space, "a", note, PutOptions::default())
        .await
        .unwrap();
    fill(&database, "a", "text", 3).await;
    let copy = Folder::new();
    fs::copy(folder.path(), copy.path()).unwrap();
    let there = copy.open();
    assert!(load(&there, "a").await.unwrap() > 0);
}

#[tokio::test]
async fn a_file_of_somebody_else_stays_though_it_has_the_name_of_a_lock_file() {
    let folder = Folder::new();
    drop(folder.open());
    let (foreign, left) = (
        folder.at("a.db-worker-0123456789abcdef"),
        folder.at("a.db-worker-fedcba9876543210"),
    );
    fs::write(&foreign, "notes").unwrap();
    fs::write(&left, "").unwrap();
    drop(folder.open());
    assert_eq!(fs::read_to_string(&foreign).unwrap(), "notes");
    assert!(!left.exists());
}
