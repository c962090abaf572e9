package Decision;

# The decision. Change this file.

use strict;
use warnings;
use List::Util qw(first reduce sum0);

# So many points must lie on the table before a trump is spent on them.
my $WORTH_A_TRUMP = 4;

my @WORTH = (11, 10, 4, 3, 2);

sub rank { return substr $_[0], 0, 1 }
sub suit { return substr $_[0], 1 }      # '' of a covered two, which has none yet

# Card points: the five ranks that have some are the highest, but for a low three.
sub points {
    my ($card, $ranks) = @_;
    my $scoring = $ranks =~ /^AK/ ? 'A3KQJ' : $ranks;
    my $place = index $scoring, rank($card);
    return $place < 0 ? 0 : $WORTH[$place] // 0;
}

# How many ranks are below it.
sub height {
    my ($card, $ranks) = @_;
    return length($ranks) - index $ranks, rank($card);
}

# Whether a later card takes the trick.
sub beats {
    my ($card, $best, $trump, $ranks) = @_;
    return $trump ne '' && suit($card) eq $trump if suit($card) ne suit($best);
    return height($card, $ranks) > height($best, $ranks);
}

# What a card is worth in the hand: trumps take later tricks. Then the height counts.
sub cost {
    my ($card, $trump, $ranks) = @_;
    my $later = suit($card) eq $trump ? 5 : 0;
    return 100 * (points($card, $ranks) + $later) + height($card, $ranks);
}

# The decision: one of legal; takes hand, legal, trick, trump and ranks by name.
sub choose {
    my %at = @_;
    my ($trump, $ranks) = @at{qw(trump ranks)};
    my %in_hand = map { $_ => 1 } @{ $at{hand} };
    my @cards = sort { cost($a, $trump, $ranks) <=> cost($b, $trump, $ranks) }
        grep { $in_hand{$_} } @{ $at{legal} };

    # An auction, a call: the first is always allowed, and passes where it may.
    return $at{legal}[0] unless @cards;
    if (my @trick = @{ $at{trick} }) {
        my $best = reduce { beats($b, $a, $trump, $ranks) ? $b : $a } @trick;
        my @takers = grep { beats($_, $best, $trump, $ranks) } @cards;
        my $plain = first { suit($_) ne $trump } reverse @takers;
        return $plain if defined $plain;
        my $table = sum0(map { points($_, $ranks) } @trick);
        return $takers[0] if @takers && $table >= $WORTH_A_TRUMP;
    }
    return $cards[0];
}

1;
