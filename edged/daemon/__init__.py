"""The main process: composes the pure core with MQTT, the journal and the two children."""
