//! Asking a small model for one thing at a time, and checking what comes back.
//!
//! A model of a few billion parameters sorts, fills in forms and words a decision; it does not plan, weigh or keep facts apart
//! over several turns. So the program does these: it decides what is asked next, and it holds what a model wrote
//! against what was there before.
//!
//! | piece | what it does |
//! |---|---|
//! | [`Profile`] | whether a model is asked this way, by what it can |
//! | [`Guide`] | instructions, worked examples as turns, and a schema: a form, or one label of several |
//! | [`passages`] | cuts a document into sentences and items with their headings and lines |
//! | [`sentences`] | cuts a line into sentences |
//! | [`picked`] | which of the proposed answers a person meant |
//! | [`Wording`] | has a decision put into words, checks it, has it repaired once, or takes the person's own words |
//! | [`grounding`] | which words, figures and names of one text are in others |
//!
//! What made these work, on the model that can be inside the process: the meaning of each choice as a list of kinds; short
//! instructions; three to twelve examples as turns, one for each way into a choice; a sentence of reasoning before a label
//! that needs judgement; to ask what something does and of which kind it is, and to decide by a table of both. What did not:
//! several tools at once, rules with exceptions, comparing alternatives.
//!
//! ```
//! use superstep_model::{Message, Script, script::Step};
//! use superstep_tools::guided::Guide;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let guide = Guide::labels("kind", "What kind of sentence is it?", &["fact", "open"])?
//!     .example("The shop has 40 products.", r#"{"label": "fact"}"#)
//!     .example("Who pays for it is undecided.", r#"{"label": "open"}"#);
//! let model = Script::new([Step::data(serde_json::json!({"label": "open"})).always()]);
//! let answer = guide.label(&model, Message::untrusted("Hosting is to be decided.")).await?;
//! assert_eq!(answer.value, "open");
//! # Ok(()) }
//! ```

mod candidates;
pub mod grounding;
mod guide;
mod passage;
mod profile;
mod sentence;
mod wording;

pub use candidates::picked;
pub use grounding::Sources;
pub use guide::{Answer, Guide};
pub use passage::{Passage, passages};
pub use profile::{NoProfile, Profile};
pub use sentence::sentences;
pub use wording::{Worded, WordedBy, Wording};
