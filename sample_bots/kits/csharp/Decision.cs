using System;
using System.Collections.Generic;
using System.Linq;

/// <summary>What a decision needs. A card is its rank, then its suit: "7D"; a covered two is "2".</summary>
public sealed class Position
{
    public List<string> Hand = new List<string>();
    public List<string> Legal = new List<string>();
    public List<string> Trick = new List<string>();

    /// <summary>Empty while there is none.</summary>
    public string Trump = "";

    /// <summary>Highest first.</summary>
    public string Ranks = "";
}

/// <summary>The decision. Change this file.</summary>
public static class Decision
{
    /// <summary>So many points must lie on the table before a trump is spent on them.</summary>
    private const int WorthATrump = 4;

    private static readonly int[] Worth = { 11, 10, 4, 3, 2 };

    /// <summary>The decision: one of the legal actions.</summary>
    public static string Choose(Position at)
    {
        var cards = at.Legal.Where(at.Hand.Contains).OrderBy(card => Cost(card, at)).ToList();
        if (cards.Count == 0)
            return at.Legal[0]; // an auction, a call: always allowed, and passes where it may
        if (at.Trick.Count > 0)
        {
            var best = at.Trick.Aggregate((a, b) => Beats(b, a, at) ? b : a);
            var takers = cards.Where(card => Beats(card, best, at)).ToList();
            var plain = takers.LastOrDefault(card => !IsTrump(card, at));
            if (plain != null)
                return plain;
            if (takers.Count > 0 && at.Trick.Sum(card => Points(card, at)) >= WorthATrump)
                return takers[0];
        }
        return cards[0];
    }

    /// <summary>Card points: the five ranks that have some are the highest, but for a low three.</summary>
    private static int Points(string card, Position at)
    {
        var scoring = at.Ranks.StartsWith("AK", StringComparison.Ordinal) ? "A3KQJ" : at.Ranks;
        var place = scoring.IndexOf(card[0]);
        return place >= 0 && place < Worth.Length ? Worth[place] : 0;
    }

    /// <summary>How many ranks are below it.</summary>
    private static int Height(string card, Position at)
    {
        return at.Ranks.Length - at.Ranks.IndexOf(card[0]);
    }

    private static bool IsTrump(string card, Position at)
    {
        return at.Trump != "" && card.Substring(1) == at.Trump;
    }

    /// <summary>Whether a later card takes the trick; a covered two has no suit yet.</summary>
    private static bool Beats(string card, string best, Position at)
    {
        if (card.Substring(1) != best.Substring(1))
            return IsTrump(card, at);
        return Height(card, at) > Height(best, at);
    }

    /// <summary>What a card is worth in the hand: trumps take later tricks. Then the height counts.</summary>
    private static int Cost(string card, Position at)
    {
        return 100 * (Points(card, at) + (IsTrump(card, at) ? 5 : 0)) + Height(card, at);
    }
}
