// Calls a ticket to a counter and waits until it has been said: MQTT 3.1.1 over a TcpClient, in C# 5, without
// any package, so that it runs on old terminals too (.NET Framework 4.5, Mono). Where packages can be added use
// MQTTnet: it has TLS, MQTT 5 and connections that stay.
//
//   csc TicketCall.cs          (Mono: mcs TicketCall.cs)
//   TicketCall.exe A015 3      (Mono: mono TicketCall.exe A015 3)
//
// Exit status: 0 said, 1 not said, 75 no answer.
using System;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;

static class TicketCall
{
    const string Broker = "localhost";
    const int Port = 1883;
    const string Device = "lobby";
    const string User = null, Password = null;
    const int TtlMs = 30000; // called later than this is worse than not called
    const int PatienceMs = 120000; // TtlMs and the time to say it, with what is being said before it
    const int SilenceMs = 10000; // after so much silence the answer may have been lost: connect and ask again

    static int Main(string[] args)
    {
        string answer = Call(args[0], args[1]);
        if (answer == null)
        {
            Console.Error.WriteLine("no answer from " + Device);
            return 75;
        }
        if (Status(answer) != "finished")
        {
            Console.Error.WriteLine("not said: " + answer);
            return 1;
        }
        return 0;
    }

    /// <summary>The result as published (JSON), or null: nobody answered.</summary>
    static string Call(string ticket, string counter)
    {
        string id = Guid.NewGuid().ToString();
        string request = "{\"id\": \"" + id + "\", \"template\": \"ticket_call\", \"vars\": {\"ticket\": \"" + ticket
            + "\", \"counter\": \"" + counter + "\"}, \"ttl_ms\": " + TtlMs + "}";
        DateTime deadline = DateTime.UtcNow.AddMilliseconds(PatienceMs);
        while (DateTime.UtcNow < deadline)
        {
            try
            {
                // the same id again is not said again: the answer to it is what became of it
                using (var mqtt = new MqttConnection(Broker, Port, id, User, Password, SilenceMs))
                {
                    mqtt.Subscribe("edged/" + Device + "/result/" + id);
                    mqtt.Publish("edged/" + Device + "/speak", request);
                    while (true)
                    {
                        string answer = mqtt.Receive();
                        if (Status(answer) != null) return answer; // without one it tells how far it is
                    }
                }
            }
            catch (Exception error)
            {
                if (!(error is IOException || error is SocketException)) throw;
                Thread.Sleep(1000);
            }
        }
        return null;
    }

    static string Status(string answer)
    {
        Match match = Regex.Match(answer, "\"status\": *\"([a-z]+)\"");
        return match.Success ? match.Groups[1].Value : null;
    }
}

/// <summary>As much of MQTT 3.1.1 as that takes. IOException: the broker is silent, gone, or refuses.</summary>
sealed class MqttConnection : IDisposable
{
    const int Connect = 0x10, ConnAck = 0x20, PublishQos1 = 0x32, PubAck = 0x40, SubscribePacket = 0x82, SubAck = 0x90;
    const ushort PacketId = 1; // one subscription and one publish: no two are ever under way

    readonly TcpClient tcp;
    readonly Stream stream;

    public MqttConnection(string host, int port, string clientId, string user, string password, int silenceMs)
    {
        tcp = new TcpClient(host, port) { NoDelay = true, ReceiveTimeout = silenceMs, SendTimeout = silenceMs };
        stream = tcp.GetStream();
        int flags = 0x02 | (user == null ? 0 : 0x80) | (password == null ? 0 : 0x40); // 0x02: a clean session
        var body = new MemoryStream();
        Append(body, Text("MQTT"), new byte[] { 4, (byte)flags, 0, 60 }, Text(clientId)); // keep-alive 60 s
        if (user != null) Append(body, Text(user));
        if (password != null) Append(body, Text(password));
        Send(Connect, body.ToArray());
        if (Await(ConnAck)[1] != 0) throw new IOException("the broker refuses the connection");
    }

    public void Subscribe(string topic)
    {
        var body = new MemoryStream();
        Append(body, Number(PacketId), Text(topic), new byte[] { 1 });
        Send(SubscribePacket, body.ToArray());
        if (Await(SubAck)[2] > 1) throw new IOException("the broker refuses the subscription to " + topic);
    }

    /// <summary>Hands it to the broker; its acknowledgement comes before the answer, and need not be awaited.</summary>
    public void Publish(string topic, string payload)
    {
        var body = new MemoryStream();
        Append(body, Text(topic), Number(PacketId), Encoding.UTF8.GetBytes(payload));
        Send(PublishQos1, body.ToArray());
    }

    /// <summary>The payload of the next message.</summary>
    public string Receive()
    {
        byte[] body;
        int type = Read(out body);
        while (type >> 4 != 3) type = Read(out body);
        int at = 2 + (body[0] << 8 | body[1]); // behind the topic
        if ((type & 0x06) != 0)
        {
            Send(PubAck, new byte[] { body[at], body[at + 1] });
            at += 2;
        }
        return Encoding.UTF8.GetString(body, at, body.Length - at);
    }

    public void Dispose()
    {
        tcp.Close();
    }

    byte[] Await(int expected)
    {
        byte[] body;
        int type = Read(out body);
        if (type != expected) throw new IOException("unexpected packet " + type);
        return body;
    }

    int Read(out byte[] body)
    {
        int type = ReadByte();
        int length = 0, shift = 0, digit;
        do
        {
            digit = ReadByte();
            length |= (digit & 0x7F) << shift;
            shift += 7;
        } while (digit > 0x7F);
        body = new byte[length];
        for (int at = 0; at < length; at++) body[at] = (byte)ReadByte();
        return type;
    }

    int ReadByte()
    {
        int value = stream.ReadByte();
        if (value < 0) throw new IOException("the broker has closed the connection");
        return value;
    }

    void Send(int type, byte[] body)
    {
        var packet = new MemoryStream();
        packet.WriteByte((byte)type);
        int length = body.Length;
        for (; length > 0x7F; length >>= 7) packet.WriteByte((byte)(length & 0x7F | 0x80));
        packet.WriteByte((byte)length);
        packet.Write(body, 0, body.Length);
        packet.WriteTo(stream);
    }

    static void Append(Stream target, params byte[][] fields)
    {
        foreach (byte[] field in fields) target.Write(field, 0, field.Length);
    }

    static byte[] Number(int value)
    {
        return new[] { (byte)(value >> 8), (byte)value };
    }

    static byte[] Text(string value)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(value);
        var field = new MemoryStream();
        Append(field, Number(bytes.Length), bytes);
        return field.ToArray();
    }
}
