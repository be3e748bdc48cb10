"""The structs of the API's requests and responses, by subject. /openapi.json is generated from them."""
