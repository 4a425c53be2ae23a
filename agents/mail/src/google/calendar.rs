//! Google Calendar as a calendar.
//!
//! An event is made under an id of ours, the key of [`NewEvent`], by one call that is never
//! repeated: Google does not promise to notice at once that an id is taken. If its answer does not
//! come, the event is looked for by that id. One that is not there may still appear, so it is never
//! taken for not made.

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use superstep::http::Method;

use super::{
    api::{Api, Call, MAX_ANSWER},
    fault::{Failed, clean},
};
use crate::{
    Address, Busy, Calendar, Changed, Event, EventChange, EventId, EventLookup, Later, MailError,
    NewEvent, Span, When,
};

/// The most events of one stretch of time.
const MOST_EVENTS: usize = 10_000;

/// How many events are asked for at once.
const EVENTS_AT_ONCE: &str = "250";

/// A calendar at Google.
#[derive(Clone, Debug)]
pub struct GoogleCalendar {
    api: Api,
    id: String,
    zone: String,
}

impl GoogleCalendar {
    pub(super) async fn open(api: Api, id: &str) -> Result<Self, MailError> {
        let mut opened = Self {
            api,
            id: id.to_owned(),
            zone: String::new(),
        };
        let call = opened.call(Method::GET, &["events"], &[("maxResults", "1")]);
        let page: Events = opened.api.repeat(call).await.map_err(Failed::error)?;
        if TimeZone::get(&page.time_zone).is_err() {
            return Err(opened.malformed("the calendar", "its time zone is not known here"));
        }
        opened.zone = page.time_zone;
        Ok(opened)
    }

    fn call(&self, method: Method, path: &[&str], query: &[(&str, &str)]) -> Call {
        let mut whole = vec!["calendar", "v3", "calendars", &self.id];
        whole.extend(path);
        Call {
            method,
            url: self.api.url(&whole, query),
            body: None,
            limit: MAX_ANSWER,
            what: format!("calendar {}", self.id),
        }
    }

    fn malformed(&self, what: &str, why: &str) -> MailError {
        MailError::Malformed {
            what: format!("{what} of {}", self.place()),
            why: why.to_owned(),
        }
    }

    async fn between(&self, span: Span) -> Result<Vec<Event>, MailError> {
        let (from, to) = (span.start.to_string(), span.end.to_string());
        let mut found = Vec::new();
        let mut next: Option<String> = None;
        loop {
            let mut asked = vec![
                ("singleEvents", "true"),
                ("orderBy", "startTime"),
                ("timeMin", from.as_str()),
                ("timeMax", to.as_str()),
                ("maxResults", EVENTS_AT_ONCE),
            ];
            if let Some(token) = &next {
                asked.push(("pageToken", token));
            }
            let call = self.call(Method::GET, &["events"], &asked);
            let page: Events = self.api.repeat(call).await.map_err(Failed::error)?;
            for entry in page.items {
                if entry.status != "cancelled" {
                    found.push(self.read_event(entry)?);
                }
            }
            if found.len() > MOST_EVENTS {
                return Err(MailError::Refused {
                    place: self.place(),
                    why: format!("more than {MOST_EVENTS} events; ask for less time"),
                });
            }
            match page.next_page_token {
                Some(token) if Some(&token) != next.as_ref() => next = Some(token),
                _ => return Ok(found),
            }
        }
    }

    fn read_event(&self, entry: Entry) -> Result<Event, MailError> {
        let when = match (&entry.start, &entry.end) {
            (Some(start), Some(end)) => when(start, end),
            _ => None,
        };
        let when = when.ok_or_else(|| {
            let what = format!("event {}", clean(&entry.id));
            self.malformed(&what, "its times are not understood")
        })?;
        let declined = |guest: &Guest| guest.is_self && guest.response_status == "declined";
        Ok(Event {
            id: EventId(entry.id),
            title: entry.summary,
            when,
            is_free: entry.transparency == "transparent" || entry.attendees.iter().any(declined),
            attendees: entry
                .attendees
                .into_iter()
                .filter_map(Guest::address)
                .collect(),
        })
    }

