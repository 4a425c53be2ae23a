//! Minimal protocol buffers writer.

/// A message that is being written. Fields that have their default value are left out by callers
/// where that matters.
#[derive(Debug, Default)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn varint(&mut self, field: u32, value: u64) {
        self.tag(field, 0);
        self.raw_varint(value);
    }

    pub(crate) fn fixed64(&mut self, field: u32, value: u64) {
        self.tag(field, 1);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn double(&mut self, field: u32, value: f64) {
        self.fixed64(field, value.to_bits());
    }

    pub(crate) fn bytes(&mut self, field: u32, value: &[u8]) {
        self.tag(field, 2);
        self.raw_varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    pub(crate) fn text(&mut self, field: u32, value: &str) {
        self.bytes(field, value.as_bytes());
    }

    pub(crate) fn message(&mut self, field: u32, write: impl FnOnce(&mut Message)) {
        let mut inner = Message::default();
        write(&mut inner);
        self.bytes(field, &inner.0);
    }

    fn tag(&mut self, field: u32, wire: u8) {
        self.raw_varint(u64::from(field) << 3 | u64::from(wire));
    }

    fn raw_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_the_bytes_that_the_format_says() {
        let mut message = Message::default();
        message.varint(1, 150);
        message.text(2, "testing");
        message.message(3, |inner| inner.varint(1, 1));
        message.fixed64(16, 1);
        let mut wanted = vec![0x08, 0x96, 0x01, 0x12, 0x07];
        wanted.extend_from_slice(b"testing");
        wanted.extend_from_slice(&[0x1a, 0x02, 0x08, 0x01]);
        wanted.extend_from_slice(&[0x81, 0x01, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(message.into_bytes(), wanted);
    }
}
