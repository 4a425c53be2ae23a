//! Place in a trace that calls of providers are made from: they carry it as `traceparent`.

use std::{
    cell::Cell,
    future::{Future, poll_fn},
    pin::pin,
};

use superstep_core::event::TraceParent;

thread_local! {
    static PLACE: Cell<Option<TraceParent>> = const { Cell::new(None) };
}

/// Calls a model from a place in a trace. Its requests to a provider over HTTP carry that place in their `traceparent`
/// header, so that a gateway or a model server can continue the trace.
pub async fn in_trace<F: Future>(place: Option<TraceParent>, call: F) -> F::Output {
    let mut call = pin!(call);
    poll_fn(|cx| {
        let _outer = Outer(PLACE.replace(place));
        call.as_mut().poll(cx)
    })
    .await
}

/// The place of the call that is polled now.
#[cfg(feature = "remote")]
pub(crate) fn place() -> Option<TraceParent> {
    PLACE.get()
}

/// The place around a call, which is back when the call was polled, even if it panicked.
struct Outer(Option<TraceParent>);

impl Drop for Outer {
    fn drop(&mut self) {
        PLACE.set(self.0);
    }
}
