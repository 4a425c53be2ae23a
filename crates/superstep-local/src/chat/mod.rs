//! Embedded language model: GGUF weights, CPU inference, no key, no network.
//!
//! [`LocalModel`] takes a GGUF file and is a `Model` like any other. It is made for small models on
//! ordinary processors: decoding is constrained by a grammar (`grammar`), so that replies always parse;
//! prefixes of prompts are kept (`prefix_cache`, `prefix_files`), so that a node's instructions are read once; the
//! weights stay packed in the mapped file (`map`, `tensor`), so that memory is what the file is.
//!
//! A call goes from `model` through the queue of `engine` to `generate`, which renders the
//! conversation (`template`, a template of `jinja`), makes tokens of it (`tokenizer`, and `token_table` and `spelling` for the way back), has them read by
//! `net` on the threads of `pools`, as many as `thread_count` finds best, and takes the reply apart (`reply`) on its way back through `channel`.

mod channel;
mod draft;
mod engine;
mod error;
mod figures;
mod generate;
mod gguf;
mod grammar;
mod identity;
mod jinja;
mod job;
mod loaded;
mod machine;
mod map;
mod model;
mod net;
mod options;
mod pair_encoding;
mod pools;
mod prefix_cache;
mod prefix_files;
#[cfg(test)]
mod reference;
mod reply;
mod sampler;
mod shape;
mod spelling;
mod template;
mod tensor;
mod thread_count;
mod token_table;
mod tokenizer;
mod word_cut;

pub use error::ChatError;
pub use figures::Figures;
pub use gguf::FileError;
pub use identity::Identity;
pub use machine::Threads;
pub use model::LocalModel;
pub use options::Options;
