//! Graphs as data: read, checked with places, built and run.

use serde_json::{Value, json};
use superstep::{
    Backends, RunOptions,
    dynamic::{GraphSpec, Registry, input},
};

use crate::plain::saver;

fn orders() -> Value {
    json!({
        "name": "orders",
        "channels": [
            {"name": "approved"},
            {"name": "log", "reducer": "add", "default": []},
        ],
        "nodes": [
            {"name": "approve", "kind": "ask", "config": {"question": "send?", "into": "approved"}},
            {"name": "ship", "graph": {
                "channels": [{"name": "log", "reducer": "add", "default": []}],
                "nodes": [{"name": "pack", "kind": "set", "config": {"values": {"log": ["packed"]}}}],
                "edges": [{"from": "__start__", "to": "pack"}],
            }},
            {"name": "end", "kind": "pass", "attempts": 2, "timeout_ms": 1000, "max_concurrency": 1},
        ],
        "edges": [
            {"from": "__start__", "to": "approve"},
            {"from": ["ship"], "to": "end"},
            {"from": "end", "to": "__end__"},
        ],
        "routes": [{
            "from": "approve", "kind": "channel", "config": {"channel": "approved"},
            "map": {"yes": "ship", "no": "end"},
        }],
    })
}

#[tokio::test]
async fn a_graph_of_json_asks_routes_and_runs_a_subgraph() {
    let spec = GraphSpec::from_json(orders()).unwrap();
    let graph = spec.build(&Registry::new(), Backends::on(saver())).unwrap();
    for (thread, answer, log) in [("a", "yes", json!(["packed"])), ("b", "no", json!([]))] {
        let options = RunOptions::on(thread);
        let asked = graph.invoke(json!({"log": []}), &options).await.unwrap();
        assert_eq!(asked.asks[0].value.to_json(), "send?");
        let done = graph.invoke(input::resume(answer), &options).await.unwrap();
        assert_eq!(done.output.unwrap().to_json()["log"], log);
    }
    let typo = json!({"lgo": []});
    let error = graph.invoke(typo, &RunOptions::on("c")).await.unwrap_err();
    assert_eq!(error.code(), "SS1120");
}

#[test]
fn a_spec_comes_back_from_its_json() {
    let spec = GraphSpec::from_json(orders()).unwrap();
    let again = serde_json::to_string(&spec).unwrap();
    assert_eq!(GraphSpec::read(&again).unwrap(), spec);
}

fn mistakes(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut json = orders();
    change(&mut json);
    let built = GraphSpec::from_json(json)
        .and_then(|spec| spec.build(&Registry::new(), Backends::default()));
    let errors = built.err().unwrap().to_string();
    errors.lines().map(str::to_owned).collect()
}

#[test]
fn every_mistake_has_its_place_and_its_code() {
    let form = mistakes(|spec| {
        spec["channels"][1]["reduce"] = json!("add");
        spec["nodes"][1]["graph"]["nodes"][0] = json!("pack");
        spec["edges"][2] = json!({"from": "end"});
    });
    assert_eq!(form.len(), 3, "{form:?}");
    assert!(
        form[0].starts_with("[SS4030] channels[1]: unknown field `reduce`"),
        "{form:?}"
    );
    assert!(
        form[1].starts_with("[SS4030] edges[2]: missing field `to`"),
        "{form:?}"
    );
    assert!(
        form[2].starts_with("[SS4030] nodes[1].graph.nodes[0]: a node is an object"),
        "{form:?}"
    );
    let kinds = mistakes(|spec| {
        spec["channels"][1]["reducer"] = json!("concat");
        spec["nodes"][0]["config"] = json!({"question": "send?"});
        spec["nodes"][2]["kind"] = json!("noop");
        spec["routes"][0]["kind"] = json!("llm");
    });
    assert_eq!(kinds.len(), 4, "{kinds:?}");
    assert!(
        kinds[0].starts_with("[SS4031] channels[1].reducer: there is no reducer `concat`"),
        "{kinds:?}"
    );
    assert!(
        kinds[1].starts_with("[SS4032] nodes[0].config: missing field `into`"),
        "{kinds:?}"
    );
    assert!(
        kinds[2].starts_with("[SS4031] nodes[2].kind: there is no kind of node `noop`"),
        "{kinds:?}"
    );
    assert!(
        kinds[3].starts_with("[SS4031] routes[0].kind: there is no router `llm`"),
        "{kinds:?}"
    );
    let graph = mistakes(|spec| {
        spec["edges"][2]["to"] = json!("nowhere");
        spec["routes"][0]["map"]["no"] = json!("lost");
    });
    assert_eq!(graph.len(), 2, "{graph:?}");
    assert!(
        graph[0].starts_with("[SS4033] edges[2].to: [SS4005]"),
        "{graph:?}"
    );
    assert!(
        graph[1].starts_with("[SS4033] routes[0].map.no: [SS4005]"),
        "{graph:?}"
    );
    let text = GraphSpec::read("{\"nodes\": [").unwrap_err().to_string();
    assert!(text.starts_with("[SS4030] "), "{text}");
}
