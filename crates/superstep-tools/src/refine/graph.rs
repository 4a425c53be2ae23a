//! A refining analysis as a graph.

use superstep_engine::typed::{Graph, GraphBuilder};

use super::{
    config::Refine,
    nodes::{self, RefineNode},
    state::Refinement,
};
use crate::happened::past_effects;

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
