//! Values for parameters that a question says: times, numbers, genres, orders.

use std::cell::RefCell;

use serde_json::Value as Json;

use super::{
    Comparison, is_search,
    nouns::noun,
    numbers::number,
    own_words,
    plain::weight,
    reference::{Reference, references},
    searched::{bare, searched},
};
use crate::catalogue::{Operation, Parameter, Parameters, genre_in, has_words, mood_in};

/// What a question says for the parameters of an operation.
pub(crate) struct ValuesRead {
    /// The values.
    pub(crate) values: Parameters,
    /// The words of the question that say them, in lower case.
    pub(crate) words: Vec<String>,
}

/// The values that a question gives for the parameters of an operation. What it does not say is not
/// there; names of things that have to be looked up first are not there either.
pub fn of(question: &str, operation: &Operation) -> Parameters {
    read(question, operation).values
}

/// The same, with the words that say them.
pub(crate) fn read(question: &str, operation: &Operation) -> ValuesRead {
    let said = QuestionWords::new(question);
    let mut values = Parameters::new();
    let mut askable: Vec<&Parameter> = operation.askable().collect();
    let is_direction = |it: &Parameter| it.name == "sort_direction";
    askable.sort_by_key(|it| is_direction(it));
    for parameter in askable {
        // A direction is one of an order: `the least commented` is worked out, not sorted.
        let mut orders = ["sort", "sort_method"]
            .into_iter()
            .filter(|it| operation.parameter(it).is_some())
            .peekable();
        let is_ordered = orders.peek().is_none() || orders.any(|it| values.contains_key(it));
        if is_direction(parameter) && !is_ordered {
            continue;
        }
        if let Some(value) = said.kept(|| said.value(parameter, operation)) {
            values.insert(parameter.name.clone(), value);
        }
    }
    // What is searched for may be called like a genre.
    let query = values
        .get("query")
        .and_then(Json::as_str)
        .map(str::to_lowercase);
    if let (Some(query), Some((_, name))) = (query, genre_in(&said.lower))
        && query.contains(&name)
    {
        values.remove("genre");
    }
    let page = said.kept(|| said.number_behind("page"));
    if let (Some(page), Some(limit)) = (page, operation.parameter("limit")) {
        let limit = values
            .get("limit")
            .cloned()
            .or_else(|| limit.default_value());
        let limit = limit.and_then(|limit| limit.as_u64()).unwrap_or(0);
        if operation.parameter("offset").is_some() && page > 1 {
            values.insert("offset".into(), (page - 1).saturating_mul(limit).into());
        }
    }
    ValuesRead {
        values,
        words: said.used.into_inner(),
    }
}

/// The values that a few words are for the parameters of an operation; nothing if one of them is no value.
pub(crate) fn of_words(words: &str, operation: &Operation) -> Option<Parameters> {
    let read = read(words, operation);
    let own = own_words(words, &[]);
    let is_used = |(at, word): (usize, &String)| {
        let beside = |at: Option<usize>| at.and_then(|at| own.get(at)).map_or("", |it| it);
        let weight = weight(word, beside(at.checked_sub(1)), beside(Some(at + 1)));
        weight.is_plain() || read.words.contains(word)
    };
    let mut values = read.values;
    values.remove("query");
    (!values.is_empty() && own.iter().enumerate().all(is_used)).then_some(values)
}

/// The page that a question asks for.
pub(crate) fn page_in(question: &str) -> Option<u64> {
    let said = QuestionWords::new(question);
    said.number_behind("page").filter(|page| *page > 0)
}

struct QuestionWords<'a> {
    question: &'a str,
    lower: String,
    /// The words besides names: a number in a title is none of records.
    own: Vec<String>,
    comparison: Option<Comparison>,
    /// The words that values were made of.
    used: RefCell<Vec<String>>,
}

impl<'a> QuestionWords<'a> {
    fn new(question: &'a str) -> Self {
        let names = match is_search(question) {
            true => Vec::new(),
            false => references(question),
        };
        let own = own_words(question, &names);
        Self {
            question,
            lower: question.to_lowercase(),
            comparison: Comparison::of(&own, !names.is_empty()).filter(|_| !is_search(question)),
            own,
            used: RefCell::default(),
        }
    }

    /// A value, whose words count as used only if there is one.
    fn kept<T>(&self, find: impl FnOnce() -> Option<T>) -> Option<T> {
        let before = self.used.borrow().len();
        let found = find();
        if found.is_none() {
            self.used.borrow_mut().truncate(before);
        }
        found
    }

    fn uses(&self, text: &str) {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        self.used.borrow_mut().extend(words.map(str::to_lowercase));
    }
}

