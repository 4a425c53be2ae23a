//! What is worked out from a whole reply: how many records it has, or which of them has the most or the
//! least of something.

use serde::{Deserialize, Serialize};

use super::aspect::Aspect;
use crate::catalogue::has_words;

/// Something that is worked out from the records of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "field")]
pub enum Computation {
    /// How many there are.
    Count,
    /// Which has the most.
    Most(Aspect),
    /// Which has the least.
    Least(Aspect),
}

use Computation::{Count, Least, Most};

/// What asks for it: one of these words. Plays are not here: the API sorts by them.
const CUES: &[(&[&str], Computation)] = &[
    (&["longest"], Most(Aspect::Duration)),
    (&["shortest"], Least(Aspect::Duration)),
    (
        &["most reposts", "most reposted", "reposted most"],
        Most(Aspect::Reposts),
    ),
    (
        &["fewest reposts", "least reposts", "least reposted"],
        Least(Aspect::Reposts),
    ),
    (
        &[
            "most favorites",
            "most favourites",
            "most likes",
            "most liked",
            "most favorited",
            "liked most",
            "favorited most",
        ],
        Most(Aspect::Favorites),
    ),
    (
        &[
            "fewest favorites",
            "fewest likes",
            "least likes",
            "least liked",
            "least favorited",
        ],
        Least(Aspect::Favorites),
    ),
    (
        &["most comments", "most commented", "commented most"],
        Most(Aspect::Comments),
    ),
    (
        &["fewest comments", "least comments", "least commented"],
        Least(Aspect::Comments),
    ),
    (
        &["most followers", "most followed"],
        Most(Aspect::Followers),
    ),
    (
        &["fewest followers", "least followers", "least followed"],
        Least(Aspect::Followers),
    ),
    (
        &["fewest plays", "least plays", "least played"],
        Least(Aspect::Plays),
    ),
    (&["fastest", "highest bpm"], Most(Aspect::Bpm)),
    (&["slowest", "lowest bpm"], Least(Aspect::Bpm)),
    (&["oldest"], Least(Aspect::ReleaseDate)),
];

const COUNTS: [&str; 4] = ["how many", "number of", "count of", "count the"];

impl Computation {
    /// What a question wants worked out. A number that is a field of a record needs no counting.
    pub fn of(question: &str, aspect: Option<Aspect>) -> Option<Self> {
        let lower = question.to_lowercase();
        let has = |cues: &[&str]| cues.iter().any(|cue| has_words(&lower, cue));
        let extreme = CUES.iter().find(|(cues, _)| has(cues));
        match extreme {
            Some((_, computation)) => Some(*computation),
            None => (aspect.is_none() && has(&COUNTS)).then_some(Count),
        }
    }

    /// The words of a question that ask for this.
    pub(super) fn words_in(question: &str, computation: Self) -> Vec<&'static str> {
        let lower = question.to_lowercase();
        let own = CUES.iter().filter(|(_, it)| *it == computation);
        let own = own.flat_map(|(cues, _)| cues.iter());
        let counts = COUNTS.iter().filter(|_| computation == Count);
        let said = own.chain(counts).filter(|cue| has_words(&lower, cue));
        said.flat_map(|cue| cue.split(' ')).collect()
    }

    /// Its name, for people.
    pub fn name(self) -> String {
        match self {
            Count => "count".to_owned(),
            Most(aspect) => format!("most {}", aspect.name()),
            Least(aspect) => format!("least {}", aspect.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_worked_out_is_found() {
        let of = |question: &str| Computation::of(question, Aspect::of(question));
        assert_eq!(
            of("longest track by Nova Kane"),
            Some(Most(Aspect::Duration))
        );
        assert_eq!(of("her least played song"), Some(Least(Aspect::Plays)));
        assert_eq!(of("how many remixes does it have"), Some(Count));
        assert_eq!(of("how many followers does she have"), None);
        assert_eq!(of("trending tracks"), None);
    }
}
