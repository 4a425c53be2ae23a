//! The process in which programs run, where no other binary takes that part.

fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    superstep_sandbox::worker(&arguments)
}
