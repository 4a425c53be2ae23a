//! Tables of the long-term store.
//!
//! - A namespace is the row number of its labels (`store/labels` says how they are written); row numbers
//!   grow, so their order is the order of first use. The same holds for items within a namespace.
//! - `sum` is a checksum of the labels; the other columns of an item are authenticated with its value.
//! - Small columns come before the value: a row is inspected without reading a long value.
//! - `vectors` in an item is how many it must have, so that a lost one is detected; all of them are
//!   from `model`.
//! - A namespace can only lose its last item by a deletion, so a sweep finds the empty ones in
//!   `store_vacated`.

/// Creates the tables.
pub(crate) const STORE: &str = "
CREATE TABLE store_namespaces (
    id INTEGER PRIMARY KEY,
    labels BLOB NOT NULL UNIQUE,
    sum INTEGER NOT NULL
) STRICT;

CREATE TABLE store_items (
    id INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL REFERENCES store_namespaces (id),
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ttl INTEGER,
    expires_at INTEGER,
    model TEXT,
    vectors INTEGER NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (namespace, key)
) STRICT;

CREATE INDEX store_items_by_place ON store_items (namespace, id);

CREATE INDEX store_items_by_expiry ON store_items (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE store_vectors (
    item INTEGER NOT NULL REFERENCES store_items (id),
    position INTEGER NOT NULL,
    path TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (item, position)
) STRICT;

CREATE TABLE store_vacated (
    namespace INTEGER PRIMARY KEY
) STRICT;

CREATE TRIGGER store_item_goes BEFORE DELETE ON store_items BEGIN
    DELETE FROM store_vectors WHERE item = old.id;
    INSERT OR IGNORE INTO store_vacated (namespace) VALUES (old.namespace);
END;
";
