//! Which words, figures and names of one text are in others.
//!
//! A check by program, not by a model: it knows words and figures, not meaning. What it finds missing is missing; what it
//! finds may still be said wrongly, so a person reads it.

use std::collections::BTreeSet;

/// Words that carry no content of their own.
const EMPTY: &str = " a an the and or but if then else of to in on at by for from with without as is are was were be been being am \
    do does did done has have had will would shall should can could may might must not no nor yes so that this these those there \
    here it its i me my we us our you your he him his she her they them their who whom which what when where why how please thank \
    thanks just only also too very more most some any all each than into over under about after before again up out off let ok okay \
    sure tell say them him her ";

/// Words that say no.
const NEGATIVE: &str = " no not none never neither cannot decline declined declining refuse refused unable unfortunately without don't \
    doesn't didn't won't can't isn't aren't wouldn't couldn't ";

const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

const DAYS: &str = " monday tuesday wednesday thursday friday saturday sunday january february march april june july august \
    september october november december ";

/// The content words of a decision that a text does not have, in any inflection. Figures must be the same.
///
/// ```
/// use superstep_tools::guided::grounding::missing;
///
/// let decision = "Renew for two years, but ask for 10 % off";
/// assert!(missing(decision, "We renew it for 2 years and are asking for 10% off.").is_empty());
/// assert_eq!(missing(decision, "We renew it for one year."), ["two", "ask", "10"]);
/// ```
pub fn missing(decision: &str, text: &str) -> Vec<String> {
    let there = Sources::of([text]);
    let mut missing = Vec::new();
    for token in tokens(decision) {
        let found = match token.kind {
            TokenKind::Figure => there.has_figure(&token.bare),
            TokenKind::Code => there.words.contains(&token.bare),
            TokenKind::Word if EMPTY.contains(&format!(" {} ", token.bare)) => true,
            TokenKind::Word => match number(&token.bare) {
                Some(figure) => there.has_figure(&figure) || there.words.contains(&token.bare),
                None => there.has_word(&token.bare),
            },
        };
        if !found && !missing.contains(&token.shown) {
            missing.push(token.shown);
        }
    }
    missing
}

/// Whether a text says no to something.
///
/// ```
/// use superstep_tools::guided::grounding::is_negative;
///
/// assert!(is_negative("We can’t come.") && is_negative("No, thanks"));
/// assert!(!is_negative("Nobody minds, we come."));
/// ```
pub fn is_negative(text: &str) -> bool {
    let mut all = tokens(text).into_iter();
    all.any(|token| {
        token.kind == TokenKind::Word && NEGATIVE.contains(&format!(" {} ", token.bare))
    })
}

/// The figures, days, months and names of a text, each once. A capital at the beginning of a sentence makes no name.
///
/// ```
/// use superstep_tools::guided::grounding::named;
///
/// assert_eq!(named("Both saw that Ann paid 40 EUR in May."), ["Ann", "40", "EUR", "May"]);
/// ```
pub fn named(text: &str) -> Vec<String> {
    Sources::default().unsupported(text)
}

/// What texts say, as far as words and figures go.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    words: BTreeSet<String>,
    stems: BTreeSet<String>,
    figures: BTreeSet<String>,
    /// The digits of figures, so that the parts of a date are found however it is written.
    runs: BTreeSet<String>,
}

