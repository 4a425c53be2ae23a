//! A model with rules around it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use superstep_core::future::BoxFuture;
use superstep_http::Rng;
use superstep_text::Redactor;
use tokio::time::{Instant, sleep, timeout_at};

use super::{
    attempt::{Flow, Live},
    breaker::Breaker,
    budget::{Budget, Estimate, Hold},
    clock, leave,
    policy::{self, Policy},
    prices::{Price, Prices},
    reckon,
    seats::{Seat, Seats},
    watch::{Attempt, Bill, Watch},
};
use crate::{
    delta::Deltas,
    error::{ErrorKind, ModelError},
    message::Reply,
    model::{Caps, Model},
    model_id::ModelId,
    money::Money,
    request::Request,
    usage::Usage,
};

/// A model with deadlines, retries, a line, a rest when it fails, and budgets.
///
/// Clones share the line and the rest, so one is made for each model and cloned for each run:
///
/// ```
/// # use std::sync::Arc;
/// # use superstep_model::{Model, call::{Budget, Caller, Limits, Policy}};
/// # fn example(model: Arc<dyn Model>) {
/// let caller = Caller::new(model, Policy::default());
/// let run = caller.clone().within(Budget::new(Limits {
///     tokens: Some(100_000),
///     ..Limits::default()
/// }));
/// # }
/// ```
///
/// A reply that streams is not begun again once a piece of it was handed on; one that is waited
/// for with `invoke` may be, since nobody saw any of it. Dropping the future or the stream cancels
/// the call at once.
#[derive(Clone)]
pub struct Caller {
    model: Arc<dyn Model>,
    shared: Arc<Shared>,
    prices: Arc<Prices>,
    budgets: Vec<Budget>,
    watches: Vec<Arc<dyn Watch>>,
    redactor: Arc<Redactor>,
}

struct Shared {
    policy: Policy,
    seats: Seats,
    breaker: Arc<Breaker>,
    rng: Rng,
}

impl Caller {
    /// Rules around a model, with the prices that come with this crate.
    pub fn new(model: Arc<dyn Model>, policy: Policy) -> Self {
        let shared = Shared {
            policy,
            seats: Seats::new(policy.at_once, policy.per_minute),
            breaker: Arc::new(Breaker::new(policy.rest)),
            rng: policy.backoff.rng(),
        };
        Self {
            model,
            shared: Arc::new(shared),
            prices: Arc::new(Prices::built_in()),
            budgets: Vec::new(),
            watches: Vec::new(),
            redactor: Arc::clone(Redactor::standard()),
        }
    }

    /// The same, with other prices.
    #[must_use]
    pub fn priced(mut self, prices: impl Into<Arc<Prices>>) -> Self {
        self.prices = prices.into();
        self
    }

    /// The same, within one more budget: that of a run, that of a thread.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Self {
        self.budgets.push(budget);
        self
    }

    /// The same, with one more that looks on.
    #[must_use]
    pub fn watched(mut self, watch: Arc<dyn Watch>) -> Self {
        self.watches.push(watch);
        self
    }

    /// The same, with more secrets that no error may show.
    #[must_use]
    pub fn hiding(mut self, redactor: Arc<Redactor>) -> Self {
        self.redactor = redactor;
        self
    }

    /// What the model costs, if that is known. A model on this machine costs nothing.
    pub fn price(&self) -> Option<Price> {
        if self.model.caps().local {
            return Some(Price::default());
        }
        self.prices.of(self.model.id())
    }

    /// Everything a call needs before its first attempt.
    async fn begin(&self, request: &Request) -> Result<Call, ModelError> {
        static CALLS: AtomicU64 = AtomicU64::new(1);
        // A model that rests is not waited for in line.
        if let Some(resting) = self.shared.breaker.resting() {
            return Err(resting.error(self.model.id()));
        }
        let seat = self.in_time(self.shared.seats.take()).await?;
        let model = self.model.id().clone();
        let price = self.price();
        let input = reckon::request(request);
        let output = request.max_tokens.unwrap_or(0).into();
        let most = Usage {
            input,
            output,
            ..Usage::default()
        };
        let estimate = Estimate {
            model: &model,
            tokens: most.total(),
            money: price.map(|price| price.cost(&most)),
        };
        let most = estimate.money;
        let holds = self.budgets.iter().map(|budget| budget.hold(&estimate));
        let holds = holds.collect::<Result<_, _>>()?;
        let whole = clock::after(Instant::now(), self.shared.policy.deadlines.whole);
        let budgets = self.budgets.iter();
        let ends = budgets.filter_map(|budget| Some((budget.ends()?, budget.clone())));
        let first = ends.min_by_key(|(end, _)| *end);
        let (deadline, by) = match first.filter(|(end, _)| *end < whole) {
            Some((end, budget)) => (end, Some(budget)),
            None => (whole, None),
        };
        Ok(Call {
            caller: self.clone(),
            number: CALLS.fetch_add(1, Ordering::Relaxed),
            model,
            price,
            most,
            input,
            holds,
            deadline,
            by,
            _seat: seat,
        })
    }

    /// Waits, but not past the end of any budget.
    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, ModelError> {
        let budgets = self.budgets.iter();
        let ends = budgets.filter_map(|budget| Some((budget.ends()?, budget)));
        let Some((end, budget)) = ends.min_by_key(|(end, _)| *end) else {
            return Ok(work.await);
        };
        let done = timeout_at(end, work).await;
        done.map_err(|_| budget.out_of_time())
    }
}

