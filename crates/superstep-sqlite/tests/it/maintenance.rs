//! Integrity check, backup, vacuum, and what remains of deleted data.

use std::{
    fs,
    path::Path,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::Duration,
};

use superstep_core::{
    error::SaverError,
    id::{GraphPath, ThreadId},
    record::Change,
    saver::{HistoryQuery, Keep, Saver},
    value::Value,
};
use superstep_sqlite::{Database, Options, Report};

use crate::env::{Folder, Writing, fill, load, record, tamper};

fn clean(report: &Report) {
    assert!(report.is_clean(), "{:#?}", report.problems);
}

/// A database in which everything has happened.
async fn eventful(folder: &Folder) -> Database {
    let database = folder.open();
    let saver = database.saver();
    fill(&database, "long", "text", 200).await;
    fill(&database, "deleted", "text", 20).await;
    fill(&database, "pruned", "other", 40).await;
    let writing = Writing::begin(&database, "forked").await;
    for (id, parent) in [
        (1, None),
        (2, Some(1)),
        (3, Some(1)),
        (4, Some(2)),
        (5, None),
    ] {
        writing.extend(id, parent, "text").await;
    }
    writing.note(1, "late").await;
    writing.note(4, "later").await;
    let writing = writing.below("child:1");
    writing.extend(1, None, &"large".repeat(10_000)).await;
    drop(writing);
    let [long, pruned, deleted] = ["long", "pruned", "deleted"].map(ThreadId::from);
    saver.copy(&long, &ThreadId::from("copied")).await.unwrap();
    saver.prune(&pruned, Keep::Last(3)).await.unwrap();
    saver.delete(&deleted).await.unwrap();
    let forked = saver.export(&ThreadId::from("forked")).await.unwrap();
    saver
        .import(&ThreadId::from("imported"), forked)
        .await
        .unwrap();
    database
}

#[tokio::test]
async fn a_file_that_is_whole_has_no_problems() {
    let folder = Folder::new();
    clean(&folder.open().check().await.unwrap());
    let database = eventful(&folder).await;
    clean(&database.quick_check().await.unwrap());
    let report = database.check().await.unwrap();
    clean(&report);
    assert_eq!((report.threads, report.graphs), (5, 7));
    assert!(report.rows > 500 && report.blobs > 20, "{report:?}");
    drop(database);
    clean(&folder.open().check().await.unwrap());
}

#[test]
fn a_check_needs_no_runtime() {
    let folder = Folder::new();
    let database = folder.open();
    let superstep_core::future::MaybeReady::Now(Some(report)) = database.check() else {
        panic!("it waits");
    };
    clean(&report.unwrap());
}

#[tokio::test]
async fn every_kind_of_damage_is_found() {
    let damages = [
        ("UPDATE log SET body = zeroblob(20) WHERE seq = 5", "row 5"),
        ("UPDATE log SET body = x'' WHERE seq = 5", "row 5"),
        ("UPDATE log SET parent = 2 WHERE seq = 7", "row 7"),
        ("UPDATE log SET kind = 77 WHERE seq = 7", "row 7"),
        ("UPDATE log SET id = zeroblob(16) WHERE seq = 8", "row 8"),
        ("UPDATE log SET step = 99 WHERE seq = 8", "row 8"),
        ("DELETE FROM log WHERE seq = 7", "does not follow"),
        (
            "DELETE FROM log WHERE seq = (SELECT max(last) FROM graphs)",
            "last row",
        ),
        ("UPDATE graphs SET head = 3 WHERE graph = 1", "graph"),
        ("UPDATE graphs SET name = 'x' WHERE graph = 1", "graph"),
        ("DELETE FROM graphs WHERE graph = 1", "belongs to no graph"),
        ("DELETE FROM threads WHERE thread = 1", "no thread"),
        (
            "UPDATE threads SET name = 'x' WHERE thread = 1",
            "name is damaged",
        ),
        ("DELETE FROM layouts", "layout 1 is missing"),
        ("UPDATE layouts SET body = zeroblob(9)", "layout 1"),
        ("UPDATE layouts SET digest = 5", "layout 1"),
        ("DELETE FROM blobs WHERE blob = 1", "missing"),
        ("UPDATE blobs SET body = zeroblob(9) WHERE blob = 1", "blob"),
        (
            "UPDATE blobs SET name = zeroblob(16) WHERE blob = 1",
            "blob",
        ),
        ("DELETE FROM uses WHERE blob = 1", "does not say so"),
        (
            "INSERT INTO uses SELECT 1, max(blob) FROM blobs",
            "it does not",
        ),
        ("INSERT INTO uses VALUES (99, 1)", "not there"),
        ("INSERT INTO uses VALUES (1, 999)", "missing"),
        (
            "INSERT INTO blobs VALUES (999, zeroblob(16), x'')",
            "used by no thread",
        ),
    ];
    let whole = Folder::new();
    let database = eventful(&whole).await;
    database.compact().await.unwrap();
    database.backup(whole.at("copy.db")).await.unwrap();
    for (statement, message) in damages {
        let folder = Folder::new();
        fs::copy(whole.at("copy.db"), folder.path()).unwrap();
        tamper(&folder.path(), statement);
        let database = folder.open();
        let report = database.check().await.unwrap();
        let listed: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
        let found = listed.iter().any(|problem| problem.contains(message));
        assert!(found, "{statement}: {listed:#?}");
    }
}

