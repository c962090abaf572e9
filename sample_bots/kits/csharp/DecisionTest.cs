using System;
using System.Collections.Generic;

/// <summary>What the bot does in positions of SPEC.md; `mono bot.exe test` runs it.</summary>
public static class DecisionTest
{
    private const string Gen7 = "A7KQJ65432";
    private const string It3 = "A3KQJ76542";
    private static int wrong;

    public static int Run()
    {
        const string five = "6S 3H KH 7D 6D 3C KC 7S";
        Expect("SPEC 3.4: the king takes the knave", "KD",
            "5C QS KD", "5C,QS,KD", "JD", "H", Gen7);
        Expect("SPEC 4.2: nothing takes a trump, so the cheapest", "5C",
            "AD 5C QS", "AD,5C,QS", "4H", "H", Gen7);
        Expect("SPEC 11.6: the lowest trump takes six points", "6S",
            five, five.Replace(' ', ','), "4H 2S KD JH", "S", It3);
        Expect("SPEC 11.6: an auction is not for this bot yet", "pass",
            five, "pass,bid 6,bid 5", "", "", It3);
        Console.WriteLine(wrong == 0 ? "ok" : "FAILED");
        return wrong;
    }

    private static void Expect(
        string where, string expected, string hand, string legal, string trick, string trump, string ranks)
    {
        var got = Decision.Choose(new Position
        {
            Hand = new List<string>(hand.Split(' ')),
            Legal = new List<string>(legal.Split(',')),
            Trick = new List<string>(trick.Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries)),
            Trump = trump,
            Ranks = ranks,
        });
        if (got == expected) return;
        Console.WriteLine(where + ": " + expected + ", not " + got);
        wrong++;
    }
}
