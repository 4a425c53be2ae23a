//! The request of a worker: a line of JSON with a file behind it.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The longest first line: a program of a few megabytes.
const LONGEST: u64 = 16 << 20;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request<T> {
    /// The fields of the task.
    #[serde(flatten)]
    pub(crate) task: T,
    /// How many bytes the file has, which follow.
    pub(crate) bytes: u64,
    /// The process that started the worker, which ends with it.
    pub(crate) parent: u32,
}

/// Writes a request of this process.
pub(crate) fn write(task: &impl Serialize, file: &[u8], to: &mut impl Write) -> io::Result<()> {
    let request = Request {
        task,
        bytes: file.len() as u64,
        parent: std::process::id(),
    };
    serde_json::to_writer(&mut *to, &request)?;
    to.write_all(b"\n")?;
    to.write_all(file)
}

/// Reads a request and its file.
pub(crate) fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<(Request<T>, Vec<u8>)> {
    let mut line = Vec::new();
    let mut one = [0; 1];
    loop {
        from.read_exact(&mut one)?;
        let [byte] = one;
        if byte == b'\n' {
            break;
        }
        line.push(byte);
        if line.len() as u64 > LONGEST {
            return Err(io::Error::other("the request is too long"));
        }
    }
    let request: Request<T> = serde_json::from_slice(&line)?;
    let mut file = Vec::new();
    from.take(request.bytes).read_to_end(&mut file)?;
    match file.len() as u64 == request.bytes {
        true => Ok((request, file)),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Count {
        of: String,
    }

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let count = Count {
            of: "lines".to_owned(),
        };
        let mut written = Vec::new();
        write(&count, b"one\ntwo", &mut written).unwrap();
        let (request, file) = read::<Count>(&mut written.as_slice()).unwrap();
        assert_eq!(request.task, count);
        assert_eq!(request.parent, std::process::id());
        assert_eq!(file, b"one\ntwo");
    }

    #[test]
    fn a_file_that_ends_early_is_refused() {
        let mut written = Vec::new();
        let count = Count { of: String::new() };
        write(&count, b"whole", &mut written).unwrap();
        written.pop();
        let error = read::<Count>(&mut written.as_slice()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
