/** Version of the format; a reader refuses any other. */
export const RECEIPT_FORMAT = 'bellwether-receipt/1';

/** The parts of a receipt. Each reader sees some of them. */
export const RECEIPT_PARTS = [
  'run',
  'asker',
  'question',
  'assistant',
  'settings',
  'model',
  'parameters',
  'prompt',
  'tools',
  'functions',
  'passages',
  'checks',
  'answer',
  'usage',
  'cost',
  'replay',
] as const;
export type ReceiptPartName = (typeof RECEIPT_PARTS)[number];

/** The salt keeps a reader from guessing the value behind the digest of a part that is not shown. */
export interface ReceiptPart {
  /** 128 random bits, base64url. */
  readonly salt: string;
  readonly value: unknown;
}

export interface Receipt {
  readonly format: string;
  readonly run_id: string;
  /** ISO 8601 UTC. */
  readonly issued_at: string;
  /** Address of the service; null when it does not know its own. */
  readonly issuer: string | null;
  /** By part: SHA-256 of the canonical JSON of `[salt, name, value]`, base64url. The signature covers them all. */
  readonly digests: Readonly<Record<string, string>>;
  /** The parts that this reader sees. */
  readonly parts: Readonly<Record<string, ReceiptPart>>;
}

export interface SignedReceipt {
  readonly receipt: Receipt;
  /** Ed25519 over the canonical JSON of the receipt without `parts`, base64url. */
  readonly signature: string;
  readonly key_id: string;
}

/** Public key (RFC 8037). */
export interface ReceiptKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

export const RECEIPT_FAULTS = ['malformed', 'unknown_key', 'signature', 'part_changed', 'part_unknown'] as const;
export type ReceiptFault = (typeof RECEIPT_FAULTS)[number];

export type ReceiptCheck =
  { readonly valid: true } | { readonly valid: false; readonly reason: ReceiptFault; readonly part?: string };
