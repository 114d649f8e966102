//! The options of interpreters, by language. Those of shells are in `shells`.

use super::ScriptSearch;

/// How the interpreters of one language read their options.
pub(super) struct InterpreterFamily {
    pub(super) names: &'static [&'static str],
    /// Letters of options without a value.
    pub(super) flags: &'static str,
    /// Letters with a value, in the same word or the next.
    pub(super) valued: &'static str,
    /// Letters whose value, if there is one, is in the same word.
    pub(super) glued: &'static str,
    /// Letters that make the interpreter run code, and no script.
    pub(super) code: &'static str,
    /// Whether every word after the code is for the code.
    pub(super) code_ends_options: bool,
    /// Letters whose value is the directory in which scripts are looked for.
    pub(super) directories: &'static str,
    /// Letters whose value is a module that is run as a program.
    pub(super) modules: &'static str,
    /// Letters whose value is a file that is also run.
    pub(super) files: &'static str,
    /// Letters that have such a value in some modes or versions, and none in others.
    pub(super) possible_files: &'static str,
    pub(super) long_flags: &'static [&'static str],
    pub(super) long_valued: &'static [&'static str],
    pub(super) long_code: &'static [&'static str],
    pub(super) long_files: &'static [&'static str],
    pub(super) long_modules: &'static [&'static str],
    pub(super) long_directories: &'static [&'static str],
    /// Words that may come before the script.
    pub(super) subcommands: &'static [&'static str],
    pub(super) words: WordRole,
    /// Whether the beginning of a long option is enough, and options may follow words.
    pub(super) is_gnu: bool,
    /// Whether long options may be written with one dash.
    pub(super) has_one_dash: bool,
    pub(super) search: ScriptSearch,
}

/// The role of words that are not options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordRole {
    /// The first word is the script, and the others are for the script.
    Script,
    /// Each word is a script.
    Scripts,
    /// No word is a script: only options name scripts.
    Data,
    /// The first word is a script if there is an option for that.
    ScriptWithOption,
}

