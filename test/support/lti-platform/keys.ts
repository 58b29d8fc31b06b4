import { randomBytes } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export type Claims = Record<string, unknown>;

export interface SignOptions {
  readonly header?: Record<string, unknown>;
  /** Signed with this key instead of the platform's. */
  readonly key?: CryptoKey | Uint8Array;
}

interface Key {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

const newKey = async (): Promise<Key> => {
  const kid = `lms-${randomBytes(4).toString('hex')}`;
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } };
};

/** The signing keys of the platform. */
export class PlatformKeys {
  private constructor(private newest: Key) {}

  static async make(): Promise<PlatformKeys> {
    return new PlatformKeys(await newKey());
  }

  get published(): { keys: JWK[] } {
    return { keys: [this.newest.jwk] };
  }

  /** Signs with a new key from now on; the old one is no longer published. */
  async rotate(): Promise<void> {
    this.newest = await newKey();
  }

  /** Claims that are undefined are left out. */
  sign(claims: Claims, { header = {}, key }: SignOptions = {}): Promise<string> {
    return new SignJWT(Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined)))
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: this.newest.kid, ...header })
      .sign(key ?? this.newest.privateKey);
  }
}
