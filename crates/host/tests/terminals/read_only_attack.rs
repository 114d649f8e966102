//! Attacks on the files that decide what agents may do, inside the session's directories: no command changes them,
//! however it is written.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;

use attache_host::sandbox::{SandboxPlaces, SandboxSettings, SandboxSupport};
use attache_host::terminals::{Sandbox, TerminalLimits, Terminals};
use attache_process::namespace_support;
use libtest_mimic::Trial;

use super::client::TestClient;
use super::sandbox_attack::skip;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "read_only_attack::no_command_changes_the_policy_in_force",
            policy,
        ),
        trial(
            "read_only_attack::our_own_files_stay_read_only_where_the_user_opens_them",
            own_files,
        ),
    ]
}

/// A session in a project with a policy and a link to the policy.
fn client() -> Option<(TestClient, PathBuf)> {
    let support = Sandbox::support();
    if matches!(support, SandboxSupport::Missing { .. }) || namespace_support().is_err() {
        skip(support);
        return None;
    }
    let mut client = TestClient::new();
    let project = client.project().canonicalize().unwrap();
    fs::create_dir(project.join("rules")).unwrap();
    fs::write(project.join("rules/policy.json"), POLICY).unwrap();
    fs::write(project.join("other.json"), "{}\n").unwrap();
    symlink("rules", project.join("way")).unwrap();
    let home = project.join("no-home");
    let places = SandboxPlaces::for_home(&SandboxSettings::default(), &[], &home);
    let places = places.keep_read_only([
        project.join("way/policy.json"),
        project.join("not-there.json"),
    ]);
    client.terminals = Terminals::new(TerminalLimits::default(), Sandbox::On(Arc::new(places)));
    Some((client, project))
}

async fn policy() {
    let Some((client, project)) = client() else {
        return;
    };
    for script in [
        "echo '{}' > rules/policy.json",
        "echo '{}' > way/policy.json",
        "f=pol; cp other.json rules/${f}icy.json",
        "cp other.json \"$(find . -name 'pol*')\"",
        "mv other.json rules/policy.json",
        "ln -f other.json rules/policy.json",
        "ln rules/policy.json linked && echo '{}' > linked",
        "rm -f rules/policy.json",
        "rm -rf rules",
        "mv rules gone && mkdir rules && cp other.json rules/policy.json",
        "mv rules/policy.json rules/old.json",
        "sed -i 's/curl/wget/' rules/policy.json",
        "truncate -s 0 rules/policy.json",
        "chmod 777 rules/policy.json && echo '{}' > rules/policy.json",
        "tar cf x.tar -C . other.json --transform s/other/policy/ && tar xf x.tar -C rules",
        "python3 -c \"open('rules/policy.json','w').write('{}')\"",
        "perl -e 'open(F, \">rules/policy.json\"); print F \"{}\"'",
        "unshare -Urm sh -c 'umount rules/policy.json; echo {} > rules/policy.json'",
        "mount --bind other.json rules/policy.json",
    ] {
        // Whatever the command says, the file decides.
        drop(
            client
                .output_of(&client.request("sh", &["-c", script]))
                .await,
        );
        let now = fs::read_to_string(project.join("rules/policy.json"));
        assert_eq!(now.unwrap_or_default(), POLICY, "{script}");
        fs::write(project.join("other.json"), "{}\n").unwrap();
    }
    // Everything beside it works.
    let script = "cat rules/policy.json && echo new > rules/new && cat rules/new && echo x > not-there.json && echo end";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    assert_eq!(said, format!("{POLICY}new\nend\n"));
    let script = "echo '{}' > rules/policy.json";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    assert!(said.contains("decides what agents may do"), "{said}");
    assert!(!said.contains("attache config set"), "{said}");
}

/// A user who works in the home directory and makes our data readable does not make it writable.
async fn own_files() {
    let Some((mut client, project)) = client() else {
        return;
    };
    let own = project.join(".local/share/attache");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("permissions.json"), "kept\n").unwrap();
    for read in [Vec::new(), vec![own.clone()]] {
        let is_opened = !read.is_empty();
        let mut settings = SandboxSettings::default();
        settings.read = read;
        let places = SandboxPlaces::for_home(&settings, std::slice::from_ref(&own), &project);
        client.terminals = Terminals::new(TerminalLimits::default(), Sandbox::On(Arc::new(places)));
        let script = "cd .local/share/attache; cat permissions.json; echo x >permissions.json; echo x >new; rm -f permissions.json; cd ..; mv attache old; echo end";
        let script = format!("exec 2>/dev/null; {script}");
        let said = client
            .output_of(&client.request("sh", &["-c", &script]))
            .await;
        let expected = if is_opened { "kept\nend\n" } else { "end\n" };
        assert_eq!(said, expected);
        let kept = fs::read_to_string(own.join("permissions.json"));
        assert_eq!(kept.unwrap_or_default(), "kept\n");
        assert!(!own.join("new").exists());
    }
}

const POLICY: &str = "{\"rules\":[{\"action\":\"deny\",\"command\":\"curl\"}]}\n";
