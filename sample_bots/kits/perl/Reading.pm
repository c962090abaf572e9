package Reading;

# Reads of a message what a decision needs.

use strict;
use warnings;

# The ranks of each profile (SPEC 11.1), highest first.
my %RANKS = (
    it3      => 'A3KQJ76542',
    gen7     => 'A7KQJ65432',
    pt7      => 'A7KJQ65432',
    pt7_qj   => 'A7KQJ65432',
    pt10     => 'ATKJQ65432',
    it3_low3 => 'AKQJ765432',
    it7      => 'A7KQJ65432',
    es48     => 'A3KQJ9876542',
);

sub ranks_of {
    my ($options) = @_;
    return $RANKS{ $options->{rank_profile} // '' } // $RANKS{it3};
}

# trump is '' while there is none. A card is its rank, then its suit: "7D"; a covered two is "2".
sub position {
    my ($message) = @_;
    my $view = $message->{view};
    return (
        hand  => $view->{hand},
        legal => $message->{legal},
        trick => $view->{trick},
        trump => $view->{trump} // '',
    );
}

1;
