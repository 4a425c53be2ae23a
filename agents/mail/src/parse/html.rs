//! HTML as a reader of the mail sees it: without hidden elements, and with the links that lead elsewhere than they show.
//!
//! One pass without recursion over untrusted markup. An element counts as hidden by its own style, by the attribute
//! `hidden`, or by a class or an id that a style sheet of the mail hides. What depends on the width of a screen
//! (`@media`) hides nothing.

mod color;
mod style;

use serde::{Deserialize, Serialize};

use self::style::{Hiding, hides};
use super::one_line;

/// The most bytes of a link's text that are looked at.
const MAX_SHOWN: usize = 300;

/// A link whose text names another host than it leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisguisedLink {
    /// The host in its text.
    pub shown: String,
    /// The host it leads to.
    pub target: String,
}

/// The part of a page that is seen.
pub(super) struct VisiblePage {
    /// The markup without hidden elements.
    pub(super) markup: String,
    pub(super) disguised: Vec<DisguisedLink>,
}

/// Elements without content.
const EMPTY: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Elements whose content is no markup.
const RAW: [&str; 6] = [
    "script", "style", "title", "template", "textarea", "noembed",
];

/// Elements that end an open paragraph.
const BLOCKS: [&str; 14] = [
    "p", "div", "table", "ul", "ol", "section", "article", "h1", "h2", "h3", "h4", "blockquote",
    "pre", "form",
];

/// An element that is left out, and how many of its name are open within it.
struct Hidden {
    name: String,
    depth: usize,
}

/// An open link that is seen.
struct OpenLink {
    target: Option<String>,
    text: String,
}

/// The part of a page that is seen, and its disguised links.
pub(super) fn seen(html: &str) -> VisiblePage {
    let mut markup = String::with_capacity(html.len());
    let mut hiding = Hiding::default();
    let mut hidden: Option<Hidden> = None;
    let mut link: Option<OpenLink> = None;
    let mut disguised = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let (text, tag) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        if hidden.is_none() {
            markup.push_str(text);
            if let Some(link) = link.as_mut().filter(|link| link.text.len() < MAX_SHOWN) {
                link.text.push_str(text);
            }
        }
        let Some(found) = Tag::read(tag) else {
            // A sign that begins no tag is text.
            let (sign, after) = tag.split_at(tag.len().min(1));
            if hidden.is_none() {
                markup.push_str(sign);
            }
            rest = after;
            continue;
        };
        rest = tag.get(found.length..).unwrap_or_default();
        if found.name.is_empty() {
            continue;
        }
        if !found.is_end && RAW.contains(&found.name.as_str()) {
            let (content, after) = raw(rest, &found.name);
            if found.name == "style" {
                hiding.add(content);
            }
            rest = after;
            continue;
        }
        let name = found.name.as_str();
        if hidden
            .as_ref()
            .is_some_and(|it| it.name == "p" && BLOCKS.contains(&name))
        {
            hidden = None;
        }
        if let Some(open) = &mut hidden {
            if open.name == name {
                match found.is_end {
                    false => open.depth += 1,
                    true => open.depth -= 1,
                }
            }
            if open.depth == 0 {
                hidden = None;
            }
            continue;
        }
        let is_hidden = !found.is_end && found.is_hidden(&hiding);
        if is_hidden && EMPTY.contains(&name) {
            continue;
        }
        if is_hidden {
            let (name, depth) = (found.name, 1);
            hidden = Some(Hidden { name, depth });
            continue;
        }
        if name == "a" {
            disguised.extend(link.take().and_then(|link| link.disguised()));
            link = (!found.is_end).then(|| OpenLink {
                target: found.attribute("href").and_then(|href| host(&href)),
                text: String::new(),
            });
        }
        markup.push_str(tag.get(..found.length).unwrap_or_default());
    }
    VisiblePage { markup, disguised }
}

impl OpenLink {
    /// The link, if its text is an address of another host.
    fn disguised(self) -> Option<DisguisedLink> {
        let (target, text) = (self.target?, one_line(&self.text, MAX_SHOWN));
        let shown = shown_host(&text)?;
        let is_within = |one: &str, other: &str| {
            one == other
                || one
                    .strip_suffix(other)
                    .is_some_and(|rest| rest.ends_with('.'))
        };
        let plain = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
        let (shown, target) = (plain(&shown), plain(&target));
        let is_same = is_within(&shown, &target) || is_within(&target, &shown);
        (!is_same).then_some(DisguisedLink { shown, target })
    }
}

