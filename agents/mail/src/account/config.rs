//! Settings of `[agents.mail]`.

use std::path::PathBuf;

use jiff::civil::{Time, Weekday};
use serde_json::Value as Json;
use superstep::model::{
    config::{Config, Setting},
    did_you_mean,
};

use super::{
    AccountError, AccountOptions, CalendarAt, Encryption, MailAccount, MailHost, MailServers,
    MailboxAt, address,
};
use crate::{Address, Profile, Settings};

/// The keys of the settings.
const KEYS: &str = "kind owner folder calendar time_zone dry_run background working_hours working_days max_turns \
    mark_ignored profile token secrets imap.host imap.port imap.security smtp.host smtp.port \
    smtp.security user password_env password_cmd prompts.triage prompts.respond prompts.memory";

/// The largest file with a prompt.
const LONGEST_PROMPT: u64 = 1 << 20;

const DAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// The settings of an account.
#[derive(Debug, Default)]
pub(super) struct AccountSettings {
    kind: AccountKind,
    owner: Option<Address>,
    folder: Option<PathBuf>,
    /// As it is written, and as a path.
    calendar: Option<(String, PathBuf)>,
    zone: Option<String>,
    settings: Settings,
    pub(super) token: Option<PathBuf>,
    pub(super) secrets: Option<PathBuf>,
    imap: MailHost,
    smtp: MailHost,
    user: Option<String>,
    password_env: Option<String>,
    password_cmd: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AccountKind {
    #[default]
    Folder,
    Google,
    Imap,
}

/// A setting that is refused.
enum SettingProblem {
    Unknown,
    Not(&'static str),
    /// A whole sentence.
    Because(String),
}

impl AccountSettings {
    pub(super) fn read(config: &Config) -> Result<Self, AccountError> {
        let mut written = Self::default();
        for (key, setting) in config.agent("mail") {
            let wrong = |why: String| AccountError::Unusable(format!("{}: {why}", setting.origin));
            if setting.origin.is_project() {
                let why = "[agents.mail] belongs in the user's file; a project does not say where \
                           mail goes";
                return Err(wrong(why.into()));
            }
            let taken = written.take(key, setting);
            taken.map_err(|problem| wrong(problem.message(key)))?;
        }
        Ok(written)
    }

    fn take(&mut self, key: &str, setting: &Setting<Json>) -> Result<(), SettingProblem> {
        let value = &setting.value;
        let text = || value.as_str().ok_or(SettingProblem::Not("a text"));
        let flag = || value.as_bool().ok_or(SettingProblem::Not("true or false"));
        let path = || {
            let path = value.as_str().map(|text| setting.path(text));
            // A path of the user's file may lead anywhere.
            path.and_then(Result::ok)
                .ok_or(SettingProblem::Not("a path"))
        };
        match key {
            "kind" => {
                self.kind = match text()? {
                    "folder" => AccountKind::Folder,
                    "google" => AccountKind::Google,
                    "imap" => AccountKind::Imap,
                    _ => return Err(SettingProblem::Not("\"folder\", \"google\" or \"imap\"")),
                }
            }
            "owner" => {
                let owner = address(text()?);
                self.owner = Some(owner.ok_or(SettingProblem::Not("an address of mail"))?);
            }
            "folder" => self.folder = Some(path()?),
            "calendar" => self.calendar = Some((text()?.to_owned(), path()?)),
            "time_zone" => {
                let zone = text()?.to_owned();
                let known = jiff::tz::TimeZone::get(&zone);
                known.map_err(|_| SettingProblem::Not("a time zone such as `Europe/Berlin`"))?;
                self.zone = Some(zone);
            }
            "dry_run" => self.settings.dry_run = flag()?,
            "background" => self.settings.background = text()?.to_owned(),
            "working_hours" => {
                let hours =
                    hours(text()?).ok_or(SettingProblem::Not("hours such as \"09:00-17:00\""))?;
                let working = &mut self.settings.working_hours;
                (working.start, working.end) = hours;
            }
            "working_days" => {
                let days =
                    days(value).ok_or(SettingProblem::Not("a list of days such as \"mon\""))?;
                self.settings.working_hours.days = days;
            }
            "max_turns" => {
                let turns = value.as_u64().and_then(|turns| u32::try_from(turns).ok());
                let turns = turns.filter(|turns| *turns > 0);
                self.settings.max_turns = turns.ok_or(SettingProblem::Not("a number above 0"))?;
            }
            "mark_ignored" => self.settings.mark_ignored = flag()?,
            "profile" => {
                let profile = Profile::named(text()?);
                self.settings.profile =
                    Some(profile.ok_or(SettingProblem::Not("strong or small"))?);
            }
            "token" => self.token = Some(path()?),
            "secrets" => self.secrets = Some(path()?),
            "user" => self.user = Some(text()?.to_owned()),
            "password_env" => self.password_env = Some(text()?.to_owned()),
            "password_cmd" => self.password_cmd = Some(text()?.to_owned()),
            _ => match key.split_once('.') {
                Some(("imap", of)) => self.imap.take(of, value)?,
                Some(("smtp", of)) => self.smtp.take(of, value)?,
                Some(("prompts", name)) => {
                    let path = path()?;
                    let read = superstep::fs::read_text(&path, LONGEST_PROMPT);
                    let because = |why: String| SettingProblem::Because(why);
                    let text =
                        read.map_err(|error| because(format!("{}: {error}", path.display())))?;
                    let replaced = self.settings.prompts.replace(name, text);
                    replaced.map_err(|error| because(error.to_string()))?;
                }
                _ => return Err(SettingProblem::Unknown),
            },
        }
        Ok(())
    }

