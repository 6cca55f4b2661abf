# With a window, what happened in it alone is counted: as many as tshark counts,
# which reads the file whole and shows the packets of the window
# (tshark -r FILE -Y "frame.time_relative >= A && frame.time_relative < B && tcp",
# counted by its fields).
data=${NETAN_TEST_DATA-}/pcap
if [ ! -d "$data" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
# Members of all connections, both ways, added up.
sum()
{
	awk -F'[: ,]+' '
	/^ *"connections": / { on = 1 }
	/^ *"connections_seen"/ { on = 0 }
	on && /"(packets|bytes|data_packets|total|fast|spurious|out_of_order|lost_before|duplicate_acks|zero_windows|window_full)":/ {
		gsub(/"/, "", $2)
		n[$2] += $3
	}
	END { print n["packets"], n["bytes"], n["data_packets"], n["total"], n["fast"], n["spurious"], n["out_of_order"], n["duplicate_acks"], n["zero_windows"], n["window_full"], n["lost_before"] }'
}
while read -r file from to tshark; do
	ours=$(netan tcp "$data/$file" --from "$from" --to "$to" --format json -q | sum)
	[ "$ours" = "$tshark" ] && echo "$file $from $to: as tshark" ||
		echo "$file $from $to: $ours, tshark: $tshark"
done <<'END'
tcp_ftp_download_loss_sack.pcap 0s 2s 283 233651 164 35 1 4 8 64 0 0 10
tcp_ftp_download_loss_sack.pcap 2s 5s 347 303680 208 27 3 2 7 61 0 0 9
tcp_ftp_download_loss_sack.pcap 5s 8s 384 315088 216 51 5 10 7 107 0 0 16
vlan_tcp_loss.pcap 1s 3s 46 37807 32 22 0 0 0 2 0 0 0
tcp_http_range_zero_window.pcap 1s 5s 332 292314 212 10 0 0 52 64 26 0 0
tcp_http_range_zero_window.pcap 5s 20s 6 8400 6 6 0 0 0 0 0 0 0
pcapng_2if_eth_sll_ns_dsb.pcapng 3s 10s 206 132521 105 0 0 0 0 0 0 0 0
memcached_origlen_plus16.pcap 4s 8s 182 26479 139 0 0 0 0 0 0 0 0
END
echo "windows side by side are the whole"
f=$data/tcp_ftp_download_loss_sack.pcap
netan tcp "$f" --format json -q | sum >whole
for w in "--to 2s" "--from 2s --to 5s" "--from 5s"; do
	netan tcp "$f" $w --format json -q | sum
done | awk '{ for (i = 1; i <= NF; i++) n[i] += $i } END { for (i = 1; i <= 11; i++) printf "%s%d", (i > 1 ? " " : ""), n[i]; print "" }' | cmp - whole && echo same
echo "the heading, and what is said, are of the window"
netan tcp "$f" --from 2s --to 5s | sed -n 1p
netan check "$f" --from 2s --to 5s | grep -E 'lost and (sent again|retransmitted)|^check|of [0-9.]+ m?s'
netan tcp "$data/tcp_http_range_zero_window.pcap" --to 1s | sed -n '1,3p'
