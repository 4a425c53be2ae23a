//! What the facts say to a claim: one of the outcomes that the judges of all kinds of claims have.

/// What the facts say to a claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// It is none after all.
    NoClaim,
    /// It is right.
    Verified,
    /// They say nothing.
    Unknown,
    /// It is wrong; with what is right, if that is sure.
    Wrong { why: String, now: Option<String> },
}
