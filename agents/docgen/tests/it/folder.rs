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
