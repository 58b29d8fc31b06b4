import { type KeyObject, generateKeyPairSync, sign } from 'node:crypto';
import { AppError } from '@bellwether/kernel';
import type { Config } from '../../infrastructure/config';
import type { ReceiptKey, ReceiptKeys, Signer } from '../receipts';
import { RunReceipts } from '../run-receipts.service';

/** Keys in memory, the first one from the beginning. */
export class KeysInMemory {
  readonly published: ReceiptKey[] = [];
  private current: { readonly kid: string; readonly key: KeyObject } | null = null;

  constructor() {
    this.make();
  }

  /** Signs from now on. */
  make(): void {
    const kid = `k${this.published.length + 1}`;
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    this.published.push({ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' });
    this.current = { kid, key: privateKey };
  }

  /** No key can be read until the next one is made. */
  lose(): void {
    this.current = null;
  }

  signer(): Promise<Signer> {
    const { current } = this;
    if (current === null) return Promise.reject(new AppError('secret_unavailable', 'The key cannot be read'));
    return Promise.resolve((text) =>
      Promise.resolve({
        signature: sign(null, Buffer.from(text, 'utf8'), current.key).toString('base64url'),
        key_id: current.kid,
      }),
    );
  }
}

export const signedReceipts = (keys: KeysInMemory): RunReceipts =>
  new RunReceipts(keys as unknown as ReceiptKeys, { http: { publicUrl: null } } as unknown as Config);
