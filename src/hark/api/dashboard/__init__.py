"""The part of the API that the dashboard needs beyond the rest: getting in, one WebSocket for everything, live terminals."""
