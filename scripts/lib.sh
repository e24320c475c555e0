# Shell helpers that the scripts and image builds share. Source it; it starts nothing by itself.
# shellcheck shell=bash
#
# stdout belongs to a script's result (some are meant for `eval`), so everything here talks on stderr.

cordon_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

say() { printf '%s\n' "$*" >&2; }
die() { say "${0##*/}: $*"; exit 1; }

# as_root COMMAND...: as it is for root, by sudo for others.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else die "needs root or sudo for: $*"; fi
}

# missing_packages NAME...: prints those that dpkg does not have installed.
missing_packages() {
    comm -23 <(printf '%s\n' "$@" | sort -u) \
        <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' | sort -u)
}

# install_packages NAME...: Debian packages, without their recommendations; those that are there cost nothing.
install_packages() {
    local missing log
    command -v dpkg-query >/dev/null || return 0 # another distribution: what is missing will say so itself
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} = 0 ] && return
    say "installing ${missing[*]}"
    log=$(mktemp)
    # The lists may be absent or old: they are fetched only when the plain attempt fails.
    if ! apt_install "${missing[@]}" >"$log" 2>&1; then
        if ! { as_root apt-get update -qq && apt_install "${missing[@]}"; } >"$log" 2>&1; then
            tail -n 20 "$log" >&2
            rm -f "$log"
            die "cannot install ${missing[*]}"
        fi
    fi
    rm -f "$log"
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold "$@" </dev/null
}

# npm_packages [PINNED FOLDER]: the packages that are pinned in tests/integration, in $npm_folder, or those of another list in
# another folder; installed anew, beside and then put in place, when the list has changed.
npm_folder=${CORDON_NPM_FOLDER:-$cordon_root/build/npm}
npm_packages() {
    local pinned=${1:-$cordon_root/tests/integration} folder=${2:-$npm_folder} new
    new=$folder.new
    mkdir -p "$cordon_root/build"
    (
        flock 8
        ! cmp -s "$pinned/package-lock.json" "$folder/installed.json" || exit 0
        # one chain: whoever calls this in a condition has no errexit here
        rm -rf "$new" && mkdir "$new" && cp "$pinned/package.json" "$pinned/package-lock.json" "$new/" &&
            npm ci --prefix "$new" --no-audit --no-fund --loglevel=error 8>&- >&2 &&
            cp "$pinned/package-lock.json" "$new/installed.json" && rm -rf "$folder" && mv "$new" "$folder"
    ) 8>"$folder.lock"
}

# debian_release: the code name of this host's release, or bookworm where it is none that we build images of.
debian_release() {
    local name
    # shellcheck source=/dev/null
    name=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    case $name in bullseye | bookworm | trixie | forky) printf '%s\n' "$name" ;; *) echo bookworm ;; esac
}

# debian_mirror: the mirror that this host's own apt uses.
debian_mirror() {
    # shellcheck disable=SC2016 # apt-get fills these in, not the shell
    { apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null || true
        sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' /etc/apt/sources.list.d/*.sources \
            /etc/apt/sources.list.d/*.list /etc/apt/sources.list 2>/dev/null || true
    } | awk '!/security/ && /:\/\// && !found { sub(/\/+$/, ""); print; found = 1 } END { exit !found }' ||
        die "no Debian mirror among apt's sources"
}

