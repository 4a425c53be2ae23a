//! Whether one program is slower than another, judged by rounds in which both ran.
//!
//! A sign test: if the new program were slower by exactly the limit, a round would be above it as often as
//! below. More rounds above it than chance gives once in twenty are called slower; the same the other way
//! around is called faster. A single bad round, however bad, changes nothing.

/// What counts as another speed.
const LIMIT: f64 = 1.10;

/// How often chance alone may call a program slower that is just at the limit.
const CHANCE: f64 = 0.05;

/// What both programs took, round by round.
pub(super) struct Rounds {
    old: Vec<f64>,
    new: Vec<f64>,
}

/// What the rounds say.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Slower,
    Faster,
    /// Within the limit, or not told apart from it.
    Same,
}

impl Rounds {
    pub(super) fn of(old: f64, new: f64) -> Self {
        Self {
            old: vec![old],
            new: vec![new],
        }
    }

    pub(super) fn add(&mut self, old: f64, new: f64) {
        self.old.push(old);
        self.new.push(new);
    }

    pub(super) fn verdict(&self) -> Comparison {
        let above = |limit: f64| self.ratios().filter(|ratio| *ratio > limit).count();
        let below = |limit: f64| self.ratios().filter(|ratio| *ratio < limit).count();
        if self.is_no_accident(above(LIMIT)) {
            return Comparison::Slower;
        }
        match self.is_no_accident(below(1.0 / LIMIT)) {
            true => Comparison::Faster,
            false => Comparison::Same,
        }
    }

    /// As a row of the table.
    pub(super) fn shown(&self, name: &str) -> String {
        let above = self.ratios().filter(|ratio| *ratio > LIMIT).count();
        let verdict = match self.verdict() {
            Comparison::Slower => "**slower**",
            Comparison::Faster => "faster",
            Comparison::Same => "",
        };
        let (old, new) = (
            median(self.old.iter().copied()),
            median(self.new.iter().copied()),
        );
        let (ratio, rounds) = (median(self.ratios()), self.new.len());
        format!("| {name} | {old:.2} | {new:.2} | {ratio:.2} | {above} of {rounds} | {verdict} |\n")
    }

    /// New to old, of each round.
    fn ratios(&self) -> impl Iterator<Item = f64> {
        let rounds = self.old.iter().zip(&self.new);
        rounds.map(|(old, new)| new / old)
    }

    /// Whether so many rounds on one side are more than chance gives.
    fn is_no_accident(&self, rounds: usize) -> bool {
        let all = self.new.len();
        let ways: f64 = (rounds..=all).map(|chosen| ways(all, chosen)).sum();
        ways / 2_f64.powf(all as f64) <= CHANCE
    }
}

/// In how many ways so many of all can be chosen.
fn ways(all: usize, chosen: usize) -> f64 {
    let factors = (0..chosen).map(|at| (all - at) as f64 / (at + 1) as f64);
    factors.product()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(new: &[f64]) -> Rounds {
        Rounds {
            old: vec![1.0; new.len()],
            new: new.to_vec(),
        }
    }

    #[test]
    fn slower_in_nearly_all_rounds_is_slower() {
        let rounds = rounds(&[1.2, 1.3, 1.15, 1.2, 1.12, 1.2, 1.4, 1.2, 1.0]);
        assert_eq!(rounds.verdict(), Comparison::Slower);
        let shown = "| chain | 1.00 | 1.20 | 1.20 | 8 of 9 | **slower** |\n";
        assert_eq!(rounds.shown("chain"), shown);
    }

    #[test]
    fn two_bad_rounds_say_nothing() {
        let rounds = rounds(&[1.0, 9.0, 1.0, 1.02, 1.0, 5.0, 0.98, 1.0, 1.05]);
        assert_eq!(rounds.verdict(), Comparison::Same);
    }

    #[test]
    fn a_tenth_is_allowed() {
        assert_eq!(rounds(&[1.09; 9]).verdict(), Comparison::Same);
        assert_eq!(rounds(&[0.8; 9]).verdict(), Comparison::Faster);
    }

    #[test]
    fn a_few_rounds_are_not_enough() {
        assert_eq!(rounds(&[2.0; 4]).verdict(), Comparison::Same);
        assert_eq!(rounds(&[2.0; 5]).verdict(), Comparison::Slower);
    }
}
