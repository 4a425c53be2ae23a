//! Packed values, layouts and task notes, as a saver reads them from its file.

use std::{io, sync::Arc};

use superstep_core::{
    archive::Archive,
    codec::{self, Blobs, Codec, NoBlobs, envelope, parts, unpack::Shared},
    record::{TaskKey, TaskNote},
    value::Value,
};

use crate::target::{Target, files_of};

pub(crate) const TARGET: Target = Target {
    name: "codec",
    run,
    seeds,
};

/// What unpacks packs again to something that unpacks to the same.
pub fn run(data: &[u8]) {
    round_trip::<Value>(data);
    round_trip::<TaskNote>(data);
    round_trip::<Vec<TaskNote>>(data);
    round_trip::<TaskKey>(data);
    let _ = codec::unpack_layout(data);
    let _ = parts::split(data, &parts::ByHash);
    let _ = envelope::open(data, &envelope::Address::of("fuzz"));
}

fn round_trip<T: Codec>(data: &[u8]) {
    let Ok(thing) = codec::unpack::<T>(data, &mut Shared::default(), &mut NoBlobs) else {
        return;
    };
    let once = bytes(&thing);
    let again = codec::unpack::<T>(&once.bytes, &mut Shared::default(), &mut Kept(&once));
    assert!(
        again.is_ok(),
        "what was packed does not unpack: {:?}",
        again.err()
    );
    assert_eq!(
        again.ok().map(|again| bytes(&again).bytes),
        Some(once.bytes.clone()),
        "unpacking and packing changed a value"
    );
}

fn bytes(thing: &impl Codec) -> codec::Packed {
    let packed = codec::pack(thing);
    assert!(
        packed.is_ok(),
        "what was unpacked does not pack: {:?}",
        packed.err()
    );
    packed.unwrap_or_default()
}

/// The long texts that were put beside the packed bytes.
struct Kept<'a>(&'a codec::Packed);

impl Blobs for Kept<'_> {
    fn text(&mut self, id: codec::BlobId) -> Result<Arc<str>, String> {
        let mut blobs = self.0.blobs.iter();
        let found = blobs.find(|(known, _)| *known == id);
        found
            .map(|(_, text)| text.clone())
            .ok_or_else(|| "no such blob".to_owned())
    }
}

fn seeds() -> io::Result<Vec<Vec<u8>>> {
    let mut seeds = Vec::new();
    for text in files_of("fuzz/corpus/archive")? {
        let archive = Archive::read(text.as_slice()).map_err(io::Error::other)?;
        for archived in archive.namespaces.values().flatten() {
            let layout = codec::pack_layout(&archived.record.layout);
            seeds.extend(layout.ok().map(|(_, bytes)| bytes));
            let notes = archived
                .notes
                .iter()
                .filter_map(|notes| codec::pack(notes).ok());
            seeds.extend(notes.map(|packed| packed.bytes));
            for change in &archived.record.changes {
                if let superstep_core::record::Change::Set(value) = &change.1 {
                    seeds.extend(codec::pack(value).ok().map(|packed| packed.bytes));
                }
            }
        }
    }
    Ok(seeds)
}
