//! Reference implementation of the network, as plain as possible, to compare the fast one with.
//!
//! Weights are unpacked to 32 bits, activations are not rounded, sums are made in 64 bits. What is left
//! between the two is the rounding of activations to 8 bits, and keys and values to 16.

use std::sync::Arc;

use super::gguf::Gguf;
use super::map::Map;
use super::net::Net;
use super::prefix_cache::PrefixCache;
use super::shape::Shape;
use super::tensor::Matrix;

#[path = "../../tests/chat/gguf.rs"]
#[allow(dead_code, reason = "written for the tests of files")]
mod writer;

use writer::File;

/// A network as numbers.
struct Plain<'a> {
    file: &'a Gguf<'a>,
    map: &'a Arc<Map>,
    kind: &'a str,
    shape: Shape,
}

impl Plain<'_> {
    fn rows(&self, name: &str) -> Option<Vec<Vec<f64>>> {
        let tensor = self.file.tensor(name).unwrap()?;
        let shape = (tensor.rows, tensor.columns);
        let matrix = Matrix::new(
            Arc::clone(self.map),
            tensor.bytes.clone(),
            tensor.format,
            shape,
        );
        let matrix = matrix.unwrap();
        let mut row = vec![0.0_f32; shape.1];
        let rows = (0..shape.0).map(|at| {
            matrix.read_row(at, &mut row);
            row.iter().map(|x| f64::from(*x)).collect()
        });
        Some(rows.collect())
    }

    fn real(&self, key: &str) -> f64 {
        self.file.real(&format!("{}.{key}", self.kind)).unwrap()
    }

    fn linear(&self, name: &str, input: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let weights = self.rows(&format!("{name}.weight")).unwrap();
        let bias = self.rows(&format!("{name}.bias"));
        let bias = bias.map_or(vec![0.0; weights.len()], |rows| rows[0].clone());
        let row = |x: &Vec<f64>| {
            let products = weights.iter().zip(&bias);
            products.map(|(w, bias)| dot(w, x) + bias).collect()
        };
        input.iter().map(row).collect()
    }

    fn norm(&self, name: &str, input: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let weights = &self.rows(name).unwrap()[0];
        let epsilon = self.real("attention.layer_norm_rms_epsilon");
        let row = |x: &Vec<f64>| {
            let scale = 1.0 / (dot(x, x) / x.len() as f64 + epsilon).sqrt();
            x.iter().zip(weights).map(|(x, w)| x * scale * w).collect()
        };
        input.iter().map(row).collect()
    }

    /// Turns the pairs of every head by the place of the row.
    fn turn(&self, rows: &mut [Vec<f64>]) {
        let size = self.shape.head;
        let base = self.real("rope.freq_base");
        for (place, row) in rows.iter_mut().enumerate() {
            for head in row.chunks_mut(size) {
                for pair in 0..size / 2 {
                    let (left, right) = match self.kind {
                        "qwen2" => (pair, pair + size / 2),
                        _ => (2 * pair, 2 * pair + 1),
                    };
                    let angle = place as f64 / base.powf(2.0 * pair as f64 / size as f64);
                    let (x, y) = (head[left], head[right]);
                    head[left] = x * angle.cos() - y * angle.sin();
                    head[right] = x * angle.sin() + y * angle.cos();
                }
            }
        }
    }

    fn attend(&self, layer: usize, input: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let (heads, size) = (self.shape.heads, self.shape.head);
        let name = |part: &str| format!("blk.{layer}.attn_{part}");
        let (mut query, mut key) = (
            self.linear(&name("q"), input),
            self.linear(&name("k"), input),
        );
        let value = self.linear(&name("v"), input);
        self.turn(&mut query);
        self.turn(&mut key);
        let mut read = vec![vec![0.0; heads * size]; input.len()];
        for (place, read) in read.iter_mut().enumerate() {
            for head in 0..heads {
                let shared = head / (heads / self.shape.shared_heads) * size;
                let query = &query[place][head * size..(head + 1) * size];
                let scores = key[..=place]
                    .iter()
                    .map(|key| dot(query, &key[shared..shared + size]) / (size as f64).sqrt());
                let mut scores: Vec<f64> = scores.collect();
                let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                scores
                    .iter_mut()
                    .for_each(|score| *score = (*score - largest).exp());
                let total: f64 = scores.iter().sum();
                for (score, value) in scores.iter().zip(&value) {
                    for at in 0..size {
                        read[head * size + at] += score / total * value[shared + at];
                    }
                }
            }
        }
        self.linear(&name("output"), &read)
    }

    fn rate_next(&self, tokens: &[u32]) -> Vec<f64> {
        let embedding = self.rows("token_embd.weight").unwrap();
        let mut state: Vec<Vec<f64>> = tokens
            .iter()
            .map(|token| embedding[*token as usize].clone())
            .collect();
        for layer in 0..self.shape.layers {
            let name = |part: &str| format!("blk.{layer}.{part}");
            let normed = self.norm(&name("attn_norm.weight"), &state);
            add(&mut state, &self.attend(layer, &normed));
            let normed = self.norm(&name("ffn_norm.weight"), &state);
            let mut gate = self.linear(&name("ffn_gate"), &normed);
            let up = self.linear(&name("ffn_up"), &normed);
            for (gate, up) in gate.iter_mut().flatten().zip(up.iter().flatten()) {
                *gate = *gate / (1.0 + (-*gate).exp()) * up;
            }
            add(&mut state, &self.linear(&name("ffn_down"), &gate));
        }
        let last = self.norm("output_norm.weight", &state[state.len() - 1..]);
        let output = self.rows("output.weight").unwrap_or(embedding);
        output.iter().map(|row| dot(row, &last[0])).collect()
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

fn add(left: &mut [Vec<f64>], right: &[Vec<f64>]) {
    for (left, right) in left.iter_mut().flatten().zip(right.iter().flatten()) {
        *left += right;
    }
}

/// How far the fast network is from the plain one, as a share of how far ratings are spread. The
/// fast one reads `tokens` in two goes, and the last of them alone.
fn distance(map: &Arc<Map>, tokens: &[u32]) -> f64 {
    let file = Gguf::read(map.bytes()).unwrap();
    let net = Net::read(&file, map).unwrap();
    let mut prefixes = PrefixCache::new(1, 256);
    let prefix = prefixes.take(tokens, net.shape()).unwrap();
    let (first, rest) = tokens.split_at(tokens.len() / 2);
    let (rest, last) = rest.split_at(rest.len() - 1);
    net.read_tokens(first, prefix);
    net.read_tokens(rest, prefix);
    let fast = net.rate_next(last, 1, prefix);
    let plain = Plain {
        kind: file.text("general.architecture").unwrap(),
        shape: net.shape().clone(),
        file: &file,
        map,
    };
    let plain = plain.rate_next(tokens);
    assert_eq!(fast.len(), plain.len());
    let square = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|x| x * x).sum::<f64>();
    let mean = plain.iter().sum::<f64>() / plain.len() as f64;
    let differences = fast.iter().zip(&plain).map(|(x, y)| f64::from(*x) - y);
    let spread = square(&mut plain.iter().map(|x| x - mean));
    (square(&mut { differences }) / spread).sqrt()
}

