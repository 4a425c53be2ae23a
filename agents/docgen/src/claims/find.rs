//! Claims in a sentence: what is in backticks, and some of what is not.

use std::ops::Range;

use super::{
    claim::{Claim, What},
    counts,
    dependencies::is_dependency_name,
    identity, kinds, paths, relations, rows,
    setting::Setting,
    spans::{around, spans},
    values,
    verdict::Verdict,
    versions,
};
use crate::facts::Lookup;

const DEPENDENCY_WORDS: &[&str] = &[
    "depends on", "depend on", "dependency", "dependencies", "crate", "package", "library",
    "libraries", "framework", "packages", "crates",
];

/// Words between a name and one of the words above that leave it said: "is used as a direct dependency".
const BETWEEN: &[&str] = &[
    "is", "are", "was", "a", "an", "the", "used", "as", "direct", "indirect", "runtime", "dev",
    "build", "main", "only", "one", "of", "its", "external",
];

/// The claims of a sentence, in order.
pub(super) fn claims(unit: &str, setting: &Setting, lookup: &Lookup<'_>) -> Vec<Claim> {
    let mut found = Vec::new();
    for span in spans(unit) {
        found.extend(in_code(unit, span, setting, lookup));
    }
    found.extend(paths::bare(unit));
    found.extend(versions::of_plain_names(unit, setting, lookup));
    found.extend(rows::bare_name(unit, setting));
    let is_about_a_path = found.iter().any(|it| matches!(it.what, What::Path { .. }));
    found.extend(counts::find(unit, is_about_a_path, setting, lookup));
    let relations = match setting.is_advised {
        true => Vec::new(),
        false => relations::find(unit, lookup),
    };
    let checked = identity::find(unit, lookup)
        .into_iter()
        .chain(relations)
        .chain(values::find(unit, lookup));
    let is_free = |place: &Range<usize>| {
        let mut known = found.iter().filter(|it| {
            !matches!(
                it.what,
                What::Symbol { .. } | What::Path { .. } | What::Dependency { .. }
            )
        });
        !known.any(|it| it.place.start < place.end && place.start < it.place.end)
    };
    let checked: Vec<Claim> = checked.filter(|it| is_free(&it.place)).collect();
    for claim in checked {
        let is_same = |it: &Claim| it.place == claim.place;
        match &claim.what {
            // A name that is confirmed or put right by what is said of it is one claim.
            What::Checked(Verdict::Wrong { .. }) => found.retain(|it| !is_same(it)),
            _ if found.iter().any(is_same) => continue,
            _ => {}
        }
        found.push(claim);
    }
    found.sort_by_key(|claim| claim.place.start);
    found
}

/// The claims of a piece of code.
fn in_code(unit: &str, span: Range<usize>, setting: &Setting, lookup: &Lookup<'_>) -> Vec<Claim> {
    let written = unit.get(span.clone()).unwrap_or_default();
    let text = written.trim();
    if text.is_empty() || text.len() > 200 || text.contains("://") {
        return Vec::new();
    }
    let start = span.start + written.len() - written.trim_start().len();
    let place = start..start + text.len();
    let (name, inside) = versions::inside(text);
    let near = inside.map(|it| it.moved(start));
    let near = near.or_else(|| versions::around(unit, &span, setting));
    let is_known = versions::is_known(name, lookup) && lookup.facts.file(name).is_none();
    let is_scoped = name.starts_with('@') && name.matches('/').count() == 1;
    let is_said = is_said(unit, &span, lookup);
    let in_versions = setting.is_of_versions();
    let is_row = setting.header.is_some();
    let is_strong = near.as_ref();
    let is_strong = is_strong.is_some_and(|it| in_versions || it.is_strong && !is_row);
    let is_path = !is_known && !is_scoped && paths::parse(text).is_some();
    let is_dependency = is_said || is_strong || is_known && near.is_some();
    if !is_path && is_dependency && is_dependency_name(name) {
        let mut found = vec![Claim {
            place,
            what: What::Dependency {
                name: name.to_owned(),
                is_said: true,
            },
        }];
        if let Some(near) = near.filter(|_| is_known) {
            found.push(Claim {
                place: near.place,
                what: What::Version {
                    name: name.to_owned(),
                    version: near.version,
                    is_locked: near.is_locked,
                    from: span.start.saturating_sub(1),
                },
            });
        }
        return found;
    }
    if let Some(claim) = paths::in_code(unit, place.clone(), span.end) {
        return vec![claim];
    }
    if text.contains(' ') {
        return paths::words(text, start);
    }
    let bare = text.trim_end_matches("()").trim_end_matches('!');
    let mut parts = bare.rsplit(['.', ':']).filter(|it| !it.is_empty());
    let name = parts.next().unwrap_or(bare);
    if !is_symbol(bare) || bare.ends_with(['.', ':']) {
        return Vec::new();
    }
    vec![Claim {
        place,
        what: What::Symbol {
            name: name.to_owned(),
            owner: parts.next().map(str::to_owned),
            has_kind: kinds::has_kind(unit, &span),
            kind: kinds::said(unit, &span),
        },
    }]
}

