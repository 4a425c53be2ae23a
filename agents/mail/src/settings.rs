//! Settings of the assistant.

use jiff::{
    Timestamp,
    civil::{Time, Weekday},
    tz::TimeZone,
};

use superstep::tools::guided::Profile;

use crate::{Mode, Prompts};

/// How the assistant is meant to work. The default changes nothing in the world.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Nothing leaves: no mail is sent, no meeting is made, no mail is marked as read. Approved
    /// calls are answered with what would have been done.
    pub dry_run: bool,
    /// What the model should know about whom it works for, in a few sentences.
    pub background: String,
    /// The owner's zone, such as `Europe/Berlin`; that of the calendar if absent.
    pub time_zone: Option<String>,
    /// When the owner works.
    pub working_hours: WorkingHours,
    /// How often the model may speak about one mail before a person is asked.
    pub max_turns: u32,
    /// Whether mail that is ignored is marked as read. Without it, only mail that was handled or read is.
    pub mark_ignored: bool,
    /// How many tokens a reply of the model may have.
    pub max_tokens: Option<u32>,
    /// How models are asked; by what they can if absent.
    pub profile: Option<Profile>,
    /// The moment that counts as now in what models read, as for a recording; the machine's clock if absent.
    pub now: Option<Timestamp>,
    /// What calls of the model begin with.
    pub prompts: Prompts,
}

impl Settings {
    /// The moment that models are told.
    pub(crate) fn now(&self) -> Timestamp {
        self.now.unwrap_or_else(Timestamp::now)
    }

    /// The mode of the runs of an assistant with these settings.
    pub fn mode(&self) -> Mode {
        match self.dry_run {
            true => Mode::Dry,
            false => Mode::Send,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dry_run: true,
            background: String::new(),
            time_zone: None,
            working_hours: WorkingHours::default(),
            max_turns: 12,
            mark_ignored: false,
            max_tokens: None,
            profile: None,
            now: None,
            prompts: Prompts::default(),
        }
    }
}

/// When somebody works: the same hours on each of some days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkingHours {
    /// From.
    pub start: Time,
    /// To.
    pub end: Time,
    /// On these days.
    pub days: Vec<Weekday>,
}

impl Default for WorkingHours {
    fn default() -> Self {
        Self {
            start: Time::constant(9, 0, 0, 0),
            end: Time::constant(17, 0, 0, 0),
            days: vec![
                Weekday::Monday,
                Weekday::Tuesday,
                Weekday::Wednesday,
                Weekday::Thursday,
                Weekday::Friday,
            ],
        }
    }
}

/// A zone and its name.
#[derive(Clone, Debug)]
pub(crate) struct Zone {
    pub(crate) name: String,
    pub(crate) zone: TimeZone,
}

impl Zone {
    pub(crate) fn find(name: &str) -> Option<Self> {
        let zone = TimeZone::get(name).ok()?;
        let name = name.to_owned();
        Some(Self { name, zone })
    }
}
