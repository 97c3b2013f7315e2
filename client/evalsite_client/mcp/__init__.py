"""`evalsite mcp`: tools that read, for agents, by the Model Context Protocol over standard input and output.

The protocol is written here and not taken from its package: a server of tools alone answers five methods, and the
package would bring a web server, a validator and a second to every start.
"""
