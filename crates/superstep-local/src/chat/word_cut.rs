//! How a text is cut into words before its bytes are joined to tokens.
//!
//! Each family of models has a pattern for it, which its tokens were made with; a text that is cut otherwise has other
//! tokens than those the model has learned. The patterns are alternatives that are tried in order where the last word ended.

use std::iter::Peekable;
use std::str::CharIndices;
use std::sync::LazyLock;

use regex_syntax::hir::{Class, ClassUnicodeRange, HirKind};

/// How one family of models cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordCut {
    /// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
    Gpt2,
    /// The same, after every digit was cut out.
    Smol,
    /// `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    /// after characters and their accents were composed.
    Qwen2,
    /// The same with `\p{N}{1,3}`, and as the text is.
    Llama3,
}

impl WordCut {
    /// The one that a weights file calls so.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "default" | "gpt-2" | "gpt2" => Self::Gpt2,
            "smollm" => Self::Smol,
            "qwen2" | "deepseek-r1-qwen" => Self::Qwen2,
            "llama3" | "llama-v3" | "llama-bpe" => Self::Llama3,
            _ => return None,
        })
    }

    /// Whether it wants composed characters (NFC).
    pub(super) fn is_composed(self) -> bool {
        self == Self::Qwen2
    }

    /// The words of a text, which together are the text.
    pub(super) fn words(self, text: &str) -> impl Iterator<Item = &str> {
        let is_cut = move |letter: char| self == Self::Smol && Kind::of(letter) == Kind::Number;
        let parts = text.split_inclusive(is_cut).flat_map(move |part| {
            let last = part.chars().next_back().filter(|last| is_cut(*last));
            let (before, digit) = part.split_at(part.len() - last.map_or(0, char::len_utf8));
            [before, digit]
        });
        parts.flat_map(move |part| Words {
            cut: self,
            rest: part,
        })
    }

    /// How long the first word of a text is.
    fn first(self, text: &str) -> usize {
        match self {
            Self::Gpt2 | Self::Smol => first_with_space(text),
            Self::Qwen2 => first_with_any(text, 1),
            Self::Llama3 => first_with_any(text, 3),
        }
    }
}

struct Words<'t> {
    cut: WordCut,
    rest: &'t str,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let (word, rest) = self.rest.split_at_checked(self.cut.first(self.rest))?;
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// What patterns tell apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Number,
    Space,
    Other,
}

impl Kind {
    fn of(letter: char) -> Self {
        match letter {
            'a'..='z' | 'A'..='Z' => Self::Letter,
            '0'..='9' => Self::Number,
            _ if letter.is_whitespace() => Self::Space,
            _ if letter.is_ascii() => Self::Other,
            _ if is_in(&LETTERS, letter) => Self::Letter,
            _ if is_in(&NUMBERS, letter) => Self::Number,
            _ => Self::Other,
        }
    }
}

static LETTERS: LazyLock<Vec<ClassUnicodeRange>> = LazyLock::new(|| ranges(r"\p{L}"));
static NUMBERS: LazyLock<Vec<ClassUnicodeRange>> = LazyLock::new(|| ranges(r"\p{N}"));

/// The characters of a class, in order.
fn ranges(class: &str) -> Vec<ClassUnicodeRange> {
    match regex_syntax::parse(class).map(regex_syntax::hir::Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => class.ranges().to_vec(),
        _ => Vec::new(),
    }
}

fn is_in(ranges: &[ClassUnicodeRange], letter: char) -> bool {
    let after = ranges.partition_point(|range| range.end() < letter);
    ranges
        .get(after)
        .is_some_and(|range| range.start() <= letter)
}

/// The pattern in which a word takes the space before it along.
fn first_with_space(text: &str) -> usize {
    if let Some(short) = short_form(text, |letter| letter) {
        return short;
    }
    let after_space = text.strip_prefix(' ').unwrap_or(text);
    let taken = text.len() - after_space.len();
    let run = |kind| match run(after_space, kind) {
        0 => None,
        length => Some(taken + length),
    };
    run(Kind::Letter)
        .or_else(|| run(Kind::Number))
        .or_else(|| run(Kind::Other))
        .unwrap_or_else(|| spaces(text))
}

/// The pattern in which a word takes along one sign of any kind before it, and `numbers` digits are a word.
fn first_with_any(text: &str, numbers: usize) -> usize {
    if let Some(short) = short_form(text, folded) {
        return short;
    }
    let Some(first) = text.chars().next() else {
        return 0;
    };
    let (kind, size) = (Kind::of(first), first.len_utf8());
    let rest = text.get(size..).unwrap_or_default();
    let is_sign = matches!(kind, Kind::Space | Kind::Other) && !is_break(first);
    if kind == Kind::Letter || (is_sign && run(rest, Kind::Letter) > 0) {
        return size + run(rest, Kind::Letter);
    }
    if kind == Kind::Number {
        let digits = text.chars().take(numbers);
        let digits = digits.take_while(|digit| Kind::of(*digit) == Kind::Number);
        return digits.map(char::len_utf8).sum();
    }
    let after_space = text.strip_prefix(' ').unwrap_or(text);
    let signs = run(after_space, Kind::Other);
    if signs > 0 {
        let end = text.len() - after_space.len() + signs;
        let breaks = text.get(end..).unwrap_or_default();
        return end + length(breaks, is_break);
    }
    let blank = text.get(..run(text, Kind::Space)).unwrap_or_default();
    match blank.rfind(is_break) {
        Some(last) => last + 1,
        None => spaces(text),
    }
}

