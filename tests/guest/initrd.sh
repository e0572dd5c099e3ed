#!/usr/bin/env bash
# initrd.sh: packs KERNEL/initrd: busybox, kernel modules and init. Uncompressed: an emulated CPU unpacks slowly.
# usage: initrd.sh KERNEL BUSYBOX    KERNEL is a folder made by setup.sh; nothing is done when init is the same
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernel=$1 busybox=$2
# A module that an architecture lacks (scsi_debug and msr on arm64) is left out.
modules=(configfs nvme 9p 9pnet_virtio null_blk loop crc32c_generic ext4 dm-mod dm-delay dm-flakey sd_mod scsi_debug msr)

key=$(cat "$here/init" "$here/initrd.sh" | cksum)
[[ $(cat "$kernel/initrd.key" 2>/dev/null) != "$key" ]] || exit 0
version=$(ls "$kernel/lib/modules")
tree=$kernel/initrd.tree
rm -rf "$tree"
mkdir -p "$tree"/{bin,sbin,proc,sys,dev,new} "$tree/lib/modules/$version"
cp "$busybox" "$tree/bin/"
ln -s ../bin/busybox "$tree/sbin/modprobe" # the kernel calls it for what a module needs by an alias
install -m 755 "$here/init" "$tree/init"
for module in "${modules[@]}"; do
  modprobe -d "$kernel" -S "$version" --show-depends "$module" 2>/dev/null || true
done | awk '$1 == "insmod" { print $2 }' | sort -u | while read -r object; do
  packed=${object#"$kernel/"}
  mkdir -p "$tree/$(dirname "$packed")"
  xz -dc "$object" >"$tree/${packed%.xz}"
done
cp "$kernel/lib/modules/$version"/modules.{builtin,builtin.modinfo,order} "$tree/lib/modules/$version/"
depmod -b "$tree" "$version"
(cd "$tree" && find . | cpio -o -H newc --quiet) >"$kernel/initrd"
rm -rf "$tree"
printf '%s\n' "$key" >"$kernel/initrd.key"
