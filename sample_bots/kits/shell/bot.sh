# A bot to start from: choose.sh decides, reading.sh reads, this talks. POSIX shell without any other
# program.

LC_ALL=C
set -f # a * in a message is a star, not a list of files

. ./reading.sh
. ./choose.sh

ranks=''
while IFS= read -r line; do
    parse "$line"
    case $type in
    # The flush trap: the shell's own printf sends at once. Send answers through awk, sed or another
    # program instead, and they stay in its buffer while the referee waits in vain.
    hello)
        printf '%s\n' '{"type":"ready","protocol":1,"name":"my-bot","version":"1"}' ;;
    deal)
        ranks_of "$profile" ;;
    act)
        choose "$hand" "$legal" "$trick" "$trump" "$ranks"
        printf '{"id":"%s","action":"%s"}\n' "$id" "$action" ;;
    end)
        exit 0 ;;
    esac
done
exit 0
