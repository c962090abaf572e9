# Reads of a message what a decision needs.

newline='
'

# Puts the number of times that one of the characters $1 stands in $2 into $found.
count() {
    IFS=$1
    set -- ${2}x
    found=$(($# - 1))
}

# Puts the fields that count of the line $1 into $type, $id, $legal (one action a line), $hand and
# $trick (blanks between the cards), $trump (nothing while there is none) and $profile. Fields count
# where they belong only; unknown ones are skipped, whatever they hold.
#
# The line is split at its quotes, so that text between strings and text within strings alternate.
parse() {
    type='' id='' legal='' hand='' trick='' trump='' profile=''
    outer='' inner='' depth=0 within=no
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
        take
        # The quote after an odd number of backslashes is part of the string: it goes on.
        while :; do
            case $text in *\\\\) text=${text%??} ;; *) break ;; esac
        done
        case $text in *\\) before='' ;; *) within=no ;; esac
    done
}

# Does with the string $text what its place asks for: $depth, the keys above it, the text before it.
take() {
    case "$depth $outer $inner $before" in
    '1 '*[{,]) outer=$text inner='' ;; # a key of the top level
    '1 type '*:) type=$text ;;
    '1 id '*:) id=$text ;;
    '2 legal '*) legal=$legal$text$newline ;;
    '2 view '*[{,] | '2 options '*[{,]) inner=$text ;; # a key of one of these
    '2 view trump :') trump=$text ;;
    '2 options rank_profile :') profile=$text ;;
    '3 view hand '*) hand="$hand$text " ;;
    '3 view trick '*) trick="$trick$text " ;;
    esac
}

# Puts the ranks of the profile $1 (SPEC 11.1), highest first, into $ranks.
ranks_of() {
    case $1 in
    gen7 | pt7_qj | it7) ranks=A7KQJ65432 ;;
    pt7) ranks=A7KJQ65432 ;;
    pt10) ranks=ATKJQ65432 ;;
    it3_low3) ranks=AKQJ765432 ;;
    es48) ranks=A3KQJ9876542 ;;
    *) ranks=A3KQJ76542 ;; # it3
    esac
}
