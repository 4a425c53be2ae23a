//! Gmail, Google Calendar and their token endpoint on the loopback, with faults on demand.
//!
//! [`Google`] answers real HTTP. What it stores can be looked at and changed
//! beside the protocol: mails are delivered, events are there, tokens expire. A [`Fault`] is laid
//! on a path and met by the next calls to it, down to an answer that never comes although the
//! call took effect.
//!
//! `gmail`, `calendar` and `token` are what it answers, `search` is the language of `q`, `mime`
//! the tree of parts, `repeat` the instances of recurring events.

mod calendar;
mod fault;
mod gmail;
mod header;
mod mime;
mod repeat;
mod search;
mod store;
mod token;
mod wire;

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::Value as Json;
use superstep_loopback::{Answer as Played, Request, Server};
use tokio::sync::Notify;

use crate::wire::Answer;

pub use fault::Fault;

/// What the server is made of.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address of whose account it is.
    pub owner: String,
    /// The zone of the calendar.
    pub time_zone: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            owner: "ada@example.org".into(),
            time_zone: "Europe/Berlin".into(),
        }
    }
}

/// An account at a Google of this machine. It ends when it is dropped.
pub struct Google {
    server: Server,
    account: Arc<Account>,
}

struct Account {
    state: Mutex<State>,
    held: AtomicUsize,
    answered: AtomicUsize,
    changed: Notify,
    released: Notify,
}

struct State {
    mail: store::Mails,
    calendar: calendar::Events,
    tokens: token::Tokens,
    traps: Vec<fault::Trap>,
    is_lagging: bool,
}

impl Google {
    /// Starts an empty account.
    pub async fn start(options: Options) -> io::Result<Self> {
        let state = State {
            mail: store::Mails::new(options.owner.clone()),
            calendar: calendar::Events::new(options.owner, options.time_zone),
            tokens: token::Tokens::new(),
            traps: Vec::new(),
            is_lagging: false,
        };
        let account = Arc::new(Account {
            state: Mutex::new(state),
            held: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
            changed: Notify::new(),
            released: Notify::new(),
        });
        let served = Arc::clone(&account);
        let server = Server::with_async(move |request| {
            let account = Arc::clone(&served);
            async move { account.play(&request).await }
        });
        let server = server.await?;
        Ok(Self { server, account })
    }

    /// Its address, without a path: the base of Gmail, of the calendar and of the logins.
    pub fn address(&self) -> String {
        self.server.address()
    }

    /// A token file that opens it, as a login would have left it.
    pub fn token(&self) -> Json {
        self.account.lock().tokens.file(&self.address())
    }

    /// The secrets of an application that may log in, as the console gives them.
    pub fn application(&self) -> Json {
        token::application(&self.address())
    }

    /// Puts a mail into the inbox, unread, at a second of the epoch; gives its id.
    pub fn deliver(&self, raw: &[u8], arrived: i64) -> String {
        let mut state = self.account.lock();
        state.mail.deliver(raw, arrived.saturating_mul(1000))
    }

    /// What was sent, in order.
    pub fn sent(&self) -> Vec<Vec<u8>> {
        self.account.lock().mail.sent()
    }

    /// The labels of a mail.
    pub fn labels(&self, id: &str) -> Vec<String> {
        let state = self.account.lock();
        let mail = state.mail.get(id);
        mail.map(|mail| mail.labels.clone()).unwrap_or_default()
    }

    /// Puts an event into the calendar, in the form of the protocol; one without an id gets one.
    pub fn add_event(&self, event: Json) {
        self.account.lock().calendar.put(event);
    }

    /// The events of the calendar, recurring ones once.
    pub fn events(&self) -> Vec<Json> {
        self.account.lock().calendar.all()
    }

    /// Whom the calendar wrote to, one entry for each event and guest.
    pub fn invited(&self) -> Vec<(String, String)> {
        self.account.lock().calendar.invited()
    }

    /// Ends every access token; refreshing gives another.
    pub fn expire_tokens(&self) {
        self.account.lock().tokens.expire();
    }

    /// Takes the permission back: nothing can be refreshed any more.
    pub fn revoke(&self) {
        self.account.lock().tokens.revoke();
    }

