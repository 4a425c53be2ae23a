//! One attempt of a call: its deltas with deadlines, and its cost however it ends.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_core::Stream;
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

use super::{
    breaker::BreakerPermit,
    clock, estimate,
    lost::LostAttempts,
    managed_call::ManagedCall,
    observer::{Cost, UsageSource},
};
use crate::{
    assemble::Assembly,
    delta::{Delta, Deltas},
    error::{ErrorKind, ModelError, Phase},
    message::Reply,
    request::Request,
    usage::{Paid, Usage},
};

/// How many pieces that show nothing are kept back before the first that does.
const MAX_LEAD: usize = 16;

/// A running attempt. Dropping it cancels it.
pub(super) struct RunningAttempt {
    call: Arc<ManagedCall>,
    number: u32,
    permit: BreakerPermit,
    deltas: Option<Deltas>,
    clock: Pin<Box<Sleep>>,
    armed: bool,
    phase: Phase,
    pieces: u64,
    bytes: u64,
    usage: Option<Usage>,
    finished: bool,
    reported: bool,
}

impl RunningAttempt {
    pub(super) fn new(call: Arc<ManagedCall>, number: u32, permit: BreakerPermit) -> Self {
        let due = clock::after(Instant::now(), call.first()).min(call.deadline);
        Self {
            call,
            number,
            permit,
            deltas: None,
            clock: Box::pin(sleep_until(due)),
            armed: true,
            phase: Phase::FirstByte,
            pieces: 0,
            bytes: 0,
            usage: None,
            finished: false,
            reported: false,
        }
    }

    /// Waits for the first piece that shows something, and gives all pieces up to it. Until then
    /// nobody has seen anything, so the call can begin anew.
    pub(super) async fn lead(&mut self, request: &Request) -> Result<VecDeque<Delta>, ModelError> {
        self.start(request).await?;
        let mut lead = VecDeque::new();
        while let Some(delta) = self.next().await? {
            let silent = matches!(delta, Delta::From { .. } | Delta::Usage(_));
            // Its observers were told, and a reader has nothing to read yet.
            if matches!(delta, Delta::Reading { .. }) {
                continue;
            }
            lead.push_back(delta);
            if !silent || lead.len() >= MAX_LEAD {
                break;
            }
        }
        Ok(lead)
    }

    /// Waits for the whole reply.
    pub(super) async fn whole(&mut self, request: &Request) -> Result<Reply, ModelError> {
        self.start(request).await?;
        let mut reply = Assembly::new(self.call.model.id());
        while let Some(delta) = self.next().await? {
            reply.add(delta)?;
        }
        let mut reply = reply.finish()?;
        let (paid, usage) = self.end();
        if paid.estimated {
            reply.usage = Some(usage);
        }
        if let Some(answered) = &mut reply.answered {
            answered.paid = Some(paid);
        }
        Ok(reply)
    }

    async fn start(&mut self, request: &Request) -> Result<(), ModelError> {
        let due = self.clock.deadline();
        let call = Arc::clone(&self.call);
        match timeout_at(due, call.model.stream(request)).await {
            Ok(deltas) => self.deltas = Some(deltas?),
            Err(_) => return Err(self.late()),
        }
        Ok(())
    }

