//! The two protocols, side by side: what holds for one holds for the other.

use std::time::Duration;

use serde_json::Value as Json;
use superstep_fake_providers::{anthropic, openai};
use superstep_loopback::Server;
use superstep_model::{
    Model, ModelError, Reply, Request, Secret,
    message::Message,
    remote::{Address, Anthropic, Client, Egress, OpenAi, Proxy, Settings, Site},
    usage::Usage,
};

/// A key that must be seen by nobody but the server it is for.
pub(crate) const KEY: &str = "sk-planted-0123456789abcdef";

pub(crate) const MODEL: &str = "model-1";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    OpenAi,
    Anthropic,
}

pub(crate) const SIDES: [Side; 2] = [Side::OpenAi, Side::Anthropic];

pub(crate) fn client() -> Client {
    client_within(Duration::from_secs(10))
}

pub(crate) fn client_within(connect: Duration) -> Client {
    let settings = Settings {
        connect,
        proxy: Proxy::None,
        egress: Egress::Any,
        ..Settings::default()
    };
    Client::new(&settings).unwrap()
}

pub(crate) fn site(address: &str) -> Site {
    Site {
        address: Address::given(address).unwrap(),
        key: Some(Secret::new(KEY)),
    }
}

impl Side {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    pub(crate) fn model(self, server: &Server) -> Box<dyn Model> {
        self.model_at(client(), &server.address())
    }

    pub(crate) fn model_at(self, client: Client, address: &str) -> Box<dyn Model> {
        match self {
            Self::OpenAi => Box::new(OpenAi::new(client, site(address), MODEL)),
            Self::Anthropic => Box::new(Anthropic::new(client, site(address), MODEL)),
        }
    }

    pub(crate) fn stream(self, reply: &Reply) -> String {
        match self {
            Self::OpenAi => openai::stream(MODEL, reply),
            Self::Anthropic => anthropic::stream(MODEL, reply),
        }
    }

    pub(crate) fn whole(self, reply: &Reply) -> Json {
        match self {
            Self::OpenAi => openai::whole(MODEL, reply),
            Self::Anthropic => anthropic::whole(MODEL, reply),
        }
    }

    pub(crate) fn error(self, kind: &str, message: &str) -> Json {
        match self {
            Self::OpenAi => openai::error(kind, message),
            Self::Anthropic => anthropic::error(kind, message),
        }
    }
}

/// A reply with characters of one to four bytes.
pub(crate) fn greeting() -> Reply {
    Reply {
        content: "hello, grüß dich, こんにちは 🦀".into(),
        usage: Some(Usage {
            input: 20,
            cached: 8,
            output: 7,
            reasoning: 0,
        }),
        ..Reply::default()
    }
}

pub(crate) fn hello() -> Request {
    Request::new([Message::user("hello")])
}

/// Asks and gets an error, which must not tell the key.
pub(crate) async fn failure(model: &dyn Model) -> ModelError {
    let error = model.invoke(&hello()).await.unwrap_err();
    let shown = format!("{error} {error:?} {:?}", error.kind());
    assert!(!shown.contains(KEY), "{shown}");
    assert!(!shown.contains("sk-plant"), "{shown}");
    error
}

/// Asks and gets the greeting, whole.
pub(crate) async fn success(model: &dyn Model) {
    let reply = model.invoke(&hello()).await.unwrap();
    assert_eq!(reply.content, greeting().content);
    assert_eq!(reply.usage, greeting().usage);
}
