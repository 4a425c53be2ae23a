//! Cutting a line into sentences.

/// The sentences of a line, each with the blank behind it, so that together they are the line. Code and parentheses are
/// not divided.
///
/// ```
/// use superstep_tools::guided::sentences;
///
/// let line = "We rent servers, e.g. two. Who pays (Ann? Max?) is open.";
/// assert_eq!(sentences(line), ["We rent servers, e.g. two. ", "Who pays (Ann? Max?) is open."]);
/// ```
pub fn sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut word) = (0, 0);
    let (mut in_code, mut depth) = (false, 0_usize);
    for (at, c) in line.char_indices() {
        match c {
            '`' => in_code = !in_code,
            '(' if !in_code => depth += 1,
            ')' if !in_code => depth = depth.saturating_sub(1),
            ' ' => {
                let said = line.get(word..at).unwrap_or_default();
                // What ends in parentheses is part of what is around them.
                let is_end = ends_sentence(said) && !said.ends_with(')');
                if !in_code && depth == 0 && is_end {
                    found.push(line.get(start..=at).unwrap_or_default());
                    start = at + 1;
                }
                word = at + 1;
            }
            _ => {}
        }
    }
    let last = line.get(start..).unwrap_or_default();
    found.extend((!last.is_empty()).then_some(last));
    found
}

/// Whether a word ends a sentence. Initials and usual abbreviations do not.
pub(super) fn ends_sentence(word: &str) -> bool {
    let word = word.trim_end_matches(['"', '\'', ')', '”', '’', '`', '*']);
    if word.ends_with(['!', '?']) {
        return true;
    }
    let Some(stem) = word.strip_suffix('.') else {
        return false;
    };
    let is_short = [
        "e.g", "i.e", "etc", "approx", "No", "vs", "Dr", "Mr", "Ms", "St", "ca", "resp",
    ];
    let is_initial = stem.chars().count() == 1 && stem.chars().all(char::is_uppercase);
    !is_initial && !is_short.contains(&stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_parentheses_numbers_and_abbreviations_are_not_divided() {
        for (line, count) in [
            ("One. Two.", 2),
            ("One (a. b). Two", 2),
            ("Who pays (Ann? Max?) is open", 1),
            ("One `a. b` two", 1),
            ("3.5 is a number", 1),
            ("Mr. A. Keller agrees. Fine!", 2),
            ("An end.  Two blanks", 2),
            ("", 0),
        ] {
            let found = sentences(line);
            assert_eq!((found.len(), found.concat()), (count, line.to_owned()));
        }
    }
}
