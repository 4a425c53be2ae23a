//! Managed model: deadlines, retries, limits, circuit breaker and budgets around any model.

mod second_try;

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use superstep_core::future::BoxFuture;
use superstep_http::Rng;
use superstep_text::Redactor;
use tokio::time::{Instant, sleep, timeout_at};

use self::second_try::SecondTry;
use super::{
    attempt::{ReplyStream, RunningAttempt},
    breaker::Breaker,
    budget::{Budget, Estimate},
    clock,
    concurrency::ConcurrencyLimit,
    estimate,
    lost::LostAttempts,
    managed_call::ManagedCall,
    observer::{CallObserver, Cost},
    policy::{self, Policy},
    prices::{Price, Prices},
    room,
};
use crate::{
    delta::Deltas,
    error::ModelError,
    message::Reply,
    model::{Caps, Model},
    model_id::ModelId,
    request::Request,
    usage::Usage,
};

/// A model with deadlines, retries with backoff, a concurrency limit, a rate limit, a circuit breaker
/// and budgets.
///
/// Clones share the limits and the breaker, so one is made per model and cloned per run:
///
/// ```
/// # use std::sync::Arc;
/// # use superstep_model::{Model, call::{Budget, ManagedModel, Limits, Policy}};
/// # fn example(model: Arc<dyn Model>) {
/// let model = ManagedModel::new(model, Policy::default());
/// let run = model.clone().within(Budget::new(Limits {
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
pub struct ManagedModel {
    model: Arc<dyn Model>,
    shared: Arc<CallLimits>,
    prices: Arc<Prices>,
    budgets: Vec<Budget>,
    observers: Vec<Arc<dyn CallObserver>>,
    redactor: Arc<Redactor>,
    /// The price that a person chose.
    chosen: Option<(Price, Arc<Prices>)>,
}

struct CallLimits {
    policy: Policy,
    concurrency: ConcurrencyLimit,
    breaker: Arc<Breaker>,
    rng: Rng,
}

impl ManagedModel {
    /// Rules around a model, with the prices that come with this crate.
    pub fn new(model: Arc<dyn Model>, policy: Policy) -> Self {
        let shared = CallLimits {
            policy,
            concurrency: ConcurrencyLimit::new(policy.at_once, policy.per_minute),
            breaker: Arc::new(Breaker::new(policy.circuit_breaker)),
            rng: policy.backoff.rng(),
        };
        Self {
            model,
            shared: Arc::new(shared),
            prices: Arc::new(Prices::built_in()),
            budgets: Vec::new(),
            observers: Vec::new(),
            redactor: Arc::clone(Redactor::standard()),
            chosen: None,
        }
    }

    /// The same, with other prices.
    #[must_use]
    pub fn priced(mut self, prices: impl Into<Arc<Prices>>) -> Self {
        self.prices = prices.into();
        self
    }

    /// The same, at prices that a person chose. They count for a model on this machine too: a gateway may lead elsewhere.
    /// `provider` is another name of the model's provider in them.
    #[must_use]
    pub fn priced_by(mut self, prices: impl Into<Arc<Prices>>, provider: &str) -> Self {
        let prices = prices.into();
        let id = self.model.id();
        let price = prices.of(&ModelId::new(provider, &*id.name));
        self.chosen = price.or_else(|| prices.of(id)).map(|price| (price, prices));
        self
    }

