//! Documents that text must be taken out of: DOCX and PDF, real ones and hostile ones.

use std::fs;

use crate::env::{Ran, TestEnv};

const ASK: &str = "ask what --model script:own.jsonl --inputs docs";

/// An archive as zip programs write it, with its files as they are.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let at = u32::try_from(bytes.len()).unwrap();
        let size = u32::try_from(content.len()).unwrap();
        let length = u16::try_from(name.len()).unwrap();
        let mut head = Vec::new();
        // Version, flags, stored, time, date.
        head.extend([20, 0, 0, 0, 0, 0, 0, 0, 33, 0]);
        head.extend(crc32(content).to_le_bytes());
        head.extend(size.to_le_bytes());
        head.extend(size.to_le_bytes());
        head.extend(length.to_le_bytes());
        head.extend([0, 0]);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&head);
        bytes.extend(name.as_bytes());
        bytes.extend(*content);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&head);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (at, size) = (bytes.len(), directory.len());
    bytes.extend(&directory);
    let count = u16::try_from(files.len()).unwrap().to_le_bytes();
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count);
    bytes.extend(count);
    bytes.extend(u32::try_from(size).unwrap().to_le_bytes());
    bytes.extend(u32::try_from(at).unwrap().to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        let mut crc = crc ^ u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(crc & 1));
        }
        crc
    };
    !bytes.iter().fold(!0, step)
}

/// A PDF of one page with this content; `filter` says how it is packed.
fn pdf(content: &[u8], filter: &str) -> Vec<u8> {
    let stream = [
        format!("<< /Length {}{filter} >>\nstream\n", content.len()).as_bytes(),
        content,
        b"\nendstream",
    ]
    .concat();
    let objects: [&[u8]; 5] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
          /Resources << /Font << /F1 5 0 R >> >> >>",
        &stream,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ];
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in (1..).zip(objects) {
        places.push(bytes.len());
        bytes.extend(format!("{number} 0 obj\n").as_bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    let table = bytes.len();
    bytes.extend(b"xref\n0 6\n0000000000 65535 f \n");
    for place in places {
        bytes.extend(format!("{place:010} 00000 n \n").as_bytes());
    }
    bytes.extend(b"trailer\n<< /Size 6 /Root 1 0 R >>\n");
    bytes.extend(format!("startxref\n{table}\n%%EOF\n").as_bytes());
    bytes
}

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.write(
        "work/docs/plan.md",
        "# Plan\nThe plan is in the other files.\n",
    );
    env.write(
        "work/own.jsonl",
        r#"{"when": {"anywhere": "Lena owns the ledger"}, "text": "Word says Lena.", "repeat": "always"}
{"when": {"anywhere": "Omar owns the ledger"}, "text": "The PDF says Omar.", "repeat": "always"}
{"text": "Nobody says.", "repeat": "always"}
"#,
    );
    env
}

fn put(env: &TestEnv, name: &str, bytes: &[u8]) {
    fs::write(env.path(&format!("work/docs/{name}")), bytes).unwrap();
}

/// What became of a file.
fn fate(ran: &Ran, env: &TestEnv, name: &str) -> String {
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let shown = env.run("threads show last --json").events();
    let files = shown[0]["state"]["inputs"]["files"].as_array().unwrap();
    let file = files.iter().find(|it| it["path"] == name);
    file.unwrap()["fate"].to_string()
}

#[test]
fn a_word_document_is_read() {
    let env = env();
    let xml = "<w:document xmlns:w=\"x\"><w:body><w:p><w:r><w:t>Lena owns the ledger</w:t></w:r></w:p></w:body></w:document>";
    put(
        &env,
        "owner.docx",
        &zip(&[("word/document.xml", xml.as_bytes())]),
    );
    let ran = env.run(ASK);
    assert_eq!(ran.stdout, "Word says Lena.\n", "{}", ran.stderr);
    put(&env, "owner.docx", b"PK\x03\x04 no archive");
    let ran = env.run(ASK);
    assert_eq!(ran.stdout, "Nobody says.\n", "{}", ran.stderr);
    let fate = fate(&ran, &env, "owner.docx");
    assert!(fate.contains("it is no DOCX, or damaged"), "{fate}");
}

#[cfg(feature = "pdf")]
#[test]
fn a_pdf_is_read_and_one_without_text_is_told_so() {
    let env = env();
    let text = b"BT /F1 12 Tf 72 720 Td (Omar owns the ledger) Tj ET";
    put(&env, "owner.pdf", &pdf(text, ""));
    let ran = env.run(ASK);
    assert_eq!(ran.stdout, "The PDF says Omar.\n", "{}", ran.stderr);
    // Pages that are pictures.
    put(&env, "owner.pdf", &pdf(b"0 0 612 792 re f", ""));
    let ran = env.run(ASK);
    assert_eq!(ran.stdout, "Nobody says.\n", "{}", ran.stderr);
    assert_eq!(fate(&ran, &env, "owner.pdf"), "{\"left\":\"scanned\"}");
}

#[test]
fn hostile_pdfs_stop_nothing() {
    let env = env();
    let text = b"BT /F1 12 Tf 72 720 Td (Omar owns the ledger) Tj ET";
    let whole = pdf(text, "");
    let cyclic = String::from_utf8(whole.clone()).unwrap();
    let cyclic = cyclic.replace("/Kids [3 0 R]", "/Kids [2 0 R]");
    let noise = [b"%PDF-1.7\n", &vec![0xAB; 9_000][..]].concat();
    put(&env, "cut.pdf", &whole[..whole.len() / 2]);
    put(&env, "cyclic.pdf", cyclic.as_bytes());
    put(&env, "noise.pdf", &noise);
    put(&env, "text.pdf", b"no PDF at all");
    put(
        &env,
        "bomb.pdf",
        &pdf(&zeros(9_000_000), " /Filter /FlateDecode"),
    );
    let ran = env.run(ASK);
    assert_eq!(ran.stdout, "Nobody says.\n", "{}", ran.stderr);
    for name in ["cut.pdf", "cyclic.pdf", "noise.pdf", "text.pdf", "bomb.pdf"] {
        let fate = fate(&ran, &env, name);
        assert!(fate.starts_with("{\"left\":"), "{name}: {fate}");
    }
}

/// So many repetitions of 258 zeros, packed: some hundred times smaller than what they unpack to.
fn zeros(repetitions: usize) -> Vec<u8> {
    let mut bits = Bits {
        bytes: vec![0x78, 0x9c],
        open: 0,
        count: 0,
    };
    // The last block, with fixed codes; a zero, then "258 bytes as the one before" again and again.
    bits.push(0b1, 1);
    bits.push(0b01, 2);
    bits.push(0b0000_1100, 8);
    for _ in 0..repetitions {
        bits.push(0b1010_0011, 8);
        bits.push(0, 5);
    }
    bits.push(0, 15);
    bits.bytes
}

/// Bits, the lowest first.
struct Bits {
    bytes: Vec<u8>,
    open: u64,
    count: u32,
}

impl Bits {
    fn push(&mut self, value: u32, count: u32) {
        self.open |= u64::from(value) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.open.to_le_bytes()[0]);
            self.open >>= 8;
            self.count -= 8;
        }
    }
}
