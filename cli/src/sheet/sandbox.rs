//! The sandbox that runs programs: chosen by name, or the embedded one. Its worker is this binary.

use std::sync::Arc;

use superstep_sheets::sandbox::{
    Availability, Calculator, Embedded, Sandbox, SandboxError, Worker, sandbox, sandboxes,
};

use crate::error::Error;

/// The command by which this binary becomes the worker of a sandbox; not for people.
pub(crate) const WORKER: &str = "__sandbox-worker";

/// Opens a sandbox. One that cannot be used here is refused before a model is asked for programs.
pub(super) fn open(name: Option<&str>) -> Result<Arc<dyn Sandbox>, Error> {
    let worker = Worker::this_program(WORKER)?;
    let opened = sandbox(name.unwrap_or(Embedded::NAME), &worker);
    let opened = opened.map_err(superstep_sheets::Error::from)?;
    if let Availability::Missing { why } = opened.available() {
        let sandbox = opened.name();
        let error = SandboxError::Unavailable { sandbox, why };
        return Err(superstep_sheets::Error::from(error).into());
    }
    Ok(Arc::from(opened))
}

/// What calculates formulas, contained.
pub(super) fn calculator() -> Result<Calculator, Error> {
    Ok(Calculator::new(Worker::this_program(WORKER)?))
}

/// All sandboxes, each tried with a program.
pub(crate) async fn tried() -> Result<Vec<(&'static str, Availability)>, Error> {
    let worker = Worker::this_program(WORKER)?;
    let mut all = Vec::new();
    for sandbox in sandboxes(&worker) {
        all.push((sandbox.name(), sandbox.tried().await));
    }
    Ok(all)
}