    /// The account that these settings and the options make.
    pub(super) fn account(self, with: &AccountOptions) -> Result<MailAccount, AccountError> {
        let owner = match with.owner.as_deref() {
            Some(text) => Some(address(text).ok_or_else(|| {
                AccountError::Unusable(format!("--owner: `{text}` is no address of mail"))
            })?),
            None => self.owner,
        };
        let mut settings = self.settings;
        settings.dry_run &= !with.send;
        let named = match with.folder {
            Some(_) => AccountKind::Folder,
            None => self.kind,
        };
        let kind = match named {
            AccountKind::Folder => match with.folder.clone().or(self.folder) {
                Some(folder) => MailboxAt::Folder(folder),
                None => return Err(AccountError::NoAccount),
            },
            AccountKind::Google => MailboxAt::Google {
                is_named: self.token.is_some(),
                token: self
                    .token
                    .or_else(|| with.usual_token.clone())
                    .ok_or_else(|| {
                        AccountError::Unusable("there is no home folder; set `token`".into())
                    })?,
            },
            AccountKind::Imap => MailboxAt::Imap(Box::new(MailServers {
                imap: self.imap,
                smtp: self.smtp,
                user: self.user,
                password_env: self.password_env,
                password_cmd: self.password_cmd,
            })),
        };
        let calendar = match (&with.calendar, self.calendar, named) {
            (Some(folder), _, _) => Some(CalendarAt::Folder(folder.clone())),
            (None, Some((id, _)), AccountKind::Google) => Some(CalendarAt::Google(id)),
            (None, None, AccountKind::Google) => Some(CalendarAt::Google("primary".into())),
            (None, Some((_, folder)), _) => Some(CalendarAt::Folder(folder)),
            (None, None, _) => None,
        };
        Ok(MailAccount {
            kind,
            owner,
            calendar,
            zone: self.zone,
            settings,
            is_offline: with.is_offline,
        })
    }
}

impl MailHost {
    fn take(&mut self, key: &str, value: &Json) -> Result<(), SettingProblem> {
        match key {
            "host" => {
                let host = value.as_str().filter(|host| !host.is_empty());
                self.host = Some(
                    host.ok_or(SettingProblem::Not("the name of a server"))?
                        .to_owned(),
                );
            }
            "port" => {
                let port = value.as_u64().and_then(|port| u16::try_from(port).ok());
                self.port = Some(port.ok_or(SettingProblem::Not("a port"))?);
            }
            "security" => {
                self.security = match value.as_str() {
                    Some("tls") => Encryption::Tls,
                    Some("starttls") => Encryption::StartTls,
                    Some("plain") => Encryption::Plain,
                    _ => return Err(SettingProblem::Not("\"tls\", \"starttls\" or \"plain\"")),
                }
            }
            _ => return Err(SettingProblem::Unknown),
        }
        Ok(())
    }
}

impl SettingProblem {
    fn message(&self, key: &str) -> String {
        match self {
            Self::Unknown => format!(
                "unknown key `{key}`{}",
                did_you_mean::hint(key, KEYS.split(' '))
            ),
            Self::Not(wanted) => format!("`{key}` must be {wanted}"),
            Self::Because(why) => format!("`{key}`: {why}"),
        }
    }
}

fn hours(text: &str) -> Option<(Time, Time)> {
    let (start, end) = text.split_once('-')?;
    let time = |text: &str| Time::strptime("%H:%M", text.trim()).ok();
    let (start, end) = (time(start)?, time(end)?);
    (start < end).then_some((start, end))
}

fn days(value: &Json) -> Option<Vec<Weekday>> {
    let day = |value: &Json| {
        let name = value.as_str()?.to_lowercase();
        let mut known = DAYS.iter();
        known.find(|(day, _)| *day == name).map(|(_, day)| *day)
    };
    value.as_array()?.iter().map(day).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_go_forward() {
        assert!(hours("09:00-17:30").is_some());
        assert!(hours("17:00-09:00").is_none());
        assert!(hours("nine to five").is_none());
    }

    #[test]
    fn days_are_known_by_three_letters() {
        let read = days(&serde_json::json!(["Mon", "sun"]));
        assert_eq!(read, Some(vec![Weekday::Monday, Weekday::Sunday]));
        assert_eq!(days(&serde_json::json!(["monday"])), None);
    }
}
