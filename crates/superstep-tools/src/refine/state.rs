//! The state of a refining analysis.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use superstep_core::error::Failure;
use superstep_derive::State;
use superstep_engine::typed::{Reduced, Reducer};
use superstep_model::{Reply, Usage};

/// The state of a refining analysis. Its input is a [`Brief`]: `Refinement::update().context(brief)`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
#[non_exhaustive]
pub struct Refinement {
    /// What is to be analyzed, and how.
    pub context: Brief,
    /// How often it was refined.
    pub iteration: u32,
    /// The newest version.
    pub current_analysis: String,
    /// What the model says is missing in the newest version.
    pub missing_information: Vec<String>,
    /// The grade of the newest version, 0 to 100; nothing if it has none.
    pub clarity_score: Option<f64>,
    /// All questions the model asked itself.
    #[reduce(Append)]
    pub self_questions: Vec<String>,
    /// The result, once there is one.
    pub final_analysis: Option<String>,
    /// What each round did.
    #[reduce(Append)]
    pub refinement_notes: Vec<String>,
    /// The grades of all versions.
    #[reduce(Append)]
    pub score_history: Vec<Evaluation>,
    /// The best version so far.
    pub best_analysis: Option<Version>,
    /// The questions of this round.
    pub questions: Vec<String>,
    /// Answers to them, where they are answered side by side.
    #[reduce(Append)]
    pub answers: Vec<AnsweredQuestion>,
    /// What the grade of the newest version wants its author to read.
    pub to_look_up: Vec<String>,
    /// What was looked up so far, by tools or because a grade wanted it. Later versions are written with it.
    #[reduce(Append)]
    pub looked_up: Vec<LookedUp>,
    /// What of the newest version is refuted.
    pub refuted: Vec<String>,
    /// What all of it took.
    #[reduce(Total)]
    pub usage: Spending,
    /// Why it ended.
    pub ended: Option<Ended>,
}

/// What is to be analyzed, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    /// Instructions for the model.
    pub system: String,
    /// What it analyses.
    pub human: String,
    /// What makes an analysis of this kind complete, for the grade.
    #[serde(default)]
    pub criteria: Vec<String>,
    /// Questions that others asked about the same thing.
    #[serde(default)]
    pub shared_questions: Vec<String>,
    /// The analysis of an earlier state of the material, which the first version is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierAnalysis>,
}

/// An analysis of an earlier state of the material.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierAnalysis {
    /// Its text.
    pub text: String,
    /// What changed since, one sentence each.
    pub changes: Vec<String>,
}

/// A look-up and its result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookedUp {
    /// What was looked up.
    pub wanted: String,
    /// What was found.
    pub found: String,
}

/// The four grades of a version, 0 to 100.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Grades {
    /// It covers everything.
    pub completeness: f64,
    /// It can be read.
    pub clarity: f64,
    /// It goes into detail.
    pub depth: f64,
    /// It is right.
    pub accuracy: f64,
}

impl Grades {
    /// The mean.
    pub fn mean(&self) -> f64 {
        (self.completeness + self.clarity + self.depth + self.accuracy) / 4.0
    }
}

/// How a version was graded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// Which version: how often it was refined.
    pub iteration: u32,
    /// What the model said; nothing if it gave no grades that can be read.
    pub grades: Option<Grades>,
    /// How many claims are refuted.
    pub refuted: u32,
    /// Their mean without the points of refuted claims.
    pub score: Option<f64>,
    /// What is missing.
    pub missing: Vec<String>,
}

/// A version of an analysis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Version {
    /// How often it was refined.
    pub iteration: u32,
    /// Its grade.
    pub score: Option<f64>,
    /// Its text.
    pub text: String,
}

/// A question and its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AnsweredQuestion {
    /// Of which round, from 1.
    pub iteration: u32,
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
}

/// Why a refining analysis ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It is clear enough, and nothing of it is refuted.
    Clear,
    /// It was refined as often as it may be.
    MaxIterations,
    /// The last round improved too little.
    LowImprovement,
    /// The model gave no grades that can be read.
    Unscored,
    /// It does not question itself.
    NotQuestioned,
    /// A budget is used up.
    Budget,
    /// A person did not want another round.
    Declined,
    /// A call failed, and the best version that there was is the result ([`Refine::keep_best`](super::Refine::keep_best)).
    Failed,
}

/// What calls took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Spending {
    /// Calls of the model.
    pub calls: u32,
    /// Their tokens.
    #[serde(flatten)]
    pub usage: Usage,
    /// What they cost, in millionths of a dollar, as far as it is known.
    pub micros: u64,
    /// Some of the tokens are estimated: a model did not say how many it took.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Spending {
    /// What a reply took.
    pub fn of(reply: &Reply) -> Self {
        let paid = reply.answered.as_ref().and_then(|it| it.paid.as_ref());
        let cost = paid.and_then(|paid| paid.cost);
        Self {
            calls: 1,
            usage: reply.usage.unwrap_or_default(),
            micros: cost.map_or(0, |cost| cost.as_micros()),
            estimated: paid.is_some_and(|paid| paid.estimated),
        }
    }
}

impl AddAssign for Spending {
    fn add_assign(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.usage += other.usage;
        self.micros = self.micros.saturating_add(other.micros);
        self.estimated |= other.estimated;
    }
}

/// Adds up what tasks spent.
#[derive(Clone, Copy, Debug)]
pub struct Total;

impl Reducer<Spending> for Total {
    type Write = Spending;

    fn reduce(current: &mut Spending, write: Spending) -> Result<Reduced, Failure> {
        *current += write;
        Ok(Reduced::Replaced)
    }
}

/// What happened, for readers of the run's events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "refine", rename_all = "snake_case")]
pub enum RefineProgress {
    /// The first version is there.
    Analyzed {
        /// Whose.
        agent: String,
    },
    /// A version was graded.
    Evaluated {
        /// Whose.
        agent: String,
        /// How.
        evaluation: Evaluation,
    },
    /// The model asked itself.
    Questioned {
        /// Whose.
        agent: String,
        /// The round, from 1.
        iteration: u32,
        /// What.
        questions: Vec<String>,
    },
    /// It was refined.
    Refined {
        /// Whose.
        agent: String,
        /// The round, from 1.
        iteration: u32,
        /// What the round did.
        note: String,
    },
    /// It is done.
    Finalized {
        /// Whose.
        agent: String,
        /// Which version was taken.
        iteration: u32,
        /// Its grade.
        score: Option<f64>,
        /// Why it ended.
        ended: Option<Ended>,
    },
}
