//! Writes GGUF files, good and bad.

/// A file under construction.
#[derive(Clone, Default)]
pub(crate) struct File {
    values: Vec<(String, Vec<u8>)>,
    tensors: Vec<Tensor>,
}

#[derive(Clone)]
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) shape: Vec<u64>,
    pub(crate) code: u32,
    pub(crate) bytes: Vec<u8>,
}

impl File {
    /// A `llama` of one layer with eight tokens, which means nothing.
    pub(crate) fn tiny() -> Self {
        let mut file = Self::default();
        file.text("general.architecture", "llama");
        file.text("general.name", "Tiny Test");
        for (key, value) in [
            ("block_count", 1),
            ("embedding_length", 32),
            ("attention.head_count", 2),
            ("attention.head_count_kv", 1),
            ("feed_forward_length", 64),
            ("context_length", 256),
        ] {
            file.number(&format!("llama.{key}"), value);
        }
        file.value(
            "llama.attention.layer_norm_rms_epsilon",
            6,
            &1e-5_f32.to_le_bytes(),
        );
        file.text("tokenizer.ggml.model", "gpt2");
        file.text("tokenizer.ggml.pre", "gpt-2");
        file.texts(
            "tokenizer.ggml.tokens",
            &["a", "b", "c", "d", "e", "f", "g", "<end>"],
        );
        file.texts("tokenizer.ggml.merges", &[]);
        let kinds: Vec<u8> = [1_u32, 1, 1, 1, 1, 1, 1, 3]
            .iter()
            .flat_map(|k| k.to_le_bytes())
            .collect();
        file.list("tokenizer.ggml.token_type", 5, 8, &kinds);
        file.number("tokenizer.ggml.eos_token_id", 7);
        file.text(
            "tokenizer.chat_template",
            "{% for m in messages %}{{ m.content }}{% endfor %}",
        );
        for (name, columns, rows) in [
            ("token_embd.weight", 32, 8),
            ("output_norm.weight", 32, 1),
            ("blk.0.attn_norm.weight", 32, 1),
            ("blk.0.attn_q.weight", 32, 32),
            ("blk.0.attn_k.weight", 32, 16),
            ("blk.0.attn_v.weight", 32, 16),
            ("blk.0.attn_output.weight", 32, 32),
            ("blk.0.ffn_norm.weight", 32, 1),
            ("blk.0.ffn_gate.weight", 32, 64),
            ("blk.0.ffn_up.weight", 32, 64),
            ("blk.0.ffn_down.weight", 64, 32),
        ] {
            let values = (0..columns * rows).map(|at| ((at * 7 % 13) as f32 - 6.0) / 12.0);
            file.tensors.push(Tensor {
                name: name.to_owned(),
                shape: if rows == 1 {
                    vec![columns]
                } else {
                    vec![columns, rows]
                },
                code: 0,
                bytes: values.flat_map(f32::to_le_bytes).collect(),
            });
        }
        file
    }

    /// A network of two layers and 64 tokens, of numbers as good as random. Most weights are packed as
    /// `most` says, those of values and of the way out of a layer as `some`.
    pub(crate) fn noisy(kind: &str, most: u32, some: u32) -> Self {
        let mut file = Self::tiny();
        file.tensors.clear();
        file.text("general.architecture", kind);
        for (key, value) in [
            ("block_count", 2),
            ("embedding_length", 256),
            ("attention.head_count", 4),
            ("attention.head_count_kv", 2),
            ("feed_forward_length", 512),
            ("context_length", 256),
        ] {
            file.number(&format!("{kind}.{key}"), value);
        }
        for (key, value) in [
            ("attention.layer_norm_rms_epsilon", 1e-5_f32),
            ("rope.freq_base", 1_000.0),
        ] {
            file.value(&format!("{kind}.{key}"), 6, &value.to_le_bytes());
        }
        let letters = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(['!']);
        let tokens: Vec<String> = letters
            .map(String::from)
            .chain(["<end>".to_owned()])
            .collect();
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        file.texts("tokenizer.ggml.tokens", &tokens);
        let kinds = (0..64).flat_map(|token| if token < 63 { 1_u32 } else { 3 }.to_le_bytes());
        file.list(
            "tokenizer.ggml.token_type",
            5,
            64,
            &kinds.collect::<Vec<u8>>(),
        );
        file.number("tokenizer.ggml.eos_token_id", 63);
        file.noise("token_embd.weight", (256, 64), most, 0.0);
        file.noise("output_norm.weight", (256, 1), 0, 1.0);
        for layer in 0..2 {
            for (name, shape, code) in [
                ("attn_q", (256, 256), most),
                ("attn_k", (256, 128), most),
                ("attn_v", (256, 128), some),
                ("attn_output", (256, 256), most),
                ("ffn_gate", (256, 512), most),
                ("ffn_up", (256, 512), most),
                ("ffn_down", (512, 256), some),
            ] {
                file.noise(&format!("blk.{layer}.{name}.weight"), shape, code, 0.0);
                if kind == "qwen2" && ["attn_q", "attn_k", "attn_v"].contains(&name) {
                    file.noise(&format!("blk.{layer}.{name}.bias"), (shape.1, 1), 0, 0.1);
                }
            }
            for name in ["attn_norm", "ffn_norm"] {
                file.noise(&format!("blk.{layer}.{name}.weight"), (256, 1), 0, 1.0);
            }
        }
        file
    }

