//! The claims of a sentence against the facts.

use super::{
    claim::{Claim, What},
    counts,
    dependencies::{self, is_called, is_imported, is_part},
    inventions, kinds, mood,
    places::{PlaceClaim, Tie, ties},
    setting::Setting,
    spans::spans,
    spots::{Spot, is_at, spots},
    targets::{Target, is_unseen, target},
    verdict::Verdict,
    versions,
};
use crate::facts::{File, Language, Lookup, USUAL_OUTPUT};

/// What is judged: all claims of a sentence, and what they have to do with each other.
struct Sentence<'a> {
    unit: &'a str,
    all: &'a [Claim],
    ties: Vec<Option<Tie>>,
    setting: &'a Setting,
    lookup: &'a Lookup<'a>,
}

/// The verdicts on the claims of a sentence, in their order.
pub(super) fn judge(
    unit: &str,
    all: &[Claim],
    setting: &Setting,
    lookup: &Lookup<'_>,
) -> Vec<Verdict> {
    let sentence = Sentence {
        unit,
        all,
        ties: ties(unit, all),
        setting,
        lookup,
    };
    let indexes = 0..all.len();
    let verdicts = indexes.zip(all).map(|(index, claim)| match &claim.what {
        What::Path { .. } => sentence.path(index),
        What::Symbol { name, kind, .. } => match sentence.symbol(index) {
            Verdict::Wrong { why, now: None } => Verdict::Wrong { why, now: None },
            other => kinds::wrong(name, *kind, lookup).unwrap_or(other),
        },
        What::Dependency { name, is_said } => sentence.dependency(index, name, *is_said),
        What::Version { .. } => sentence.version(claim),
        What::Count(count) => counts::judge(count, sentence.file_before(index), lookup),
        What::Checked(verdict) => verdict.clone(),
    });
    verdicts.collect()
}