#[tokio::test]
async fn a_damaged_thread_can_be_deleted_and_leaves_the_others_whole() {
    let damages = [
        "UPDATE log SET body = zeroblob(20) WHERE graph = 1",
        "DELETE FROM log WHERE seq = 7",
        "UPDATE log SET kind = 77 WHERE seq = 7",
        "UPDATE graphs SET head = 3 WHERE graph = 1",
        "UPDATE graphs SET last = 9999 WHERE graph = 1",
        "UPDATE graphs SET name = 'x' WHERE graph = 1",
    ];
    let whole = Folder::new();
    let database = eventful(&whole).await;
    database.backup(whole.at("copy.db")).await.unwrap();
    for statement in damages {
        let folder = Folder::new();
        fs::copy(whole.at("copy.db"), folder.path()).unwrap();
        tamper(&folder.path(), statement);
        let database = folder.open();
        let saver = database.saver();
        let before = saver.threads().await.unwrap();
        let damaged = database.check().await.unwrap().problems;
        assert!(!damaged.is_empty(), "{statement}");
        let thread = &owner_of_graph_1(&folder.path());
        saver.delete(thread).await.unwrap();
        let mut wanted = before;
        wanted.retain(|it| it != thread);
        assert!(!wanted.is_empty());
        assert_eq!(saver.threads().await.unwrap(), wanted, "{statement}");
        clean(&database.check().await.unwrap());
    }
}

#[tokio::test]
async fn a_thread_whose_name_is_damaged_is_listed_beside_the_others_and_can_be_deleted() {
    let damages = [
        "UPDATE threads SET name = 'lonf' WHERE name = 'long'",
        "UPDATE threads SET name = CAST(x'6cff' AS TEXT) WHERE name = 'long'",
        "UPDATE threads SET digest = digest + 1 WHERE name = 'long'",
    ];
    let whole = Folder::new();
    let database = eventful(&whole).await;
    let all = database.saver().threads().await.unwrap();
    database.backup(whole.at("copy.db")).await.unwrap();
    for statement in damages {
        let folder = Folder::new();
        fs::copy(whole.at("copy.db"), folder.path()).unwrap();
        tamper(&folder.path(), statement);
        let database = folder.open();
        let saver = database.saver();
        let listed = saver.threads().await.unwrap();
        assert_eq!(listed.len(), all.len(), "{statement}");
        let mut others = all.clone();
        others.retain(|it| it.as_str() != "long");
        let is_other = |it: &&ThreadId| others.contains(it);
        assert_eq!(listed.iter().filter(is_other).count(), others.len());
        let damaged = listed.iter().find(|it| !is_other(it)).unwrap();
        let problems = database.check().await.unwrap().problems;
        let told = problems
            .iter()
            .any(|it| it.what.contains("name is damaged"));
        assert!(told, "{statement}: {problems:#?}");
        saver.delete(damaged).await.unwrap();
        assert_eq!(saver.threads().await.unwrap(), others, "{statement}");
        clean(&database.check().await.unwrap());
    }
}