/// The host of a link's target on the web.
fn host(href: &str) -> Option<String> {
    let href = href.trim();
    let (scheme, rest) = href.split_once("://")?;
    let is_web = ["http", "https"]
        .iter()
        .any(|it| scheme.eq_ignore_ascii_case(it));
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    // What stands before an `@` is a user, whatever it looks like.
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host
        .split(':')
        .next()
        .unwrap_or_default()
        .trim_end_matches('.');
    (is_web && !host.is_empty()).then(|| one_line(host, 255).to_lowercase())
}

/// The host that the text of a link names, if the text is the address of a page and nothing else.
fn shown_host(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains(char::is_whitespace) {
        return None;
    }
    if text.contains("://") {
        return host(text).filter(|host| is_domain(host));
    }
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    // A name such as `report.pdf` is a file unless it has a path or the prefix of a web server.
    let is_address = authority.len() < text.len() || authority.starts_with("www.");
    (is_address && is_domain(authority)).then(|| authority.to_lowercase())
}

fn is_domain(text: &str) -> bool {
    let labels: Vec<&str> = text.split('.').collect();
    let is_label =
        |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let is_top = |label: &&str| label.len() >= 2 && label.chars().all(char::is_alphabetic);
    labels.len() >= 2 && labels.iter().all(is_label) && labels.last().is_some_and(is_top)
}

/// A tag, a comment or a declaration.
struct Tag<'a> {
    /// Its name in lower case; empty if it is a comment or a declaration.
    name: String,
    is_end: bool,
    attributes: &'a str,
    /// How many bytes it takes.
    length: usize,
}

impl<'a> Tag<'a> {
    /// The tag at the beginning of a text; nothing if none begins there.
    fn read(text: &'a str) -> Option<Self> {
        let inner = text.strip_prefix('<')?;
        let other = |length: usize| Self {
            name: String::new(),
            is_end: false,
            attributes: "",
            length,
        };
        if let Some(comment) = inner.strip_prefix("!--") {
            let end = comment.find("-->").map_or(text.len(), |at| at + 7);
            return Some(other(end));
        }
        if inner.starts_with(['!', '?']) {
            return Some(other(inner.find('>').map_or(text.len(), |at| at + 2)));
        }
        let (is_end, named) = match inner.strip_prefix('/') {
            Some(named) => (true, named),
            None => (false, inner),
        };
        if !named.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-');
        let name_length = named.find(|c: char| !is_name(c)).unwrap_or(named.len());
        let (name, behind) = named.split_at(name_length);
        // Browsers drop a tag that never ends, with all that follows it.
        let Some(end) = tag_end(behind) else {
            return Some(other(text.len()));
        };
        Some(Self {
            name: name.to_ascii_lowercase(),
            is_end,
            attributes: behind.get(..end).unwrap_or_default(),
            length: text.len() - behind.len() + end + 1,
        })
    }

    fn is_hidden(&self, hiding: &Hiding) -> bool {
        let mut is_hidden = false;
        self.each(|name, value| {
            is_hidden |= match name {
                "style" => hides(value),
                "hidden" => true,
                "class" => value.split_whitespace().any(|it| hiding.has('.', it)),
                "id" => hiding.has('#', value.trim()),
                _ => false,
            };
        });
        is_hidden
    }

    fn attribute(&self, wanted: &str) -> Option<String> {
        let mut found = None;
        self.each(|name, value| {
            if name == wanted && found.is_none() {
                found = Some(value.replace("&amp;", "&"));
            }
        });
        found
    }

    /// Visits the attributes, with their names in lower case.
    fn each(&self, mut visit: impl FnMut(&str, &str)) {
        let mut rest = self.attributes.trim_start_matches(is_between);
        while !rest.is_empty() {
            let at = rest
                .find(|c: char| is_between(c) || c == '=')
                .unwrap_or(rest.len());
            let (name, behind) = rest.split_at(at);
            let behind = behind.trim_start();
            let (given, behind) = match behind.strip_prefix('=') {
                None => ("", behind),
                Some(given) => value(given.trim_start()),
            };
            visit(&name.to_ascii_lowercase(), given);
            rest = behind.trim_start_matches(is_between);
        }
    }
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || c == '/'
}

/// The value of an attribute, and what is behind it.
fn value(given: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(quoted) = given.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    given.split_at(given.find(char::is_whitespace).unwrap_or(given.len()))
}

/// Where the sign is that ends a tag, outside of quoted values.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut was_equal = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') if was_equal => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        was_equal = c == '=' || was_equal && c.is_whitespace();
    }
    None
}

