//! The account of a question's words: each word that asks for something is used by the plan, or it is left.
//!
//! A word is used by what is named, by the field that is asked for, by what is worked out, by the value of a
//! parameter, or by the operation itself, which knows the words of its id, its path, its phrases and
//! `data/words.json`. A question with words left would be answered as another one, so it is refused and they are
//! named. Words of taste (`plain`) change nothing and are told with the answer.
//!
//! An order is judged by what its operation takes: one thing of a kind, and what a body can be said for. Whatever makes more
//! of it (`everyone`, `the tracks of`) is left.

use superstep::model::did_you_mean;

use super::{
    Aspect, Comparison, Computation, Maker, Reference, Understanding, aspect_of, maker_of,
    nouns::kind_of,
    own_words,
    plain::{Weight, is_asker, weight},
    values, verb,
};
use crate::catalogue::{Catalogue, EntityType, GENRES, MOODS, Operation, is_known, tokens};

/// Subjects that are one: who does it to whom is told by the order of the words.
const SAME_SUBJECT: [&[&str]; 4] = [
    &["follow", "follower", "following"],
    &["supporter", "supporting", "tip"],
    &["listen", "listener", "history"],
    &["purchase", "sale", "selling"],
];

/// Words that make a sum of a number, which a count is already.
const SUMS: [&str; 3] = ["total", "altogether", "overall"];

/// Words that want what comes first by some measure: an operation that knows them must be in that order.
const RANKS: [&str; 22] = [
    "top", "best", "biggest", "greatest", "largest", "smallest", "hottest", "finest", "worst",
    "most", "least", "fewest", "highest", "lowest", "longest", "shortest", "fastest", "slowest",
    "popular", "leading", "maximum", "minimum",
];

/// The same by date.
const DATES: [&str; 6] = ["newest", "latest", "oldest", "recent", "new", "earliest"];

/// What is said of whoever made things that are counted.
const MADE: [&str; 6] = [
    "made", "released", "uploaded", "published", "created", "put",
];

/// What is between two names that a question is about.
const JOINS: [&str; 9] = [
    ",", "&", " and ", " or ", " vs", " versus ", " than ", " with ", " to ",
];

/// The most words that are named.
const MOST: usize = 6;

/// The fewest letters of a word that another one is suggested for.
const LEAST_LETTERS: usize = 4;

/// What became of the words of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Words that ask for something and that nothing was made of, as they were written but in lower case.
    pub left: Vec<String>,
    /// Words that nothing was made of and that change nothing.
    pub vague: Vec<String>,
}

impl Account {
    /// The account of a question that is answered by an operation.
    pub fn of(
        catalogue: &Catalogue,
        question: &str,
        understood: &Understanding,
        operation: &Operation,
    ) -> Self {
        let plan = Plan::of(catalogue, question, understood, operation);
        let words = own_words(question, &understood.references);
        let mut account = Self::default();
        account.left.extend(plan.names_left());
        account.left.extend(plan.second.iter().cloned());
        for (at, word) in words.iter().enumerate() {
            let beside = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |it| it);
            let before = beside(at.checked_sub(1));
            let weight = weight(word, before, beside(Some(at + 1)));
            let is_order = !operation.is_read();
            let list = match weight {
                Weight::Plain if at == 0 && plan.leaves_people(word) => &mut account.left,
                Weight::Whoever if is_order => &mut account.left,
                Weight::Plain | Weight::Whoever => continue,
                Weight::Vague => &mut account.vague,
                Weight::Asker | Weight::Content => &mut account.left,
            };
            let is_used = match weight {
                Weight::Plain => false,
                Weight::Asker => operation.is_private() || plan.says(word),
                _ if is_order => plan.takes(word),
                _ => plan.uses(word) && !plan.is_second_follow(word, &words),
            };
            if !is_used && !list.contains(word) && list.len() < MOST {
                list.push(word.clone());
            }
        }
        account
    }

    /// What is left, in words for the person, with what may have been meant.
    pub fn refusal(&self, catalogue: &Catalogue, operation: &Operation) -> Option<String> {
        if self.left.is_empty() {
            return None;
        }
        if let Some(word) = self.left.iter().find(|word| is_asker(word)) {
            return Some(format!(
                "\"{word}\": who you are is not known; name the user or the handle"
            ));
        }
        let words: Vec<String> = self.left.iter().map(|word| format!("\"{word}\"")).collect();
        let meant = suggestions(catalogue, &self.left);
        Some(format!(
            "{}: nothing was made of {them}; without {them} the question would be: {}{meant}",
            words.join(", "),
            catalogue.in_words(operation),
            them = it_or_them(words.len()),
        ))
    }
}

fn it_or_them(count: usize) -> &'static str {
    match count {
        1 => "it",
        _ => "them",
    }
}

