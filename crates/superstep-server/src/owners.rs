//! Owners and what belongs to each: tokens, graphs and a long-term store. `guard` keeps them apart.

pub(crate) mod graphs;
pub(crate) mod private_paths;
pub(crate) mod store;
pub(crate) mod tokens;
pub(crate) mod visitor;
