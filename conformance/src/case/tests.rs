//! Case files: what reads, and what a bad one says.

use serde_json::json;

use super::channel::{ChannelKind, ReducerOp};
use super::graph::{BranchMap, EdgeStart, NodeSet, Shape};
use super::node::RetryOn;
use super::op::{At, Durability, OutputKeys, RunInput};
use super::*;

fn case(graphs: Json, script: Json) -> Json {
    json!({"format": 1, "name": "n", "feature": "f", "about": "a", "recorded": "x", "graphs": graphs, "script": script})
}

fn small() -> Json {
    json!({"channels": {"x": {"kind": "last_value"}}, "nodes": [{"name": "a", "do": []}]})
}

fn parse(value: &Json) -> Result<Case, CaseError> {
    Case::parse("c.json", &value.to_string())
}

fn complaint(value: &Json) -> String {
    parse(value).unwrap_err().to_string()
}

fn state(graph: &GraphDef) -> &graph::StateDef {
    match graph {
        GraphDef::State(state) => state,
        GraphDef::Entrypoint(_) => panic!("an entrypoint"),
    }
}

#[test]
fn a_full_graph_is_read() {
    let main = json!({
        "channels": {
            "log": {"kind": "reducer", "op": "add", "init": []},
            "p": {"kind": "last_value", "private": true},
            "e": {"kind": "ephemeral", "guard": false},
        },
        "output": ["log"],
        "nodes": [
            {"name": "b", "do": [{"return": null}], "defer": true, "retry": {"max_attempts": 2, "retry_on": ["ValueError"]}},
            {"name": "a", "subgraph": "sub", "retry": [{}, {"backoff": 2.0, "initial_ms": 10, "max_ms": 35}]},
        ],
        "edges": [["__start__", "b"], [["a", "b"], "__end__"]],
        "branches": [{"from": "b", "path": "x", "map": {"x": "a"}}, {"from": "a", "path": "b", "map": ["b"], "name": "r"}],
        "interrupt_before": "*",
        "interrupt_after": ["a"],
        "checkpointer": false,
        "tasks": [{"name": "t", "params": ["x"], "do": []}],
    });
    let sub = json!({"root": {"kind": "reducer", "op": "add"}, "nodes": []});
    let case = parse(&case(json!({"main": main, "sub": sub}), json!([]))).unwrap();

    let main = state(&case.graphs["main"]);
    let Shape::Channels(channels) = &main.shape else {
        panic!("a root channel");
    };
    let log = ChannelKind::Reducer {
        op: ReducerOp::Add,
        init: Some(json!([])),
    };
    assert_eq!(channels["log"].kind, log);
    assert!(channels["p"].private);
    assert_eq!(channels["e"].kind, ChannelKind::Ephemeral { guard: false });
    let names: Vec<_> = main.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["b", "a"]);
    assert_eq!(
        main.edges[1].from,
        EdgeStart::All(vec!["a".into(), "b".into()])
    );
    assert!(matches!(main.branches[0].map, Some(BranchMap::Table(_))));
    assert!(matches!(main.branches[1].map, Some(BranchMap::Names(_))));
    assert_eq!(main.interrupt_before, Some(NodeSet::All));
    assert_eq!(main.interrupt_after, Some(NodeSet::Named(vec!["a".into()])));
    assert_eq!(main.checkpointer, Some(false));
    let retry = main.nodes[0].policies.retry.as_ref().unwrap();
    assert_eq!((retry.len(), retry[0].max_attempts), (1, 2));
    let retry = main.nodes[1].policies.retry.as_ref().unwrap();
    assert_eq!((retry.len(), retry[0].max_attempts), (2, 3));
    let waits: Vec<f64> = (1..=3).map(|k| retry[1].wait_ms(k)).collect();
    assert_eq!(waits, [10.0, 20.0, 35.0]);
    assert!(matches!(state(&case.graphs["sub"]).shape, Shape::Root(_)));
}

#[test]
fn an_entrypoint_is_read() {
    let main = json!({"kind": "entrypoint", "name": "wf", "tasks": [{"name": "t", "params": [], "do": []}], "do": [{"return": 1}]});
    let case = parse(&case(json!({ "main": main }), json!([]))).unwrap();
    let GraphDef::Entrypoint(entry) = &case.graphs["main"] else {
        panic!("a state graph");
    };
    assert_eq!((entry.name.as_str(), entry.tasks.len()), ("wf", 1));
}

#[test]
fn operations_have_defaults() {
    let script = json!([{"op": "invoke", "expect": {}}]);
    let case = parse(&case(json!({"main": small()}), script)).unwrap();
    let op = &case.script[0];
    assert_eq!(
        (op.graph.as_str(), op.thread.as_deref()),
        ("main", Some("1"))
    );
    let Action::Invoke(run) = &op.action else {
        panic!("not a run");
    };
    assert!(matches!(run.input, RunInput::Nothing));
    assert_eq!(case.setup, Setup::default());
}

