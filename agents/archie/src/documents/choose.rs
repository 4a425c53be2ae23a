//! Selection of the documents that fit the token budget.

use crate::entry::{Fate, Why};

/// A piece of a document that is smaller than this tells too little.
const USEFUL: usize = 300;

/// A document, as far as choosing goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) tokens: usize,
    pub(super) score: f64,
}

/// What becomes of each document. If all fit, all are whole. Otherwise the best come first, equal
/// ones in their given order; the first that does not fit is cut if a useful piece of it does, and
/// smaller ones behind it may still fit. A document that is larger than the whole budget does not take
/// all of it from the others: it gets its share, and what the others leave.
pub(super) fn choose(candidates: &[Candidate], budget: usize) -> Vec<Fate> {
    let mut order: Vec<(usize, &Candidate)> = candidates.iter().enumerate().collect();
    order.sort_by(|(_, one), (_, other)| other.score.total_cmp(&one.score));
    let mut fates = vec![Fate::Left(Why::Budget); candidates.len()];
    let is_huge = |candidate: &Candidate| candidate.tokens > budget;
    let huge = candidates.iter().filter(|it| is_huge(it)).count();
    let share = budget.checked_div(huge + 1).unwrap_or(budget).max(USEFUL);
    let mut room = budget;
    for (index, candidate) in &order {
        let most = match is_huge(candidate) {
            true => room.min(share),
            false => room,
        };
        let fate = if candidate.tokens <= most {
            Fate::Whole {
                tokens: candidate.tokens,
            }
        } else if most >= USEFUL {
            Fate::Cut {
                tokens: most,
                of: candidate.tokens,
            }
        } else {
            continue;
        };
        room = room.saturating_sub(fate.tokens().unwrap_or(0));
        if let Some(slot) = fates.get_mut(*index) {
            *slot = fate;
        }
    }
    for (index, _) in &order {
        if let Some(Fate::Cut { tokens, of }) = fates.get_mut(*index) {
            let more = room.min(of.saturating_sub(*tokens));
            *tokens += more;
            room -= more;
        }
    }
    fates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(candidates: &[(usize, f64)], budget: usize) -> Vec<String> {
        let candidates: Vec<Candidate> = candidates
            .iter()
            .map(|(tokens, score)| Candidate {
                tokens: *tokens,
                score: *score,
            })
            .collect();
        let fates = choose(&candidates, budget);
        fates
            .iter()
            .map(|fate| match fate {
                Fate::Whole { tokens } => format!("whole {tokens}"),
                Fate::Cut { tokens, of } => format!("cut {tokens}/{of}"),
                Fate::Left(why) => why.name().to_owned(),
            })
            .collect()
    }

    #[test]
    fn what_fits_is_whole() {
        assert_eq!(names(&[(500, 0.0), (500, 0.0)], 1000), ["whole 500"; 2]);
    }

    #[test]
    fn the_best_come_first_and_the_next_one_is_cut() {
        let files = [(600, 1.0), (600, 3.0), (600, 2.0)];
        assert_eq!(names(&files, 1000), ["budget", "whole 600", "cut 400/600"]);
    }

    #[test]
    fn a_useless_piece_is_left_and_a_small_document_may_still_fit() {
        let files = [(900, 3.0), (600, 2.0), (50, 1.0), (60, 0.0)];
        assert_eq!(
            names(&files, 1000),
            ["whole 900", "budget", "whole 50", "budget"]
        );
    }

    #[test]
    fn one_that_is_larger_than_the_budget_leaves_room_for_the_others() {
        let files = [(90_000, 9.0), (400, 1.0), (500, 0.0)];
        assert_eq!(
            names(&files, 3000),
            ["cut 2100/90000", "whole 400", "whole 500"]
        );
        let two = [(90_000, 9.0), (80_000, 8.0), (900, 0.0)];
        assert_eq!(
            names(&two, 3000),
            ["cut 1100/90000", "cut 1000/80000", "whole 900"]
        );
        assert_eq!(names(&[(90_000, 0.0)], 3000), ["cut 3000/90000"]);
    }

    #[test]
    fn equals_keep_their_order() {
        let files = [(400, 0.0), (400, 0.0), (400, 0.0)];
        assert_eq!(names(&files, 850), ["whole 400", "whole 400", "budget"]);
    }
}
