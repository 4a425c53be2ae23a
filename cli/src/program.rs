//! A program: the command line with its agents.

use std::process::ExitCode;

use superstep_agent::Agent as Contract;

use crate::{
    agent_files, agents::Agent, archie, args::Args, completions, error::Error, near, output,
    output::Output, program_name, sheet,
};

/// The command line, to which a program adds agents of its own.
#[derive(Default)]
pub struct Program {
    own: Vec<Agent>,
}

/// The command line with the agents of superstep.
pub fn app() -> Program {
    Program::default()
}

impl Program {
    /// Adds an agent: `run NAME` runs it, and threads, traces and the server know it.
    #[must_use]
    pub fn agent(mut self, agent: impl Contract) -> Self {
        self.own.push(Agent::new(agent));
        self
    }

    /// Runs the command of this process.
    pub fn run(self) -> ExitCode {
        if !self.own.is_empty() {
            program_name::take();
        }
        Agent::register(self.own);
        for agent in agent_files::known() {
            // One that an agent of the program has the name of is not there.
            let _absent = agent.add();
        }
        let mut words = std::env::args_os().skip(1);
        if words.next().is_some_and(|word| word == sheet::WORKER) {
            let words: Vec<_> = words.collect();
            return superstep_sheets::sandbox::worker_with(&words, archie::EXTRACTS);
        }
        if completions::complete() {
            return ExitCode::SUCCESS;
        }
        let args = match Args::parse_words(std::env::args_os(), output::narrow().is_some()) {
            Ok(args) => args,
            Err(error) if error.use_stderr() => {
                output::usage(&near::improved(error), std::env::args_os());
                return ExitCode::from(2);
            }
            // Help and version.
            Err(shown) => {
                output::page(&shown);
                return ExitCode::SUCCESS;
            }
        };
        let output = Output::new(&args.global);
        if let Err(error) = Agent::check_own() {
            output.error(&error);
            return ExitCode::from(error.exit());
        }
        let built = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build();
        let ended = match built {
            Ok(runtime) => {
                let ended = runtime.block_on(crate::run(args, &output));
                #[cfg(feature = "remote")]
                runtime.block_on(crate::exports::finish(&output));
                // A thread that reads stdin or loads weights must not hold the process.
                runtime.shutdown_background();
                ended
            }
            Err(error) => Err(Error::Io(error)),
        };
        match ended {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                output.error(&error);
                ExitCode::from(error.exit())
            }
        }
    }
}
