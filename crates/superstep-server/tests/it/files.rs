//! Files for runs, and how much callers may ask for.

use serde_json::json;
use superstep::http::Method;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    client::Running,
    graphs::{memory, server},
};

#[tokio::test]
async fn a_file_comes_back_as_it_was_under_the_hash_of_its_bytes() {
    let server = Running::start(server(memory()).file_limit(1000)).await;
    let upload = server
        .request(Method::POST, "/files?name=b%C3%BCcher.csv")
        .body("a,b\n1,2\n");
    let kept = server.send(upload).await.ok();
    assert_eq!(
        (&kept["name"], &kept["bytes"]),
        (&json!("bücher.csv"), &json!(8))
    );
    let id = kept["file_id"].as_str().unwrap();
    let place = format!("/files/{id}");
    let got = server.get(&place).await;
    assert_eq!(
        got.header("content-disposition"),
        Some("attachment; filename=\"bcher.csv\"")
    );
    assert_eq!(got.header("content-type"), Some("application/octet-stream"));
    assert_eq!(got.ok(), "a,b\n1,2\n");
    let found = server.post("/files/search", json!({})).await.ok();
    assert_eq!(found, json!([kept]));
    assert_eq!(
        server.call(Method::DELETE, &place, json!({})).await.status,
        204
    );
    server.get(&place).await.detail(404);
}

#[tokio::test]
async fn files_that_are_too_large_or_lead_elsewhere_are_refused() {
    let server = Running::start(server(memory()).file_limit(1000)).await;
    let large = server
        .request(Method::POST, "/files")
        .body("x".repeat(1001));
    assert!(server.send(large).await.detail(413).contains("1000 bytes"));
    for name in ["..%2Fx", "a%0Ab", ""] {
        let odd = server
            .request(Method::POST, &format!("/files?name={name}"))
            .body("x");
        server.send(odd).await.detail(422);
    }
    server
        .get("/files/..%2F..%2Fetc%2Fpasswd")
        .await
        .detail(422);
    let kept = server.post("/files/search", json!({})).await.ok();
    assert_eq!(kept, json!([]));
}

#[tokio::test]
async fn a_server_without_blobs_keeps_no_files() {
    let backends = superstep::Backends {
        blobs: None,
        ..memory()
    };
    let server = Running::start(server(backends)).await;
    let upload = server.request(Method::POST, "/files").body("x");
    assert!(server.send(upload).await.detail(404).contains("no files"));
}

#[tokio::test]
async fn more_requests_than_a_minute_may_have_are_refused() {
    let server = Running::start(server(memory()).rate_limit(2)).await;
    for _ in 0..2 {
        server.get("/ok").await.ok();
    }
    let refused = server.get("/ok").await;
    assert!(refused.detail(429).contains("too many requests"));
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=31).contains(&wait), "{wait}");
}

#[tokio::test]
async fn what_a_graph_made_is_downloaded_by_its_hash() {
    let id = "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0";
    let backends = memory();
    let blobs = backends.blobs.clone().unwrap();
    let made = blobs.put("made", b"aaa".to_vec()).await.unwrap();
    assert_eq!(made.to_string(), id);
    let server = Running::start(server(backends).results("made")).await;
    let got = server.get(&format!("/files/{id}?name=a.xlsx")).await;
    assert_eq!(
        got.header("content-disposition"),
        Some("attachment; filename=\"a.xlsx\"")
    );
    assert_eq!(got.ok(), "aaa");
    let odd = format!("/files/{id}?name=..%2Fx");
    server.get(&odd).await.detail(422);
    let other = "0".repeat(64);
    server.get(&format!("/files/{other}")).await.detail(404);
    let place = format!("/files/{id}");
    let removed = server.call(Method::DELETE, &place, json!({})).await;
    assert_eq!(removed.status, 404, "it is the graph's");
}

#[tokio::test]
async fn bodies_that_do_not_end_take_a_bounded_share_of_memory() {
    let server = server(memory()).file_limit(1000).body_limit(1000);
    let server = Running::start(server).await;
    let mut open = Vec::new();
    // Each has all but the last of its bytes; more than four of them do not fit.
    for path in ["/files", "/threads"].repeat(4) {
        let mut stream = TcpStream::connect(&server.address).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-length: 1000\r\nexpect: 100-continue\r\n\r\n",
            server.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut said = [0; 12];
        stream.read_exact(&mut said).await.unwrap();
        assert_eq!(&said, b"HTTP/1.1 100");
        stream.write_all(&[b'x'; 999]).await.unwrap();
        open.push(stream);
    }
    // One more is refused as soon as the others have what there is.
    loop {
        let upload = server.request(Method::POST, "/files").body("y".repeat(999));
        let reply = server.send(upload).await;
        if reply.status == 503 {
            assert!(reply.detail(503).contains("try again"), "{reply:?}");
            break;
        }
    }
    drop(open);
    loop {
        let upload = server.request(Method::POST, "/files").body("y".repeat(999));
        if server.send(upload).await.status == 200 {
            break;
        }
    }
}