pub(super) const FAMILIES: &[InterpreterFamily] = &[
    InterpreterFamily {
        names: &[
            "sh", "bash", "rbash", "dash", "ash", "hush", "zsh", "ksh", "mksh", "lksh", "oksh",
            "pdksh", "yash", "posh",
        ],
        search: ScriptSearch::OnPath,
        ..NONE
    },
    InterpreterFamily {
        names: &["fish"],
        flags: "ilnNPhv",
        valued: "Cpdof",
        code: "c",
        long_flags: &[
            "--interactive",
            "--login",
            "--no-execute",
            "--no-config",
            "--private",
        ],
        long_valued: &[
            "--init-command",
            "--profile",
            "--profile-startup",
            "--debug",
            "--features",
        ],
        long_code: &["--command"],
        ..NONE
    },
    InterpreterFamily {
        names: &["python", "pypy", "jython", "micropython"],
        flags: "bBdEhiIOPqRsStuvVx3?",
        valued: "WXQ",
        code: "c",
        code_ends_options: true,
        modules: "m",
        long_valued: &["--check-hash-based-pycs", "--jit"],
        search: ScriptSearch::InDirectory,
        ..NONE
    },
    InterpreterFamily {
        names: &["node", "nodejs", "iojs"],
        // Without an expression after it, `-p` is a flag.
        flags: "chipvsS",
        valued: "C",
        code: "e",
        files: "r",
        long_flags: &[
            "--check",
            "--interactive",
            "--print",
            "--inspect",
            "--inspect-brk",
            "--no-warnings",
            "--trace-warnings",
        ],
        long_valued: &[
            "--conditions",
            "--input-type",
            "--icu-data-dir",
            "--openssl-config",
            "--title",
            "--env-file",
            "--env-file-if-exists",
            "--max-http-header-size",
            "--unhandled-rejections",
            "--dns-result-order",
            "--disable-warning",
            "--redirect-warnings",
            "--watch-path",
            "--test-reporter",
            "--test-name-pattern",
        ],
        long_code: &["--eval"],
        long_files: &["--require", "--import", "--loader", "--experimental-loader"],
        subcommands: &["inspect", "debug"],
        search: ScriptSearch::WithEndings,
        ..NONE
    },
    InterpreterFamily {
        names: &["deno", "bun"],
        flags: "AqhvipwRWNESb",
        code: "e",
        files: "r",
        long_flags: &[
            "--allow-all",
            "--print",
            "--watch",
            "--hot",
            "--quiet",
            "--no-check",
            "--unstable",
            "--silent",
            "--bun",
            "--smol",
        ],
        long_directories: &["--cwd"],
        long_code: &["--eval"],
        long_files: &["--preload", "--require", "--import"],
        subcommands: &[
            "run", "x", "exec", "serve", "test", "bench", "task", "install", "compile", "debug",
        ],
        search: ScriptSearch::WithEndings,
        ..NONE
    },
    InterpreterFamily {
        names: &["perl"],
        flags: "0123456789acfghlnpsSTtuUvwWX",
        valued: "I",
        glued: "iCDdFmMVx",
        code: "eE",
        search: ScriptSearch::OnPath,
        ..NONE
    },
    InterpreterFamily {
        names: &["ruby", "jruby", "truffleruby", "mruby"],
        flags: "acdhlnpsSUvwy",
        valued: "IE",
        glued: "0FiKTWx",
        code: "e",
        files: "r",
        directories: "CX",
        search: ScriptSearch::OnPath,
        long_flags: &["--verbose", "--yjit", "--jit", "--copyright", "--debug"],
        long_valued: &[
            "--encoding",
            "--external-encoding",
            "--internal-encoding",
            "--enable",
            "--disable",
            "--parser",
            "--dump",
        ],
        long_files: &["--require"],
        ..NONE
    },
    InterpreterFamily {
        names: &["php"],
        flags: "aCehHilmnqsvw",
        valued: "cdgSTtz",
        code: "rBRE",
        files: "fF",
        long_valued: &[
            "--php-ini",
            "--define",
            "--server",
            "--docroot",
            "--zend-extension",
        ],
        long_code: &[
            "--run",
            "--process-begin",
            "--process-code",
            "--process-end",
        ],
        long_files: &["--file", "--process-file"],
        ..NONE
    },
    InterpreterFamily {
        names: &["lua", "luajit", "texlua"],
        flags: "iEvW",
        valued: "ej",
        glued: "Ob",
        files: "l",
        ..NONE
    },
    InterpreterFamily {
        names: &["tclsh", "wish", "expect"],
        flags: "bdivNn",
        valued: "cD",
        files: "f",
        long_valued: &["-encoding"],
        ..NONE
    },
    InterpreterFamily {
        names: &[
            "rscript",
            "julia",
            "guile",
            "racket",
            "elixir",
            "escript",
            "groovy",
            "pwsh",
            "osascript",
        ],
        code: "e",
        files: "f",
        ..NONE
    },
    InterpreterFamily {
        names: &["csh", "tcsh", "nu", "elvish", "xonsh"],
        flags: "bdefilmnqstvVxX",
        code: "c",
        search: ScriptSearch::OnPath,
        ..NONE
    },
    InterpreterFamily {
        names: &["awk", "gawk", "mawk", "nawk"],
        flags: "bcCghIkMnNOPrsStV",
        valued: "FvlW",
        glued: "dDLop",
        code: "e",
        files: "fEi",
        long_code: &["--source"],
        long_files: &["--file", "--exec", "--include"],
        long_valued: &["--field-separator", "--assign", "--load"],
        ..WITH_FILE_OPTION
    },
    InterpreterFamily {
        names: &["sed", "gsed", "ssed"],
        flags: "nErsuzb",
        valued: "l",
        glued: "iI",
        code: "e",
        long_code: &["--expression"],
        long_files: &["--file"],
        long_valued: &["--line-length"],
        ..WITH_FILE_OPTION
    },
    InterpreterFamily {
        names: &["make", "gmake", "bmake", "pmake", "remake"],
        flags: "bBdeikmnpqrRsStvwh",
        valued: "IoWE",
        glued: "jlO",
        directories: "C",
        long_directories: &["--directory"],
        long_files: &["--file", "--makefile"],
        long_valued: &[
            "--include-dir",
            "--old-file",
            "--assume-old",
            "--what-if",
            "--new-file",
            "--assume-new",
            "--eval",
        ],
        ..WITH_FILE_OPTION
    },
    InterpreterFamily {
        names: &["ninja", "samu", "just", "rake", "psql"],
        directories: "C",
        long_files: &["--justfile", "--rakefile", "--file"],
        ..WITH_FILE_OPTION
    },
    InterpreterFamily {
        names: &["cmake"],
        files: "PC",
        glued: "D",
        ..WITH_FILE_OPTION
    },
    InterpreterFamily {
        names: &["bc", "dc"],
        flags: "ghilqsvwPRxVz",
        code: "e",
        long_code: &["--expression"],
        long_files: &["--file"],
        words: WordRole::Scripts,
        ..WITH_FILE_OPTION
    },
    InterpreterFamily {
        names: &["jq", "gojq", "jaq"],
        words: WordRole::ScriptWithOption,
        ..WITH_FILE_OPTION
    },
    InterpreterFamily {
        names: &["gdb", "cgdb"],
        flags: "nqvh",
        valued: "pcsedlbtD",
        files: "x",
        long_files: &[
            "--x",
            "--command",
            "--init-command",
            "--early-init-command",
            "--ix",
            "--eix",
        ],
        long_flags: &["--args", "--batch", "--nx", "--nh", "--quiet", "--silent"],
        long_valued: &[
            "--eval-command",
            "--init-eval-command",
            "--early-init-eval-command",
            "--ex",
            "--iex",
            "--eiex",
        ],
        has_one_dash: true,
        ..WITH_FILE_OPTION
    },
    InterpreterFamily {
        names: &["lldb"],
        flags: "bhQvPX",
        valued: "acfklnopOKrw",
        files: "sS",
        long_files: &["--source", "--source-before-file", "--source-on-crash"],
        ..WITH_FILE_OPTION
    },
    InterpreterFamily {
        names: &["vi", "vim", "nvim", "ex", "gvim", "view"],
        flags: "AbCdDEeFgHhLMmnNoOpqRrvVxXyZ",
        valued: "cPtTwWi",
        files: "SuU",
        // With `-e`, `-s` has no value. In Neovim, `-l` has one.
        possible_files: "sl",
        ..WITH_FILE_OPTION
    },
    InterpreterFamily {
        names: &["emacs"],
        flags: "qQ",
        valued: "fudtTgL",
        files: "lx",
        long_files: &["--script", "--load"],
        has_one_dash: true,
        ..WITH_FILE_OPTION
    },
    InterpreterFamily {
        names: &["sqlite"],
        long_files: &["--init"],
        has_one_dash: true,
        files: "",
        ..WITH_FILE_OPTION
    },
];

