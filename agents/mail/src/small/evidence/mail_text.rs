//! What a mail says, so that phrases can be looked for in it: sentences in lower case, without marks.
//!
//! Phrases are lists with commas between them, in lower case and without marks too: `we help, we d like`.

use superstep::tools::guided::sentences;

use crate::parse::Mail;

/// Words that a text in English or German has.
const COMMON: &str = "\
    the, and, is, are, to, you, for, this, that, with, have, was, der, die, das, und, ist, sie, ich, wir, mit, nicht, eine";

fn phrases(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim)
}

/// One sentence of a mail.
pub(super) struct Sentence {
    /// Its words, a blank around each.
    words: String,
    pub(super) is_question: bool,
}

impl Sentence {
    fn new(text: &str) -> Self {
        let mut words = " ".to_owned();
        // A share is a word of its own, whether a blank is before it or not.
        let apart = text.replace('%', " % ");
        let parts = apart.split(|c: char| !c.is_alphanumeric() && c != '%');
        for word in parts.filter(|word| !word.is_empty()) {
            words.push_str(&word.to_lowercase());
            words.push(' ');
        }
        Self {
            words,
            is_question: text.split_whitespace().any(is_asked),
        }
    }

    /// The question in the subject of an answer is that of whoever is answered.
    fn subject(text: &str) -> Self {
        let lower = text.trim_start().to_lowercase();
        let is_answer = ["re:", "aw:", "antw:"]
            .iter()
            .any(|it| lower.starts_with(it));
        let subject = Self::new(text);
        Self {
            is_question: subject.is_question && !is_answer,
            ..subject
        }
    }

    pub(super) fn has(&self, list: &str) -> bool {
        phrases(list).any(|it| self.has_one(it))
    }

    pub(super) fn begins_with(&self, list: &str) -> bool {
        phrases(list).any(|phrase| {
            let rest = self.words.trim_start().strip_prefix(phrase);
            rest.is_some_and(|rest| rest.starts_with(' '))
        })
    }

    fn has_one(&self, phrase: &str) -> bool {
        let mut found = self.words.match_indices(phrase);
        found.any(|(at, _)| {
            let before = self.words.get(..at).unwrap_or_default();
            let after = self.words.get(at + phrase.len()..).unwrap_or_default();
            before.ends_with(' ') && after.starts_with(' ')
        })
    }
}

/// Whether a word ends a question. A link may have such a mark too.
fn is_asked(word: &str) -> bool {
    word.contains('?') && !word.contains("://")
}

/// What a mail says: its subject first, and neither what it quotes nor its signature.
pub(super) struct MailText {
    pub(super) sentences: Vec<Sentence>,
}

impl MailText {
    pub(super) fn by(mail: &Mail) -> Self {
        let mut all = vec![Sentence::subject(&mail.subject)];
        let own = mail.text.lines().map(str::trim);
        let own = own.filter(|line| !line.starts_with('>'));
        let mut paragraph = String::new();
        for line in own.take_while(|line| *line != "--").chain([""]) {
            match line {
                "" => {
                    all.extend(sentences(&paragraph).into_iter().map(Sentence::new));
                    paragraph.clear();
                }
                line => {
                    paragraph.push_str(line);
                    paragraph.push(' ');
                }
            }
        }
        Self { sentences: all }
    }

    pub(super) fn has(&self, list: &str) -> bool {
        self.sentences.iter().any(|it| it.has(list))
    }

    /// Those of these phrases that it has.
    pub(super) fn found<'a>(&self, list: &'a str) -> Vec<&'a str> {
        let is_there = |phrase: &&str| self.sentences.iter().any(|it| it.has_one(phrase));
        phrases(list).filter(is_there).collect()
    }

    /// Whether it is in a language that phrases can be looked for in; of another one nothing is known.
    pub(super) fn is_understood(&self) -> bool {
        self.has(COMMON)
    }
}
