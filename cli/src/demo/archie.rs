//! Demo of Archie: a conversation about a folder, over the death of a process, and one question.

use super::Scene;

pub(super) const SCENE: Scene = Scene {
    about: "talks about a folder of documents until you approve the analysis",
    files: &[
        (
            "docs/overview.md",
            include_bytes!("../../../examples/documents/bookings/overview.md"),
        ),
        (
            "docs/requirements.md",
            include_bytes!("../../../examples/documents/bookings/requirements.md"),
        ),
        (
            "docs/notes.txt",
            include_bytes!("../../../examples/documents/bookings/notes.txt"),
        ),
        ("replies.jsonl", include_bytes!("archie.jsonl")),
        (
            "answers.txt",
            b"Nobody may pay twice; that comes first.\n/approve\n",
        ),
    ],
    commands: &[
        (
            "Archie reads the folder and answers, and its process is killed in the middle of a sentence",
            "KILLED analyze --query 'One service or two?' --inputs ./docs \
             --memory-file ./memory.json --model script:./replies.jsonl",
        ),
        ("every step was stored", "threads list"),
        (
            "another process continues from there; your answers come from a file here",
            "threads resume last --answers ./answers.txt --memory-file ./memory.json \
             --model script:./replies.jsonl",
        ),
        (
            "one question, from what was remembered",
            "ask 'Who owns the room inventory?' --memory-file ./memory.json \
             --model script:./replies.jsonl",
        ),
        ("the graph behind it", "graph archie"),
    ],
    leaves: &[],
};
