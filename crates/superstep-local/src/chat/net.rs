//! Transformer: from tokens to the logits of the next one.
//!
//! Two kinds are known, `llama` and `qwen2`, which differ in how they rotate positions and in
//! whether attention has biases. Weights stay packed in the mapped file (`tensor`); keys and values
//! of tokens seen before are in a [`CachedPrefix`].

use std::sync::Arc;

use rayon::prelude::*;

use super::gguf::{FileError, Gguf};
use super::map::Map;
use super::prefix_cache::CachedPrefix;
use super::shape::{Pairs, Shape};
use super::tensor::attention::Attention;
use super::tensor::vector;
use super::tensor::{Format, Matrix, Rows};

/// A network that is ready to compute.
pub(super) struct Net {
    shape: Shape,
    embedding: Matrix,
    layers: Vec<Layer>,
    norm: Vec<f32>,
    /// Absent when the embedding is used both ways.
    output: Option<Matrix>,
    /// How fast each pair of numbers turns with the position.
    turns: Vec<f64>,
}

struct Layer {
    attention_norm: Vec<f32>,
    query: Linear,
    key: Linear,
    value: Linear,
    merge: Linear,
    inner_norm: Vec<f32>,
    gate: Linear,
    up: Linear,
    down: Linear,
}

struct Linear {
    weights: Matrix,
    bias: Option<Vec<f32>>,
}

impl Net {
    pub(super) fn read(file: &Gguf<'_>, map: &Arc<Map>) -> Result<Self, FileError> {
        let shape = Shape::read(file)?;
        let tensors = Tensors { file, map };
        let (width, inner) = (shape.width, shape.inner);
        let vocabulary = file.texts("tokenizer.ggml.tokens")?.len();
        let (queries, kept) = (shape.heads * shape.head, shape.kept());
        let mut layers = Vec::new();
        for layer in 0..shape.layers {
            let linear = |name: &str, rows, columns| {
                tensors.linear(&format!("blk.{layer}.{name}"), rows, columns)
            };
            let norm = |name: &str| tensors.vector(&format!("blk.{layer}.{name}.weight"), width);
            layers.push(Layer {
                attention_norm: norm("attn_norm")?,
                query: linear("attn_q", queries, width)?,
                key: linear("attn_k", kept, width)?,
                value: linear("attn_v", kept, width)?,
                merge: linear("attn_output", width, queries)?,
                inner_norm: norm("ffn_norm")?,
                gate: linear("ffn_gate", inner, width)?,
                up: linear("ffn_up", inner, width)?,
                down: linear("ffn_down", width, inner)?,
            });
        }
        let output = match file.has("output.weight") {
            true => Some(tensors.matrix("output.weight", vocabulary, width)?),
            false => None,
        };
        Ok(Self {
            embedding: tensors.matrix("token_embd.weight", vocabulary, width)?,
            norm: tensors.vector("output_norm.weight", width)?,
            turns: turns(&tensors, &shape)?,
            output,
            layers,
            shape,
        })
    }

    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Reads `tokens` after those in `prefix`, and stores their keys and values there.
    pub(super) fn read_tokens(&self, tokens: &[u32], prefix: &mut CachedPrefix) {
        self.hidden(tokens, prefix);
    }

    /// Reads `tokens` as [`Net::read_tokens`] does, and rates each token as the one after the last
    /// `count` of them: one row of ratings each.
    pub(super) fn rate_next(
        &self,
        tokens: &[u32],
        count: usize,
        prefix: &mut CachedPrefix,
    ) -> Vec<f32> {
        let hidden = self.hidden(tokens, prefix);
        let last = hidden.len().saturating_sub(count * self.shape.width);
        let last = hidden.get(last..).unwrap_or_default();
        let last = vector::norm(last, &self.norm, self.shape.epsilon);
        let mut ratings = Vec::new();
        let output = self.output.as_ref().unwrap_or(&self.embedding);
        output.multiply(&Rows::new(&last, self.shape.width), &mut ratings);
        ratings
    }

    fn hidden(&self, tokens: &[u32], prefix: &mut CachedPrefix) -> Vec<f32> {
        let Shape {
            width,
            head,
            epsilon,
            ..
        } = self.shape;
        let start = prefix.len();
        let mut state = vec![0.0; tokens.len() * width];
        for (row, token) in state.chunks_exact_mut(width).zip(tokens) {
            self.embedding.read_row(*token as usize, row);
        }
        let turns = Turns::at(&self.turns, start, tokens.len(), self.shape.pairs);
        let (mut query, mut key, mut value) = (Vec::new(), Vec::new(), Vec::new());
        let (mut gate, mut up, mut change) = (Vec::new(), Vec::new(), Vec::new());
        let mut read = vec![0.0; tokens.len() * self.shape.heads * head];
        for (index, layer) in self.layers.iter().enumerate() {
            let normed = vector::norm(&state, &layer.attention_norm, epsilon);
            let rows = Rows::new(&normed, width);
            layer.query.apply(&rows, &mut query);
            layer.key.apply(&rows, &mut key);
            layer.value.apply(&rows, &mut value);
            turns.apply(&mut query, head);
            turns.apply(&mut key, head);
            prefix.store(index, start, &key, &value);
            let (keys, values) = prefix.layer(index);
            let attention = Attention {
                keys,
                values,
                width: head,
                heads: self.shape.heads,
                shared_heads: self.shape.shared_heads,
            };
            attention.read(&query, start, &mut read);
            let rows = Rows::new(&read, self.shape.heads * head);
            layer.merge.apply(&rows, &mut change);
            add(&mut state, &change);

            let normed = vector::norm(&state, &layer.inner_norm, epsilon);
            let rows = Rows::new(&normed, width);
            layer.gate.apply(&rows, &mut gate);
            layer.up.apply(&rows, &mut up);
            let share = self.shape.inner;
            gate.par_chunks_mut(share)
                .zip(up.par_chunks(share))
                .for_each(|(gate, up)| vector::gate(gate, up));
            layer.down.apply(&Rows::new(&gate, share), &mut change);
            add(&mut state, &change);
        }
        prefix.extend(tokens);
        state
    }
}

