#!/usr/bin/env perl
# Proves the keys of a sealed ladder by its facts alone (results.md, 11), with Perl's own modules.
#
#     perl sealed_ladder.pl facts.jsonl
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256_hex sha256 sha256_hex);
use JSON::PP;

open my $file, "<:raw", $ARGV[0] or die "$ARGV[0]: $!\n";
my @lines = map { decode_json($_) } <$file>;
my (%sealed, %begun, @jobs, @told);
for my $line (@lines) {
    my $fact = $line->{fact};
    $sealed{ $fact->{epoch} } = $line if $fact->{type} eq "Sealed";
    $begun{ $fact->{epoch} } = $fact->{beacon} if $fact->{type} eq "Begun";
    push @jobs, $fact->{job} if $fact->{type} eq "Match";
    push @told, $fact if $fact->{type} eq "Revealed";
}
for my $fact (@told) {
    my $epoch = $fact->{epoch};
    my $secret = sha256($fact->{secret});
    die "another secret\n" if sha256_hex($secret) ne $sealed{$epoch}{fact}{commitment};
    my $message = "seal\n$sealed{$epoch}{hash}\n$begun{$epoch}\n";
    my $event = sha256(hmac_sha256_hex($message, $secret));
    my @drawn = grep { $_->{draw} && $_->{draw}{name}[0] == $epoch } @jobs;
    for my $job (@drawn) {
        die "another key\n" if $job->{key} ne hmac_sha256_hex($job->{draw}{name}[1], $event);
    }
    print "epoch $epoch: ", scalar @drawn, "\n";
}
