//! Files that are already there.

use std::fs;

use superstep_local::weights::{MINILM, Source, TINY, Weights, WeightsError, silent};

use crate::fixture::{Fixture, bytes, entry, sha256};

#[tokio::test]
async fn a_file_in_the_cache_is_taken_from_there() {
    let body = bytes(900);
    let wanted = entry(&body, vec![]);
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.cache()).unwrap();
    let path = fixture.cache().join(format!("{}.gguf", sha256(&body)));
    fs::write(&path, &body).unwrap();
    let found = fixture.pull(wanted).await.unwrap();
    assert_eq!((found.path, found.source), (path, Source::Cache));
    assert_eq!(
        fixture
            .sources
            .find(&Weights::Entry(wanted))
            .unwrap()
            .source,
        Source::Cache
    );
}

#[tokio::test]
async fn without_any_source_the_weights_are_missing_and_the_hint_says_so() {
    let fixture = Fixture::new();
    for entry in [&TINY, &MINILM] {
        let error = fixture.pull(entry).await.unwrap_err();
        assert_eq!(error.code(), "SS3418");
        assert!(error.hint().is_some_and(|hint| hint.contains("pull")));
        let error = fixture.sources.find(&Weights::Entry(entry)).unwrap_err();
        assert!(matches!(error, WeightsError::Missing { name } if name == entry.name));
    }
}

#[tokio::test]
async fn a_file_that_stands_in_must_be_the_same_file() {
    let body = bytes(900);
    let wanted = entry(&body, vec![]);
    let mut fixture = Fixture::new();
    let path = fixture.path().join("mine.gguf");
    fixture.sources.file = Some(path.clone());
    fs::write(&path, &body).unwrap();
    let found = fixture.pull(wanted).await.unwrap();
    assert_eq!((&found.path, found.source), (&path, Source::File));
    fs::write(&path, bytes(901)).unwrap();
    let error = fixture.pull(wanted).await.unwrap_err();
    assert_eq!(error.code(), "SS3402");
    assert!(path.exists(), "it is the user's");
    fs::remove_file(&path).unwrap();
    assert_eq!(fixture.pull(wanted).await.unwrap_err().code(), "SS3413");
}

#[tokio::test]
async fn a_file_of_another_kind_stands_in_for_something_else() {
    let wanted = entry(&bytes(900), vec![]);
    let mut fixture = Fixture::new();
    let path = fixture.path().join("mine.onnx");
    fs::write(&path, "x").unwrap();
    fixture.sources.file = Some(path);
    assert_eq!(fixture.pull(wanted).await.unwrap_err().code(), "SS3418");
}

#[tokio::test]
async fn a_path_is_used_as_it_is_if_it_looks_like_weights() {
    let fixture = Fixture::new();
    let path = fixture.path().join("own.gguf");
    let weights = Weights::Path(path.clone());
    let code = |outcome: Result<_, WeightsError>| outcome.map(|_| ()).unwrap_err().code();
    assert_eq!(code(fixture.sources.find(&weights)), "SS3413");
    fs::create_dir(&path).unwrap();
    assert_eq!(code(fixture.sources.find(&weights)), "SS3416");
    fs::remove_dir(&path).unwrap();
    for wrong in ["", "GGU", "<!doctype html>"] {
        fs::write(&path, wrong).unwrap();
        assert_eq!(
            code(fixture.sources.pull(&weights, silent()).await),
            "SS3416"
        );
    }
    fs::write(&path, "GGUF and more").unwrap();
    let found = fixture.sources.pull(&weights, silent()).await.unwrap();
    assert_eq!(found.path, path);
    assert_eq!((found.size, found.sha256), (13, None));
    assert_eq!(fixture.files(), [] as [String; 0]);
}
