//! Products of bytes with AVX-512 VNNI: four at a time, added up in one instruction.

#![allow(
    unsafe_code,
    reason = "`pulp` knows that a processor has the instruction, but not the instruction"
)]

use std::arch::x86_64::{__m512i, _mm512_dpbusd_epi32};

use pulp::cast;
use pulp::x86::V4;

use super::avx512::{Avx512, Dots};
use super::registers::Registers;
use crate::chat::tensor::panel::{Four, Grain, ROWS};

pulp::simd_type! {
    /// [`V4`] and instructions that multiply bytes or words and add the products in one go (VNNI). Those for words are not
    /// called by name: the compiler makes one of each product and the sum behind it.
    pub(crate) struct Vnni {
        sse: "sse",
        sse2: "sse2",
        fxsr: "fxsr",
        sse3: "sse3",
        ssse3: "ssse3",
        sse4_1: "sse4.1",
        sse4_2: "sse4.2",
        popcnt: "popcnt",
        avx: "avx",
        avx2: "avx2",
        bmi1: "bmi1",
        bmi2: "bmi2",
        fma: "fma",
        lzcnt: "lzcnt",
        avx512f: "avx512f",
        avx512bw: "avx512bw",
        avx512cd: "avx512cd",
        avx512dq: "avx512dq",
        avx512vl: "avx512vl",
        avx512vnni: "avx512vnni",
    }
}

impl Vnni {
    /// Adds the products of four unsigned and four signed bytes to every number in `sums`.
    #[inline(always)]
    fn add_products(self, bytes: __m512i, signed: __m512i, sums: __m512i) -> __m512i {
        // SAFETY: there is a `Vnni` only where the processor was found to have the instruction.
        unsafe { _mm512_dpbusd_epi32(sums, bytes, signed) }
    }
}

impl Avx512<Vnni> {
    pub(crate) fn try_new() -> Option<Self> {
        let (simd, dots) = (V4::try_new()?, Vnni::try_new()?);
        Some(Self { simd, dots })
    }

    /// What functions are compiled for there.
    pub(crate) fn features(self) -> Vnni {
        self.dots
    }
}

impl Dots for Vnni {
    const TOGETHER: usize = 8;
    const PANELS_FROM: usize = 1;

    #[inline(always)]
    fn add_block<const N: usize>(
        simd: Avx512<Self>,
        q: &[Four; 8],
        given: &[&[[i8; 4]; 8]; N],
        (scales, grain): (&[[[i16; 2]; ROWS]; 2], Grain),
        totals: &mut [__m512i; N],
    ) {
        let f = simd.simd.avx512f;
        let [first, second] = scales;
        let mut products = [simd.zeros(); N];
        for (four, q) in q.iter().enumerate() {
            let q = simd.bytes(q);
            for (product, given) in products.iter_mut().zip(given) {
                let bits = given.get(four).copied().unwrap_or_default();
                let given = simd.repeat(cast(bits));
                *product = simd.dots.add_products(q, given, *product);
            }
            // 32 weights have one scale, or two.
            let scale = match (four, grain) {
                (3, Grain::Fine) => first,
                (7, _) => second,
                _ => continue,
            };
            // Of the two that are alike, the upper one with its sign.
            let scale = f._mm512_srai_epi32::<16>(simd.words(scale));
            for (total, product) in totals.iter_mut().zip(&mut products) {
                let scaled = f._mm512_mullo_epi32(*product, scale);
                *total = f._mm512_add_epi32(*total, scaled);
                *product = simd.zeros();
            }
        }
    }
}
