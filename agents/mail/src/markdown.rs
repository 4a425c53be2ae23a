//! Descriptions of questions as Markdown: inboxes show them so. What a mail or a model says stands in them as text: nothing
//! in it becomes a link, an image or HTML.
//!
//! [`plain`] gives the text back, for those who show it as text.

/// What means something in Markdown wherever it stands.
const SIGNS: &str = "\\`*_[]<>!|~&";

/// A text as Markdown that shows it as it is. Its first line stays a heading if it is one: mails begin otherwise. A line
/// that ends with one of these sentences between `**` is one of the program's, and its sentence is strong.
pub(crate) fn escaped(text: &str, strong: &[&str]) -> String {
    let mut markdown = String::with_capacity(text.len() + text.len() / 8);
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            // A line break in a paragraph.
            markdown.push_str("  \n");
        }
        if at > 0 && line.starts_with('#') {
            markdown.push('\\');
        }
        let mut all = strong.iter();
        match all.find_map(|sentence| Some((before(line, sentence)?, sentence))) {
            Some((before, sentence)) => {
                plain_line(&mut markdown, before);
                markdown.push_str("**");
                plain_line(&mut markdown, sentence);
                markdown.push_str("**");
            }
            None => plain_line(&mut markdown, line),
        }
    }
    markdown
}

/// What stands before a sentence of the program at the end of a line.
fn before<'a>(line: &'a str, sentence: &str) -> Option<&'a str> {
    let rest = line.strip_suffix("**")?.strip_suffix(sentence)?;
    let rest = rest.strip_suffix("**")?;
    (rest.is_empty() || rest.starts_with("- ")).then_some(rest)
}

fn plain_line(markdown: &mut String, line: &str) {
    for (place, sign) in line.char_indices() {
        let from = line.get(place..).unwrap_or_default();
        // Addresses would become links by themselves.
        let is_link = from.starts_with("://") || sign == '.' && ends_with_www(line, place);
        if SIGNS.contains(sign) || is_link {
            markdown.push('\\');
        }
        markdown.push(sign);
    }
}

fn ends_with_www(line: &str, place: usize) -> bool {
    let before = line.get(..place).unwrap_or_default();
    before.to_ascii_lowercase().ends_with("www")
}

/// The text that Markdown of [`escaped`] shows.
pub(crate) fn plain(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    for (at, line) in markdown.split('\n').enumerate() {
        if at > 0 {
            if text.ends_with("  ") {
                text.truncate(text.len() - 2);
            }
            text.push('\n');
        }
        let mut signs = line.chars().peekable();
        while let Some(sign) = signs.next() {
            let next = signs.peek().copied();
            match next.filter(|next| sign == '\\' && next.is_ascii_punctuation()) {
                Some(next) => {
                    signs.next();
                    text.push(next);
                }
                None => text.push(sign),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &str = "# A reply\n\n(dry run)\n\nFrom: Ann <ann@example.org>\nSubject: Re: lunch_time\n\n\
        ![x](https://evil.example/p.png) <img src=x> [click](http://a.example) www.evil.example\n\
        # not a heading\n***\n  two spaces  \nback\\slash \\* `code` a|b ~~x~~ &lt;\n";

    #[test]
    fn nothing_of_a_mail_is_an_image_a_link_or_html() {
        let markdown = escaped(MAIL, &[]);
        assert!(markdown.starts_with("# A reply  \n"), "{markdown}");
        // What is left when every escaped sign is taken out is all that can mean something.
        let mut signs = markdown.chars();
        let mut bare = String::new();
        while let Some(sign) = signs.next() {
            match sign {
                '\\' => drop(signs.next()),
                sign => bare.push(sign),
            }
        }
        for sign in ["![", "](", "<", "://", "www.", "\n# not", "\n***"] {
            assert!(!bare.contains(sign), "{sign}: {markdown}");
        }
        assert!(markdown.contains("Subject: Re: lunch"), "{markdown}");
    }

    #[test]
    fn only_a_sentence_of_the_program_is_strong() {
        let text = "# A reply\n\n**Answers go to x_y@b.example.**\n- z@b.example **(new)**\n│ **(new)**\n**(old)**\n";
        let strong = ["Answers go to x_y@b.example.", "(new)"];
        let markdown = escaped(text, &strong);
        assert!(
            markdown.contains("\n**Answers go to x\\_y@b.example.**"),
            "{markdown}"
        );
        assert!(markdown.contains("- z@b.example **(new)**"), "{markdown}");
        assert!(markdown.contains("│ \\*\\*(new)"), "{markdown}");
        assert!(markdown.contains("\\*\\*(old)"), "{markdown}");
        assert_eq!(plain(&markdown), text);
    }

    #[test]
    fn the_text_comes_back_as_it_was() {
        for text in [MAIL, "", "a", "\\", "a  \n  b", "x\n\n", "tail \\"] {
            assert_eq!(plain(&escaped(text, &["a"])), text);
        }
    }
}
