//! Model of an agent that has none yet: the input of its demo gets the replies of its demo, and every other call is
//! refused, and told why. So nobody takes a written reply for one about their own question.

use superstep::{
    future::BoxFuture,
    model::{Caps, Deltas, Model, ModelError, ModelId, Request, Script},
};

use superstep_agent::{Demo, NoModel};

/// Plays a demo, and refuses everything else.
#[derive(Debug)]
pub(crate) struct Rehearsed {
    script: Script,
    /// What only the input of the demo has; one of them is in each of its calls.
    marks: &'static [&'static str],
    absent: NoModel,
}

impl Rehearsed {
    /// Plays the replies of a demo; other calls are told why there is no model.
    pub(crate) fn new(demo: &Demo, why: &str) -> Result<Self, ModelError> {
        let mut files = demo.files.iter();
        let replies = files.find(|(name, _)| *name == "replies.jsonl");
        let replies = String::from_utf8_lossy(replies.map_or(&[][..], |(_, bytes)| bytes));
        Ok(Self {
            script: Script::parse("demo", &replies)?,
            marks: demo.marks,
            absent: NoModel::new(why),
        })
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
        let said = serde_json::to_string(&request.messages).unwrap_or_default();
        match self.marks.iter().any(|mark| said.contains(mark)) {
            true => self.script.stream(request),
            false => self.absent.stream(request),
        }
    }
}