fn mapped(file: &File) -> Arc<Map> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, file.bytes()).unwrap();
    Arc::new(Map::open(&path).unwrap())
}

/// Codes of packings in a file.
const F32: u32 = 0;
const Q4_1: u32 = 3;
const Q4K: u32 = 12;
const Q6K: u32 = 14;

#[test]
fn a_llama_rates_as_the_plain_network_does() {
    for code in [F32, Q4_1] {
        let map = mapped(&File::noisy("llama", code, code));
        let distance = distance(&map, &[1, 5, 2, 7, 3, 3, 9, 11, 4, 0, 6, 2]);
        assert!(distance < 0.03, "{code}: {distance}");
    }
}

#[test]
fn a_qwen_rates_as_the_plain_network_does() {
    for (most, some) in [(F32, F32), (Q4K, Q6K)] {
        let map = mapped(&File::noisy("qwen2", most, some));
        let distance = distance(&map, &[1, 5, 2, 7, 3, 3, 9, 11, 4, 0, 6, 2]);
        assert!(distance < 0.03, "{most}: {distance}");
    }
}

#[test]
fn a_token_is_rated_among_guesses_as_it_is_alone_whatever_was_forgotten_before() {
    let codes = [
        ("llama", F32, F32),
        ("llama", Q4_1, Q4_1),
        ("qwen2", Q4K, Q6K),
    ];
    for (kind, most, some) in codes {
        let map = mapped(&File::noisy(kind, most, some));
        let file = Gguf::read(map.bytes()).unwrap();
        let net = Net::read(&file, &map).unwrap();
        let read = [1, 5, 2, 7, 3];
        let mut prefixes = PrefixCache::new(2, 256);
        let together = {
            let prefix = prefixes.take(&read, net.shape()).unwrap();
            net.read_tokens(&read, prefix);
            net.read_tokens(&[8, 8, 8], prefix);
            prefix.truncate(read.len());
            net.rate_next(&[9, 11, 4, 0], 4, prefix)
        };
        let mut prefixes = PrefixCache::new(1, 256);
        let prefix = prefixes.take(&read, net.shape()).unwrap();
        net.read_tokens(&read, prefix);
        let alone: Vec<f32> = [9, 11, 4, 0]
            .into_iter()
            .flat_map(|token| net.rate_next(&[token], 1, prefix))
            .collect();
        assert!(alone == together, "{kind} {most}");
    }
}

