//! What is read of a folder, and what is not.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use superstep::store::UPLOADS;
use superstep_archie::{
    AnalysisUpdate, Archie, Brief, ErrorKind, Settings,
    documents::{self, Encoding, Entry, Fate, Inputs, LISTED, Limits, Order, Reading, Upload, Why},
};

use crate::support::{TestEnv, begin, says};

fn order(budget: usize) -> Order {
    Order {
        budget,
        ..Order::default()
    }
}

fn read(folder: &Path, order: &Order) -> Reading {
    documents::read(folder, order, &AtomicBool::new(false)).unwrap()
}

fn included(reading: &Reading) -> Vec<&str> {
    let files = reading.files.iter();
    let files = files.filter(|entry| entry.fate.tokens().is_some());
    files.map(|entry| entry.path.as_str()).collect()
}

fn fate<'a>(reading: &'a Reading, path: &str) -> &'a Fate {
    let entry = reading.files.iter().find(|entry| entry.path == path);
    &entry
        .unwrap_or_else(|| panic!("{path} should be listed"))
        .fate
}

/// Makes a pipe, which nobody ever writes to.
#[cfg(unix)]
fn pipe(path: &Path) {
    use rustix::fs::{CWD, Mode, mkfifoat};

    mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).unwrap();
}

#[test]
fn folders_are_read_to_the_bottom_and_what_is_ignored_is_not() {
    let env = TestEnv::with(&[
        ("a.md", "one"),
        ("deep/er/b.TXT", "two"),
        ("c.rs", "three"),
        ("d.rst", "four"),
        (".hidden/e.md", "five"),
        (".f.md", "six"),
        (".gitignore", "build/\n*.tmp.md\n"),
        ("build/g.md", "seven"),
        ("h.tmp.md", "eight"),
        ("deep/.gitignore", "i.md\n"),
        ("deep/i.md", "nine"),
        ("empty.md", " \n"),
    ]);
    let order = Order {
        globs: vec!["*.rst".into()],
        ..order(10_000)
    };
    let reading = read(&env.docs(), &order);
    assert_eq!(included(&reading), ["a.md", "d.rst", "deep/er/b.TXT"]);
    assert_eq!(reading.texts, ["one", "four", "two"]);
    assert_eq!(fate(&reading, "c.rs"), &Fate::Left(Why::OtherKind));
    assert_eq!(fate(&reading, "empty.md"), &Fate::Left(Why::Empty));
    assert_eq!(reading.files.len(), 5);
}

#[test]
fn one_file_can_be_read_whatever_its_name() {
    let env = TestEnv::with(&[("notes.log", "one"), ("shop_context.md", "two")]);
    for name in ["notes.log", "shop_context.md"] {
        let reading = read(&env.docs().join(name), &order(1000));
        assert_eq!(included(&reading), [name]);
    }
}

#[test]
fn texts_of_many_encodings_are_read() {
    let env = TestEnv::new();
    let text = "Grüße aus Köln";
    let wide = |unit: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
        format!("{mark}{text}")
            .encode_utf16()
            .flat_map(unit)
            .collect()
    };
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap()).collect();
    let table = [
        (
            "bom.md",
            format!("\u{feff}{text}").into_bytes(),
            Encoding::Utf8Bom,
        ),
        (
            "be.md",
            wide(u16::to_be_bytes, "\u{feff}"),
            Encoding::Utf16Be,
        ),
        (
            "le.md",
            wide(u16::to_le_bytes, "\u{feff}"),
            Encoding::Utf16Le,
        ),
        ("plain-be.md", wide(u16::to_be_bytes, ""), Encoding::Utf16Be),
        ("plain-le.md", wide(u16::to_le_bytes, ""), Encoding::Utf16Le),
        ("latin.md", latin, Encoding::Latin1),
        ("utf8.md", text.as_bytes().to_vec(), Encoding::Utf8),
    ];
    for (name, bytes, _) in &table {
        env.write(name, bytes);
    }
    env.write("windows.md", b"\x8410 \x80\x93");
    let reading = read(&env.docs(), &order(10_000));
    assert_eq!(reading.texts.len(), 8);
    for (name, _, encoding) in table {
        let at = reading.files.iter().position(|it| it.path == name).unwrap();
        assert_eq!(reading.files[at].encoding, Some(encoding), "{name}");
        assert_eq!(reading.texts[at], text, "{name}");
    }
    let last = reading.files.last().unwrap();
    assert_eq!(last.encoding, Some(Encoding::Windows1252));
    assert_eq!(reading.texts.last().unwrap(), "„10 €“");
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_with_nothing_to_read_says_what_is_there() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let env = TestEnv::new();
    env.write("logo.png", b"\x89PNG\r\n\x1a\n\0\0");
    let closed = env.write("closed.md", b"\0\0 not for everybody");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    pipe(&env.docs().join("pipe.md"));
    symlink("/", env.docs().join("all.md")).unwrap();

    let archie = env.archie(says([]));
    let input = archie.analyze(&env.brief("go"));
    let error = archie.graph().run("t", input).await.unwrap_err();
    assert_eq!(error.code(), "SS6002", "{error}");
    let own = superstep_archie::Error::of(&error).unwrap();
    let ErrorKind::NothingToRead { found, more: 0, .. } = own.kind() else {
        panic!("it should say what is there: {own}");
    };
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(lines[0], "all.md: a link; links are not followed");
    // Whoever may read everything finds that it is no text.
    let reasons = [&found[1].fate];
    assert!(
        matches!(reasons, [Fate::Left(Why::Unreadable { .. } | Why::Binary)]),
        "{lines:?}"
    );
    assert_eq!(lines[2], "logo.png: not .txt, .md, .docx or .pdf");
    assert_eq!(lines[3], "pipe.md: a pipe, a socket or a device");
    assert!(lines.iter().all(|line| error.to_string().contains(line)));

    // Once there is something, the thread continues.
    env.write("a.md", b"text");
    drop(archie);
    let archie = env.archie(says(["1"]));
    let outcome = archie.graph().resume("t").await.unwrap();
    assert_eq!(outcome.asks().len(), 1);
}

