//! The eleven agents.

use super::{parts::Part, standard::Standard};
use crate::material::Material;

const ERRORS: &[&str] = &[
    "error", "except", "fail", "panic", "result", "retry", "catch", "raise", "throw",
];
const SECURITY: &[&str] = &[
    "auth", "secret", "token", "password", "crypto", "login", "permission", "policy", "tls",
    "sanitize", "redact", "api_key", "route", "request", "execute", "eval(", "subprocess",
    "unsafe",
];
const SCHEMAS: &[&str] = &[
    "schema", "model", "migration", "entity", "table", "state", "record", "type",
];
const CONTRACTS: &[&str] = &[
    "api", "route", "handler", "request", "response", "message", "client", "server", "wire",
    "proto",
];
const PATTERNS: &[&str] = &[
    "builder", "factory", "adapter", "strategy", "visitor", "observer", "handler", "service",
    "plugin", "trait",
];

pub(super) static ALL: [Standard; 11] = [
    Standard {
        name: "file-structure",
        title: "File structure",
        task: "explain how the files are organised.",
        points: &[
            "What the folders at the top are for",
            "Conventions: names of files, where code and tests are",
            "Where configuration and generated files are",
            "Where a newcomer should start reading",
        ],
        material: &[Material::Tree, Material::EntryPoints, Material::Outline],
        parts: &[Part::Counts, Part::Folders, Part::Skipped],
        similar: &["architecture-analyzer"],
    },
    Standard {
        name: "dependency-analyzer",
        title: "Dependencies",
        task: "explain what the code base depends on and why.",
        points: &[
            "The dependencies that matter most, by what they are used for",
            "Which components use which of each other",
            "Versions: loose, pinned, several of one name",
            "Risks: large, old or overlapping dependencies, as far as the material shows it",
        ],
        material: &[
            Material::Dependencies,
            Material::Components,
            Material::Imports,
        ],
        parts: &[Part::Dependencies, Part::ComponentDiagram],
        similar: &["security-analyzer"],
    },
    Standard {
        name: "architecture-analyzer",
        title: "Architecture",
        task: "explain the architecture: parts, their duties, and how they work together.",
        points: &[
            "The parts and what each is responsible for",
            "Direction of dependencies, layers, and what breaks them",
            "How data enters, moves and leaves",
            "Decisions that shape the code base, with what shows them",
        ],
        material: &[
            Material::Components,
            Material::EntryPoints,
            Material::Imports,
            Material::Outline,
        ],
        parts: &[Part::Components, Part::ComponentDiagram, Part::EntryPoints],
        similar: &["file-structure", "pattern-detector", "flow-visualization"],
    },
    Standard {
        name: "pattern-detector",
        title: "Patterns",
        task: "find the design patterns that the code base uses.",
        points: &[
            "Patterns of structure, each with an example",
            "Patterns of behaviour, each with an example",
            "Where the code departs from its own patterns",
        ],
        material: &[Material::Outline, Material::Code(PATTERNS)],
        parts: &[Part::SymbolKinds],
        similar: &["architecture-analyzer"],
    },
    Standard {
        name: "flow-visualization",
        title: "Flows",
        task: "explain the main flows through the code base, from its entry points on.",
        points: &[
            "What happens at each entry point, step by step",
            "A flow that matters, as a Mermaid `flowchart` or `sequenceDiagram` whose names are files or symbols of the material",
            "Where flows meet, branch or wait",
        ],
        material: &[Material::EntryPoints, Material::Imports, Material::Flow],
        parts: &[Part::EntryPoints, Part::FlowDiagram],
        similar: &["architecture-analyzer"],
    },
    Standard {
        name: "schema-generator",
        title: "Schemas",
        task: "describe the data types and schemas that the code base works with.",
        points: &[
            "The types that hold its data, and what each is for",
            "Relations between them",
            "What is stored, and in which form",
        ],
        material: &[Material::Outline, Material::Code(SCHEMAS)],
        parts: &[Part::TypeDiagram, Part::Types],
        similar: &["data-contracts"],
    },
    Standard {
        name: "security-analyzer",
        title: "Security",
        task: "review what the material shows of the security of the code base.",
        points: &[
            "Where data of others enters, and how it is checked",
            "Secrets, keys and permissions: how they are handled",
            "Dependencies that deserve attention",
            "Weak spots, each with what shows it and what it would take to use it",
        ],
        material: &[
            Material::EntryPoints,
            Material::Dependencies,
            Material::Code(SECURITY),
        ],
        parts: &[Part::Secrets, Part::Dependencies],
        similar: &["dependency-analyzer", "error-handling"],
    },
    Standard {
        name: "error-handling",
        title: "Error handling",
        task: "explain how the code base reports and handles errors.",
        points: &[
            "Types and codes of errors",
            "How errors travel, and where they end",
            "Retries, timeouts, and what happens when they are used up",
            "Places where errors are lost",
        ],
        material: &[Material::Outline, Material::Code(ERRORS)],
        parts: &[Part::ErrorTypes],
        similar: &["security-analyzer", "technical-debt"],
    },
    Standard {
        name: "data-contracts",
        title: "Data contracts",
        task: "describe the contracts at the borders: APIs, messages, files, command lines.",
        points: &[
            "What others may call, and with what",
            "Formats that are read and written",
            "What is promised to stay as it is, and what shows that",
        ],
        material: &[
            Material::EntryPoints,
            Material::Outline,
            Material::Code(CONTRACTS),
        ],
        parts: &[Part::Interfaces],
        similar: &["schema-generator"],
    },
    Standard {
        name: "technical-debt",
        title: "Technical debt",
        task: "find what makes the code base hard to change.",
        points: &[
            "Marks in the code: what they ask for, grouped",
            "Files that are too long or do too much",
            "Parts without tests",
            "What to repay first, and why",
        ],
        material: &[
            Material::Debt,
            Material::Counts,
            Material::Imports,
            Material::Outline,
        ],
        parts: &[Part::Marks, Part::LargeFiles],
        similar: &["kpi", "error-handling"],
    },
    Standard {
        name: "kpi",
        title: "Figures",
        task: "explain what the figures of the code base mean.",
        points: &[
            "Size and languages",
            "Tests in proportion to code",
            "How much the parts depend on each other",
            "Which figures to watch",
        ],
        material: &[Material::Counts, Material::Components, Material::Debt],
        parts: &[Part::Counts, Part::Languages, Part::LargeFiles],
        similar: &["technical-debt"],
    },
];
