//! Fault plans: what happens at which operation. As text (`die-before:17`, `fail:4:short`) a plan fits
//! on a command line, so that one case can be replayed.

use std::{fmt, str::FromStr};

/// What happens to durable operations, which are numbered from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plan {
    /// Nothing: all of them succeed.
    #[default]
    Nothing,
    /// The process dies before this one.
    DieBefore(u64),
    /// The process dies after half of this one's bytes.
    DieWithin(u64),
    /// The process dies after this one.
    DieAfter(u64),
    /// The sync of this number, among syncs, fails.
    FailSync(u64),
    /// This one fails.
    Fail {
        /// Which.
        at: u64,
        /// How.
        fault: Fault,
    },
    /// This one and all that follow fail.
    FailFrom {
        /// The first.
        at: u64,
        /// How.
        fault: Fault,
    },
}

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The medium reports an error and nothing was done.
    Io,
    /// No space is left.
    Full,
    /// Half of the bytes were written before the error.
    Short,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Io, Self::Full, Self::Short];

    fn name(self) -> &'static str {
        match self {
            Self::Io => "io",
            Self::Full => "full",
            Self::Short => "short",
        }
    }
}

/// Text is not a plan.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "`{0}` is not a plan: expected die-before:N, die-within:N, die-after:N, fail-sync:N, fail:N:FAULT or fail-from:N:FAULT with io, full or short"
)]
pub struct PlanParseError(pub String);

impl FromStr for Plan {
    type Err = PlanParseError;

    fn from_str(text: &str) -> Result<Self, PlanParseError> {
        let wrong = || PlanParseError(text.to_owned());
        let mut words = text.split(':');
        let kind = words.next().ok_or_else(wrong)?;
        if kind == "nothing" {
            return Ok(Self::Nothing);
        }
        let at = words.next().and_then(|n| n.parse().ok());
        let at: u64 = at.ok_or_else(wrong)?;
        let mut fault = || {
            let name = words.next().ok_or_else(wrong)?;
            let found = Fault::ALL.into_iter().find(|fault| fault.name() == name);
            found.ok_or_else(wrong)
        };
        Ok(match kind {
            "die-before" => Self::DieBefore(at),
            "die-within" => Self::DieWithin(at),
            "die-after" => Self::DieAfter(at),
            "fail-sync" => Self::FailSync(at),
            "fail" => Self::Fail {
                at,
                fault: fault()?,
            },
            "fail-from" => Self::FailFrom {
                at,
                fault: fault()?,
            },
            _ => return Err(wrong()),
        })
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::DieBefore(at) => write!(f, "die-before:{at}"),
            Self::DieWithin(at) => write!(f, "die-within:{at}"),
            Self::DieAfter(at) => write!(f, "die-after:{at}"),
            Self::FailSync(at) => write!(f, "fail-sync:{at}"),
            Self::Fail { at, fault } => write!(f, "fail:{at}:{}", fault.name()),
            Self::FailFrom { at, fault } => write!(f, "fail-from:{at}:{}", fault.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_round_trips_as_text() {
        let fault = Fault::Short;
        for plan in [
            Plan::Nothing,
            Plan::DieBefore(1),
            Plan::DieWithin(2),
            Plan::DieAfter(3),
            Plan::FailSync(3),
            Plan::Fail { at: 4, fault },
            Plan::FailFrom { at: 5, fault },
        ] {
            assert_eq!(plan.to_string().parse(), Ok(plan));
        }
        assert!("fail:1:other".parse::<Plan>().is_err());
        assert!("die-before".parse::<Plan>().is_err());
    }
}
