/** JSON-RPC's codes that this API answers with (specification, "Error object"). */
export const RPC = { invalidRequest: -32600, invalidParams: -32602, internal: -32603 } as const;

/** An error that the SDK sends as it is: its own `McpError` writes the code into the message, and clients do so again. */
export class RpcError extends Error {
  constructor(
    readonly code: (typeof RPC)[keyof typeof RPC],
    message: string,
    readonly data?: { readonly code: string },
  ) {
    super(message);
    this.name = 'RpcError';
  }
}
