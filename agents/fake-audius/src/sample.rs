//! Replies for operations that the world knows nothing about: made of the model that they answer with.

use serde_json::{Map, Value as Json};
use superstep_atris::catalogue::{Models, Shape};

/// How deep models are filled.
const DEPTH: usize = 2;

/// A value of a shape, the same for the same place.
pub(crate) fn sample(models: &Models, shape: &Shape, place: &str, depth: usize) -> Json {
    let number = place
        .bytes()
        .fold(7_u64, |sum, byte| (sum * 31 + u64::from(byte)) % 9_973);
    match shape {
        Shape::Text if place.ends_with("_at") || place.ends_with("date") => {
            "2025-06-01T00:00:00Z".into()
        }
        Shape::Text => format!("sample {number}").into(),
        Shape::Number => number.into(),
        Shape::Boolean => (number % 2 == 0).into(),
        Shape::Object => Json::Object(Map::new()),
        Shape::List(item) if depth <= DEPTH => {
            let items = (0..2).map(|at| sample(models, item, &format!("{place}/{at}"), depth + 1));
            items.collect()
        }
        Shape::List(_) => Json::Array(Vec::new()),
        Shape::Map(item) => {
            let value = sample(models, item, &format!("{place}/key"), depth + 1);
            Json::Object(Map::from_iter([("2025-06".to_owned(), value)]))
        }
        Shape::Model(name) => {
            let fields = models
                .get(name)
                .into_iter()
                .flat_map(|model| model.fields());
            let is_plain =
                |shape: &Shape| matches!(shape, Shape::Text | Shape::Number | Shape::Boolean);
            let fields = fields
                .filter(|(_, field)| depth <= DEPTH || is_plain(&field.shape))
                .map(|(name, field)| {
                    let place = format!("{place}/{name}");
                    (
                        name.to_owned(),
                        sample(models, &field.shape, &place, depth + 1),
                    )
                });
            Json::Object(fields.collect())
        }
    }
}
