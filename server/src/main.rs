//! The server binary.

fn main() -> std::process::ExitCode {
    zeitnot_server::cli::main()
}
