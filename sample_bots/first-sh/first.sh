# A bot that plays the first legal action. POSIX shell without any other program: nothing to build.
#
# Run: sh first.sh

LC_ALL=C
set -f # a * in a message is a star, not a list of files
newline='
'

# The decision: puts one of the legal actions, its arguments, into $action.
choose() {
    action=$1
}

# Puts the number of times that one of the characters $1 stands in $2 into $found.
count() {
    IFS=$1
    set -- ${2}x
    found=$(($# - 1))
}

# Puts the fields that count of the line $1 into $type, $id and $legal (one action a line). Only
# those of the top level count; unknown fields are skipped, whatever they hold.
#
# The line is split at its quotes, so that text between strings and text within strings alternate.
parse() {
    type='' id='' legal='' key='' depth=0 within=no
    IFS='"'
    for text in $1; do
        if [ "$within" = no ]; then
            case $text in *[]{}[]*)
                count '[{' "$text"
                depth=$((depth + found))
                count ']}' "$text"
                depth=$((depth - found))
            esac
            before=$text within=yes
            continue
        fi
        case "$depth $before" in
        '1 '*[{,]) # a key of the top level
            [ "$legal" ] && return # `type` and `id` come before it
            key=$text ;;
        '1 :') # a string of the top level
            case $key in
            type) type=$text; [ "$type" = act ] || return ;;
            id) id=$text ;;
            esac ;;
        '2 '*)
            [ "$key" = legal ] && legal=$legal$text$newline ;;
        esac
        # The quote after an odd number of backslashes is part of the string: it goes on.
        while :; do
            case $text in *\\\\) text=${text%??} ;; *) break ;; esac
        done
        case $text in *\\) before='' ;; *) within=no ;; esac
    done
}

while IFS= read -r line; do
    parse "$line"
    case $type in
    # The flush trap: the shell's own printf sends at once. Send answers through awk, sed or another
    # program instead, and they stay in its buffer while the referee waits in vain.
    hello)
        printf '%s\n' '{"type":"ready","protocol":1,"name":"first-sh","version":"1"}' ;;
    act)
        IFS=$newline
        choose $legal
        printf '{"id":"%s","action":"%s"}\n' "$id" "$action" ;;
    end)
        exit 0 ;;
    esac
done
exit 0
