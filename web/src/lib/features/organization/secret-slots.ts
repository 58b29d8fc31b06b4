/** Names of a secret and of the address that it was entered for. */
export interface SecretSlot {
  /** Name under which it is sent. */
  readonly secret: string;
  /** Whether there is one comes out under this name. */
  readonly configured: string;
  readonly address: string;
}

const slot = (secret: string, address: string): SecretSlot => ({
  secret,
  configured: `${secret}_configured`,
  address,
});

/** Slots by the part of the settings, and how many names below it lead to the thing that has the slot. */
const SLOTS: Readonly<Record<string, readonly [below: number, slot: SecretSlot]>> = {
  providers: [1, slot('api_key', 'base_url')],
  mcp: [2, slot('token', 'url')],
  knowledge_base: [0, slot('api_token', 'server_url')],
  reranker: [0, slot('api_key', 'url')],
  moodle: [0, slot('token', 'api_url')],
  translator: [0, slot('api_key', 'url')],
};

/** The slot of the provider or server that this path leads to. */
export function slotAt([part = '', ...names]: readonly string[]): SecretSlot | null {
  const [below, found] = SLOTS[part] ?? [];
  return found !== undefined && below === names.length ? found : null;
}
