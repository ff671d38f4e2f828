# shellcheck shell=bash
# The Debian packages that the build and the tests need. instr/quickstart and tests/run source this file.
#
#   instr_install build tests    installs missing packages, as root or with sudo
#   instr_build DIRECTORY        configures the directory if necessary, and compiles
#
# A package counts as installed if what it provides exists (a command, a header, a pkg-config file), whatever
# its origin. On failure the functions print a message and return 1.

instr_say() { printf 'instr: %s\n' "$*" >&2; }

instr_has_header() { printf '#include <%s>\n' "$1" | cc -E -xc - >/dev/null 2>&1; }

instr_has_meson() {
    local version
    version=$(meson --version 2>/dev/null) || return 1
    [ "${version%%.*}" -ge 1 ] 2>/dev/null
}

# A JDK that can build the project.
instr_jdk() { python3 "$instr_top/instr/find_jdk.py" 2>/dev/null; }

# Is what the package provides installed?
instr_has() {
    case $1 in
    gcc) command -v cc ;;
    libc6-dev) instr_has_header stdio.h ;;
    meson) instr_has_meson ;;
    ninja-build) command -v ninja ;;
    pkg-config | python3) command -v "$1" ;;
    libzip-dev) pkg-config --exists libzip ;;
    libxxhash-dev) pkg-config --exists libxxhash ;;
    libdeflate-dev) instr_has_header libdeflate.h ;;
    libjansson-dev) pkg-config --exists jansson ;;
    check) pkg-config --exists check ;;
    default-jdk-headless) instr_jdk ;;
    libjacoco-java) [ -f /usr/share/java/org.jacoco.core.jar ] ;;
    libjetty9-java) [ -f /usr/share/java/jetty9-server.jar ] ;;
    wrk) command -v wrk ;;
    lcov) command -v genhtml ;;
    libxml2-utils) command -v xmllint ;;
    diff-cover) command -v diff-cover ;;
    libecj-java) [ -f /usr/share/java/ecj.jar ] ;;
    kotlin) command -v kotlinc ;;
    scala) command -v scalac ;;
    groovy) command -v groovyc ;;
    junit4) [ -f /usr/share/java/junit4.jar ] ;;
    junit5) [ -f /usr/share/java/junit-platform-console.jar ] ;;
    testng) [ -f /usr/share/java/testng.jar ] ;;
    ant-optional) command -v ant && [ -f /usr/share/java/ant-junit.jar ] ;;
    maven) command -v mvn ;;
    gradle) command -v gradle ;;
    libsurefire-java) [ -d /usr/share/maven-repo/org/apache/maven/plugins/maven-surefire-plugin ] ;;
    libmaven-antrun-plugin-java) [ -d /usr/share/maven-repo/org/apache/maven/plugins/maven-antrun-plugin ] ;;
    *) return 1 ;;
    esac >/dev/null 2>&1
}

# Prints the missing ones of the packages.
instr_missing() {
    local package
    for package in "$@"; do
        instr_has "$package" || printf '%s ' "$package"
    done
}

instr_as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        instr_say "not root, and sudo is not installed"
        return 1
    fi
}

# Runs apt-get, again and again while another process holds one of its locks, for at most `instr_lock_wait` seconds:
# unattended upgrades hold them for minutes on a fresh machine. apt's own DPkg::Lock::Timeout is no help with `update`.
# What apt says about locks is hidden until it is known that no process holds one.
instr_lock_wait=600
instr_unlocked() { # COMMAND ...
    local log status held end=$((SECONDS + instr_lock_wait)) waits='' about_locks='^E: .*\block\b'
    log=$(mktemp) || return 1
    while :; do
        LC_ALL=C "$@" 2>&1 | tee "$log" |
            { grep --line-buffered -vE "$about_locks|^Reading package lists" || true; } >&2
        status=${PIPESTATUS[0]}
        held=$(sed -n 's/^E: \(Could not get lock .*\)/\1/p' "$log" | head -n 1)
        if [ "$status" = 0 ]; then break; fi
        if [ -z "$held" ]; then
            grep -E "$about_locks" "$log" >&2
            break
        fi
        if [ "$SECONDS" -ge "$end" ]; then
            instr_say "apt is still locked after $instr_lock_wait s. $held"
            break
        fi
        [ -n "$waits" ] || instr_say "waiting for apt, for at most $instr_lock_wait s. $held"
        waits=1
        sleep 5
    done
    rm -f "$log"
    return "$status"
}

instr_apt() {
    instr_unlocked instr_as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 "$@"
}

# Installs for the purposes named: build, tests.
instr_install() {
    local packages='gcc libc6-dev meson ninja-build pkg-config python3 libzip-dev libxxhash-dev
        libjansson-dev default-jdk-headless check' missing
    case " $* " in *" tests "*) packages="$packages libjacoco-java libjetty9-java wrk" ;; esac
    # shellcheck disable=SC2086 # a list of words
    missing=$(instr_missing $packages)
    # Optional: `instr rewrite` is faster with it.
    if [ "$(id -u)" = 0 ]; then missing="$missing$(instr_missing libdeflate-dev)"; fi
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null; then
        instr_say "missing packages (Debian names): ${missing% }; please install them"
        return 1
    fi
    instr_say "installing ${missing% }"
    # shellcheck disable=SC2086
    if ! { instr_apt update && instr_apt install -y --no-install-recommends $missing; }; then
        instr_say "could not install ${missing% }"
        return 1
    fi
    # shellcheck disable=SC2086
    missing=$(instr_missing $packages)
    [ -n "$missing" ] || return 0
    instr_say "still missing or too old (Meson 1.0 and JDK 11 are required): ${missing% }"
    case $missing in *jdk*) python3 "$instr_top/instr/find_jdk.py" >&2 ;; esac
    return 1
}

# Installs packages that only some tests use. Those tests are skipped if it fails.
instr_install_for_some() {
    local missing
    missing=$(instr_missing "$@")
    if [ -z "$missing" ] || ! command -v apt-get >/dev/null; then return 0; fi
    instr_say "installing ${missing% }"
    # shellcheck disable=SC2086
    if ! { instr_apt update && instr_apt install -y --no-install-recommends $missing; }; then
        instr_say "could not install ${missing% }; some tests are skipped"
    fi
}

instr_build() {
    if [ ! -f "$1/build.ninja" ]; then
        instr_say "configuring $1"
        meson setup --buildtype=release "$1" "$instr_top" >&2 || return 1
    fi
    instr_say "compiling"
    meson compile -C "$1" >&2 || return 1
}

instr_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) || return 1
