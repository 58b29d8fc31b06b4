import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ProviderDocument } from '../../../src/auth';
import { AppError, isJsonObject, type JsonObject } from '../../../src/kernel';
import { OutboundClient } from '../../../src/infrastructure/outbound';

const TIMEOUT_MS = 8_000;
const MAX_BYTES = 512 * 1_024;

/** A published key set (RFC 7517 §5). */
export interface KeySet {
  readonly keys: readonly JsonObject[];
}

/** Key sets of platforms, read again when a token names an unknown key. */
@Injectable()
export class PlatformKeys {
  private readonly documents = new LRUCache<string, ProviderDocument<KeySet>>({ max: 2_000 });

  constructor(private readonly outbound: OutboundClient) {}

  of(address: string): ProviderDocument<KeySet> {
    const known = this.documents.get(address) ?? new ProviderDocument(() => this.fetch(address));
    this.documents.set(address, known);
    return known;
  }

  /** Reads the set now. @throws {AppError} `outbound_refused`, `upstream_error`, `upstream_timeout`, `upstream_bad_response` */
  async fetch(url: string): Promise<KeySet> {
    const request = { url, headers: { accept: 'application/json' }, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const { status, text } = await this.outbound.request(request);
    if (status !== 200) throw new AppError('upstream_error', `The key set of the platform answered ${status}`);
    const set = parsed(text);
    if (set === null)
      throw new AppError('upstream_bad_response', 'The key set of the platform is not a JSON Web Key Set');
    return set;
  }
}

function parsed(text: string): KeySet | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || !Array.isArray(value['keys'])) return null;
    return { keys: value['keys'].filter(isJsonObject) };
  } catch {
    return null;
  }
}
