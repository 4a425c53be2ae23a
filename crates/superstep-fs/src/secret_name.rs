//! Names of files that hold keys and passwords.

/// Whether files of this name hold secrets; the path has `/` between its parts.
pub fn is_secret_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let ends = [
        ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ovpn",
    ];
    let whole = [
        ".npmrc", ".pypirc", ".netrc", "_netrc", "credentials", "credentials.json", "secrets.yml",
        "secrets.yaml", "secrets.json", "secrets.toml", "id_rsa", "id_dsa", "id_ecdsa",
        "id_ed25519", "htpasswd", ".htpasswd", "service-account.json",
    ];
    name == ".env"
        || name.starts_with(".env.")
        || name.ends_with(".env")
        || whole.contains(&&*name)
        || ends.iter().any(|end| name.ends_with(end))
}
