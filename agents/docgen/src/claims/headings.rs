//! Headings, which are titles of the index too: nothing is in them that the facts do not confirm.

use super::{
    ClaimReport, Problem,
    find::claims,
    judge::{is_heard_of, judge},
    setting::Setting,
    verdict::Verdict,
    written,
};
use crate::facts::Lookup;

/// What a heading becomes that makes no sense without what was taken out of it.
const PLAIN: &str = "Notes";

/// A heading with its claims put right. What is wrong or cannot be checked goes: in parentheses alone, else the whole
/// text.
pub(super) fn checked(line: &str, lookup: &Lookup<'_>, report: &mut ClaimReport) -> String {
    let level = line.len() - line.trim_start().trim_start_matches('#').len();
    let (mark, title) = line.split_at(level);
    let setting = Setting {
        is_whole: true,
        ..Setting::default()
    };
    let found = claims(title, &setting, lookup);
    let verdicts = judge(title, &found, &setting, lookup);
    let mut text = title.to_owned();
    let mut is_plain = false;
    let mut problems = Vec::new();
    for (claim, verdict) in found.iter().zip(verdicts).rev() {
        let (why, now) = match verdict {
            Verdict::NoClaim => continue,
            Verdict::Verified => {
                report.verified += 1;
                report.made += 1;
                continue;
            }
            Verdict::Unknown if is_heard_of(claim, lookup) => {
                report.unverified += 1;
                report.made += 1;
                continue;
            }
            Verdict::Unknown => ("a heading has only what is known".to_owned(), None),
            Verdict::Wrong { why, now } => (why, now),
        };
        report.made += 1;
        match &now {
            Some(now) => {
                report.fixed += 1;
                text.replace_range(claim.place.clone(), now);
            }
            None => {
                report.removed += 1;
                match without(&text, claim.place.start, claim.place.end) {
                    Some(left) => text = left,
                    None => is_plain = true,
                }
            }
        }
        problems.push(Problem {
            claim: written(title, claim),
            why,
            now: now.map(|it| it.trim_end_matches('`').to_owned()),
        });
    }
    report.problems.extend(problems.into_iter().rev());
    match is_plain {
        true => format!("{mark} {PLAIN}"),
        false => format!("{mark}{}", text.trim_end()),
    }
}

/// The text without the parentheses that hold nothing but one piece of code.
fn without(text: &str, start: usize, end: usize) -> Option<String> {
    let head = text.get(..start)?.strip_suffix("(`")?;
    let tail = text.get(end..)?;
    let tail = tail.strip_prefix("`)").or(tail.strip_prefix(')'))?;
    let left = format!("{}{tail}", head.trim_end());
    let is_word = left.chars().any(char::is_alphanumeric);
    is_word.then_some(left)
}