impl QuestionWords<'_> {
    fn value(&self, parameter: &Parameter, operation: &Operation) -> Option<Json> {
        let values: Vec<&str> = parameter.values.iter().map(|it| &**it).collect();
        Some(match parameter.name.as_str() {
            "time" | "time_range" | "window" => self.time()?.into(),
            "limit" => self.limit(operation)?.into(),
            "offset" => self.number_behind("skip")?.into(),
            "genre" => match genre_in(&self.lower) {
                Some((genre, words)) => {
                    self.uses(&words);
                    self.uses("genre");
                    genre.into()
                }
                // Said, but not known: the check says what is near.
                None => self.unknown_genre()?.into(),
            },
            "mood" => {
                let mood = mood_in(&self.lower)?;
                self.uses(mood);
                mood.into()
            }
            "query" => self.query(operation)?.into(),
            "type" => self.listed("type").filter(|it| values.contains(it))?.into(),
            "kind" | "status" | "event_type" => self.listed(&parameter.name)?.into(),
            "sort_method" | "sort" => self.order(&values, operation)?.into(),
            "sort_direction" => self.direction(operation)?.into(),
            "is_verified" => self.has("verified")?.into(),
            "has_downloads" | "only_downloadable" => {
                self.has("downloadable|with downloads|can download")?.into()
            }
            "bpm_min" => self.bpm()?.0?.into(),
            "bpm_max" => self.bpm()?.1?.into(),
            // Of one coin there is a record; lists are of all.
            "ticker" if parameter.required => self.ticker()?.into(),
            "mint" | "wallet" | "walletId" | "address" | "wallets" => self.address()?.into(),
            "start_time" | "end_time" if !parameter.required => return None,
            "start_time" => self.date(0)?.into(),
            "end_time" => self.date(1)?.into(),
            "url" => match references(self.question).into_iter().next()? {
                Reference::Url(url) => {
                    self.uses(&url);
                    url.into()
                }
                _ => return None,
            },
            "comment_id" | "eventId" | "code" | "prize_id" => {
                match references(self.question).into_iter().next()? {
                    Reference::Id(id) => {
                        self.uses(&id);
                        id.into()
                    }
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    fn has(&self, cues: &str) -> Option<bool> {
        let cue = cues.split('|').find(|cue| has_words(&self.lower, cue))?;
        self.uses(cue);
        Some(true)
    }

    /// The value of a parameter that has words of its own.
    fn listed(&self, parameter: &str) -> Option<&'static str> {
        let mut values = VALUES.iter().filter(|(name, _, _)| *name == parameter);
        let said = values.find(|(_, _, cues)| self.has(cues).is_some());
        said.map(|(_, value, _)| *value)
    }

    /// The end that an order begins with.
    fn direction(&self, operation: &Operation) -> Option<&'static str> {
        let sort = operation.parameter("sort_method");
        let is_priced = sort.is_some_and(|it| it.values.iter().any(|value| value == "price"));
        let priced = || self.listed("price").filter(|_| is_priced);
        self.kept(|| self.listed("direction")).or_else(priced)
    }

    fn time(&self) -> Option<&'static str> {
        for before in ["last", "past", "this"] {
            self.uses(before);
        }
        self.listed("time")
    }

    fn order(&self, values: &[&str], operation: &Operation) -> Option<&'static str> {
        // What is compared is sorted by the API if it can do that, and worked out otherwise.
        if let Some(comparison) = &self.comparison {
            let sort = comparison.sort().filter(|sort| values.contains(sort))?;
            let is_used = operation.parameter("sort").is_none() || values.len() <= 2;
            self.used.borrow_mut().extend(comparison.words.clone());
            return is_used.then_some(sort);
        }
        // Two parameters of one operation are for the same; the one with fewer values is used.
        if operation.parameter("sort").is_some() && values.len() > 2 {
            return None;
        }
        let has = |cues: &str| self.kept(|| self.has(cues)).is_some();
        let fits = |(value, cues): &&(&str, &str)| values.contains(value) && has(cues);
        ORDERS.iter().find(fits).map(|(value, _)| *value)
    }

    /// `top 10`, `5 tracks`, `ten artists`. A number of a yes or no is none of records, nor is that of what is worked
    /// out from all of them.
    fn limit(&self, operation: &Operation) -> Option<u64> {
        let words: Vec<&str> = self.own.iter().map(String::as_str).collect();
        let first = words.first().copied().unwrap_or_default();
        if ["does", "do", "did", "is", "are", "has", "was"].contains(&first) {
            return None;
        }
        if let Some(comparison) = self.comparison.as_ref().filter(|it| it.first.is_some()) {
            self.used.borrow_mut().extend(comparison.words.clone());
            return comparison
                .first
                .filter(|_| comparison.is_sorted_by(operation));
        }
        words.iter().enumerate().find_map(|(at, word)| {
            let number = number(word)?;
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            // `top 3` of what has no order is no number of records.
            let is_top = before.is_some_and(|it| ["top", "best"].contains(it));
            let cue = is_top && operation.is_ranked()
                || before.is_some_and(|it| ["first", "limit"].contains(it));
            let behind = words.iter().skip(at + 1).take(5);
            let counts = behind
                .take_while(|it| **it != "bpm")
                .any(|it| noun(it).is_some())
                // `musicians, five of them`
                || words.get(at + 1..at + 3) == Some(&["of", "them"]);
            let is_time = words
                .get(at + 1)
                .is_some_and(|it| ["days", "months", "weeks"].contains(it));
            if !(cue || counts) || is_time {
                return None;
            }
            self.uses(word);
            if let Some(before) = before.filter(|_| cue) {
                self.uses(before);
            }
            Some(number)
        })
    }

    fn number_behind(&self, cue: &str) -> Option<u64> {
        let words: Vec<&str> = self.own.iter().map(String::as_str).collect();
        let at = words.iter().position(|word| *word == cue)?;
        let said = words.get(at + 1)?;
        let number = number(said)?;
        self.uses(cue);
        self.uses(said);
        Some(number)
    }

    /// `between 120 and 128 bpm`, `over 140 bpm`, `128 bpm`.
    fn bpm(&self) -> Option<(Option<u64>, Option<u64>)> {
        let words: Vec<&str> = self.words().collect();
        let at = words.iter().position(|word| *word == "bpm")?;
        let before = words.get(..at)?;
        self.uses("bpm");
        for word in before.iter().rev().take(4) {
            if number(word).is_some() || TEMPO.contains(word) {
                self.uses(word);
            }
        }
        let numbers: Vec<u64> = before
            .iter()
            .rev()
            .take(4)
            .filter_map(|it| number(it))
            .collect();
        let cue = |cues: &[&str]| before.iter().rev().take(3).any(|word| cues.contains(word));
        match numbers.as_slice() {
            [most, least, ..] if cue(&["and", "to"]) => Some((Some(*least), Some(*most))),
            [one, ..] if cue(&["over", "above", "least", "than"]) => Some((Some(*one), None)),
            [one, ..] if cue(&["under", "below", "most"]) => Some((None, Some(*one))),
            [one, ..] => Some((Some(*one), Some(*one))),
            [] => None,
        }
    }

    /// `$BEAR`, `the ticker BEAR`.
    fn ticker(&self) -> Option<String> {
        let words: Vec<&str> = self.question.split_whitespace().collect();
        let clean = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            word.to_uppercase()
        };
        let marked = words.iter().find(|word| {
            let rest = word.trim_start_matches(['"', '(']).strip_prefix('$');
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic()))
        });
        if let Some(word) = marked {
            self.uses(word);
            return Some(clean(word));
        }
        let at = words
            .iter()
            .position(|word| word.eq_ignore_ascii_case("ticker"));
        if let Some(word) = at.and_then(|at| words.get(at + 1)) {
            self.uses("ticker");
            self.uses(word);
            return Some(clean(word));
        }
        let word = super::reference::ticker_in(&words)?;
        self.uses(word);
        for word in super::reference::COINS.iter().chain(&["much"]) {
            self.uses(word);
        }
        Some(word.to_owned())
    }

    /// An address of a wallet or a mint: long, and of letters and digits.
    fn address(&self) -> Option<String> {
        let words = self.question.split(|c: char| !c.is_ascii_alphanumeric());
        let is_address = |word: &&str| {
            let length = word.len();
            let digits = word.chars().any(|c| c.is_ascii_digit());
            digits && (32..=44).contains(&length)
        };
        let found = words.into_iter().find(is_address)?;
        self.uses(found);
        Some(found.to_owned())
    }

    fn date(&self, number: usize) -> Option<String> {
        let date = self.dates().nth(number)?;
        self.uses(&date);
        Some(date)
    }

    fn dates(&self) -> impl Iterator<Item = String> + '_ {
        let words = self.question.split_whitespace();
        words
            .map(|word| word.trim_matches(|c: char| !c.is_ascii_digit()))
            .filter(|word| {
                let parts: Vec<&str> = word.split('-').collect();
                matches!(parts.as_slice(), [year, month, day]
                    if year.len() == 4 && month.len() == 2 && day.len() == 2)
                    && word.chars().all(|c| c.is_ascii_digit() || c == '-')
            })
            .map(str::to_owned)
    }

    /// The word beside `genre` that is no genre.
    fn unknown_genre(&self) -> Option<String> {
        let words: Vec<&str> = self.words().collect();
        let at = words.iter().position(|word| *word == "genre")?;
        let plain = |word: &&&str| !crate::catalogue::is_known(word);
        let behind = words.get(at + 1).filter(plain);
        let before = at.checked_sub(1).and_then(|at| words.get(at)).filter(plain);
        let found = behind.or(before)?;
        self.uses(found);
        self.uses("genre");
        Some((*found).to_owned())
    }

    /// What is searched for: what is quoted, else what is behind `for`, `about`, `called`, `tagged`.
    fn query(&self, operation: &Operation) -> Option<String> {
        if !operation.id.to_lowercase().contains("search") {
            return None;
        }
        if let Some(Reference::Name(name)) = references(self.question).into_iter().next()
            && self.question.contains(['"', '“', '«', '„'])
        {
            self.uses(&name);
            return Some(name);
        }
        // `with the most tracks` and `with fewer than ten tracks` are compared, not searched for.
        let is_limited = !is_search(self.question) && self.own.iter().any(|word| word == "than");
        if self.comparison.is_some() || is_limited {
            return None;
        }
        let cues = [
            " tagged with ", " tagged ", " with the tag ", " called ", " named ", " matching ",
            " about ", " for ", " with ",
        ];
        let behind = cues.iter().find_map(|cue| {
            let at = self.lower.find(cue)? + cue.len();
            self.question.get(at..)
        });
        let behind = behind.or_else(|| bare(self.question))?;
        let ends = [
            " in the genre", " sorted", " by popularity", " on audius", " between ", " over ",
        ];
        let lower = behind.to_lowercase();
        let end = ends.iter().filter_map(|end| lower.find(end)).min();
        let text = behind.get(..end.unwrap_or(behind.len())).unwrap_or(behind);
        let whole = text;
        let text = searched(text)?;
        // Of several tags no operation takes more than one.
        if self.lower.contains(" tag") && text.contains(" and ") {
            return None;
        }
        self.uses(whole);
        Some(text.to_owned())
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        let words = self.lower.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty())
    }
}

