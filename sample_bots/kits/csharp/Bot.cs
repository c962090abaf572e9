// A bot to start from: Decision.cs decides, Message.cs reads, this talks. C# 7, no packages.

using System;
using System.IO;

public static class Bot
{
    private const string Ready =
        "{\"type\":\"ready\",\"protocol\":1,\"name\":\"my-bot\",\"version\":\"1\"}";

    public static int Main(string[] args)
    {
        if (args.Length > 0)
            return DecisionTest.Run();
        Talk();
        return 0;
    }

    private static void Talk()
    {
        // The flush trap: an answer that stays in a buffer never reaches the referee. AutoFlush
        // sends every line; NewLine has to be one character wherever this runs.
        var output = new StreamWriter(Console.OpenStandardOutput()) { AutoFlush = true, NewLine = "\n" };
        var input = new StreamReader(Console.OpenStandardInput());
        var ranks = "";
        string line;
        while ((line = input.ReadLine()) != null)
        {
            var message = Message.Read(line);
            switch (message.Type)
            {
                case "hello":
                    output.WriteLine(Ready);
                    break;
                case "deal":
                    ranks = Message.RanksOf(message.Profile);
                    break;
                case "act":
                    message.Position.Ranks = ranks;
                    var action = Decision.Choose(message.Position);
                    output.WriteLine("{\"id\":\"" + message.Id + "\",\"action\":\"" + action + "\"}");
                    break;
                case "end":
                    return;
            }
        }
    }
}
