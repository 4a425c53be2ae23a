//! Whether another round is worth it.

use super::{
    config::RefineConfig,
    state::{Ended, Evaluation, Refinement, Version},
};

/// How far a learned threshold may be from the configured one.
const FARTHEST: f64 = 10.0;

/// So many earlier grades are needed to learn from them.
const FEWEST: usize = 3;

/// The threshold that earlier grades suggest: their mean, at most ten points from the configured one and never
/// above 95. With fewer than three of them it is the configured one.
pub fn learned_threshold(configured: f64, earlier: &[f64]) -> f64 {
    let earlier: Vec<f64> = earlier
        .iter()
        .copied()
        .filter(|it| it.is_finite())
        .collect();
    if earlier.len() < FEWEST {
        return configured;
    }
    let count = u32::try_from(earlier.len()).unwrap_or(u32::MAX);
    let mean = earlier.iter().sum::<f64>() / f64::from(count);
    let most = (configured + FARTHEST).min(95.0_f64.max(configured));
    mean.clamp((configured - FARTHEST).max(0.0).min(most), most)
        .round()
}

impl RefineConfig {
    /// The threshold that counts.
    pub fn threshold(&self) -> f64 {
        learned_threshold(self.clarity_threshold, &self.earlier_scores)
    }

    /// The score of a version: the mean of its grades without the points of refuted claims.
    pub(super) fn score(&self, evaluation: &Evaluation) -> Option<f64> {
        let mean = evaluation.grades.as_ref()?.mean();
        let lost = self.penalty * f64::from(evaluation.refuted);
        Some((mean - lost).clamp(0.0, 100.0))
    }

    /// Why the loop ends after this evaluation, if it does. `before` is the state before it.
    pub(super) fn ends(&self, before: &Refinement, evaluation: &Evaluation) -> Option<Ended> {
        let Some(score) = evaluation.score else {
            return Some(Ended::Unscored);
        };
        if score >= self.threshold() && evaluation.refuted == 0 {
            return Some(Ended::Clear);
        }
        if before.iteration >= self.max_iterations {
            return Some(Ended::MaxIterations);
        }
        let best = before.best_analysis.as_ref().and_then(|best| best.score);
        match best {
            Some(best) if score - best < self.min_improvement => Some(Ended::LowImprovement),
            _ => None,
        }
    }
}

/// The better of the best version and the newest: of equal grades the older one, and any grade before none.
pub(super) fn better(best: Option<Version>, newest: Version) -> Version {
    match best {
        Some(best) if newest.score.is_none() || best.score >= newest.score => best,
        _ => newest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_follows_earlier_grades_within_bounds() {
        assert_eq!(learned_threshold(80.0, &[]), 80.0);
        assert_eq!(learned_threshold(80.0, &[90.0, 90.0]), 80.0);
        assert_eq!(learned_threshold(80.0, &[86.0, 84.0, 85.0]), 85.0);
        assert_eq!(learned_threshold(80.0, &[10.0, 10.0, 10.0]), 70.0);
        assert_eq!(learned_threshold(80.0, &[100.0, 100.0, 100.0]), 90.0);
        assert_eq!(learned_threshold(99.0, &[100.0, 100.0, 100.0]), 99.0);
        assert_eq!(learned_threshold(80.0, &[f64::NAN, 90.0, 90.0]), 80.0);
    }

    #[test]
    fn any_grade_is_better_than_none_and_the_older_of_equals_stays() {
        let version = |iteration, score| Version {
            iteration,
            score,
            text: String::new(),
        };
        let taken = |one, two| better(Some(version(0, one)), version(1, two)).iteration;
        assert_eq!(taken(Some(70.0), Some(60.0)), 0);
        assert_eq!(taken(Some(70.0), Some(70.0)), 0);
        assert_eq!(taken(Some(70.0), Some(71.0)), 1);
        assert_eq!(taken(Some(10.0), None), 0);
        assert_eq!(taken(None, Some(1.0)), 1);
    }
}
