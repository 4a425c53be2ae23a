//! Encoding of values and vectors.
//!
//! A value is its JSON text, a vector its numbers as little-endian `f32`; both are sealed, since a
//! vector tells about the text it stands for.

use serde_json::Value;
use superstep_core::codec::envelope::Address;
use superstep_core::error::SaverError;

use crate::seal::Seal;

pub(super) fn value_to_bytes(
    value: &Value,
    seal: &Seal,
    place: Address,
) -> Result<Vec<u8>, SaverError> {
    let text = serde_json::to_vec(value);
    let text = text.map_err(|error| SaverError::Unstorable(error.to_string()))?;
    seal.seal(&text, place)
}

pub(super) fn value_from_bytes(
    bytes: &[u8],
    seal: &Seal,
    place: Address,
) -> Result<Value, SaverError> {
    let text = seal.open(bytes, place, &"a value")?;
    serde_json::from_slice(&text).map_err(|error| SaverError::Corrupt(error.to_string()))
}

pub(super) fn vector_to_bytes(
    vector: &[f32],
    seal: &Seal,
    place: Address,
) -> Result<Vec<u8>, SaverError> {
    let numbers = vector.iter().flat_map(|number| number.to_le_bytes());
    seal.seal(&numbers.collect::<Vec<u8>>(), place)
}

/// A vector of any length.
pub(super) fn vector_from_bytes(
    bytes: &[u8],
    seal: &Seal,
    place: Address,
) -> Result<Vec<f32>, SaverError> {
    let bytes = seal.open(bytes, place, &"a vector")?;
    let (numbers, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        let why = format!("{} bytes are not whole numbers of four", bytes.len());
        return Err(SaverError::Corrupt(why));
    }
    let vector: Vec<f32> = numbers
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect();
    if !vector.iter().all(|number| number.is_finite()) {
        return Err(SaverError::Corrupt("a number is not finite".to_owned()));
    }
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_bit_of_a_number_is_kept() {
        let (seal, place) = here();
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..100_000 {
            let number = f64::from_bits(rng.u64(..));
            if !number.is_finite() {
                continue;
            }
            let value = json!(number);
            let bytes = value_to_bytes(&value, &seal, place.clone()).unwrap();
            let read = value_from_bytes(&bytes, &seal, place.clone()).unwrap();
            assert_eq!(read, value);
        }
    }

    #[test]
    fn a_vector_is_little_endian() {
        let (seal, place) = here();
        let sealed = vector_to_bytes(&[1.0, -2.0], &seal, place.clone()).unwrap();
        assert_eq!(
            *seal.open(&sealed, place.clone(), &"it").unwrap(),
            [0, 0, 128, 63, 0, 0, 0, 192]
        );
        let vector = [0.1, f32::MIN_POSITIVE, f32::MAX, -0.0];
        let sealed = vector_to_bytes(&vector, &seal, place.clone()).unwrap();
        let read = vector_from_bytes(&sealed, &seal, place.clone()).unwrap();
        assert_eq!(read.map_bits(), vector.map(f32::to_bits));
    }

    #[test]
    fn a_vector_that_was_not_written_is_refused() {
        let (seal, place) = here();
        let refused = |bytes: &[u8]| {
            let sealed = seal.seal(bytes, place.clone()).unwrap();
            vector_from_bytes(&sealed, &seal, place.clone()).is_err()
        };
        assert!(refused(&[0; 5]));
        assert!(refused(&f32::NAN.to_le_bytes()));
        assert!(!refused(&[0; 8]));
    }

    fn here() -> (Seal, Address) {
        (Seal::default(), Address::of(b"here"))
    }

    trait Bits {
        fn map_bits(&self) -> Vec<u32>;
    }

    impl Bits for Vec<f32> {
        fn map_bits(&self) -> Vec<u32> {
            self.iter().map(|number| number.to_bits()).collect()
        }
    }
}