const NONE: InterpreterFamily = InterpreterFamily {
    names: &[],
    flags: "",
    valued: "",
    glued: "",
    code: "",
    code_ends_options: false,
    directories: "",
    modules: "",
    files: "",
    possible_files: "",
    long_flags: &["--help", "--version"],
    long_valued: &[],
    long_code: &[],
    long_files: &[],
    long_modules: &[],
    long_directories: &[],
    subcommands: &[],
    words: WordRole::Script,
    is_gnu: false,
    has_one_dash: false,
    search: ScriptSearch::AsGiven,
};

/// Programs whose scripts are named by options, as GNU programs read them.
const WITH_FILE_OPTION: InterpreterFamily = InterpreterFamily {
    files: "f",
    words: WordRole::Data,
    is_gnu: true,
    ..NONE
};

/// Modules of Python that run a script or, with `-m`, a module. Each of their options may have a value.
pub(super) const LAUNCHER: InterpreterFamily = InterpreterFamily {
    names: &[
        "pdb",
        "bdb",
        "ipdb",
        "pudb",
        "debugpy",
        "cProfile",
        "profile",
        "pstats",
        "trace",
        "coverage",
        "viztracer",
        "pyinstrument",
        "scalene",
        "memory_profiler",
        "kernprof",
        "line_profiler",
        "IPython",
        "doctest",
        "pydoc",
        "unittest",
        "pytest",
        "nose2",
        "idlelib",
    ],
    modules: "m",
    long_flags: &[],
    long_modules: &["--module"],
    subcommands: &["run"],
    search: ScriptSearch::InDirectory,
    ..NONE
};
