//! Colors of styles, as far as telling text from its background needs them.

/// A color, red, green, blue and how opaque it is, each from 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Color {
    channels: [u8; 3],
    alpha: u8,
}

/// Channels that differ by less look alike.
const ALIKE: u8 = 8;

/// Text of a lower opacity is not seen.
const FAINT: u8 = 12;

impl Color {
    /// Reads a value in lower case and without spaces; nothing if it is another notation. What follows the color is not read.
    pub(super) fn parse(value: &str) -> Option<Self> {
        if let Some(digits) = value.strip_prefix('#') {
            let end = digits.find(|c: char| !c.is_ascii_hexdigit());
            return Self::hex(digits.get(..end.unwrap_or(digits.len()))?);
        }
        let arguments = value.strip_prefix("rgba(").or(value.strip_prefix("rgb("));
        if let Some(arguments) = arguments {
            return Self::rgb(arguments.split(')').next()?);
        }
        let named = [
            ("transparent", [0; 3], 0),
            ("white", [255; 3], 255),
            ("black", [0; 3], 255),
        ];
        let (_, channels, alpha) = named.into_iter().find(|it| value.starts_with(it.0))?;
        Some(Self { channels, alpha })
    }

    fn hex(digits: &str) -> Option<Self> {
        let wide: String = match digits.len() {
            3 | 4 => digits.chars().flat_map(|c| [c, c]).collect(),
            6 | 8 => digits.to_owned(),
            _ => return None,
        };
        let byte = |at: usize| u8::from_str_radix(wide.get(at..at + 2)?, 16).ok();
        Some(Self {
            channels: [byte(0)?, byte(2)?, byte(4)?],
            alpha: byte(6).unwrap_or(255),
        })
    }

    fn rgb(arguments: &str) -> Option<Self> {
        let mut parts = arguments.split([',', '/']);
        let mut channel = || {
            let part = parts.next()?;
            match part.strip_suffix('%') {
                Some(percent) => Some((percent.parse::<f32>().ok()? * 2.55) as u8),
                None => Some(part.parse::<f32>().ok()? as u8),
            }
        };
        let channels = [channel()?, channel()?, channel()?];
        let alpha = match parts.next() {
            Some(alpha) => match alpha.strip_suffix('%') {
                Some(percent) => (percent.parse::<f32>().ok()? * 2.55) as u8,
                None => (alpha.parse::<f32>().ok()? * 255.0) as u8,
            },
            None => 255,
        };
        Some(Self { channels, alpha })
    }

    /// Whether text of this color is invisible on any background.
    pub(super) fn is_unseen(self) -> bool {
        self.alpha < FAINT
    }

    /// Whether text of this color is invisible on this background.
    pub(super) fn is_like(self, ground: Self) -> bool {
        let pairs = self.channels.into_iter().zip(ground.channels);
        ground.alpha > FAINT && pairs.into_iter().all(|(a, b)| a.abs_diff(b) < ALIKE)
    }
}
