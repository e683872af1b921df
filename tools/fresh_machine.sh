#!/usr/bin/env bash
# tools/fresh_machine.sh [OPTIONS] [TARGET...]: what a stranger sees.  Makes a Debian root that holds nothing but the essential
# packages, apt, git and make (mmdebstrap), clones HEAD of this checkout into it and runs `make TARGET...` there (demo),
# as root, with an empty environment and the C locale.  Prints the end of the log, the time and the number of packages that
# came in, and ends with the exit code of make; 77 if no root can be made on this machine.
#
#   --keep NAME       use root NAME again if tools/packages.txt is unchanged, and leave it; the clone is always new
#   --user, --sudo    as a user without, or with, sudo
#   --run 'COMMAND'   this shell command in the clone instead of make
#   --place FOLDER    the clone goes here (/root/limber or /home/guest/limber)
#   --suite NAME      Debian suite (that of the machine)
#   --with 'A B'      packages that the root has from the start
#   --env NAME=VALUE  one more variable; may be repeated
#   --bind FOLDER=PLACE  FOLDER is seen at PLACE, read only
#   --no-home         HOME is unset
#   --no-shm          no /dev/shm
#   --offline         no network but loopback
#   --log FILE        the whole log goes here (BUILD/fresh_machine.log)
#   --follow          show the log while it is written
#   --tail N          lines of the log shown at the end (40)
#
# Apt sources, apt's Acquire options, proxies and a machine's own certificate (NODE_EXTRA_CA_CERTS) are those of the running
# machine.  Roots, loaded packages and the bare root are kept below FRESH_CACHE (/var/cache/limber-fresh).
set -euo pipefail
checkout=$(cd "$(dirname "$0")/.." && pwd)

cache=${FRESH_CACHE:-/var/cache/limber-fresh}
keep='' user=root sudo=no command='' place='' suite='' with='' bind='' home=yes shm=yes net=yes log='' follow=no lines=40 environment=()
usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; exit "${1:-2}"; }
while [ $# -gt 0 ]; do
    case $1 in
    --keep) keep=$2; shift ;;
    --user) user=guest ;;
    --sudo) user=guest sudo=yes ;;
    --run) command=$2; shift ;;
    --place) place=$2; shift ;;
    --suite) suite=$2; shift ;;
    --with) with=$2; shift ;;
    --env) environment+=("$2"); shift ;;
    --bind) bind=$2; shift ;;
    --no-home) home=no ;;
    --no-shm) shm=no ;;
    --offline) net=no ;;
    --log) log=$2; shift ;;
    --follow) follow=yes ;;
    --tail) lines=$2; shift ;;
    --help) usage 0 ;;
    -*) echo "fresh_machine.sh: unknown option $1" >&2; usage ;;
    *) break ;;
    esac
    shift
done
[ -n "$command" ] || command="make ${*:-demo}"

no_root() { echo "fresh_machine.sh: $1" >&2; exit 77; }
[ "$(id -u)" = 0 ] || no_root "only root can make a root folder of its own"
[ -r /etc/debian_version ] || no_root "this is not a Debian machine"
unshare --mount --pid --fork true 2>/dev/null || no_root "this machine does not allow mount namespaces (unshare)"
if ! command -v mmdebstrap >/dev/null; then
    { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install mmdebstrap; } >/dev/null 2>&1 ||
        no_root "mmdebstrap cannot be installed"
fi
own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
suite=${suite:-$own}
archives=$cache/archives-$suite # apt locks it: one fresh machine of a suite at a time
mkdir -p "$archives/partial"
exec 9>"$cache/lock-$suite"
flock 9
mkdir -p "$checkout/build"
log=${log:-$checkout/build/fresh_machine.log}

# ---- the root ------------------------------------------------------------------------------------

# the bare root of this suite, made again when it is a week old
base=$cache/base-$suite.tar
if [ -z "$(find "$base" -mtime -7 2>/dev/null)" ]; then
    sources=() copies=$(mktemp -d)
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        if [ ! -s "$file" ]; then continue; fi
        sed "s/\b$own\b/$suite/g" "$file" >"$copies/${file##*/}" # another suite comes from the same places
        sources+=("$copies/${file##*/}")
    done
    mmdebstrap --quiet --mode=root --format=tar --variant=apt --include=git,make "$suite" "$base.new" "${sources[@]}" ||
        no_root "mmdebstrap cannot make a root of $suite"
    rm -r "$copies"
    mv "$base.new" "$base"
fi

if [ -n "$keep" ]; then
    wanted=$(sha256sum "$checkout/tools/packages.txt" | cut -c 1-16)
    root=$cache/root-$keep-$suite-$wanted
    find "$cache" -maxdepth 1 -name "root-$keep-$suite-*" ! -path "$root" -exec rm -rf --one-file-system {} +
else
    root=$(mktemp -d "$cache/root.XXXXXX")
    trap 'rm -rf --one-file-system "$root"' EXIT
