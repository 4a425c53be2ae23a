//! Words that questions are held together by, and what is said out of politeness. They ask for nothing: no search uses them,
//! and no account of a question's words misses them.

use std::{collections::HashSet, sync::LazyLock};

const WORDS: &str = "
    a about actually am an and are as at audius basically be been being bring by called can could currently data
    describe detail details did display do does doing done exactly fetch find for from get gets getting gimme
    give go got gotten had has have having he hello her here hers hey hi him his how if in info information into
    is it its just kindly know let lets list look looking may maybe might must name named names need now of off
    ok okay on one only onto or out over perhaps platform please pls plz print pull put quickly really right see
    shall she should show simply site so tell thank thanks that the their theirs them then there they this
    titled to try up want wants was well were what whats whether which who whom whos whose will with would yo
    you your
";

static FILLERS: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());

/// Whether a word in lower case asks for nothing.
pub(crate) fn is_filler(word: &str) -> bool {
    FILLERS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_hold_questions_together_are_fillers() {
        assert!(is_filler("the") && is_filler("please"));
        assert!(!is_filler("most") && !is_filler("tracks"));
    }
}
