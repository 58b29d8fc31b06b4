export interface ScriptedVendor {
  readonly url: string;
  readonly seen: { readonly question: string; readonly aborted: boolean }[];
  stop(): Promise<void>;
}
/** Listens on loopback. */
export function startVendor(port?: number): Promise<ScriptedVendor>;