# short_directory PATH: PATH, or a short one that stands for it. A socket's path may have 107 bytes, of which containerd's
# own takes the last 40 of ours; it goes into a URL; and podman's runroot, PATH/root, may have 50.
short_directory() {
    if [ ${#1} -le 45 ] && [[ $1 != *[^A-Za-z0-9._/-]* ]]; then printf '%s\n' "$1"
    else printf '%s/cordon-%s\n' "${XDG_RUNTIME_DIR:-/tmp}" "$(printf '%s' "$1" | sha256sum | cut -c 1-10)"; fi
}

# start_time PID: in clock ticks since boot, so that a pid used again by a stranger is told apart. Nothing for one that is
# dead and only waits for its parent to notice; where PID 1 does not care, that lasts.
start_time() { sed 's/.*) //; /^[ZX]/d' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

# record_process FILE PID
record_process() { printf '%s %s\n' "$2" "$(start_time "$2")" >"$1"; }

# recorded_pid FILE: prints the pid if that very process still lives, else fails.
recorded_pid() {
    local pid time
    read -r pid time 2>/dev/null <"$1" || return 1
    [ -n "$time" ] && [ "$(start_time "$pid")" = "$time" ] && printf '%s\n' "$pid"
}

# end_process PID SECONDS: asks, waits that long, then insists.
end_process() {
    local i
    kill -TERM "$1" 2>/dev/null || return 0
    for ((i = 0; i < $2 * 20; i++)); do [ -n "$(start_time "$1")" ] || return 0; sleep 0.05; done
    kill -KILL "$1" 2>/dev/null || return 0
    for ((i = 0; i < 40; i++)); do [ -n "$(start_time "$1")" ] || return 0; sleep 0.05; done
}

# launch PIDFILE LOG COMMAND...: in a session of its own, deaf to SIGHUP, holding none of our descriptors, so that whoever
# reads our output is not kept waiting.
launch() {
    local pidfile=$1 log=$2
    shift 2
    (
        trap '' HUP
        exec </dev/null >>"$log" 2>&1
        for fd in /proc/self/fd/*; do
            fd=${fd##*/}
            [ "$fd" -le 2 ] || eval "exec $fd>&-"
        done
        exec setsid "$@"
    ) &
    record_process "$pidfile" "$!"
}

# run_mmdebstrap ARGUMENT...: quiet unless it fails, and nothing that it mounts is seen outside.
run_mmdebstrap() {
    local log isolate=() mode=unshare
    if [ "$(id -u)" = 0 ]; then
        mode=root
        isolate=(unshare --mount --propagation private)
    fi
    log=$(mktemp)
    if ! "${isolate[@]}" mmdebstrap --mode=$mode --aptopt='Acquire::Languages "none"' \
        --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Check-Valid-Until "false"' \
        --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/usr/share/locale/*' "$@" >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        rm -f "$log"
        die "mmdebstrap failed"
    fi
    rm -f "$log"
}

# image_tar NAME SUITE: prints the path of the cached tarball of images/debian, which it builds when it is not there.
# NAME is python or datascience. Two callers at once build once.
image_tar() {
    local name=$1 suite=$2 cache=$cordon_root/build/cache/images extra=()
    local tar=$cache/$name-$suite.tar
    [ "$name" = python ] || extra=("--$name")
    mkdir -p "$cache"
    (
        flock 8
        [ -s "$tar" ] || "$cordon_root/images/debian/build" "$suite" "$tar" "${extra[@]}" 8>&-
    ) 8>"$cache/$name-$suite.lock" >&2 || return 1
    printf '%s\n' "$tar"
}

# image_contents TAR: what the image says of itself, one line.
image_contents() { tar -xOf "$1" ./etc/cordon-image; }

# url_encode TEXT
url_encode() { jq -rn --arg text "$1" '$text | @uri'; }

# engine_http SOCKET METHOD PATH [CURL ARGUMENT...]: one request over a unix socket; fails on an HTTP error.
engine_http() {
    local socket=$1 method=$2 path=$3
    shift 3
    curl -sS --fail --noproxy '*' --unix-socket "$socket" -X "$method" "$@" "http://engine$path"
}

# engine_answers SOCKET
engine_answers() { engine_http "$1" GET /_ping --max-time 2 -o /dev/null 2>/dev/null; }

# engine_is_podman SOCKET: tells the two dialects apart as cordon does, by asking.
engine_is_podman() { [ -n "$(engine_http "$1" GET /_ping --max-time 10 -o /dev/null -w '%header{libpod-api-version}')" ]; }

# engine_has_image SOCKET IMAGE
engine_has_image() {
    if engine_is_podman "$1"; then engine_http "$1" GET "/v4.0.0/libpod/images/$2/exists" -o /dev/null 2>/dev/null
    else engine_http "$1" GET "/v1.41/images/$2/json" -o /dev/null 2>/dev/null; fi
}

# engine_import SOCKET TAR NAME:TAG: makes an image of one layer, labelled with its contents.
engine_import() {
    local socket=$1 tar=$2 image=$3 cmd label path
    cmd=$(url_encode 'CMD ["python3"]')
    label=$(url_encode "LABEL io.cordon.contents=$(image_contents "$tar" | jq -R .)")
    if engine_is_podman "$socket"; then
        path="/v4.0.0/libpod/images/import?reference=$(url_encode "$image")"
    else
        path="/v1.41/images/create?fromSrc=-&repo=$(url_encode "${image%:*}")&tag=${image##*:}"
    fi
    engine_http "$socket" POST "$path&changes=$cmd&changes=$label" --max-time 600 -H 'Expect:' \
        -H 'Content-Type: application/x-tar' -T "$tar" -o /dev/null
}
