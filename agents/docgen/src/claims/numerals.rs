//! Numbers in words: `five`, `twenty-five`, `five hundred`.

/// The number of a word, or of two with a hyphen: `five`, `twenty-five`, `hundred`.
fn in_words(word: &str) -> Option<u64> {
    const SMALL: [&str; 20] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = [
        "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    let word = word.to_lowercase();
    let at = |list: &[&str], word: &str| {
        let place = list.iter().position(|it| *it == word)?;
        u64::try_from(place).ok()
    };
    if let Some((tens, ones)) = word.split_once('-') {
        return Some((at(&TENS, tens)? + 2) * 10 + at(&SMALL, ones)?);
    }
    match &*word {
        "hundred" => Some(100),
        "thousand" => Some(1_000),
        "million" => Some(1_000_000),
        word => at(&SMALL, word).or_else(|| Some((at(&TENS, word)? + 2) * 10)),
    }
}

/// Whether a word says how many, and more than one: `five`, `dozens`. What is called `one` is as often not counted.
pub(crate) fn is_many(word: &str) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    ["dozen", "billion"].contains(&one) || in_words(one).is_some_and(|number| number > 1)
}

/// A number in words at the beginning of a text, and of how many words it is: "five hundred" is 500.
pub(super) fn spelled<'a>(words: impl Iterator<Item = &'a str>) -> Option<(u64, usize)> {
    let (mut total, mut part, mut count) = (0_u64, 0_u64, 0);
    for value in words.map_while(in_words).take(8) {
        count += 1;
        match value {
            100 => part = part.max(1).saturating_mul(100),
            1_000 | 1_000_000 => {
                total = total.saturating_add(part.max(1).saturating_mul(value));
                part = 0;
            }
            small => part = part.saturating_add(small),
        }
    }
    (count > 0).then(|| (total.saturating_add(part), count))
}
