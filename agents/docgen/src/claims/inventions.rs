//! Names of code that no file of the code base has.
//!
//! A name is refuted only if it cannot be one from outside, and none that a build or a decorator makes: it has the form of a name of
//! code, nothing that is imported or asked for is called so, every file was read, and the sentence plainly says that it is there.

use std::ops::Range;

use super::{
    claim::{Claim, What},
    dependencies::is_imported,
    mood, outside,
    spans::around,
    versions,
};
use crate::facts::Lookup;

/// Words of sentences that speak of what is elsewhere too, or compare with it.
const ELSEWHERE: [&str; 28] = [
    "akin", "analogous", "any", "builtin", "built", "called", "can", "comparable", "counterpart",
    "equivalent", "expect", "expects", "external", "famous", "imitates", "inspired", "known",
    "like", "may", "mimics", "mirrors", "modeled", "modelled", "resemble", "resembles", "similar",
    "standard", "unlike",
];

/// Words before a name that say that the code around the cited lines has it.
const CALLS: [&str; 6] = [
    "calls", "invokes", "raises", "throws", "instantiates", "awaits",
];

/// Files from which programs make code that has names of its own.
const SCHEMAS: [&str; 12] = [
    ".proto", ".thrift", ".graphql", ".gql", ".fbs", ".avsc", ".capnp", ".g4", ".prisma", ".wsdl",
    ".xsd", ".idl",
];

/// Whether a sentence states what is there, of this code base.
pub(super) fn is_stated(unit: &str) -> bool {
    let words = mood::words(unit);
    let is_elsewhere = words.iter().any(|it| ELSEWHERE.contains(&&**it));
    !(is_elsewhere || mood::is_of_absent(unit) || mood::is_negated(unit))
}

/// Whether a name can only be invented; `is_cited` says whether the sentence cites a place for it.
pub(super) fn is_one(unit: &str, claim: &Claim, is_cited: bool, lookup: &Lookup<'_>) -> bool {
    let What::Symbol {
        name,
        owner,
        has_kind,
        ..
    } = &claim.what
    else {
        return false;
    };
    let is_there = *has_kind || is_cited && is_led(unit, &claim.place) || owner.is_some();
    if !is_there || !has_form(name) || !is_stated(unit) || is_generated(lookup) {
        return false;
    }
    let is_foreign = |name: &str| versions::is_known(name, lookup) || is_imported(name, lookup);
    let is_owned = |owner: &String| !outside::is_closed(owner, lookup);
    let unread = |it: &crate::facts::File| it.uncounted && it.language.is_code();
    !owner.as_ref().is_some_and(is_owned)
        && !lookup.facts.files.iter().any(unread)
        && !is_foreign(name)
        && !lookup.in_folder("", name)
}

/// Whether a sentence begins with a name, or says that the code calls it.
fn is_led(unit: &str, place: &Range<usize>) -> bool {
    let (before, _) = around(unit, place);
    let before = before.trim_start_matches(['-', '*', ' ']).trim();
    let last = before.rsplit(' ').next().unwrap_or_default();
    ["", "the"].contains(&before) || CALLS.contains(&last)
}

/// Whether the build may make code that no file shows.
pub(super) fn is_generated(lookup: &Lookup<'_>) -> bool {
    let files = &lookup.facts.files;
    let mut paths = files.iter().map(|it| it.path.as_str());
    paths.any(|path| SCHEMAS.iter().any(|end| path.ends_with(end)))
        || ["paste", "lombok"].iter().any(|it| is_imported(it, lookup))
}

/// Whether a name has the form of names of code: several words, joined by `_` or capitals.
fn has_form(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let mut pairs = inner.chars().zip(inner.chars().skip(1));
    let is_camel = pairs.any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    let is_sign = |c: char| c.is_uppercase() || c == '_' || c.is_ascii_digit();
    // Names in capitals may be of the environment.
    let is_setting = inner.chars().all(is_sign);
    inner.len() > 4 && (is_camel || inner.contains('_')) && !is_setting && !name.starts_with("__")
}
