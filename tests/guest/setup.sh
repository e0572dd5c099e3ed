#!/usr/bin/env bash
# setup.sh: unpacks one guest: kernels, and a tree that is both its root and the sysroot to build against.
# usage: setup.sh arm64|amd64 [newest]    prints the guest's folder
# The folder holds root/, cross.ini, and for each kernel a folder with vmlinuz and initrd: lts/, and with `newest` also
# newest/. apt works on a private state with the host's sources: nothing is installed, no architecture is added. Folders
# are kept in ${XDG_CACHE_HOME:-~/.cache}/chronio-guest, one for each lts kernel and each list of packages.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
arch=$1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/chronio-guest
# dash: as sh, busybox would run its own mkswap and the like instead of the real ones.
packages=(libc-bin dash busybox-static python3 python3-six fio dmsetup e2fsprogs nvme-cli util-linux catch2 libc6-dev
  libstdc++-12-dev liburing-dev libboost-program-options-dev libfmt-dev nlohmann-json3-dev libblkid-dev libpfm4-dev)
declare -A meta=([lts]=linux-image-6.12-$arch [newest]=linux-image-$arch) # meta-packages of kernels
newest_suite=trixie-backports
case $arch in
  arm64) triplet=aarch64-linux-gnu family=aarch64 ;;
  amd64) triplet=x86_64-linux-gnu family=x86_64 ;;
  *) printf 'setup.sh: no guest of architecture %s, only arm64 and amd64\n' "$arch" >&2 && exit 2 ;;
esac

apt=$cache/apt-$arch
archives=$apt/archives
mkdir -p "$apt"
: >"$apt/status"
exec 9>"$apt/lock" && flock 9

# Runs a tool of apt on the lists of kernel $1: the host's sources, and for `newest` its mirror's newest_suite.
with_lists() {
  local which=$1 options
  options=(-qq -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o "Dir::State::status=$apt/status"
    -o "Dir::State::lists=$apt/$which-lists" -o "Dir::Cache=$apt" -o Dir::Cache::archives=archives/
    -o APT::Sandbox::User= -o Debug::NoLocking=1 -o Acquire::Retries=3)
  [[ $which == lts ]] || options+=(-o "Dir::Etc::sourcelist=$apt/newest.list" -o Dir::Etc::sourceparts=/dev/null)
  "$2" "${options[@]}" "${@:3}"
}

# A day's lists are new enough; without a network, so are those of any day.
update() {
  [[ -z $(find "$apt/$1-updated" -mtime -1 2>/dev/null) ]] || return 0
  mkdir -p "$apt/$1-lists/partial"
  if with_lists "$1" apt-get update >&2; then touch "$apt/$1-updated"; fi
}

# The packages of kernel $1 that package $2 depends on and that match $3; an image's other dependencies build an
# initrd of their own.
depends() {
  with_lists "$1" apt-cache depends --important "$2" |
    awk -v p="^linux-($3)-[0-9]" '/Depends:/ && $2 ~ p { print $2 }'
}

image_of() {
  local image
  image=$(depends "$1" "${meta[$1]}" image)
  [[ -n $image ]] || { printf 'setup.sh: %s is not in the sources of apt\n' "${meta[$1]}" >&2 && return 1; }
  printf '%s\n' "$image"
}

# Makes folder $1 by a command that fills the folder that it gets as its last argument.
make_folder() {
  [[ ! -e $1 ]] || return 0
  rm -rf "$1.part" "$archives"
  mkdir -p "$1.part" "$archives/partial"
  "${@:2}" "$1.part" >&2
  rm -rf "$archives"
  mv "$1.part" "$1"
}

unpack_archives() {
  local deb
  for deb in "$archives"/*.deb; do dpkg-deb -x "$deb" "$1"; done
}

unpack_root() {
  with_lists lts apt-get install -d -y --no-install-recommends "${packages[@]}"
  unpack_archives "$1"
  mkdir -p "$1"/{proc,sys,dev,tmp,share,source,build,mnt,lib/modules}
  ln -s ../../bin/busybox "$1/usr/bin/env"
}

unpack_kernel() {
  local which=$1 image=$2 folder=$3 parts
  mapfile -t parts < <(depends "$which" "$image" 'base|binary|modules')
  (cd "$archives" && with_lists "$which" apt-get download "$image" "${parts[@]}")
  unpack_archives "$folder"
  if [[ -e $folder/usr/lib/modules ]]; then
    mkdir -p "$folder/lib"
    mv "$folder/usr/lib/modules" "$folder/lib/"
  fi
  mv "$folder"/boot/vmlinuz-* "$folder/vmlinuz" 2>/dev/null || # 6.12, and newer ones:
    mv "$folder"/lib/modules/*/vmlinuz "$folder/vmlinuz"
  depmod -b "$folder" "$(ls "$folder/lib/modules")"
}

# Makes $guest/$1, which has the kernel's vmlinuz and initrd.
make_kernel() {
  local image
  image=$(image_of "$1")
  make_folder "$cache/$image" unpack_kernel "$1" "$image"
  ln -sfn "$cache/$image" "$guest/$1"
  "$here/initrd.sh" "$guest/$1" "$guest/root/bin/busybox"
}

write_cross_file() {
  local ccache=
  ! type -p ccache >/dev/null || ccache="'ccache', "
  cat >"$1/cross.ini" <<INI
[binaries]
c = '$triplet-gcc'
cpp = [$ccache'$triplet-g++']
ar = '$triplet-ar'
strip = '$triplet-strip'
pkgconfig = 'pkg-config'

[built-in options]
cpp_args = ['--sysroot=$1/root']
cpp_link_args = ['--sysroot=$1/root']

[properties]
sys_root = '$1/root'
pkg_config_libdir = ['$1/root/usr/lib/$triplet/pkgconfig', '$1/root/usr/share/pkgconfig']
boost_includedir = '$1/root/usr/include'
boost_librarydir = '$1/root/usr/lib/$triplet'

[host_machine]
system = 'linux'
cpu_family = '$family'
cpu = '$family'
endian = 'little'
INI
}

update lts
guest=$cache/$(image_of lts)-$(cksum <<<"${packages[*]}" | cut -d' ' -f1)
make_folder "$guest/root" unpack_root
ln -sfn "$guest" "$cache/$arch"
write_cross_file "$cache/$arch"
make_kernel lts
if [[ ${2:-} == newest ]]; then
  # shellcheck disable=SC2016
  mirror=$(with_lists lts apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian')
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
    "$(head -1 <<<"$mirror")" "$newest_suite" >"$apt/newest.list"
  update newest
  make_kernel newest
fi
printf '%s\n' "$cache/$arch"