#[test]
fn a_folder_that_is_not_there_or_empty_is_told() {
    let env = TestEnv::new();
    let stop = AtomicBool::new(false);
    let gone = documents::read(&env.path("gone"), &order(9), &stop).unwrap_err();
    assert_eq!(gone.code(), "SS6001");
    let empty = documents::read(&env.docs(), &order(9), &stop).unwrap_err();
    assert_eq!(empty.code(), "SS6002");
    assert!(empty.to_string().contains("it is empty"), "{empty}");
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_left_alone_even_as_rules() {
    use std::os::unix::fs::symlink;

    let env = TestEnv::with(&[("a.md", "one"), ("odd/b.md", "two"), ("far/c.md", "three")]);
    let outside = env.path("secret.md");
    fs::write(&outside, "a secret").unwrap();
    symlink(&outside, env.docs().join("link.md")).unwrap();
    symlink(env.path("."), env.docs().join("around")).unwrap();
    symlink("/dev/zero", env.docs().join("zero.md")).unwrap();
    pipe(&env.docs().join("odd/.gitignore"));
    let reading = read(&env.docs(), &order(10_000));
    assert_eq!(included(&reading), ["a.md", "far/c.md"]);
    for name in ["link.md", "around", "zero.md"] {
        assert_eq!(fate(&reading, name), &Fate::Left(Why::Link));
    }
    let odd = fate(&reading, "odd");
    assert!(matches!(odd, Fate::Left(Why::Unreadable { .. })), "{odd:?}");
}

#[test]
fn results_are_no_documents() {
    let env = TestEnv::with(&[
        ("a.md", "one"),
        ("analysis_result.md", "old"),
        ("analysis_result.md.1", "older"),
        ("shop_context.md", "made"),
        ("sub/out.md", "made too"),
        ("sub/other.md", "two"),
    ]);
    let order = Order {
        skip: vec![env.docs().join("sub/../sub/out.md")],
        globs: vec!["*.1".into()],
        ..order(10_000)
    };
    let reading = read(&env.docs(), &order);
    assert_eq!(included(&reading), ["a.md", "sub/other.md"]);
    let own = Fate::Left(Why::OwnOutput);
    for name in [
        "analysis_result.md", "analysis_result.md.1", "shop_context.md", "sub/out.md",
    ] {
        assert_eq!(fate(&reading, name), &own, "{name}");
    }
}

#[test]
fn what_does_not_fit_is_chosen_by_the_query_and_listed() {
    let env = TestEnv::new();
    let filler = "something else entirely. ".repeat(60);
    for number in 0..10 {
        env.write(
            &format!("f{number}.md"),
            format!("{number} {filler}").as_bytes(),
        );
    }
    env.write(
        "z.md",
        format!("payments go to the ledger. {filler}").as_bytes(),
    );
    let order = Order {
        query: "How are payments booked?".into(),
        ..order(1_600)
    };
    let reading = read(&env.docs(), &order);
    assert_eq!(included(&reading), ["f0.md", "f1.md", "z.md"]);
    assert!(matches!(fate(&reading, "z.md"), Fate::Whole { .. }));
    assert!(matches!(fate(&reading, "f1.md"), Fate::Cut { .. }));
    assert_eq!(fate(&reading, "f2.md"), &Fate::Left(Why::Budget));
    assert!(reading.tokens <= 1_600);
    assert_eq!(read(&env.docs(), &order), reading);
}

#[test]
fn copies_are_read_once() {
    let env = TestEnv::with(&[("a.md", "same"), ("b.md", "same")]);
    let reading = read(&env.docs(), &order(1_000));
    assert_eq!(included(&reading), ["a.md"]);
    assert_eq!(fate(&reading, "b.md"), &Fate::Left(Why::Copy));
}

#[test]
fn limits_hold_and_are_told() {
    let env = TestEnv::with(&[("a.md", "12345"), ("b.md", "123"), ("c.md", "1234")]);
    let limits = Limits {
        file_bytes: 4,
        total_bytes: 5,
        ..Limits::default()
    };
    let reading = read(
        &env.docs(),
        &Order {
            limits,
            ..order(1_000)
        },
    );
    assert_eq!(included(&reading), ["b.md"]);
    assert_eq!(
        fate(&reading, "a.md"),
        &Fate::Left(Why::TooLarge { limit: 4 })
    );
    assert_eq!(fate(&reading, "c.md"), &Fate::Left(Why::TooMuch));
    let limits = Limits {
        files: 2,
        ..Limits::default()
    };
    let reading = read(
        &env.docs(),
        &Order {
            limits,
            ..order(1_000)
        },
    );
    assert!(reading.stopped);
    assert_eq!(reading.files.len(), 2);
}

#[test]
fn names_are_shown_without_sequences_and_kept_as_they_are() {
    let entry = Entry {
        path: "a\x1b]0;title\x07b\n.md".into(),
        sha256: None,
        bytes: 0,
        encoding: None,
        fate: Fate::Left(Why::Binary),
    };
    assert_eq!(entry.to_string(), "ab .md: no text");
    let env = TestEnv::new();
    env.write("odd \x1b[31mname.md", b"text");
    let reading = read(&env.docs(), &order(1_000));
    assert_eq!(reading.files[0].path, "odd \x1b[31mname.md");
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_is_no_reason_to_leave_a_file() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let env = TestEnv::new();
    let name = OsStr::from_bytes(b"bad\xFF.md");
    fs::write(env.docs().join(name), "text").unwrap();
    let reading = read(&env.docs(), &order(1_000));
    assert_eq!(included(&reading), ["bad\u{fffd}.md"]);
}

#[test]
fn reading_ends_when_it_is_told_to() {
    let env = TestEnv::with(&[("a.md", "text")]);
    let message = documents::read(&env.docs(), &order(9), &AtomicBool::new(true)).unwrap_err();
    assert!(message.to_string().contains("cancelled"), "{message}");
}

/// The most memory this process has had, in bytes.
#[cfg(target_os = "linux")]
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<usize>().unwrap() << 10
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn five_thousand_files_of_two_hundred_megabytes_are_read_in_bounded_memory() {
    const FILES: usize = 5_000;
    let env = TestEnv::new();
    let page = "The service answers requests of the shop and of the warehouse. ".repeat(640);
    let mut bytes = 0;
    for folder in 0..50 {
        fs::create_dir(env.docs().join(format!("part{folder:02}"))).unwrap();
    }
    for number in 0..FILES {
        let name = format!("part{:02}/page{number:04}.md", number % 50);
        let about = if number == 4_321 { "ledger" } else { "number" };
        let text = format!("# {about} {number}\n{page}");
        bytes += text.len();
        fs::write(env.docs().join(name), text).unwrap();
    }
    assert!(bytes > 200_000_000);

    let before = peak();
    let budget = 60_000;
    let settings = Settings {
        document_tokens: Some(budget),
        ..Settings::default()
    };
    let archie = env.archie_with(says(["1"]), settings);
    let outcome = begin(&archie, "t", &env.brief("What does the ledger do?")).await;
    let grown = peak().saturating_sub(before);
    assert!(grown < 100 << 20, "{grown} bytes of {bytes}");

    let inputs = &outcome.state().inputs;
    assert!(inputs.tokens <= budget, "{} tokens", inputs.tokens);
    let names: Vec<_> = inputs.included().map(|it| it.path.as_str()).collect();
    assert!(names.contains(&"part21/page4321.md"), "{names:?}");
    assert_eq!(inputs.omitted() + names.len(), FILES);
    assert_eq!(inputs.files.len(), names.len() + LISTED);
    let all = archie.manifest(outcome.state()).await.unwrap();
    assert_eq!(all.len(), FILES);
    let left = all.iter().filter(|it| it.fate == Fate::Left(Why::Budget));
    assert_eq!(left.count(), FILES - names.len());
    let state = serde_json::to_string(&**outcome.state()).unwrap();
    assert!(state.len() < 100_000, "{} bytes", state.len());
}

#[tokio::test]
async fn a_glob_that_makes_no_sense_is_told() {
    let env = TestEnv::with(&[("a.md", "text")]);
    let archie = env.archie(says([]));
    let input = archie.analyze(&Brief {
        globs: vec!["[".into()],
        ..env.brief("go")
    });
    let error = archie.graph().run("t", input).await.unwrap_err();
    assert_eq!(error.code(), "SS6008", "{error}");
}

#[tokio::test]
async fn the_result_goes_beside_the_documents_and_is_not_read_again() {
    let env = TestEnv::with(&[("a.md", "text")]);
    let out: PathBuf = env.docs().join("report.md");
    let brief = Brief {
        skip: vec![out.clone()],
        ..env.brief("go")
    };
    fs::write(&out, "an old report").unwrap();
    let archie = env.archie(says(["1"]));
    let outcome = begin(&archie, "t", &brief).await;
    let lines: Vec<_> = outcome
        .state()
        .inputs
        .files
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        lines,
        ["a.md (42 tokens)", "report.md: a result of this program"]
    );
}

