//! Approval keywords: whether an answer approves the result, may approve it, or is a contribution.
//!
//! Only answers of a person are judged, never text of documents or models.

/// Words that mean consent to a result, or the lack of it.
const YES: [&str; 9] = ["y", "yes", "yep", "yeah", "ok", "okay", "sure", "ja", "j"];
const NO: [&str; 5] = ["n", "no", "nope", "not yet", "nein"];

/// In a sentence with one of these a keyword is no approval, and not worth a question.
const DOUBTS: [&str; 40] = [
    "not", "no", "never", "nothing", "none", "neither", "nor", "cannot", "cant", "dont", "doesnt",
    "didnt", "isnt", "arent", "wasnt", "werent", "wont", "wouldnt", "hasnt", "havent", "hadnt",
    "shouldnt", "aint", "without", "until", "unless", "before", "almost", "nearly", "if", "when",
    "once", "yet", "should", "nicht", "kein", "keine", "noch", "nie", "wenn",
];

/// A message of more words is a contribution, whatever words are in it.
const SHORT: usize = 20;

/// The words that approve a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keywords(Vec<Vec<String>>);

/// What a person's message means for the end of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is an approval.
    Approves,
    /// It may be one: ask.
    MayApprove,
    /// It is a contribution like any other.
    GoesOn,
}

/// What a person says when asked whether they approve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// They do.
    Yes,
    /// They do not.
    No,
    /// They say something else, which is their next turn.
    Says,
}

impl Default for Keywords {
    fn default() -> Self {
        Self::new(["SOLUTION APPROVED", "DONE", "OKAY BYE", "APPROVED"])
    }
}

impl Keywords {
    /// These keywords; those without a letter or digit are left out.
    pub fn new<T: AsRef<str>>(keywords: impl IntoIterator<Item = T>) -> Self {
        let words = keywords.into_iter().map(|keyword| words(keyword.as_ref()));
        Self(words.filter(|words| !words.is_empty()).collect())
    }

    /// What a message means. It approves if it is `/approve` or a keyword and nothing else; case,
    /// blanks and punctuation do not count. A short sentence that has a keyword in it as whole
    /// words may approve, unless it asks something or has a doubt in it.
    pub fn judge(&self, message: &str) -> Verdict {
        if message.trim().eq_ignore_ascii_case("/approve") {
            return Verdict::Approves;
        }
        let all = words(message);
        if self.0.contains(&all) {
            return Verdict::Approves;
        }
        if all.len() > SHORT || message.trim_start().starts_with('/') {
            return Verdict::GoesOn;
        }
        if clauses(message).any(|clause| self.may_approve(clause)) {
            return Verdict::MayApprove;
        }
        Verdict::GoesOn
    }

    /// What a message means as the answer to whether the person approves.
    pub fn confirm(&self, message: &str) -> Confirmed {
        let said = words(message).join(" ");
        if self.judge(message) == Verdict::Approves || YES.contains(&said.as_str()) {
            return Confirmed::Yes;
        }
        if NO.contains(&said.as_str()) {
            return Confirmed::No;
        }
        Confirmed::Says
    }

    fn may_approve(&self, clause: &str) -> bool {
        if clause.ends_with('?') {
            return false;
        }
        let said = words(clause);
        if said.iter().any(|word| DOUBTS.contains(&word.as_str())) {
            return false;
        }
        let has = |keyword: &Vec<String>| {
            let mut places = said.windows(keyword.len());
            places.any(|place| place == keyword)
        };
        self.0.iter().any(has)
    }
}

/// The words of a text in lower case. An apostrophe is no end of a word.
fn words(text: &str) -> Vec<String> {
    let plain: String = text
        .chars()
        .filter(|c| !matches!(c, '\'' | '’' | '`'))
        .flat_map(char::to_lowercase)
        .collect();
    plain
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The clauses of a text, with their marks. Whether a full stop ends a sentence does not matter here.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '!', '?', ';', '\n'])
        .map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(message: &str) -> Verdict {
        Keywords::default().judge(message)
    }

    #[test]
    fn a_message_that_is_a_keyword_approves() {
        for message in [
            "/approve", " /APPROVE \n", "SOLUTION APPROVED", "solution approved.", "Done!",
            "  done  ", "Okay, bye.", "*approved*",
        ] {
            assert_eq!(judge(message), Verdict::Approves, "{message}");
        }
    }

    #[test]
    fn a_sentence_that_has_a_keyword_is_asked_about() {
        for message in [
            "Great, I think we are done.",
            "Looks good. Solution approved from my side!",
            "I consider this approved",
        ] {
            assert_eq!(judge(message), Verdict::MayApprove, "{message}");
        }
    }

    #[test]
    fn doubts_questions_parts_of_words_and_long_messages_go_on() {
        let long = "word ".repeat(30) + "done";
        for message in [
            "we are not done yet",
            "the abandoned module",
            "I haven't approved this",
            "it isn’t done",
            "are we done?",
            "Tell me when it is done",
            "this is undone and unapproved",
            "solution, not approved",
            "/approved-list please",
            "",
            "?!",
            long.as_str(),
        ] {
            assert_eq!(judge(message), Verdict::GoesOn, "{message}");
        }
    }

    #[test]
    fn keywords_can_be_chosen() {
        let keywords = Keywords::new(["Ship it", "  ", "!"]);
        assert_eq!(keywords.judge("ship it!"), Verdict::Approves);
        assert_eq!(keywords.judge("done"), Verdict::GoesOn);
        assert_eq!(keywords.judge("!"), Verdict::GoesOn);
        assert_eq!(keywords.judge("/approve"), Verdict::Approves);
    }

    #[test]
    fn a_confirmation_is_yes_no_or_the_next_turn() {
        let keywords = Keywords::default();
        let table = [
            ("y", Confirmed::Yes),
            ("Yes!", Confirmed::Yes),
            ("done", Confirmed::Yes),
            ("/approve", Confirmed::Yes),
            ("n", Confirmed::No),
            ("No.", Confirmed::No),
            ("no, we also need backups", Confirmed::Says),
            ("yes but add a queue", Confirmed::Says),
        ];
        for (message, expected) in table {
            assert_eq!(keywords.confirm(message), expected, "{message}");
        }
    }
}
