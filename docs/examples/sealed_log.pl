#!/usr/bin/env perl
# Proves the decks of a sealed event by its log alone (results.md, 1), with Perl's own modules.
#
#     perl sealed_log.pl log.jsonl
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256_hex sha256 sha256_hex);
use JSON::PP;

open my $file, "<:raw", $ARGV[0] or die "$ARGV[0]: $!\n";
chomp(my @raw = <$file>);
my @lines = map { decode_json($_) } @raw;
my ($header, $told, $end) = @lines[0, 1, -1];
my ($plan, $before) = ($header->{plan}, "");
for my $at (0 .. $#raw) {
    $before = sha256_hex($before . substr($raw[$at], 0, -66));
    die "the chain is broken\n" if $lines[$at]{hash} ne $before;
}
my $from = index($raw[0], '"plan":') + 7;
my $text = substr($raw[0], $from, rindex($raw[0], ',"hash":"') - $from);
die "the plan is another\n" if sha256_hex($text) ne $header->{digest};
my $secret = sha256($end->{key});
die "another secret\n" if sha256_hex($secret) ne $plan->{commitment};
my @given = @{ $told->{contributions} };
for my $at (0 .. $#given) {
    next if $given[$at] eq "";
    die "another contribution\n" if sha256_hex("contribution:$given[$at]") ne $plan->{seal}{commitments}[$at];
}
my $message = join("\n", "seal", $header->{digest}, @given, $told->{beacon}, "");
my $key = hmac_sha256_hex($message, $secret);
my $event = sha256($key);
my %rounds = map { join(",", @{ $_->{round} }) => $_ } grep { exists $_->{round} } @lines;
for my $match (grep { exists $_->{match} } @lines) {
    my ($section, $number, undef, $part) = @{ $match->{match} };
    my $round = $rounds{"$section,$number"};
    my $begin = $part * $plan->{match_blocks};
    my $stop = $begin + $plan->{match_blocks};
    $stop = $round->{blocks} if $stop > $round->{blocks};
    my $keys = join "", map { hmac_sha256_hex($round->{first} + $_, $event) . "\n" } $begin .. $stop - 1;
    die "other decks\n" if sha256_hex($keys) ne $match->{decks};
}
print "$key\n";
