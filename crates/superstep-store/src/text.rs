//! Text search without a model: which words of a query occur in a value.

use serde_json::Value;

/// The words of a query.
///
/// Case does not matter and a word may be part of a longer one, so that texts written without spaces
/// are found too. Only texts of the value are looked at, not its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextQuery(Vec<String>);

impl TextQuery {
    /// The words of `query`; `None` if it is blank.
    ///
    /// ```
    /// use superstep_store::TextQuery;
    /// use serde_json::json;
    ///
    /// let query = TextQuery::new("Green tea?").expect("two words");
    /// assert_eq!(query.score(&json!({"likes": ["TEA", "coffee"]})), 1);
    /// ```
    pub fn new(query: &str) -> Option<Self> {
        let lower = query.to_lowercase();
        let mut words = distinct(lower.split(|c: char| !c.is_alphanumeric()));
        if words.is_empty() {
            // A query of signs alone, like `++`, still means something.
            words = distinct(lower.split_whitespace());
        }
        (!words.is_empty()).then_some(Self(words))
    }

    /// How many words of the query occur in texts of the value.
    pub fn score(&self, value: &Value) -> usize {
        let mut missing: Vec<&str> = self.0.iter().map(String::as_str).collect();
        strike_out(&mut missing, value);
        self.0.len() - missing.len()
    }
}

fn distinct<'q>(words: impl Iterator<Item = &'q str>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for word in words.filter(|word| !word.is_empty()) {
        if !kept.iter().any(|other| other == word) {
            kept.push(word.to_owned());
        }
    }
    kept
}

fn strike_out(missing: &mut Vec<&str>, value: &Value) {
    match value {
        _ if missing.is_empty() => {}
        Value::String(text) => {
            let lower = text.to_lowercase();
            missing.retain(|word| !lower.contains(word));
        }
        Value::Array(elements) => elements.iter().for_each(|e| strike_out(missing, e)),
        Value::Object(fields) => fields.values().for_each(|f| strike_out(missing, f)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn score(query: &str, value: Value) -> usize {
        TextQuery::new(query).unwrap().score(&value)
    }

    #[test]
    fn each_word_counts_once() {
        assert_eq!(score("tea tea TEA", json!("tea and tea")), 1);
        assert_eq!(score("green tea", json!({"a": "Green", "b": ["tea"]})), 2);
        assert_eq!(score("green tea", json!({"green": 1, "tea": null})), 0);
    }

    #[test]
    fn case_is_folded_beyond_ascii() {
        assert_eq!(score("ÉCOLE", json!("l'école")), 1);
        assert_eq!(score("日本", json!("私は日本にいます")), 1);
    }

    #[test]
    fn a_query_of_signs_is_searched_as_it_is() {
        assert_eq!(score("++", json!("C++")), 1);
        assert_eq!(score("what's", json!("what is")), 2);
    }

    #[test]
    fn a_blank_query_is_none() {
        assert_eq!(TextQuery::new(" \n"), None);
    }
}
