import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.fusesource.mqtt.client.BlockingConnection;
import org.fusesource.mqtt.client.MQTT;
import org.fusesource.mqtt.client.Message;
import org.fusesource.mqtt.client.QoS;
import org.fusesource.mqtt.client.Topic;

/**
 * Calls a ticket to a counter and waits until it has been said, with the FuseSource MQTT client (MQTT 3.1.1).
 *
 * <p>apt install default-jdk-headless libmqtt-client-java
 * <p>java -cp '/usr/share/java/*' TicketCall.java A015 3
 *
 * <p>Exit status: 0 said, 1 not said, 75 no answer.
 */
public class TicketCall {
    static final String BROKER = "localhost";
    static final int PORT = 1883;
    static final String DEVICE = "lobby";
    static final int TTL_MS = 30_000; // called later than this is worse than not called
    static final int PATIENCE_MS = 120_000; // TTL_MS and the time to say it, with what is being said before it
    static final int ASK_AGAIN_MS = 10_000; // after so much silence the answer may have been lost
    static final Pattern STATUS = Pattern.compile("\"status\": *\"([a-z]+)\"");

    public static void main(String[] args) throws Exception {
        String answer = call(args[0], args[1]);
        if (answer == null) {
            System.err.println("no answer from " + DEVICE);
            System.exit(75);
        }
        if (!"finished".equals(status(answer))) {
            System.err.println("not said: " + answer);
            System.exit(1);
        }
        System.exit(0);
    }

    /** The result as published (JSON), or null: nobody answered. */
    static String call(String ticket, String counter) throws Exception {
        String id = UUID.randomUUID().toString();
        String request = String.format(
            "{\"id\": \"%s\", \"template\": \"ticket_call\", \"vars\": {\"ticket\": \"%s\", \"counter\": \"%s\"},"
            + " \"ttl_ms\": %d}", id, ticket, counter, TTL_MS);
        BlockingConnection connection = client(id).blockingConnection();
        try {
            connection.connect();
            connection.subscribe(new Topic[] {
                new Topic("edged/" + DEVICE + "/result/" + id, QoS.AT_LEAST_ONCE)});
            return ask(connection, request.getBytes(StandardCharsets.UTF_8));
        } finally {
            connection.kill();
        }
    }

    /** A client that connects again by itself and then subscribes again. */
    static MQTT client(String id) throws Exception {
        MQTT mqtt = new MQTT();
        mqtt.setHost(BROKER, PORT);
        // mqtt.setUserName("kiosk"); mqtt.setPassword("secret");
        mqtt.setVersion("3.1.1");
        mqtt.setClientId(id);
        mqtt.setReconnectDelay(1000);
        mqtt.setReconnectBackOffMultiplier(1);
        mqtt.setConnectAttemptsMax(TTL_MS / 1000);
        return mqtt;
    }

    /** The same id again is not said again: the answer to it is what became of it. */
    static String ask(BlockingConnection connection, byte[] request) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
        while (System.nanoTime() < deadline) {
            connection.publish("edged/" + DEVICE + "/speak", request, QoS.AT_LEAST_ONCE, false);
            Message message;
            while ((message = connection.receive(ASK_AGAIN_MS, TimeUnit.MILLISECONDS)) != null) {
                message.ack();
                String answer = new String(message.getPayload(), StandardCharsets.UTF_8);
                if (status(answer) != null) {
                    return answer;
                } // without a status it tells how far it is
            }
        }
        return null;
    }

    static String status(String answer) {
        Matcher matcher = STATUS.matcher(answer);
        return matcher.find() ? matcher.group(1) : null;
    }
}
