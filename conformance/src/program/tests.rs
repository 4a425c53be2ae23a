//! Programs on a small host.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;

/// Answers at once, and notes everything it was asked.
#[derive(Default)]
struct Fake {
    counters: BTreeMap<String, i64>,
    asked: Vec<Json>,
    tasks: Vec<Result<Val, (&'static str, &'static str)>>,
}

impl Externals for Fake {
    fn counter(&self, name: &str) -> i64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    fn flag(&self, _name: &str) -> Json {
        json!("up")
    }
}

fn ready<'a, T: Send + 'a>(answer: Result<T, Stop>) -> Reply<'a, T> {
    Box::pin(async move { answer })
}

impl Host for Fake {
    fn count(&mut self, name: &str) -> i64 {
        let counter = self.counters.entry(name.to_owned()).or_default();
        *counter += 1;
        *counter
    }

    fn interrupt(&mut self, value: Json, schema: Option<Json>) -> Reply<'_, Val> {
        let answer = match value == json!("stop") {
            true => Err(Stop::Bubble(Box::new("interrupted"))),
            false => Ok("answer".into()),
        };
        self.asked
            .push(json!({"interrupt": value, "schema": schema}));
        ready(answer)
    }

    fn emit(&mut self, data: Json) -> Reply<'_, ()> {
        self.asked.push(json!({ "emit": data }));
        ready(Ok(()))
    }

    fn sleep(&mut self, ms: u64) -> Reply<'_, ()> {
        self.asked.push(json!({ "sleep": ms }));
        ready(Ok(()))
    }

    fn store<'a>(&'a mut self, verb: &'a str, fields: Map<String, Json>) -> Reply<'a, Val> {
        self.asked.push(json!({"store": verb, "fields": fields}));
        ready(Ok("stored".into()))
    }

    fn call<'a>(&'a mut self, graph: &'a str, input: Val) -> Reply<'a, Val> {
        self.asked
            .push(json!({"call": graph, "input": input.to_json()}));
        let failure = Stop::Engine {
            kind: graph.to_owned(),
            message: "from the engine".into(),
            extra: Json::Null,
        };
        ready(if graph.ends_with("Error") {
            Err(failure)
        } else {
            Ok(input)
        })
    }

    fn start_task<'a>(&'a mut self, name: &'a str, args: Vec<Val>) -> Reply<'a, u64> {
        self.asked.push(json!({ "task": name }));
        self.tasks.push(match name {
            "bad" => Err(("ValueError", "task failed")),
            _ => Ok(Val::List(args)),
        });
        let id = self.tasks.len() as u64 - 1;
        ready(Ok(id))
    }

    fn await_task(&mut self, id: u64) -> Reply<'_, Val> {
        self.asked.push(json!({ "await": id }));
        let outcome = self.tasks[id as usize].clone();
        ready(outcome.map_err(|(kind, message)| Stop::Raised {
            kind: kind.into(),
            message: message.into(),
        }))
    }

    fn llm(&mut self, call: LlmCall) -> Reply<'_, Val> {
        let content = call.chunks.concat();
        ready(Ok(Val::from(
            json!({"type": "ai", "content": content, "id": call.id}),
        )))
    }

    fn drain<'a>(&'a mut self, reason: &'a str) -> Reply<'a, ()> {
        self.asked.push(json!({ "drain": reason }));
        ready(Ok(()))
    }

    fn heartbeat(&mut self) -> Reply<'_, ()> {
        self.asked.push(json!("heartbeat"));
        ready(Ok(()))
    }
}

async fn run_with(host: &mut Fake, program: Json) -> Result<Ended, Stop> {
    let env = Env::from([("state".to_owned(), Val::from(json!({"n": 2})))]);
    let stmts = program.as_array().unwrap().clone();
    run(&stmts, env, host).await
}

async fn returned(program: Json) -> Json {
    match run_with(&mut Fake::default(), program).await {
        Ok(Ended::Returned(value)) => value.into_json(),
        other => panic!("did not return: {other:?}"),
    }
}

async fn bug_in(program: Json) -> String {
    match run_with(&mut Fake::default(), program).await {
        Err(Stop::Bug(why)) => why,
        other => panic!("not a mistake: {other:?}"),
    }
}

#[test]
fn a_running_program_can_move_between_threads() {
    fn movable(_: impl Send) {}
    movable(run(&[], Env::new(), &mut Fake::default()));
}

