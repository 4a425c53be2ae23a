//! The nodes of the graph, one file each.

mod ask;
mod build_context;
mod extraction;
mod interrupt;
mod prepare;
mod retrieval;

pub(crate) use ask::ask;
pub(crate) use build_context::build_context;
pub(crate) use extraction::graph_extraction;
pub(crate) use interrupt::analysis_interrupt;
pub(crate) use prepare::analysis_prepare;
pub(crate) use retrieval::document_retrieval;
