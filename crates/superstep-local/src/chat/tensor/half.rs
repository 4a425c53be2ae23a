//! Numbers of 16 bits, without a branch so that loops over them vectorize.

/// The number in two bytes of a file.
#[inline(always)]
pub(crate) fn read(bytes: [u8; 2]) -> f32 {
    widen(u16::from_le_bytes(bytes))
}

/// The first half that is not too small for an exponent of its own.
const NORMAL: u32 = 0x0400;
/// What the exponent of 32 bits is larger by, in the bits of a half.
const BIAS: u32 = 112 << 10;
/// How many units the smallest half has.
const UNITS: f32 = 16_777_216.0;
/// 1.5 * 2^23: adding it leaves a whole number in the low bits, rounded to the nearest.
const MAGIC: f32 = 12_582_912.0;

/// As 32 bits. Infinities come out as large finite numbers.
///
/// Scales of weights are often so small that their halves have no exponent. They are counted in units:
/// to multiply the bits of such a number would cost a processor a hundred times as much.
#[inline(always)]
pub(crate) fn widen(bits: u16) -> f32 {
    let magnitude = u32::from(bits & 0x7fff);
    let sign = u32::from(bits & 0x8000) << 16;
    let small = magnitude.cast_signed() as f32 / UNITS;
    let normal = f32::from_bits((magnitude + BIAS) << 13);
    let value = if magnitude < NORMAL { small } else { normal };
    f32::from_bits(value.to_bits() | sign)
}

/// As 16 bits, to the nearest. What is too large becomes the largest.
#[inline(always)]
pub(crate) fn narrow(value: f32) -> u16 {
    let sign = (value.to_bits() >> 16) as u16 & 0x8000;
    let magnitude = value.abs().min(65_504.0);
    let small = (magnitude * UNITS + MAGIC)
        .to_bits()
        .wrapping_sub(MAGIC.to_bits());
    // Half of the last place that stays.
    let rounded = magnitude.to_bits() + 0x0fff + (magnitude.to_bits() >> 13 & 1);
    let normal = (rounded >> 13).wrapping_sub(BIAS);
    let is_small = magnitude.to_bits() < (NORMAL + BIAS) << 13;
    (if is_small { small } else { normal }) as u16 | sign
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_half_survives_widening_and_narrowing() {
        for bits in (0..=u16::MAX).filter(|bits| bits & 0x7c00 != 0x7c00) {
            assert_eq!(narrow(widen(bits)), bits, "{bits:#06x}");
        }
    }

    #[test]
    fn known_halves_have_their_values() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65_504.0),
            (0x0001, 5.960_464_5e-8),
            (0x3555, 0.333_251_95),
        ] {
            assert_eq!(widen(bits), value);
        }
    }

    #[test]
    fn narrowing_takes_the_nearest() {
        assert_eq!(narrow(1.0 + 0.6 / 1024.0), 0x3c01);
        assert_eq!(narrow(1.0 + 0.4 / 1024.0), 0x3c00);
        assert_eq!(narrow(1e9), 0x7bff);
        assert_eq!(narrow(2.4 / UNITS), 2);
        assert_eq!(narrow(-2.6 / UNITS), 0x8003);
        assert_eq!(narrow(1023.7 / UNITS), 0x0400);
    }
}
