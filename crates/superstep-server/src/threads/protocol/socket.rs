//! `GET /threads/{id}/stream/events` as a WebSocket: commands one way, answers and events the other.

use std::{collections::HashMap, sync::Arc};

use axum::{
    extract::{
        Path, State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    response::Response,
};
use serde_json::{Value as Json, json};
use tokio::{
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

use super::{
    command::{Command, Failed},
    filter::Filter,
    reader::{Subscriber, ThreadLog},
};
use crate::{
    app::App, forms::thread_name::thread_id, owners::visitor::Visitor, refusal::Refusal,
    runs::waiting::AHEAD,
};

/// The most subscriptions of one connection.
const MOST: usize = 64;

/// `GET /threads/{id}/stream/events`
pub(crate) async fn upgrade(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refusal> {
    let id = thread_id(&id)?;
    let reader = Subscriber::new(&app, caller, id).await?;
    let connection = Connection {
        app,
        reader,
        subscriptions: HashMap::new(),
        reading: JoinSet::new(),
    };
    Ok(upgrade.on_upgrade(move |socket| async move {
        let app = connection.app.clone();
        // A client whose server stops connects to the next one.
        let _stopped = app.shutdown.until_drained(connection.serve(socket)).await;
    }))
}

/// A client that is connected.
struct Connection {
    app: Arc<App>,
    reader: Subscriber,
    subscriptions: HashMap<String, AbortHandle>,
    /// They end with the connection.
    reading: JoinSet<()>,
}

impl Connection {
    async fn serve(mut self, mut socket: WebSocket) {
        let (out, mut events) = mpsc::channel::<Json>(AHEAD);
        loop {
            let reply = tokio::select! {
                said = socket.recv() => match said {
                    Some(Ok(Message::Text(text))) => self.obey(&text, &out).await,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                    Some(Ok(_)) => continue,
                },
                Some(event) = events.recv() => event,
            };
            let reply = self.shown(reply.to_string());
            let reply = Message::Text(reply.into());
            if socket.send(reply).await.is_err() {
                return;
            }
        }
    }

    /// A text without what owners are not shown.
    fn shown(&self, text: String) -> String {
        match self.reader.caller.is_owner() {
            true => self.app.private.hide(&text).unwrap_or(text),
            false => text,
        }
    }

    async fn obey(&mut self, text: &str, out: &mpsc::Sender<Json>) -> Json {
        let given = serde_json::from_str(text).unwrap_or_default();
        let Some(command) = Command::read(&given) else {
            return Command::malformed();
        };
        let result = match &*command.method {
            "subscription.subscribe" => self.subscribe(&command, out),
            "subscription.unsubscribe" => self.unsubscribe(&command),
            _ => {
                let Subscriber { caller, id, .. } = &self.reader;
                self.app.command(caller, id, &command).await
            }
        };
        command.answered(result)
    }

    fn subscribe(&mut self, command: &Command, out: &mpsc::Sender<Json>) -> Result<Json, Failed> {
        let params = Json::Object(command.params.clone());
        let filter: Filter = serde_json::from_value(params)
            .map_err(|error| Failed::new("invalid_argument", error.to_string()))?;
        filter.check()?;
        if self.subscriptions.len() >= MOST {
            let message = format!("a connection has at most {MOST} subscriptions");
            return Err(Failed::new("invalid_argument", message));
        }
        let id = self.app.new_id();
        let (app, reader, out) = (self.app.clone(), self.reader.clone(), out.clone());
        let task = self.reading.spawn(async move {
            let mut log = ThreadLog::new(&app, reader, &filter);
            // A log that cannot be read, or is another owner's, ends the subscription.
            while let Ok(events) = log.next().await {
                for event in events {
                    let wants = filter.wants(event.emitted.method, &event.emitted.namespace);
                    if wants && out.send(event.shown()).await.is_err() {
                        return;
                    }
                }
            }
        });
        self.subscriptions.insert(id.clone(), task);
        Ok(json!({ "subscription_id": id, "replayed_events": 0 }))
    }

    fn unsubscribe(&mut self, command: &Command) -> Result<Json, Failed> {
        let id = command.params.get("subscription_id").and_then(Json::as_str);
        match id.and_then(|id| self.subscriptions.remove(id)) {
            Some(task) => {
                task.abort();
                Ok(json!({}))
            }
            None => Err(Failed::new(
                "no_such_subscription",
                "there is no such subscription",
            )),
        }
    }
}