    async fn next(&mut self) -> Result<Option<Delta>, ModelError> {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// The next piece, or nothing at the end of a whole reply.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Delta>, ModelError>> {
        let Some(deltas) = &mut self.deltas else {
            return Poll::Ready(Ok(None));
        };
        // Pieces that come without a pause must not outrun the deadline.
        if self.call.deadline <= Instant::now() {
            return Poll::Ready(Err(self.call.too_late()));
        }
        match Pin::new(deltas).poll_next(cx) {
            Poll::Ready(Some(Ok(delta))) => {
                self.count_piece(&delta);
                Poll::Ready(Ok(Some(delta)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Err(error)),
            Poll::Ready(None) if self.finished => Poll::Ready(Ok(None)),
            Poll::Ready(None) => Poll::Ready(Err(ErrorKind::Cut.into())),
            Poll::Pending => {
                self.arm_timer();
                ready!(self.clock.as_mut().poll(cx));
                Poll::Ready(Err(self.late()))
            }
        }
    }

    fn count_piece(&mut self, delta: &Delta) {
        self.armed = false;
        if let Delta::Reading { read, total } = *delta {
            self.count_reading(read, total);
            return;
        }
        self.pieces += 1;
        self.bytes = self.bytes.saturating_add(estimate::bytes(delta));
        match delta {
            Delta::Usage(usage) => self.usage = Some(*usage),
            Delta::Finish(_) => self.finished = true,
            _ => {}
        }
        if self.pieces == 1 {
            self.permit.answers();
            let (call, number) = (&self.call, self.number);
            call.notify(number, |observer, attempt| observer.first_piece(attempt));
        }
        self.phase = Phase::NextPiece;
    }

    /// The model reads: that is no piece, so nothing is paid and the call can begin anew. When it has
    /// read all, it has the time of a first piece to say something.
    fn count_reading(&mut self, read: u64, total: u64) {
        if self.pieces > 0 {
            return;
        }
        self.phase = match read < total {
            true => Phase::Reading,
            false => Phase::FirstByte,
        };
        let (call, number) = (&self.call, self.number);
        call.notify(number, |observer, attempt| {
            observer.reading(attempt, read, total)
        });
    }

    /// Starts the clock for the next piece. It runs while somebody waits: a reader that takes its
    /// time is no fault of the model.
    fn arm_timer(&mut self) {
        if self.armed {
            return;
        }
        self.armed = true;
        let due = clock::after(Instant::now(), self.limit()).min(self.call.deadline);
        self.clock.as_mut().reset(due);
    }

    fn late(&self) -> ModelError {
        if self.call.deadline <= Instant::now() {
            return self.call.too_late();
        }
        let (phase, after) = (self.phase, self.limit());
        ErrorKind::TimedOut { phase, after }.into()
    }

    /// How long the model may be silent now.
    fn limit(&self) -> Duration {
        match self.phase {
            Phase::NextPiece | Phase::Reading => self.call.idle(),
            _ => self.call.first(),
        }
    }

    /// Tells the breaker what an error says about the model.
    pub(super) fn count(&self, error: &ModelError) {
        match error.kind() {
            ErrorKind::Budget { .. } => {}
            _ if error.is_transient() => self.permit.failed(),
            _ => self.permit.worked(),
        }
    }

    /// The attempt failed; another one may follow after a wait.
    pub(super) fn fail(mut self, error: &ModelError, wait: Option<Duration>) -> Cost {
        let cost = self.close();
        let (call, number) = (&self.call, self.number);
        call.notify(number, |observer, attempt| {
            observer.failed(attempt, error, wait, &cost)
        });
        cost
    }

    /// The attempt gave a whole reply: what was paid, and for which tokens.
    fn end(&mut self) -> (Paid, Usage) {
        self.permit.worked();
        let cost = self.close();
        let (call, number) = (&self.call, self.number);
        call.notify(number, |observer, attempt| observer.ended(attempt, &cost));
        let paid = Paid {
            attempts: number,
            cost: cost.money,
            prices: call.prices_as_of().to_owned(),
            estimated: cost.source == UsageSource::Estimated,
        };
        (paid, cost.usage)
    }

    /// Cancels what still runs, and takes what it cost from the budgets.
    fn close(&mut self) -> Cost {
        self.reported = true;
        self.deltas = None;
        let mut cost = self.cost();
        self.call.charge(&mut cost);
        cost
    }

    fn cost(&self) -> Cost {
        let estimated = Usage {
            input: self.call.input,
            output: estimate::tokens(self.bytes),
            ..Usage::default()
        };
        let (usage, source) = match self.usage {
            // Providers bill what they sent, not what they refused.
            None if self.pieces == 0 => (Usage::default(), UsageSource::Reported),
            None => (estimated, UsageSource::Estimated),
            Some(reported) => {
                // Every request has something to read, so no input at all is no count; nor is no output of a reply
                // that has some. A count that came early does not have what was written since.
                let (mut usage, mut source) = (reported, UsageSource::Reported);
                if reported.input == 0 && estimated.input > 0 {
                    (usage.input, source) = (estimated.input, UsageSource::Estimated);
                }
                let may_be_short = reported.output == 0 || !self.finished;
                if may_be_short && estimated.output > reported.output {
                    (usage.output, source) = (estimated.output, UsageSource::Estimated);
                }
                (usage, source)
            }
        };
        Cost {
            usage,
            source,
            money: None,
        }
    }
}

impl Drop for RunningAttempt {
    fn drop(&mut self) {
        if self.reported {
            return;
        }
        // Many readers stop at the end and do not ask for what may follow it.
        if self.finished {
            self.end();
            return;
        }
        let cost = self.close();
        let (call, number) = (&self.call, self.number);
        call.notify(number, |observer, attempt| observer.dropped(attempt, &cost));
    }
}

/// The deltas of a running attempt as a stream.
pub(super) struct ReplyStream {
    /// Pieces that come before those of the running attempt, and the last ones.
    ready: VecDeque<Delta>,
    /// Gone at the end, so that a reply that is over keeps no other call waiting.
    running: Option<RunningAttempt>,
    /// The attempts before.
    lost: LostAttempts,
}

impl ReplyStream {
    pub(super) fn new(running: RunningAttempt, lead: VecDeque<Delta>, lost: LostAttempts) -> Self {
        let running = Some(running);
        Self {
            ready: lead,
            running,
            lost,
        }
    }
}

impl Stream for ReplyStream {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut lost = self.lost;
        if let Some(delta) = self.ready.pop_front() {
            return Poll::Ready(Some(Ok(lost.in_delta(delta))));
        }
        let Some(running) = &mut self.running else {
            return Poll::Ready(None);
        };
        Poll::Ready(Some(match ready!(running.poll(cx)) {
            Ok(Some(delta)) => Ok(lost.in_delta(delta)),
            Ok(None) => {
                let (paid, usage) = running.end();
                self.running = None;
                match paid.estimated {
                    true => {
                        self.ready.push_back(Delta::Paid(paid));
                        Ok(lost.in_delta(Delta::Usage(usage)))
                    }
                    false => Ok(lost.in_delta(Delta::Paid(paid))),
                }
            }
            Err(error) => {
                let error = running.call.redacted(error);
                if let Some(running) = self.running.take() {
                    running.count(&error);
                    lost.fail(&running.fail(&error, None));
                }
                Err(lost.in_error(error))
            }
        }))
    }
}
