# A bot to start from: Decision.pm decides, Reading.pm reads, this talks. Perl 5, core modules only.

use strict;
use warnings;
use lib '.';    # a bot starts in its own folder
use JSON::PP qw(decode_json);
use Decision;
use Reading;

# The flush trap: to a pipe, print keeps lines in a buffer, and the referee waits for them in vain.
# This makes every print send what it has.
$| = 1;

my $ranks = '';
while (my $line = <STDIN>) {
    my $message = decode_json($line);
    my $type = $message->{type};
    if ($type eq 'hello') {
        print qq({"type":"ready","protocol":1,"name":"my-bot","version":"1"}\n);
    }
    elsif ($type eq 'deal') {
        $ranks = Reading::ranks_of($message->{options});
    }
    elsif ($type eq 'act') {
        # Neither an id nor an action ever holds a quote or a backslash.
        my $action = Decision::choose(Reading::position($message), ranks => $ranks);
        print qq({"id":"$message->{id}","action":"$action"}\n);
    }
    elsif ($type eq 'end') {
        last;
    }
}
