//! The model itself: ids in, one vector of length 1 out.
//!
//! One text at a time: this model is quantized at run time by the range of all numbers of a run, so the
//! vector of a text would otherwise depend on which texts happened to be beside it.

use std::path::Path;

use rten::{Model, NodeId, Value, ValueOrView};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::tokens;

/// How long a vector is.
pub(super) const DIMENSIONS: usize = 384;

/// A model that is ready to run.
pub(super) struct Network {
    model: Model,
    ids: NodeId,
    mask: NodeId,
    kinds: NodeId,
    output: NodeId,
}

impl Network {
    /// Reads the model; takes a moment.
    ///
    /// Only for a file whose hash was checked: the reader may continue for ever with a damaged one.
    pub(super) fn load(path: &Path) -> Result<Self, String> {
        let model = Model::load_file(path).map_err(|error| error.to_string())?;
        let node = |name| model.node_id(name).map_err(|error| error.to_string());
        Ok(Self {
            ids: node("input_ids")?,
            mask: node("attention_mask")?,
            kinds: node("token_type_ids")?,
            output: node("last_hidden_state")?,
            model,
        })
    }

    /// The vector of a text: the mean over its tokens, brought to length 1.
    pub(super) fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
        let ids = tokens::ids(text);
        let count = ids.len();
        let row = |numbers: Vec<i32>| -> ValueOrView<'static> {
            Value::from(NdTensor::from_data([1, count], numbers)).into()
        };
        let inputs = vec![
            (self.ids, row(ids)),
            (self.mask, row(vec![1; count])),
            (self.kinds, row(vec![0; count])),
        ];
        let outputs = self.model.run(inputs, &[self.output], None);
        let output = outputs
            .map_err(|error| error.to_string())?
            .pop()
            .ok_or("the model gave nothing")?;
        let output: NdTensor<f32, 3> = output
            .try_into()
            .map_err(|error| format!("the model gave something else: {error}"))?;
        if output.shape() != [1, count, DIMENSIONS] {
            return Err(format!("the model gave the shape {:?}", output.shape()));
        }
        let mut sum = vec![0.0_f32; DIMENSIONS];
        for (number, at) in output.iter().zip((0..DIMENSIONS).cycle()) {
            if let Some(sum) = sum.get_mut(at) {
                *sum += number;
            }
        }
        normalize(&mut sum);
        Ok(sum)
    }
}

/// Brings a vector to length 1; what all numbers are divided by before does not matter, so a sum is as
/// good as a mean.
fn normalize(vector: &mut [f32]) {
    let square: f32 = vector.iter().map(|number| number * number).sum();
    let length = square.sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_brought_to_length_one() {
        let mut vector = [3.0, 4.0];
        normalize(&mut vector);
        assert_eq!(vector, [0.6, 0.8]);
        let mut zero = [0.0, 0.0];
        normalize(&mut zero);
        assert_eq!(zero, [0.0, 0.0]);
    }
}