    /// The same, within one more budget: that of a run, that of a thread.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Self {
        self.budgets.push(budget);
        self
    }

    /// The same, with one more observer.
    #[must_use]
    pub fn observed(mut self, observer: Arc<dyn CallObserver>) -> Self {
        self.observers.push(observer);
        self
    }

    /// The same, with more secrets that no error may show.
    #[must_use]
    pub fn hiding(mut self, redactor: Arc<Redactor>) -> Self {
        self.redactor = redactor;
        self
    }

    /// What the model costs, if that is known. A model on this machine costs nothing, unless a person says otherwise.
    pub fn price(&self) -> Option<Price> {
        if let Some((price, _)) = &self.chosen {
            return Some(*price);
        }
        if self.model.caps().local {
            return Some(Price::default());
        }
        self.prices.of(self.model.id())
    }

    /// Everything a call needs before its first attempt.
    async fn begin(&self, request: &Request) -> Result<ManagedCall, ModelError> {
        static CALLS: AtomicU64 = AtomicU64::new(1);
        // A call that would fail at once does not wait in the queue first.
        if let Some(opened) = self.shared.breaker.opened() {
            return Err(opened.error(self.model.id()));
        }
        let permit = self.in_time(self.shared.concurrency.acquire()).await?;
        let price = self.price();
        let input = estimate::request(request);
        let output = request.max_tokens.unwrap_or(0).into();
        let most = Usage {
            input,
            output,
            ..Usage::default()
        };
        let estimate = Estimate {
            model: self.model.id(),
            tokens: most.total(),
            money: price.map(|price| price.cost(&most)),
        };
        let most = estimate.money;
        let reservations = self.budgets.iter().map(|budget| budget.reserve(&estimate));
        let reservations = reservations.collect::<Result<_, _>>()?;
        let whole = clock::after(Instant::now(), self.shared.policy.deadlines.whole);
        let budgets = self.budgets.iter();
        let ends = budgets.filter_map(|budget| Some((budget.ends()?, budget.clone())));
        let first = ends.min_by_key(|(end, _)| *end);
        let (deadline, by) = match first.filter(|(end, _)| *end < whole) {
            Some((end, budget)) => (end, Some(budget)),
            None => (whole, None),
        };
        Ok(ManagedCall {
            model: Arc::clone(&self.model),
            policy: self.shared.policy,
            prices: Arc::clone(
                self.chosen
                    .as_ref()
                    .map_or(&self.prices, |(_, prices)| prices),
            ),
            observers: self.observers.clone(),
            redactor: Arc::clone(&self.redactor),
            number: CALLS.fetch_add(1, Ordering::Relaxed),
            price,
            most,
            input,
            reservations,
            deadline,
            by,
            _permit: permit,
        })
    }

    /// Begins one attempt of a call.
    async fn attempt(
        &self,
        call: &Arc<ManagedCall>,
        number: u32,
    ) -> Result<RunningAttempt, ModelError> {
        let throttled = self.shared.concurrency.throttle();
        if timeout_at(call.deadline, throttled).await.is_err() {
            return Err(call.too_late());
        }
        let permit = self.shared.breaker.enter();
        let permit = permit.map_err(|opened| opened.error(self.model.id()))?;
        call.notify(number, |observer, attempt| observer.started(attempt));
        Ok(RunningAttempt::new(Arc::clone(call), number, permit))
    }

    /// Waits for another attempt of a call, or gives the error that is left.
    async fn again(
        &self,
        call: &ManagedCall,
        running: RunningAttempt,
        error: ModelError,
        tried: u32,
        lost: &mut LostAttempts,
    ) -> Result<(), ModelError> {
        let error = call.redacted(error);
        let CallLimits { policy, rng, .. } = &*self.shared;
        let wait = policy::wait(&policy.backoff, &error, tried, rng);
        let wait = wait.filter(|wait| clock::after(Instant::now(), *wait) < call.deadline);
        running.count(&error);
        let wait = wait.filter(|_| !self.shared.breaker.is_open());
        let cost = running.fail(&error, wait);
        lost.fail(&cost);
        let Some(wait) = wait else {
            return Err(lost.in_error(error));
        };
        if cost != Cost::default() {
            let checked = call.check_budgets();
            checked.map_err(|error| lost.in_error(error))?;
        }
        sleep(wait).await;
        Ok(())
    }

    /// The request, with what the policy adds where it says nothing.
    fn with_defaults<'a>(&self, request: &'a Request) -> Cow<'a, Request> {
        let Policy {
            max_tokens, effort, ..
        } = self.shared.policy;
        if max_tokens.is_none() && (effort.is_none() || request.effort.is_some()) {
            return Cow::Borrowed(request);
        }
        Cow::Owned(Request {
            max_tokens: max_tokens.or(request.max_tokens),
            effort: request.effort.or(effort),
            ..request.clone()
        })
    }

    /// The request with more room. A limit that a person chose is kept.
    fn wider(&self, request: &Request) -> Option<Request> {
        match self.shared.policy.max_tokens {
            Some(_) => None,
            None => room::wider(request),
        }
    }

    /// A call whose reply streams.
    pub(super) async fn begin_stream(&self, request: &Request) -> Result<Deltas, ModelError> {
        let call = Arc::new(self.begin(request).await?);
        let mut lost = LostAttempts::default();
        let mut tried = 0;
        loop {
            tried += 1;
            let running = self.attempt(&call, tried).await;
            let mut running = running.map_err(|error| lost.in_error(error))?;
            match running.lead(request).await {
                Ok(lead) => return Ok(Deltas::new(ReplyStream::new(running, lead, lost))),
                Err(error) => {
                    self.again(&call, running, error, tried, &mut lost).await?;
                }
            }
        }
    }

    /// A call whose reply is waited for.
    async fn whole(&self, request: &Request) -> Result<Reply, ModelError> {
        let call = Arc::new(self.begin(request).await?);
        let mut lost = LostAttempts::default();
        let mut tried = 0;
        loop {
            tried += 1;
            let running = self.attempt(&call, tried).await;
            let mut running = running.map_err(|error| lost.in_error(error))?;
            match running.whole(request).await {
                Ok(reply) => return Ok(lost.in_reply(reply)),
                Err(error) => {
                    self.again(&call, running, error, tried, &mut lost).await?;
                }
            }
        }
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

impl Model for ManagedModel {
    fn id(&self) -> &ModelId {
        self.model.id()
    }

    fn caps(&self) -> Caps {
        self.model.caps()
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        Box::pin(async move {
            let request = self.with_defaults(request);
            let deltas = self.begin_stream(&request).await?;
            let limit = request.max_tokens;
            let wider = self.wider(&request);
            let model = self.clone();
            Ok(Deltas::new(SecondTry::new(model, limit, wider, deltas)))
        })
    }

    fn invoke<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let request = self.with_defaults(request);
            let reply = self.whole(&request).await?;
            if !room::is_lost(&reply) {
                return Ok(reply);
            }
            let lost = LostAttempts::of(&reply);
            let Some(wider) = self.wider(&request) else {
                return Err(lost.in_error(room::used_up(self.model.id(), request.max_tokens)));
            };
            let again = self.whole(&wider).await;
            let again = lost.in_reply(again.map_err(|error| lost.in_error(error))?);
            match room::is_lost(&again) {
                true => {
                    let error = room::used_up(self.model.id(), wider.max_tokens);
                    Err(LostAttempts::of(&again).in_error(error))
                }
                false => Ok(again),
            }
        })
    }
}