impl Sources {
    /// What these texts say together.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        for text in texts {
            all.add(text);
        }
        all
    }

    /// Adds what another text says.
    pub fn add(&mut self, text: &str) {
        for token in tokens(text) {
            match token.kind {
                TokenKind::Figure => self.add_figure(&token.bare),
                TokenKind::Code => {
                    self.words.insert(token.bare);
                }
                TokenKind::Word => {
                    if let Some(figure) = number(&token.bare) {
                        self.add_figure(&figure);
                    }
                    self.stems.insert(stem(&token.bare));
                    self.words.insert(token.bare);
                }
            }
        }
    }

    fn add_figure(&mut self, figure: &str) {
        self.figures.insert(figure.to_owned());
        self.runs.extend(runs(figure));
    }

    fn has_word(&self, word: &str) -> bool {
        self.words.contains(word) || self.stems.contains(&stem(word))
    }

    fn has_figure(&self, figure: &str) -> bool {
        let is_date_or_time = figure.contains([':', '-', '/']) || figure.matches('.').count() > 1;
        let is_whole = figure.bytes().all(|byte| byte.is_ascii_digit());
        self.figures.contains(figure)
            || (is_date_or_time && runs(figure).all(|run| run == "0" || self.runs.contains(&run)))
            || (is_whole && self.dated(figure))
    }

    /// Whether a whole number is part of a date or time, not of an amount.
    fn dated(&self, number: &str) -> bool {
        let mut all = self
            .figures
            .iter()
            .filter(|it| it.contains([':', '-', '/']));
        all.any(|figure| runs(figure).any(|run| run == number.trim_start_matches('0')))
    }

    /// Whether a figure or word is in these sources: a figure as figures are compared, a word in any inflection.
    ///
    /// ```
    /// use superstep_tools::guided::Sources;
    ///
    /// let sources = Sources::of(["It costs 1,200 EUR."]);
    /// assert!(sources.has("1200") && sources.has("cost") && !sources.has("120"));
    /// ```
    pub fn has(&self, item: &str) -> bool {
        let all = tokens(item);
        let is_known = |token: &Token| match token.kind {
            TokenKind::Figure => self.has_figure(&token.bare),
            TokenKind::Code => self.words.contains(&token.bare),
            TokenKind::Word => self.has_word(&token.bare),
        };
        !all.is_empty() && all.iter().all(is_known)
    }

    /// The figures, days, months and names of a text that are not in these sources, as the text writes them. A capital at
    /// the beginning of a sentence makes no name.
    ///
    /// ```
    /// use superstep_tools::guided::Sources;
    ///
    /// let sources = Sources::of(["Ann: can we meet on Tuesday at 10:00?", "Yes"]);
    /// assert!(sources.unsupported("Hello Ann, Tuesday at 10:00 is fine.").is_empty());
    /// assert_eq!(sources.unsupported("Hello Bob, Monday at 11:00."), ["Bob", "Monday", "11:00"]);
    /// ```
    pub fn unsupported(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for token in tokens(text) {
            let is_day = DAYS.contains(&format!(" {} ", token.bare));
            let is_name = token.is_capital && !token.begins && token.bare.chars().count() > 1;
            let is_known = match token.kind {
                TokenKind::Figure => self.has_figure(&token.bare),
                TokenKind::Code => self.words.contains(&token.bare),
                TokenKind::Word if is_day || is_name => self.has_word(&token.bare),
                TokenKind::Word => true,
            };
            if !is_known && !found.contains(&token.shown) {
                found.push(token.shown);
            }
        }
        found
    }

    /// The figures of a text that are not in these sources.
    pub fn unsupported_figures(&self, text: &str) -> Vec<String> {
        let figures = tokens(text)
            .into_iter()
            .filter(|it| it.kind == TokenKind::Figure);
        let unknown = figures.filter(|it| !self.has_figure(&it.bare));
        unknown.map(|it| it.shown).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Word,
    Figure,
    /// A name with digits, such as `Http2Stream` or `S3`: it is compared whole.
    Code,
}

struct Token {
    kind: TokenKind,
    /// As it is compared.
    bare: String,
    /// As it is written.
    shown: String,
    is_capital: bool,
    /// Whether it begins a sentence or a line.
    begins: bool,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    for line in text.lines() {
        let mut begins = true;
        let apart = |c: char| c.is_whitespace() || "—–…/\\<>()[]{}\"“”„«»|".contains(c);
        for chunk in line.split(apart) {
            let ends = chunk.ends_with(['.', '!', '?', ':']);
            let shown = chunk.trim_matches(|c: char| !c.is_alphanumeric());
            let is_mark = shown.is_empty();
            if !is_mark {
                for (kind, part) in parts(shown) {
                    all.push(Token {
                        kind,
                        bare: match kind {
                            TokenKind::Figure => figure(part),
                            TokenKind::Code | TokenKind::Word => word(part),
                        },
                        shown: part.to_owned(),
                        is_capital: part.chars().next().is_some_and(char::is_uppercase),
                        begins,
                    });
                    begins = false;
                }
            }
            begins = (begins && is_mark) || ends;
        }
    }
    all
}

/// The figures, names and words of a text without blanks: `timeout=30` is a word and a figure, `UTF-8` one name.
fn parts(text: &str) -> Vec<(TokenKind, &str)> {
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let is_named = text.starts_with(char::is_alphabetic);
    if has_digit(text) && !is_named {
        return vec![(TokenKind::Figure, text)];
    }
    let apart: fn(char) -> bool = match has_digit(text) {
        true => |c| !c.is_alphanumeric() && !".-_:@+'’".contains(c),
        false => |c| "-@._+".contains(c),
    };
    let mut all = Vec::new();
    for part in text.split(apart).filter(|it| !it.is_empty()) {
        match has_digit(part) {
            false if part.len() == text.len() => all.push((TokenKind::Word, part)),
            true if part.len() == text.len() => all.push((TokenKind::Code, part)),
            _ => all.extend(parts(part)),
        }
    }
    all
}

