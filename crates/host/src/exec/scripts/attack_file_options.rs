//! Scripts that options of awk, sed, make and others name.

use super::{ScriptWord, scripts_run_by};

#[test]
fn attack_options_that_name_a_script_do_not_hide_it() {
    // The script is `S`, and `A` the word behind it.
    for line in LINES {
        let mut words = line.split(' ').map(str::to_owned);
        let name = words.next().unwrap();
        let words: Vec<String> = words.collect();
        let found = scripts_run_by(&name, &words).unwrap().programs;
        let is_found = found.iter().any(|program| match program {
            ScriptWord::Script(at) | ScriptWord::PossibleScript(at) => words[*at] == "S",
            ScriptWord::Preloaded(file, at) => *file == "S" && words[*at] == "A",
            ScriptWord::Module(..) => false,
        });
        assert!(is_found, "{line}: {found:?}");
    }
}

const LINES: &[&str] = &[
    "tcsh -f S A",
    "awk -f S A",
    "awk -fS A",
    "mawk -F : -f S A",
    "mawk -W exec S A",
    "gawk -v x=y --file=S A",
    "gawk -nbf S A",
    "gawk --fil S A",
    "gawk -E S A",
    "awk x y -f S A",
    "sed -f S A",
    "sed -nf S A",
    "sed -nfS A",
    "sed -i.bak -E --file=S A",
    "sed -e p -f S A",
    "sed -l 5 --posix -f S A",
    "make -f S A",
    "make -sfS A",
    "make -j -C x -f S A",
    "make -j 4 --makefile S A",
    "make --mak=S A",
    "make x=y -f S A",
    "cmake -D a=b -P S A",
    "bc -q S A",
    "bc -l x S A",
    "bc -- S A",
    "dc -e 1 -f S A",
    "jq -f S A",
    "jq -nf S A",
    "jq -n S -f A",
    "jq S -nrf A",
    "jq --arg a b --from-file S A",
    "jq --indent 2 -f -- S A",
    "gdb -x S A",
    "gdb -xS A",
    "gdb -batch -x S A",
    "gdb --batch --command=S A",
    "gdb -q -ix S A",
    "gdb -command S A",
    "lldb -b -s S A",
    "vim -S S A",
    "vim -c x -u S A",
    "vim -es -S S A",
    "vim -e -s -S S A",
    "vim -E -s -u S A",
    "vim -esS S A",
    "vim -esu S A",
    "vim -Nes -S S A",
    "vim -s S A",
    "vim -p -S S A",
    "vim -p3S S A",
    "vim -oS S A",
    "vim -S -S S A",
    "vim -i NONE -S S A",
    "ex -s -S S A",
    "nvim -l S A",
    "nvim -es -l S A",
    "gdb -x=S A",
    "gdb --x=S A",
    "gdb -batch -x=S A",
    "gdb -p -x S A",
    "lldb -bs S A",
    "psql -qf S A",
    "psql -Xqf S A",
    "ninja -vf S A",
    "rake -sf S A",
    "cmake -C S A",
    "sed -e -f S A",
    "awk -v -f S A",
    "emacs -batch -l S A",
    "emacs -x S A",
    "emacs --script S A",
    "sqlite3 -init S A",
    "psql -x -f S A",
];