#[tokio::test]
async fn a_file_that_lost_its_threads_does_not_look_empty() {
    let emptied = [
        "DELETE FROM threads",
        "DELETE FROM graphs",
        "DELETE FROM threads; DELETE FROM graphs",
        "DELETE FROM threads; DELETE FROM graphs; DELETE FROM log",
        "DELETE FROM threads; DELETE FROM graphs; DELETE FROM log; DELETE FROM events; DELETE FROM logs",
    ];
    let whole = Folder::new();
    let database = eventful(&whole).await;
    let all = database.saver().threads().await.unwrap();
    database.backup(whole.at("copy.db")).await.unwrap();
    let copy = || {
        let folder = Folder::new();
        fs::copy(whole.at("copy.db"), folder.path()).unwrap();
        folder
    };
    for statement in emptied {
        let folder = copy();
        tamper(&folder.path(), statement);
        let found = folder.open().saver().threads().await;
        assert!(
            matches!(found, Err(SaverError::Corrupt(_))),
            "{statement}: {found:?}"
        );
    }
    for tables in [vec!["threads", "threads_by_digest"], Vec::new()] {
        let folder = copy();
        empty_pages(&folder.path(), &tables);
        let found = folder.open().saver().threads().await;
        assert!(
            matches!(found, Err(SaverError::Corrupt(_))),
            "{tables:?}: {found:?}"
        );
    }
    // Deleted one by one they are gone, and nothing is wrong.
    let folder = copy();
    let saver = folder.open().saver();
    for thread in &all {
        saver.delete(thread).await.unwrap();
    }
    assert_eq!(saver.threads().await.unwrap(), []);
    assert_eq!(Folder::new().open().saver().threads().await.unwrap(), []);
}

