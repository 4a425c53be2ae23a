//! An [`Error`] in JSON, as servers and tools show it: code, message, hint and place.

use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{Error, ErrorLocation};

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let ErrorLocation { thread, node, step } = &self.place;
        let mut shown = out.serialize_struct("Error", 6)?;
        shown.serialize_field("code", self.code())?;
        shown.serialize_field("message", &self.kind.to_string())?;
        shown.serialize_field("hint", &self.hint())?;
        shown.serialize_field("thread", thread)?;
        shown.serialize_field("node", node)?;
        shown.serialize_field("step", step)?;
        shown.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::error::{Error, ErrorKind};

    #[test]
    fn an_error_shows_its_code_message_hint_and_place() {
        let error = Error::from(ErrorKind::StepLimit { limit: 3 }).at_node(&"draft".into());
        assert_eq!(
            serde_json::to_value(&error).unwrap(),
            json!({
                "code": "SS1102",
                "message": "the limit of 3 steps ran out",
                "hint": "continue the thread without input, or raise the limit",
                "thread": null,
                "node": "draft",
                "step": null,
            })
        );
    }
}
