//! What goes wrong, on purpose.

/// What happens to a call instead of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// 401, as with a token that has ended.
    Unauthorized,
    /// 403 with the reason `rateLimitExceeded`.
    RateLimited,
    /// 429.
    TooMany {
        /// The seconds to wait, as it says.
        retry_after: u64,
    },
    /// 500, and the call had no effect.
    Internal,
    /// 500, although the call had its effect.
    InternalAfter,
    /// 200 with a body that is no JSON; the call had its effect.
    Garbage,
    /// The connection breaks off, and the call had no effect.
    Cut,
    /// The connection breaks off after the call had its effect.
    CutAfter,
    /// No answer ever comes, and the call had no effect.
    Silent,
    /// No answer ever comes, although the call had its effect.
    SilentAfter,
    /// Effect and answer wait until they are released.
    HoldBefore,
    /// The call has its effect; the answer waits until it is released.
    HoldAfter,
}

/// A fault that waits for its calls.
pub(crate) struct Trap {
    pub(crate) path: String,
    pub(crate) fault: Fault,
    pub(crate) times: usize,
}
