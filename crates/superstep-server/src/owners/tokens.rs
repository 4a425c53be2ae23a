//! The tokens that callers show, and who shows them.

use std::{collections::HashSet, sync::Arc};

use superstep::Secret;

use super::visitor::Visitor;
use crate::error::ServerError;

/// The fewest characters of a token that others can try: shorter ones are guessed.
pub(crate) const SHORTEST: usize = 16;

/// The tokens that callers show.
#[derive(Default)]
pub(crate) struct Tokens(Vec<(Secret, Option<Arc<str>>)>);

impl Tokens {
    /// One that sees everything, and those of owners. A name or a token that is there twice, and a token that
    /// can be guessed, is refused.
    pub(crate) fn new(
        whole: Option<Secret>,
        owners: Vec<(Arc<str>, Secret)>,
    ) -> Result<Self, ServerError> {
        let wrong = |why: String| ServerError::Owner { why };
        let whole = whole.filter(|token| !token.expose().is_empty());
        let mut names = HashSet::new();
        let mut all: Vec<_> = whole.into_iter().map(|token| (token, None)).collect();
        for (name, token) in owners {
            let is_plain = |c: char| c.is_alphanumeric() || "-_@+".contains(c);
            if name.is_empty() || !name.chars().all(is_plain) {
                let why = format!("`{name}` is no name of an owner: letters, digits and -_@+ are");
                return Err(wrong(why));
            }
            if token.expose().chars().count() < SHORTEST {
                let why = format!("the token of `{name}` has less than {SHORTEST} characters");
                return Err(wrong(why));
            }
            if all
                .iter()
                .any(|(other, _)| other.expose() == token.expose())
            {
                return Err(wrong(format!("the token of `{name}` is that of another")));
            }
            if !names.insert(name.clone()) {
                return Err(wrong(format!("`{name}` is there twice")));
            }
            all.push((token, Some(name)));
        }
        Ok(Self(all))
    }

    /// Whether nobody needs one.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is one that sees everything.
    pub(crate) fn has_whole(&self) -> bool {
        self.0.iter().any(|(_, owner)| owner.is_none())
    }

    /// Whether each can be shown to other machines: none can be guessed.
    pub(crate) fn are_long(&self) -> bool {
        let is_long = |(token, _): &(Secret, _)| token.expose().chars().count() >= SHORTEST;
        self.0.iter().all(is_long)
    }

    pub(crate) fn owners(&self) -> impl Iterator<Item = Arc<str>> + '_ {
        self.0.iter().filter_map(|(_, owner)| owner.clone())
    }

    /// Who shows a token. All tokens are compared, whichever it is.
    pub(crate) fn caller(&self, given: &str) -> Option<Visitor> {
        self.0.iter().fold(None, |found, (token, owner)| {
            match same(given, token.expose()) {
                true => Some(Visitor::named(owner.clone())),
                false => found,
            }
        })
    }
}

/// Whether two texts are the same, in a time that tells nothing about where they differ.
fn same(given: &str, wanted: &str) -> bool {
    let pairs = given.bytes().zip(wanted.bytes());
    let differing = pairs.fold(0, |differing, (a, b)| differing | (a ^ b));
    given.len() == wanted.len() && std::hint::black_box(differing) == 0
}
