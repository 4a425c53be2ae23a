//! Separation of quoted older mails from the text of a mail.
//!
//! Only a quote at the end is cut off: an answer between quoted lines makes no sense without them.

/// A text, and what it quotes at its end.
pub(crate) fn split(text: &str) -> (String, Option<String>) {
    let lines: Vec<&str> = text.lines().collect();
    let Some(at) = start(&lines) else {
        return (text.trim().to_owned(), None);
    };
    let (said, quoted) = lines.split_at_checked(at).unwrap_or((&lines, &[]));
    let said = said.join("\n").trim().to_owned();
    let quoted = quoted.join("\n").trim().to_owned();
    // A mail that says nothing itself passes on what it quotes.
    if said.is_empty() || quoted.is_empty() {
        return (text.trim().to_owned(), None);
    }
    (said, Some(quoted))
}

/// The line at which the quote begins.
fn start(lines: &[&str]) -> Option<usize> {
    let divider = lines.iter().position(|line| is_divider(line));
    let marked = trailing_marks(lines).map(|at| with_attribution(lines, at));
    let header = lines.iter().enumerate().position(|(at, line)| {
        is_header(line, &["From:", "Von:", "De :", "De:"]) && looks_like_headers(lines, at)
    });
    [divider, marked, header].into_iter().flatten().min()
}

/// The first line of the block of `>` lines that ends the text; a signature may follow it.
fn trailing_marks(lines: &[&str]) -> Option<usize> {
    let body = lines.iter().position(|line| line.trim_end() == "--");
    let body = lines.get(..body.unwrap_or(lines.len()))?;
    let last = body.iter().rposition(|line| !line.trim().is_empty())?;
    if !body.get(last)?.trim_start().starts_with('>') {
        return None;
    }
    let before = body.get(..last)?;
    let unmarked = |line: &&str| !line.trim_start().starts_with('>') && !line.trim().is_empty();
    let first = before.iter().rposition(unmarked).map_or(0, |at| at + 1);
    let first = lines.iter().enumerate().skip(first);
    first
        .into_iter()
        .find(|(_, line)| !line.trim().is_empty())
        .map(|(at, _)| at)
}

/// A line such as `On Monday Ann wrote:` belongs to the quote below it, also when it is folded.
fn with_attribution(lines: &[&str], at: usize) -> usize {
    let above = lines.iter().enumerate().take(at).rev();
    let above: Vec<(usize, &str)> = above
        .map(|(at, line)| (at, line.trim()))
        .filter(|(_, line)| !line.is_empty())
        .take(2)
        .collect();
    let Some((last, line)) = above.first().copied() else {
        return at;
    };
    if !line.ends_with(':') || line.len() > 300 {
        return at;
    }
    let begins = |line: &str| {
        ["On ", "Am ", "Le ", "El ", "Il ", "Op ", "W dniu "]
            .iter()
            .any(|word| line.starts_with(word))
    };
    let wrote = [
        "wrote:", "schrieb:", "écrit :", "écrit:", "escribió:", "scritto:", "schreef:",
    ]
    .iter()
    .any(|word| line.ends_with(word));
    match above.get(1) {
        _ if begins(line) => last,
        Some((folded, first)) if wrote && begins(first) => *folded,
        _ if wrote => last,
        _ => at,
    }
}

fn is_divider(line: &str) -> bool {
    let inner = line.trim().trim_matches('-').trim();
    let dashes = line.trim().starts_with("--") && line.trim().ends_with("--");
    dashes
        && [
            "Original Message", "Ursprüngliche Nachricht", "Message d'origine", "Mensaje original",
        ]
        .iter()
        .any(|known| inner.eq_ignore_ascii_case(known))
}

fn is_header(line: &str, names: &[&str]) -> bool {
    names.iter().any(|name| line.trim_start().starts_with(name))
}

/// Whether headers of an older mail stand here, as some programs put them above a quote.
fn looks_like_headers(lines: &[&str], at: usize) -> bool {
    let names = [
        "Sent:", "Date:", "To:", "Cc:", "Subject:", "Gesendet:", "An:", "Betreff:", "Envoyé :",
        "À :", "Objet :",
    ];
    let next = lines.iter().skip(at + 1).take(4);
    let ruled = lines
        .iter()
        .take(at)
        .rev()
        .find(|line| !line.trim().is_empty())
        .is_none_or(|line| line.trim().len() >= 10 && line.trim().bytes().all(|b| b == b'_'));
    let count = next.filter(|line| is_header(line, &names)).count();
    count >= 3 || ruled && count >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        split(text).0
    }

    #[test]
    fn a_quote_at_the_end_is_cut_off_with_its_attribution() {
        let text = "Yes.\n\nOn Mon, 2 Nov 2026 at 10:00, Ann <ann@example.org>\nwrote:\n> Shall we?\n>\n> Ann\n";
        assert_eq!(said(text), "Yes.");
        let quoted = split(text).1.unwrap_or_default();
        assert!(quoted.starts_with("On Mon") && quoted.ends_with("> Ann"));
        assert_eq!(said("Ja.\n\nAm 2.11. schrieb Ann:\n> Sollen wir?"), "Ja.");
        assert_eq!(
            said("Yes.\n\n-----Original Message-----\nFrom: a\nold"),
            "Yes."
        );
        let outlook = "Fine.\n________________________________\nFrom: Ann\nSent: now\nTo: me\nSubject: x\n\nold";
        assert_eq!(said(outlook), "Fine.\n________________________________");
    }

    #[test]
    fn answers_between_quoted_lines_keep_them() {
        let text = "> Shall we meet?\nYes.\n> Where?\nAt noon.";
        assert_eq!(split(text), (text.to_owned(), None));
    }

    #[test]
    fn a_mail_of_nothing_but_quotes_keeps_them() {
        assert_eq!(split("> all\n> of it"), ("> all\n> of it".to_owned(), None));
        assert_eq!(split(""), (String::new(), None));
    }

    #[test]
    fn a_forwarded_mail_is_what_the_mail_says() {
        let text = "Look.\n\n---------- Forwarded message ---------\nPay now";
        assert_eq!(said(text), text);
    }
}
