//! From texts to vectors, and how alike two vectors are.

use std::sync::Arc;

use super::{BoxFuture, StoreError};

/// A model that turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// One vector of [`dimensions`](Self::dimensions) numbers for each text, in order.
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, StoreError>>;

    /// The model and its version: vectors compare only with vectors of the same id.
    ///
    /// A store asks at every use, since the model behind an embedder may be replaced at run time.
    fn id(&self) -> &str;

    /// How long each vector is.
    fn dimensions(&self) -> usize;
}

impl<E: Embedder + ?Sized> Embedder for Arc<E> {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, StoreError>> {
        (**self).embed(texts)
    }

    fn id(&self) -> &str {
        (**self).id()
    }

    fn dimensions(&self) -> usize {
        (**self).dimensions()
    }
}

/// Vectors and the model they are from.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    /// The id of the model.
    pub model: String,
    /// The vectors.
    pub rows: Vec<Vec<f32>>,
}

impl Vectors {
    /// Embeds texts and holds the embedder to its contract.
    pub async fn embed(embedder: &dyn Embedder, texts: Vec<String>) -> Result<Self, StoreError> {
        let model = embedder.id().to_owned();
        let count = texts.len();
        if count == 0 {
            return Ok(Self {
                model,
                rows: Vec::new(),
            });
        }
        let rows = embedder.embed(texts).await?;
        match fault(&rows, count, embedder.dimensions()) {
            Some(reason) => Err(StoreError::Embedding { model, reason }),
            None => Ok(Self { model, rows }),
        }
    }

    /// The best cosine similarity between any two vectors of the sets; `None` if one has none.
    pub(super) fn similarity(&self, other: &Self) -> Option<f64> {
        let pairs = self
            .rows
            .iter()
            .flat_map(|left| other.rows.iter().map(move |right| cosine(left, right)));
        pairs.max_by(f64::total_cmp)
    }
}

fn fault(rows: &[Vec<f32>], count: usize, dimensions: usize) -> Option<String> {
    if rows.len() != count {
        return Some(format!("{} vectors for {count} texts", rows.len()));
    }
    if let Some(row) = rows.iter().find(|row| row.len() != dimensions) {
        return Some(format!("{} dimensions, not {dimensions}", row.len()));
    }
    let finite = rows.iter().flatten().all(|number| number.is_finite());
    (!finite).then(|| "a number is not finite".to_owned())
}

fn cosine(left: &[f32], right: &[f32]) -> f64 {
    let mut dot = 0.0;
    let mut left_square = 0.0;
    let mut right_square = 0.0;
    for (&left, &right) in left.iter().zip(right) {
        let (left, right) = (f64::from(left), f64::from(right));
        dot += left * right;
        left_square += left * left;
        right_square += right * right;
    }
    let norm = left_square.sqrt() * right_square.sqrt();
    // A vector without a direction is like nothing; dividing would give NaN.
    if norm == 0.0 { 0.0 } else { dot / norm }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(rows: &[&[f32]]) -> Vectors {
        Vectors {
            model: "m".into(),
            rows: rows.iter().map(|row| row.to_vec()).collect(),
        }
    }

    #[test]
    fn similarity_is_the_best_cosine() {
        let query = vectors(&[&[1.0, 0.0]]);
        assert_eq!(query.similarity(&vectors(&[&[3.0, 0.0]])), Some(1.0));
        assert_eq!(query.similarity(&vectors(&[&[-2.0, 0.0]])), Some(-1.0));
        assert_eq!(
            query.similarity(&vectors(&[&[0.0, 1.0], &[5.0, 0.0]])),
            Some(1.0)
        );
        assert_eq!(query.similarity(&vectors(&[])), None);
    }

    #[test]
    fn a_vector_without_direction_is_like_nothing() {
        let zero = vectors(&[&[0.0, 0.0]]);
        assert_eq!(zero.similarity(&vectors(&[&[1.0, 1.0]])), Some(0.0));
    }

    #[test]
    fn a_wrong_answer_of_the_embedder_is_named() {
        assert_eq!(fault(&[], 1, 2).as_deref(), Some("0 vectors for 1 texts"));
        assert_eq!(
            fault(&[vec![1.0]], 1, 2).as_deref(),
            Some("1 dimensions, not 2")
        );
        assert_eq!(
            fault(&[vec![f32::NAN, 0.0]], 1, 2).as_deref(),
            Some("a number is not finite")
        );
        assert_eq!(fault(&[vec![1.0, 2.0]], 1, 2), None);
    }
}
