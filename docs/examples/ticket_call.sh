#!/bin/sh
# Calls a ticket to a counter and waits until it has been said, with mosquitto's command line clients.
#
#   ./ticket_call.sh A015 3
#
# Exit status: 0 said, 1 not said, 2 usage, 75 no answer. Change the next two lines to yours; a user and a
# password go into the second one (-u kiosk -P secret), certificates as well.
device=lobby
broker="-V mqttv5 -h localhost -p 1883"
ttl_s=30       # called later than this is worse than not called
patience_s=120 # ttl_s and the time it takes to say it, with what is being said before it

[ $# -eq 2 ] || { echo "usage: $0 TICKET COUNTER" >&2; exit 2; }
id=$1-$(date +%s)-$$
request="{\"id\": \"$id\", \"template\": \"ticket_call\", \"vars\": {\"ticket\": \"$1\", \"counter\": \"$2\"}, \"ttl_ms\": ${ttl_s}000}"
worth_until_s=$(($(date +%s) + ttl_s))

insist() {
    until "$@"; do
        [ "$(date +%s)" -lt "$worth_until_s" ] || { echo "the broker does not answer" >&2; exit 75; }
        sleep 1
    done
}

# -c, -x: a session, so that the broker keeps the result when the connection breaks. -E: leave when subscribed.
session="$broker -i $id -c -x 600 -q 1 -t edged/$device/result/$id"
insist mosquitto_sub $session -E
# the same id again is not said again, so there is no harm in publishing it once too often
insist mosquitto_pub $broker -q 1 -t "edged/$device/speak" -D publish message-expiry-interval $ttl_s -m "$request"

status=
while [ -z "$status" ]; do # an answer without a status tells how far it is
    answer=$(mosquitto_sub $session -C 1 -W $patience_s) || { echo "no answer from $device" >&2; exit 75; }
    status=$(printf '%s\n' "$answer" | sed -n 's/.*"status": *"\([a-z]*\)".*/\1/p')
done

case $status in
    finished) ;;
    *) echo "not said: $status: $answer" >&2; exit 1 ;;
esac
