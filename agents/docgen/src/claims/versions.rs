//! Versions that stand next to a name: `name@1.2`, `name` 1.2, `name` (v1.2), `name` is locked at 1.2, version 1.2 of
//! `name`.

use std::ops::Range;

use super::{
    claim::{Claim, What},
    setting::Setting,
    spans::spans,
    verdict::Verdict,
};
use crate::facts::Lookup;

/// A version near a name.
#[derive(Debug, PartialEq)]
pub(super) struct Near {
    /// Where in the sentence, with its operator.
    pub(super) place: Range<usize>,
    /// As it is written, with its operator.
    pub(super) version: String,
    pub(super) is_locked: bool,
    /// Whether it can hardly be anything but a version.
    pub(super) is_strong: bool,
}

impl Near {
    pub(super) fn moved(mut self, by: usize) -> Self {
        self.place = self.place.start + by..self.place.end + by;
        self
    }
}

const OPERATORS: [char; 6] = ['^', '~', '=', '<', '>', '!'];

/// Words that may stand between a name and its version.
const WORDS: &[&str] = &[
    "is", "are", "was", "at", "to", "the", "its", "as", "exactly", "currently", "version",
    "versions", "release", "locked", "pinned", "fixed", "resolved", "set", "requires", "required",
    "requirement", "wanted", "crate", "package", "library", "dependency", "resolves",
];

const LOCKED: &[&str] = &["locked", "resolved", "resolves"];

/// Words behind a number that is no version.
const UNITS: &[&str] = &[
    "times", "x", "seconds", "second", "ms", "s", "minutes", "hours", "kb", "mb", "gb", "kib",
    "mib", "gib", "percent", "points",
];

/// Whether manifests or lock files know a name, or it is a component.
pub(super) fn is_known(name: &str, lookup: &Lookup<'_>) -> bool {
    !lookup.dependency(name).is_empty()
        || lookup.locked(name).is_some()
        || lookup.facts.components.iter().any(|it| it.name == name)
}

/// The version that a text begins with: its length, and whether it can hardly be anything else.
fn token(text: &str, is_worded: bool) -> Option<(Range<usize>, bool)> {
    let operator = text.len() - text.trim_start_matches(OPERATORS).len();
    let rest = text.get(operator..)?;
    let blanks = match operator {
        0 => 0,
        _ => rest.len() - rest.trim_start_matches(' ').len(),
    };
    let rest = rest.get(blanks..)?;
    let is_v = rest.starts_with('v');
    let from = operator + blanks + usize::from(is_v);
    let rest = text.get(from..)?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || ".+-*".contains(c)));
    let core = rest.get(..end.unwrap_or(rest.len()))?;
    let core = core.trim_end_matches(['.', '-', '+']);
    if !is_number(core) || !(core.contains('.') || operator > 0 || is_v || is_worded) {
        return None;
    }
    let mut length = from + core.len();
    // More of a requirement: `>=2.3,<4`.
    while let Some(more) = text.get(length..)?.strip_prefix(',') {
        let start = more.len() - more.trim_start_matches(' ').len();
        let more = more.get(start..)?;
        match token(more, false) {
            Some((range, _)) if more.starts_with(OPERATORS) => length += 1 + start + range.end,
            _ => break,
        }
    }
    let is_strong = operator > 0 || is_v || is_worded || core.matches('.').count() > 1;
    // A `v` before it stays where it is.
    let start = if is_v { from } else { 0 };
    Some((start..length, is_strong))
}

/// `1`, `1.2`, `1.2.3-rc.1`, `2.0rc1`, `1.x`.
fn is_number(text: &str) -> bool {
    let base = text.split(['-', '+']).next().unwrap_or(text);
    let mut parts = base.split('.');
    let is_first = parts
        .next()
        .is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()));
    is_first
        && parts.all(|part| {
            let letters = part.trim_start_matches(|c: char| c.is_ascii_digit());
            let letters = letters.trim_end_matches(|c: char| c.is_ascii_digit());
            let is_part = matches!(letters, "" | "a" | "b" | "rc" | "post" | "dev");
            !part.is_empty() && is_part || matches!(part, "x" | "*")
        })
}

