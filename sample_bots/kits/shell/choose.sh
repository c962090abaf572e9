# The decision. Change this file.

# So many points must lie on the table before a trump is spent on them.
worth_a_trump=4

# Puts the points of the card $1 into $points, and into $height how many of the ranks $ranks are
# below it. The five ranks that have points are the highest, but for a low three.
weigh() {
    rank=${1%"${1#?}"}
    below=${ranks#*"$rank"}
    height=${#below}
    case $ranks in AK*) scoring=A3KQJ ;; *) scoring=$ranks ;; esac
    above=${scoring%%"$rank"*}
    case ${#above} in
    0) points=11 ;;
    1) points=10 ;;
    2) points=4 ;;
    3) points=3 ;;
    4) points=2 ;;
    *) points=0 ;;
    esac
}

# Whether the card $1 takes the trick from $best; a covered two has no suit yet.
beats() {
    if [ "${1#?}" != "${best#?}" ]; then
        [ "$trump" ] && [ "${1#?}" = "$trump" ]
        return
    fi
    weigh "$best"
    best_height=$height
    weigh "$1"
    [ "$height" -gt "$best_height" ]
}

# Puts what the card $1 is worth in the hand into $cost: trumps take later tricks.
weigh_cost() {
    weigh "$1"
    [ "${1#?}" != "$trump" ] || points=$((points + 5))
    cost=$((100 * points + height))
}

# The decision: puts one of the legal actions into $action.
# $1 hand, $2 legal (one action a line), $3 trick, $4 trump, $5 ranks, highest first
choose() {
    hand=" $1 " trick=$3 trump=$4 ranks=$5
    best='' table=0
    IFS=' '
    for card in $trick; do
        weigh "$card"
        table=$((table + points))
        if [ ! "$best" ] || beats "$card"; then best=$card; fi
    done
    action='' lowest=100000 plain='' highest=-1 taker='' taker_cost=100000
    IFS='
'
    set -- $2
    for card in "$@"; do
        case $hand in *" $card "*) ;; *) continue ;; esac # an announcement
        weigh_cost "$card"
        if [ "$cost" -lt "$lowest" ]; then action=$card lowest=$cost; fi
        if [ "$best" ] && beats "$card"; then
            if [ "${card#?}" = "$trump" ]; then
                if [ "$cost" -lt "$taker_cost" ]; then taker=$card taker_cost=$cost; fi
            elif [ "$cost" -gt "$highest" ]; then
                plain=$card highest=$cost
            fi
        fi
    done
    if [ "$plain" ]; then
        action=$plain
    elif [ "$taker" ] && [ "$table" -ge "$worth_a_trump" ]; then
        action=$taker
    fi
    # No card in an auction or a call: the first is always allowed, and passes where it may.
    action=${action:-$1}
}
