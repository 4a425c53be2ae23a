//! Money and tokens: one form in all events, which docs/cli.md lists.

use serde_json::Value as Json;

/// The same JSON, in which every `cost` that is a number of millionths of a dollar also has a name that says so, and every
/// count of tokens a name with `_tokens`.
pub fn in_micro_usd(mut json: Json) -> Json {
    match &mut json {
        Json::Array(items) => {
            for item in items {
                *item = in_micro_usd(item.take());
            }
        }
        Json::Object(fields) => {
            for (_, value) in fields.iter_mut() {
                *value = in_micro_usd(value.take());
            }
            let cost = fields.get("cost").filter(|cost| cost.is_u64()).cloned();
            if let Some(cost) = cost {
                fields.insert("cost_micro_usd".into(), cost);
            }
            for (name, long) in [("input", "input_tokens"), ("output", "output_tokens")] {
                let tokens = fields.get("tokens");
                let count = tokens.and_then(|it| it.get(name).or_else(|| it.get(long)));
                if let Some(count) = count.filter(|count| count.is_u64()).cloned() {
                    fields.insert(long.into(), count);
                }
            }
        }
        _ => {}
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_of_others_gets_its_name() {
        let json = serde_json::json!({"usage": [{"cost": 7, "tokens": {"input": 2, "output": 3}}], "cost": "x"});
        let json = in_micro_usd(json);
        assert_eq!(json["usage"][0]["cost_micro_usd"], 7);
        assert_eq!(json["usage"][0]["output_tokens"], 3);
        assert_eq!(json.get("cost_micro_usd"), None);
    }
}
