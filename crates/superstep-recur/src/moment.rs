//! A day, or a time in a zone, as calendars write it.

use jiff::{
    Timestamp,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};

use crate::error::RecurError;

/// A day, or a time in a zone.
#[derive(Clone, Debug, PartialEq)]
pub enum Moment {
    /// A whole day.
    Day(Date),
    /// A time on the clock of a zone.
    At(DateTime, TimeZone),
}

impl Moment {
    /// Reads `20261115`, `20261115T100000`, which is a time in `zone`, or `20261115T100000Z`.
    pub fn read(value: &str, zone: &TimeZone) -> Result<Self, RecurError> {
        let wrong = || RecurError::Time(value.to_owned());
        let number = |from: usize, to: usize| -> Option<i16> {
            let digits = value.get(from..to)?;
            let all = digits.bytes().all(|byte| byte.is_ascii_digit());
            all.then(|| digits.parse().ok())?
        };
        let small = |from, to| number(from, to).and_then(|it| i8::try_from(it).ok());
        let date = || Date::new(number(0, 4)?, small(4, 6)?, small(6, 8)?).ok();
        let date = date().ok_or_else(wrong)?;
        if value.len() == 8 {
            return Ok(Self::Day(date));
        }
        let time = || {
            // A leap second is the end of its minute.
            let second = small(13, 15)?.min(59);
            Time::new(small(9, 11)?, small(11, 13)?, second, 0).ok()
        };
        let time = time()
            .filter(|_| value.get(8..9) == Some("T"))
            .ok_or_else(wrong)?;
        match value.get(15..) {
            Some("Z") => Ok(Self::At(date.to_datetime(time), TimeZone::UTC)),
            Some("") => Ok(Self::At(date.to_datetime(time), zone.clone())),
            _ => Err(wrong()),
        }
    }

    /// The time on its clock; that of a day is midnight.
    pub fn civil(&self) -> DateTime {
        match self {
            Self::Day(day) => day.to_datetime(Time::midnight()),
            Self::At(time, _) => *time,
        }
    }

    /// The instant, that of a day in `zone`. None beyond the years that are known.
    pub fn instant(&self, zone: &TimeZone) -> Option<Timestamp> {
        let zone = match self {
            Self::Day(_) => zone,
            Self::At(_, zone) => zone,
        };
        zone.to_timestamp(self.civil()).ok()
    }

    /// The same kind of moment at another time.
    pub fn moved(&self, to: DateTime) -> Self {
        match self {
            Self::Day(_) => Self::Day(to.date()),
            Self::At(_, zone) => Self::At(to, zone.clone()),
        }
    }
}
