//! Model of an agent that has none yet: the input of its demo gets the replies of its demo, and every other call is
//! refused, and told why. So nobody takes a written reply for one about their own question.

use superstep::{
    future::BoxFuture,
    model::{Caps, Deltas, Model, ModelError, ModelId, Request, Script},
};

use superstep_agent::NoModel;

/// Plays a demo, and refuses everything else.
#[derive(Debug)]
pub(crate) struct Rehearsed {
    script: Script,
    /// What only the input of the demo has; one of them is in each of its calls.
    marks: &'static [&'static str],
    absent: NoModel,
}

impl Rehearsed {
    /// Plays a script to calls that have one of the marks; others are told why there is no model.
    pub(crate) fn new(
        script: &str,
        marks: &'static [&'static str],
        why: &str,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            script: Script::parse("demo", script)?,
            marks,
            absent: NoModel::new(why),
        })
    }

    fn is_of_demo(&self, request: &Request) -> bool {
        let said = serde_json::to_string(&request.messages).unwrap_or_default();
        self.marks.iter().any(|mark| said.contains(mark))
    }
}

impl Model for Rehearsed {
    fn id(&self) -> &ModelId {
        self.script.id()
    }

    fn caps(&self) -> Caps {
        self.script.caps()
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        match self.is_of_demo(request) {
            true => self.script.stream(request),
            false => self.absent.stream(request),
        }
    }
}