/// The name in a code span, and the version that it has in it.
pub(super) fn inside(text: &str) -> (&str, Option<Near>) {
    let signs = |c: char| OPERATORS.contains(&c) || c == '@' || c == ' ';
    let at = text.char_indices().skip(1).find(|(_, c)| signs(*c));
    let Some((at, sign)) = at else {
        return (text, None);
    };
    let (name, rest) = text.split_at(at);
    let skipped = rest.len() - rest.trim_start_matches(['@', ' ']).len();
    let version = rest.get(skipped..).unwrap_or_default();
    match token(version, sign == '@') {
        Some((range, is_strong)) if range.end == version.len() => {
            // The sign goes with it: `name@1.2` may have to be `name>=1.2`.
            let start = match sign {
                '@' => at,
                _ => at + skipped + range.start,
            };
            let near = Near {
                place: start..text.len(),
                version: text.get(start..).unwrap_or_default().to_owned(),
                is_locked: false,
                is_strong,
            };
            (name, Some(near))
        }
        _ => (text, None),
    }
}

/// The version behind or before a code span.
pub(super) fn around(unit: &str, span: &Range<usize>, setting: &Setting) -> Option<Near> {
    single(unit, span.end + 1, setting)
        .or_else(|| behind(unit, span.end + 1, 6))
        .or_else(|| before(unit, span.start.saturating_sub(1)))
}

/// Words behind a number alone that it does not count.
const AFTER: &[&str] = &[
    "is", "are", "as", "for", "in", "on", "with", "which", "that", "from", "by", "at", "via",
    "here", "serves", "handles", "provides", "renders",
];

/// A number alone right behind a name, or in a cell for versions: a version if it counts nothing.
fn single(unit: &str, from: usize, setting: &Setting) -> Option<Near> {
    let rest = unit.get(from..)?;
    let text = rest.trim_start_matches([' ', '|']);
    let skipped = rest.get(..rest.len() - text.len())?;
    let at = from + skipped.len();
    let length = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let behind = text.get(length..)?;
    let is_place = match skipped.matches('|').count() {
        0 => skipped == " ",
        1 => is_for_versions(setting.column(unit, at)?),
        _ => false,
    };
    let word = behind
        .trim_start()
        .split([' ', ',', '.', ';', ')', ':'])
        .next()?;
    let is_end = match behind.strip_prefix(['.', ';', ')', '|']) {
        Some(rest) => !rest.starts_with(char::is_alphanumeric),
        None => behind.trim().is_empty() || behind.trim_start().starts_with('|'),
    };
    let is_uncounted = is_end || behind.starts_with(' ') && AFTER.contains(&word);
    (is_place && length > 0 && length < 4 && is_uncounted).then(|| Near {
        place: at..at + length,
        version: text.get(..length).unwrap_or_default().to_owned(),
        is_locked: false,
        is_strong: false,
    })
}

/// Whether the head of a column says that it has the versions in use or asked for.
pub(super) fn is_for_versions(head: &str) -> bool {
    const WORDS: [&str; 11] = [
        "version", "locked", "resolved", "pinned", "wanted", "asked", "requir", "range",
        "constraint", "specif", "in use",
    ];
    WORDS.iter().any(|word| head.contains(word)) && !is_for_others(head)
}

/// Whether the head of a column says that it has versions that are not in use.
fn is_for_others(head: &str) -> bool {
    const WORDS: [&str; 17] = [
        "latest", "newest", "recommend", "target", "fix", "available", "minimum", "vulnerab",
        "affected", "safe", "since", "upgrade", "update", "next", "proposed", "previous",
        "suggest",
    ];
    WORDS.iter().any(|word| head.contains(word))
}