fn word(text: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'");
    let lower = lower.strip_suffix("'s").unwrap_or(&lower);
    lower.to_owned()
}

/// A figure without signs of groups, currencies and units: `1,200€` and `1200` are the same, `3.5` and `35` are not.
fn figure(text: &str) -> String {
    let mut plain = String::new();
    let chars: Vec<char> = text.chars().collect();
    for (place, c) in chars.iter().enumerate() {
        let digits_behind = chars
            .iter()
            .skip(place + 1)
            .take_while(|it| it.is_ascii_digit())
            .count();
        match c {
            ',' if digits_behind == 3
                && chars.get(place + 4).is_none_or(|it| !it.is_ascii_digit()) => {}
            '’' | '\'' | '_' => {}
            c if c.is_ascii_digit() || ".,:-/".contains(*c) => plain.push(*c),
            _ => {}
        }
    }
    let plain = plain.trim_matches(|c: char| !c.is_ascii_digit());
    match plain.bytes().all(|byte| byte.is_ascii_digit()) && plain.len() > 1 {
        true => plain.trim_start_matches('0').to_owned(),
        false => plain.to_owned(),
    }
}

fn number(word: &str) -> Option<String> {
    let place = NUMBERS.iter().position(|it| *it == word)?;
    Some(place.to_string())
}

fn runs(figure: &str) -> impl Iterator<Item = String> + '_ {
    let all = figure
        .split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty());
    all.map(|run| match run.trim_start_matches('0') {
        "" => "0".to_owned(),
        run => run.to_owned(),
    })
}

/// A word without its usual endings. Short words stay whole.
fn stem(word: &str) -> String {
    let endings = [
        "ations", "ation", "ingly", "ings", "ing", "ies", "ied", "ions", "ion", "ers", "ed", "es",
        "er", "ly", "s", "e", "y",
    ];
    let long_enough = |rest: &&str| rest.chars().count() >= 3;
    let rest = endings
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(long_enough));
    let rest = rest.unwrap_or(word);
    let mut chars: Vec<char> = rest.chars().collect();
    if let [.., one, other] = chars.as_slice()
        && one == other
        && chars.len() > 3
    {
        chars.pop();
    }
    chars.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_compared_as_figures() {
        let sources =
            Sources::of(["It costs 1,200 EUR, on 17-11-2026 at 09:30, 3.5 % more, 12 seats."]);
        for fine in [
            "1200 EUR", "17 November", "2026", "9:30", "3.5", "12", "17.11.2026",
        ] {
            assert!(sources.unsupported_figures(fine).is_empty(), "{fine}");
        }
        for wrong in [
            "120", "1,201", "35", "5.3", "10:30", "18 November", "3", "200",
        ] {
            assert_eq!(sources.unsupported_figures(wrong).len(), 1, "{wrong}");
        }
    }

    #[test]
    fn a_name_with_digits_is_compared_whole() {
        let sources = Sources::of(["Stability: 2 - Stable", "opendir(3)", "an `http2stream`"]);
        assert!(!sources.has("S3") && !sources.has("Http2Session"));
        assert!(sources.has("Http2Stream") && sources.has("2"));
        assert_eq!(sources.unsupported("It is in S3, 3 times."), ["S3"]);
        let sources = Sources::of(["timeout=30, in UTF-8"]);
        assert!(sources.has("30") && sources.has("timeout") && sources.has("UTF-8"));
        assert!(!sources.has("UTF-16") && !sources.has("8"));
    }

    #[test]
    fn every_content_word_of_a_decision_is_looked_for_in_any_inflection() {
        let draft =
            "Hello Ann,\n\nI agree to the review and will be planning it for Thursday.\n\nMax";
        assert!(missing("Agree, plan the reviews for Thursday", draft).is_empty());
        assert_eq!(
            missing("Decline, no review on Friday", draft),
            ["Decline", "Friday"]
        );
        assert!(missing("", draft).is_empty());
    }

    #[test]
    fn names_and_days_of_nobody_are_found() {
        let sources = Sources::of([
            "From: Ann Becker <ann@example.org>",
            "Review by Thursday",
            "Max",
        ]);
        let draft = "Hello Ann,\n\nThe review will be done by Thursday. Best from Berlin.\n\nMax";
        assert_eq!(sources.unsupported(draft), ["Berlin"]);
    }
}
