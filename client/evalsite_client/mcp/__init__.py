"""`evalsite mcp`: read-only tools for agents, by the Model Context Protocol over standard input and output.

The protocol is implemented here, without its package: a server with only tools answers five methods, and the package
would add a web server, a validator, and a second to every start.
"""