impl Linear {
    fn apply(&self, rows: &Rows<'_>, out: &mut Vec<f32>) {
        self.weights.multiply(rows, out);
        if let Some(bias) = &self.bias {
            for row in out.chunks_exact_mut(bias.len().max(1)) {
                add(row, bias);
            }
        }
    }
}

fn add(left: &mut [f32], right: &[f32]) {
    for (left, right) in left.iter_mut().zip(right) {
        *left += right;
    }
}

/// Sine and cosine of every position of a chunk.
struct Turns {
    pairs: Pairs,
    places: Vec<Vec<(f32, f32)>>,
}

impl Turns {
    fn at(turns: &[f64], start: usize, count: usize, pairs: Pairs) -> Self {
        let place = |place| {
            let turn = |turn: &f64| {
                let (sine, cosine) = (place as f64 * turn).sin_cos();
                (sine as f32, cosine as f32)
            };
            turns.iter().map(turn).collect()
        };
        let places = (start..start + count).map(place).collect();
        Self { pairs, places }
    }

    /// Rotates all heads of each row of `values`.
    fn apply(&self, values: &mut [f32], head: usize) {
        let row = values
            .len()
            .checked_div(self.places.len())
            .unwrap_or(0)
            .max(1);
        for (row, turns) in values.chunks_exact_mut(row).zip(&self.places) {
            for head in row.chunks_exact_mut(head) {
                match self.pairs {
                    Pairs::Adjacent => {
                        let pairs = head.as_chunks_mut::<2>().0;
                        for ([left, right], turn) in pairs.iter_mut().zip(turns) {
                            rotate(left, right, *turn);
                        }
                    }
                    Pairs::Halves => {
                        let (left, right) = head.split_at_mut(head.len() / 2);
                        for ((left, right), turn) in left.iter_mut().zip(right).zip(turns) {
                            rotate(left, right, *turn);
                        }
                    }
                }
            }
        }
    }
}

fn rotate(left: &mut f32, right: &mut f32, (sine, cosine): (f32, f32)) {
    (*left, *right) = (
        *left * cosine - *right * sine,
        *left * sine + *right * cosine,
    );
}

fn turns(tensors: &Tensors<'_>, shape: &Shape) -> Result<Vec<f64>, FileError> {
    let kind = tensors.file.text("general.architecture")?;
    let base = tensors.file.real(&format!("{kind}.rope.freq_base"));
    let base = base.unwrap_or(10_000.0);
    let count = shape.head / 2;
    let mut turns: Vec<f64> = (0..count)
        .map(|pair| base.powf(-(pair as f64) / count as f64))
        .collect();
    if tensors.file.has("rope_freqs.weight") {
        let factors = tensors.vector("rope_freqs.weight", count)?;
        for (turn, factor) in turns.iter_mut().zip(factors) {
            *turn /= f64::from(factor);
        }
    }
    Ok(turns)
}

/// Takes tensors out of a file, if they have the shape they must have.
struct Tensors<'a> {
    file: &'a Gguf<'a>,
    map: &'a Arc<Map>,
}

impl Tensors<'_> {
    fn linear(&self, name: &str, rows: usize, columns: usize) -> Result<Linear, FileError> {
        let bias = format!("{name}.bias");
        Ok(Linear {
            weights: self.matrix(&format!("{name}.weight"), rows, columns)?,
            bias: match self.file.has(&bias) {
                true => Some(self.vector(&bias, rows)?),
                false => None,
            },
        })
    }

    fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Matrix, FileError> {
        let missing = || FileError::Tensor {
            tensor: name.to_owned(),
            rows,
            columns,
        };
        let tensor = self.file.tensor(name)?.ok_or_else(missing)?;
        if (tensor.rows, tensor.columns) != (rows, columns) {
            return Err(missing());
        }
        Matrix::new(
            Arc::clone(self.map),
            tensor.bytes.clone(),
            tensor.format,
            (rows, columns),
        )
        .ok_or_else(missing)
    }

    fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, FileError> {
        let missing = || FileError::Tensor {
            tensor: name.to_owned(),
            rows: 1,
            columns: length,
        };
        let tensor = self.file.tensor(name)?.ok_or_else(missing)?;
        let bytes = self.map.bytes().get(tensor.bytes.clone());
        let (Format::F32, 1, Some(bytes)) = (tensor.format, tensor.rows, bytes) else {
            return Err(missing());
        };
        let values = bytes.as_chunks::<4>().0.iter();
        let values: Vec<f32> = values.map(|bytes| f32::from_le_bytes(*bytes)).collect();
        if values.len() != length {
            return Err(missing());
        }
        Ok(values)
    }
}
