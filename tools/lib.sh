# lib.sh: what the tools share: Debian packages and the build folder. Sourced, not run.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath -m "${BUILD_DIR:-$root/build}")

build_packages=(meson ninja-build pkg-config g++ liburing-dev libboost-program-options-dev libfmt-dev
  nlohmann-json3-dev libblkid-dev)
test_packages=(catch2 valgrind fio e2fsprogs dmsetup util-linux python3 libpfm4-dev)
# QEMU, and what unpacks a guest and builds for arm64; installed on demand.
guest_packages=(qemu-system-arm qemu-system-x86 qemu-system-data ipxe-qemu cpio kmod xz-utils g++-aarch64-linux-gnu
  libc6-dev-arm64-cross libstdc++-12-dev-arm64-cross)

say() { printf '%s\n' "$*" >&2; }

# Prints those of the named packages that aren't installed.
missing_packages() {
  comm -23 <(printf '%s\n' "$@" | sort -u) \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' | sort -u)
}

# True on Debian 12 and later; testing and unstable have no version number.
is_supported_system() {
  [[ -r /etc/os-release ]] && command -v apt-get >/dev/null || return 1
  local id version
  # shellcheck source=/dev/null
  id=$(. /etc/os-release && printf '%s' "${ID:-}")
  # shellcheck source=/dev/null
  version=$(. /etc/os-release && printf '%s' "${VERSION_ID:-99}")
  [[ $id == debian && ${version%%.*} -ge 12 ]]
}

# Installs those of the named packages that are missing; ends the script where that can't be done.
install_packages() {
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} > 0)) || return 0
  [[ $EUID -eq 0 ]] || as_root=(sudo)
  if ! is_supported_system || ! command -v "${as_root[@]:-true}" >/dev/null; then
    say "These packages (Debian's names) are missing, and only root on Debian 12 or later can install them here:"
    say "  ${missing[*]}"
    say "With them in place: meson setup build && ninja -C build && meson test -C build"
    exit 1
  fi
  say "installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3)
  "${apt[@]}" update >&2
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2
}

# Configures build folder $1 with the Meson options that follow; options of an existing one are changed.
configure() {
  local folder=$1
  shift
  if [[ -f $folder/build.ninja ]]; then
    meson configure "$folder" "$@"
  else
    meson setup --wrap-mode=nofallback "$folder" "$root" "$@"
  fi
}
