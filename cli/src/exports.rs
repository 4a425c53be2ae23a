//! Traces that are sent by themselves: with `OTEL_EXPORTER_OTLP_ENDPOINT` set, runs go to that collector as
//! they end. Offline nothing is sent, and a collector that is away delays or fails nothing.

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use superstep::{
    Saver,
    sync::lock,
    trace::export::{ExportOptions, Exporter},
};

use crate::{
    args::Global,
    environment,
    error::Error,
    output::{Output, faint},
};

/// How long the end of a command waits for the collector.
const LAST_MOMENTS: Duration = Duration::from_secs(5);

/// The exporter of this process, once a run may need it.
static EXPORTER: OnceLock<Mutex<Option<Exporter>>> = OnceLock::new();

/// The saver, with its runs sent to the collector that the environment names, if it names one.
pub(crate) fn watched(saver: Arc<dyn Saver>, global: &Global) -> Result<Arc<dyn Saver>, Error> {
    let Some(options) = ExportOptions::from_vars(|name| std::env::var(name).ok())? else {
        return Ok(saver);
    };
    let environment = environment::load(global)?;
    if environment.offline.is_some() || environment.config.offline().is_some() {
        return Ok(saver);
    }
    let place = EXPORTER.get_or_init(Mutex::default);
    let mut exporter = lock(place);
    if exporter.is_none() {
        *exporter = Some(Exporter::start(options)?);
    }
    Ok(match &*exporter {
        Some(exporter) => exporter.watch(saver),
        None => saver,
    })
}

/// Sends what is left at the end of the command, and says what was not sent.
pub(crate) async fn finish(output: &Output) {
    let exporter = EXPORTER.get().and_then(|place| lock(place).take());
    let Some(exporter) = exporter else { return };
    let report = exporter.shutdown(LAST_MOMENTS).await;
    if report.dropped > 0 {
        let why = report.reason.unwrap_or_default();
        output.note(&[faint(format!(
            "{} runs were not sent to the collector: {why}",
            report.dropped
        ))]);
    }
}