/// The version in the cell behind that of a name.
pub(super) fn in_cell(unit: &str, from: usize, setting: &Setting) -> Option<Near> {
    single(unit, from, setting).or_else(|| behind(unit, from, 0))
}

fn behind(unit: &str, from: usize, most: usize) -> Option<Near> {
    let mut at = from;
    let (mut is_worded, mut is_locked) = (false, false);
    for _ in 0..=most {
        let rest = unit.get(at..)?;
        let text = rest.trim_start_matches([
            ' ', '(', '|', ':', '[', '`', '*', '"', ',', '@', '-', '–', '—',
        ]);
        at += rest.len() - text.len();
        if let Some((range, is_strong)) = token(text, is_worded) {
            let next = text.get(range.end..)?;
            let unit = next.trim_start().split([' ', ',', '.', ')']).next()?;
            let is_unit = next.starts_with('%') || UNITS.contains(&&*unit.to_lowercase());
            return (!is_unit).then(|| Near {
                version: text.get(range.clone()).unwrap_or_default().to_owned(),
                place: at + range.start..at + range.end,
                is_locked,
                is_strong,
            });
        }
        let length = text.find(|c: char| !c.is_alphabetic());
        let word = text.get(..length.unwrap_or(text.len()))?.to_lowercase();
        if !WORDS.contains(&&*word) {
            return None;
        }
        is_worded = word.starts_with("version");
        is_locked |= LOCKED.contains(&&*word);
        at += word.len();
    }
    None
}

/// `version 1.2 of` before a name.
fn before(unit: &str, end: usize) -> Option<Near> {
    let (head, tail) = unit.get(..end)?.rsplit_once(" of ")?;
    if !tail.split_whitespace().all(|word| WORDS.contains(&word)) {
        return None;
    }
    let start = head.rfind([' ', '(', '*']).map_or(0, |at| at + 1);
    let earlier = head.get(..start)?.trim_end().to_lowercase();
    let is_worded = earlier.ends_with("version");
    let (range, is_strong) = token(head.get(start..)?, is_worded)?;
    (start + range.end == head.len()).then(|| Near {
        version: head
            .get(start + range.start..)
            .unwrap_or_default()
            .to_owned(),
        place: start + range.start..head.len(),
        is_locked: false,
        is_strong,
    })
}

/// Versions right behind known names that are in no code: "Express 4.17".
pub(super) fn of_plain_names(unit: &str, setting: &Setting, lookup: &Lookup<'_>) -> Vec<Claim> {
    let code = spans(unit);
    let mut found = Vec::new();
    let mut at = 0;
    for word in unit.split([' ', '(', ')', ',', '|', '*', '`', ':']) {
        let start = at;
        at += word.len() + 1;
        let end = start + word.len();
        let is_code = code.iter().any(|it| it.start <= start && end <= it.end);
        if word.len() < 3 || is_code || !is_known(word, lookup) {
            continue;
        }
        let before = unit.get(..start).unwrap_or_default().trim_end();
        let is_used = ["uses", "using", "requires", "on", "|"]
            .iter()
            .any(|it| before.ends_with(it));
        let alone = single(unit, end, setting).filter(|_| is_used);
        if let Some(near) = alone.or_else(|| behind(unit, end, 1)) {
            found.push(Claim {
                place: near.place,
                what: What::Version {
                    name: word.to_owned(),
                    version: near.version,
                    is_locked: near.is_locked,
                    from: start,
                },
            });
        }
    }
    found
}

