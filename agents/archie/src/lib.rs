//! Archie: an analysis of documents, as a conversation that ends with a person's approval.
//!
//! A person states a goal and names a folder. Archie reads the documents, says what matters and what it needs to know,
//! and does what the person says next, until they approve; then it writes the result. The thread
//! survives anything: it stops at every question, and continues in another process without the folder
//! and without calling the model twice for the same turn.
//!
//! ```text
//!         ┌─► document_retrieval ─► graph_extraction ─┬─► analysis_prepare ◄─► analysis_interrupt
//! start ──┤            │                              │          └─► remember ─► end
//!         │            ▼                              └─► build_context ─► end
//!         └─────────► ask ─► end
//! ```
//!
//! | in the description of the flow | here |
//! |---|---|
//! | `AppState` | [`Analysis`] |
//! | `userInput`, `modelName` | [`Analysis::user_input`], [`Analysis::model_name`] |
//! | `fileContents` | [`Analysis::inputs`] names them; texts are in the long-term store, by hash |
//! | `analysisHistory` | [`Analysis::analysis_history`], which nodes add to |
//! | `currentAnalysisQuery` | [`Analysis::current_analysis_query`] |
//! | `analysisOutput` | [`Analysis::analysis_output`] |
//! | keywords in `userInput` at `START` | [`Analysis::current_flow`], a [`Flow`] |
//! | `readFiles` | [`Node::DocumentRetrieval`], [`documents::read`] |
//! | `AnalysisPrepareNode` | [`Node::AnalysisPrepare`] |
//! | `AnalysisInterruptNode` | [`Node::AnalysisInterrupt`] |
//! | `interrupt({ query })` | the ask [`Question`] |
//! | `Command({ resume })` | an answer to it: a string |
//! | `userIsDone` | [`approval::Keywords::judge`], for answers of the person only |
//! | `returnFinalOutput` | [`Stage::Final`] in [`Node::AnalysisPrepare`] |
//! | `callLLM` | `superstep::tools::stream_reply`, in a loop with the tools `search` and `read` |
//! | prompt types `initial`, `followup` | [`Stage`] |
//! | `persistFinalOutput` | [`result::write`] |
//!
//! Begin with [`Archie`]. The guide is `docs/archie.md`.

pub mod approval;
mod archie;
mod citation;
mod contract;
mod counted;
pub mod documents;
mod entry;
mod error;
mod explain;
mod fact;
mod failure;
mod lookup;
pub mod memory;
mod nodes;
mod progress;
mod prompts;
mod request;
pub mod result;
mod services;
mod session;
mod settings;
mod small;
mod state;
mod turn;
mod usage;

pub use archie::{Archie, Brief};
pub use contract::{ArchieAgent, MODEL_NODES};
pub use error::{Error, ErrorKind};
pub use explain::{Origin, Trace};
pub use fact::{Fact, Label};
pub use progress::{About, Notice, Progress};
pub use prompts::{Prompts, Stage};
pub use session::{ArchieSession, Begin};
pub use settings::{Attempts, MOST_DOCUMENT_TOKENS, Replies, Settings, USUAL_DOCUMENT_TOKENS};
pub use state::{Analysis, AnalysisUpdate, Flow, Kind, Node, Question};
pub use superstep::tools::guided::Profile;
pub use usage::Spent;