/// `; did you mean "followers"?` for words that are nearly one that questions are made of.
pub(crate) fn suggestions(catalogue: &Catalogue, words: &[String]) -> String {
    let sounds = GENRES.iter().chain(&MOODS).copied();
    let known: Vec<&str> = catalogue.vocabulary().chain(sounds).collect();
    let long = |word: &&str| word.len() >= LEAST_LETTERS;
    let meant: Vec<String> = words
        .iter()
        .filter(|word| word.len() >= LEAST_LETTERS && !is_known(word))
        // What is a word already is no slip of the pen.
        .filter(|word| !known.contains(&word.as_str()))
        .filter_map(|word| did_you_mean::nearest(word, known.iter().copied().filter(long)))
        .map(|meant| format!("\"{meant}\""))
        .collect();
    match meant.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", meant.join(", ")),
    }
}

/// What is going to be done with a question, as far as its words go.
struct Plan<'a> {
    catalogue: &'a Catalogue,
    operation: &'a Operation,
    understood: &'a Understanding,
    /// Words of the field, of what is worked out, and of values.
    words: Vec<String>,
    /// Whether it asks who made something.
    is_maker_asked: bool,
    /// Those of a comparison.
    compared: Vec<String>,
    /// Those of a second one, which one answer says nothing of.
    second: Vec<String>,
    /// The values, as texts in lower case.
    values: Vec<String>,
    /// The question in lower case.
    question: String,
}

impl<'a> Plan<'a> {
    fn of(
        catalogue: &'a Catalogue,
        question: &str,
        understood: &'a Understanding,
        operation: &'a Operation,
    ) -> Self {
        let read = values::read(question, operation);
        let mut words = read.words;
        let is_record = operation.is_record();
        let is_count = operation.id.contains("Count");
        if let (Some(aspect), true) = (understood.aspect, is_record || is_count) {
            let said = aspect_of(question, &understood.references);
            words.extend(said.into_iter().flat_map(|it| it.1));
            // Of two things the numbers are compared, not added.
            if aspect.is_count() && understood.references.len() == 1 {
                words.extend(SUMS.map(str::to_owned));
            }
        }
        let own = own_words(question, &understood.references);
        let comparison = Comparison::of(&own, !understood.references.is_empty());
        let is_compared = understood.aspect.is_some() && understood.references.len() > 1;
        let second = comparison.as_ref().map(|it| it.second(&own));
        // Whoever has the most tracks has made them.
        let made = [Aspect::Tracks, Aspect::Albums, Aspect::Playlists];
        if comparison
            .as_ref()
            .is_some_and(|it| made.contains(&it.aspect))
        {
            words.extend(MADE.map(str::to_owned));
        }
        let said = || {
            comparison
                .as_ref()
                .map(|it| it.words.clone())
                .unwrap_or_default()
        };
        let compared = match understood.computation {
            Some(Computation::Count) => {
                let said = Computation::words_of_count(question).filter(|_| !is_record);
                words.extend(said.map(str::to_owned));
                Vec::new()
            }
            Some(_) if !is_record => said(),
            None if is_compared => said(),
            _ => Vec::new(),
        };
        words.extend(compared.iter().cloned());
        let maker = maker_of(question, &understood.references);
        words.extend(maker.iter().flat_map(|it| it.words().to_vec()));
        let is_maker_asked = matches!(maker, Some(Maker::Asked(_)));
        // Two things are compared by what the words are about.
        if understood.references.len() > 1 {
            words.extend(
                ["compare", "compared", "comparison", "than", "vs", "versus"].map(str::to_owned),
            );
            words.extend(["between", "both", "those", "difference"].map(str::to_owned));
        }
        if !operation.is_read() {
            words.extend(verb(question).map(str::to_owned));
            words.extend(super::writes::turns_of(question));
            // What something new is called may have any words.
            let name = super::name_of_new(question).filter(|_| operation.body.is_some());
            let name = name.unwrap_or_default().to_lowercase();
            words.extend(
                name.split(|c: char| !c.is_alphanumeric())
                    .map(str::to_owned),
            );
        }
        let texts = read.values.values().map(|it| it.to_string().to_lowercase());
        Self {
            catalogue,
            operation,
            understood,
            words,
            is_maker_asked,
            compared,
            second: second.unwrap_or_default(),
            values: texts.collect(),
            question: question.to_lowercase(),
        }
    }

    /// Names that the operation is not about.
    fn names_left(&self) -> Vec<String> {
        let is_about = self.operation.entity().is_some() || self.operation.body.is_some();
        let is_said = |name: &&Reference| {
            let text = name.text().to_lowercase();
            self.values.iter().any(|value| value.contains(&text))
        };
        let names = self.understood.references.iter();
        let left = names.filter(|name| !is_about && !is_said(name));
        let second = self.second_left().filter(|_| is_about);
        let left = left.chain(second);
        left.map(|name| name.text().to_owned()).collect()
    }

