//! Texts to vectors.
