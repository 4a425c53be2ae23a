//! Models of replies: which fields they have, of which type.

use std::collections::BTreeMap;

/// All models by name.
#[derive(Debug)]
pub struct Models(BTreeMap<String, Model>);

/// The fields of a model, in the order of the API.
#[derive(Debug)]
pub struct Model {
    fields: Vec<(String, FieldType)>,
}

/// The type of a field, and whether it is always there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldType {
    /// Its shape.
    pub shape: Shape,
    /// Whether a reply must have it.
    pub required: bool,
}

/// What a value looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A text.
    Text,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// Any object.
    Object,
    /// A model by its name.
    Model(String),
    /// A list of one of these.
    List(Box<Shape>),
    /// Values of one of these by key.
    Map(Box<Shape>),
}

impl Models {
    pub(super) fn read(text: &str) -> Result<Self, serde_json::Error> {
        let read: BTreeMap<String, serde_json::Map<String, serde_json::Value>> =
            serde_json::from_str(text)?;
        let models = read.into_iter().map(|(name, fields)| {
            let fields = fields.into_iter().map(|(name, written)| {
                let field = FieldType::parse(written.as_str().unwrap_or("object"));
                (name, field)
            });
            let fields = fields.collect();
            (name, Model { fields })
        });
        Ok(Self(models.collect()))
    }

    /// A model by its name.
    pub fn get(&self, name: &str) -> Option<&Model> {
        self.0.get(name)
    }

    /// What is in the field `data` of a reply.
    pub fn data_of(&self, response: &str) -> Option<&Shape> {
        let field = self.get(response)?.field("data")?;
        Some(&field.shape)
    }
}

impl Model {
    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<&FieldType> {
        let found = self.fields.iter().find(|(known, _)| known == name)?;
        Some(&found.1)
    }

    /// Its fields.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &FieldType)> {
        self.fields.iter().map(|(name, field)| (&**name, field))
    }
}

impl FieldType {
    fn parse(written: &str) -> Self {
        let shape = written.strip_suffix('!');
        Self {
            shape: Shape::parse(shape.unwrap_or(written)),
            required: shape.is_some(),
        }
    }
}

impl Shape {
    fn parse(written: &str) -> Self {
        let inner = |open, close| written.strip_prefix(open)?.strip_suffix(close);
        if let Some(item) = inner('[', ']') {
            return Self::List(Box::new(Self::parse(item)));
        }
        if let Some(item) = inner('{', '}') {
            return Self::Map(Box::new(Self::parse(item)));
        }
        match written {
            "string" => Self::Text,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "object" | "any" => Self::Object,
            model => Self::Model(model.to_owned()),
        }
    }
}
