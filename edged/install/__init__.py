"""Installing models: fetch, convert in a child process, manifest, activate."""
