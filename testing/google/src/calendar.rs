//! Google Calendar with one calendar in it, as far as an assistant uses it.

use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Map, Value as Json, json};
use superstep_loopback::Request;

use crate::{
    repeat::{self, Times},
    wire::Answer,
};

/// What is in the calendar.
pub(crate) struct Events {
    owner: String,
    zone: String,
    events: Vec<Json>,
    invited: Vec<(String, String)>,
    next: u64,
}

impl Events {
    pub(crate) fn new(owner: String, zone: String) -> Self {
        Self {
            owner,
            zone,
            events: Vec::new(),
            invited: Vec::new(),
            next: 1,
        }
    }

    pub(crate) fn put(&mut self, event: Json) -> Json {
        let mut event = event;
        if let Json::Object(fields) = &mut event {
            let id = format!("event{}", self.next);
            self.next += 1;
            fields.entry("id").or_insert_with(|| id.into());
            fields.entry("status").or_insert_with(|| "confirmed".into());
            fields
                .entry("kind")
                .or_insert_with(|| "calendar#event".into());
            let organizer = json!({"email": self.owner, "self": true});
            fields.entry("organizer").or_insert(organizer);
        }
        self.events.push(event.clone());
        event
    }

    pub(crate) fn all(&self) -> Vec<Json> {
        self.events.clone()
    }

    pub(crate) fn invited(&self) -> Vec<(String, String)> {
        self.invited.clone()
    }

    fn zone(&self) -> TimeZone {
        TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC)
    }

    fn is_mine(&self, calendar: &str) -> bool {
        calendar == "primary" || calendar == self.owner
    }

    fn find(&mut self, id: &str) -> Option<&mut Json> {
        let mut events = self.events.iter_mut();
        events.find(|event| text(event, "id") == id)
    }

    /// What is between two times, with its times, by start.
    fn between(&self, from: Option<Timestamp>, to: Option<Timestamp>) -> Vec<(Times, Json)> {
        let zone = self.zone();
        let to = to.unwrap_or(Timestamp::MAX);
        let from = from.unwrap_or(Timestamp::MIN);
        let mut found: Vec<(Times, Json)> = self
            .events
            .iter()
            .filter(|event| text(event, "status") != "cancelled")
            .flat_map(|event| repeat::instances(event, &zone, to))
            .filter_map(|event| Some((repeat::times(&event, &zone)?, event)))
            .filter(|(times, _)| times.end > from && times.start < to)
            .collect();
        found.sort_by_key(|(times, _)| times.start);
        found
    }
}

pub(crate) fn answer(events: &mut Events, request: &Request, path: &[&str]) -> Answer {
    if let ["calendars", calendar, ..] = path
        && !events.is_mine(calendar)
    {
        return missing();
    }
    match (request.method.as_str(), path) {
        ("GET", ["users", "me", "calendarList"]) => calendars(events),
        ("POST", ["freeBusy"]) => free_busy(events, &request.body),
        ("GET", ["calendars", _, "events"]) => list(events, request),
        ("POST", ["calendars", _, "events"]) => insert(events, request),
        ("GET", ["calendars", _, "events", id]) => match events.find(id) {
            Some(event) => Answer::ok(event),
            None => missing(),
        },
        ("PATCH", ["calendars", _, "events", id]) => patch(events, &request.body, id),
        ("DELETE", ["calendars", _, "events", id]) => delete(events, id),
        _ => missing(),
    }
}

fn calendars(events: &Events) -> Answer {
    Answer::ok(&json!({"kind": "calendar#calendarList", "items": [{
        "id": events.owner, "summary": events.owner, "primary": true,
        "accessRole": "owner", "timeZone": events.zone,
    }]}))
}

fn list(events: &Events, request: &Request) -> Answer {
    let is_expanded = request.query_value("singleEvents").as_deref() == Some("true");
    if request.query_value("orderBy").as_deref() == Some("startTime") && !is_expanded {
        let why = "The requested ordering is not available for the particular query.";
        return Answer::refused(400, "badRequest", why);
    }
    let (Ok(from), Ok(to)) = (
        time(request.query_value("timeMin")),
        time(request.query_value("timeMax")),
    ) else {
        return Answer::refused(400, "badRequest", "Bad Request");
    };
    let found: Vec<Json> = if is_expanded {
        let found = events.between(from, to);
        found.into_iter().map(|(_, event)| event).collect()
    } else {
        events.all()
    };
    let size = request
        .query_value("maxResults")
        .and_then(|size| size.parse().ok());
    let size: usize = size.unwrap_or(250).clamp(1, 2500);
    let start = request.query_value("pageToken").unwrap_or_default();
    let start: usize = start
        .strip_prefix("at-")
        .and_then(|at| at.parse().ok())
        .unwrap_or(0);
    let shown: Vec<Json> = found.iter().skip(start).take(size).cloned().collect();
    let end = start + shown.len();
    let mut shown_body = Map::new();
    shown_body.insert("kind".into(), "calendar#events".into());
    shown_body.insert("summary".into(), events.owner.clone().into());
    shown_body.insert("timeZone".into(), events.zone.clone().into());
    shown_body.insert("items".into(), shown.into());
    if end < found.len() {
        shown_body.insert("nextPageToken".into(), format!("at-{end}").into());
    }
    Answer::ok(&shown_body.into())
}

