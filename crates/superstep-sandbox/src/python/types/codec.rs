//! Encodings of texts: which bytes stand for which characters.

use crate::python::{
    fault::{Fault, Res},
    text::quoted,
    vm::Vm,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Codec {
    Utf8,
    /// With a mark at the beginning.
    Utf8Marked,
    Utf16,
    Utf16Little,
    Utf16Big,
    Ascii,
    Latin1,
    Windows1252,
}

/// What the bytes from 0x80 to 0x9F stand for in Windows-1252; those without a character are 0.
const WINDOWS: [u16; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
    0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
];

impl Codec {
    fn find(vm: &mut Vm, name: &str) -> Res<Self> {
        Ok(
            match name.to_lowercase().replace(['_', ' '], "-").as_str() {
                "utf-8" | "utf8" | "u8" => Self::Utf8,
                "utf-8-sig" => Self::Utf8Marked,
                "utf-16" | "utf16" => Self::Utf16,
                "utf-16-le" | "utf-16le" => Self::Utf16Little,
                "utf-16-be" | "utf-16be" => Self::Utf16Big,
                "ascii" | "us-ascii" => Self::Ascii,
                "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "l1" => Self::Latin1,
                "cp1252" | "windows-1252" | "1252" => Self::Windows1252,
                _ => return Err(vm.error("LookupError", format!("unknown encoding: {name}"))),
            },
        )
    }

    fn name(self) -> &'static str {
        match self {
            Self::Utf8 | Self::Utf8Marked => "utf-8",
            Self::Utf16 | Self::Utf16Little => "utf-16-le",
            Self::Utf16Big => "utf-16-be",
            Self::Ascii => "ascii",
            Self::Latin1 => "latin-1",
            Self::Windows1252 => "charmap",
        }
    }

    /// The byte of a character in a codec of one byte each.
    fn byte(self, c: char) -> Option<u8> {
        let code = u32::from(c);
        match self {
            Self::Ascii => u8::try_from(code).ok().filter(u8::is_ascii),
            Self::Windows1252 => {
                let place = WINDOWS.iter().position(|known| u32::from(*known) == code);
                match place.filter(|_| code != 0) {
                    Some(place) => u8::try_from(0x80 + place).ok(),
                    None if (0x80..0xA0).contains(&code) => None,
                    None => u8::try_from(code).ok(),
                }
            }
            _ => u8::try_from(code).ok(),
        }
    }

    fn char(self, byte: u8) -> Option<char> {
        match self {
            Self::Ascii if !byte.is_ascii() => None,
            Self::Windows1252 if (0x80..0xA0).contains(&byte) => {
                let code = WINDOWS.get(usize::from(byte) - 0x80).copied();
                code.filter(|code| *code != 0)
                    .and_then(|code| char::from_u32(u32::from(code)))
            }
            _ => Some(char::from(byte)),
        }
    }
}

/// `text.encode(encoding, errors)`
pub(crate) fn encoded(vm: &mut Vm, text: &str, encoding: &str, errors: &str) -> Res<Vec<u8>> {
    let codec = Codec::find(vm, encoding)?;
    vm.room(text.len().saturating_mul(4))?;
    let wide = |little: bool| {
        let units = text.encode_utf16();
        let bytes = units.flat_map(move |unit| match little {
            true => unit.to_le_bytes(),
            false => unit.to_be_bytes(),
        });
        bytes.collect::<Vec<u8>>()
    };
    match codec {
        Codec::Utf8 => return Ok(text.as_bytes().to_vec()),
        Codec::Utf8Marked => return Ok([b"\xEF\xBB\xBF", text.as_bytes()].concat()),
        Codec::Utf16 => return Ok([b"\xFF\xFE".to_vec(), wide(true)].concat()),
        Codec::Utf16Little => return Ok(wide(true)),
        Codec::Utf16Big => return Ok(wide(false)),
        _ => {}
    }
    let mut bytes = Vec::with_capacity(text.len());
    for (at, c) in text.chars().enumerate() {
        let code = u32::from(c);
        match (codec.byte(c), errors) {
            (Some(byte), _) => bytes.push(byte),
            (None, "strict") => {
                let what = match codec {
                    Codec::Ascii => "ordinal not in range(128)",
                    Codec::Latin1 => "ordinal not in range(256)",
                    _ => "character maps to <undefined>",
                };
                let shown = match code {
                    0..=0xFF => format!("'\\x{code:02x}'"),
                    0x100..=0xFFFF => format!("'\\u{code:04x}'"),
                    _ => format!("'\\U{code:08x}'"),
                };
                let message = format!(
                    "'{}' codec can't encode character {shown} in position {at}: {what}",
                    codec.name()
                );
                return Err(vm.error("UnicodeEncodeError", message));
            }
            (None, "ignore") => {}
            (None, "replace") => bytes.push(b'?'),
            (None, "xmlcharrefreplace") => bytes.extend(format!("&#{code};").bytes()),
            (None, "backslashreplace") => {
                let shown = match code {
                    0..=0xFF => format!("\\x{code:02x}"),
                    0x100..=0xFFFF => format!("\\u{code:04x}"),
                    _ => format!("\\U{code:08x}"),
                };
                bytes.extend(shown.bytes());
            }
            (None, other) => return Err(unknown_handler(vm, other)),
        }
    }
    Ok(bytes)
}