/// A parameter, one of its values, and the words that say it.
const VALUES: &[(&str, &str, &str)] = &[
    (
        "time",
        "allTime",
        "all time|all-time|ever|alltime|of all times",
    ),
    ("time", "year", "year|yearly|12 months"),
    ("time", "month", "month|monthly|30 days"),
    ("time", "week", "week|weekly|7 days|right now"),
    ("kind", "albums", "album|albums"),
    ("kind", "playlists", "playlist|playlists"),
    ("kind", "users", "artist|artists|user|users"),
    ("kind", "tracks", "track|tracks|song|songs"),
    ("type", "album", "album|albums"),
    ("type", "playlist", "playlist|playlists"),
    ("type", "track", "track|tracks|song|songs"),
    ("status", "ended", "ended|over|finished|past"),
    ("status", "active", "active|running|open|current"),
    ("event_type", "live_event", "live events|live event"),
    (
        "event_type", "remix_contest", "remix contest|remix contests",
    ),
    ("event_type", "new_release", "new release|new releases"),
    ("direction", "asc", "ascending|lowest|oldest|least"),
    ("direction", "desc", "descending|highest"),
    // Prices have words of their own.
    ("price", "asc", "cheapest|smallest|fewest|cheap"),
    ("price", "desc", "most|expensive|largest|biggest|newest"),
];

const POPULAR: &str = "most popular|popular|top|best";
const NEW: &str = "newest|latest|most recent|recent|new";

/// Orders, and the words that ask for them.
const ORDERS: [(&str, &str); 14] = [
    ("market_cap", "market cap"),
    ("price", "price|priced|expensive|cheapest|cheap"),
    ("volume", "volume"),
    ("holder", "holders|holder|held"),
    ("created_at", "newest|oldest|latest"),
    ("plays", POPULAR),
    ("popular", POPULAR),
    ("likes", "likes|favorites"),
    ("newest", NEW),
    ("recent", NEW),
    ("date", NEW),
    ("release_date", "newest|latest"),
    ("title", "alphabetically|by title"),
    ("top", "top|best|popular"),
];

/// Words that say a range of tempo.
const TEMPO: [&str; 9] = [
    "and", "to", "over", "above", "least", "than", "under", "below", "between",
];
