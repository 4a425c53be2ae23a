//! The folder of a documentation: what is replaced, what is kept, and when it is found out.

use std::fs;

use serde_json::json;
use superstep_docgen::{Docgen, Request};
use tempfile::TempDir;

use crate::support::{backends, document, files, model, only, shop, write};

fn documented() -> (TempDir, Request) {
    let folder = shop();
    let mut request = Request::new(folder.path(), None).unwrap();
    request.no_model = true;
    (folder, request)
}

#[tokio::test]
async fn a_list_of_files_that_comes_with_a_code_base_removes_nothing_of_others() {
    let (_folder, request) = documented();
    document(None, only(&["kpi"]), &request).await;
    let at = request.output.join("metadata.json");
    let mut metadata: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&at).unwrap()).unwrap();
    let listed = metadata["files"].as_array_mut().unwrap();
    for name in ["notes", "todo.md", "data.csv", "../x", "file-structure.md"] {
        listed.push(json!(name));
    }
    fs::write(&at, metadata.to_string()).unwrap();
    write(&request.output, "notes/2026/a.md", "my work");
    for name in ["todo.md", "data.csv", "file-structure.md"] {
        write(&request.output, name, "mine");
    }
    document(None, only(&["technical-debt"]), &request).await;
    let read = |name: &str| fs::read_to_string(request.output.join(name)).unwrap();
    assert_eq!(read("notes/2026/a.md"), "my work");
    for name in ["todo.md", "data.csv", "file-structure.md"] {
        assert_eq!(read(name), "mine", "{name}");
    }
    // A page of ours goes, if it is as it was written.
    assert!(!request.output.join("kpi.md").exists());
    assert!(request.output.join("technical-debt.md").exists());
}

