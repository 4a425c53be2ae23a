//! The nodes of the graph, one file each.

mod ask;
mod build_context;
mod interrupt;
mod prepare;
mod recall;
mod remember;
mod retrieval;

pub(crate) use ask::ask;
pub(crate) use build_context::build_context;
pub(crate) use interrupt::analysis_interrupt;
pub(crate) use prepare::analysis_prepare;
pub(crate) use recall::graph_extraction;
pub(crate) use remember::remember;
pub(crate) use retrieval::document_retrieval;
