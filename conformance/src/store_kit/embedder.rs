//! An embedder whose vectors can be worked out by hand, and which can change its model or fail.

use std::sync::atomic::{AtomicU8, Ordering};

use superstep_store::{BoxFuture, Embedder, StoreError};

/// Counts the letters a to d: `"aab"` is `[2, 1, 0, 0]`.
#[derive(Default)]
pub(super) struct Letters(AtomicU8);

impl Letters {
    /// From now on the model is another one with vectors of the same length.
    pub(super) fn change_model(&self) {
        self.0.store(CHANGED, Ordering::SeqCst);
    }

    /// From now on every call fails.
    pub(super) fn break_down(&self) {
        self.0.store(BROKEN, Ordering::SeqCst);
    }
}

impl Embedder for Letters {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, StoreError>> {
        Box::pin(async move {
            if self.0.load(Ordering::SeqCst) == BROKEN {
                return Err(StoreError::Embedding {
                    model: self.id().to_owned(),
                    reason: "out of order".to_owned(),
                });
            }
            Ok(texts.iter().map(|text| counts(text)).collect())
        })
    }

    fn id(&self) -> &str {
        match self.0.load(Ordering::SeqCst) {
            CHANGED => "letters-2",
            _ => "letters-1",
        }
    }

    fn dimensions(&self) -> usize {
        LETTERS.len()
    }
}

const LETTERS: [char; 4] = ['a', 'b', 'c', 'd'];
const CHANGED: u8 = 1;
const BROKEN: u8 = 2;

fn counts(text: &str) -> Vec<f32> {
    let count = |letter: &char| text.chars().filter(|c| c == letter).count();
    LETTERS.iter().map(|letter| count(letter) as f32).collect()
}