/// A version of a known name: what is locked, what is asked for, or a part of that.
pub(super) fn judge(name: &str, version: &str, is_locked: bool, lookup: &Lookup<'_>) -> Verdict {
    let known = lookup.dependency(name);
    let mut locked: Vec<&str> = known
        .iter()
        .flat_map(|it| it.locked.iter().map(String::as_str))
        .chain(
            lookup
                .locked(name)
                .into_iter()
                .flatten()
                .map(String::as_str),
        )
        .collect();
    let components = lookup.facts.components.iter();
    let own = components.filter(|it| it.name == name);
    locked.extend(own.filter_map(|it| it.version.as_deref()));
    let wanted = known.iter().filter_map(|it| it.wanted.as_deref());
    let mut wanted: Vec<&str> = wanted.filter(|it| has_digit(it)).collect();
    for all in [&mut locked, &mut wanted] {
        all.sort_unstable();
        all.dedup();
    }
    if is_locked && !locked.is_empty() {
        wanted.clear();
    }
    let is_joined = version.starts_with('@');
    let said = version.trim_start_matches('@');
    let is_range = said.starts_with(OPERATORS);
    if locked.is_empty() && wanted.is_empty() {
        return Verdict::Unknown;
    }
    let core = bare(said);
    let is_exact = !is_range || said.starts_with('=');
    let is_right = is_exact && locked.iter().any(|it| begins(it, core))
        || wanted.iter().any(|it| asks(it, said, is_range));
    if is_right {
        return Verdict::Verified;
    }
    let one = |all: &[&str]| match all {
        [one] => Some((*one).to_owned()),
        _ => None,
    };
    // Nothing is locked: what is asked for is no locked version.
    let asked = one(&wanted).filter(|_| !is_locked);
    let right = match is_range {
        true => asked.or_else(|| one(&locked)),
        false => one(&locked).or(asked),
    };
    let right = right.filter(|it| is_plain(it));
    let why = match &right {
        Some(right) => format!("{name} is {right}"),
        None => format!("{name} is {}", [locked, wanted].concat().join(" or ")),
    };
    let now = right.map(|right| match is_joined && !right.starts_with(OPERATORS) {
        true => format!("@{right}"),
        false => right,
    });
    Verdict::Wrong { why, now }
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|it| it.is_ascii_digit())
}

/// A version without its operator, its `v` and its wildcards.
fn bare(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = text.find([',', ' ', '|']).unwrap_or(text.len());
    let text = text.get(..end).unwrap_or(text);
    text.trim_end_matches(".x").trim_end_matches(".*")
}

/// Whether a version is another one or the beginning of it: 1.2 of 1.2.3.
fn begins(whole: &str, part: &str) -> bool {
    let whole = bare(whole);
    let rest = whole.strip_prefix(part);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        || part.trim_end_matches(".0") == whole.trim_end_matches(".0")
}

/// Whether a requirement asks for this, in whole or in part.
fn asks(wanted: &str, said: &str, is_range: bool) -> bool {
    let parts = |text: &str| -> Vec<String> {
        let parts = text.split([',', '|']).map(|it| it.replace(' ', ""));
        parts.filter(|it| !it.is_empty()).collect()
    };
    let (all, said) = (parts(wanted), parts(said));
    let fits = |said: &String| {
        all.iter().any(|part| match is_range {
            // Without an operator a requirement of Cargo is one with `^`, and one of others is exact.
            true => {
                part == said
                    || [said.strip_prefix('^'), said.strip_prefix("==")]
                        .contains(&Some(part.as_str()))
            }
            // What is below a bound that is left out is asked for, and not the bound.
            false => {
                let is_left_out = part.starts_with('<') && !part.starts_with("<=");
                !is_left_out && !part.starts_with('!') && begins(part, bare(said))
            }
        })
    };
    !said.is_empty() && said.iter().all(fits)
}

/// Whether a requirement of a manifest, which is text of others, can stand on a page.
fn is_plain(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || ".^~=<>!,*+- ".contains(c);
    let is_tag = text.match_indices('<').any(|(at, _)| {
        !text.get(at + 1..).is_some_and(|it| {
            it.trim_start_matches(['=', ' '])
                .starts_with(|c: char| c.is_ascii_digit())
        })
    });
    text.len() < 60 && !is_tag && text.chars().all(is_sign)
}