#[tokio::test]
async fn a_page_that_somebody_changed_is_kept_under_another_name() {
    let (_folder, request) = documented();
    document(None, only(&["kpi"]), &request).await;
    let page = request.output.join("kpi.md");
    let before = fs::read_to_string(&page).unwrap();
    for (note, aside) in [("one", "kpi.md.yours"), ("two", "kpi.md.yours-2")] {
        fs::write(&page, format!("{before}{note}\n")).unwrap();
        let outcome = document(None, only(&["kpi"]), &request).await;
        assert_eq!(outcome.aside, [aside]);
        assert_eq!(fs::read_to_string(&page).unwrap(), before);
        let kept = fs::read_to_string(request.output.join(aside)).unwrap();
        assert_eq!(kept, format!("{before}{note}\n"));
    }
    let outcome = document(None, only(&["kpi"]), &request).await;
    assert!(outcome.aside.is_empty());
    assert!(request.output.join("kpi.md.yours").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn rights_of_the_folder_and_of_what_is_kept_stay() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, request) = documented();
    write(&request.output, "private/notes.txt", "mine");
    document(None, only(&["kpi"]), &request).await;
    let places = [
        ("", 0o700),
        ("private", 0o710),
        ("private/notes.txt", 0o600),
        ("kpi.md", 0o640),
    ];
    for (name, mode) in places {
        let place = request.output.join(name);
        fs::set_permissions(place, fs::Permissions::from_mode(mode)).unwrap();
    }
    write(folder.path(), "src/more.rs", "pub fn more() {}\n");
    document(None, only(&["kpi"]), &request).await;
    for (name, mode) in places {
        let about = fs::metadata(request.output.join(name)).unwrap();
        assert_eq!(about.permissions().mode() & 0o7777, mode, "{name}");
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_noticed_before_the_first_call() {
    let in_the_way = |request: &Request, which: &str| match which {
        "a file" => fs::write(&request.output, "mine").unwrap(),
        "a page" => write(&request.output, "kpi.md", "mine"),
        _ => write(&request.output, "metadata.json", "{}"),
    };
    for which in ["a file", "a page", "another metadata.json"] {
        let folder = shop();
        let request = Request::new(folder.path(), None).unwrap();
        in_the_way(&request, which);
        let script = model("Fine.", &[85.0]);
        let docgen = Docgen::new(Some(script.clone()), only(&["kpi"]), backends()).unwrap();
        let input = docgen.document(request.clone());
        let error = docgen.graph().run("t", input).await.unwrap_err();
        assert_eq!(error.code(), "SS7804", "{which}");
        assert_eq!(script.seen().len(), 0, "{which}");
    }
    let (_folder, request) = documented();
    document(None, only(&["kpi"]), &request).await;
    let names = files(&request.output).into_keys();
    assert_eq!(names.count(), 6);
}

#[tokio::test]
async fn what_a_killed_process_left_is_cleared_up_and_notes_in_it_are_kept() {
    let (folder, request) = documented();
    document(None, only(&["kpi"]), &request).await;
    // A process that was killed after it had put a new folder in place of this one.
    let left = folder.path().join(".superstep-old-superstep-docs");
    for (name, text) in files(&request.output) {
        write(&left, &name, &text);
    }
    write(&left, "meanwhile.txt", "mine");
    write(&left, "deep/er/note.txt", "mine too");
    write(&left, "kpi.md", "a page that somebody changed");
    write(&request.output, "deep/other.txt", "there");
    write(folder.path(), ".superstep-part-a1B2c3/kpi.md", "half a pa");
    document(None, only(&["kpi"]), &request).await;
    let read = |name: &str| fs::read_to_string(request.output.join(name)).unwrap();
    assert_eq!(read("meanwhile.txt"), "mine");
    assert_eq!(read("deep/er/note.txt"), "mine too");
    assert_eq!(read("deep/other.txt"), "there");
    assert_eq!(read("kpi.md.yours"), "a page that somebody changed");
    assert!(!request.output.join("index.md.yours").exists());
    let beside = fs::read_dir(folder.path()).unwrap();
    let beside = beside.map(|it| it.unwrap().file_name().into_string().unwrap());
    assert!(
        beside
            .into_iter()
            .all(|name| !name.starts_with(".superstep-"))
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_into_the_folder_while_it_is_replaced_is_not_lost() {
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };
    let (folder, request) = documented();
    document(None, only(&["kpi"]), &request).await;
    for number in 0..300 {
        write(&request.output, &format!("notes/{number}.txt"), "old");
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let (output, is_over) = (request.output.clone(), is_over.clone());
        std::thread::spawn(move || {
            let mut written = 0_u32;
            while written < 2_000 && !is_over.load(Ordering::Relaxed) {
                // Between two names of a system without exchange it may be gone for a moment.
                let note = output.join(format!("new-{written}.txt"));
                written += u32::from(fs::write(note, "new").is_ok());
            }
            written
        })
    };
    for round in 0..5 {
        write(
            folder.path(),
            "src/more.rs",
            &format!("pub fn more_{round}() {{}}\n"),
        );
        document(None, only(&["kpi"]), &request).await;
    }
    is_over.store(true, Ordering::Relaxed);
    let written = writer.join().unwrap();
    assert!(written > 0);
    // The last ones may have come when the last folder was taken apart.
    write(folder.path(), "src/more.rs", "pub fn last() {}\n");
    document(None, only(&["kpi"]), &request).await;
    let lost = (0..written).filter(|it| !request.output.join(format!("new-{it}.txt")).exists());
    assert_eq!(lost.count(), 0, "of {written}");
}

#[tokio::test]
async fn a_metadata_file_that_is_damaged_is_named_and_force_keeps_what_may_be_of_others() {
    let (_folder, mut request) = documented();
    document(None, only(&["kpi"]), &request).await;
    let page = fs::read_to_string(request.output.join("kpi.md")).unwrap();
    fs::write(request.output.join("metadata.json"), "{\"format\":").unwrap();
    let docgen = Docgen::new(None, only(&["kpi"]), backends()).unwrap();
    let input = docgen.document(request.clone());
    let error = docgen.graph().run("t", input).await.unwrap_err();
    let said = error.to_string();
    assert_eq!(error.code(), "SS7804");
    assert!(
        said.contains("metadata.json: EOF") && said.contains("--force"),
        "{said}"
    );
    request.force = true;
    let outcome = document(None, only(&["kpi"]), &request).await;
    // What changed from run to run is lost with it.
    assert_eq!(outcome.aside, ["changelog.md.yours", "metadata.json.yours"]);
    assert_eq!(
        fs::read_to_string(request.output.join("kpi.md")).unwrap(),
        page
    );
}

#[tokio::test]
async fn folders_above_the_output_are_made_and_a_link_is_named() {
    let folder = shop();
    let gen_docs = folder.path().join("docs/deep/gen");
    let mut request = Request::new(folder.path(), Some(&gen_docs)).unwrap();
    request.no_model = true;
    assert!(!folder.path().join("docs").exists());
    document(None, only(&["kpi"]), &request).await;
    assert!(gen_docs.join("kpi.md").exists());
    let up = folder.path().join("none/../other");
    assert!(Request::new(folder.path(), Some(&up)).is_err());
}

#[cfg(unix)]
#[test]
fn a_link_in_the_code_base_does_not_lead_documentation_out_of_it() {
    let (folder, elsewhere) = (shop(), tempfile::tempdir().unwrap());
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("docs")).unwrap();
    let refused = Request::new(folder.path(), Some(&folder.path().join("docs/gen")));
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("leads out of the code base"), "{said}");
}

#[test]
#[cfg(unix)]
fn the_folder_beside_the_code_base_may_be_named_from_inside_of_it() {
    let around = TempDir::new().unwrap();
    let around = around.path().canonicalize().unwrap();
    let (root, elsewhere) = (around.join("code"), around.join("elsewhere"));
    for folder in [root.join("web"), elsewhere.join("deep")] {
        fs::create_dir_all(folder).unwrap();
    }
    let output = |from: &std::path::Path, path: &str| {
        Request::new(from, Some(&root.join(path))).map(|it| it.output)
    };
    assert_eq!(output(&root, "../rel").unwrap(), around.join("rel"));
    assert_eq!(
        output(&root.join("web/.."), "web/../../rel/new").unwrap(),
        around.join("rel/new")
    );
    assert_eq!(output(&root, "web/../docs").unwrap(), root.join("docs"));
    // What a link of the code base leads to is no folder beside it, also behind `..`.
    std::os::unix::fs::symlink(elsewhere.join("deep"), root.join("link")).unwrap();
    for path in [
        "link/docs", "link/../docs", "link/../../docs", "../code/link/x",
    ] {
        let error = output(&root, path).unwrap_err();
        assert!(error.to_string().contains("a link"), "{path}: {error}");
    }
}

#[tokio::test]
async fn a_thread_has_a_name_of_one_length_and_an_earlier_one_is_still_found() {
    let docgen = Docgen::with_models(None, only(&["kpi"]), backends()).unwrap();
    let root = std::path::Path::new("/code");
    let outputs = (0..).map(|number| std::path::PathBuf::from(format!("/docs/{number}")));
    let mut outputs = outputs.filter(|it| Docgen::thread(root, it).starts_with("docs-0"));
    let output = outputs.next().unwrap();
    let name = Docgen::thread(root, &output);
    assert_eq!(name.len(), "docs-".len() + 16);
    assert_eq!(docgen.known_thread(root, &output).await, name);
    let earlier = format!(
        "docs-{}",
        name.trim_start_matches("docs-").trim_start_matches('0')
    );
    let (_folder, request) = documented();
    let run = docgen.graph().run(&*earlier, docgen.document(request));
    run.await.unwrap();
    assert_eq!(docgen.known_thread(root, &output).await, earlier);
}