/// A whole line of spaces, but for the last one if a word follows, which takes it along.
fn spaces(text: &str) -> usize {
    let all = run(text, Kind::Space);
    if all == text.len() {
        return all;
    }
    let blank = text.get(..all).unwrap_or_default();
    let last = blank.chars().next_back().map_or(0, char::len_utf8);
    match all - last {
        0 => all,
        some => some,
    }
}

/// `'s` and its like.
fn short_form(text: &str, fold: impl Fn(char) -> char) -> Option<usize> {
    let mut letters = text.strip_prefix('\'')?.char_indices().peekable();
    let first = fold(letters.next()?.1);
    let second =
        |letters: &mut Peekable<CharIndices<'_>>| letters.peek().map(|(_, letter)| fold(*letter));
    let is_short = match first {
        's' | 't' | 'm' | 'd' => true,
        'r' | 'v' => second(&mut letters) == Some('e') && letters.next().is_some(),
        'l' => second(&mut letters) == Some('l') && letters.next().is_some(),
        _ => false,
    };
    let end = letters.peek().map_or(text.len(), |(at, _)| at + 1);
    is_short.then_some(end)
}

/// Without case, as a pattern compares letters then.
fn folded(letter: char) -> char {
    match letter {
        '\u{17f}' => 's',
        letter => letter.to_ascii_lowercase(),
    }
}

fn is_break(letter: char) -> bool {
    matches!(letter, '\r' | '\n')
}

/// How many bytes at the start of a text are of a kind.
fn run(text: &str, kind: Kind) -> usize {
    length(text, |letter| Kind::of(letter) == kind)
}

fn length(text: &str, is_in: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !is_in(letter)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(cut: WordCut, text: &str) -> Vec<&str> {
        let words: Vec<&str> = cut.words(text).collect();
        assert_eq!(words.concat(), text);
        words
    }

    #[test]
    fn a_word_takes_the_space_before_it_along() {
        use WordCut::{Gpt2, Llama3, Qwen2, Smol};
        for cut in [Gpt2, Smol, Qwen2, Llama3] {
            assert_eq!(words(cut, "a cat  sat"), ["a", " cat", " ", " sat"]);
            assert_eq!(words(cut, "end. "), ["end", ".", " "]);
            assert_eq!(words(cut, ""), [""; 0]);
        }
    }

    #[test]
    fn other_signs_before_a_word_belong_to_it_where_the_family_has_it_so() {
        assert_eq!(words(WordCut::Gpt2, "(a\tb"), ["(", "a", "\t", "b"]);
        assert_eq!(words(WordCut::Qwen2, "(a\tb\nc"), ["(a", "\tb", "\n", "c"]);
        assert_eq!(words(WordCut::Qwen2, "x ((a"), ["x", " ((", "a"]);
    }

    #[test]
    fn digits_are_cut_as_the_family_has_it() {
        assert_eq!(words(WordCut::Gpt2, "in 2024"), ["in", " 2024"]);
        assert_eq!(
            words(WordCut::Smol, "in 20\u{663}"),
            ["in", " ", "2", "0", "\u{663}"]
        );
        assert_eq!(words(WordCut::Qwen2, "in 20"), ["in", " ", "2", "0"]);
        assert_eq!(words(WordCut::Llama3, "12345"), ["123", "45"]);
    }

    #[test]
    fn short_forms_are_words_and_their_case_counts_where_the_family_has_it_so() {
        assert_eq!(words(WordCut::Gpt2, "we'll"), ["we", "'ll"]);
        assert_eq!(words(WordCut::Gpt2, "WE'LL"), ["WE", "'", "LL"]);
        assert_eq!(words(WordCut::Qwen2, "WE'Re"), ["WE", "'Re"]);
        assert_eq!(
            words(WordCut::Qwen2, "it'\u{17f} 'tis"),
            ["it", "'\u{17f}", " '", "tis"]
        );
        assert_eq!(words(WordCut::Qwen2, "'v 'l '"), ["'v", " '", "l", " '"]);
    }

    #[test]
    fn lines_end_with_the_last_break_of_a_blank() {
        assert_eq!(
            words(WordCut::Qwen2, "a \n\n  b"),
            ["a", " \n\n", " ", " b"]
        );
        assert_eq!(words(WordCut::Qwen2, "a;\r\n b"), ["a", ";\r\n", " b"]);
        assert_eq!(words(WordCut::Gpt2, "a \n b"), ["a", " \n", " b"]);
    }

    #[test]
    fn letters_and_numbers_of_all_scripts_are_known() {
        assert_eq!(
            words(WordCut::Qwen2, "\u{6f22}\u{5b57}\u{bd}\u{2167}\u{1f389}"),
            ["\u{6f22}\u{5b57}", "\u{bd}", "\u{2167}", "\u{1f389}"]
        );
        assert_eq!(words(WordCut::Gpt2, "a\u{2003}b"), ["a", "\u{2003}", "b"]);
    }
}
