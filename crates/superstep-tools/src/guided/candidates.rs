//! Which of several proposed answers a person meant.

/// The place of the proposed answer that somebody named: by its number, or in its own words. Anything else is an answer of
/// their own.
///
/// ```
/// use superstep_tools::guided::picked;
///
/// let proposed = ["Yes, gladly.", "No."];
/// assert_eq!(picked(&proposed, "2"), Some(1));
/// assert_eq!(picked(&proposed, "yes, gladly"), Some(0));
/// assert_eq!(picked(&proposed, "2 days later"), None);
/// ```
pub fn picked(proposed: &[impl AsRef<str>], said: &str) -> Option<usize> {
    let bare = |text: &str| {
        text.trim()
            .trim_end_matches(['.', '!', ')'])
            .trim()
            .to_lowercase()
    };
    let said = bare(said);
    let number = said.trim_start_matches('(').parse::<usize>().ok();
    let by_number = number.and_then(|number| number.checked_sub(1));
    let by_number = by_number.filter(|place| *place < proposed.len());
    by_number.or_else(|| proposed.iter().position(|it| bare(it.as_ref()) == said))
}
