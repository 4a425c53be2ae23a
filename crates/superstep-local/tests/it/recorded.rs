//! Files of the hub that the catalogue does not have.

use std::fs;

use superstep_local::weights::{Source, Weights, WeightsError, WeightsFile, silent};

use crate::fixture::{Fixture, bytes, sha256};
use crate::server::{Framing, Reply, serve, start};

fn gguf(count: usize) -> Vec<u8> {
    [b"GGUF".to_vec(), bytes(count)].concat()
}

async fn pull(fixture: &Fixture) -> Result<WeightsFile, WeightsError> {
    let weights: Weights = "hf:owner/repo/a/model.gguf@v1".parse().unwrap();
    fixture.sources.pull(&weights, silent()).await
}

#[tokio::test]
async fn the_hash_is_recorded_at_the_first_pull_and_must_stay() {
    let server = serve(|request, number| match number {
        0 | 1 => Reply::file(&gguf(900), request),
        _ => Reply::file(&gguf(901), request),
    })
    .await;
    let fixture = Fixture::with_hub(&server.address());
    let found = pull(&fixture).await.unwrap();
    assert_eq!(found.source, Source::Hub);
    assert_eq!(found.sha256, Some(sha256(&gguf(900))));
    assert_eq!(
        server.requests()[0].path,
        "/owner/repo/resolve/v1/a/model.gguf"
    );
    assert_eq!(pull(&fixture).await.unwrap().source, Source::Cache);
    assert_eq!(server.requests().len(), 1);
    fs::remove_file(&found.path).unwrap();
    assert_eq!(pull(&fixture).await.unwrap().path, found.path);
    fs::remove_file(&found.path).unwrap();
    let error = pull(&fixture).await.unwrap_err();
    assert_eq!(error.code(), "SS3415");
    let left = fixture.files();
    assert!(
        left.iter()
            .all(|name| name.ends_with(".json") || name.ends_with(".tag")),
        "{left:?}"
    );
}

#[tokio::test]
async fn a_download_goes_on_only_if_the_tag_is_the_same() {
    for (tag, starts) in [
        ("\"one\"", [None, Some(500)]),
        ("\"two\"", [None, Some(500)]),
    ] {
        let server = serve(move |request, number| {
            let body = if tag == "\"one\"" {
                gguf(900)
            } else {
                gguf(901)
            };
            match number {
                0 => Reply::whole(&gguf(900)).with("etag", "\"one\"").cut(500),
                _ if request.header("if-range") == Some(tag) => {
                    Reply::file(&body, request).with("etag", tag)
                }
                _ => Reply::whole(&body).with("etag", tag),
            }
        })
        .await;
        let fixture = Fixture::with_hub(&server.address());
        let found = pull(&fixture).await.unwrap();
        let expected = if tag == "\"one\"" {
            gguf(900)
        } else {
            gguf(901)
        };
        assert_eq!(fs::read(found.path).unwrap(), expected, "{tag}");
        let asked: Vec<_> = server.requests().iter().map(start).collect();
        assert_eq!(asked, starts, "{tag}");
        assert_eq!(server.requests()[1].header("if-range"), Some("\"one\""));
    }
}

#[tokio::test]
async fn a_stretch_with_another_tag_is_not_put_behind_what_is_there() {
    let server = serve(|request, number| match number {
        0 => Reply::whole(&gguf(900)).with("etag", "\"one\"").cut(500),
        1 => Reply::file(&[b'x'; 904], request).with("etag", "\"two\""),
        _ => Reply::file(&gguf(900), request).with("etag", "\"one\""),
    })
    .await;
    let fixture = Fixture::with_hub(&server.address());
    let found = pull(&fixture).await.unwrap();
    assert_eq!(fs::read(found.path).unwrap(), gguf(900));
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn without_a_tag_a_cut_download_begins_again() {
    for tag in [None, Some("W/\"weak\"")] {
        let server = serve(move |_, number| {
            let reply = Reply::whole(&gguf(900));
            let reply = match tag {
                Some(tag) => reply.with("etag", tag),
                None => reply,
            };
            if number == 0 { reply.cut(500) } else { reply }
        })
        .await;
        let fixture = Fixture::with_hub(&server.address());
        let found = pull(&fixture).await.unwrap();
        assert_eq!(fs::read(found.path).unwrap(), gguf(900));
        let asked: Vec<_> = server.requests().iter().map(start).collect();
        assert_eq!(asked, [None, None]);
    }
}

#[tokio::test]
async fn what_the_hub_says_of_the_file_must_be_true() {
    let right = sha256(&gguf(900));
    for (hash, size, code) in [
        (right.clone(), "904", None),
        (right.replace('a', "b"), "904", Some("SS3402")),
        (right, "905", Some("SS3403")),
    ] {
        let store = serve(|request, _| Reply::file(&gguf(900), request)).await;
        let to = store.address();
        let hub = serve(move |_, _| {
            Reply::redirect(&format!("{to}/blob"))
                .with("x-linked-etag", format!("\"{hash}\""))
                .with("x-linked-size", size)
        })
        .await;
        let fixture = Fixture::with_hub(&hub.address());
        let outcome = pull(&fixture).await;
        assert_eq!(outcome.err().map(|error| error.code()), code);
    }
}

#[tokio::test]
async fn a_page_in_place_of_the_file_is_neither_kept_nor_recorded() {
    let server = serve(|_, _| Reply::whole(b"<html>please log in</html>")).await;
    let fixture = Fixture::with_hub(&server.address());
    assert_eq!(pull(&fixture).await.unwrap_err().code(), "SS3416");
    assert_eq!(fixture.files(), [] as [String; 0]);
    let server = serve(|_, _| Reply::whole(&gguf(900)).framed(Framing::Chunked)).await;
    let fixture = Fixture::with_hub(&server.address());
    let error = pull(&fixture).await.unwrap_err();
    assert_eq!(error.code(), "SS3416", "a file of no known length");
}

#[tokio::test]
async fn a_record_that_cannot_be_read_is_no_first_pull() {
    let server = serve(|request, _| Reply::file(&gguf(900), request)).await;
    let fixture = Fixture::with_hub(&server.address());
    pull(&fixture).await.unwrap();
    let record = fixture
        .files()
        .into_iter()
        .find(|name| name.ends_with(".json"));
    fs::write(fixture.cache().join(record.unwrap()), "{}").unwrap();
    assert_eq!(pull(&fixture).await.unwrap_err().code(), "SS3413");
}

#[tokio::test]
async fn without_a_hub_it_is_missing() {
    assert_eq!(pull(&Fixture::new()).await.unwrap_err().code(), "SS3418");
}
