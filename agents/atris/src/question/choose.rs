//! The operation for a question, by rules: what is asked of a known thing is in its own record, and for
//! the rest the best of the search.

use super::{
    Account, Aspect, Comparison, Computation, Maker, Understanding,
    direction::directed,
    earlier, is_search, maker_of, own_words,
    plain::{is_asker_in, weight},
    reference::Reference,
    values, wants_write,
    writes::ordered,
};
use crate::catalogue::{Candidate, Catalogue, Clues, EntityType, Operation, tokens};

/// What the best candidate must score; below it nothing fits.
const LEAST: f64 = 0.62;

/// How many candidates are given to a model.
const CANDIDATES: usize = 8;

/// Which part of the best score a candidate must have to be taken because it leaves no word.
const NEAR: f64 = 0.4;

/// How many are looked at more closely.
const CONSIDERED: usize = 24;

/// Words of operations that nobody means without saying so, with what else says so: what somebody listened to
/// is no answer to a question about plays.
const MEANT: [(&str, &[&str]); 12] = [
    (
        "recommended",
        &[
            "recommend", "recommendation", "suggest", "suggestion", "listen",
        ],
    ),
    ("history", &["listen", "listening", "heard"]),
    ("library", &[]),
    ("feed", &[]),
    ("wallet", &[]),
    ("collectible", &["nft"]),
    ("challenge", &["reward"]),
    ("app", &[]),
    ("notification", &[]),
    (
        "purchase",
        &["buy", "bought", "sale", "paid", "premium", "purchasable"],
    ),
    ("sale", &["sold", "selling"]),
    ("transaction", &[]),
];

/// The operations for a question.
#[derive(Debug)]
pub struct Choice<'a> {
    /// Those that may fit, best first.
    pub candidates: Vec<Candidate<'a>>,
    /// The one that the rules choose; nothing if none fits.
    pub best: Option<&'a Operation>,
}

/// Chooses among the operations of the catalogue.
pub fn choose<'a>(
    catalogue: &'a Catalogue,
    question: &str,
    understood: &Understanding,
    writes: bool,
) -> Choice<'a> {
    let clues = Clues {
        entity: understood.entity_type,
        writes: writes && wants_write(question),
    };
    let words = words(question, understood);
    let mut candidates = catalogue.search(&words, &clues, CONSIDERED);
    for candidate in &mut candidates {
        candidate.score *= closeness(question, candidate.operation);
    }
    // What all have the most of is none of the lists of one.
    let is_of_all = understood.is_of_all();
    candidates.retain(|it| !is_of_all || it.operation.entity().is_none());
    // `the most played remix` is none of those that may be remixed.
    candidates.retain(|it| !is_of_all || !it.operation.id.contains("Remixable"));
    // What is compared must be a field of the records.
    let compared = understood.computation.and_then(Computation::compared);
    candidates.retain(|it| compared.is_none_or(|aspect| is_told(catalogue, it.operation, aspect)));
    // A number is no answer to a question for a list.
    let is_counted = is_counted(question);
    candidates.retain(|it| is_counted || !it.operation.id.contains("Count"));
    // The account of whoever asks is meant by those who say so.
    let is_asker = is_asker_in(question);
    candidates.retain(|it| {
        let is_own = it.operation.is_private() && it.operation.entity().is_none();
        !is_own || is_asker
    });
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    candidates.truncate(CANDIDATES);
    let own = match clues.writes {
        true => ordered(question, understood),
        false => record(question, understood).or_else(|| directed(question, understood)),
    };
    let own = own.and_then(|id| catalogue.operation(id));
    let best = match own {
        Some(own) => Some(own),
        None => whole(catalogue, question, understood, &candidates).or_else(|| {
            if is_of_all {
                return of_all(catalogue, question, understood);
            }
            let best = candidates.first().filter(|best| best.score >= LEAST);
            let best = best.map(|best| best.operation);
            best.filter(|best| names_needs(question, best))
        }),
    };
    let is_order = clues.writes && own.is_some();
    let best = best.filter(|_| is_order || bare_kind(question, understood).is_none());
    let best = best.filter(|_| is_order || is_about_audius(catalogue, question, understood));
    let best = best.map(|best| by_handle(catalogue, best, understood));
    if let Some(best) = best
        && !candidates.iter().any(|known| known.operation.id == best.id)
    {
        let score = candidates.first().map_or(1.0, |first| first.score);
        let operation = best;
        candidates.insert(0, Candidate { operation, score });
        candidates.truncate(CANDIDATES);
    }
    Choice { candidates, best }
}

