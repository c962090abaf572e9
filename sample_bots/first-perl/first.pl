# A bot that plays the first legal action. Perl 5, core modules only, nothing to build.
#
# Run: perl first.pl

use strict;
use warnings;
use JSON::PP qw(decode_json);

# The flush trap: to a pipe, print keeps lines in a buffer, and the referee waits for them in vain.
# This makes every print send what it has.
$| = 1;

# The decision: one of the legal actions. $view is all that this seat knows.
sub choose {
    my ($legal, $view) = @_;
    return $legal->[0];
}

while (my $line = <STDIN>) {
    my $message = decode_json($line);
    my $type = $message->{type};
    if ($type eq 'hello') {
        print qq({"type":"ready","protocol":1,"name":"first-perl","version":"1"}\n);
    }
    elsif ($type eq 'act') {
        # Neither an id nor an action ever holds a quote or a backslash.
        my $action = choose($message->{legal}, $message->{view});
        print qq({"id":"$message->{id}","action":"$action"}\n);
    }
    elsif ($type eq 'end') {
        last;
    }
}