    async fn free_busy(&self, span: Span) -> Result<Vec<Busy>, MailError> {
        let call = Call {
            method: Method::POST,
            url: self.api.url(&["calendar", "v3", "freeBusy"], &[]),
            body: Some(json!({
                "timeMin": span.start.to_string(), "timeMax": span.end.to_string(),
                "items": [{"id": self.id}],
            })),
            limit: MAX_ANSWER,
            what: format!("calendar {}", self.id),
        };
        let answer: FreeBusy = self.api.repeat(call).await.map_err(Failed::error)?;
        let own = answer.calendars.get(&self.id).cloned().unwrap_or_default();
        let calendar: BusyCalendar = serde_json::from_value(own)
            .map_err(|_| self.malformed("the answer", "it says nothing about the calendar"))?;
        if let Some(error) = calendar.errors.first() {
            // A calendar that cannot be read has no free time in it.
            return Err(match error.reason.as_str() {
                "notFound" => MailError::Missing {
                    place: self.place(),
                    what: format!("calendar {}", self.id),
                },
                reason => MailError::Refused {
                    place: self.place(),
                    why: clean(reason),
                },
            });
        }
        let busy = calendar.busy.into_iter().map(|period| Busy {
            span: Span {
                start: period.start,
                end: period.end,
            },
        });
        Ok(busy.collect())
    }

    async fn make(&self, event: &NewEvent) -> Result<EventId, MailError> {
        let [start, end] = self.points(event.span, &event.time_zone)?;
        let guest = |guest: &Address| match &guest.name {
            Some(name) => json!({"email": guest.email, "displayName": name}),
            None => json!({"email": guest.email}),
        };
        let guests: Vec<Json> = event.attendees.iter().map(guest).collect();
        let updates = if guests.is_empty() { "none" } else { "all" };
        let mut call = self.call(Method::POST, &["events"], &[("sendUpdates", updates)]);
        let mut body = json!({
            "id": event.key, "summary": event.title, "start": start, "end": end,
            "attendees": guests,
        });
        for (name, text) in [("location", &event.location), ("description", &event.note)] {
            if let (Some(fields), Some(text)) = (body.as_object_mut(), text) {
                fields.insert(name.into(), text.clone().into());
            }
        }
        call.body = Some(body);
        match self.api.once::<Made>(&call).await {
            Ok(made) => Ok(EventId(made.id)),
            Err(Failed::Duplicate(_)) => self.made(&event.key).await,
            Err(Failed::Refused(error)) => Err(error),
            Err(Failed::Unsure(error)) => {
                let made = self.made(&event.key).await;
                made.map_err(|_| self.unsure(error))
            }
        }
    }

    /// The beginning and the end of a stretch of time, as the service takes them.
    fn points(&self, span: Span, time_zone: &str) -> Result<[Json; 2], MailError> {
        let zone = TimeZone::get(time_zone).map_err(|_| MailError::Refused {
            place: self.place(),
            why: format!("{} is no time zone that is known here", clean(time_zone)),
        })?;
        Ok([span.start, span.end].map(|at: Timestamp| {
            let local = at.to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z");
            json!({"dateTime": local.to_string(), "timeZone": time_zone})
        }))
    }

    /// An event that is there now.
    async fn get(&self, id: &str) -> Result<Event, MailError> {
        let mut call = self.call(Method::GET, &["events", id], &[]);
        call.what = format!("event {}", clean(id));
        let entry: Entry = self.api.repeat(call).await.map_err(Failed::error)?;
        match entry.status.as_str() {
            "cancelled" => Err(MailError::Missing {
                place: self.place(),
                what: format!("event {}", clean(id)),
            }),
            _ => self.read_event(entry),
        }
    }

    /// Changes an event by one call that is never repeated; those who come are told.
    async fn changed(&self, change: &EventChange) -> Result<(), MailError> {
        let id = change.id.0.as_str();
        let query = [("sendUpdates", "all")];
        let (method, body) = match &change.to {
            Changed::Moved { span, time_zone } => {
                let [start, end] = self.points(*span, time_zone)?;
                (Method::PATCH, Some(json!({"start": start, "end": end})))
            }
            Changed::Cancelled => (Method::DELETE, None),
        };
        let is_cancelled = change.to == Changed::Cancelled;
        let mut call = self.call(method, &["events", id], &query);
        call.body = body;
        call.what = format!("event {}", clean(id));
        match self.api.once::<Json>(&call).await {
            Ok(_) => Ok(()),
            // One that is gone is cancelled already.
            Err(Failed::Refused(MailError::Missing { .. })) if is_cancelled => Ok(()),
            Err(Failed::Unsure(error)) => match self.look_up_change(change).await {
                Ok(EventLookup::Made(_)) => Ok(()),
                _ => Err(self.unsure(error)),
            },
            Err(failed) => Err(failed.error()),
        }
    }

