//! Sampler: temperature and top-p over the logits.

use llguidance::toktrie::SimpleVob;

/// How freely tokens are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    /// Zero takes the likeliest.
    pub(super) temperature: f32,
    /// Only the likeliest tokens that make up this share are considered.
    pub(super) top_p: f32,
    pub(super) seed: u64,
}

/// Chooses tokens.
pub(super) struct Sampler {
    choice: Choice,
    state: u64,
}

impl Sampler {
    pub(super) fn new(choice: Choice) -> Self {
        Self {
            choice,
            state: choice.seed,
        }
    }

    /// One of the allowed tokens, or none if none is allowed. Without `allowed` all are.
    pub(super) fn choose(&mut self, ratings: &[f32], allowed: Option<&SimpleVob>) -> Option<u32> {
        let candidates = (0..)
            .zip(ratings)
            .filter(|(token, _)| allowed.is_none_or(|allowed| allowed.is_allowed(*token)));
        if self.choice.temperature <= 0.0 {
            let best = candidates.fold(None, |best: Option<(u32, f32)>, (token, rating)| {
                // The first of equals, so that the same ratings give the same token.
                match best {
                    Some((_, highest)) if rating.total_cmp(&highest).is_le() => best,
                    _ => Some((token, *rating)),
                }
            });
            return best.map(|(token, _)| token);
        }
        let mut candidates: Vec<(u32, f32)> =
            candidates.map(|(token, rating)| (token, *rating)).collect();
        candidates
            .sort_unstable_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        let highest = candidates.first()?.1;
        for (_, rating) in &mut candidates {
            *rating = ((*rating - highest) / self.choice.temperature).exp();
        }
        let total: f32 = candidates.iter().map(|(_, share)| share).sum();
        let mut kept = 0.0;
        let wanted = self.choice.top_p.clamp(0.0, 1.0) * total;
        let count = candidates.iter().take_while(|(_, share)| {
            let is_needed = kept < wanted;
            kept += share;
            is_needed
        });
        let count = count.count().max(1);
        candidates.truncate(count);
        let total: f32 = candidates.iter().map(|(_, share)| share).sum();
        let mut point = self.uniform() * total;
        for (token, share) in &candidates {
            point -= share;
            if point < 0.0 {
                return Some(*token);
            }
        }
        candidates.last().map(|(token, _)| *token)
    }

    /// A number from zero up to one; the generator is SplitMix64.
    fn uniform(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 40) as f32 / (1_u32 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(temperature: f32, top_p: f32, seed: u64) -> Sampler {
        Sampler::new(Choice {
            temperature,
            top_p,
            seed,
        })
    }

    #[test]
    fn without_temperature_the_likeliest_allowed_token_is_taken() {
        let mut allowed = SimpleVob::alloc(4);
        allowed.allow_token(1);
        allowed.allow_token(2);
        let ratings = [9.0, 1.0, 2.0, 8.0];
        assert_eq!(sampler(0.0, 1.0, 0).choose(&ratings, None), Some(0));
        assert_eq!(
            sampler(0.0, 1.0, 0).choose(&ratings, Some(&allowed)),
            Some(2)
        );
        let none = SimpleVob::alloc(4);
        assert_eq!(sampler(0.0, 1.0, 0).choose(&ratings, Some(&none)), None);
    }

    #[test]
    fn a_seed_repeats_its_choices_and_another_makes_others() {
        let ratings = [1.0; 50];
        let draw = |seed| {
            let mut sampler = sampler(1.0, 1.0, seed);
            let draws = (0..20).map(|_| sampler.choose(&ratings, None));
            draws.collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn a_small_share_leaves_only_the_likeliest() {
        let ratings = [5.0, 4.9, 0.0];
        let mut sampler = sampler(1.0, 0.3, 1);
        for _ in 0..50 {
            assert_eq!(sampler.choose(&ratings, None), Some(0));
        }
    }
}
