//! The store kit: the memory store passes it, and it finds what is wrong with others.

mod broken;
mod fault;
mod memory;
mod model;
mod wrapper;