#[test]
fn operations_are_read_with_everything_they_say() {
    let script = json!([
        {"op": "stream", "modes": ["values"], "command": {"resume": null, "resume_by_value": [["q", 1]]}, "thread": null,
         "durability": "exit", "output_keys": "x", "version": "v2", "control": {"drain_before": "why"}, "expect": {}},
        {"op": "get_state", "at": {"sub": [0, 1], "ordinal": 2}, "quirk": "odd", "expect": {}},
        {"op": "store", "do": "put", "ns": ["a"], "key": "k", "value": {"$lit": 1}, "expect": {}},
        {"op": "bulk_update", "supersteps": [[{"values": null, "as_node": "a"}]], "graph": "other", "expect": {}},
    ]);
    let graphs = json!({"main": small(), "other": small(), "third": small()});
    let case = parse(&case(graphs, script)).unwrap();
    assert_eq!(
        case.roots().into_iter().collect::<Vec<_>>(),
        ["main", "other"]
    );

    let [stream, get, store, bulk] = case.script.as_slice() else {
        panic!("not four");
    };
    assert_eq!(stream.thread, None);
    let Action::Stream { run, .. } = &stream.action else {
        panic!("not a stream");
    };
    let RunInput::Command(command) = &run.input else {
        panic!("not a command");
    };
    assert_eq!(command.resume, Some(Json::Null));
    assert_eq!(command.resume_by_value, Some(vec![(json!("q"), json!(1))]));
    assert_eq!(run.durability, Some(Durability::Exit));
    assert_eq!(run.output_keys, Some(OutputKeys::One("x".into())));
    assert_eq!((run.v2, run.drain_before.as_deref()), (true, Some("why")));
    let place = At::Sub {
        path: vec![0, 1],
        of: None,
        ordinal: Some(2),
        latest: false,
    };
    assert_eq!(
        (get.at.clone(), get.quirk.as_deref()),
        (Some(place), Some("odd"))
    );
    let Action::Store { verb, fields } = &store.action else {
        panic!("not the store");
    };
    assert_eq!(verb, "put");
    let arguments = json!({"ns": ["a"], "key": "k", "value": {"$lit": 1}});
    assert_eq!(Json::Object(fields.clone()), arguments);
    let Action::BulkUpdate(steps) = &bulk.action else {
        panic!("not an update");
    };
    assert_eq!(steps[0][0].as_node.as_deref(), Some("a"));
    assert!(!bulk.source.contains_key("expect"));
}

#[test]
fn a_flaw_is_reported_with_file_and_field() {
    let mut retry = small();
    retry["nodes"][0]["retry"] = json!({"max_attempts": "two"});
    let retry = case(json!({ "main": retry }), json!([]));
    let expected = "c.json: graphs.main.nodes[0].retry.max_attempts: expected a whole number, found the string \"two\"";
    assert_eq!(complaint(&retry), expected);

    let mut typo = small();
    typo["channels"]["x"] = json!({"kind": "topic", "acumulate": true});
    let typo = case(json!({ "main": typo }), json!([]));
    assert_eq!(
        complaint(&typo),
        "c.json: graphs.main.channels.x.acumulate: unknown field"
    );

    let nameless = json!({"channels": {}, "nodes": [{"do": []}]});
    let nameless = case(json!({ "main": nameless }), json!([]));
    assert_eq!(
        complaint(&nameless),
        "c.json: graphs.main.nodes[0].name: missing"
    );

    let op = case(
        json!({"main": small()}),
        json!([{"op": "invoke", "expect": {}}, {"op": "fly", "expect": {}}]),
    );
    assert_eq!(
        complaint(&op),
        "c.json: script[1].op: there is no operation \"fly\""
    );

    let unexpected = case(json!({"main": small()}), json!([{"op": "build"}]));
    assert_eq!(complaint(&unexpected), "c.json: script[0].expect: missing");
}

#[test]
fn graphs_that_do_not_exist_are_reported_where_they_are_named() {
    let lonely = case(json!({"other": small()}), json!([]));
    assert_eq!(
        complaint(&lonely),
        "c.json: graphs: there is no graph \"main\""
    );
    let op = case(
        json!({"main": small()}),
        json!([{"op": "build", "graph": "gone", "expect": {}}]),
    );
    assert_eq!(
        complaint(&op),
        "c.json: script[0].graph: there is no graph \"gone\""
    );
    let mut node = small();
    node["nodes"][0] = json!({"name": "a", "subgraph": "gone"});
    let node = case(json!({ "main": node }), json!([]));
    assert_eq!(
        complaint(&node),
        "c.json: graphs.main.nodes[0].subgraph: there is no graph \"gone\""
    );
}

#[test]
fn a_file_that_is_no_case_is_an_error() {
    let broken = Case::parse("c.json", "{").unwrap_err().to_string();
    assert!(broken.starts_with("c.json: not JSON: "), "{broken}");
    assert_eq!(
        complaint(&json!([])),
        "c.json: the file: expected an object, found a list"
    );
    assert_eq!(
        complaint(&json!({"format": 2})),
        "c.json: format: expected 1, found 2"
    );
    let missing = Case::load(Path::new("no/such/case.json"))
        .unwrap_err()
        .to_string();
    assert!(
        missing.starts_with("no/such/case.json: cannot be read: "),
        "{missing}"
    );
}

#[test]
fn retries_cover_kinds_as_listed() {
    assert!(RetryOn::Default.covers("CustomError"));
    assert!(RetryOn::Default.covers("NodeTimeoutError"));
    assert!(!RetryOn::Default.covers("ValueError"));
    let listed = |kind: &str| RetryOn::Kinds(vec![kind.to_owned()]);
    assert!(listed("ValueError").covers("ValueError"));
    assert!(!listed("ValueError").covers("KeyError"));
    assert!(listed("Exception").covers("KeyError"));
    assert!(!listed("TimeoutError").covers("NodeTimeoutError"));
}
