//! The moment of a request to a model: the date, the time, and when the owner works.

use jiff::Zoned;

use crate::services::Services;

/// The moment of a request, and when the owner works, in words.
pub(crate) struct Moment {
    now: Zoned,
    today: String,
    hours: String,
    zone: String,
}

impl Moment {
    pub(crate) fn now(services: &Services) -> Self {
        let settings = &services.settings;
        let now = settings.now().to_zoned(services.zone.zone.clone());
        let hours = &settings.working_hours;
        let days = hours.days.iter().map(|day| format!("{day:?}"));
        Self {
            today: now.strftime("%A %d-%m-%Y").to_string(),
            hours: format!(
                "{} to {} on {}",
                hours.start.strftime("%H:%M"),
                hours.end.strftime("%H:%M"),
                days.collect::<Vec<_>>().join(", ")
            ),
            zone: services.zone.name.clone(),
            now,
        }
    }

    /// What it fills in. The time of day is none of it: what a request begins with stays the same, so that a model need not
    /// read it again.
    pub(crate) fn places(&self) -> [(&'static str, &str); 3] {
        [
            ("today", &self.today),
            ("hours", &self.hours),
            ("zone", &self.zone),
        ]
    }

    /// The date and the time, as a sentence.
    pub(crate) fn sentence(&self) -> String {
        let now = self.now.strftime("%A %d-%m-%Y, %H:%M");
        format!("It is {now} ({}).", self.zone)
    }
}