impl<'a> Sentence<'a> {
    /// The claims that a path is the place of.
    fn tied(&self, path: usize) -> impl Iterator<Item = (&'a Claim, PlaceClaim)> + '_ {
        let all = self.all.iter().zip(&self.ties);
        all.filter_map(move |(claim, tie)| {
            let tie = tie.filter(|it| it.path == path)?;
            Some((claim, tie.said))
        })
    }

    fn path(&self, index: usize) -> Verdict {
        let Some(What::Path {
            path,
            lines,
            is_open,
            is_bare,
            is_folder,
        }) = self.all.get(index).map(|it| &it.what)
        else {
            return Verdict::NoClaim;
        };
        let wrong = |why: String, now: String| Verdict::Wrong {
            why,
            // A line behind the backtick goes into the code.
            now: Some(if *is_open { now + "`" } else { now }),
        };
        let (file, is_whole) = match target(path, self.lookup.facts) {
            Target::File(file) => (file, true),
            Target::Ending(file) => (file, lines.is_none() && !path.contains('/')),
            Target::Folder if lines.is_none() => return Verdict::Verified,
            Target::Folder => return wrong(format!("{path} is a folder"), path.clone()),
            Target::Unsure => return Verdict::Unknown,
            Target::Nothing => {
                let is_claim =
                    lines.is_some() || *is_folder || self.is_like_ours(index, path, *is_bare);
                return self.nowhere(index, path, lines.is_some(), is_claim, wrong);
            }
        };
        if let Some(last) = self.last_line_said(lines.is_some())
            && file.lines > 0
            && last > file.lines
        {
            let why = format!("{} has {} lines", file.path, file.lines);
            return Verdict::Wrong { why, now: None };
        }
        match self.at(index, file, *lines) {
            // The facts do not confirm what says that it is not there.
            At::Right if mood::is_denied(self.unit) => Verdict::Unknown,
            At::Right if is_whole => Verdict::Verified,
            // Called by its last names, with the rest of its path it is right.
            At::Right => {
                let why = format!("there is no file {path}");
                wrong(why, place(&file.path, *lines))
            }
            At::Unknown => Verdict::Unknown,
            At::Elsewhere(why, Some(now)) => wrong(why, now),
            At::Elsewhere(why, None) => Verdict::Wrong { why, now: None },
        }
    }

    /// The last line of the only path of the sentence, where it is said in words: `lines 10 to 20 of`.
    fn last_line_said(&self, has_lines: bool) -> Option<u32> {
        let is_path = |it: &&Claim| matches!(it.what, What::Path { .. });
        let is_only = self.all.iter().filter(is_path).count() == 1;
        (is_only && !has_lines).then(|| mood::last_line(self.unit))?
    }

    /// A path that leads to nothing: where the sentence says what should be there, that may be somewhere.
    fn nowhere(
        &self,
        index: usize,
        path: &str,
        has_lines: bool,
        is_claim: bool,
        wrong: impl Fn(String, String) -> Verdict,
    ) -> Verdict {
        let why = format!("there is no file {path}");
        let defined = self.tied(index).filter(|(_, said)| said.is_of_name());
        for (claim, _) in defined {
            if let [spot] = spots(claim, self.lookup).as_slice() {
                return wrong(why, spot.place(has_lines));
            }
        }
        if !is_claim {
            return Verdict::NoClaim;
        }
        let is_page = path.split('/').next() == Some(USUAL_OUTPUT);
        if has_lines && !is_page {
            return Verdict::Wrong { why, now: None };
        }
        match () {
            () if self.is_cited(path) => Verdict::Verified,
            () if is_unseen(path) || mood::is_of_absent(self.unit) => Verdict::Unknown,
            () if self.lookup.in_manifests(path) => Verdict::Unknown,
            // What the code itself names, it may make or look for.
            () if path.contains('.') && self.lookup.in_folder("", path) => Verdict::Unknown,
            () => Verdict::Wrong { why, now: None },
        }
    }

    /// Whether a path that leads to nothing looks like one of this code base.
    fn is_like_ours(&self, index: usize, path: &str, is_bare: bool) -> bool {
        let first = path.split('/').next().unwrap_or(path);
        let mut files = self.lookup.facts.files.iter();
        let is_ours = files.any(|file| file.path.split('/').next() == Some(first));
        let has_ending = Language::of(path) != Language::Other;
        // A file of something from outside, or a word of a command.
        let at = self.all.get(index).map_or(0, |it| it.place.start);
        let is_word = is_bare && spans(self.unit).iter().any(|it| it.contains(&at));
        let lookup = self.lookup;
        let is_foreign = !lookup.dependency(first).is_empty() || lookup.locked(first).is_some();
        is_ours || has_ending && !is_foreign && !is_word
    }

    /// Whether lines that the sentence cites have a text.
    fn is_cited(&self, text: &str) -> bool {
        self.all.iter().any(|claim| {
            let What::Path {
                path,
                lines: Some((first, last)),
                ..
            } = &claim.what
            else {
                return false;
            };
            let (Target::File(file) | Target::Ending(file)) = target(path, self.lookup.facts)
            else {
                return false;
            };
            let source = self.lookup.source(file);
            source.is_some_and(|it| it.has(text, *first, *last))
        })
    }

    /// A version, which is refuted only by a sentence that says that it is the one in use.
    fn version(&self, claim: &Claim) -> Verdict {
        let What::Version {
            name,
            version,
            is_locked,
            from,
        } = &claim.what
        else {
            return Verdict::NoClaim;
        };
        let judged =
            |version: &str, is_locked: bool| versions::judge(name, version, is_locked, self.lookup);
        let verdict = judged(version, *is_locked);
        if verdict == Verdict::Verified {
            return verdict;
        }
        let column = self.setting.column(self.unit, claim.place.start);
        let is_of_use = match column {
            Some(head) => versions::is_for_versions(head),
            None => {
                !self.setting.is_advised && mood::is_of_use(self.unit, *from, claim.place.start)
            }
        };
        // Beside the one in use, another one is compared with it.
        let is_compared = self.all.iter().any(|it| match &it.what {
            What::Version {
                name: other,
                version,
                is_locked,
                ..
            } => other == name && it != claim && judged(version, *is_locked) == Verdict::Verified,
            _ => false,
        });
        match is_of_use && !is_compared {
            true => verdict,
            false => Verdict::Unknown,
        }
    }

    /// Whether a file, or lines of it, are the place of what the sentence names with it.
    fn at(&self, index: usize, file: &'a File, lines: Option<(u32, u32)>) -> At {
        let tied: Vec<(&Claim, PlaceClaim, Vec<Spot<'a>>)> = self
            .tied(index)
            .map(|(claim, said)| (claim, said, spots(claim, self.lookup)))
            .collect();
        let is_inside =
            lines.is_none_or(|(first, last)| first >= 1 && first <= last && last <= file.lines);
        if file.lines == 0 && lines.is_some() {
            // It is empty, or was not read.
            return match file.bytes {
                0 => At::no_lines(file, lines),
                _ => At::Unknown,
            };
        }
        let is_right = |(claim, said, spots): &(&Claim, PlaceClaim, Vec<Spot<'a>>)| {
            is_at(claim, *said, spots, file, lines, self.lookup)
        };
        let has_lines = lines.is_some();
        if is_inside {
            let is_said = |said: PlaceClaim| said.is_of_name();
            let is_open = match has_lines {
                true => tied.is_empty(),
                // A file that is named with a name says little, unless it says that the name is defined there.
                false => !tied
                    .iter()
                    .any(|(_, said, all)| is_said(*said) && !all.is_empty()),
            };
            if is_open || tied.iter().any(is_right) {
                return At::Right;
            }
        }
        let cited = tied
            .iter()
            .filter(|(_, said, _)| *said >= PlaceClaim::Placed || !is_inside);
        for (claim, said, spots) in cited {
            let mut here = spots.iter().filter(|it| it.path == file.path);
            let name = name_of(claim);
            match (here.next(), here.next(), spots.as_slice()) {
                (Some(spot), None, _) | (None, None, [spot]) => {
                    let why = format!("{name} is at {}", spot.place(true));
                    return At::Elsewhere(why, Some(spot.place(has_lines)));
                }
                (Some(_), Some(_), _) => {
                    let why = format!("{name} is at other lines of {}", file.path);
                    return At::Elsewhere(why, Some(file.path.clone()));
                }
                (None, _, [_, ..]) if said.is_of_name() => {
                    let why = format!("{name} is not defined in {}", file.path);
                    return At::Elsewhere(why, None);
                }
                _ => {}
            }
        }
        match is_inside {
            true => At::Unknown,
            false => At::no_lines(file, lines),
        }
    }

    /// Whether the place of a claim is right, if it has one.
    fn is_placed(&self, index: usize) -> Option<bool> {
        let tie = (*self.ties.get(index)?)?;
        let claim = self.all.get(index)?;
        let What::Path { path, lines, .. } = &self.all.get(tie.path)?.what else {
            return None;
        };
        let spots = spots(claim, self.lookup);
        // A place that is put right is right afterwards.
        if let Verdict::Wrong { now: Some(now), .. } = self.path(tie.path) {
            let now = now.trim_end_matches('`');
            let is_it = |it: &Spot<'_>| it.place(true) == now || it.place(false) == now;
            return Some(spots.iter().any(is_it));
        }
        let is_file = lines.is_none() && !tie.said.is_of_name();
        let (Target::File(file) | Target::Ending(file)) = target(path, self.lookup.facts) else {
            return Some(is_file);
        };
        Some(is_file || is_at(claim, tie.said, &spots, file, *lines, self.lookup))
    }

    fn symbol(&self, index: usize) -> Verdict {
        let Some(claim) = self.all.get(index) else {
            return Verdict::NoClaim;
        };
        let What::Symbol { name, has_kind, .. } = &claim.what else {
            return Verdict::NoClaim;
        };
        let is_placed = self.is_placed(index);
        if !spots(claim, self.lookup).is_empty() || is_known(name, self.lookup) {
            return match is_placed {
                Some(false) => Verdict::Unknown,
                _ => Verdict::Verified,
            };
        }
        let tie = self.ties.get(index).copied().flatten();
        let is_advised = self.setting.is_advised;
        if !is_advised && inventions::is_one(self.unit, claim, tie.is_some(), self.lookup) {
            return Verdict::Wrong {
                why: format!("no file has the name {name}"),
                now: None,
            };
        }
        let Some(tie) = tie else {
            return Verdict::Unknown;
        };
        let Some(What::Path { path, lines, .. }) = self.all.get(tie.path).map(|it| &it.what) else {
            return Verdict::Unknown;
        };
        let is_defined = tie.said > PlaceClaim::Stands;
        let (Target::File(file) | Target::Ending(file)) = target(path, self.lookup.facts) else {
            return Verdict::Unknown;
        };
        // What is called or used there is not defined by the code base, and a definition may be of a kind that
        // the facts do not have.
        if is_placed == Some(true) && lines.is_some() && !is_defined {
            return Verdict::Verified;
        }
        let source = self.lookup.source(file);
        let is_absent = source.is_some_and(|it| !it.has(name, 1, u32::MAX));
        let is_called =
            || inventions::is_stated(self.unit) && !inventions::is_generated(self.lookup);
        let is_cited = tie.said.is_of_name() || *has_kind && lines.is_some() && is_called();
        match is_cited && is_absent && !is_imported(name, self.lookup) {
            true => Verdict::Wrong {
                why: format!("nothing is called {name}"),
                now: None,
            },
            false => Verdict::Unknown,
        }
    }

    fn dependency(&self, index: usize, name: &str, is_said: bool) -> Verdict {
        let is_placed = self.is_placed(index);
        let is_cited = is_placed == Some(true) && self.has_in_place(index, name);
        let header = self.setting.header.as_deref();
        let is_unasked = mood::is_of_unasked(self.unit) || header.is_some_and(mood::is_of_absent);
        match dependencies::judge(name, is_said, is_cited, self.lookup) {
            Verdict::Verified if is_placed == Some(false) => Verdict::Unknown,
            Verdict::Wrong { .. } if is_unasked => Verdict::Unknown,
            verdict => verdict,
        }
    }

    /// Whether the file that is the place of a claim has a name; a folder has not.
    fn has_in_place(&self, index: usize, name: &str) -> bool {
        let tie = self.ties.get(index).copied().flatten();
        let place = tie.and_then(|tie| self.all.get(tie.path));
        let Some(What::Path { path, .. }) = place.map(|it| &it.what) else {
            return false;
        };
        match target(path, self.lookup.facts) {
            Target::File(file) | Target::Ending(file) => match self.lookup.source(file) {
                Some(source) => source.has(name, 1, u32::MAX),
                None => file.bytes > 0,
            },
            _ => false,
        }
    }

    /// The file that was named last before a claim.
    fn file_before(&self, index: usize) -> Option<&'a File> {
        let before = self.all.iter().take(index).rev();
        let mut paths = before.filter_map(|claim| match &claim.what {
            What::Path { path, .. } => Some(path),
            _ => None,
        });
        match target(paths.next()?, self.lookup.facts) {
            Target::File(file) | Target::Ending(file) => Some(file),
            _ => None,
        }
    }
}

/// Where something is.
enum At {
    Right,
    Unknown,
    Elsewhere(String, Option<String>),
}

impl At {
    /// Lines that a file has not.
    fn no_lines(file: &File, lines: Option<(u32, u32)>) -> Self {
        let why = format!("{} has {} lines", file.path, file.lines);
        let first =
            lines.filter(|(first, last)| first < last && *first >= 1 && *first <= file.lines);
        let now = place(&file.path, first.map(|(first, _)| (first, first)));
        Self::Elsewhere(why, Some(now))
    }
}

fn place(path: &str, lines: Option<(u32, u32)>) -> String {
    match lines {
        None => path.to_owned(),
        Some((first, last)) if first == last => format!("{path}:{first}"),
        Some((first, last)) => format!("{path}:{first}-{last}"),
    }
}

fn name_of(claim: &Claim) -> &str {
    match &claim.what {
        What::Symbol { name, .. } | What::Dependency { name, .. } => name,
        _ => "it",
    }
}

/// Whether something of the code base or from outside is called so.
fn is_known(name: &str, lookup: &Lookup<'_>) -> bool {
    is_part(name, lookup) || versions::is_known(name, lookup)
}

/// Whether a name of a heading is one of the code base or of what it imports.
pub(super) fn is_heard_of(claim: &Claim, lookup: &Lookup<'_>) -> bool {
    match &claim.what {
        What::Symbol { name, .. } | What::Dependency { name, .. } => is_imported(name, lookup),
        What::Path { path, .. } => lookup
            .facts
            .files
            .iter()
            .any(|it| is_called(&it.path, path)),
        What::Version { .. } | What::Count(_) | What::Checked(_) => true,
    }
}
