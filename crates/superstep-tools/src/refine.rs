//! An analysis that questions itself: a model writes, reviews what it wrote, and writes again with what the review wanted
//! looked up, until it is clear enough or not worth another round.
//!
//! ```text
//! start ──► analyzeInitial ──► evaluateClarity ──► generateQuestions ──► refineAnalysis ──► evaluateClarity ...
//!                                     │                    └─► answerQuestion (one task each) ─┘
//!                                     └──► finalizeOutput ──► end
//! ```
//!
//! A round costs two calls, a refinement and its review, so n rounds cost 2 + 2n, without tools and without answers side by
//! side. The review grades, names defects, and says what to ask and to look up; looking up costs no call. Grades of a model
//! are not believed alone: a [`Review`] says what of an analysis is refuted, which costs points and keeps the loop going. The
//! best version is the result, not the last one.
//!
//! [`Refine`] is what it is made of, [`RefineConfig`] when it ends, [`Refinement`] its state. The nodes are in
//! `nodes`, the decision in `decide`, the calls in `calling`, what it takes at most in `bounds`.

mod approve;
mod bounds;
mod calling;
mod config;
mod decide;
mod graph;
mod nodes;
mod state;

pub use approve::ApproveIteration;
pub use bounds::{Sizes, Takes};
pub use calling::CUT_OFF;
pub use config::{Form, Refine, RefineConfig, Review};
pub use decide::learned_threshold;
pub use nodes::RefineNode;
pub use state::{
    AnsweredQuestion, Brief, EarlierAnalysis, Ended, Evaluation, Grades, LookedUp, RefineProgress,
    Refinement, RefinementUpdate, Spending, Version,
};
