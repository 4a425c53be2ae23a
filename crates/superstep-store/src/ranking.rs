//! How well an item answers a query, the same in every backend.

use serde_json::Value;

use super::{StoreError, TextQuery, Vectors};

/// What a query asks of each item.
#[derive(Debug, Clone, PartialEq)]
pub enum Ranking {
    /// How many words of the query occur in it.
    Text(TextQuery),
    /// How similar its vectors are to the one of the query.
    Similar(Vectors),
}

impl Ranking {
    /// The score of an item; `None` if it does not answer the query at all.
    ///
    /// Vectors of another model cannot be compared: that is an error, not a low score.
    pub fn score(
        &self,
        key: &str,
        value: &Value,
        vectors: Option<&Vectors>,
    ) -> Result<Option<f64>, StoreError> {
        match self {
            Self::Text(query) => Ok(match query.score(value) {
                0 => None,
                words => Some(words as f64),
            }),
            Self::Similar(asked) => {
                let Some(stored) = vectors.filter(|stored| !stored.rows.is_empty()) else {
                    return Ok(None);
                };
                if stored.model != asked.model {
                    return Err(StoreError::ModelMismatch {
                        asked: asked.model.clone(),
                        stored: stored.model.clone(),
                        key: key.to_owned(),
                    });
                }
                Ok(asked.similarity(stored))
            }
        }
    }
}

/// The page of the best-scored entries; equal scores stay in the order given.
pub fn best<T>(mut scored: Vec<(f64, T)>, offset: usize, limit: usize) -> Vec<(f64, T)> {
    scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    scored.into_iter().skip(offset).take(limit).collect()
}