/// The content of an element that is no markup, and what is behind its end.
fn raw<'a>(text: &'a str, name: &str) -> (&'a str, &'a str) {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("</")) {
        let at = from + at;
        let end = text.get(at + 2..).unwrap_or_default();
        let named = end
            .get(..name.len())
            .is_some_and(|it| it.eq_ignore_ascii_case(name));
        if named {
            let behind = end
                .find('>')
                .map_or("", |end_at| end.get(end_at + 1..).unwrap_or_default());
            return (text.get(..at).unwrap_or_default(), behind);
        }
        from = at + 2;
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_elements_are_left_out() {
        for hidden in [
            "<div style=\"display:none\">X</div>",
            "<div style='DISPLAY : None !important'><div>X</div>X</div>",
            "<span hidden>X</span>",
            "<p style=visibility:hidden>X",
            "<font style=\"font-size:0px\">X</font>",
            "<td style=\"color:#ffffff;background-color:#FFFFFF\">X</td>",
            "<div style=\"max-height:0;overflow:hidden\">X</div>",
            "<p style=\"color:#FFFFFF;background-color:white\">X</p>",
            "<p style=\"color:rgb(255,255,255);background:#fff url(x)\">X</p>",
            "<p style=\"color:#fffffe;background:rgb(100%, 100%, 100%)\">X</p>",
            "<p style=\"color:rgba(0,0,0,0)\">X</p><p style=\"color:#ffffff00\">X</p>",
            "<p style=\"font:0/0 a\">X</p><p style=\"opacity:0.01\">X</p>",
            "<p style=\"clip:rect(0, 0, 0, 0);position:absolute\">X</p>",
            "<p style=\"width:0;overflow:hidden;display:inline-block\">X</p>",
            "<style>.pre , b.x{ display : none }</style><div class=\"a pre\">X</div>",
            "<!-- X --><script>X</script><title>X</title>",
            "<span style=\"opacity:0.0\">X</span>",
        ] {
            let seen = seen(&format!("<p>before</p>{hidden}<p>after</p>")).markup;
            assert!(!seen.contains('X'), "{hidden}: {seen}");
            assert!(
                seen.contains("before") && seen.contains("after"),
                "{hidden}: {seen}"
            );
        }
    }

    #[test]
    fn what_is_seen_stays_as_it_is() {
        for html in [
            "<p style=\"color:#fff;background:#000\">a < b & c</p><br/>",
            "<p style=\"color:#333;background:#eee;font:12px/14px a\">x</p>",
            "<div style='font-size:12px'>x</div><img alt=\"1 > 0\">",
            "<td style='max-width:0;overflow:hidden'>x</td><a style='mso-hide:all'>x</a>",
            "a <3 <b>x</b>",
            "<a href=\"https://example.org/x\">here</a>",
        ] {
            assert_eq!(seen(html).markup, html);
        }
        let narrow =
            "<style>@media (max-width:600px){.wide{display:none}}</style><p class=wide>x</p>";
        assert_eq!(seen(narrow).markup, "<p class=wide>x</p>");
    }

    #[test]
    fn links_that_lead_elsewhere_than_they_show_are_found() {
        let link = |href: &str, text: &str| {
            let seen = seen(&format!("<p><a class=x href=\"{href}\">{text}</a></p>"));
            let found = seen.disguised.into_iter().next();
            found.map(|link| format!("{} {}", link.shown, link.target))
        };
        for (href, text, found) in [
            (
                "https://evil.example/login",
                "https://bank.example/login",
                Some("bank.example evil.example"),
            ),
            (
                "http://bank.example@evil.example",
                "<b>www.bank.example</b>",
                Some("bank.example evil.example"),
            ),
            (
                "https://bank.example.evil.example/",
                "bank.example/start",
                Some("bank.example bank.example.evil.example"),
            ),
            ("https://login.bank.example/", "https://bank.example", None),
            ("https://drive.example/report.pdf", "report.pdf", None),
            ("https://evil.example", "Open your account", None),
            ("mailto:a@evil.example", "https://bank.example", None),
        ] {
            assert_eq!(link(href, text).as_deref(), found, "{href} {text}");
        }
    }

    #[test]
    fn markup_without_end_is_survived() {
        for html in [
            "<".repeat(50_000),
            "<a href=".repeat(20_000),
            "<p style=\"display:none\">".repeat(20_000),
            "<div ======".to_owned() + &"= ".repeat(20_000) + ">",
            "<!--".repeat(20_000),
        ] {
            let _seen = seen(&html);
        }
    }
}