    /// A second name that is not joined to the first: `followers of X in Berlin`.
    fn second_left(&self) -> Option<&Reference> {
        let [first, second, ..] = self.understood.references.as_slice() else {
            return None;
        };
        let place = |name: &Reference| match name {
            Reference::Name(name) => {
                let at = self.question.find(&name.to_lowercase())?;
                Some((at, at + name.to_lowercase().len()))
            }
            _ => None,
        };
        let (first, at) = (place(first)?, place(second)?);
        let between = self.question.get(first.1.min(at.1)..first.0.max(at.0))?;
        let is_joined = JOINS.iter().any(|join| between.contains(join));
        (!is_joined).then_some(second)
    }

    /// Whether the operation knows a word.
    fn says(&self, word: &str) -> bool {
        if self.catalogue.says_word(self.operation, word) {
            return true;
        }
        let Some(token) = tokens(word).into_iter().next() else {
            return false;
        };
        let same = SAME_SUBJECT.iter().find(|it| it.contains(&token.as_str()));
        let mut same = same.copied().unwrap_or_default().iter();
        self.catalogue.says(self.operation, &token)
            || same.any(|it| self.catalogue.says(self.operation, it))
            || self.is_kind(&token)
    }

    /// Whether a word says what kind of thing is named.
    fn is_kind(&self, token: &str) -> bool {
        let kind = self.operation.entity().map(|(kind, _)| kind);
        match token {
            "id" => kind.is_some(),
            "handle" => kind == Some(EntityType::User),
            token => kind.is_some() && kind_of(token) == kind,
        }
    }

    /// Whether a word is behind the first name.
    fn is_behind_name(&self, word: &str) -> bool {
        let name = self.understood.references.first().map(Reference::text);
        let name = name.and_then(|name| self.question.find(&name.to_lowercase()));
        let word = self.question.rfind(&format!(" {word}"));
        name.zip(word).is_some_and(|(name, word)| name < word)
    }

    /// Whether an order has a place for a word: its verb, the kind of its one thing, or what it is written with.
    fn takes(&self, word: &str) -> bool {
        let is_said = self.words.iter().any(|known| known == word);
        is_said || self.is_kind(word) || self.catalogue.says_word(self.operation, word)
    }

    /// Whether a question asks for people, and the operation answers with something else: `who does X like`, `who is
    /// trending`. Whoever made something is told with it.
    fn leaves_people(&self, word: &str) -> bool {
        let id = self.operation.id.as_str();
        let people = [
            ("Listeners", "listen"),
            ("Winners", "won"),
            ("Winners", "win"),
            ("Remixers", "remix"),
            ("Members", "member"),
            ("Subscribers", "subscri"),
        ];
        let is_said = |(it, stem): &(&str, &str)| id.contains(it) && self.question.contains(stem);
        let names_people =
            ["getTrackRemixes", "resolve"].contains(&id) || people.iter().any(is_said);
        ["who", "whom"].contains(&word)
            && !names_people
            && !self.is_maker_asked
            && self.understood.references.len() <= 1
            && self.understood.computation.is_none()
            && self.understood.aspect.is_none()
            && !self.catalogue.answers_with_people(self.operation)
    }

    /// Whether a word is a second one about following: `followers followed by X` are neither of both lists.
    fn is_second_follow(&self, word: &str, words: &[String]) -> bool {
        let is_follow = |word: &str| {
            let token = tokens(word).into_iter().next().unwrap_or_default();
            let same = SAME_SUBJECT.first().copied().unwrap_or_default();
            same.contains(&token.as_str()) && !self.compared.iter().any(|it| it == word)
        };
        let mut all: Vec<&str> = Vec::new();
        for word in words.iter().map(String::as_str).filter(|it| is_follow(it)) {
            if !all.contains(&word) {
                all.push(word);
            }
        }
        self.understood.aspect.is_none() && all.len() > 1 && all.first() == Some(&word)
    }

    fn uses(&self, word: &str) -> bool {
        // `artists like X` are asked for, but not whom X likes.
        if self.operation.id == "getRelatedUsers"
            && ["like", "likes"].contains(&word)
            && self.is_behind_name(word)
        {
            return false;
        }
        // Top users stand in for trending artists, and not for whatever is trending.
        let has = |text: &str, known: &str| tokens(text).iter().any(|it| it == known);
        let is_stand_in = has(word, "trending") && self.operation.id.starts_with("getTopUsers");
        if is_stand_in && !has(&self.question, "user") {
            return false;
        }
        let is_said = self.words.iter().any(|known| known == word);
        is_said || self.says(word) && self.is_ordered_by(word)
    }

    /// Whether the list of an operation is in the order that a word asks for, without a parameter for it. Other
    /// words ask for no order.
    fn is_ordered_by(&self, word: &str) -> bool {
        if RANKS.contains(&word) {
            return self.operation.is_ranked();
        }
        let is_dated = self.operation.entity().is_none() || self.operation.id.contains("History");
        !DATES.contains(&word) || is_dated
    }
}
