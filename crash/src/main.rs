//! The command line: `superstep-crash worker` leads one life, the other commands are campaigns.

use std::{process::ExitCode, time::Duration};

use superstep_crash::{
    Fallible,
    args::Args,
    campaign::{damage, faults, files, load, matrix, power, recover, resumers, stopped, strace},
    case::{FAILED, Ground, STUCK, VIOLATED, durability},
    graphs::Scene,
    script::Medium,
    vfs,
    worker::{self, Life},
};

const USAGE: &str = "\
usage: superstep-crash <command>

  worker GRAPH DIR [--vfs PLAN] [--point POINT] ...    one life of a process
  case GRAPH --vfs PLAN | --point POINT | --fault PLAN | [--sync N] --power N [--seed S]    one case
  matrix [--graph G] [--at ops|points|pairs] [--ways before|all] [--jobs N]
  power [--graph G] [--seeds N] [--disk honest|lies] [--jobs N]
  syncs [--graph G] [--disk honest|lies] [--jobs N]
  faults [--graph G] [--width all|turns] [--jobs N]
  damage [--flips N] [--seed S] [--step BYTES]
  strace [--graph G] [--jobs N]
  files [--rounds N]
  resumers [--rounds N] [--threads N | --processes N]
  stopped [--rounds N]
  recover [--steps N]
  load [--threads N]

matrix, power, syncs, faults, strace and case take --durability sync|normal|async|exit too.";

/// How long a life may last. One takes well under a second; this is for those that hang.
const LIMIT: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let typed = std::env::args().skip(1);
    match Args::new(typed).map_err(Into::into).and_then(run) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run(mut args: Args) -> Fallible<ExitCode> {
    let command: String = args.word("the command")?;
    let fine = match command.as_str() {
        "worker" => return worker(&mut args),
        "resumer" => return resumers::child(&mut args),
        "holder" => return stopped::child(&mut args),
        "grower" => return recover::child(&mut args),
        "locker" => return damage::child(&mut args),
        "rival" => return files::rival(&mut args),
        "opener" => return files::opener(&mut args),
        "case" => case(&mut args)?,
        "matrix" => matrix(&args)?,
        "power" => {
            let seeds = args.option_or("seeds", 2)?;
            let honesty = honesty(&args)?;
            each_graph(&args, |ground, scene, jobs| {
                power::run(ground, scene, seeds, honesty, jobs)
            })?
        }
        "faults" => {
            let width = match args.option_or("width", "all".to_owned())?.as_str() {
                "turns" => faults::Width::Turns,
                _ => faults::Width::All,
            };
            each_graph(&args, |ground, scene, jobs| {
                faults::run(ground, scene, width, jobs)
            })?
        }
        "syncs" => {
            let honesty = honesty(&args)?;
            each_graph(&args, |ground, scene, jobs| {
                power::syncs(ground, scene, honesty, jobs)
            })?
        }
        "strace" => each_graph(&args, strace::run)?,
        "files" => files::run(args.option_or("rounds", 10)?)?,
        "damage" => damage::run(&args)?,
        "resumers" => resumers::run(&args)?,
        "stopped" => stopped::run(args.option_or("rounds", 200)?)?,
        "recover" => recover::run(args.option_or("steps", 10_000)?)?,
        "load" => load::run(args.option_or("threads", 10_000)?)?,
        other => return Err(format!("no command `{other}`").into()),
    };
    Ok(match fine {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn worker(args: &mut Args) -> Fallible<ExitCode> {
    let life = Life::parse(args)?;
    std::thread::spawn(|| {
        std::thread::sleep(LIMIT);
        eprintln!("it did not end within {} s", LIMIT.as_secs());
        std::process::exit(i32::from(STUCK));
    });
    vfs::install(life.plan)?;
    Ok(match worker::run(&life) {
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

fn case(args: &mut Args) -> Fallible<bool> {
    let scene: Scene = args.word("the graph")?;
    let ground = ground(args)?;
    let expected = ground.undisturbed(scene)?.result;
    let wrong = if let Some(plan) = args.option("vfs")? {
        matrix::Case::Op(plan).attempt(&ground, scene, &expected)?.1
    } else if let Some(point) = args.option("point")? {
        matrix::Case::Point(point)
            .attempt(&ground, scene, &expected)?
            .1
    } else if let Some(seed) = args.option("pair")? {
        let ops = ground.undisturbed(scene)?.ops;
        matrix::Case::Pair { seed, ops }
            .attempt(&ground, scene, &expected)?
            .1
    } else if let Some(plan) = args.option("fault")? {
        let medium = match args.option::<String>("medium")?.as_deref() {
            Some("heals") => Medium::Heals,
            _ => Medium::AsPlanned,
        };
        faults::attempt(&ground, scene, (plan, medium), &expected)?.1
    } else {
        let after = args.option("power")?.ok_or("which case?")?;
        match args.option("sync")? {
            Some(sync) => power::one_sync(&ground, scene, sync, after)?,
            None => {
                let seed = args.option("seed")?;
                power::one(&ground, scene, power::Cut { after, seed })?
            }
        }
    };
    for what in &wrong {
        println!("violation: {what}");
    }
    println!("case of {scene}: violations {}", wrong.len());
    Ok(wrong.is_empty())
}

fn matrix(args: &Args) -> Fallible<bool> {
    let at: String = args.option_or("at", "both".to_owned())?;
    let ways = match args.option_or("ways", "before".to_owned())?.as_str() {
        "all" => matrix::Ways::All,
        _ => matrix::Ways::Before,
    };
    let pairs = args.option_or("pairs", 200)?;
    each_graph(args, |ground, scene, jobs| {
        let mut fine = true;
        if at == "ops" || at == "both" {
            fine &= matrix::ops(ground, scene, ways, jobs)?;
        }
        if at == "points" || at == "both" {
            fine &= matrix::points(ground, scene, jobs)?;
        }
        if at == "pairs" {
            fine &= matrix::pairs(ground, scene, pairs, jobs)?;
        }
        Ok(fine)
    })
}

fn honesty(args: &Args) -> Fallible<power::Honesty> {
    Ok(match args.option::<String>("disk")?.as_deref() {
        Some("lies") => power::Honesty::Lies,
        _ => power::Honesty::Honest,
    })
}

fn ground(args: &Args) -> Fallible<Ground> {
    Ok(Ground::new()?.with(durability(args)?))
}

/// A campaign for one graph, or for all.
fn each_graph(
    args: &Args,
    campaign: impl Fn(&Ground, Scene, usize) -> Fallible<bool>,
) -> Fallible<bool> {
    let (ground, jobs) = (ground(args)?, args.option_or("jobs", 2)?);
    if let Some(scene) = args.option("graph")? {
        return campaign(&ground, scene, jobs);
    }
    let mut fine = true;
    for scene in Scene::ALL {
        fine &= campaign(&ground, scene, jobs)?;
    }
    Ok(fine)
}
