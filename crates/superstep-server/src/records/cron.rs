//! A schedule by which runs are started, as it is recorded.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use superstep::schedules::{CronSchedule, NoSchedule, next_due};

use crate::{
    refusal::Refusal,
    time::{self, Micros},
};

/// Microseconds of a millisecond.
const MILLI: Micros = 1000;

/// A schedule by which runs are started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cron {
    pub(crate) assistant_id: String,
    /// The thread of its runs; each has one of its own without.
    pub(crate) thread_id: Option<String>,
    pub(crate) schedule: String,
    pub(crate) timezone: Option<String>,
    pub(crate) end_time: Option<Micros>,
    /// What a client asks of each run.
    pub(crate) payload: Map<String, Json>,
    pub(crate) metadata: Map<String, Json>,
    pub(crate) keeps_threads: bool,
    pub(crate) enabled: bool,
    /// When the next run is due; never if there is none.
    pub(crate) next: Option<Micros>,
    pub(crate) created: Micros,
    pub(crate) updated: Micros,
    /// Whose it is, and whose its runs are; everybody's without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
}

impl Cron {
    /// When it is due after a time; an error if its schedule or its time zone cannot be read.
    pub(crate) fn due_after(&self, after: Micros) -> Result<Option<Micros>, Refusal> {
        let times = CronSchedule {
            zone: self.timezone.clone().unwrap_or_else(|| "UTC".to_owned()),
            end: self.end_time.map(|end| end.div_euclid(MILLI)),
            ..CronSchedule::new("", &*self.schedule)
        };
        let next = next_due(&times, after.div_euclid(MILLI)).map_err(|no| match no {
            NoSchedule::Zone(name) => Refusal::invalid(format!("`timezone` {name:?} is not known")),
            no => {
                let (text, why) = (&self.schedule, reason(no));
                Refusal::invalid(format!("Invalid cron schedule: '{text}'. Reason: {why}"))
            }
        })?;
        Ok(next.map(|next| next.saturating_mul(MILLI)))
    }

    /// When it is due, if the recorded time is farther away than the schedule could put it: a clock that was ahead for
    /// a moment had recorded it. The next time but one is not too far, so a clock that steps back repeats nothing.
    pub(crate) fn corrected(&self, now: Micros) -> Option<Micros> {
        let first = self.due_after(now).ok()??;
        let second = self.due_after(first).ok()??;
        (self.next? > second).then_some(first)
    }

    /// As clients see it.
    pub(crate) fn shown(&self, id: &str) -> Json {
        json!({
            "cron_id": id,
            "assistant_id": self.assistant_id,
            "thread_id": self.thread_id,
            "user_id": self.owner.as_deref().unwrap_or_default(),
            "end_time": self.end_time.map(time::text),
            "schedule": self.schedule,
            "timezone": self.timezone,
            "payload": self.payload,
            "metadata": self.metadata,
            "on_run_completed": if self.keeps_threads { "keep" } else { "delete" },
            "enabled": self.enabled,
            "next_run_date": self.next.map(time::text),
            "created_at": time::text(self.created),
            "updated_at": time::text(self.updated),
        })
    }
}

fn reason(no: NoSchedule) -> String {
    match no {
        NoSchedule::Cron { why, .. } => why,
        no => no.to_string(),
    }
}