#[tokio::test]
async fn who_sends_data_names_folders_below_the_roots_alone() {
    let (mine, other) = (
        TestEnv::with(&[("a.md", "text")]),
        TestEnv::with(&[("b.md", "text")]),
    );
    let settings = Settings {
        roots: Some(superstep::fs::Roots::new([mine.docs()])),
        ..Settings::default()
    };
    let archie = mine.archie_with(says(["1", "2"]), settings);
    let brief = other.brief("What is it?");
    let error = archie
        .graph()
        .run("refused", archie.analyze(&brief))
        .await
        .unwrap_err();
    let said = error.to_string();
    assert!(said.contains("it is not in"), "{said}");
    let root = mine.docs().display().to_string();
    assert!(
        !said.contains(&root),
        "the folders that are allowed are the server's own: {said}"
    );
    let outcome = begin(&archie, "allowed", &mine.brief("What is it?")).await;
    let inputs = &outcome.state().inputs;
    let names: Vec<_> = inputs.included().map(|it| it.path.as_str()).collect();
    assert_eq!(names, ["a.md"]);
}

/// The input of a run that reads uploads.
fn of_uploads(env: &TestEnv, archie: &Archie, uploads: Vec<Upload>) -> AnalysisUpdate {
    let inputs = Inputs {
        uploads,
        ..Inputs::default()
    };
    archie
        .analyze(&env.brief("What is planned?"))
        .inputs(inputs)
}

