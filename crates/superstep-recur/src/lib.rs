//! Recurrence rules of calendars: `RRULE` of RFC 5545, as far as people repeat events.
//!
//! ```
//! use jiff::{civil::date, tz::TimeZone};
//! use superstep_recur::{Moment, Rule};
//!
//! let zone = TimeZone::UTC;
//! let rule = Rule::read("FREQ=WEEKLY;BYDAY=MO,WE;COUNT=3", &zone)?;
//! let start = Moment::read("20261116T090000", &zone)?;
//! let end = date(2026, 12, 31).at(0, 0, 0, 0);
//! let times = rule.times(&start, start.civil(), end, &zone);
//! assert_eq!(times.last(), Some(&date(2026, 11, 23).at(9, 0, 0, 0)));
//! # Ok::<_, superstep_recur::RecurError>(())
//! ```

mod error;
mod moment;
mod rule;

pub use error::RecurError;
pub use moment::Moment;
pub use rule::Rule;
