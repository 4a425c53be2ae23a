//! Services that nodes use besides the state: the models, the settings, and limits that follow from both.

use std::sync::Arc;

use superstep::{
    NodeError,
    fs::{StopFlag, StopOnDrop},
    model::NodeModels,
    store::Blobs,
    tools::guided::Profile,
};

use crate::{
    documents::select::Room,
    prompts::Stage,
    request::{TokenLimits, at_most_a_quarter},
    settings::{MOST_DOCUMENT_TOKENS, Settings, USUAL_DOCUMENT_TOKENS},
};

/// The share of the room for documents that sections get if the model can look up the rest.
const EXCERPTS: usize = 4;

/// How long replies of small models may be: a turn, a result.
const SMALL_TURN: u32 = 800;
const SMALL_RESULT: u32 = 3_000;

/// The models, the settings, and what clients have uploaded.
pub(crate) struct Services {
    pub(crate) blobs: Option<Arc<dyn Blobs>>,
    pub(crate) models: NodeModels,
    pub(crate) settings: Settings,
}

impl Services {
    /// How many tokens the models can read and write in all, if that is known.
    fn context(&self) -> Option<usize> {
        usize::try_from(self.models.context()?).ok()
    }

    /// How the model of a stage is asked.
    pub(crate) fn profile(&self, stage: Stage) -> Profile {
        let by_model = || Profile::of(self.models.of(stage.node()).caps());
        self.settings.profile.unwrap_or_else(by_model)
    }

    /// Whether the model of a stage can look up what it is not shown.
    pub(crate) fn looks_up(&self, stage: Stage) -> bool {
        self.profile(stage) == Profile::Strong && self.models.of(stage.node()).caps().tools
    }

    /// How many tokens of documents the model gets: what was chosen, or three eighths of what it
    /// can read, which leaves a quarter for the reply and as much for the conversation. Every call costs them, so by
    /// default there are not more than [`MOST_DOCUMENT_TOKENS`].
    pub(crate) fn document_tokens(&self) -> usize {
        let part = self.context().map(|tokens| tokens / 8 * 3);
        let part = part.map(|tokens| tokens.min(MOST_DOCUMENT_TOKENS));
        let chosen = self.settings.document_tokens.or(part);
        chosen.unwrap_or(USUAL_DOCUMENT_TOKENS)
    }

    /// The room for documents in the calls of a stage.
    pub(crate) fn room(&self, stage: Stage) -> Room {
        let whole = self.document_tokens();
        Room {
            whole,
            excerpts: self.looks_up(stage).then_some(whole / EXCERPTS),
        }
    }

    /// The limits of the calls of a stage. A model on this machine gets one for its replies, as its context is small; a
    /// strong one elsewhere has its own, as a limit would cut its reasoning short.
    pub(crate) fn limits(&self, stage: Stage) -> TokenLimits {
        let context = self.context();
        let replies = &self.settings.replies;
        let is_result = matches!(stage, Stage::Final | Stage::Revise | Stage::Context);
        let (chosen, small) = match is_result {
            true => (replies.result, SMALL_RESULT),
            false => (replies.turn, SMALL_TURN),
        };
        let is_small = self.profile(stage) == Profile::Small;
        let is_local = self.models.of(stage.node()).caps().local;
        let reply = match chosen.or(is_small.then_some(small)) {
            Some(chosen) => Some(at_most_a_quarter(chosen, context)),
            None => context
                .filter(|_| is_local)
                .map(|_| at_most_a_quarter(u32::MAX, context)),
        };
        TokenLimits { context, reply }
    }
}

/// Runs blocking work on a thread of its own. Dropping the future sets its stop flag.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&StopFlag) -> T + Send + 'static,
) -> Result<T, NodeError> {
    let waiting = StopOnDrop::default();
    let stop = waiting.flag();
    Ok(tokio::task::spawn_blocking(move || work(&stop)).await?)
}
