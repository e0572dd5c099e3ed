#!/usr/bin/env bash
# setup.sh: unpacks one guest: a kernel, an initrd, and a tree that is both its root and the sysroot to build against.
# usage: setup.sh arm64|amd64    prints the guest's folder, which holds root/, vmlinuz, initrd and cross.ini
# apt works on a private state with the host's sources: nothing is installed, no architecture is added. Folders are
# kept in ${XDG_CACHE_HOME:-~/.cache}/chronio-guest, one for each kernel and each list of packages.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
arch=$1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/chronio-guest
# dash: as sh, busybox would run its own mkswap and the like instead of the real ones.
packages=(libc-bin dash busybox-static python3 python3-six fio dmsetup e2fsprogs nvme-cli util-linux catch2 libc6-dev
  libstdc++-12-dev liburing-dev libboost-program-options-dev libfmt-dev nlohmann-json3-dev libblkid-dev libpfm4-dev)
kernel=linux-image-6.12-$arch # the meta-package of the newest 6.12
case $arch in
  arm64) triplet=aarch64-linux-gnu family=aarch64 ;;
  amd64) triplet=x86_64-linux-gnu family=x86_64 ;;
  *) printf 'setup.sh: no guest of architecture %s, only arm64 and amd64\n' "$arch" >&2 && exit 2 ;;
esac

apt=$cache/apt-$arch
mkdir -p "$apt/lists/partial"
: >"$apt/status"
exec 9>"$apt/lock" && flock 9
options=(-qq -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o "Dir::State::lists=$apt/lists"
  -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt" -o Dir::Cache::archives=archives/
  -o APT::Sandbox::User= -o Debug::NoLocking=1)

# The packages of one kernel that match $2; an image's other dependencies build an initrd of their own.
depends() {
  apt-cache "${options[@]}" depends --important "$1" | awk -v p="^linux-($2)-[0-9]" '/Depends:/ && $2 ~ p { print $2 }'
}

unpack() {
  local folder=$1 tree=$1/root kernel_parts deb
  rm -rf "$apt/archives" && mkdir -p "$apt/archives/partial" "$tree"
  apt-get "${options[@]}" install -d -y --no-install-recommends "${packages[@]}"
  mapfile -t kernel_parts < <(depends "$image" 'base|binary|modules')
  (cd "$apt/archives" && apt-get "${options[@]}" download "$image" "${kernel_parts[@]}")
  for deb in "$apt"/archives/*.deb; do dpkg-deb -x "$deb" "$tree"; done
  rm -rf "$apt/archives"
  [[ ! -e $tree/usr/lib/modules ]] || mv "$tree/usr/lib/modules" "$tree/lib/"
  cp "$tree"/boot/vmlinuz-* "$folder/vmlinuz"
  mkdir -p "$tree"/{proc,sys,dev,tmp,share,source,build,mnt}
  ln -s ../../bin/busybox "$tree/usr/bin/env"
  depmod -b "$tree" "$(ls "$tree/lib/modules")"
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

# A day's lists are new enough; without a network, so are those of any day.
if [[ -z $(find "$apt/updated" -mtime -1 2>/dev/null) ]]; then
  apt-get "${options[@]}" update >&2 && touch "$apt/updated"
fi
image=$(depends "$kernel" image)
[[ -n $image ]] || { printf 'setup.sh: %s is not in the sources of apt\n' "$kernel" >&2 && exit 1; }
guest=$cache/$image-$(cksum <<<"${packages[*]}" | cut -d' ' -f1)
if [[ ! -e $guest/vmlinuz ]]; then
  rm -rf "$guest" "$guest.part"
  unpack "$guest.part" >&2
  mv "$guest.part" "$guest"
fi
ln -sfn "$guest" "$cache/$arch"
write_cross_file "$cache/$arch"
"$here/initrd.sh" "$cache/$arch"
printf '%s\n' "$cache/$arch"
