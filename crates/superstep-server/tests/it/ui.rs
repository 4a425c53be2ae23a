//! The pages of the server: static files, with what keeps them from loading anything else.

use superstep::{Secret, http::Method};

use crate::{
    client::Running,
    graphs::{memory, server},
};

#[tokio::test]
async fn browsers_get_a_page_at_the_root_and_clients_a_sign_of_health() {
    let server = Running::start(server(memory())).await;
    let page = server
        .request(Method::GET, "/")
        .header("accept", "text/html,*/*;q=0.8");
    let page = server.send(page).await;
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(page.ok().as_str().unwrap().starts_with("<!doctype html>"));
    assert_eq!(server.get("/").await.ok()["ok"], true);
}

#[tokio::test]
async fn files_of_the_page_have_their_type_and_may_load_nothing_foreign() {
    let server = Running::start(server(memory()).token(Secret::new("token"))).await;
    let page = server.get("/ui").await.ok();
    let page = page.as_str().unwrap();
    let links = page.split('"').filter(|part| part.starts_with("/ui/"));
    let mut seen = 0;
    for link in links {
        let reply = server.get(link).await;
        let kind = match link.rsplit_once('.').unwrap().1 {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "svg" => "image/svg+xml",
            other => panic!("a file of an unknown type: {other}"),
        };
        assert_eq!(reply.header("content-type"), Some(kind), "{link}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"));
        seen += 1;
    }
    assert!(seen >= 2, "{page}");
    assert!(!page.contains("://"), "the page loads something foreign");
    assert_eq!(server.get("/ui/nope.js").await.detail(404), "Not Found");
    assert_eq!(server.get("/ui/../Cargo.toml").await.status, 404);
}

#[tokio::test]
async fn a_file_that_a_browser_has_is_not_sent_again() {
    let server = Running::start(server(memory())).await;
    let first = server.get("/ui/app.js").await;
    assert_eq!(first.header("cache-control"), Some("no-cache"));
    let tag = first.header("etag").unwrap().to_owned();
    let again = server
        .request(Method::GET, "/ui/app.js")
        .header("if-none-match", &*tag);
    let again = server.send(again).await;
    assert_eq!((again.status, again.json.is_null()), (304, true));
}

#[tokio::test]
async fn every_module_of_the_page_is_served_and_none_makes_markup_of_data() {
    let server = Running::start(server(memory())).await;
    let mut open = vec!["app.js".to_owned()];
    let mut seen = Vec::new();
    while let Some(name) = open.pop() {
        if seen.contains(&name) {
            continue;
        }
        let script = server.get(&format!("/ui/{name}")).await.ok();
        let script = script.as_str().unwrap();
        for markup in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
        ] {
            assert!(!script.contains(markup), "{name} uses {markup}");
        }
        for import in ["from \"./", "import(\"./"] {
            let found = script.split(import).skip(1);
            open.extend(found.map(|rest| rest.split('"').next().unwrap().to_owned()));
        }
        seen.push(name);
    }
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/ui")).unwrap();
    let scripts = files.filter(|file| {
        file.as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|end| end == "js")
    });
    assert_eq!(scripts.count(), seen.len(), "{seen:?}");
}
