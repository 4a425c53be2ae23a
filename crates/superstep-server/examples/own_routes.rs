//! Agents beside the routes of an application, on its port and with its login:
//! `cargo run -p superstep-server --example own_routes -- 127.0.0.1:8080`.
//!
//! Customers ask for refunds, the office sees all threads and approves, and own code starts a run for a customer:
//!
//! ```text
//! curl -X POST localhost:8080/orders/7/refund -H 'x-user: ann'
//! curl localhost:8080/agents/threads/search -d '{"select": ["thread_id", "interrupts"]}' -H 'x-user: ann'
//! ```

use std::{env, net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::{Path, State},
    http::{StatusCode, request::Parts},
    routing::post,
};
use serde::{Deserialize, Serialize};
use superstep::{
    Backends, Caller, MemorySaver, MemoryStore,
    prelude::*,
    schemars::{self, JsonSchema},
};
use superstep_server::{Denied, Server};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State, JsonSchema)]
struct Refund {
    order: u32,
    /// The outcome; no client can write it.
    #[state(sealed)]
    outcome: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Decide,
}

#[derive(Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct Approve {
    order: u32,
}

async fn decide(refund: Snap<Refund>, ctx: Ctx, caller: Caller) -> Result<RefundUpdate, NodeError> {
    let order = refund.order;
    // The caller is whoever answered, and the node runs again with the answer.
    let outcome = match ctx.ask(Approve { order })? {
        true => format!("order {order} is refunded, approved by {caller}"),
        false => format!("order {order} is not refunded"),
    };
    Ok(Refund::update().outcome(outcome))
}

type Refunds = Graph<Refund, Node>;

/// The login of the application. A real one checks a session or a signature.
fn user(head: &Parts) -> Option<Caller> {
    Some(match head.headers.get("x-user")?.to_str().ok()? {
        "office" => Caller::local(),
        name => Caller::new(name),
    })
}

/// A route of the application: it starts a run for its user.
async fn refund(
    State(graph): State<Refunds>,
    Path(order): Path<u32>,
    head: Parts,
) -> Result<String, StatusCode> {
    let user = user(&head).ok_or(StatusCode::UNAUTHORIZED)?;
    let thread = format!("refund of order {order}");
    let input = Refund::update().order(order);
    let started = graph.for_caller(user).start(thread, input).await;
    let started = started.map_err(|_| StatusCode::CONFLICT)?;
    Ok(format!("run {}\n", started.id))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let backends = Backends {
        store: Some(Arc::new(MemoryStore::default())),
        ..Backends::on(MemorySaver::default())
    };
    let graph = Refunds::builder()
        .name("refunds")
        .node(Node::Decide, decide)
        .start(Node::Decide)
        .finish(Node::Decide)
        .asks::<Approve>()
        .backends(backends.clone())
        .build()?;
    let server = Server::on(backends)
        .graph("refunds", &graph)
        .authenticate(|head: Parts| async move {
            user(&head).ok_or_else(|| Denied::Unauthenticated("send `x-user`".to_owned()))
        })
        .approve_with(|caller, _| caller.is_local());
    let (agents, workers) = server.into_router()?;
    let app = Router::new()
        .route("/orders/{order}/refund", post(refund))
        .with_state(graph)
        .nest("/agents", agents);
    tokio::spawn(workers.run(std::future::pending()));
    let address = env::args().nth(1).unwrap_or("127.0.0.1:8080".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, app).await?;
    Ok(())
}