#[tokio::test]
async fn uploads_are_read_in_place_of_a_folder() {
    let env = TestEnv::new();
    let archie = env.archie(says(["What is the deadline?"]));
    let blobs = archie.graph().backends().blobs.clone().unwrap();
    let mut uploads = Vec::new();
    for (name, text) in [
        ("plan.md", "The launch is on Friday."),
        ("plan.md", "The launch is on Monday."),
        ("notes", "Bring cake."),
    ] {
        let hash = blobs.put(UPLOADS, text.into()).await.unwrap();
        uploads.push(Upload {
            name: name.into(),
            sha256: hash.to_string(),
        });
    }
    uploads.push(Upload {
        name: "gone.md".into(),
        sha256: "0".repeat(64),
    });
    let update = of_uploads(&env, &archie, uploads);
    let outcome = archie.graph().run("t", update).await.unwrap();
    let inputs = &outcome.state().inputs;
    let names: Vec<&str> = inputs.included().map(|it| it.path.as_str()).collect();
    assert_eq!(names, ["notes", "plan-2.md", "plan.md"]);
    let left = inputs.files.iter().find(|it| it.path == "gone.md").unwrap();
    let why = "there is no such upload".to_owned();
    assert_eq!(left.fate, Fate::Left(Why::Unreadable { message: why }));
}

#[tokio::test]
async fn a_folder_and_uploads_at_once_are_refused() {
    let env = TestEnv::with(&[("a.md", "one")]);
    let archie = env.archie(says([]));
    let inputs = Inputs {
        folder: Some(env.docs().display().to_string()),
        uploads: vec![Upload::default()],
        ..Inputs::default()
    };
    let update = archie.analyze(&env.brief("What?")).inputs(inputs);
    let error = archie.graph().run("t", update).await.unwrap_err();
    assert!(error.to_string().contains("one of the two"), "{error}");
}