fn insert(events: &mut Events, request: &Request) -> Answer {
    let zone = events.zone();
    let Some(times) = repeat::times(&request.body, &zone) else {
        return Answer::refused(400, "required", "Missing end time.");
    };
    if times.end < times.start {
        let why = "The specified time range is empty.";
        return Answer::refused(400, "timeRangeEmpty", why);
    }
    if let Some(id) = request.body.get("id").and_then(Json::as_str) {
        let is_fit = id.chars().all(|c| matches!(c, 'a'..='v' | '0'..='9'));
        if !is_fit || !(5..=1024).contains(&id.len()) {
            return Answer::refused(400, "invalid", "Invalid resource id value.");
        }
        if events.find(id).is_some() {
            let why = "The requested identifier already exists.";
            return Answer::refused(409, "duplicate", why);
        }
    }
    let event = events.put(request.body.clone());
    if request.query_value("sendUpdates").as_deref() == Some("all") {
        let guests = event.get("attendees").and_then(Json::as_array);
        for guest in guests.into_iter().flatten() {
            events
                .invited
                .push((text(&event, "id"), text(guest, "email")));
        }
    }
    Answer::ok(&event)
}

fn patch(events: &mut Events, body: &Json, id: &str) -> Answer {
    let (Some(Json::Object(event)), Json::Object(changes)) = (events.find(id), body) else {
        return missing();
    };
    for (name, value) in changes {
        event.insert(name.clone(), value.clone());
    }
    Answer::ok(&Json::Object(event.clone()))
}

fn delete(events: &mut Events, id: &str) -> Answer {
    let Some(Json::Object(event)) = events.find(id) else {
        return missing();
    };
    if event.get("status").and_then(Json::as_str) == Some("cancelled") {
        return Answer::refused(410, "deleted", "Resource has been deleted");
    }
    // The id stays taken, as the service keeps it.
    event.insert("status".into(), "cancelled".into());
    Answer::empty()
}

fn free_busy(events: &Events, body: &Json) -> Answer {
    let given = |name: &str| {
        let text = body.get(name).and_then(Json::as_str);
        text.and_then(|text| text.parse::<Timestamp>().ok())
    };
    let (Some(from), Some(to)) = (given("timeMin"), given("timeMax")) else {
        return Answer::refused(400, "badRequest", "Bad Request");
    };
    let mut calendars = Map::new();
    let items = body.get("items").and_then(Json::as_array);
    for item in items.into_iter().flatten() {
        let id = text(item, "id");
        let shown_body = if events.is_mine(&id) {
            json!({"busy": busy(events, from, to)})
        } else {
            json!({"errors": [{"domain": "global", "reason": "notFound"}], "busy": []})
        };
        calendars.insert(id, shown_body);
    }
    Answer::ok(&json!({
        "kind": "calendar#freeBusy", "timeMin": from.to_string(), "timeMax": to.to_string(),
        "calendars": calendars,
    }))
}

fn busy(events: &Events, from: Timestamp, to: Timestamp) -> Vec<Json> {
    let mut spans: Vec<Times> = Vec::new();
    for (times, event) in events.between(Some(from), Some(to)) {
        if text(&event, "transparency") == "transparent" {
            continue;
        }
        let (start, end) = (times.start.max(from), times.end.min(to));
        match spans.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => spans.push(Times { start, end }),
        }
    }
    let shown =
        |span: &Times| json!({"start": span.start.to_string(), "end": span.end.to_string()});
    spans.iter().map(shown).collect()
}

fn time(text: Option<String>) -> Result<Option<Timestamp>, jiff::Error> {
    text.map(|text| text.parse()).transpose()
}

fn text(value: &Json, name: &str) -> String {
    let text = value.get(name).and_then(Json::as_str);
    text.unwrap_or_default().to_owned()
}

fn missing() -> Answer {
    Answer::refused(404, "notFound", "Not Found")
}