#[test]
fn ratings_are_the_same_to_the_last_bit_with_one_two_and_changing_threads() {
    let pools = [1, 2, 3].map(|count| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        pool.unwrap()
    });
    let [one, two, three] = &pools;
    for (most, some) in [(F32, F32), (Q4K, Q6K)] {
        let map = mapped(&File::noisy("qwen2", most, some));
        let file = Gguf::read(map.bytes()).unwrap();
        let net = Net::read(&file, &map).unwrap();
        let ratings = [[one; 3], [two; 3], [three, one, two]].map(|pools| {
            let mut prefixes = PrefixCache::new(1, 256);
            let prefix = prefixes.take(&[1, 5], net.shape()).unwrap();
            let [first, second, third] = pools;
            first.install(|| net.read_tokens(&[1, 5, 2, 7, 3, 8, 6], prefix));
            let among = second.install(|| net.rate_next(&[9, 11, 4], 3, prefix));
            let alone = third.install(|| net.rate_next(&[0], 1, prefix));
            [among, alone].concat()
        });
        let [one, two, changing] = &ratings;
        assert!(one == two && one == changing, "{most}");
    }
}

/// With the weights of a real model.
#[cfg(feature = "weights-tests")]
mod needs_weights {
    use super::*;
    use crate::chat::tokenizer::Tokenizer;

    const TEXT: &str = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n\
                        <|im_start|>user\nWhat is the capital of France, and since when? It's 2027 – \
                        naïve café, 12345.67 €!<|im_end|>\n<|im_start|>assistant\n";

    fn weights() -> Arc<Map> {
        let path = std::env::var_os("SUPERSTEP_TEST_MODEL");
        let path = path.expect("SUPERSTEP_TEST_MODEL is the path of the weights");
        Arc::new(Map::open(path.as_ref()).unwrap())
    }

    fn tokens(map: &Arc<Map>, text: &str) -> Vec<u32> {
        let file = Gguf::read(map.bytes()).unwrap();
        Tokenizer::read(&file).unwrap().encode(text)
    }

    #[test]
    fn it_rates_as_the_plain_network_does() {
        let map = weights();
        let tokens = tokens(&map, "<|im_start|>user\nThe ferry leaves.<|im_end|>\n");
        let distance = distance(&map, &tokens);
        // Rounding alone moves a network this small and this deep by a tenth to a quarter.
        assert!(distance < 0.4, "{distance}");
    }

    /// The weights that the recordings are of.
    fn recorded_weights() -> Arc<Map> {
        let map = weights();
        let file = Gguf::read(map.bytes()).unwrap();
        let tokens = file.texts("tokenizer.ggml.tokens").unwrap().len();
        assert_eq!(
            (file.text("general.architecture"), tokens),
            (Ok("llama"), 49_152),
            "the recordings are of `tiny`: set SUPERSTEP_TEST_MODEL to what `cargo xtask weights tiny` prints"
        );
        map
    }

    #[test]
    fn a_text_has_the_tokens_that_were_recorded() {
        let map = recorded_weights();
        let recorded = [
            1, 9690, 198, 2683, 359, 253, 5356, 11173, 30, 2, 198, 1, 4093, 198, 1780, 314, 260,
            3575, 282, 4649, 28, 284, 1675, 645, 47, 657, 506, 216, 34, 32, 34, 39, 816, 15486,
            46494, 37366, 28, 216, 33, 34, 35, 36, 37, 30, 38, 39, 24927, 17, 2, 198, 1, 520, 9531,
            198,
        ];
        assert_eq!(tokens(&map, TEXT), recorded);
    }

    /// The last twelve were written by another implementation, which saw the tokens before them. Where
    /// it was sure, so must we be.
    #[test]
    fn the_next_token_is_the_one_another_implementation_wrote() {
        let map = recorded_weights();
        let recorded = [
            1, 817, 198, 2683, 359, 253, 5356, 11173, 30, 2, 3717, 1, 2914, 198, 1780, 314, 260,
            3575, 282, 4649, 28, 284, 1675, 645, 47, 657, 506, 216, 34, 32, 34, 39, 816, 15486,
            46494, 37366, 28, 216, 33, 34, 35, 36, 37, 30, 38, 39, 24927, 17, 2, 3717, 1, 11173,
            198, 504, 2988, 314, 216, 34, 32, 34, 39, 30, 2, 198, 2,
        ];
        let is_sure = [
            false, false, false, false, true, true, true, true, false, false, true, true,
        ];
        let file = Gguf::read(map.bytes()).unwrap();
        let net = Net::read(&file, &map).unwrap();
        let mut prefixes = PrefixCache::new(1, 256);
        let prefix = prefixes.take(&recorded, net.shape()).unwrap();
        let (read, written) = recorded.split_at(53);
        let mut ratings = net.rate_next(read, 1, prefix);
        for (token, is_sure) in written.iter().zip(is_sure) {
            let best = (0..).zip(&ratings).max_by(|x, y| x.1.total_cmp(y.1));
            assert!(
                !is_sure || best.unwrap().0 == *token,
                "{best:?} for {token}"
            );
            ratings = net.rate_next(&[*token], 1, prefix);
        }
    }
}