#[tokio::test]
async fn running_off_the_end_returns_null() {
    assert_eq!(returned(json!([])).await, Json::Null);
    assert_eq!(returned(json!([{"set": "x", "to": 1}])).await, Json::Null);
}

#[tokio::test]
async fn assignments_are_seen_by_what_follows() {
    let program = json!([
        {"set": "x", "to": {"$add": [{"$": "state.n"}, 1]}},
        {"set": "x", "to": [{"$": "x"}]},
        {"return": {"$": "x"}},
        {"return": "unreached"},
    ]);
    assert_eq!(returned(program).await, json!([3]));
}

#[tokio::test]
async fn a_final_statement_returns_one_value_and_saves_another() {
    let program = json!([{"final": {"value": {"$": "state.n"}, "save": "kept"}}]);
    let ended = run_with(&mut Fake::default(), program).await.unwrap();
    let expected = Ended::Final {
        value: Val::from(2),
        save: "kept".into(),
    };
    assert_eq!(ended, expected);
}

#[tokio::test]
async fn conditions_choose_a_block_and_may_lack_one() {
    let choose = |condition: bool| json!([{"if": condition, "then": [{"return": "then"}], "else": [{"return": "else"}]}]);
    assert_eq!(returned(choose(true)).await, json!("then"));
    assert_eq!(returned(choose(false)).await, json!("else"));
    let program = json!([{"if": 0, "then": [{"return": 1}]}, {"return": 2}]);
    assert_eq!(returned(program).await, json!(2));
}

#[tokio::test]
async fn loops_run_over_lists_and_their_variable_stays() {
    let program = json!([
        {"set": "sum", "to": 0},
        {"for": "i", "in": {"$range": 4}, "do": [{"set": "sum", "to": {"$add": [{"$": "sum"}, {"$": "i"}]}}]},
        {"for": "i", "in": null, "do": [{"return": "unreached"}]},
        {"return": [{"$": "sum"}, {"$": "i"}]},
    ]);
    assert_eq!(returned(program).await, json!([6, 3]));
}

#[tokio::test]
async fn a_return_inside_nested_blocks_ends_the_program() {
    let program = json!([
        {"for": "i", "in": [1, 2], "do": [
            {"try": [{"if": {"$eq": [{"$": "i"}, 2]}, "then": [{"return": {"$": "i"}}]}], "catch": "e", "do": []},
        ]},
        {"return": "unreached"},
    ]);
    assert_eq!(returned(program).await, json!(2));
}

#[tokio::test]
async fn raising_stops_with_kind_and_message() {
    let program = json!([{"raise": "KeyError", "message": {"$cat": ["n", {"$": "state.n"}]}}]);
    let stop = run_with(&mut Fake::default(), program).await.unwrap_err();
    assert_eq!(stop.to_string(), "KeyError: n2");
    let stop = run_with(&mut Fake::default(), json!([{"raise": "KeyError"}]))
        .await
        .unwrap_err();
    assert_eq!(stop.to_string(), "KeyError: ");
    assert_eq!(
        bug_in(json!([{"raise": "Oops"}])).await,
        "there is no error kind \"Oops\""
    );
}

#[tokio::test]
async fn errors_of_statements_and_expressions_are_caught() {
    let program = json!([
        {"set": "before", "to": 1},
        {"try": [{"set": "before", "to": 2}, {"return": {"$raise": ["ValueError", "no"]}}],
         "catch": "e", "do": [{"return": [{"$": "before"}, {"$": "e"}]}]},
    ]);
    let expected = json!([2, {"kind": "ValueError", "message": "no"}]);
    assert_eq!(returned(program).await, expected);
}

#[tokio::test]
async fn engine_errors_are_caught_and_marked_unless_case_code_has_their_kind() {
    let catching = |kind: &str| json!([{"try": [{"call": kind, "input": 1, "into": "r"}], "catch": "e", "do": [{"return": {"$": "e"}}]}]);
    let marked = json!({"kind": "GraphRecursionError", "engine": true});
    assert_eq!(returned(catching("GraphRecursionError")).await, marked);
    let plain = json!({"kind": "ValueError", "message": "from the engine"});
    assert_eq!(returned(catching("ValueError")).await, plain);
}