    /// That an event may have been made, whatever the answer was.
    fn unsure(&self, error: MailError) -> MailError {
        match error {
            MailError::Unreachable { .. } => error,
            error => MailError::Unreachable {
                place: self.place(),
                why: error.to_string(),
            },
        }
    }

    /// One look for an event among those that are there.
    async fn find(&self, event: &NewEvent) -> Result<Option<EventLookup>, MailError> {
        match self.made(&event.key).await {
            Ok(id) => Ok(Some(EventLookup::Made(id))),
            Err(MailError::Missing { .. }) => Ok(None),
            Err(MailError::Refused { why, .. }) => Ok(Some(EventLookup::Unsure { why })),
            Err(error) => Err(error),
        }
    }

    /// The event of an earlier attempt.
    async fn made(&self, key: &str) -> Result<EventId, MailError> {
        let mut call = self.call(Method::GET, &["events", key], &[]);
        call.what = format!("event {key}");
        let entry: Entry = self.api.repeat(call).await.map_err(Failed::error)?;
        if entry.status == "cancelled" {
            return Err(MailError::Refused {
                place: self.place(),
                why: "the event was made before and has been deleted since".into(),
            });
        }
        Ok(EventId(entry.id))
    }
}

impl Calendar for GoogleCalendar {
    fn place(&self) -> String {
        self.api.place.into()
    }

    fn time_zone(&self) -> String {
        self.zone.clone()
    }

    fn invites(&self) -> bool {
        true
    }

    fn events(&self, span: Span) -> Later<'_, Result<Vec<Event>, MailError>> {
        Box::pin(self.between(span))
    }

    fn busy(&self, span: Span) -> Later<'_, Result<Vec<Busy>, MailError>> {
        Box::pin(self.free_busy(span))
    }

    fn event<'a>(&'a self, id: &'a EventId) -> Later<'a, Result<Event, MailError>> {
        Box::pin(self.get(&id.0))
    }

    fn change<'a>(&'a self, change: &'a EventChange) -> Later<'a, Result<(), MailError>> {
        Box::pin(self.changed(change))
    }

    fn insert<'a>(&'a self, event: &'a NewEvent) -> Later<'a, Result<EventId, MailError>> {
        Box::pin(self.make(event))
    }

    fn look_up<'a>(&'a self, event: &'a NewEvent) -> Later<'a, Result<EventLookup, MailError>> {
        Box::pin(async move {
            if let Some(found) = self.find(event).await? {
                return Ok(found);
            }
            // What was on its way when the answer broke off is there soon.
            tokio::time::sleep(self.api.settings.settle).await;
            let found = self.find(event).await?;
            Ok(found.unwrap_or_else(|| EventLookup::Unsure {
                why: "Google Calendar does not show it; what was made may show late".into(),
            }))
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Events {
    time_zone: String,
    #[serde(default)]
    items: Vec<Entry>,
    #[serde(default)]
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
struct Made {
    id: String,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    transparency: String,
    start: Option<Point>,
    end: Option<Point>,
    #[serde(default)]
    attendees: Vec<Guest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Point {
    #[serde(default)]
    date: Option<String>,
    #[serde(default)]
    date_time: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Guest {
    email: Option<String>,
    display_name: Option<String>,
    response_status: String,
    #[serde(rename = "self")]
    is_self: bool,
}

impl Guest {
    /// Some guests hide who they are.
    fn address(self) -> Option<Address> {
        Some(Address {
            name: self.display_name,
            email: self.email?,
        })
    }
}

#[derive(Deserialize)]
struct FreeBusy {
    #[serde(default)]
    calendars: serde_json::Map<String, Json>,
}

#[derive(Deserialize)]
struct BusyCalendar {
    #[serde(default)]
    busy: Vec<Period>,
    #[serde(default)]
    errors: Vec<FreeBusyError>,
}

#[derive(Deserialize)]
struct FreeBusyError {
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
struct Period {
    start: Timestamp,
    end: Timestamp,
}

fn when(start: &Point, end: &Point) -> Option<When> {
    if let (Some(first), Some(end)) = (&start.date, &end.date) {
        let (first, end): (Date, Date) = (first.parse().ok()?, end.parse().ok()?);
        return Some(When::Days { first, end });
    }
    let start = start.date_time.as_deref()?.parse().ok()?;
    let end = end.date_time.as_deref()?.parse().ok()?;
    Some(When::Times(Span { start, end }))
}
