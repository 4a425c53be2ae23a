//! A server that stops lets steps finish, hands its runs to the next one, and tells the clients that wait for them.

use serde_json::{Value as Json, json};
use superstep::{
    Schemas,
    http::{Client, Method, Settings, Url},
};
use tokio::sync::oneshot;

use crate::{
    graphs::{Gate, gate, memory, server},
    victim::{Process, STEPS},
};

#[tokio::test]
async fn a_server_that_stops_hands_its_runs_to_the_next_one_and_tells_their_clients() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("threads.db");
    let mut server = Process::start(&place);
    let pipe = server.pipe.take();
    let body = json!({"assistant_id": "steps", "input": {"n": 0}, "stream_mode": ["values"]});
    let mut threads = Vec::new();
    for _ in 0..2 {
        let thread = server.call(Method::POST, "/threads", json!({})).await;
        threads.push(format!(
            "/threads/{}",
            thread["thread_id"].as_str().unwrap()
        ));
    }
    let [streamed, waited] = &*threads else {
        panic!()
    };
    let stream = server.request(Method::POST, &format!("{streamed}/runs/stream"));
    let wait = server.request(Method::POST, &format!("{waited}/runs/wait"));
    let stop = async {
        for thread in &threads {
            let path = format!("{thread}/state");
            while server.call(Method::GET, &path, Json::Null).await["values"]["n"].as_i64()
                < Some(2)
            {
                tokio::task::yield_now().await;
            }
        }
        drop(pipe);
    };
    let (events, (status, end), ()) = tokio::join!(
        server.events(stream.body(body.to_string()), usize::MAX),
        server.answer(wait.body(body.to_string())),
        stop
    );
    let (_, name, data) = events.last().unwrap();
    assert_eq!(
        (&**name, &data["error"]),
        ("error", &json!("SS9013")),
        "{events:?}"
    );
    let end: Json = serde_json::from_slice(&end).unwrap();
    assert_eq!(
        (status, &end["__error__"]["error"]),
        (200, &json!("SS9013")),
        "{end}"
    );
    assert!(server.child.wait().unwrap().success());

    let server = Process::start(&place);
    for thread in &threads {
        let runs = server
            .call(Method::GET, &format!("{thread}/runs"), Json::Null)
            .await;
        let run = runs[0]["run_id"].as_str().unwrap();
        let path = format!("{thread}/runs/{run}/join");
        let end = server.call(Method::GET, &path, Json::Null).await;
        // Each step happened once.
        assert_eq!(end["log"], json!((1..=STEPS).collect::<Vec<_>>()));
    }
    server.kill();
}

#[tokio::test]
async fn a_server_that_stops_is_not_ready_and_takes_no_new_run() {
    let gates = Gate::shut();
    let server = server(memory()).dynamic("gate", &gate(&gates), Schemas::default());
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let address = bound.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(bound.serve(async {
        let _stopped = stopped.await;
    }));
    let client = Client::new(&Settings::default()).unwrap();
    let call = |method: Method, path: &str, body: Json| {
        let url = Url::parse(&format!("http://{address}{path}")).unwrap();
        let request = client.request(method, url).body(body.to_string());
        let client = client.clone();
        async move {
            let reply = client.send(request).await.unwrap();
            let status = reply.status().as_u16();
            let body = reply.read(1 << 20).await.unwrap();
            (status, serde_json::from_slice::<Json>(&body).unwrap())
        }
    };
    let body = |graph: &str| json!({"assistant_id": graph, "input": {"x": 0}});
    let waiting = tokio::spawn(call(Method::POST, "/runs/wait", body("gate")));
    gates.entered.acquire().await.unwrap().forget();
    assert_eq!(call(Method::GET, "/ok", Json::Null).await.0, 200);
    stop.send(()).unwrap();
    while call(Method::GET, "/ok", Json::Null).await.0 == 200 {}
    // What is accepted now is for the next process, and its client is told so.
    let url = Url::parse(&format!("http://{address}/runs/wait")).unwrap();
    let left = client
        .request(Method::POST, url)
        .body(body("one").to_string());
    let left = client.send(left).await.unwrap();
    gates.open.add_permits(1);
    assert_eq!(waiting.await.unwrap(), (200, json!({"x": 1})));
    let left: Json = serde_json::from_slice(&left.read(1 << 20).await.unwrap()).unwrap();
    assert_eq!(left["__error__"]["error"], "SS9013");
    served.await.unwrap().unwrap();
}
