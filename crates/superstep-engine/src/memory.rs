//! Backends that live in this process: for tests, for tools that need no durability, and as the
//! reference every other backend is compared with.

pub mod blobs;
pub mod cache;
pub mod saver;
pub mod store;

pub use blobs::MemoryBlobs;
pub use cache::MemoryCache;
pub use saver::MemorySaver;
pub use store::MemoryStore;
