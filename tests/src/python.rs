//! Programs in Python, with the packages of `tests/interop/requirements.txt`.

use crate::programs::workspace;
use std::path::PathBuf;
use std::process::Command;

/// The interpreter: the one that `test.sh` has prepared, or one that is prepared now. Where there is no
/// Python, or its packages cannot be had, this panics.
pub fn interpreter() -> PathBuf {
    if let Some(ready) = std::env::var_os("ZEITNOT_TEST_PYTHON") {
        return ready.into();
    }
    let venv = workspace().join("target/interop-venv");
    let (python, ready) = (venv.join("bin/python"), venv.join("ready"));
    let requirements = workspace().join("tests/interop/requirements.txt");
    // Tests run side by side, in processes of their own.
    std::fs::create_dir_all(&venv).unwrap();
    let lock = std::fs::File::create(venv.join("lock")).unwrap();
    lock.lock().unwrap();
    let changed = |path: &PathBuf| path.metadata().and_then(|m| m.modified()).ok();
    if changed(&ready) < changed(&requirements) {
        succeed(Command::new("python3").arg("-m").arg("venv").arg(&venv));
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
        succeed(Command::new(&python).args(pip).arg(&requirements));
        std::fs::write(&ready, "").unwrap();
    }
    python
}

/// Runs a script of `tests/interop` with these arguments; what it printed.
pub fn run(script: &str, arguments: &[&str]) -> String {
    let script = workspace().join("tests/interop").join(script);
    succeed(Command::new(interpreter()).arg(script).args(arguments))
}

fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{out}\n{err}");
    out.into_owned()
}