    /// Gives the permission anew, as a login does; [`Google::token`] is the new one.
    pub fn permit(&self) {
        self.account.lock().tokens.permit();
    }

    /// Forgets what changed before now, so that older history is refused.
    pub fn forget_history(&self) {
        self.account.lock().mail.forget_history();
    }

    /// Lets the next calls whose path contains this meet a fault, as often as given.
    pub fn trap(&self, path: &str, fault: Fault, times: usize) {
        let path = path.to_owned();
        self.account
            .lock()
            .traps
            .push(fault::Trap { path, fault, times });
    }

    /// Whether lists, searches and look-ups leave out what was sent and made: an index that lags.
    pub fn lag(&self, is_lagging: bool) {
        self.account.lock().is_lagging = is_lagging;
    }

    /// How many bytes it has answered so far.
    pub fn answered(&self) -> usize {
        self.account.answered.load(Ordering::SeqCst)
    }

    /// What was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        self.server.requests()
    }

    /// Waits until so many calls are held.
    pub async fn held(&self, count: usize) {
        let is_so = |account: &Account| account.held.load(Ordering::SeqCst) >= count;
        self.account.until(is_so).await;
    }

    /// Waits until so many calls have met silence.
    pub async fn silent(&self, count: usize) {
        self.server.hangs(count).await;
    }

    /// Waits until so many mails have gone out.
    pub async fn has_sent(&self, count: usize) {
        let is_so = |account: &Account| account.lock().mail.sent().len() >= count;
        self.account.until(is_so).await;
    }

    /// Lets the calls that are held continue.
    pub fn release(&self) {
        self.account.released.notify_waiters();
    }
}

impl Account {
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

    /// What a call does and gets, a fault in its way included.
    async fn play(&self, request: &Request) -> Played {
        let fault = self.lock().trapped(request);
        let answer = match fault {
            None => self.answer(request),
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
                self.answer(request);
                Answer::refused(500, "backendError", "Internal error")
            }
            Some(Fault::Garbage) => {
                self.answer(request);
                Answer::garbage()
            }
            Some(Fault::Cut) => return Played::reset(),
            Some(Fault::CutAfter) => {
                self.answer(request);
                return Played::reset();
            }
            Some(Fault::Silent) => return Played::hang(),
            Some(Fault::SilentAfter) => {
                self.answer(request);
                return Played::hang();
            }
            Some(Fault::HoldBefore) => {
                self.hold().await;
                self.answer(request)
            }
            Some(Fault::HoldAfter) => {
                let answer = self.answer(request);
                self.hold().await;
                answer
            }
        };
        self.answered.fetch_add(answer.len(), Ordering::SeqCst);
        answer.into()
    }

    /// What a call does and gets, with nothing in its way.
    fn answer(&self, request: &Request) -> Answer {
        let mut state = self.lock();
        let answer = state.answer(request);
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
    fn answer(&mut self, request: &Request) -> Answer {
        let path = request.segments();
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["token"] => return self.tokens.exchange(request),
            ["o", "oauth2", "v2", "auth"] => return self.tokens.authorize(request),
            _ => {}
        }
        if !self.tokens.opens(request) {
            return Answer::refused(401, "authError", "Invalid Credentials");
        }
        self.mail.is_lagging = self.is_lagging;
        match path.as_slice() {
            ["calendar", "v3", "calendars", _, "events", _]
                if self.is_lagging && request.method == "GET" =>
            {
                Answer::refused(404, "notFound", "Not Found")
            }
            ["gmail", "v1", "users", _, rest @ ..] => gmail::answer(&mut self.mail, request, rest),
            ["calendar", "v3", rest @ ..] => calendar::answer(&mut self.calendar, request, rest),
            _ => Answer::refused(404, "notFound", "Not Found"),
        }
    }

    fn trapped(&mut self, request: &Request) -> Option<Fault> {
        let meets = |trap: &fault::Trap| request.path.contains(&trap.path) && trap.times > 0;
        let at = self.traps.iter().position(meets)?;
        let trap = self.traps.get_mut(at)?;
        trap.times -= 1;
        Some(trap.fault)
    }
}
