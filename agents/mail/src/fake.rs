//! For tests and demos: a server on this machine that speaks Gmail, Google Calendar and their
//! token endpoint, and fails as told.
//!
//! [`Google`] answers real HTTP over the loopback. What it stores can be looked at and changed
//! beside the protocol: mails are delivered, events are there, tokens expire. A [`Fault`] is laid
//! on a path and met by the next calls to it, down to an answer that never comes although the
//! call took effect.
//!
//! `gmail`, `calendar` and `token` are what it answers, `search` is the language of `q`, `mime`
//! the tree of parts, `repeat` the instances of recurring events, `wire` the HTTP.

mod calendar;
mod fault;
mod gmail;
mod mime;
mod repeat;
mod search;
mod store;
mod token;
mod wire;

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::Value as Json;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::{JoinHandle, JoinSet},
};

use crate::{Address, fake::wire::Answer};

pub use fault::Fault;
pub use wire::Seen;

/// What the server is made of.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whose account it is.
    pub owner: Address,
    /// The zone of the calendar.
    pub time_zone: String,
    /// Where it listens; 0 is any free port.
    pub port: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            owner: Address::new("ada@example.org"),
            time_zone: "Europe/Berlin".into(),
            port: 0,
        }
    }
}

/// An account at a Google of this machine. It ends when it is dropped.
pub struct Google {
    at: SocketAddr,
    world: Arc<World>,
    task: JoinHandle<()>,
}

struct World {
    state: Mutex<State>,
    held: AtomicUsize,
    hanging: AtomicUsize,
    answered: AtomicUsize,
    changed: Notify,
    released: Notify,
}

struct State {
    mail: store::Mails,
    calendar: calendar::Events,
    tokens: token::Tokens,
    traps: Vec<fault::Trap>,
    seen: Vec<Seen>,
    is_lagging: bool,
}

impl Google {
    /// Starts an empty account.
    pub async fn start(options: Options) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", options.port)).await?;
        let at = listener.local_addr()?;
        let state = State {
            mail: store::Mails::new(options.owner.clone()),
            calendar: calendar::Events::new(options.owner, options.time_zone),
            tokens: token::Tokens::new(),
            traps: Vec::new(),
            seen: Vec::new(),
            is_lagging: false,
        };
        let world = Arc::new(World {
            state: Mutex::new(state),
            held: AtomicUsize::new(0),
            hanging: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
            changed: Notify::new(),
            released: Notify::new(),
        });
        let task = tokio::spawn(accept(listener, Arc::clone(&world)));
        Ok(Self { at, world, task })
    }

    /// Its address, without a path: the base of Gmail, of the calendar and of the logins.
    pub fn address(&self) -> String {
        format!("http://{}", self.at)
    }

    /// A token file that opens it, as a login would have left it.
    pub fn token(&self) -> Json {
        self.world.lock().tokens.file(&self.address())
    }

    /// The secrets of an application that may log in, as the console gives them.
    pub fn application(&self) -> Json {
        token::application(&self.address())
    }

    /// Puts a mail into the inbox, unread, at a second of the epoch; gives its id.
    pub fn deliver(&self, raw: &[u8], arrived: i64) -> String {
        let mut state = self.world.lock();
        state.mail.deliver(raw, arrived.saturating_mul(1000))
    }

    /// What was sent, in order.
    pub fn sent(&self) -> Vec<Vec<u8>> {
        self.world.lock().mail.sent()
    }

    /// The labels of a mail.
    pub fn labels(&self, id: &str) -> Vec<String> {
        let state = self.world.lock();
        let mail = state.mail.get(id);
        mail.map(|mail| mail.labels.clone()).unwrap_or_default()
    }

    /// Puts an event into the calendar, in the form of the protocol; one without an id gets one.
    pub fn add_event(&self, event: Json) {
        self.world.lock().calendar.put(event);
    }

    /// The events of the calendar, recurring ones once.
    pub fn events(&self) -> Vec<Json> {
        self.world.lock().calendar.all()
    }

    /// Whom the calendar wrote to, one entry for each event and guest.
    pub fn invited(&self) -> Vec<(String, String)> {
        self.world.lock().calendar.invited()
    }

    /// Ends every access token; refreshing gives another.
    pub fn expire_tokens(&self) {
        self.world.lock().tokens.expire();
    }

    /// Takes the permission back: nothing can be refreshed any more.
    pub fn revoke(&self) {
        self.world.lock().tokens.revoke();
    }

    /// Gives the permission anew, as a login does; [`Google::token`] is the new one.
    pub fn permit(&self) {
        self.world.lock().tokens.permit();
    }

    /// Forgets what changed before now, so that older history is refused.
    pub fn forget_history(&self) {
        self.world.lock().mail.forget_history();
    }

    /// Lets the next calls whose path contains this meet a fault, as often as told.
    pub fn trap(&self, path: &str, fault: Fault, times: usize) {
        let path = path.to_owned();
        self.world
            .lock()
            .traps
            .push(fault::Trap { path, fault, times });
    }

    /// Whether lists, searches and look-ups leave out what was sent and made: an index that lags.
    pub fn lag(&self, is_lagging: bool) {
        self.world.lock().is_lagging = is_lagging;
    }

    /// How many bytes it has answered so far.
    pub fn answered(&self) -> usize {
        self.world.answered.load(Ordering::SeqCst)
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.world.lock().seen.clone()
    }

    /// Waits until so many calls are held.
    pub async fn held(&self, count: usize) {
        let is_so = |world: &World| world.held.load(Ordering::SeqCst) >= count;
        self.world.until(is_so).await;
    }

    /// Waits until so many calls have met silence.
    pub async fn silent(&self, count: usize) {
        let is_so = |world: &World| world.hanging.load(Ordering::SeqCst) >= count;
        self.world.until(is_so).await;
    }

    /// Waits until so many mails have gone out.
    pub async fn has_sent(&self, count: usize) {
        let is_so = |world: &World| world.lock().mail.sent().len() >= count;
        self.world.until(is_so).await;
    }

    /// Lets the calls that are held go on.
    pub fn release(&self) {
        self.world.released.notify_waiters();
    }
}

