using System;
using System.Collections.Generic;

/// <summary>What this bot needs of a message.</summary>
public sealed class Message
{
    public string Type = "";
    public string Id = "";
    public string Profile = "";

    /// <summary>All but its ranks.</summary>
    public readonly Position Position = new Position();

    /// <summary>Reads a line; unknown fields are skipped, whatever they hold.</summary>
    public static Message Read(string line)
    {
        var message = new Message();
        var scanner = new Scanner(line);
        scanner.Object(key =>
        {
            switch (key)
            {
                case "type": message.Type = scanner.String(); break;
                case "id": message.Id = scanner.String(); break;
                case "legal": message.Position.Legal = scanner.Strings(); break;
                case "view": message.ReadView(scanner); break;
                case "options": message.ReadOptions(scanner); break;
                default: scanner.Skip(); break;
            }
        });
        return message;
    }

    /// <summary>The ranks of a rank_profile (SPEC 11.1), highest first.</summary>
    public static string RanksOf(string profile)
    {
        switch (profile)
        {
            case "gen7": case "pt7_qj": case "it7": return "A7KQJ65432";
            case "pt7": return "A7KJQ65432";
            case "pt10": return "ATKJQ65432";
            case "it3_low3": return "AKQJ765432";
            case "es48": return "A3KQJ9876542";
            default: return "A3KQJ76542"; // it3
        }
    }

    private void ReadView(Scanner scanner)
    {
        scanner.Object(key =>
        {
            switch (key)
            {
                case "hand": Position.Hand = scanner.Strings(); break;
                case "trick": Position.Trick = scanner.Strings(); break;
                case "trump": Position.Trump = scanner.String(); break; // null is no string: ""
                default: scanner.Skip(); break;
            }
        });
    }

    private void ReadOptions(Scanner scanner)
    {
        scanner.Object(key =>
        {
            if (key == "rank_profile") Profile = scanner.String();
            else scanner.Skip();
        });
    }

    /// <summary>Walks along a line of JSON. The referee writes no spaces between tokens.</summary>
    private sealed class Scanner
    {
        private readonly string line;
        private int at;

        public Scanner(string line)
        {
            this.line = line;
        }

        /// <summary>Calls <c>field</c> with each key of the object here; it reads or skips the value.</summary>
        public void Object(Action<string> field)
        {
            if (Peek() != '{')
            {
                Skip();
                return;
            }
            while (Accept('{') || Accept(','))
            {
                if (Peek() != '"') break;
                var key = String();
                if (!Accept(':')) return;
                field(key);
            }
            Accept('}');
        }

        /// <summary>The string here; empty where there is something else, which is skipped.</summary>
        public string String()
        {
            if (!Accept('"'))
            {
                Skip();
                return "";
            }
            var start = at;
            while (at < line.Length && Peek() != '"') at += Peek() == '\\' ? 2 : 1;
            var text = line.Substring(start, Math.Min(at, line.Length) - start);
            Accept('"');
            return text;
        }

        public List<string> Strings()
        {
            var found = new List<string>();
            if (!Accept('['))
            {
                Skip();
                return found;
            }
            while (Peek() == '"')
            {
                found.Add(String());
                Accept(',');
            }
            Accept(']');
            return found;
        }

        /// <summary>Moves past the value that starts here, however deep it is nested.</summary>
        public void Skip()
        {
            var depth = 0;
            while (at < line.Length && (depth > 0 || (Peek() != ',' && Peek() != '}')))
            {
                var c = Peek();
                if (c == '"')
                {
                    String();
                    continue;
                }
                if (c == '{' || c == '[') depth++;
                if (c == '}' || c == ']') depth--;
                at++;
            }
        }

        private char Peek()
        {
            return at < line.Length ? line[at] : '\0';
        }

        private bool Accept(char wanted)
        {
            if (Peek() != wanted) return false;
            at++;
            return true;
        }
    }
}
