//! Lists of models, and vectors.

use std::time::Duration;

use serde_json::json;
use superstep_loopback::{Answer, Server};
use superstep_model::remote::{Address, Dimensions, Embeddings, Listed, list};
use superstep_store::{Embedder, StoreError};

use crate::side::{KEY, client, site};

const LIMIT: Duration = Duration::from_secs(10);

#[tokio::test]
async fn models_are_listed() {
    let models = json!({"object": "list", "data": [{"id": "a", "object": "model"}, {"id": "b"}]});
    let server = Server::with(move |_| Answer::json(200, &models))
        .await
        .unwrap();
    let at = site(&server.address());
    let by_openai = list::openai(&client(), &at, LIMIT).await.unwrap();
    let by_anthropic = list::anthropic(&client(), &at, LIMIT).await.unwrap();
    let names = |listed: &[Listed]| listed.iter().map(|l| l.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&by_openai), ["a", "b"]);
    assert_eq!(names(&by_anthropic), ["a", "b"]);
    let seen = server.requests();
    assert!(
        seen.iter()
            .all(|seen| seen.path == "/v1/models" && seen.method == "GET")
    );
    assert_eq!(
        seen[0].header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    assert_eq!(seen[1].header("x-api-key"), Some(KEY));
}

#[tokio::test]
async fn ollama_tells_sizes_and_families() {
    let tags = json!({"models": [
        {"name": "qwen3:8b", "details": {"family": "qwen3", "parameter_size": "8.2B"}},
        {"name": "nomic-embed-text", "details": {"family": "nomic-bert", "parameter_size": "137M"}},
        {"name": "odd", "details": null},
    ]});
    let server = Server::start([Answer::json(200, &tags)]).await.unwrap();
    let address = Address::new(&format!("{}/v1", server.address())).unwrap();
    let listed = list::ollama(&client(), &address, LIMIT).await.unwrap();
    let sizes: Vec<_> = listed
        .iter()
        .map(|l| (l.name.as_str(), l.parameters))
        .collect();
    let expected = [
        ("qwen3:8b", Some(8_200_000_000)),
        ("nomic-embed-text", Some(137_000_000)),
        ("odd", None),
    ];
    assert_eq!(sizes, expected);
    assert_eq!(listed[1].family.as_deref(), Some("nomic-bert"));
    assert_eq!(server.requests()[0].path, "/api/tags");
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[tokio::test]
async fn a_probe_ends_by_itself() {
    let server = Server::start([Answer::hang()]).await.unwrap();
    let address = Address::new(&server.address()).unwrap();
    let limit = Duration::from_millis(20);
    let error = list::ollama(&client(), &address, limit).await.unwrap_err();
    assert_eq!(error.to_string(), "no end of the reply within 20ms");
    let page = Server::start([Answer::status(200, &[], "<html>")])
        .await
        .unwrap();
    let address = Address::new(&page.address()).unwrap();
    let error = list::ollama(&client(), &address, LIMIT).await.unwrap_err();
    assert_eq!(error.code(), "SS5010");
}

fn embeddings(server: &Server, dimensions: Dimensions) -> Embeddings {
    Embeddings::new(client(), site(&server.address()), "e-1", dimensions)
}

#[tokio::test]
async fn vectors_come_in_the_order_of_their_texts() {
    let server = Server::with(|seen| {
        let texts = seen.body["input"].as_array().unwrap();
        let rows = texts.iter().enumerate().rev().map(|(index, text)| {
            let number: f32 = text.as_str().unwrap().parse().unwrap();
            json!({"object": "embedding", "index": index, "embedding": [number, 0.5]})
        });
        let rows: Vec<_> = rows.collect();
        Answer::json(
            200,
            &json!({"object": "list", "data": rows, "model": "e-1"}),
        )
    });
    let server = server.await.unwrap();
    let embedder = embeddings(&server, Dimensions::Shortened(2));
    let texts: Vec<String> = (0..300).map(|number| number.to_string()).collect();
    let rows = embedder.embed(texts).await.unwrap();
    let firsts: Vec<f32> = rows.iter().map(|row| row[0]).collect();
    let expected: Vec<f32> = (0..300u16).map(f32::from).collect();
    assert_eq!(firsts, expected);
    assert_eq!(embedder.id(), format!("{}/e-1/2", server.host()));
    let seen = server.requests();
    assert_eq!(seen.len(), 3);
    assert_eq!(seen[0].path, "/v1/embeddings");
    assert_eq!(seen[0].body["dimensions"], 2);
    assert_eq!(
        embedder.embed(Vec::new()).await.unwrap(),
        Vec::<Vec<f32>>::new()
    );
}

#[tokio::test]
async fn vectors_that_do_not_fit_their_texts_are_refused() {
    let row = |index: usize| json!({"index": index, "embedding": [1.0]});
    for rows in [
        vec![],
        vec![row(0)],
        vec![row(0), row(0)],
        vec![row(0), row(2)],
    ] {
        let server = Server::start([Answer::json(200, &json!({"data": rows}))])
            .await
            .unwrap();
        let embedder = embeddings(&server, Dimensions::Native(1));
        let texts = vec!["a".to_owned(), "b".to_owned()];
        let error = embedder.embed(texts).await.unwrap_err();
        assert!(matches!(error, StoreError::Embedding { .. }), "{error}");
        assert_eq!(server.requests()[0].body.get("dimensions"), None);
    }
}

#[tokio::test]
async fn a_refused_key_is_not_told_by_an_embedder() {
    let body = format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}");
    let server = Server::start([Answer::status(401, &[], &body)])
        .await
        .unwrap();
    let embedder = embeddings(&server, Dimensions::Native(1));
    let error = embedder.embed(vec!["a".into()]).await.unwrap_err();
    assert!(error.to_string().contains("refused the key"), "{error}");
    assert!(!format!("{error} {error:?}").contains(KEY));
}