/// Whether the sentence says that what is in a code span is a dependency, alone or in a list.
fn is_said(unit: &str, span: &Range<usize>, lookup: &Lookup<'_>) -> bool {
    let (before, after) = around(unit, span);
    let is_denied = ["no ", "not ", "n't ", "never ", "without ", "instead of "]
        .iter()
        .any(|word| before.starts_with(word) || before.contains(&format!(" {word}")));
    if is_denied {
        return false;
    }
    let mut head = before.as_str();
    loop {
        head = head.trim_end();
        if DEPENDENCY_WORDS
            .iter()
            .any(|word| head.trim_end_matches(':').ends_with(word))
        {
            return true;
        }
        if is_user(head, unit.get(span.clone()).unwrap_or_default(), lookup) {
            return true;
        }
        let listed = head.strip_suffix(" and").or(head.strip_suffix(" or"));
        let Some(listed) = listed.or(head.strip_suffix(',')) else {
            break;
        };
        let listed = listed.trim_end().trim_end_matches(',');
        // What is listed before it: a name, with its version if that is said.
        let is_version = |c: char| c.is_ascii_digit() || " .()v^~=<>".contains(c);
        let Some(name) = listed.trim_end_matches(is_version).strip_suffix('`') else {
            break;
        };
        let Some((earlier, _)) = name.rsplit_once('`') else {
            break;
        };
        head = earlier;
    }
    let words = after.split([' ', ',', '.', ';', ')', '(']);
    let mut words = words.filter(|it| !it.is_empty()).take(8);
    let first = words.find(|word| !BETWEEN.contains(word));
    let is_direct = after.starts_with(' ');
    is_direct && first.is_some_and(|word| DEPENDENCY_WORDS.contains(&word))
}

/// Whether a text says that a package of the code base uses, or that a file imports, what stands behind it, and that is
/// nothing of the code base.
fn is_user(head: &str, used: &str, lookup: &Lookup<'_>) -> bool {
    const PACKAGES: [&str; 7] = [
        "crate", "package", "component", "service", "app", "application", "library",
    ];
    let facts = lookup.facts;
    let is_foreign = !used.contains(char::is_uppercase) && lookup.symbol(used).is_empty();
    let subject = |verb: &str| {
        let (front, name) = head
            .strip_suffix(verb)?
            .strip_suffix('`')?
            .rsplit_once('`')?;
        Some((front.trim_end(), name))
    };
    let is_of_package = [" uses", " requires", " relies on"].iter().any(|verb| {
        subject(verb).is_some_and(|(front, name)| {
            let mut known = facts.components.iter();
            let component = known.find(|it| it.name.to_lowercase() == name);
            PACKAGES.iter().any(|it| front.ends_with(it))
                && component.is_some_and(|it| !lookup.in_folder(&it.folder, used))
        })
    });
    let is_of_file = subject(" imports").is_some_and(|(_, path)| {
        let mut files = facts.files.iter();
        files.any(|it| it.path.to_lowercase() == path)
    });
    is_foreign && (is_of_package || is_of_file)
}

fn is_symbol(name: &str) -> bool {
    let is_sign = |c: char| c.is_alphanumeric() || "_:.".contains(c);
    (2..150).contains(&name.len())
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(is_sign)
}
