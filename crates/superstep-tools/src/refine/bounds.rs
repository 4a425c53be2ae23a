//! What a refining analysis takes: calls and tokens, known before the first call.
//!
//! How often the model is called at most follows from the graph: look-ups, repairs of data that cannot be read, and
//! questions that are answered apart are counted. Replies have a limit. What is read is counted in bytes, and how many
//! tokens a tokenizer makes of them is assumed.

use serde::{Deserialize, Serialize};
use superstep_model::Usage;

use super::{
    calling::RETRIES,
    config::RefineConfig,
    nodes::{INSTRUCTIONS, LONGEST, MOST_GAPS, MOST_QUESTIONS},
};

/// Bytes of a token, usually; and in text that tokenizers make many tokens of.
const BYTES: u64 = 4;
const FEWEST_BYTES: u64 = 2;

/// Tokens that a provider adds to a call: roles, tools, the schema of a reply.
const FRAME: u64 = 1_000;

/// About so many tokens an analysis has, and data such as grades.
const ANALYSIS: u64 = 1_500;
const DATA: u64 = 200;

/// How large an analysis is before it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of its instructions, what is analyzed and its criteria.
    pub prompt: u64,
    /// Bytes that tools give at most, in all of it; nothing if there are no tools.
    pub looked_up: Option<u64>,
    /// Bytes that a review attaches at most: cited lines, and what it looks up in all rounds.
    pub attached: u64,
    /// Whether the model fills in a form.
    pub has_form: bool,
}

/// What calls take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Takes {
    /// Calls of the model, without attempts that failed on the way.
    pub calls: u32,
    /// Their tokens.
    #[serde(flatten)]
    pub usage: Usage,
}

/// Calls of one kind.
#[derive(Clone, Copy)]
struct Step {
    calls: u64,
    /// How often it is done.
    times: u64,
}

impl RefineConfig {
    /// What an analysis takes at most. A token is taken to have at least two bytes of what is read.
    pub fn at_most(&self, sizes: &Sizes) -> Takes {
        let turns = match sizes.looked_up {
            Some(_) => u64::from(self.tool_turns),
            None => 0,
        };
        let (repaired, looked) = (1 + u64::from(RETRIES), 1 + turns);
        let written = match sizes.has_form {
            true => repaired,
            false => looked,
        };
        let rounds = match self.enable_self_questioning {
            true => u64::from(self.max_iterations),
            false => 0,
        };
        let answers = match self.parallel_answers {
            true => number(MOST_QUESTIONS),
            false => 0,
        };
        let graded = u64::from(self.enable_self_questioning);
        let steps = [
            // Analyses, reviews, answers.
            Step {
                calls: written,
                times: 1 + rounds,
            },
            Step {
                calls: repaired,
                times: graded + rounds,
            },
            Step {
                calls: looked,
                times: rounds.saturating_mul(answers),
            },
        ];
        let reply = u64::from(self.max_tokens.unwrap_or(u32::MAX));
        let lists = number(MOST_GAPS + MOST_QUESTIONS)
            .saturating_add(number(MOST_QUESTIONS).saturating_mul(rounds + 2))
            .saturating_mul(number(LONGEST));
        // What was looked up stays in later prompts.
        let kept = sizes.attached.saturating_add(sizes.looked_up.unwrap_or(0));
        let read = (sizes.prompt.saturating_add(lists) + number(INSTRUCTIONS)).saturating_add(kept);
        // The analysis, what of it is refuted and why, and answers.
        let before = reply.saturating_mul(3 + answers);
        let first = (read.div_ceil(FEWEST_BYTES) + FRAME).saturating_add(before);
        let (mut calls, mut input) = (0_u64, 0_u64);
        for Step { calls: each, times } in steps {
            calls = calls.saturating_add(each.saturating_mul(times));
            // A call that follows another of its step reads its reply, and what was said to that.
            let followed = each.saturating_mul(each.saturating_sub(1)) / 2;
            let more = followed.saturating_mul(reply.saturating_mul(3).saturating_add(FRAME));
            let step = first.saturating_mul(each).saturating_add(more);
            input = input.saturating_add(step.saturating_mul(times));
        }
        let looked_up = sizes.looked_up.unwrap_or(0).div_ceil(FEWEST_BYTES);
        Takes {
            calls: u32::try_from(calls).unwrap_or(u32::MAX),
            usage: Usage {
                input: input.saturating_add(looked_up.saturating_mul(turns)),
                output: reply.saturating_mul(calls),
                ..Usage::default()
            },
        }
    }

    /// What an analysis takes that is refined once, if it may be, without look-ups and repairs.
    pub fn refined_once(&self, sizes: &Sizes) -> Takes {
        let prompt = sizes.prompt.div_ceil(BYTES);
        let most = u64::from(self.max_tokens.unwrap_or(u32::MAX));
        let (analysis, data) = (ANALYSIS.min(most), DATA.min(most));
        let round = match self.max_iterations {
            0 => 0,
            _ => u64::from(self.enable_self_questioning),
        };
        let graded = u64::from(self.enable_self_questioning) + round;
        let answers = match self.parallel_answers {
            true => round * number(MOST_QUESTIONS),
            false => 0,
        };
        let writes = 1 + round + answers;
        let input = prompt * writes + analysis * (round + graded + answers);
        Takes {
            calls: u32::try_from(writes + graded).unwrap_or(u32::MAX),
            usage: Usage {
                input,
                output: analysis * writes + data * graded,
                ..Usage::default()
            },
        }
    }

    /// How many calls an analysis makes that is good enough at once.
    pub fn fewest_calls(&self) -> u32 {
        1 + u32::from(self.enable_self_questioning)
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_two_and_two_for_each_round_with_look_ups_and_repairs() {
        let config = |max_iterations, parallel_answers| RefineConfig {
            max_iterations,
            parallel_answers,
            max_tokens: Some(1_000),
            ..RefineConfig::default()
        };
        let sizes = |looked_up, has_form| Sizes {
            prompt: 4_000,
            looked_up,
            attached: 0,
            has_form,
        };
        let calls = |config: RefineConfig, sizes| config.at_most(&sizes).calls;
        assert_eq!(calls(config(0, false), sizes(None, false)), 1 + 2);
        assert_eq!(calls(config(2, false), sizes(None, false)), 3 + 2 * 3);
        assert_eq!(calls(config(2, false), sizes(Some(9), false)), 7 + 2 * 7);
        assert_eq!(calls(config(2, false), sizes(None, true)), 4 + 2 * 4);
        assert_eq!(calls(config(1, true), sizes(Some(9), false)), 7 + 7 + 5 * 5);
        let alone = RefineConfig {
            enable_self_questioning: false,
            ..config(3, true)
        };
        assert_eq!(calls(alone.clone(), sizes(None, false)), 1);
        assert_eq!(alone.refined_once(&sizes(None, false)).calls, 1);
        assert_eq!(config(3, false).refined_once(&sizes(None, false)).calls, 4);
        let most = config(3, false).at_most(&sizes(None, false));
        assert_eq!(most.usage.output, u64::from(most.calls) * 1_000);
    }
}
