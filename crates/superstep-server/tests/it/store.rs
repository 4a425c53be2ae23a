//! The long-term store.

use serde_json::{Value as Json, json};
use superstep::http::Method;

use crate::{
    client::{Reply, Running},
    graphs::{memory, server},
};

async fn put(server: &Running, body: Json) -> Reply {
    server.call(Method::PUT, "/store/items", body).await
}

/// A server with three items and a thread.
async fn filled() -> Running {
    let server = Running::start(server(memory())).await;
    for (namespace, key, value) in [
        (json!(["a", "b"]), "k1", json!({"x": 9, "t": "hello"})),
        (json!(["a", "c"]), "k2", json!({"x": 2})),
        (json!(["threads", "mine"]), "k3", json!({"x": 3})),
    ] {
        let body = json!({"namespace": namespace, "key": key, "value": value});
        assert_eq!(put(&server, body).await.status, 204);
    }
    server.post("/threads", json!({})).await.ok();
    server
}

async fn keys(server: &Running, search: Json) -> Vec<String> {
    let found = server.post("/store/items/search", search).await.ok();
    let items = found["items"].as_array().unwrap().iter();
    items
        .map(|item| item["key"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn an_item_is_put_read_replaced_and_removed() {
    let server = filled().await;
    let path = "/store/items?namespace=a.b&key=k1";
    let item = server.get(path).await.ok();
    let names: Vec<&String> = item.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["namespace", "key", "value", "created_at", "updated_at"]
    );
    assert_eq!(item["namespace"], json!(["a", "b"]));
    assert_eq!(item["value"], json!({"x": 9, "t": "hello"}));
    let more =
        json!({"namespace": ["a", "b"], "key": "k1", "value": {"y": 1}, "index": false, "ttl": 60});
    assert_eq!(put(&server, more).await.status, 204);
    let replaced = server.get(path).await.ok();
    assert_eq!(replaced["value"], json!({"y": 1}));
    assert_eq!(replaced["created_at"], item["created_at"]);
    let place = json!({"namespace": ["a", "b"], "key": "k1"});
    for _ in 0..2 {
        let gone = server
            .call(Method::DELETE, "/store/items", place.clone())
            .await;
        assert_eq!((gone.status, gone.json), (204, Json::Null));
    }
    assert_eq!(server.get(path).await.ok(), Json::Null);
}

#[tokio::test]
async fn items_are_found_by_namespace_value_and_page() {
    let server = filled().await;
    for (search, found) in [
        (json!({"namespace_prefix": ["a"]}), vec!["k1", "k2"]),
        (json!({"namespace_prefix": ["a", "c"]}), vec!["k2"]),
        (
            json!({"namespace_prefix": ["a"], "filter": {"x": 9}}),
            vec!["k1"],
        ),
        (
            json!({"namespace_prefix": ["a"], "filter": {"x": {"$gt": 1}}}),
            vec!["k1", "k2"],
        ),
        (
            json!({"namespace_prefix": ["a"], "limit": 1, "offset": 1}),
            vec!["k2"],
        ),
        (json!({}), vec!["k1", "k2", "k3"]),
        (json!({"limit": 2, "offset": 2}), vec!["k3"]),
        (json!({"namespace_prefix": ["threads"]}), vec!["k3"]),
        (json!({"namespace_prefix": ["nope"]}), vec![]),
    ] {
        assert_eq!(keys(&server, search.clone()).await, found, "{search}");
    }
    let first = json!({"namespace_prefix": ["a"], "limit": 1});
    let found = server.post("/store/items/search", first).await.ok();
    assert_eq!(found["items"][0]["score"], Json::Null);
}

#[tokio::test]
async fn namespaces_are_listed() {
    let server = filled().await;
    for (list, found) in [
        (
            json!({}),
            json!([["a", "b"], ["a", "c"], ["threads", "mine"]]),
        ),
        (json!({"prefix": ["a"]}), json!([["a", "b"], ["a", "c"]])),
        (json!({"suffix": ["b"]}), json!([["a", "b"]])),
        (json!({"max_depth": 1}), json!([["a"], ["threads"]])),
        (json!({"limit": 1, "offset": 1}), json!([["a", "c"]])),
    ] {
        let reply = server.post("/store/namespaces", list.clone()).await.ok();
        assert_eq!(reply, json!({"namespaces": found}), "{list}");
    }
}

#[tokio::test]
async fn what_the_server_keeps_for_itself_is_not_for_clients() {
    let server = filled().await;
    for (first, second) in [("assistants", "served"), ("threads", "imported")] {
        let body = json!({"namespace": [first, second], "key": "k", "value": {}});
        assert!(
            put(&server, body.clone())
                .await
                .detail(403)
                .contains("to itself")
        );
        let gone = server.call(Method::DELETE, "/store/items", body).await;
        gone.detail(403);
        let path = format!("/store/items?namespace={first}.{second}&key=k");
        server.get(&path).await.detail(403);
    }
    let own = json!({"namespace_prefix": ["assistants", "served"]});
    assert!(keys(&server, own).await.is_empty());
    assert_eq!(server.post("/threads/count", json!({})).await.ok(), 1);
}

#[tokio::test]
async fn an_item_that_cannot_be_put_is_refused() {
    let server = filled().await;
    let item = |more: Json| {
        let mut body = json!({"namespace": ["a"], "key": "k", "value": {"x": 1}});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    for (body, status, says) in [
        (
            item(json!({"namespace": []})),
            400,
            "Namespace cannot be empty.",
        ),
        (item(json!({"namespace": ["a.b"]})), 422, "label"),
        (item(json!({"namespace": [""]})), 422, "empty"),
        (item(json!({"value": "s"})), 422, "`value`"),
        (item(json!({"value": null})), 422, "`value` is missing"),
        (item(json!({"key": null})), 422, "`key` is missing"),
        (item(json!({"ttl": -1})), 422, "`ttl`"),
        (item(json!({"index": ["a["]})), 422, "a["),
    ] {
        let reply = put(&server, body.clone()).await;
        assert!(reply.detail(status).contains(says), "{body}: {reply:?}");
    }
    server.get("/store/items?key=k").await.detail(400);
    server.get("/store/items?namespace=a").await.detail(422);
    let odd = json!({"filter": {"x": {"$odd": 1}}});
    server.post("/store/items/search", odd).await.detail(422);
    assert_eq!(
        server.get("/store/items?namespace=a&key=k").await.ok(),
        Json::Null
    );
}

#[tokio::test]
async fn bookkeeping_of_agents_is_neither_seen_nor_changed_by_clients() {
    let backends = memory();
    let store = backends.store.clone().unwrap();
    for labels in [
        vec!["mail", "past_calls", "m1"],
        vec!["mail", "notes"],
        vec!["owners", "ann", "mail", "past_calls", "m1"],
        vec!["owners", "ann", "mail", "notes"],
    ] {
        let place = superstep::store::Namespace::new(labels).unwrap();
        let put = store.put(&place, "k", json!({"x": 1}), Default::default());
        put.await.unwrap();
    }
    let server = server(backends.clone())
        .bookkeeping([["mail", "past_calls"]])
        .token(superstep::Secret::new("whole"))
        .owner("ann", superstep::Secret::new("the token of ann"));
    let server = Running::start(server).await;
    let call = async |token: &str, method: Method, path: &str, body: Json| {
        let request = server.request(method, path).header("x-api-key", token);
        server.send(request.body(body.to_string())).await
    };
    let own = json!(["mail", "notes"]);
    let anns = json!(["owners", "ann", "mail", "notes"]);
    for (token, seen, hidden) in [
        (
            "the token of ann",
            json!([own]),
            vec!["mail", "past_calls", "m1"],
        ),
        (
            "whole",
            json!([own, anns]),
            vec!["mail", "past_calls", "m1"],
        ),
        (
            "whole",
            json!([own, anns]),
            vec!["owners", "ann", "mail", "past_calls", "m1"],
        ),
    ] {
        let spaces = call(token, Method::POST, "/store/namespaces", json!({})).await;
        assert_eq!(spaces.ok()["namespaces"], seen, "{token}");
        let all = json!({"namespace_prefix": []});
        let found = call(token, Method::POST, "/store/items/search", all)
            .await
            .ok();
        let items = found["items"].as_array().unwrap().iter();
        let mut found: Vec<&Json> = items.map(|item| &item["namespace"]).collect();
        found.sort_by_key(|labels| labels.as_array().unwrap().len());
        assert_eq!(json!(found), seen, "{token}");
        let below = json!({"namespace_prefix": &hidden[..hidden.len() - 1]});
        let found = call(token, Method::POST, "/store/items/search", below).await;
        assert_eq!(found.ok()["items"], json!([]), "{token}");
        let item = format!("/store/items?namespace={}&key=k", hidden.join("."));
        call(token, Method::GET, &item, json!({})).await.detail(403);
        let place = json!({"namespace": hidden, "key": "k", "value": {"x": 2}});
        for method in [Method::PUT, Method::DELETE] {
            let refused = call(token, method, "/store/items", place.clone()).await;
            refused.detail(403);
        }
        let place = superstep::store::Namespace::new(["mail", "past_calls", "m1"]).unwrap();
        let kept = store
            .get(&place, "k", superstep::store::TtlOnRead::Keep)
            .await;
        assert_eq!(kept.unwrap().unwrap().value, json!({"x": 1}));
    }
}
