# shellcheck shell=bash
# What the build needs, by Debian's package names; sourced by instr/quickstart and tests/run.
#
#   instr_install build tests    installs what is missing, as root or with sudo, saying what
#   instr_build DIRECTORY        configures it if that has not been done, and compiles
#
# A package is looked for by what it gives (a command, a header, a pkg-config file), so that what came some
# other way is good, too. On failure they say why and return 1.

instr_say() { printf 'instr: %s\n' "$*" >&2; }

instr_has_header() { printf '#include <%s>\n' "$1" | cc -E -xc - >/dev/null 2>&1; }

instr_has_meson() {
    local version
    version=$(meson --version 2>/dev/null) || return 1
    [ "${version%%.*}" -ge 1 ] 2>/dev/null
}

# A JDK with which the project builds.
instr_jdk() { python3 "$instr_top/instr/find_jdk.py" 2>/dev/null; }

# Is what the package gives there?
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

# Prints those of the packages that are missing.
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
        instr_say "not root, and there is no sudo"
        return 1
    fi
}

instr_apt() {
    instr_as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 "$@" >&2
}

# Installs for the purposes named: build, tests.
instr_install() {
    local packages='gcc libc6-dev meson ninja-build pkg-config python3 libzip-dev libxxhash-dev
        libjansson-dev default-jdk-headless check' missing
    case " $* " in *" tests "*) packages="$packages libjacoco-java libjetty9-java wrk" ;; esac
    # shellcheck disable=SC2086 # a list of words
    missing=$(instr_missing $packages)
    # Not needed, but `instr rewrite` is faster with it.
    if [ "$(id -u)" = 0 ]; then missing="$missing$(instr_missing libdeflate-dev)"; fi
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null; then
        instr_say "missing, by their names in Debian: ${missing% }; please install them"
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
    instr_say "still missing, or too old (Meson 1.0 and a JDK 11 are needed): ${missing% }"
    case $missing in *jdk*) python3 "$instr_top/instr/find_jdk.py" >&2 ;; esac
    return 1
}

# Installs packages that only some tests use; these are skipped when that cannot be done here.
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
