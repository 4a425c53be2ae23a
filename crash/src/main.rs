//! Command line of `superstep-crash`: one worker process, or a campaign over many.

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};
use superstep_core::policy::Durability;
use superstep_crash::{
    Fallible,
    campaign::{damage, faults, files, load, matrix, power, recover, resumers, stopped, strace},
    graphs::Scene,
    harness::{FAILED, Harness, STUCK, VIOLATED},
    kill_points::Point,
    script::DiskRecovery,
    vfs,
    worker::{self, WorkerArgs, durability},
};

/// How long a worker may run. One takes well under a second; this is for those that hang.
const LIMIT: Duration = Duration::from_secs(120);

/// Kills, starves and damages worker processes, and checks what is left.
#[derive(Parser)]
#[command(name = "superstep-crash")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// One worker process.
    Worker(WorkerArgs),
    /// One case of a campaign, as a violation names it.
    Case(CaseArgs),
    /// Kills a worker at every durable operation and at every kill point.
    Matrix {
        #[command(flatten)]
        scope: Scope,
        #[arg(long, value_enum, default_value_t = At::Both)]
        at: At,
        #[arg(long, value_enum, default_value_t = matrix::Ways::Before)]
        ways: matrix::Ways,
        /// How many pairs of kills, with `--at pairs`.
        #[arg(long, default_value_t = 200)]
        pairs: u64,
    },
    /// Cuts the power after every durable operation.
    Power {
        #[command(flatten)]
        scope: Scope,
        /// How many parts of what was not synced are tried.
        #[arg(long, default_value_t = 2)]
        seeds: u64,
        #[arg(long, value_enum, default_value_t = power::Honesty::Honest)]
        disk: power::Honesty,
    },
    /// Fails every fsync once, and cuts the power later.
    Syncs {
        #[command(flatten)]
        scope: Scope,
        #[arg(long, value_enum, default_value_t = power::Honesty::Honest)]
        disk: power::Honesty,
    },
    /// Fails every durable operation, in every way a disk fails.
    Faults {
        #[command(flatten)]
        scope: Scope,
        #[arg(long, value_enum, default_value_t = faults::Width::All)]
        width: faults::Width,
    },
    /// Damages files.
    Damage(damage::DamageArgs),
    /// Kills a worker at every system call that changes a file, by strace.
    Strace {
        #[command(flatten)]
        scope: Scope,
    },
    /// Does to a database what other programs do.
    Files {
        #[arg(long, default_value_t = 10)]
        rounds: u64,
    },
    /// Answers one question many times at once.
    Resumers(resumers::ResumersArgs),
    /// Stops a worker for longer than its lease.
    Stopped {
        #[arg(long, default_value_t = 200)]
        rounds: u64,
    },
    /// Measures how long recovery takes.
    Recover {
        #[arg(long, default_value_t = 10_000)]
        steps: u64,
    },
    /// Runs many threads at once.
    Load {
        #[arg(long, default_value_t = 10_000)]
        threads: u64,
    },
    /// A process of `resumers`.
    #[command(hide = true)]
    Resumer { dir: PathBuf, name: String },
    /// A process of `stopped` and `files`.
    #[command(hide = true)]
    Holder(stopped::HolderArgs),
    /// A process of `recover`.
    #[command(hide = true)]
    Grower { dir: PathBuf, steps: u64 },
    /// Grows a thread until an error.
    #[command(hide = true)]
    Filler { dir: PathBuf },
    /// A process of `damage`.
    #[command(hide = true)]
    Locker { database: PathBuf },
    /// A process of `files`.
    #[command(hide = true)]
    Rival { dir: PathBuf, thread: String },
    /// A process of `files`.
    #[command(hide = true)]
    Opener { dir: PathBuf },
}

/// Where a kill can happen.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum At {
    Ops,
    Points,
    Both,
    Pairs,
}

/// What a campaign runs on.
#[derive(Args)]
struct Scope {
    /// Only this graph.
    #[arg(long)]
    graph: Option<Scene>,
    /// Cases at once.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// sync, normal, async or exit.
    #[arg(long, default_value = "sync", value_parser = durability)]
    durability: Durability,
}

