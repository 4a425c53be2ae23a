//! What a refining analysis is made of, and when it ends.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use superstep_model::{Model, Schema, SchemaError};

use crate::{policy::Policy, toolbox::Tools};

/// When an analysis is good enough, and how much may be done for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RefineConfig {
    /// How often it is refined at most.
    pub max_iterations: u32,
    /// The grade that is good enough, 0 to 100.
    pub clarity_threshold: f64,
    /// A round that improves the grade by less is the last one.
    pub min_improvement: f64,
    /// Whether it is graded and refined at all.
    pub enable_self_questioning: bool,
    /// Each question is answered by a call of its own, side by side, before the refinement.
    pub parallel_answers: bool,
    /// Points that each refuted claim costs.
    pub penalty: f64,
    /// How often the model may call tools before it must answer.
    pub tool_turns: u32,
    /// A person is asked before a round that will take more tokens than this, as the last one did.
    pub approve_above: Option<u64>,
    /// How many tokens a reply may have.
    pub max_tokens: Option<u32>,
    /// Grades of earlier analyses of this kind, oldest first. If there are any, the threshold follows them
    /// ([`learned_threshold`](super::learned_threshold)).
    pub earlier_scores: Vec<f64>,
}

impl Default for RefineConfig {
    fn default() -> Self {
        Self {
            max_iterations: 3,
            clarity_threshold: 80.0,
            min_improvement: 5.0,
            enable_self_questioning: true,
            parallel_answers: false,
            penalty: 5.0,
            tool_turns: 4,
            approve_above: None,
            max_tokens: None,
            earlier_scores: Vec::new(),
        }
    }
}

/// Checks an analysis against what is known.
pub trait Review: Send + Sync {
    /// What of it is refuted, one sentence each.
    fn refuted(&self, analysis: &str) -> Vec<String>;

    /// The analysis with what is refuted put right or taken out.
    fn corrected(&self, analysis: &str) -> String;

    /// The text that the analysis cites, which its grade is given by; empty if citations cannot be followed.
    fn cited(&self, analysis: &str) -> String {
        let _ = analysis;
        String::new()
    }

    /// What is found of something that a grade wants the author to read: a place, a name or a word.
    fn look_up(&self, wanted: &str) -> Option<String> {
        let _ = wanted;
        None
    }
}

/// A form that the model fills in in place of writing an analysis, and the text that is made of it. Small models choose
/// and word better than they write.
pub trait Form: Send + Sync {
    /// What is to be filled in.
    fn schema(&self) -> Result<Schema, SchemaError>;

    /// The analysis. What the model filled in fits the schema.
    fn text(&self, filled: &Json) -> String;
}

/// A refining analysis.
pub struct Refine {
    pub(super) name: String,
    pub(super) model: Arc<dyn Model>,
    pub(super) config: RefineConfig,
    pub(super) tools: Tools,
    pub(super) policy: Policy,
    pub(super) review: Option<Arc<dyn Review>>,
    pub(super) form: Option<Arc<dyn Form>>,
    pub(super) keeps_best: bool,
}

impl Refine {
    /// One of this name, which its spans begin with.
    pub fn new(name: impl Into<String>, model: Arc<dyn Model>) -> Self {
        Self {
            name: name.into(),
            model,
            config: RefineConfig::default(),
            tools: Tools::default(),
            policy: Policy::default(),
            review: None,
            form: None,
            keeps_best: false,
        }
    }

    /// Says when it ends.
    #[must_use]
    pub fn config(mut self, config: RefineConfig) -> Self {
        self.config = config;
        self
    }

    /// Gives the model tools to look things up. Which calls need a person is the policy's business.
    #[must_use]
    pub fn tools(mut self, tools: Tools, policy: Policy) -> Self {
        self.tools = tools;
        self.policy = policy;
        self
    }

    /// Has each version checked.
    #[must_use]
    pub fn review(mut self, review: Arc<dyn Review>) -> Self {
        self.review = Some(review);
        self
    }

    /// Ends with the best version that there is if the model fails later, in place of failing with it: what was written
    /// was paid for.
    #[must_use]
    pub fn keep_best(mut self) -> Self {
        self.keeps_best = true;
        self
    }

    /// Has the model fill in a form in place of writing.
    #[must_use]
    pub fn form(mut self, form: Arc<dyn Form>) -> Self {
        self.form = Some(form);
        self
    }
}
