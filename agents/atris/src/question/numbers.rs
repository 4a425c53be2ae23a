//! Numbers in questions, in digits or as words.

/// The number that a word is. `One` is no number of things: `the second one`.
pub(super) fn number(word: &str) -> Option<u64> {
    const WORDS: [&str; 11] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
    if digits.len() == word.len() && !digits.is_empty() {
        return digits.parse().ok();
    }
    const MORE: [(&str, u64); 8] = [
        ("eleven", 11),
        ("twelve", 12),
        ("dozen", 12),
        ("fifteen", 15),
        ("twenty", 20),
        ("thirty", 30),
        ("fifty", 50),
        ("hundred", 100),
    ];
    let at = WORDS
        .iter()
        .position(|known| *known == word && *known != "one");
    let more = MORE.iter().find(|(known, _)| *known == word);
    at.and_then(|at| u64::try_from(at).ok())
        .or(more.map(|(_, number)| *number))
}
