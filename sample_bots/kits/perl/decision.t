# What choose does in positions of SPEC.md. Run: perl decision.t

use strict;
use warnings;
use lib '.';
use Test::More tests => 4;
use Decision;

my ($gen7, $it3) = ('A7KQJ65432', 'A3KQJ76542');
my @five = qw(6S 3H KH 7D 6D 3C KC 7S);

sub chosen {
    my ($hand, $legal, $trick, $trump, $ranks) = @_;
    return Decision::choose(
        hand => $hand, legal => $legal, trick => $trick, trump => $trump, ranks => $ranks
    );
}

my @hand = qw(5C QS KD);
is(chosen(\@hand, \@hand, ['JD'], 'H', $gen7), 'KD', 'SPEC 3.4: the king takes the knave');

@hand = qw(AD 5C QS);
is(chosen(\@hand, \@hand, ['4H'], 'H', $gen7), '5C', 'SPEC 4.2: nothing takes a trump');

is(chosen(\@five, \@five, [qw(4H 2S KD JH)], 'S', $it3),
    '6S', 'SPEC 11.6: the lowest trump takes six points');

is(chosen(\@five, ['pass', 'bid 6', 'bid 5'], [], '', $it3),
    'pass', 'SPEC 11.6: an auction is not for this bot yet');
