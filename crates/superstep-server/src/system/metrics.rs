//! `GET /metrics`: what the server does, for Prometheus or as JSON.

use std::{
    fmt::{Display, Write as _},
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
    let gauges = [
        (
            "lg_api_workers_max",
            "Runs that may be executed at once",
            most,
        ),
        (
            "lg_api_workers_active", "Runs that are being executed", active,
        ),
        ("lg_api_workers_available", "Runs that may begin", available),
    ];
    for (name, about, value) in gauges {
        write(&mut text, name, "gauge", about, value);
    }
    let counters = [
        (
            "superstep_runs_accepted_total",
            "Runs that were accepted",
            accepted,
        ),
        ("superstep_runs_begun_total", "Runs that began", begun),
        (
            "superstep_runs_worked_total", "Runs that came to an end", worked,
        ),
        (
            "superstep_runs_failed_total",
            "Runs that failed",
            read(&counts.failed_runs),
        ),
        (
            "superstep_steps_total",
            "Steps of runs and subgraphs",
            counts.steps.count(),
        ),
        (
            "superstep_model_calls_total",
            "Calls of models",
            counts.model_calls.count(),
        ),
        (
            "superstep_model_calls_failed_total",
            "Calls of models that failed",
            read(&counts.failed_calls),
        ),
        (
            "superstep_model_input_tokens_total",
            "Tokens that models read, cached ones included",
            read(&counts.input_tokens),
        ),
        (
            "superstep_model_output_tokens_total",
            "Tokens that models wrote",
            read(&counts.output_tokens),
        ),
        (
            "superstep_model_cost_micro_usd_total",
            "Known cost of calls of models, in millionths of a dollar",
            read(&counts.micro_usd),
        ),
        (
            "superstep_schedules_corrected_total",
            "Schedules whose next time a wrong clock had put too far away",
            corrected,
        ),
    ];
    for (name, about, value) in counters {
        write(&mut text, name, "counter", about, value);
    }
    let times = [
        (
            "superstep_run_seconds_total",
            "Time that runs took, without their sleep",
            &counts.runs,
        ),
        (
            "superstep_step_seconds_total", "Time that steps took", &counts.steps,
        ),
        (
            "superstep_model_call_seconds_total",
            "Time that calls of models took",
            &counts.model_calls,
        ),
    ];
    for (name, about, timed) in times {
        write(&mut text, name, "counter", about, timed.seconds());
    }
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(CONTENT_TYPE, kind)], text).into_response()
}

fn write(text: &mut String, name: &str, kind: &str, about: &str, value: impl Display) {
    // Writing to a text does not fail.
    let _written = write!(
        text,
        "# HELP {name} {about}\n# TYPE {name} {kind}\n{name} {value}\n"
    );
}