#[derive(Args)]
struct CaseArgs {
    graph: Scene,
    /// sync, normal, async or exit.
    #[arg(long, default_value = "sync", value_parser = durability)]
    durability: Durability,
    #[command(flatten)]
    which: Which,
    /// With `--fault`: what becomes of the disk after an error.
    #[arg(long, value_enum, default_value_t = DiskRecovery::AsPlanned)]
    recovery: DiskRecovery,
    /// With `--power`: the fsync that fails.
    #[arg(long, requires = "power")]
    sync: Option<u64>,
    /// With `--power`: which part of what was not synced is left.
    #[arg(long, requires = "power")]
    seed: Option<u64>,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct Which {
    /// Dies at a durable operation.
    #[arg(long, value_name = "PLAN")]
    vfs: Option<vfs::Plan>,
    /// Dies at a kill point.
    #[arg(long)]
    point: Option<Point>,
    /// Dies twice.
    #[arg(long, value_name = "SEED")]
    pair: Option<u64>,
    /// Fails a durable operation.
    #[arg(long, value_name = "PLAN")]
    fault: Option<vfs::Plan>,
    /// Cuts the power after so many durable operations.
    #[arg(long, value_name = "N")]
    power: Option<usize>,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {}", worker::coded(&*error));
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Fallible<ExitCode> {
    let passed = match command {
        Command::Worker(args) => return worker(&args),
        Command::Resumer { dir, name } => return resumers::child(dir, &name),
        Command::Holder(args) => return stopped::child(args),
        Command::Grower { dir, steps } => return recover::child(dir, steps),
        Command::Filler { dir } => return recover::filler(dir),
        Command::Locker { database } => return damage::child(&database),
        Command::Rival { dir, thread } => return files::rival(dir, thread),
        Command::Opener { dir } => return files::opener(dir),
        Command::Case(args) => case(args)?,
        Command::Matrix {
            scope,
            at,
            ways,
            pairs,
        } => scope.each_graph(|harness, scene, jobs| {
            let mut passed = true;
            if matches!(at, At::Ops | At::Both) {
                passed &= matrix::ops(harness, scene, ways, jobs)?;
            }
            if matches!(at, At::Points | At::Both) {
                passed &= matrix::points(harness, scene, jobs)?;
            }
            if at == At::Pairs {
                passed &= matrix::pairs(harness, scene, pairs, jobs)?;
            }
            Ok(passed)
        })?,
        Command::Power { scope, seeds, disk } => scope
            .each_graph(|harness, scene, jobs| power::run(harness, scene, seeds, disk, jobs))?,
        Command::Syncs { scope, disk } => scope
            .each_with_errors(|harness, scene, jobs| power::syncs(harness, scene, disk, jobs))?,
        Command::Faults { scope, width } => scope
            .each_with_errors(|harness, scene, jobs| faults::run(harness, scene, width, jobs))?,
        Command::Strace { scope } => scope.each_graph(strace::run)?,
        Command::Files { rounds } => files::run(rounds)?,
        Command::Damage(args) => damage::run(&args)?,
        Command::Resumers(args) => resumers::run(&args)?,
        Command::Stopped { rounds } => stopped::run(rounds)?,
        Command::Recover { steps } => recover::run(steps)?,
        Command::Load { threads } => load::run(threads)?,
    };
    Ok(match passed {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn worker(args: &WorkerArgs) -> Fallible<ExitCode> {
    std::thread::spawn(|| {
        std::thread::sleep(LIMIT);
        eprintln!("it did not end within {} s", LIMIT.as_secs());
        std::process::exit(i32::from(STUCK));
    });
    vfs::install(args.plan)?;
    Ok(match worker::run(args) {
        Ok(report) if report.violations.is_empty() => {
            println!("{}", serde_json::to_string(&report)?);
            ExitCode::SUCCESS
        }
        Ok(report) => {
            println!("{}", report.violations.join("\n"));
            ExitCode::from(VIOLATED)
        }
        Err(error) => {
            println!("{}", worker::coded(&*error));
            ExitCode::from(FAILED)
        }
    })
}

fn case(args: CaseArgs) -> Fallible<bool> {
    let (scene, which) = (args.graph, args.which);
    let harness = Harness::new()?.with(args.durability);
    let expected = harness.undisturbed(scene)?.result;
    let kill = |case: matrix::Case| case.attempt(&harness, scene, &expected);
    let wrong = if let Some(plan) = which.vfs {
        kill(matrix::Case::Op(plan))?.1
    } else if let Some(point) = which.point {
        kill(matrix::Case::Point(point))?.1
    } else if let Some(seed) = which.pair {
        let ops = harness.undisturbed(scene)?.ops;
        kill(matrix::Case::Pair { seed, ops })?.1
    } else if let Some(plan) = which.fault {
        faults::attempt(&harness, scene, (plan, args.recovery), &expected)?.1
    } else {
        let after = which.power.ok_or("which case?")?;
        match args.sync {
            Some(sync) => power::one_sync(&harness, scene, sync, after)?,
            None => {
                let seed = args.seed;
                power::one(&harness, scene, power::Cut { after, seed })?
            }
        }
    };
    for what in &wrong {
        println!("violation: {what}");
    }
    println!("case of {scene}: violations {}", wrong.len());
    Ok(wrong.is_empty())
}

impl Scope {
    /// Runs a campaign for one graph, or for all.
    fn each_graph(
        &self,
        campaign: impl Fn(&Harness, Scene, usize) -> Fallible<bool>,
    ) -> Fallible<bool> {
        self.each(&Scene::ALL, campaign)
    }

    /// The same with a campaign of errors, for those that continue after them.
    fn each_with_errors(
        &self,
        campaign: impl Fn(&Harness, Scene, usize) -> Fallible<bool>,
    ) -> Fallible<bool> {
        let scenes = Scene::ALL.into_iter();
        let scenes: Vec<Scene> = scenes.filter(|scene| scene.outlives_errors()).collect();
        self.each(&scenes, campaign)
    }

    fn each(
        &self,
        scenes: &[Scene],
        campaign: impl Fn(&Harness, Scene, usize) -> Fallible<bool>,
    ) -> Fallible<bool> {
        let harness = Harness::new()?.with(self.durability);
        if let Some(scene) = self.graph {
            return campaign(&harness, scene, self.jobs);
        }
        let mut passed = true;
        for scene in scenes {
            passed &= campaign(&harness, *scene, self.jobs)?;
        }
        Ok(passed)
    }
}
