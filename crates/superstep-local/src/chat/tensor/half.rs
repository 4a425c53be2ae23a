//! Numbers of 16 bits, without a branch so that loops over them vectorise.

/// The number in two bytes of a file.
#[inline(always)]
pub(crate) fn read(bytes: [u8; 2]) -> f32 {
    widen(u16::from_le_bytes(bytes))
}

/// As 32 bits. Infinities come out as large finite numbers.
#[inline(always)]
pub(crate) fn widen(bits: u16) -> f32 {
    let magnitude = f32::from_bits(u32::from(bits & 0x7fff) << 13);
    let sign = u32::from(bits & 0x8000) << 16;
    // Moves the exponent from a bias of 15 to one of 127; right for the smallest numbers too.
    f32::from_bits((magnitude * f32::from_bits(0x7780_0000)).to_bits() | sign)
}

/// As 16 bits, to the nearest. What is too large becomes the largest.
#[inline(always)]
pub(crate) fn narrow(value: f32) -> u16 {
    let sign = (value.to_bits() >> 16) as u16 & 0x8000;
    let magnitude = value.abs().min(65_504.0) * f32::from_bits(0x0780_0000);
    // Half of the last place that stays.
    let rounded = magnitude.to_bits() + 0x0fff + (magnitude.to_bits() >> 13 & 1);
    (rounded >> 13) as u16 | sign
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
    }
}