fi
if [ ! -e "$root/etc/limber-fresh" ]; then # else complete
    rm -rf --one-file-system "$root"
    mkdir -p "$root"
    tar -x -C "$root" -f "$base"
    # how this machine reaches the network
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
        if [ -f "$file" ] && grep -q Acquire "$file"; then cp "$file" "$root/etc/apt/apt.conf.d/"; fi
    done
    if [ -d /etc/apt/auth.conf.d ]; then cp -r /etc/apt/auth.conf.d "$root/etc/apt/"; fi
    echo 'guest:x:1000:1000::/home/guest:/bin/bash' >>"$root/etc/passwd"
    echo 'guest:x:1000:' >>"$root/etc/group"
    echo 'guest:*:19000:0:99999:7:::' >>"$root/etc/shadow"
    mkdir -p "$root/home/guest" && chown 1000:1000 "$root/home/guest"
    touch "$root/etc/limber-fresh"
fi
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY npm_config_registry CI; do
    if [ -n "${!name:-}" ]; then environment+=("$name=${!name}"); fi
done
if [ -f "${NODE_EXTRA_CA_CERTS:-}" ]; then
    cp -L "$NODE_EXTRA_CA_CERTS" "$root/etc/machine-ca.crt"
    environment+=(NODE_EXTRA_CA_CERTS=/etc/machine-ca.crt)
fi

own_home=/root
if [ $user = guest ]; then own_home=/home/guest; fi
if [ $home = yes ]; then environment+=(HOME=$own_home); fi
place=${place:-$own_home/limber}
rm -rf --one-file-system "${root:?}$place"
mkdir -p "$(dirname "$root$place")"
git -c safe.directory='*' clone --quiet --no-hardlinks "$checkout" "$root$place"
git -C "$root$place" remote remove origin
chroot "$root" chown -R $user: "$place"

# ---- the run -------------------------------------------------------------------------------------

# all mounts live in a namespace of their own and are gone with it
inside=$(cat <<'INSIDE'
set -euo pipefail
root=$1 shm=$2 archives=$3 bind=$4 user=$5 place=$6 command=$7
shift 7
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for node in null zero full random urandom tty; do
    touch "$root/dev/$node"; mount --bind "/dev/$node" "$root/dev/$node"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"; ln -s /proc/self/fd/1 "$root/dev/stdout"; ln -s /proc/self/fd/2 "$root/dev/stderr"
mkdir "$root/dev/pts"; mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"; ln -s pts/ptmx "$root/dev/ptmx"
if [ $shm = yes ]; then mkdir "$root/dev/shm"; mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"; fi
mount -t proc proc "$root/proc"
mount --bind "$archives" "$root/var/cache/apt/archives"
if [ -n "$bind" ]; then
    mkdir -p "$root/${bind#*=}"
    mount --bind "${bind%%=*}" "$root/${bind#*=}"
    mount -o remount,bind,ro "$root/${bind#*=}"
fi
ip link set lo up 2>/dev/null || true
in_root() { env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb "$@"; }
chroot "$root" dpkg-query -W -f '${Package}\n' | sort >"$root/tmp/packages.before"
status=0
in_root "$@" USER="$user" chroot --userspec="$user" "$root" /bin/bash -c "cd '$place' && $command" </dev/null || status=$?
chroot "$root" dpkg-query -W -f '${Package}\n' | sort >"$root/tmp/packages.after"
exit $status
INSIDE
)
if [ $sudo = yes ]; then with="$with sudo"; fi
if [ -n "${with// /}" ]; then # with the network, before the run
    echo "installing $with" >"$log"
    env -i PATH="$PATH" DEBIAN_FRONTEND=noninteractive unshare --mount --pid --fork bash -c 'mount --make-rprivate / && mount -t proc proc "$1/proc" &&
        mount --bind /dev "$1/dev" && mount --bind "$2" "$1/var/cache/apt/archives" && chroot "$1" sh -c "apt-get -qq update && apt-get -qq -y --no-install-recommends install $3"' \
        with "$root" "$archives" "$with" >>"$log" 2>&1
fi
if [ $sudo = yes ]; then echo 'guest ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/guest" && chmod 440 "$root/etc/sudoers.d/guest"; fi
spaces=(--mount --pid --fork --kill-child)
if [ $net = no ]; then spaces+=(--net); fi
start=$SECONDS status=0
run_inside() {
    unshare "${spaces[@]}" bash -c "$inside" inside \
        "$root" $shm "$archives" "$bind" $user "$place" "$command" "${environment[@]}" 2>&1
}
if [ $follow = yes ]; then
    run_inside | tee "$log" || status=${PIPESTATUS[0]}
else
    run_inside >"$log" || status=$?
    tail -n "$lines" "$log"
fi
echo "----"
echo "packages   $(comm -13 "$root/tmp/packages.before" "$root/tmp/packages.after" | wc -l) came in"
echo "log        $log"
echo "time       $((SECONDS - start)) s"
echo "exit code  $status   ($command; as $user, $suite)"
exit $status
