//! Embeds texts with the weights in the cache and prints what that costs.
//!
//! `cargo run --release -p superstep-local --features vectors --example embed`

use std::error::Error;
use std::fs;
use std::time::Instant;

use superstep_local::vectors::MiniLm;
use superstep_store::Embedder;

const TEXTS: [&str; 5] = [
    "Dana takes her coffee without milk",
    "The quarterly report is due on the third of April",
    "Backups of the database run at two in the morning",
    "The night train to Vienna leaves from platform nine",
    "Our landlord raised the rent by four percent",
];
const ROUNDS: u32 = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let embedder = MiniLm::from_env()?;
        let texts = TEXTS.map(str::to_owned).to_vec();
        let begun = Instant::now();
        embedder.embed(vec!["first".to_owned()]).await?;
        println!("{}: loaded in {:?}", embedder.id(), begun.elapsed());
        let begun = Instant::now();
        for _ in 0..ROUNDS {
            embedder.embed(texts.clone()).await?;
        }
        let count = ROUNDS as usize * TEXTS.len();
        println!("{:?} a text", begun.elapsed() / u32::try_from(count)?);
        // Where the system tells.
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        for line in status.lines().filter(|line| line.starts_with("Vm")) {
            if line.starts_with("VmHWM") || line.starts_with("VmRSS") {
                println!("{line}");
            }
        }
        Ok(())
    })
}
