//! What a model on this machine has read of a prompt, on the line that is drawn over.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use superstep::{
    model::{
        CallObserver, ModelError,
        call::{Attempt, Cost},
    },
    sync::lock,
};

use crate::output::{Output, StatusLine, faint};

/// Shows how far a model is in reading. Nothing is shown where nobody watches.
pub(crate) struct ReadingLine {
    line: StatusLine,
    began: Mutex<Option<Instant>>,
}

impl ReadingLine {
    /// For a command whose stderr is a terminal.
    pub(crate) fn of(output: &Output) -> Option<Arc<Self>> {
        output.is_watched().then(|| {
            Arc::new(Self {
                line: output.status().clone(),
                began: Mutex::new(None),
            })
        })
    }
}

impl CallObserver for ReadingLine {
    fn started(&self, _: &Attempt<'_>) {
        *lock(&self.began) = Some(Instant::now());
    }

    fn reading(&self, _: &Attempt<'_>, read: u64, total: u64) {
        let took = lock(&self.began).map_or(Duration::ZERO, |began| began.elapsed());
        self.line.hold(&[faint(words(took, read, total))]);
    }

    fn first_piece(&self, _: &Attempt<'_>) {
        self.line.release();
    }

    fn failed(&self, _: &Attempt<'_>, _: &ModelError, _: Option<Duration>, _: &Cost) {
        self.line.release();
    }

    fn dropped(&self, _: &Attempt<'_>, _: &Cost) {
        self.line.release();
    }
}

fn words(took: Duration, read: u64, total: u64) -> String {
    format!(
        "… {} s, reading {} of {} tokens, Ctrl-C stops it",
        took.as_secs(),
        grouped(read),
        grouped(total)
    )
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_told_in_tokens_and_seconds() {
        assert_eq!(
            words(Duration::from_secs(12), 1_200, 1_034_000),
            "… 12 s, reading 1,200 of 1,034,000 tokens, Ctrl-C stops it"
        );
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
    }
}
