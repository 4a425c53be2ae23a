//! A server that runs, and a client that calls it.

use std::{future::IntoFuture as _, net::SocketAddr};

use axum::Router;
use serde_json::Value as Json;
use superstep::http::{Client, Method, RequestBuilder, Response, Settings, Url, header::HeaderMap};
use superstep_server::Server;
use tokio::{net::TcpListener, sync::oneshot};

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) json: Json,
}

impl Reply {
    /// The body of an answer that says yes.
    pub(crate) fn ok(self) -> Json {
        assert_eq!(self.status, 200, "{self:?}");
        self.json
    }

    /// The body of an answer that says no: its detail, and nothing else.
    pub(crate) fn detail(&self, status: u16) -> &str {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(
            self.json.as_object().map(|body| body.len()),
            Some(1),
            "{self:?}"
        );
        self.json["detail"].as_str().expect("a detail is text")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A server that runs until this is dropped.
pub(crate) struct Running {
    pub(crate) address: String,
    client: Client,
    _stop: oneshot::Sender<()>,
}

impl Running {
    pub(crate) async fn start(server: Server) -> Self {
        let bound = server.bind("127.0.0.1:0").await.unwrap();
        let address = bound.address().to_string();
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(bound.serve(async {
            let _ended = stopped.await;
        }));
        Self {
            address,
            client: Client::new(&Settings::default()).unwrap(),
            _stop: stop,
        }
    }

    /// The server below `/agents` of an application, beside the routes of that.
    pub(crate) async fn nested(server: Server, own: Router) -> Self {
        let (agents, workers) = server.into_router().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("{}/agents", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel::<()>();
        let app = own.nest("/agents", agents);
        let app = app.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(axum::serve(listener, app).into_future());
        tokio::spawn(workers.run(async {
            let _ended = stopped.await;
        }));
        Self {
            address,
            client: Client::new(&Settings::default()).unwrap(),
            _stop: stop,
        }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = Url::parse(&format!("http://{}{path}", self.address)).unwrap();
        self.client.request(method, url)
    }

    /// An answer whose body is still to come.
    pub(crate) async fn open(&self, request: RequestBuilder) -> Response {
        self.client.send(request).await.unwrap()
    }

    pub(crate) async fn send(&self, request: RequestBuilder) -> Reply {
        let response = self.open(request).await;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.read(1 << 24).await.unwrap();
        let kind = headers
            .get("content-type")
            .map(|kind| kind.to_str().unwrap());
        let json = match (body.is_empty(), kind) {
            (true, _) => Json::Null,
            (false, None | Some("application/json")) => serde_json::from_slice(&body).unwrap(),
            (false, _) => Json::String(String::from_utf8(body.to_vec()).unwrap()),
        };
        Reply {
            status,
            headers,
            json,
        }
    }

    /// A call of one of many users, who shows a token.
    pub(crate) async fn call_as(
        &self,
        token: &str,
        method: Method,
        path: &str,
        body: Json,
    ) -> Reply {
        let request = self.request(method, path).header("x-api-key", token);
        self.send(request.body(body.to_string())).await
    }

    pub(crate) async fn post_as(&self, token: &str, path: &str, body: Json) -> Reply {
        self.call_as(token, Method::POST, path, body).await
    }

    pub(crate) async fn get_as(&self, token: &str, path: &str) -> Reply {
        self.call_as(token, Method::GET, path, Json::Null).await
    }

    pub(crate) async fn call(&self, method: Method, path: &str, body: Json) -> Reply {
        let request = self.request(method, path).body(body.to_string());
        self.send(request).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Json) -> Reply {
        self.call(Method::POST, path, body).await
    }
}