impl Drop for Google {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl World {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn until(&self, is_so: impl Fn(&Self) -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // From here on no change is missed.
            changed.as_mut().enable();
            if is_so(self) {
                return;
            }
            changed.await;
        }
    }

    /// What a call does and gets, with nothing in its way.
    fn answer(&self, seen: &Seen) -> Answer {
        let mut state = self.lock();
        let answer = state.answer(seen);
        drop(state);
        self.changed.notify_waiters();
        answer
    }

    async fn hold(&self) {
        let mut released = std::pin::pin!(self.released.notified());
        released.as_mut().enable();
        self.held.fetch_add(1, Ordering::SeqCst);
        self.changed.notify_waiters();
        released.await;
    }
}

impl State {
    fn answer(&mut self, seen: &Seen) -> Answer {
        let path = seen.segments();
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["token"] => return self.tokens.exchange(seen),
            ["o", "oauth2", "v2", "auth"] => return self.tokens.authorize(seen),
            _ => {}
        }
        if !self.tokens.opens(seen) {
            return Answer::refused(401, "authError", "Invalid Credentials");
        }
        self.mail.is_lagging = self.is_lagging;
        match path.as_slice() {
            ["calendar", "v3", "calendars", _, "events", _]
                if self.is_lagging && seen.method == "GET" =>
            {
                Answer::refused(404, "notFound", "Not Found")
            }
            ["gmail", "v1", "users", _, rest @ ..] => gmail::answer(&mut self.mail, seen, rest),
            ["calendar", "v3", rest @ ..] => calendar::answer(&mut self.calendar, seen, rest),
            _ => Answer::refused(404, "notFound", "Not Found"),
        }
    }

    fn trapped(&mut self, seen: &Seen) -> Option<Fault> {
        let meets = |trap: &fault::Trap| seen.path.contains(&trap.path) && trap.times > 0;
        let at = self.traps.iter().position(meets)?;
        let trap = self.traps.get_mut(at)?;
        trap.times -= 1;
        Some(trap.fault)
    }
}

async fn accept(listener: TcpListener, world: Arc<World>) {
    let mut open = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let world = Arc::clone(&world);
        // A client that goes away is nothing to report: what it did is in the state.
        open.spawn(async move { serve(stream, &world).await.ok() });
        while open.try_join_next().is_some() {}
    }
}

async fn serve(mut stream: TcpStream, world: &World) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let seen = wire::read(&mut stream).await?;
    let fault = {
        let mut state = world.lock();
        state.seen.push(seen.clone());
        state.trapped(&seen)
    };
    world.changed.notify_waiters();
    let answer = match fault {
        None => world.answer(&seen),
        Some(Fault::Unauthorized) => Answer::refused(401, "authError", "Invalid Credentials"),
        Some(Fault::RateLimited) => {
            Answer::refused(403, "rateLimitExceeded", "Rate Limit Exceeded")
        }
        Some(Fault::TooMany { retry_after }) => {
            let answer = Answer::refused(429, "rateLimitExceeded", "Too many requests");
            answer.with("retry-after", retry_after.to_string())
        }
        Some(Fault::Internal) => Answer::refused(500, "backendError", "Internal error"),
        Some(Fault::InternalAfter) => {
            world.answer(&seen);
            Answer::refused(500, "backendError", "Internal error")
        }
        Some(Fault::Garbage) => {
            world.answer(&seen);
            Answer::garbage()
        }
        Some(Fault::Cut) => return stream.set_zero_linger(),
        Some(Fault::CutAfter) => {
            world.answer(&seen);
            return stream.set_zero_linger();
        }
        Some(Fault::Silent) => return hang(stream, world).await,
        Some(Fault::SilentAfter) => {
            world.answer(&seen);
            return hang(stream, world).await;
        }
        Some(Fault::HoldBefore) => {
            world.hold().await;
            world.answer(&seen)
        }
        Some(Fault::HoldAfter) => {
            let answer = world.answer(&seen);
            world.hold().await;
            answer
        }
    };
    world.answered.fetch_add(answer.len(), Ordering::SeqCst);
    wire::write(&mut stream, &answer).await
}

async fn hang(mut stream: TcpStream, world: &World) -> io::Result<()> {
    world.hanging.fetch_add(1, Ordering::SeqCst);
    world.changed.notify_waiters();
    wire::until_left(&mut stream).await;
    Ok(())
}
