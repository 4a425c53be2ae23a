//! A refining analysis as a graph.

use serde::{Deserialize, Serialize};
use superstep_derive::{Ask, Nodes};
use superstep_engine::typed::{Graph, GraphBuilder};

use super::{config::Refine, nodes, state::Refinement};
use crate::happened::past_effects;

/// The nodes of a refining analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum RefineNode {
    /// Writes the first version.
    #[node(name = "analyzeInitial")]
    AnalyzeInitial,
    /// Grades the newest version, has it checked, and decides.
    #[node(name = "evaluateClarity")]
    EvaluateClarity,
    /// Asks what is missing.
    #[node(name = "generateQuestions")]
    GenerateQuestions,
    /// Answers one question.
    #[node(name = "answerQuestion")]
    AnswerQuestion,
    /// Writes a better version.
    #[node(name = "refineAnalysis")]
    RefineAnalysis,
    /// Takes the best version.
    #[node(name = "finalizeOutput")]
    FinalizeOutput,
}

/// Whether another round is worth what it will take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
#[non_exhaustive]
pub struct ApproveIteration {
    /// Whose analysis it is.
    pub agent: String,
    /// The round that would begin, from 1.
    pub iteration: u32,
    /// The grade so far.
    pub score: Option<f64>,
    /// The tokens it will take, as the last round did.
    pub tokens: u64,
    /// What it will cost, in millionths of a dollar, as far as it is known.
    pub micros: u64,
}

impl Refine {
    /// The graph, to be given a saver or nested, and built. Its input is a [`Brief`](super::Brief):
    /// `Refinement::update().context(brief)`.
    pub fn graph(self) -> GraphBuilder<Refinement, RefineNode> {
        use RefineNode::{
            AnalyzeInitial, AnswerQuestion, EvaluateClarity, FinalizeOutput, GenerateQuestions,
            RefineAnalysis,
        };
        Graph::builder()
            .name(self.name.clone())
            .effects(past_effects)
            .resource(self)
            .node(AnalyzeInitial, nodes::analyze_initial)
            .node(EvaluateClarity, nodes::evaluate_clarity)
            .node(GenerateQuestions, nodes::generate_questions)
            .node(AnswerQuestion, nodes::answer_question)
            .node(RefineAnalysis, nodes::refine_analysis)
            .node(FinalizeOutput, nodes::finalize_output)
            .start(AnalyzeInitial)
            .may_goto(AnalyzeInitial, &[EvaluateClarity, FinalizeOutput])
            .may_goto(EvaluateClarity, &[GenerateQuestions, FinalizeOutput])
            .may_goto(GenerateQuestions, &[RefineAnalysis, FinalizeOutput])
            .may_send(GenerateQuestions, &[AnswerQuestion])
            .edge(AnswerQuestion, RefineAnalysis)
            .may_goto(RefineAnalysis, &[EvaluateClarity, FinalizeOutput])
            .finish(FinalizeOutput)
    }
}
