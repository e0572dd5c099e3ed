#!/bin/sh
# passthrough.sh: io_uring_cmd and polled io_uring on a real NVMe driver. What is on the namespace gets lost.
# usage: passthrough.sh CHRONIO /dev/ngXnY        the namespace is blank; the driver has poll queues; run as root
# Prints one line for each claim; exit status 1 when one does not hold.
CHRONIO=$1
NG=$2
BLOCK=/dev/nvme${NG#/dev/ng}
OUT=$(mktemp -d)
failed=0

# claim TEXT STATUS PATTERN ARGUMENT...: the run ends with STATUS and prints or writes PATTERN.
claim() {
    text=$1 status=$2 pattern=$3
    shift 3
    "$CHRONIO" --eta=never --output-format=normal,json --name=t "$@" > "$OUT/out" 2>&1
    code=$?
    if [ "$code" = "$status" ] && grep -q "$pattern" "$OUT/out"; then
        echo "ok    $text"
    else
        echo "FAIL  $text: exit $code; looked for: $pattern"
        sed 's/^/      /' "$OUT/out" | head -n 40
        failed=1
    fi
}

cmd="--ioengine=io_uring_cmd --cmd_type=nvme --filename=$NG --size=4m --bs=4k --iodepth=8"
all='"total_ios" *: *1024,'

claim "reads" 0 "$all" $cmd --rw=randread
claim "writes" 0 "$all" $cmd --rw=write
claim "mixes both, with a flush after every 16 writes" 0 '"error" *: *0,' $cmd --rw=randrw --fsync=16
claim "trims" 0 "$all" $cmd --rw=randtrim
claim "has fixed buffers and registered files" 0 '"fixed_buffers" *: *1,' $cmd --rw=randread --fixedbufs --registerfiles
claim "passes vectors" 0 "$all" $cmd --rw=randread --nonvectored=0
claim "submits by a kernel thread" 0 '"sq_poll" *: *1,' $cmd --rw=randread --sqthread_poll
claim "forces unit access" 0 "$all" $cmd --rw=write --writefua
claim "polls: every completion" 0 '"polled" *: *1024,' $cmd --rw=randread --hipri
claim "polls with fixed buffers" 0 '"polled" *: *1024,' $cmd --rw=write --hipri --fixedbufs
claim "takes the size from identify" 0 '"error" *: *0,' --ioengine=io_uring_cmd --filename="$NG" --rw=read --bs=64k --io_size=1m
claim "refuses a block that is no multiple of the format's" 1 "logical block size of $NG" --ioengine=io_uring_cmd \
    --filename="$NG" --rw=read --bs=4000 --size=1m
claim "refuses what lies past the end" 1 "past the end of $NG" --ioengine=io_uring_cmd --filename="$NG" --rw=read --bs=4k \
    --offset=1t --size=1m
claim "names the generic node for a block device" 1 "$NG is the same namespace" --ioengine=io_uring_cmd \
    --filename="$BLOCK" --rw=read --size=4k
block="--ioengine=io_uring --filename=$BLOCK --size=4m --bs=4k --iodepth=8 --direct=1"
claim "io_uring polls the block device: every completion" 0 '"polled" *: *1024,' $block --rw=randread --hipri
claim "io_uring polls with fixed buffers and files" 0 '"polled" *: *1024,' $block --rw=write --hipri --fixedbufs --registerfiles
claim "io_uring polls from the kernel's thread" 0 '"polled" *: *1024,' $block --rw=randread --hipri --sqthread_poll
claim "pvsync2 polls" 0 "$all" --ioengine=pvsync2 --filename="$BLOCK" --size=4m --bs=4k --direct=1 --rw=randread --hipri
claim "io_uring trims the block device" 0 "$all" $block --rw=randtrim
claim "libaio reads the block device" 0 "$all" --ioengine=libaio --filename="$BLOCK" --size=4m --bs=4k --iodepth=8 --direct=1 \
    --rw=randread
rm -r "$OUT"
exit $failed
