//! Sentences on pages are short, and free of manners that make readers work. Pages begin with a thing.

use super::problem::Problem;
use super::words;
use crate::contents;
use crate::markdown;
use crate::tree::Tree;

/// The longest sentence, in words. Code does not count: a list of names is a list.
const CAP: usize = 30;

/// Words that hide who does what, put together from halves so that this file is no finding of its own, and what
/// to write instead.
const MANNERS: [(&str, &str); 11] = [
    (
        concat!("some", "body"),
        "the caller, the owner, another process",
    ),
    (concat!("no", "body"), "who cannot, or what is not done"),
    (
        concat!("who", "ever"),
        "the caller, the owner, a process that",
    ),
    (concat!("of ", "others"), "untrusted, or another owner's"),
    (concat!("of ", "ours"), "the project's"),
    (concat!("goes ", "by"), "uses, or is configured by"),
    (concat!("is ", "told"), "reads, or receives"),
    (concat!("is ", "said"), "prints, or reports"),
    (concat!("looks ", "after"), "handles, or keeps"),
    (concat!("comes ", "along"), "arrives, or begins"),
    (concat!("sta", "nds"), "is"),
];

/// Words that neither a page nor a heading begins with, since a noun or a command says more.
const RIDDLES: [&str; 7] = ["How", "That", "What", "Whether", "Which", "Who", "Whom"];

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for page in contents::pages(tree)
        .iter()
        .filter_map(|path| tree.get(path))
    {
        let prose = markdown::prose(&page.text);
        let first = prose.first().map(|(line, part)| (*line, part.as_str()));
        let openings = markdown::headings(&page.text).into_iter().chain(first);
        problems.extend(openings.filter_map(|(line, text)| opening(&page.path, line, text)));
        for (line, part) in prose {
            for sentence in markdown::sentences(&part) {
                let found = findings(&sentence).into_iter();
                problems
                    .extend(found.map(|(what, hint)| Problem::new(&page.path, line, what, hint)));
            }
        }
    }
    problems
}

fn opening(page: &str, line: usize, part: &str) -> Option<Problem> {
    let word = part.split([' ', ',']).next()?;
    let what = || format!("`{word}` opens a page or a heading");
    let hint = "begin with the thing, or with the command";
    RIDDLES
        .contains(&word)
        .then(|| Problem::new(page, line, what(), hint))
}

fn is_code(word: &str) -> bool {
    word.trim_start_matches(['(', '*']).starts_with('`')
}

fn findings(sentence: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let all: Vec<&str> = sentence.split(' ').collect();
    let count = all.iter().filter(|word| !is_code(word)).count();
    if count > CAP {
        let start: Vec<&str> = all.iter().take(6).copied().collect();
        let what = format!(
            "`{} …` has {count} words, the cap is {CAP}",
            start.join(" ")
        );
        found.push((what, "one idea per sentence: split it".to_owned()));
    }
    let lower = sentence.to_lowercase();
    let plain = lower.split('`').step_by(2).collect::<Vec<_>>().join("`");
    for (word, instead) in MANNERS.iter().filter(|(word, _)| words::has(&plain, word)) {
        let what = format!("`{word}` does not name who or what");
        found.push((what, format!("say: {instead}")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn found(text: &str) -> Vec<String> {
        let contents = "- [A](a.md)\n";
        let tree = tree::of(&[(contents::PAGE, contents), ("docs/a.md", text)]);
        let problems = check(&tree).into_iter();
        problems
            .map(|problem| format!("{}: {}", problem.line, problem.what))
            .collect()
    }

    #[test]
    fn a_sentence_of_too_many_words_is_reported_and_two_short_ones_are_not() {
        let half = "word ".repeat(CAP / 2).trim_end().to_owned();
        assert!(found(&format!("# A\n\nA {half}. And {half}.\n")).is_empty());
        let long = found(&format!("# A\n\nA {half} and {half}.\n"));
        assert_eq!(long.len(), 1, "{long:?}");
        assert!(long[0].starts_with("3: `A word word word word word …` has 32 words"));
    }

    #[test]
    fn pages_and_headings_open_with_a_thing() {
        assert_eq!(
            found("# A\n\nWhat a run costs.\n\n## How it runs\n"),
            [
                "5: `How` opens a page or a heading",
                "3: `What` opens a page or a heading"
            ]
        );
        assert!(found("# A\n\nCosts of a run. What it saves.\n").is_empty());
    }

    #[test]
    fn a_manner_is_reported_in_prose_and_not_in_code() {
        for (word, _) in MANNERS {
            assert_eq!(found(&format!("It {word} a.\n")).len(), 1, "{word}");
            assert!(found(&format!("It `{word}` a.\n\n```sh\n{word}\n```\n")).is_empty());
        }
    }
}
