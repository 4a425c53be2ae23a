//! `GET /metrics`: what the server does, for Prometheus or as JSON.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use axum::{
    extract::State,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::{app::App, refusal::answer, request::query::Params};

/// `GET /metrics`
pub(crate) async fn get(State(app): State<Arc<App>>, params: Params) -> Response {
    let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let counts = &app.counts;
    let (accepted, begun, worked) = (
        read(&counts.accepted),
        read(&counts.begun),
        read(&counts.worked),
    );
    let corrected = read(&counts.corrected);
    let most = u64::try_from(app.runs_at_once).unwrap_or(u64::MAX);
    let active = begun.saturating_sub(worked).min(most);
    let available = most - active;
    if params.get("format") == Some("json") {
        return answer(&json!({
            "workers": { "max": most, "active": active, "available": available },
            "runs": { "accepted": accepted, "begun": begun, "worked": worked },
            "schedules": { "corrected": corrected },
        }));
    }
    let mut text = String::new();
    for (name, kind, about, value) in [
        (
            "lg_api_workers_max",
            "gauge",
            "Runs that may be executed at once",
            most,
        ),
        (
            "lg_api_workers_active", "gauge", "Runs that are being executed", active,
        ),
        (
            "lg_api_workers_available", "gauge", "Runs that may begin", available,
        ),
        (
            "superstep_runs_accepted_total",
            "counter",
            "Runs that were accepted",
            accepted,
        ),
        (
            "superstep_runs_begun_total", "counter", "Runs that began", begun,
        ),
        (
            "superstep_runs_worked_total", "counter", "Runs that came to an end", worked,
        ),
        (
            "superstep_schedules_corrected_total",
            "counter",
            "Schedules whose next time a wrong clock had put too far away",
            corrected,
        ),
    ] {
        // Writing to a text does not fail.
        let _written = write!(
            text,
            "# HELP {name} {about}\n# TYPE {name} {kind}\n{name} {value}\n"
        );
    }
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(CONTENT_TYPE, kind)], text).into_response()
}
