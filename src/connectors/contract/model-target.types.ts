/** The vendor's address and key: the organization's provider settings, resolved for one call. */
export interface ModelTarget {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** True for base URLs from the environment: the operator's, dialled without the private-address refusal. */
  readonly trusted: boolean;
  /** Not the vendor's public address: a server of the operator or the organization may continue the trace. */
  readonly continuesTraces?: boolean;
}
