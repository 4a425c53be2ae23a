//! Names that are stored, made of Rust names.

/// `MarkRead` as `mark_read`.
pub(crate) fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::with_capacity(name.len() + 4);
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(at + 1);
        let starts = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        if starts {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// `mark_read` as `MarkRead`.
pub(crate) fn camel_case(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    words
        .flat_map(|word| {
            let mut letters = word.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.chain(letters)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parted_where_capitals_begin() {
        assert_eq!(snake_case("MarkRead"), "mark_read");
        assert_eq!(snake_case("Triage"), "triage");
        assert_eq!(snake_case("HTTPCall2Day"), "http_call2_day");
    }

    #[test]
    fn words_get_capitals() {
        assert_eq!(camel_case("mark_read"), "MarkRead");
        assert_eq!(camel_case("_look__up2_"), "LookUp2");
    }
}
