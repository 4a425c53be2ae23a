//! Assistants: one for each graph.

use serde_json::{Value as Json, json};
use superstep::{
    Schemas,
    dynamic::{DynCtx, DynGraphBuilder, Halt, START},
};

use crate::{
    client::Running,
    graphs::{memory, nested, server},
};

/// Ids that clients know: they follow from the ids of the graphs.
const HITL: &str = "d2a02ed8-fb92-5e43-81ea-cb78d82caa2f";
const ONE: &str = "39a68923-35d8-56bc-9761-3a809a9e6a7f";

#[tokio::test]
async fn each_graph_has_an_assistant_with_the_id_that_clients_know() {
    let server = Running::start(server(memory())).await;
    let mut one = server.get(&format!("/assistants/{ONE}")).await.ok();
    let created = one["created_at"].take();
    assert_eq!(created, one["updated_at"].take());
    assert_eq!(one["metadata"]["ui"].take()["title"], "One");
    assert!(
        created
            .as_str()
            .is_some_and(|time| time.ends_with("+00:00"))
    );
    let expected = json!({
        "assistant_id": ONE, "graph_id": "one", "config": {}, "context": {},
        "metadata": {"created_by": "system", "ui": null}, "name": "chain1", "created_at": null,
        "updated_at": null, "version": 1, "description": null,
    });
    assert_eq!(one, expected);
}

#[tokio::test]
async fn the_assistant_of_a_graph_without_a_name_goes_by_its_id() {
    let unnamed = DynGraphBuilder::new()
        .last_value("x")
        .node("only", |_: DynCtx| async { Ok::<_, Halt>(()) })
        .edge(START, "only")
        .build()
        .unwrap();
    let server = server(memory()).dynamic("plain", &unnamed, Schemas::default());
    let server = Running::start(server).await;
    let found = server
        .post("/assistants/search", json!({"graph_id": "plain"}))
        .await
        .ok();
    assert_eq!(found[0]["name"], "plain");
}

#[tokio::test]
async fn assistants_are_found_page_by_page() {
    let server = Running::start(server(memory())).await;
    let search = |body: Json| server.post("/assistants/search", body);
    let ids = |rows: &Json| -> Vec<String> {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["graph_id"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = search(json!({"limit": 1, "sort_by": "graph_id", "sort_order": "asc"})).await;
    assert_eq!(first.header("x-pagination-total"), Some("2"));
    assert_eq!(first.header("x-pagination-next"), Some("1"));
    assert_eq!(ids(&first.ok()), ["hitl"]);
    let last = search(json!({"offset": 1, "sort_by": "graph_id", "sort_order": "asc"})).await;
    assert_eq!(last.header("x-pagination-next"), None);
    assert_eq!(ids(&last.ok()), ["one"]);
    for (filter, found) in [
        (json!({"graph_id": "hitl"}), vec!["hitl"]),
        (json!({"name": "CHAIN"}), vec!["one"]),
        (json!({"graph_id": "nope"}), vec![]),
        (json!({"metadata": {"created_by": "me"}}), vec![]),
    ] {
        assert_eq!(ids(&search(filter.clone()).await.ok()), found);
        let count = server.post("/assistants/count", filter).await.ok();
        assert_eq!(count, found.len());
    }
    let some = search(json!({"graph_id": "one", "select": ["assistant_id", "graph_id"]})).await;
    assert_eq!(some.ok(), json!([{"assistant_id": ONE, "graph_id": "one"}]));
}

#[tokio::test]
async fn an_assistant_tells_the_schemas_of_its_graph() {
    let server = Running::start(server(memory())).await;
    let schemas = server
        .get(&format!("/assistants/{HITL}/schemas"))
        .await
        .ok();
    assert_eq!(schemas["graph_id"], "hitl");
    assert_eq!(
        schemas["input_schema"]["properties"]["topic"]["type"],
        "string"
    );
    assert_eq!(
        schemas["state_schema"]["properties"]["log"]["type"],
        "array"
    );
    assert_eq!(schemas["config_schema"], json!({}));
    assert_eq!(schemas["context_schema"], Json::Null);
}

#[tokio::test]
async fn an_assistant_that_is_not_there_is_said_to_be_missing() {
    let server = Running::start(server(memory())).await;
    for path in ["/assistants/one", "/assistants/one/schemas"] {
        let detail = "Invalid assistant ID: must be a UUID";
        assert_eq!(server.get(path).await.detail(422), detail);
    }
    let missing = "/assistants/99999999-9999-4999-8999-999999999999";
    assert!(server.get(missing).await.detail(404).contains("not found"));
}

#[tokio::test]
async fn an_assistant_shows_its_graph_by_either_id() {
    let server = Running::start(server(memory())).await;
    let node = |id: &str| json!({"id": id, "type": "runnable", "data": {"name": id}});
    let edge = |source: &str, target: &str| json!({"source": source, "target": target});
    let expected = json!({
        "nodes": [node("__start__"), node("write"), node("review"), {"id": "__end__"}],
        "edges": [edge("__start__", "write"), edge("write", "review"), edge("review", "__end__")],
    });
    for id in [HITL, "hitl"] {
        let graph = server.get(&format!("/assistants/{id}/graph")).await.ok();
        assert_eq!(graph, expected);
    }
    server.get("/assistants/nope/graph").await.detail(422);
    server
        .get("/assistants/hitl/graph?xray=deep")
        .await
        .detail(422);
}

#[tokio::test]
async fn a_subgraph_is_shown_as_a_node_or_by_what_is_inside() {
    let server = server(memory()).dynamic("nested", &nested(), Schemas::default());
    let server = Running::start(server).await;
    let edges = async |query: &str| -> Vec<(String, String)> {
        let path = format!("/assistants/nested/graph{query}");
        let graph = server.get(&path).await.ok();
        let text = |edge: &Json, end: &str| edge[end].as_str().unwrap().to_owned();
        let edges = graph["edges"].as_array().unwrap().iter();
        let mut edges: Vec<_> = edges
            .map(|edge| (text(edge, "source"), text(edge, "target")))
            .collect();
        edges.sort();
        edges
    };
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        let pairs = pairs.iter();
        pairs
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect()
    };
    let closed = pairs(&[
        ("__start__", "before"),
        ("after", "__end__"),
        ("before", "child"),
        ("child", "after"),
    ]);
    for query in ["", "?xray=false", "?xray=0"] {
        assert_eq!(edges(query).await, closed);
    }
    let open = pairs(&[
        ("__start__", "before"),
        ("after", "__end__"),
        ("before", "child:a"),
        ("child:a", "child:b"),
        ("child:b", "after"),
    ]);
    for query in ["?xray=true", "?xray=1"] {
        assert_eq!(edges(query).await, open);
    }
}

#[tokio::test]
async fn an_assistant_says_what_its_graph_does_and_how_to_try_it() {
    let server = server(memory())
        .description("one", "Adds one")
        .example("one", json!({"x": 1}));
    let server = Running::start(server).await;
    let one = server.get(&format!("/assistants/{ONE}")).await.ok();
    assert_eq!(one["description"], json!("Adds one"));
    assert_eq!(one["metadata"]["example_input"], json!({"x": 1}));
}

#[tokio::test]
async fn what_is_said_about_no_graph_is_a_mistake() {
    let server = server(memory()).description("none", "Nothing");
    let refused = server.bind("127.0.0.1:0").await.err().unwrap();
    assert!(refused.to_string().contains("none"), "{refused}");
}
