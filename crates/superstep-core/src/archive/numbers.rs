//! Ids of archives of version 1, which are numbers of 128 bits.
//!
//! A reader of JSON rounds a number that has more than 64 bits unless it knows beforehand what to
//! expect. Nothing else in an archive is an integer that large, so each becomes the text of an id.

/// Rewrites integers of more than 64 bits in a line of JSON as text.
pub(super) fn ids_as_text(line: &mut Vec<u8>) {
    let mut rewritten: Vec<u8> = Vec::new();
    let (mut quoted, mut escaped) = (false, false);
    let (mut at, mut copied) = (0, 0);
    while let Some(byte) = line.get(at) {
        let start = at;
        at += 1;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'-' | b'0'..=b'9' if !quoted => {
                let rest = line.get(start..).unwrap_or_default();
                let part = |b: &&u8| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                at = start + rest.iter().take_while(part).count();
                let number = line.get(start..at).unwrap_or_default();
                let number = std::str::from_utf8(number).ok();
                let wide = number.and_then(|number| number.parse::<u128>().ok());
                if let Some(id) = wide.filter(|id| *id > u128::from(u64::MAX)) {
                    rewritten.extend_from_slice(line.get(copied..start).unwrap_or_default());
                    rewritten.extend_from_slice(format!("\"{id:032x}\"").as_bytes());
                    copied = at;
                }
            }
            _ => {}
        }
    }
    if copied > 0 {
        rewritten.extend_from_slice(line.get(copied..).unwrap_or_default());
        *line = rewritten;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(line: &str) -> String {
        let mut line = line.as_bytes().to_vec();
        ids_as_text(&mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn wide_integers_become_text_and_everything_else_stays() {
        let id = 324_877_655_905_315_338_169_460_417_056_097_372_294_u128;
        assert_eq!(
            after(&format!("{{\"id\":{id},\"parent\":18446744073709551615}}")),
            format!("{{\"id\":\"{id:032x}\",\"parent\":18446744073709551615}}")
        );
        for same in [
            r#"["324877655905315338169460417056097372294","a\"324877655905315338169460417056097372294"]"#,
            "[1e40,-324877655905315338169460417056097372294,100000000000000000000.0,7]\n",
            "[3248776559053153381694604170560973722940000000]",
        ] {
            assert_eq!(after(same), same);
        }
    }
}
