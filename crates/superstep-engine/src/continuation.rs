//! The context and the caller of a run that begins: its own, or those of the run that it continues.

use superstep_core::{
    caller::Caller,
    error::{Error, ErrorKind},
    id::ThreadId,
    run::RunInput,
    runs::{RunQuery, RunRecord},
    saver::Saver,
    value::Value,
};

use crate::{graph::DynGraph, options::RunOptions};

/// The context and the caller that the nodes of a run see.
pub(crate) struct Identity {
    pub(crate) context: Value,
    pub(crate) caller: Caller,
}

impl DynGraph {
    /// The context and the caller of a run that begins under the lease of its thread.
    ///
    /// New input has what its options say. A run that continues its thread and brings no context has that of
    /// the run before it. Whoever answers is the caller; a run that only resumes, for no caller by name, keeps
    /// the caller of the run before it.
    pub(crate) async fn identity(
        &self,
        input: &RunInput,
        options: &RunOptions,
    ) -> Result<Identity, Error> {
        let wants_context = !matches!(input, RunInput::Value(_)) && options.context.is_null();
        let wants_caller = matches!(input, RunInput::Nothing) && options.caller.is_none();
        let looks = options.fidelity.inherits_context() && (wants_context || wants_caller);
        let before = match (&self.0.backends.saver, &options.thread) {
            (Some(saver), Some(thread)) if looks => {
                // In a box: most runs have no need of it, and all would have room for it.
                Box::pin(continued(&**saver, thread, options)).await?
            }
            _ => None,
        };
        let given = before.as_ref().and_then(RunRecord::given);
        if let (Some(run), Some(given)) = (&before, given)
            && wants_context
            && given.context_unstored
        {
            return Err(ErrorKind::ContextUnstored { run: run.id }.into());
        }
        let context = given.and_then(|given| given.context.clone());
        let caller = given.and_then(|given| given.caller.clone());
        let identity = Identity {
            context: match wants_context {
                true => context.unwrap_or_default(),
                false => options.context.clone(),
            },
            caller: match wants_caller {
                true => caller.unwrap_or_default(),
                false => options.caller.clone().unwrap_or_default(),
            },
        };
        if let Some(check) = self.0.typed.check_context {
            check(&identity.context)?;
        }
        Ok(identity)
    }
}

/// The run that a run of these options continues: the newest that began, or that began before the checkpoint
/// to continue from was made.
async fn continued(
    saver: &dyn Saver,
    thread: &ThreadId,
    options: &RunOptions,
) -> Result<Option<RunRecord>, Error> {
    let at = options.at.as_ref().and_then(|at| at.id);
    let mut query = RunQuery {
        limit: Some(1),
        ..RunQuery::default()
    };
    // One at a time: the newest is nearly always the one, and a thread may have thousands.
    while let Some(run) = saver.runs().load_runs(thread, &query).await?.pop() {
        let is_other = run.started.is_some() && Some(run.id) != options.run;
        if is_other && at.is_none_or(|at| run.mark() < at) {
            return Ok(Some(run));
        }
        query.before = Some(run.id);
    }
    Ok(None)
}
