//! How calls of a model fare: what one on this machine has read of a prompt, on the line that is drawn over, and attempts
//! that failed and are made again.

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
    text::single_line,
};

use crate::output::{Output, StatusLine, faint};

/// Shows how far a model is in reading, where somebody watches, and says why an attempt is made again.
pub(crate) struct ReadingLine {
    line: StatusLine,
    is_watched: bool,
    began: Mutex<Option<Instant>>,
}

impl ReadingLine {
    /// For a command that is not quiet.
    pub(crate) fn of(output: &Output) -> Option<Arc<Self>> {
        (!output.is_quiet()).then(|| {
            Arc::new(Self {
                line: output.status().clone(),
                is_watched: output.is_watched(),
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
        if !self.is_watched {
            return;
        }
        let took = lock(&self.began).map_or(Duration::ZERO, |began| began.elapsed());
        self.line.hold(&[faint(words(took, read, total))]);
    }

    fn first_piece(&self, _: &Attempt<'_>) {
        self.line.release();
    }

    fn failed(&self, attempt: &Attempt<'_>, error: &ModelError, wait: Option<Duration>, _: &Cost) {
        self.line.release();
        // Without a wait the call has failed, which is told as its error.
        if let Some(wait) = wait {
            self.line.say(&[faint(again(attempt, error, wait))]);
        }
    }

    fn dropped(&self, _: &Attempt<'_>, _: &Cost) {
        self.line.release();
    }
}

fn again(attempt: &Attempt<'_>, error: &ModelError, wait: Duration) -> String {
    let error = single_line(&error.to_string());
    let next = attempt.number.saturating_add(1);
    format!("{error}; attempt {next} in {:.1} s", wait.as_secs_f64())
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
