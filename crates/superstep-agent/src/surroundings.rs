//! Surroundings of a conversation as prompts state them: the day, the time, the zone, the language, the length.
//!
//! A model knows none of them. The day belongs to the instructions, which stay the same all day, so that a provider and the
//! embedded model need not read them again; the time of day belongs to the last message.

use std::{fmt, sync::Arc};

use jiff::{Timestamp, Zoned, tz::TimeZone};
use superstep::clock::{Clock, SystemClock};

/// The clock and the time zone of a conversation.
#[derive(Clone)]
pub struct Surroundings {
    clock: Arc<dyn Clock>,
    zone: TimeZone,
}

/// How long a reply should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyLength {
    /// A sentence or two.
    Brief,
    /// A few paragraphs at most.
    Short,
    /// As long as the matter needs.
    Full,
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Surroundings({})", self.now())
    }
}

impl Default for Surroundings {
    /// The clock and the zone of this machine.
    fn default() -> Self {
        Self::new(Arc::new(SystemClock), TimeZone::system())
    }
}

impl Surroundings {
    /// A clock and a zone.
    pub fn new(clock: Arc<dyn Clock>, zone: TimeZone) -> Self {
        Self { clock, zone }
    }

    /// The time, in the zone.
    pub fn now(&self) -> Zoned {
        let now = Timestamp::from_millisecond(self.clock.now());
        now.unwrap_or_default().to_zoned(self.zone.clone())
    }

    /// The day in words.
    pub fn day(&self) -> String {
        self.now().strftime("%A, %-d %B %Y").to_string()
    }

    /// What instructions state: the day, the zone, the language, and how long replies should be.
    pub fn instructions(&self, length: ReplyLength) -> String {
        let day = self.day();
        let zone = self.zone_name();
        format!(
            "Today is {day}; times are in the time zone {zone}. Write in the language of the person's last message, \
             unless the task or the person asks for another one. {}",
            length.as_str()
        )
    }

    /// What the last message states: the day and the time.
    pub fn moment(&self) -> String {
        let now = self.now().strftime("%A, %-d %B %Y, %H:%M").to_string();
        format!("It is {now} ({}).", self.zone_name())
    }

    fn zone_name(&self) -> String {
        match self.zone.iana_name() {
            Some(name) => name.to_owned(),
            None => self.now().strftime("UTC%:z").to_string(),
        }
    }
}

impl ReplyLength {
    fn as_str(self) -> &'static str {
        match self {
            Self::Brief => "Reply in one or two sentences.",
            Self::Short => {
                "Begin with the answer; use at most a few short paragraphs, without repetition."
            }
            Self::Full => "Begin with the answer; be as long as the matter needs, and no longer.",
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::offset;
    use superstep::clock::ManualClock;

    use super::*;

    /// 19 November 2026, 23:30 in UTC.
    const LATE: i64 = 1_795_131_000_000;

    fn at(zone: TimeZone) -> Surroundings {
        Surroundings::new(Arc::new(ManualClock::at(LATE)), zone)
    }

    #[test]
    fn instructions_state_day_zone_language_and_length_and_stay_the_same_all_day() {
        let clock = Arc::new(ManualClock::at(LATE));
        let here = Surroundings::new(clock.clone(), TimeZone::UTC);
        let before = here.instructions(ReplyLength::Brief);
        assert_eq!(
            before,
            "Today is Thursday, 19 November 2026; times are in the time zone UTC. Write in the language of the \
             person's last message, unless the task or the person asks for another one. Reply in one or two sentences."
        );
        clock.advance(std::time::Duration::from_secs(29 * 60));
        assert_eq!(here.instructions(ReplyLength::Brief), before);
        clock.advance(std::time::Duration::from_secs(60));
        assert!(
            here.instructions(ReplyLength::Full)
                .contains("Friday, 20 November 2026")
        );
    }

    #[test]
    fn the_zone_decides_which_day_it_is() {
        assert_eq!(
            at(TimeZone::UTC).moment(),
            "It is Thursday, 19 November 2026, 23:30 (UTC)."
        );
        let east = TimeZone::fixed(offset(5));
        assert_eq!(
            at(east).moment(),
            "It is Friday, 20 November 2026, 04:30 (UTC+05:00)."
        );
    }
}
