//! The program: hands over to the command line.

/// A search of many ways on several threads, and a run of many items, spend half their time in what allocates.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    asldbg::cli::main()
}
