//! What kind of fault an error code stands for, for those who answer others: a server, a queue.
//!
//! One table for the codes of all crates, so that a server does not guess. A test of the facade checks
//! that every code of `docs/errors.md` is in it.

use serde::{Deserialize, Serialize};

/// What kind of fault a code stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Category {
    /// What was asked for makes no sense, or does not have the form it must have.
    InvalidInput,
    /// There is no such thing.
    NotFound,
    /// It does not go together with what is there, or with what somebody else does now.
    Conflict,
    /// Somebody must allow it first: a key, a consent, an approval.
    Refused,
    /// A limit is reached: a rate, a budget.
    Exhausted,
    /// A service or a medium does not answer; trying again later may help.
    Unavailable,
    /// It took too long.
    TimedOut,
    /// The program, its graph or its storage is at fault.
    Internal,
}

impl Category {
    /// The category of a stable code; nothing for a code that this version does not know.
    ///
    /// ```
    /// use superstep_core::error::Category;
    ///
    /// assert_eq!(Category::of("SS2001"), Some(Category::Conflict));
    /// assert_eq!(Category::of("SS2003").map(Category::http_status), Some(404));
    /// assert_eq!(Category::of("none"), None);
    /// ```
    pub fn of(code: &str) -> Option<Self> {
        let number: u16 = code.strip_prefix("SS")?.parse().ok()?;
        Some(match number {
            1013 | 1015 | 1101 | 1104..=1106 | 1109..=1111 | 1120 => Self::InvalidInput,
            1108 | 1112 => Self::NotFound,
            1003 => Self::TimedOut,
            1103 => Self::Unavailable,
            1113 | 1121 => Self::Conflict,
            1114 => Self::TimedOut,
            1201..=1205 => Self::Conflict,
            1001..=1012 | 1014 | 1102 | 1107 => Self::Internal,

            2001 | 2002 | 2004 | 2019 => Self::Conflict,
            2003 | 2015 | 2018 => Self::NotFound,
            2013 => Self::InvalidInput,
            2012 => Self::Refused,
            2006..=2009 => Self::Unavailable,
            2005 | 2010 | 2011 | 2014 | 2016 | 2017 => Self::Internal,
            2101..=2105 => Self::InvalidInput,
            2106 => Self::Unavailable,
            2107 | 2108 => Self::Conflict,

            3001..=3030 => Self::InvalidInput,
            3040 | 3090 => Self::Unavailable,
            3041 => Self::Conflict,
            3050 | 3051 => Self::Internal,
            3401..=3408 | 3410..=3413 => Self::Unavailable,
            3414 | 3416 => Self::InvalidInput,
            3415 => Self::Refused,
            3409 | 3417 | 3418 => Self::Unavailable,
            3501 | 3510 | 3511 => Self::InvalidInput,
            3512 | 3513 => Self::Internal,

            4001..=4023 => Self::Internal,
            4030..=4033 => Self::InvalidInput,

            5001 | 5020 | 5023 | 5024 | 5105 | 5106 => Self::Refused,
            5002 | 5016 => Self::NotFound,
            5003 | 5004 | 5019 | 5021 => Self::InvalidInput,
            5005 | 5014 => Self::Exhausted,
            5008 => Self::TimedOut,
            5006 | 5007 | 5009..=5013 | 5015 | 5104 | 5107 => Self::Unavailable,
            5017 | 5018 | 5022 | 5025..=5030 | 5101..=5103 => Self::Internal,

            6001 | 6002 | 6004 | 6022 | 6032 | 6042 => Self::NotFound,
            6008 | 6030 | 6031 | 6041 => Self::InvalidInput,
            6006 | 6040 | 6058 => Self::Conflict,
            6021 => Self::Refused,
            6003 | 6005 | 6007 | 6020 | 6043 | 6054..=6056 => Self::Unavailable,
            6044 => Self::Conflict,
            6050 => Self::InvalidInput,
            6051 | 6052 => Self::NotFound,
            6053 | 6057 => Self::Internal,

            7001 | 7007 | 7010 => Self::Unavailable,
            7002 => Self::Exhausted,
            7003 | 7022 => Self::Refused,
            7004 | 7012 | 7013 => Self::NotFound,
            7005 | 7006 | 7009 | 7020 | 7021 => Self::InvalidInput,
            7011 | 7015 => Self::Conflict,
            7008 | 7014 => Self::Internal,

            7501..=7511 | 7513 => Self::InvalidInput,
            7512 => Self::NotFound,
            7514 => Self::Internal,
            7515 => Self::Unavailable,
            7516 => Self::Conflict,

            7601 | 7605 => Self::Unavailable,
            7602 | 7606 => Self::InvalidInput,
            7603 => Self::Exhausted,
            7604 => Self::Internal,
            7607 => Self::NotFound,

            7701 | 7703 => Self::NotFound,
            7702 | 7706 | 7707 | 7710 => Self::InvalidInput,
            7705 => Self::Unavailable,
            7708 => Self::Exhausted,
            7709 | 7712 => Self::Conflict,
            7704 | 7711 => Self::Internal,

            7801..=7803 | 7807 => Self::InvalidInput,
            7804 => Self::Unavailable,
            7805 | 7806 => Self::NotFound,
            7808 => Self::Internal,

            8001 => Self::Internal,
            8002 | 8004 | 8008 => Self::NotFound,
            8003 | 8012 | 8015 => Self::InvalidInput,
            8005 | 8009 => Self::Refused,
            8006 | 8010 | 8011 => Self::Unavailable,
            8007 => Self::Exhausted,
            8013 | 8014 | 8016 => Self::Conflict,

            9001 | 9004..=9006 => Self::InvalidInput,
            9002 => Self::Refused,
            9003 => Self::Unavailable,
            _ => return None,
        })
    }

    /// The HTTP status that says the same.
    pub fn http_status(self) -> u16 {
        match self {
            Self::InvalidInput => 422,
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::Refused => 403,
            Self::Exhausted => 429,
            Self::Unavailable => 503,
            Self::TimedOut => 504,
            Self::Internal => 500,
        }
    }
}