    /// A tensor of numbers around `middle`, packed as `code` says; only unpacked ones have a middle
    /// other than zero.
    fn noise(&mut self, name: &str, (columns, rows): (u64, u64), code: u32, middle: f32) {
        let mut state = self.tensors.len() as u32 + 1;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        // The size of a block, how many numbers it has, and where its scales stand: halves that make
        // weights of about a sixteenth.
        let (values, size, scales): (u64, usize, &[(usize, u16)]) = match code {
            0 => (1, 4, &[]),
            3 => (32, 20, &[(0, 0x22a0), (2, 0xaf80)]),
            12 => (256, 144, &[(0, 0x0cea), (2, 0x189c)]),
            14 => (256, 210, &[(208, 0x02f3)]),
            other => panic!("packing {other}"),
        };
        let mut bytes = Vec::new();
        for _ in 0..columns * rows / values {
            let mut block: Vec<u8> = (0..size).map(|_| random()).collect();
            if code == 0 {
                let number = middle + (f32::from(block[0]) - 127.5) / 1_024.0;
                block = number.to_le_bytes().to_vec();
            }
            for (at, scale) in scales {
                block[*at..at + 2].copy_from_slice(&scale.to_le_bytes());
            }
            bytes.extend(block);
        }
        let shape = match rows {
            1 => vec![columns],
            _ => vec![columns, rows],
        };
        let name = name.to_owned();
        self.tensors.push(Tensor {
            name,
            shape,
            code,
            bytes,
        });
    }

    pub(crate) fn without(mut self, key: &str) -> Self {
        self.values.retain(|(name, _)| name != key);
        self.tensors.retain(|tensor| tensor.name != key);
        self
    }

    pub(crate) fn text(&mut self, key: &str, text: &str) {
        self.value(key, 8, &string(text));
    }

    pub(crate) fn number(&mut self, key: &str, value: u32) {
        self.value(key, 4, &value.to_le_bytes());
    }

    pub(crate) fn tensor(&mut self, name: &str) -> &mut Tensor {
        self.tensors
            .iter_mut()
            .find(|tensor| tensor.name == name)
            .unwrap()
    }

    /// Another tensor over the bytes of the first ones.
    pub(crate) fn lay_over(&mut self, like: &Tensor, name: &str) {
        let tensor = Tensor {
            name: name.to_owned(),
            bytes: Vec::new(),
            ..like.clone()
        };
        self.tensors.insert(0, tensor);
    }

    /// Other tokens for [`File::tiny`]; the one at `end` is a mark.
    pub(crate) fn vocabulary(&mut self, words: &[&str], end: usize) {
        self.texts("tokenizer.ggml.tokens", words);
        let kind = |at| if at == end { 3_u32 } else { 1 };
        let kinds = (0..words.len()).flat_map(|at| kind(at).to_le_bytes());
        let kinds: Vec<u8> = kinds.collect();
        self.list("tokenizer.ggml.token_type", 5, words.len() as u64, &kinds);
        self.number("tokenizer.ggml.eos_token_id", end as u32);
        let embedding = self.tensor("token_embd.weight");
        embedding.shape = vec![32, words.len() as u64];
        let size = words.len() * 32 * size_of::<f32>();
        embedding.bytes = embedding.bytes.iter().copied().cycle().take(size).collect();
    }

    fn texts(&mut self, key: &str, texts: &[&str]) {
        let bytes: Vec<u8> = texts.iter().flat_map(|text| string(text)).collect();
        self.list(key, 8, texts.len() as u64, &bytes);
    }

    pub(crate) fn list(&mut self, key: &str, kind: u32, count: u64, bytes: &[u8]) {
        let mut value = kind.to_le_bytes().to_vec();
        value.extend(count.to_le_bytes());
        value.extend(bytes);
        self.value(key, 9, &value);
    }

    fn value(&mut self, key: &str, kind: u32, bytes: &[u8]) {
        self.values.retain(|(name, _)| name != key);
        let mut value = kind.to_le_bytes().to_vec();
        value.extend(bytes);
        self.values.push((key.to_owned(), value));
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = b"GGUF".to_vec();
        out.extend(3_u32.to_le_bytes());
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend((self.values.len() as u64).to_le_bytes());
        for (key, value) in &self.values {
            out.extend(string(key));
            out.extend(value);
        }
        let mut offset = 0_u64;
        for tensor in &self.tensors {
            out.extend(string(&tensor.name));
            out.extend((tensor.shape.len() as u32).to_le_bytes());
            tensor
                .shape
                .iter()
                .for_each(|size| out.extend(size.to_le_bytes()));
            out.extend(tensor.code.to_le_bytes());
            out.extend(offset.to_le_bytes());
            offset += (tensor.bytes.len() as u64).next_multiple_of(32);
        }
        out.resize(out.len().next_multiple_of(32), 0);
        for tensor in &self.tensors {
            out.extend(&tensor.bytes);
            out.resize(out.len().next_multiple_of(32), 0);
        }
        out
    }
}

fn string(text: &str) -> Vec<u8> {
    let mut out = (text.len() as u64).to_le_bytes().to_vec();
    out.extend(text.as_bytes());
    out
}