/// `bytes.decode(encoding, errors)`
pub(crate) fn decoded(vm: &mut Vm, bytes: &[u8], encoding: &str, errors: &str) -> Res<String> {
    let codec = Codec::find(vm, encoding)?;
    match codec {
        Codec::Utf8 => utf8(vm, bytes, errors),
        Codec::Utf8Marked => utf8(
            vm,
            bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes),
            errors,
        ),
        Codec::Utf16 | Codec::Utf16Little | Codec::Utf16Big => {
            let (bytes, is_little) = match (codec, bytes) {
                (Codec::Utf16, [0xFF, 0xFE, rest @ ..]) => (rest, true),
                (Codec::Utf16, [0xFE, 0xFF, rest @ ..]) => (rest, false),
                _ => (bytes, codec != Codec::Utf16Big),
            };
            let units = bytes.chunks(2).map(|pair| match (pair, is_little) {
                ([low, high], true) | ([high, low], false) => u16::from_be_bytes([*high, *low]),
                _ => 0xD800,
            });
            let units: Vec<u16> = units.collect();
            String::from_utf16(&units).map_err(|_| {
                let message = format!(
                    "'{}' codec can't decode bytes: illegal encoding",
                    codec.name()
                );
                vm.error("UnicodeDecodeError", message)
            })
        }
        _ => {
            let mut text = String::new();
            for (at, byte) in bytes.iter().enumerate() {
                match codec.char(*byte) {
                    Some(c) => text.push(c),
                    None => {
                        let why = match codec {
                            Codec::Ascii => "ordinal not in range(128)",
                            _ => "character maps to <undefined>",
                        };
                        wrong(vm, &mut text, codec, &[*byte], at, why, errors)?;
                    }
                }
            }
            Ok(text)
        }
    }
}

fn utf8(vm: &mut Vm, bytes: &[u8], errors: &str) -> Res<String> {
    let mut text = String::new();
    let mut from = 0;
    loop {
        let rest = bytes.get(from..).unwrap_or_default();
        let error = match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                return Ok(text);
            }
            Err(error) => error,
        };
        let (valid, after) = rest.split_at(error.valid_up_to());
        text.push_str(&String::from_utf8_lossy(valid));
        let length = error.error_len().unwrap_or(after.len());
        let why = match (error.error_len(), after.first()) {
            (None, _) => "unexpected end of data",
            (_, Some(0x80..=0xC1 | 0xF5..)) => "invalid start byte",
            _ => "invalid continuation byte",
        };
        let at = from + valid.len();
        let some = after.get(..length).unwrap_or(after);
        wrong(vm, &mut text, Codec::Utf8, some, at, why, errors)?;
        from = at + length;
    }
}

/// Bytes that stand for no character.
fn wrong(
    vm: &mut Vm,
    text: &mut String,
    codec: Codec,
    bytes: &[u8],
    at: usize,
    why: &str,
    errors: &str,
) -> Res<()> {
    match errors {
        "strict" => {
            let what = match bytes {
                [byte] => format!("byte {byte:#04x} in position {at}"),
                [byte, ..] if codec == Codec::Utf8 && why != "unexpected end of data" => {
                    format!("byte {byte:#04x} in position {at}")
                }
                _ => format!("bytes in position {at}-{}", at + bytes.len() - 1),
            };
            let message = format!("'{}' codec can't decode {what}: {why}", codec.name());
            return Err(vm.error("UnicodeDecodeError", message));
        }
        "ignore" => {}
        "replace" => text.push('\u{FFFD}'),
        "backslashreplace" => {
            for byte in bytes {
                text.push_str(&format!("\\x{byte:02x}"));
            }
        }
        other => return Err(unknown_handler(vm, other)),
    }
    Ok(())
}

fn unknown_handler(vm: &mut Vm, name: &str) -> Fault {
    let message = format!("unknown error handler name {}", quoted(name));
    vm.error("LookupError", message)
}