#[tokio::test]
async fn interrupts_and_mistakes_pass_through_a_handler() {
    let handler = json!([{"return": "caught"}]);
    let program =
        json!([{"try": [{"interrupt": "stop", "into": "x"}], "catch": "e", "do": handler}]);
    let stop = run_with(&mut Fake::default(), program).await.unwrap_err();
    let Stop::Bubble(inner) = stop else {
        panic!("not an interrupt: {stop}");
    };
    assert_eq!(inner.downcast_ref::<&str>(), Some(&"interrupted"));
    let mistake = json!([{"try": [{"set": "x", "to": {"$nope": 1}}], "catch": "e", "do": handler}]);
    assert_eq!(bug_in(mistake).await, "there is no operator $nope");
}

#[tokio::test]
async fn answers_and_counts_are_kept_in_variables() {
    let mut host = Fake::default();
    let program = json!([
        {"count": "c"},
        {"count": "c", "into": "n"},
        {"interrupt": {"q": {"$": "n"}}, "into": "a", "schema": {"type": "string"}},
        {"return": [{"$": "n"}, {"$": "a"}, {"$counter": "c"}]},
    ]);
    let ended = run_with(&mut host, program).await.unwrap();
    assert_eq!(ended, Ended::Returned(Val::from(json!([2, "answer", 2]))));
    let asked = json!([{"interrupt": {"q": 2}, "schema": {"type": "string"}}]);
    assert_eq!(Json::Array(host.asked), asked);
}

#[tokio::test]
async fn effects_reach_the_host_in_order_with_evaluated_arguments() {
    let mut host = Fake::default();
    let program = json!([
        {"emit": {"n": {"$": "state.n"}}},
        {"sleep": 5},
        {"store": "put", "ns": ["u", {"$str": {"$": "state.n"}}], "key": "k", "value": {"v": 1}},
        {"call": "sub", "input": {"y": {"$": "state.n"}}, "into": "r"},
        {"drain": "why"},
        {"heartbeat": true},
        {"return": {"$": "r.y"}},
    ]);
    let ended = run_with(&mut host, program).await.unwrap();
    assert_eq!(ended, Ended::Returned(Val::from(2)));
    let asked = json!([
        {"emit": {"n": 2}},
        {"sleep": 5},
        {"store": "put", "fields": {"ns": ["u", "2"], "key": "k", "value": {"v": 1}}},
        {"call": "sub", "input": {"y": 2}},
        {"drain": "why"},
        "heartbeat",
    ]);
    assert_eq!(Json::Array(host.asked), asked);
}

#[tokio::test]
async fn tasks_are_awaited_at_once_or_later() {
    let mut host = Fake::default();
    let program = json!([
        {"task": "a", "args": [1], "into": "x", "wait": false},
        {"task": "b", "args": [2], "into": "y"},
        {"set": "list", "to": [{"$": "x"}]},
        {"await": "list.0", "into": "x"},
        {"return": [{"$": "x"}, {"$": "y"}]},
    ]);
    let ended = run_with(&mut host, program).await.unwrap();
    assert_eq!(ended, Ended::Returned(Val::from(json!([[1], [2]]))));
    let order = json!([{"task": "a"}, {"task": "b"}, {"await": 1}, {"await": 0}]);
    assert_eq!(Json::Array(host.asked), order);
}

#[tokio::test]
async fn the_error_of_a_task_is_raised_where_it_is_awaited() {
    let program = json!([
        {"task": "bad", "into": "x", "wait": false},
        {"try": [{"await": "x"}], "catch": "e", "do": [{"return": {"$": "e.message"}}]},
    ]);
    assert_eq!(returned(program).await, json!("task failed"));
    let why = bug_in(json!([{"await": "state.n"}])).await;
    assert_eq!(why, r#"state.n is no future in {"await":"state.n"}"#);
}

#[tokio::test]
async fn a_model_call_gives_the_finished_message() {
    let program = json!([
        {"llm": {"id": {"$cat": ["m", {"$": "state.n"}]}, "chunks": ["he", "llo"]}, "into": "m"},
        {"return": {"$": "m"}},
    ]);
    let message = json!({"type": "ai", "content": "hello", "id": "m2"});
    assert_eq!(returned(program).await, message);
}

#[tokio::test]
async fn malformed_statements_are_mistakes_of_the_case() {
    assert_eq!(
        bug_in(json!([{"nope": 1}])).await,
        r#"unknown statement in {"nope":1}"#
    );
    assert_eq!(bug_in(json!([3])).await, "a statement is an object, not 3");
    assert_eq!(
        bug_in(json!([{"set": "x"}])).await,
        r#"to is missing in {"set":"x"}"#
    );
    let looping = json!([{"for": "x", "in": 3, "do": []}]);
    assert!(bug_in(looping).await.starts_with("cannot loop over 3 in "));
}
