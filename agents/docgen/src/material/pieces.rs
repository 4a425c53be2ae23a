//! Pieces of files as a model reads them: lines with their numbers, merged, within a room.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use super::lines;
use crate::{agent::AgentContext, facts::File, inert};

/// How many lines of a definition are shown.
const LONGEST: u32 = 60;

/// How many lines of comments and attributes above a definition are shown.
const HEAD: u32 = 8;

/// About as many characters as the number of a line takes.
const NUMBER: usize = 7;

/// Lines of files that were chosen, in the order in which their files were.
pub(super) struct Pieces<'c> {
    context: &'c AgentContext,
    left: usize,
    texts: BTreeMap<&'c str, Vec<String>>,
    files: Vec<Chosen<'c>>,
}

struct Chosen<'c> {
    file: &'c File,
    lines: BTreeSet<u32>,
    /// Lines at which a definition was cut, with its last line.
    cuts: BTreeMap<u32, u32>,
}

impl<'c> Pieces<'c> {
    pub(super) fn new(context: &'c AgentContext, room: usize) -> Self {
        Self {
            context,
            left: room,
            texts: BTreeMap::new(),
            files: Vec::new(),
        }
    }

    /// The lines of a file, without secrets.
    pub(super) fn text(&mut self, file: &'c File) -> &[String] {
        let context = self.context;
        self.texts.entry(&file.path).or_insert_with(|| {
            let all = lines(context, &file.path, 1, usize::MAX).unwrap_or_default();
            all.into_iter().map(|(_, line)| line).collect()
        })
    }

    /// Adds lines of a file with the comments above them; false if there is no room for them.
    pub(super) fn add(&mut self, file: &'c File, first: u32, last: u32) -> bool {
        self.text(file);
        let text = self.texts.get(&*file.path).map_or(&[][..], Vec::as_slice);
        let line = |number: u32| {
            let at = usize::try_from(number).ok()?.checked_sub(1)?;
            text.get(at)
        };
        let marks = ["@", "#", "//", "/*", "*"];
        let is_head = |number: u32| {
            let above = line(number).map(|it| it.trim_start());
            above.is_some_and(|it| marks.iter().any(|mark| it.starts_with(mark)))
        };
        let mut from = first.max(1);
        while from > 1 && first - from < HEAD && is_head(from - 1) {
            from -= 1;
        }
        let shown = last.min(first.saturating_add(LONGEST - 1));
        let at = self.files.iter().position(|it| it.file.path == file.path);
        let known = at.and_then(|at| self.files.get(at)).map(|it| &it.lines);
        let is_new = |number: &u32| known.is_none_or(|known| !known.contains(number));
        let wanted: Vec<u32> = (from..=shown)
            .filter(|number| line(*number).is_some() && is_new(number))
            .collect();
        let size = |number: &u32| line(*number).map_or(0, String::len) + NUMBER;
        let head = if at.is_none() {
            file.path.len() + NUMBER
        } else {
            0
        };
        let size = head + wanted.iter().map(size).sum::<usize>();
        let Some(left) = self.left.checked_sub(size) else {
            return false;
        };
        self.left = left;
        if at.is_none() {
            self.files.push(Chosen {
                file,
                lines: BTreeSet::new(),
                cuts: BTreeMap::new(),
            });
        }
        let at = at.unwrap_or(self.files.len() - 1);
        if let Some(chosen) = self.files.get_mut(at) {
            chosen.lines.extend(wanted);
            if shown < last {
                chosen.cuts.insert(shown, last);
            }
        }
        true
    }

    /// All of them below a title.
    pub(super) fn render(self, title: &str) -> String {
        let mut text = format!("\n# {title}\n");
        if self.files.is_empty() {
            text.push_str("(none)\n");
        }
        for Chosen { file, lines, cuts } in &self.files {
            let _written = writeln!(text, "\n## {}", inert::line(&file.path));
            let all = self.texts.get(&*file.path);
            let mut before = 0;
            for number in lines {
                if before > 0 && *number > before + 1 {
                    let _written = match cuts.get(&before) {
                        Some(end) => writeln!(text, "      ... to line {end}"),
                        None => writeln!(text, "      ..."),
                    };
                }
                before = *number;
                let at = usize::try_from(*number).unwrap_or(usize::MAX) - 1;
                let line = all.and_then(|all| all.get(at)).map_or("", String::as_str);
                let _written = writeln!(text, "{number:>5} {line}");
            }
            if let Some(end) = cuts.get(&before) {
                let _written = writeln!(text, "      ... to line {end}");
            }
        }
        text
    }
}