impl Model for Caller {
    fn id(&self) -> &ModelId {
        self.model.id()
    }

    fn caps(&self) -> Caps {
        self.model.caps()
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        Box::pin(async move {
            let call = Arc::new(self.begin(request).await?);
            let mut tried = 0;
            loop {
                tried += 1;
                let mut live = call.attempt(tried).await?;
                match live.lead(request).await {
                    Ok(lead) => return Ok(Deltas::new(Flow::new(live, lead))),
                    Err(error) => call.again(live, error, tried).await?,
                }
            }
        })
    }

    fn invoke<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let call = Arc::new(self.begin(request).await?);
            let mut tried = 0;
            loop {
                tried += 1;
                let mut live = call.attempt(tried).await?;
                match live.whole(request).await {
                    Ok(reply) => return Ok(reply),
                    Err(error) => call.again(live, error, tried).await?,
                }
            }
        })
    }
}

/// One call: what it holds until it is over.
pub(super) struct Call {
    caller: Caller,
    number: u64,
    model: ModelId,
    price: Option<Price>,
    most: Option<Money>,
    /// Tokens of the request, roughly.
    input: u64,
    holds: Vec<Hold>,
    deadline: Instant,
    /// The budget whose end is the deadline.
    by: Option<Budget>,
    _seat: Seat,
}

impl Call {
    async fn attempt(self: &Arc<Self>, number: u32) -> Result<Live, ModelError> {
        let paced = self.caller.shared.seats.pace();
        if timeout_at(self.deadline, paced).await.is_err() {
            return Err(self.too_late());
        }
        let shared = &self.caller.shared;
        let pass = shared.breaker.enter();
        let pass = pass.map_err(|resting| resting.error(&self.model))?;
        self.tell(number, |watch, attempt| watch.started(attempt));
        Ok(Live::new(Arc::clone(self), number, pass))
    }

    /// Waits for another attempt, or gives the error that is left.
    async fn again(&self, live: Live, error: ModelError, tried: u32) -> Result<(), ModelError> {
        let error = self.leaves(error);
        let Shared { policy, rng, .. } = &*self.caller.shared;
        let wait = policy::wait(&policy.backoff, &error, tried, rng);
        let wait = wait.filter(|wait| clock::after(Instant::now(), *wait) < self.deadline);
        live.count(&error);
        let wait = wait.filter(|_| !self.caller.shared.breaker.rests());
        let bill = live.fail(&error, wait);
        let Some(wait) = wait else {
            return Err(error);
        };
        if bill != Bill::default() {
            for hold in &self.holds {
                hold.still(&self.model, self.most)?;
            }
        }
        sleep(wait).await;
        Ok(())
    }

    /// An error on its way to whoever looks on and to the program: the one place where all that
    /// come from a model pass.
    pub(super) fn leaves(&self, error: ModelError) -> ModelError {
        let told = policy::too_long_a_wait(&self.caller.shared.policy.backoff, error);
        leave::clean(told, &self.caller.redactor)
    }

    /// The error for a call that took too long in all.
    pub(super) fn too_late(&self) -> ModelError {
        if let Some(budget) = &self.by {
            return budget.out_of_time();
        }
        let after = self.caller.shared.policy.deadlines.whole;
        let phase = crate::error::Phase::End;
        ErrorKind::TimedOut { phase, after }.into()
    }

    pub(super) fn model(&self) -> &Arc<dyn Model> {
        &self.caller.model
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    pub(super) fn first(&self) -> Duration {
        self.caller.shared.policy.deadlines.first
    }

    pub(super) fn idle(&self) -> Duration {
        self.caller.shared.policy.deadlines.idle
    }

    pub(super) fn prices_as_of(&self) -> &str {
        self.caller.prices.as_of()
    }

    pub(super) fn input(&self) -> u64 {
        self.input
    }

    /// Takes what an attempt cost from all budgets.
    pub(super) fn charge(&self, bill: &mut Bill) {
        bill.cost = self.price.map(|price| price.cost(&bill.usage));
        for hold in &self.holds {
            hold.spend(&self.model, bill.usage, bill.cost);
        }
    }

    pub(super) fn tell(&self, number: u32, what: impl Fn(&dyn Watch, &Attempt<'_>)) {
        let attempt = Attempt {
            model: &self.model,
            call: self.number,
            number,
        };
        for watch in &self.caller.watches {
            what(&**watch, &attempt);
        }
    }
}