/// Whether a question names what an operation needs besides what it is about: nobody is asked for the id of an event
/// in a question that has no word of events.
fn names_needs(question: &str, operation: &Operation) -> bool {
    let said = values::of(question, operation);
    let asked = tokens(question);
    operation.needs().all(|it| {
        let is_id = it.name.to_lowercase().ends_with("id");
        let noun = it.name.to_lowercase();
        let noun = noun.trim_end_matches("id").trim_end_matches('_');
        !is_id || said.contains_key(&it.name) || asked.iter().any(|word| word == noun)
    })
}

/// The list that stands for all there are of what is compared, if it uses every word: no operation has them all.
fn of_all<'a>(
    catalogue: &'a Catalogue,
    question: &str,
    understood: &Understanding,
) -> Option<&'a Operation> {
    let words = own_words(question, &[]);
    let comparison = Comparison::of(&words, false);
    let things = comparison.as_ref().map(|it| it.rest(&words));
    let asked = tokens(&things.unwrap_or_default().join(" "));
    let is_people = words.first().is_some_and(|word| word == "who");
    let has = |kind: &str| asked.iter().any(|word| word == kind);
    let id = match (has("playlist") || has("album"), has("user") || is_people) {
        (true, _) => "getTrendingPlaylists",
        (_, true) => "getTopUsers",
        _ => "getTrendingTracks",
    };
    let operation = catalogue.operation(id)?;
    let is_told = comparison.is_some_and(|it| is_told(catalogue, operation, it.aspect));
    if !is_told {
        return None;
    }
    let account = Account::of(catalogue, question, understood, operation);
    account.left.is_empty().then_some(operation)
}

/// Whether the records that an operation answers with have a field for what is compared.
fn is_told(catalogue: &Catalogue, operation: &Operation, aspect: Aspect) -> bool {
    let kinds = [EntityType::User, EntityType::Track, EntityType::Playlist];
    let mut fields = kinds.into_iter().filter_map(|kind| aspect.field(kind));
    fields.any(|field| catalogue.tells(operation, field))
}

/// Whether a question wants a number.
fn is_counted(question: &str) -> bool {
    let lower = question.to_lowercase();
    let mut cues = "how many|how often|number|count|how much|downloads|total".split('|');
    cues.any(|cue| lower.contains(cue))
}

/// Kinds of things: a word for one of them alone asks for all there are, which no operation gives.
const KINDS: [&str; 4] = ["track", "user", "playlist", "album"];

/// The kind of things that a question asks for without saying which of them.
pub(crate) fn bare_kind(question: &str, understood: &Understanding) -> Option<String> {
    if !understood.references.is_empty() || understood.is_compared() {
        return None;
    }
    let own = tokens(&own_words(question, &[]).join(" "));
    let is_kind = |word: &String| KINDS.contains(&word.as_str());
    let first = own.first()?.clone();
    own.iter().all(is_kind).then_some(first)
}

/// The best candidate that leaves no word of the question, unless it fits much worse than the best one.
fn whole<'a>(
    catalogue: &'a Catalogue,
    question: &str,
    understood: &Understanding,
    candidates: &[Candidate<'a>],
) -> Option<&'a Operation> {
    let most = candidates.first()?.score;
    let mut near = candidates
        .iter()
        .filter(|it| it.score >= LEAST && it.score >= most * NEAR);
    let is_whole = |it: &&Candidate<'_>| {
        // A search for nothing leaves no word, and answers nothing.
        let values = values::of(question, it.operation);
        let is_filter =
            |name: &String| !["sort_method", "limit", "offset", "kind"].contains(&&**name);
        if it.operation.id.starts_with("search") && !values.keys().any(is_filter) {
            return false;
        }
        // What needs more than the question says was not meant by a word that it happens to know.
        let mut needs = it.operation.needs();
        if it.operation.is_read() && !needs.all(|it| values.contains_key(&it.name)) {
            return false;
        }
        let account = Account::of(catalogue, question, understood, it.operation);
        account.left.is_empty()
    };
    near.find(is_whole).map(|it| it.operation)
}