/// Makes tables and indexes look as if nothing had ever been in them: these, or all if none is named.
fn empty_pages(path: &Path, names: &[&str]) {
    let db = rusqlite::Connection::open(path).unwrap();
    let mut select = db
        .prepare("SELECT name, rootpage, type = 'index' OR sql LIKE '%WITHOUT ROWID%' FROM sqlite_schema")
        .unwrap();
    let roots: Vec<(String, usize, bool)> = select
        .query_map([], |row| {
            Ok((row.get(0)?, row.get::<_, i64>(1)? as usize, row.get(2)?))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let size: i64 = db
        .pragma_query_value(None, "page_size", |row| row.get(0))
        .unwrap();
    drop(select);
    drop(db);
    let mut bytes = fs::read(path).unwrap();
    for (name, root, is_index) in roots {
        let is_wanted = names.is_empty() || names.iter().any(|it| name.contains(it));
        if root == 0 || !is_wanted {
            continue;
        }
        let at = (root - 1) * size as usize;
        let page = &mut bytes[at..at + size as usize];
        page.fill(0);
        page[0] = if is_index { 0x0a } else { 0x0d };
        page[5..7].copy_from_slice(&(size as u16).to_be_bytes());
    }
    fs::write(path, bytes).unwrap();
}

/// The thread that the damage is done to.
fn owner_of_graph_1(path: &Path) -> ThreadId {
    let db = rusqlite::Connection::open(path).unwrap();
    let name: String = db
        .query_row(
            "SELECT threads.name FROM threads JOIN graphs USING (thread) WHERE graph = 1",
            [],
            |row| row.get(0),
        )
        .unwrap();
    ThreadId::from(name)
}

#[tokio::test]
async fn damaged_pages_are_found() {
    let whole = Folder::new();
    let database = eventful(&whole).await;
    database.backup(whole.at("copy.db")).await.unwrap();
    let bytes = fs::read(whole.at("copy.db")).unwrap();
    let page = 4096;
    let mut found = 0;
    let pages = 2..bytes.len() / page;
    let count = pages.clone().step_by(11).count();
    for number in pages.step_by(11) {
        let mut damaged = bytes.clone();
        damaged[number * page + 5..number * page + 400].fill(0xff);
        let folder = Folder::new();
        fs::write(folder.path(), damaged).unwrap();
        // Damage may show when the file is opened, in the report, or as a check that fails.
        found += match Database::open(folder.path()) {
            Ok(database) => match database.check().await {
                Ok(report) => usize::from(!report.is_clean()),
                Err(_) => 1,
            },
            Err(_) => 1,
        };
    }
    assert!(count > 10, "{count}");
    // Pages that are free, or that only say which page belongs to which, may look like anything.
    assert!(found + 2 >= count, "{found} of {count}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_and_a_copy_go_on_beside_commits() {
    let folder = Folder::new();
    let database = folder.open();
    fill(&database, "old", "text", 300).await;
    let writing = Writing::begin(&database, "new").await;
    writing.extend(1, None, "first").await;
    let checked = tokio::spawn(database.check());
    let copied = tokio::spawn(database.backup(folder.at("copy.db")));
    let (mut id, mut meanwhile) = (1, 0);
    while !(checked.is_finished() && copied.is_finished()) || id < 100 {
        id += 1;
        writing.extend(id, Some(id - 1), "text").await;
        meanwhile += u128::from(!copied.is_finished());
        tokio::task::yield_now().await;
    }
    assert!(meanwhile > 0);
    clean(&checked.await.unwrap().unwrap());
    copied.await.unwrap().unwrap();
    drop(writing);
    clean(&database.check().await.unwrap());
    let copy = Database::open(folder.at("copy.db")).unwrap();
    clean(&copy.check().await.unwrap());
    assert_eq!(load(&copy, "old").await.unwrap(), 300);
    let records = load(&copy, "new").await.unwrap();
    assert!((1..=id as usize).contains(&records), "{records} of {id}");
}

#[tokio::test]
async fn a_copy_is_a_database_of_its_own() {
    let folder = Folder::new();
    let database = folder.open();
    let writing = Writing::begin(&database, "a").await;
    writing.extend(1, None, "text").await;
    database.backup(folder.at("copy.db")).await.unwrap();
    // The thread is held there, not here.
    let copy = Database::open(folder.at("copy.db")).unwrap();
    let elsewhere = Writing::begin(&copy, "a").await;
    elsewhere.extend(2, Some(1), "copy").await;
    writing.extend(2, Some(1), "original").await;
    writing.extend(3, Some(2), "original").await;
    assert_eq!(load(&database, "a").await.unwrap(), 3);
    assert_eq!(load(&copy, "a").await.unwrap(), 2);
    drop(elsewhere);
    drop(copy);
    let names: Vec<String> = fs::read_dir(folder.path().parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("copy"))
        .collect();
    assert_eq!(names, ["copy.db"]);
}

#[tokio::test]
async fn a_copy_overwrites_nothing() {
    let folder = Folder::new();
    let database = folder.open();
    fill(&database, "a", "text", 3).await;
    for name in ["copy.db", "copy.db-wal", "copy.db-journal"] {
        fs::write(folder.at(name), "precious").unwrap();
        let error = database.backup(folder.at("copy.db")).await.unwrap_err();
        assert!(error.to_string().contains("exists already"), "{error}");
        assert_eq!(fs::read(folder.at(name)).unwrap(), b"precious");
        fs::remove_file(folder.at(name)).unwrap();
    }
    let nowhere = folder.at("no folder").join("copy.db");
    let error = database.backup(&nowhere).await.unwrap_err();
    assert!(error.to_string().contains("no folder"), "{error}");
    let error = database.backup(folder.path()).await.unwrap_err();
    assert!(error.to_string().contains("exists already"), "{error}");
    database.backup(folder.at("copy.db")).await.unwrap();
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

fn log_of(path: &Path) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

#[tokio::test]
async fn compacting_gives_the_room_of_deleted_threads_back() {
    let folder = Folder::new();
    let database = folder.open();
    for n in 0..4 {
        fill(&database, &format!("t{n}"), "text", 150).await;
    }
    for n in 0..3 {
        let thread = ThreadId::from(format!("t{n}"));
        database.saver().delete(&thread).await.unwrap();
    }
    let before = length(&folder.path());
    // A run continues between the slices.
    let writing = Writing::begin(&database, "meanwhile").await;
    writing.extend(1, None, "text").await;
    let compacting = tokio::spawn(database.compact());
    let mut id = 1;
    while !compacting.is_finished() {
        id += 1;
        writing.extend(id, Some(id - 1), "text").await;
        tokio::task::yield_now().await;
    }
    let freed = compacting.await.unwrap().unwrap();
    assert!(freed > 100, "{freed}");
    let after = length(&folder.path());
    assert!(after < before / 2, "{before} to {after}");
    clean(&database.check().await.unwrap());
    assert_eq!(load(&database, "t3").await.unwrap(), 150);
    assert_eq!(load(&database, "meanwhile").await.unwrap(), id as usize);
    assert_eq!(database.compact().await.unwrap(), 0);
}

const SECRET: &str = "secret-7d1f";

#[tokio::test]
async fn a_deleted_thread_is_in_no_file_any_more() {
    let folder = Folder::new();
    let database = folder.open();
    fill(&database, "kept", "other", 60).await;
    fill(&database, "deleted-name", SECRET, 60).await;
    fill(&database, "kept too", "other", 60).await;
    assert!(!folder.holding(SECRET).is_empty());
    let thread = ThreadId::from("deleted-name");
    database.saver().delete(&thread).await.unwrap();
    for text in [SECRET, "deleted-name"] {
        assert!(
            folder.holding(text).is_empty(),
            "{:?}",
            folder.holding(text)
        );
    }
    assert_eq!(length(&log_of(&folder.path())), 0);
    clean(&database.check().await.unwrap());
}

#[tokio::test]
async fn pruned_checkpoints_are_in_no_file_any_more() {
    let folder = Folder::new();
    let database = folder.open();
    let writing = Writing::begin(&database, "a").await;
    for id in 1..=80 {
        // Each value replaces the one before, so only the kept ones' may stay.
        let text = match id {
            1..=40 => SECRET.repeat(id as usize * 20),
            41 => SECRET.repeat(5_000),
            _ => "later".repeat(id as usize),
        };
        let parent = (id > 1).then(|| id - 1);
        let change = Change::Set(Value::from(text.as_str()));
        writing.commit(record(id, parent, change)).await;
        writing.note(id, &text).await;
    }
    drop(writing);
    assert!(!folder.holding(SECRET).is_empty());
    let thread = ThreadId::from("a");
    database
        .saver()
        .prune(&thread, Keep::Last(10))
        .await
        .unwrap();
    assert!(
        folder.holding(SECRET).is_empty(),
        "{:?}",
        folder.holding(SECRET)
    );
    clean(&database.check().await.unwrap());
    let query = HistoryQuery::default();
    let root = GraphPath::from("");
    let history = database.saver().history(&thread, &root, &query).await;
    assert_eq!(history.unwrap().len(), 10);
}

#[tokio::test]
async fn deleting_leaves_nothing_whatever_happened_before() {
    let folder = Folder::new();
    let database = folder.open();
    let saver = database.saver();
    // Threads that grow, are pruned, copied and deleted leave pages in every state.
    for round in 0..6 {
        for n in 0..5 {
            let name = format!("t{round}-{n}");
            fill(
                &database,
                &name,
                &format!("{SECRET}-{round}-{n}."),
                15 + 7 * n,
            )
            .await;
        }
        for n in 0..5 {
            let thread = ThreadId::from(format!("t{round}-{n}"));
            let copy = ThreadId::from(format!("c{round}-{n}"));
            saver.copy(&thread, &copy).await.unwrap();
            saver.prune(&thread, Keep::Last(3)).await.unwrap();
            if n % 2 == 0 {
                saver.delete(&copy).await.unwrap();
                saver.delete(&thread).await.unwrap();
                let text = format!("{SECRET}-{round}-{n}.");
                assert!(folder.holding(&text).is_empty(), "{text} is there");
            }
        }
        database.compact().await.unwrap();
    }
    for thread in saver.threads().await.unwrap() {
        saver.delete(&thread).await.unwrap();
    }
    assert!(folder.holding(SECRET).is_empty());
    clean(&database.check().await.unwrap());
}

#[tokio::test]
async fn what_a_reader_kept_in_the_log_goes_when_the_reader_has_gone() {
    let folder = Folder::new();
    let options = Options {
        lease: Duration::from_millis(30),
        ..Options::default()
    };
    let database = Database::open_with(folder.path(), options).unwrap();
    fill(&database, "a", SECRET, 20).await;
    let reader = rusqlite::Connection::open(folder.path()).unwrap();
    reader
        .execute_batch("BEGIN; SELECT count(*) FROM log")
        .unwrap();
    database.saver().delete(&ThreadId::from("a")).await.unwrap();
    assert!(!folder.holding(SECRET).is_empty());
    reader.execute_batch("COMMIT").unwrap();
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    while !folder.holding(SECRET).is_empty() {
        assert!(std::time::Instant::now() < deadline, "it is still there");
        tokio::task::yield_now().await;
    }
}

/// Two readers who take turns until they are told to stop, so that there is never a moment without
/// one. A turn is long enough that several commits come in between.
fn read_always(path: &Path, stop: &Receiver<()>) -> usize {
    let begin = || {
        let reader = rusqlite::Connection::open(path).unwrap();
        reader.busy_timeout(Duration::from_secs(60)).unwrap();
        reader
    };
    let (mut one, mut other) = (begin(), begin());
    let look = "BEGIN; SELECT count(*) FROM threads";
    one.execute_batch(look).unwrap();
    let mut turns = 0;
    while stop.recv_timeout(Duration::from_millis(10)) == Err(RecvTimeoutError::Timeout) {
        other.execute_batch(look).unwrap();
        one.execute_batch("COMMIT").unwrap();
        std::mem::swap(&mut one, &mut other);
        turns += 1;
    }
    turns
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_stays_short_although_somebody_always_reads() {
    let folder = Folder::new();
    let database = folder.open();
    let writing = Writing::begin(&database, "a").await;
    writing.extend(1, None, "first").await;
    let (stop, stopped) = mpsc::channel();
    let path = folder.path();
    let reading = std::thread::spawn(move || read_always(&path, &stopped));
    let text = "text".repeat(3_900);
    let (mut longest, mut written) = (0, 0);
    for id in 2..=9_000 {
        let change = Change::Set(Value::from(text.as_str()));
        writing.commit(record(id, Some(id - 1), change)).await;
        written += text.len() as u64;
        longest = longest.max(length(&log_of(&folder.path())));
    }
    stop.send(()).unwrap();
    assert!(reading.join().unwrap() > 0);
    assert!(written > 140_000_000, "{written}");
    assert!(longest < 72_000_000, "{longest}");
}

#[tokio::test]
async fn a_check_that_cannot_be_made_is_an_error() {
    let folder = Folder::new();
    let database = folder.open();
    fs::remove_file(folder.path()).unwrap();
    let gone = database.check().await;
    assert!(
        matches!(gone, Err(SaverError::Io(_) | SaverError::ReadOnly(_))),
        "{gone:?}"
    );
}

#[tokio::test]
async fn what_a_killed_backup_left_is_removed_by_the_next_one() {
    let folder = Folder::new();
    let database = folder.open();
    fill(&database, "a", "text", 3).await;
    let (stale, held) = (
        "copy.db-part-0123456789abcdef",
        "copy.db-part-fedcba9876543210",
    );
    for name in [
        stale,
        held,
        "copy.db-part-notes",
        "other.db-part-0123456789abcdef",
    ] {
        fs::write(folder.at(name), "half").unwrap();
    }
    let lock = fs::File::open(folder.at(held)).unwrap();
    lock.lock().unwrap();
    database.backup(folder.at("copy.db")).await.unwrap();
    assert!(!folder.at(stale).exists());
    for name in [held, "copy.db-part-notes", "other.db-part-0123456789abcdef"] {
        assert!(folder.at(name).exists(), "{name}");
    }
    assert_eq!(
        load(&Database::open(folder.at("copy.db")).unwrap(), "a")
            .await
            .unwrap(),
        3
    );
}
