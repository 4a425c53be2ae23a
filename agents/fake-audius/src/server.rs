//! The world behind HTTP, with faults in its way.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use superstep_loopback::{Act, Answer, Request, Server, head};
use tokio::sync::Notify;

use crate::{
    fault::Fault,
    respond::{Call, Manner, Reply, TOKEN, respond},
    world::World,
};

/// What the server is made of.
#[derive(Clone, Debug)]
pub struct Options {
    /// The seed of the world.
    pub seed: u64,
    /// The port; a free one if it is 0.
    pub port: u16,
    /// Whether unknown parameters and calls without `app_name` are refused.
    pub strict: bool,
    /// A fault that every call meets.
    pub fault: Option<Fault>,
    /// How late a slow reply is.
    pub late: Duration,
    /// The seconds of `Retry-After`.
    pub retry_after: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            port: 0,
            strict: true,
            fault: None,
            late: Duration::from_secs(2),
            retry_after: 1,
        }
    }
}

/// An Audius of this machine. It ends when it is dropped.
pub struct FakeAudius {
    server: Server,
    shared: Arc<Shared>,
}

struct Shared {
    world: World,
    options: Options,
    state: Mutex<State>,
    held: Notify,
}

#[derive(Default)]
struct State {
    hosts: Vec<String>,
    traps: Vec<(Option<Fault>, usize)>,
}

impl FakeAudius {
    /// Starts it.
    pub async fn start(options: Options) -> io::Result<Self> {
        let port = options.port;
        let shared = Arc::new(Shared {
            world: World::new(options.seed),
            options,
            state: Mutex::default(),
            held: Notify::new(),
        });
        let served = shared.clone();
        let server = Server::on_port(port, move |request| {
            let shared = served.clone();
            async move { shared.answer(&request).await }
        })
        .await?;
        shared.lock().hosts = vec![server.address()];
        Ok(Self { server, shared })
    }

    /// Its address, without a path.
    pub fn address(&self) -> String {
        self.server.address()
    }

    /// The world it answers from.
    pub fn world(&self) -> &World {
        &self.shared.world
    }

    /// The hosts that the list names.
    pub fn set_hosts(&self, hosts: Vec<String>) {
        self.shared.lock().hosts = hosts;
    }

    /// Lets the next calls of the API meet a fault, so many times.
    pub fn trap(&self, fault: Fault, times: usize) {
        self.shared.lock().traps.push((Some(fault), times));
    }

    /// Holds the next call of the API until it is released or the caller goes away.
    pub fn hold_next(&self) {
        self.shared.lock().traps.push((None, 1));
    }

    /// Lets calls that are held continue.
    pub fn release(&self) {
        self.shared.held.notify_waiters();
    }

    /// The calls of the API so far: their paths with their queries.
    pub fn calls(&self) -> Vec<Request> {
        let all = self.server.requests().into_iter();
        all.filter(|request| request.path.starts_with("/v1/"))
            .collect()
    }

    /// Waits until so many requests have come, of whatever kind.
    pub async fn asked(&self, count: usize) {
        self.server.asked(count).await;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, request: &Request) -> Answer {
        let call = Call {
            method: request.method.clone(),
            path: request.segments(),
            query: request.query(),
        };
        let manner = Manner {
            strict: self.options.strict,
            hosts: self.lock().hosts.clone(),
            signed_in: request.header("authorization") == Some(&format!("Bearer {TOKEN}")),
        };
        let is_api = call.path.first().is_some_and(|first| first == "v1");
        let fault = match is_api {
            true => self.next_fault(),
            false => Meets::Nothing,
        };
        let fault = match fault {
            Meets::Nothing => None,
            Meets::Fault(fault) => Some(fault),
            Meets::Hold => {
                self.held.notified().await;
                None
            }
        };
        match fault {
            Some(Fault::Silent) => return Answer::hang(),
            Some(Fault::Cut) => return Answer::reset(),
            Some(Fault::Slow) => tokio::time::sleep(self.options.late).await,
            Some(Fault::RateLimited) => {
                let after = self.options.retry_after.to_string();
                let body = r#"{"error":"too many requests"}"#;
                return Answer::status(429, &[("retry-after", &after)], body);
            }
            Some(Fault::ServerError) => return Answer::status(500, &[], r#"{"error":"it broke"}"#),
            Some(Fault::Redirect) => {
                return Answer::status(302, &[("location", "https://elsewhere.example/v1/")], "");
            }
            Some(Fault::TooLarge) => {
                let begins = Act::Send(head(200, &[("content-type", "application/json")]));
                return Answer(vec![begins, Act::Repeat(vec![b' '; 64 << 10], 256)]);
            }
            _ => {}
        }
        let mut reply = respond(&self.world, &manner, &call);
        if let (Some(fault), 200) = (fault, reply.status) {
            fault.change(&mut reply.body);
        }
        played(&reply, fault)
    }

    fn next_fault(&self) -> Meets {
        let mut state = self.lock();
        if let Some((fault, times)) = state.traps.iter_mut().find(|(_, times)| *times > 0) {
            *times -= 1;
            return fault.map_or(Meets::Hold, Meets::Fault);
        }
        self.options.fault.map_or(Meets::Nothing, Meets::Fault)
    }
}

/// What a call meets.
enum Meets {
    Nothing,
    Fault(Fault),
    Hold,
}

fn played(reply: &Reply, fault: Option<Fault>) -> Answer {
    let mut body = match reply.body.is_null() {
        true => String::new(),
        false => reply.body.to_string(),
    };
    if fault == Some(Fault::Truncated) {
        body.truncate(body.floor_char_boundary(body.len() / 2));
    }
    let kind = ("content-type", "application/json");
    match &reply.location {
        Some(location) => Answer::status(reply.status, &[("location", location)], ""),
        None => Answer::status(reply.status, &[kind], body),
    }
}