/// The question without what it names (a track called `Trending` is not about trends), and with what
/// its turns of phrase mean.
fn words(question: &str, understood: &Understanding) -> String {
    let mut words = without_names(question, understood);
    // Of what belongs to somebody, the words of a comparison say by what, not what: `the most followed follower of X`.
    if understood.is_compared() && !understood.references.is_empty() {
        let own = own_words(question, &understood.references);
        let comparison = Comparison::of(&own, true);
        words = comparison.map_or(words, |it| it.rest(&own).join(" "));
    }
    // Words for whoever made something are no subject.
    if let Some(maker @ Maker::Subject(_)) = maker_of(question, &understood.references) {
        let said = maker.words();
        let kept = words.split_whitespace().filter(|word| {
            let word = word.to_lowercase();
            !said.contains(&word)
        });
        words = kept.collect::<Vec<_>>().join(" ");
    }
    let lower = words.to_lowercase();
    let has = |cue: &str| crate::catalogue::has_words(&lower, cue);
    if let Some(entity) = understood.entity_type {
        words.push(' ');
        words.push_str(entity.name());
    }
    let is_inside = ["in", "on", "inside"].iter().any(|cue| has(cue));
    if understood.entity_type == Some(EntityType::Playlist) && is_inside {
        words.push_str(" tracks");
    }
    if is_search(question) {
        words.push_str(" search");
    }
    // A time is no subject; operations have parameters for it.
    for time in [
        "in the last", "of the last", "of the past", "the past", "30 days", "7 days", "12 months",
    ] {
        if has(time) {
            words = words.replace(time, " ");
        }
    }
    if has("follow") && (has("does") || has("do")) {
        words = words.replace("follow", "following");
    } else if has("follows") {
        words = words.replace("follows", "followers");
    }
    words
}

fn without_names(question: &str, understood: &Understanding) -> String {
    // Words for something earlier are no words of operations anyway.
    let names = understood.references.iter();
    let names = names.filter(|it| !matches!(it, Reference::Earlier(_)));
    let words = names.fold(question.to_owned(), |words, name| match name {
        Reference::By { name, by } => words.replace(name, " ").replace(by, " "),
        name => words.replace(name.text(), " "),
    });
    // A link is kept in another form than it is written in.
    let words = words.split_whitespace();
    words
        .filter(|word| !word.contains("audius.co/"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a question has a word that some operation has, or nothing but a name.
fn is_about_audius(catalogue: &Catalogue, question: &str, understood: &Understanding) -> bool {
    if understood.aspect.is_some() && !understood.references.is_empty() {
        return true;
    }
    if is_bare_place(question, understood) || maker_of(question, &understood.references).is_some() {
        return true;
    }
    let own = without_names(question, understood);
    let is_named = |it: &Reference| !matches!(it, Reference::Earlier(_));
    match tokens(&own).is_empty() {
        true => understood.references.iter().any(is_named),
        false => !catalogue.search(&own, &Clues::default(), 1).is_empty() || is_search(question),
    }
}

/// How well the parameters of an operation fit what a question says.
fn closeness(question: &str, operation: &Operation) -> f64 {
    let mut close = 1.0;
    let said = values::of(question, operation);
    for parameter in operation.needs() {
        close *= match said.contains_key(&parameter.name) {
            true => 2.2,
            false => 0.9,
        };
    }
    let asked = tokens(question);
    let own = tokens(&operation.id_words());
    for (word, others) in MEANT {
        let is_said = |it: &String| it == word || others.contains(&it.as_str());
        if own.iter().any(|it| it == word) && !asked.iter().any(is_said) {
            close *= 0.1;
        }
    }
    close
}

/// The record of a thing, if the question asks for one of its fields or for the thing itself.
fn record(question: &str, understood: &Understanding) -> Option<&'static str> {
    let first = understood.references.first()?;
    // A link alone; with other words it is what they are about.
    let is_bare = || tokens(&own_words(question, &understood.references).join(" ")).is_empty();
    if matches!(first, Reference::Url(_)) && understood.aspect.is_none() && is_bare() {
        return directed(question, understood).or(Some("resolve"));
    }
    let entity = understood.entity_type?;
    let is_maker = matches!(
        maker_of(question, &understood.references),
        Some(Maker::Asked(_))
    );
    if !is_maker && !is_bare_place(question, understood) {
        understood.aspect?.field(entity)?;
    }
    Some(match entity {
        EntityType::User => "getUser",
        EntityType::Track => "getTrack",
        EntityType::Playlist => "getPlaylist",
    })
}

/// Whether a question is a place in an earlier list and nothing else: `the third one`.
fn is_bare_place(question: &str, understood: &Understanding) -> bool {
    let [Reference::Earlier(word)] = understood.references.as_slice() else {
        return false;
    };
    let words = own_words(question, &understood.references);
    let is_plain = |word: &String| weight(word, "", "").is_plain();
    earlier::is_listed(word) && words.iter().all(is_plain)
}

/// The same operation by handle, where there is one and a handle is known: that saves a call.
pub(crate) fn by_handle<'a>(
    catalogue: &'a Catalogue,
    operation: &'a Operation,
    understood: &Understanding,
) -> &'a Operation {
    let [Reference::Handle(_)] = understood.references.as_slice() else {
        return operation;
    };
    let id = match operation.id.as_str() {
        "getUser" => "getUserByHandle",
        "getTracksByUser" => "getTracksByUserHandle",
        "getReposts" => "getRepostsByHandle",
        _ => return operation,
    };
    catalogue.operation(id).unwrap_or(operation)
}
