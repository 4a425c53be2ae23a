//! A meeting that is moved or cancelled: shown to a person with what it is now, changed once.
//!
//! Code puts what the meeting is into the call (`was`), so that the question about it shows what would change, and a
//! meeting that became another one meanwhile is left as it is.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use superstep::{
    Failure,
    tools::{Lost, Reconciled, ToolError},
};

use super::{
    context::CallContext,
    meeting::{described, span},
    outcome::OutcomeText,
};
use crate::{
    Address, Changed, Event, EventChange, EventId, EventLookup, Invitation, MailError, Warning,
    When, parse::one_line, prompt::gutter, services::Services, settings::Zone,
};

/// What a meeting was when its change was proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Was {
    title: String,
    when: When,
    attendees: Vec<Address>,
}

impl From<Event> for Was {
    fn from(event: Event) -> Self {
        Self {
            title: one_line(&event.title, 200),
            when: event.when,
            attendees: event.attendees,
        }
    }
}

/// A change of a meeting that was in the calendar when it was proposed.
#[derive(Clone, Debug)]
pub(crate) struct MeetingChange {
    pub(crate) change: EventChange,
    was: Was,
    zone: Zone,
}

/// Puts what the meeting is now into the arguments of a call, or why nothing is known of it.
pub(super) async fn fill_in(args: &mut Map<String, Json>, services: &Services) {
    let id = args.get("meeting").and_then(Json::as_str);
    let id = EventId(id.unwrap_or_default().to_owned());
    let was = match services.calendar.event(&id).await {
        Ok(event) => json!(Was::from(event)),
        Err(error) => Json::String(error.to_string()),
    };
    args.insert("was".into(), was);
}

impl MeetingChange {
    pub(super) fn read(args: Json, own: &Zone) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct ChangeArgs {
            meeting: String,
            start_time: Option<String>,
            end_time: Option<String>,
            timezone: Option<String>,
            was: Option<Json>,
        }
        let args: ChangeArgs = serde_json::from_value(args).map_err(|error| error.to_string())?;
        let was = match args.was {
            Some(Json::String(why)) => return Err(one_line(&why, 300)),
            was => serde_json::from_value(was.unwrap_or_default())
                .map_err(|_| "nothing is known of the meeting; propose the change again")?,
        };
        let (to, zone) = match (&args.start_time, &args.end_time) {
            (Some(start), Some(end)) => {
                let (span, zone) = span([start, end], args.timezone.as_deref(), own)?;
                let time_zone = zone.name.clone();
                (Changed::Moved { span, time_zone }, zone)
            }
            _ => (Changed::Cancelled, own.clone()),
        };
        let id = EventId(args.meeting);
        let change = EventChange { id, to };
        Ok(Self { change, was, zone })
    }

    /// What a person reads above the question.
    pub(super) fn title(&self) -> &'static str {
        match self.change.to {
            Changed::Moved { .. } => "A meeting is moved",
            Changed::Cancelled => "A meeting is cancelled",
        }
    }

    pub(super) fn meeting_title(&self) -> &str {
        &self.was.title
    }

    /// The time it had, in words.
    fn before(&self) -> String {
        match &self.was.when {
            When::Times(span) => described(*span, &self.zone),
            When::Days { first, end } => format!("{first} to before {end}, whole days"),
        }
    }

    /// The time it would have, in words.
    fn after(&self) -> Option<String> {
        match &self.change.to {
            Changed::Moved { span, .. } => Some(described(*span, &self.zone)),
            Changed::Cancelled => None,
        }
    }

    /// What would be done, in the past or not yet: `moved`, or `cancelled`.
    fn what(&self) -> String {
        let (title, before) = (&self.was.title, self.before());
        match self.after() {
            Some(after) => format!("moved `{title}` from {before} to {after}"),
            None => format!("cancelled `{title}` on {before}"),
        }
    }

    pub(super) fn describe(&self, warnings: &str) -> String {
        let mut text = format!("{warnings}{}\n\n", gutter(&self.was.title));
        match self.after() {
            Some(after) => text.push_str(&format!("Now: {}\nNew: {after}\n", self.before())),
            None => text.push_str(&format!("Cancelled: {}\n", self.before())),
        }
        for one in &self.was.attendees {
            text.push_str(&format!("- {}\n", one.email));
        }
        text
    }

    pub(super) fn invitation(&self) -> Invitation {
        let when = match self.after() {
            Some(after) => format!("{after} (now: {})", self.before()),
            None => format!("cancelled: {}", self.before()),
        };
        Invitation {
            title: self.was.title.clone(),
            when,
            attendees: self.was.attendees.clone(),
            ..Invitation::default()
        }
    }

    pub(super) fn preview(&self) -> String {
        format!("nothing was changed; it would have {}", self.what())
    }

    pub(super) fn warnings(&self, context: &CallContext) -> Vec<Warning> {
        context.warnings()
    }

    pub(super) async fn run(&self, context: &CallContext, call: &str) -> Result<String, ToolError> {
        let calendar = &context.services.calendar;
        let now = calendar.event(&self.change.id).await;
        let failed = |error: MailError| match error {
            MailError::Busy { .. } | MailError::Auth { .. } | MailError::Unreachable { .. } => {
                ToolError::Stopped(error.failure())
            }
            error => ToolError::Failed(format!("not changed: {error}")),
        };
        if Was::from(now.map_err(failed)?) != self.was {
            return Err(ToolError::failed(
                "not changed: the meeting is not what it was when this was approved. Look at the calendar again",
            ));
        }
        let what = self.what();
        let is_known = context.begin(call, &what).await?;
        match calendar.change(&self.change).await {
            Ok(()) => context.made(call, what).await,
            Err(error @ MailError::Unreachable { .. }) => {
                Err(context.lost(call, &what, error.to_string()).await)
            }
            Err(error) => {
                context.not_made(call, is_known).await?;
                Err(failed(error))
            }
        }
    }

    pub(super) async fn look_up(
        &self,
        context: &CallContext,
        call: &str,
    ) -> Result<Reconciled, Failure> {
        let calendar = &context.services.calendar;
        let found = match calendar.look_up_change(&self.change).await {
            Ok(EventLookup::Made(_)) => Reconciled::Happened(self.what().into()),
            Ok(EventLookup::NotMade) => Reconciled::NotHappened("it is as it was".into()),
            Ok(EventLookup::Unsure { why }) => Reconciled::Unsure(why),
            Err(error) => Reconciled::Unsure(error.to_string()),
        };
        context.looked(call, &self.what(), found).await
    }

    pub(super) fn outcome(&self, lost: &Lost) -> OutcomeText {
        OutcomeText {
            title: "Was this meeting changed?",
            args: json!({"meeting": self.change.id, "title": self.was.title}),
            text: format!(
                "{}\n\nThe calendar did not confirm it: {}.\n\n\
                 accept: it was not, change it now\n\
                 ignore: leave it as it is\n\
                 response: leave it, and tell the assistant what you found\n",
                self.what(),
                lost.known()
            ),
        }
    }

    /// The time it would have.
    pub(super) fn new_span(&self) -> Option<crate::Span> {
        match &self.change.to {
            Changed::Moved { span, .. } => Some(*span),
            Changed::Cancelled => None,
        }
    }
}
