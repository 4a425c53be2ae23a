//! An analysis as data: sections, recommendations, and back to Markdown.
//!
//! Analyses are Markdown with `##` sections, which every model can write. A section called recommendations is
//! a list of its own, and goes to the page of recommendations too.

use serde_json::{Map, Value as Json, json};

use crate::inert::counted;

/// Parsed analysis: plain data, as it is in `metadata.json`.
pub type Data = Map<String, Json>;

/// The most sections that are kept.
const MOST: usize = 40;

/// Splits an analysis into sections.
pub fn parse(analysis: &str) -> Data {
    let mut sections: Vec<(String, String)> = vec![(String::new(), String::new())];
    let mut fence: Option<&str> = None;
    for line in analysis.lines() {
        let start = line.trim_start();
        let ticks = start.len() - start.trim_start_matches('`').len();
        if ticks >= 3 {
            let mark = start.get(..ticks).unwrap_or("```");
            fence = match fence {
                Some(open) if open.len() <= mark.len() => None,
                Some(open) => Some(open),
                None => Some(mark),
            };
        }
        let title =
            (fence.is_none() && line.starts_with('#')).then(|| line.trim_start_matches('#').trim());
        match title {
            Some(title) if !title.is_empty() && sections.len() < MOST => {
                sections.push((title.to_owned(), String::new()));
            }
            _ => {
                if let Some((_, body)) = sections.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    let mut recommendations = Vec::new();
    let mut kept = Vec::new();
    for (title, body) in sections {
        let body = body.trim();
        if is_recommendations(&title) {
            recommendations.extend(items(body));
        } else if !body.is_empty() {
            kept.push(json!({"title": title, "body": body}));
        }
    }
    let mut data = Data::new();
    data.insert("sections".into(), Json::Array(kept));
    data.insert("recommendations".into(), json!(recommendations));
    data
}

fn is_recommendations(title: &str) -> bool {
    let title = title.to_lowercase();
    ["recommendation", "next steps", "suggestions"]
        .iter()
        .any(|word| title.contains(word))
}

fn items(body: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in body.lines() {
        let text = line.trim_start();
        let bullet = text.strip_prefix("- ").or_else(|| text.strip_prefix("* "));
        let numbered = text.split_once(". ").filter(|(number, _)| {
            !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit())
        });
        match (bullet.or(numbered.map(|(_, rest)| rest)), items.last_mut()) {
            (Some(item), _) => items.push(item.trim().to_owned()),
            (None, Some(last)) if !text.is_empty() => {
                last.push(' ');
                last.push_str(text.trim());
            }
            (None, _) if !text.is_empty() => items.push(text.trim().to_owned()),
            _ => {}
        }
    }
    items.truncate(MOST);
    items
}

/// The sections of data: title and text.
pub fn sections(data: &Data) -> impl Iterator<Item = (&str, &str)> {
    let all = data
        .get("sections")
        .and_then(Json::as_array)
        .into_iter()
        .flatten();
    all.filter_map(|section| {
        let text = |key: &str| section.get(key).and_then(Json::as_str);
        Some((text("title")?, text("body")?))
    })
}

/// The recommendations of data.
pub fn recommendations(data: &Data) -> impl Iterator<Item = &str> {
    let all = data.get("recommendations").and_then(Json::as_array);
    all.into_iter().flatten().filter_map(Json::as_str)
}

/// Data as Markdown.
pub fn markdown(data: &Data) -> String {
    let mut page = String::new();
    for (title, body) in sections(data) {
        if !title.is_empty() {
            page.push_str(&format!("## {title}\n\n"));
        }
        page.push_str(body);
        page.push_str("\n\n");
    }
    let mut recommendations = recommendations(data).peekable();
    if recommendations.peek().is_some() {
        page.push_str("## Recommendations\n\n");
        for item in recommendations {
            page.push_str(&format!("- {item}\n"));
        }
    }
    page.trim_end().to_owned()
}

/// How much an analysis says, in one sentence.
pub fn summary(data: &Data) -> String {
    let titles: Vec<&str> = sections(data)
        .map(|(title, _)| title)
        .filter(|it| !it.is_empty())
        .collect();
    let count = recommendations(data).count();
    match titles.is_empty() {
        true => "No analysis, facts alone".to_owned(),
        false => {
            let count = counted(u64::try_from(count).unwrap_or(u64::MAX), "recommendation");
            format!("{}; {count}", titles.join(", "))
        }
    }
}
