import { AppError } from '@bellwether/kernel';
import { createPrivateKey, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { OrganizationStatusService } from '../../organizations';
import { AcrossOrganizations } from '../../infrastructure/database';
import { SecretsService } from '../../infrastructure/secrets';
import type { ReceiptKey } from './check-receipt';
import type { ReceiptKeyEntity } from './receipt-key.entity';
import { ReceiptKeyRepository } from './receipt-key.repository';

/** Another replica signs with the new key after this time. */
const CACHE_MS = 60_000;
const KID_BYTES = 8;

const makePair = promisify(generateKeyPair);
const signBytes = promisify(sign) as (algorithm: null, data: Uint8Array, key: KeyObject) => Promise<Buffer>;

const fieldOf = (kid: string): string => `receipt_key.${kid}`;

const publicKeyOf = ({ kid, publicKey: x }: ReceiptKeyEntity): ReceiptKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  kid,
  alg: 'EdDSA',
  use: 'sig',
});

/** Ed25519 over the UTF-8 bytes of a text. */
export type Signer = (text: string) => Promise<{ readonly signature: string; readonly key_id: string }>;

interface Known {
  readonly keys: readonly ReceiptKeyEntity[];
  readonly at: number;
}

/** The Ed25519 keys with which this installation signs receipts. The newest signs; all verify. */
@Injectable()
export class ReceiptKeys {
  private known: Known | null = null;
  private loading: Promise<readonly ReceiptKeyEntity[]> | null = null;
  private signing: { readonly kid: string; readonly key: KeyObject } | null = null;

  constructor(
    private readonly repository: ReceiptKeyRepository,
    private readonly status: OrganizationStatusService,
    private readonly secrets: SecretsService,
  ) {}

  /** Newest first. */
  async published(): Promise<readonly ReceiptKey[]> {
    return (await this.current()).map(publicKeyOf);
  }

  /** Signs without any further I/O. @throws {AppError} `secret_unavailable` */
  async signer(): Promise<Signer> {
    const [newest] = await this.current();
    if (newest === undefined) throw new AppError('secret_unavailable', 'The key of receipts cannot be read');
    const key = await this.privateKey(newest);
    return async (text) => {
      const signature = await signBytes(null, Buffer.from(text, 'utf8'), key);
      return { signature: signature.toString('base64url'), key_id: newest.kid };
    };
  }

  /** Makes the key that signs from now on. Returns its id. */
  @AcrossOrganizations('secrets')
  async rotate(): Promise<string> {
    const kid = await this.make();
    this.known = null;
    return kid;
  }

  private current(): Promise<readonly ReceiptKeyEntity[]> {
    if (this.known !== null && Date.now() - this.known.at < CACHE_MS) return Promise.resolve(this.known.keys);
    // Runs that end at the same time share one query, so that they make only one first key.
    this.loading ??= this.load().finally(() => (this.loading = null));
    return this.loading;
  }

  @AcrossOrganizations('secrets')
  private async load(): Promise<readonly ReceiptKeyEntity[]> {
    let keys = await this.repository.all();
    if (keys.length === 0) {
      // Two replicas may each make a key. Both keys are published, so both sets of receipts verify.
      await this.make();
      keys = await this.repository.all();
    }
    this.known = { keys, at: Date.now() };
    return keys;
  }

  @AcrossOrganizations('secrets')
  private async privateKey({ kid, privateKey }: ReceiptKeyEntity): Promise<KeyObject> {
    if (this.signing?.kid === kid) return this.signing.key;
    const der = await this.secrets.open(await this.keeper(), fieldOf(kid), privateKey);
    const key = createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' });
    this.signing = { kid, key };
    return key;
  }

  private async make(): Promise<string> {
    const kid = randomBytes(KID_BYTES).toString('hex');
    const pair = await makePair('ed25519', undefined);
    const { x = '' } = pair.publicKey.export({ format: 'jwk' });
    const der = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
    const privateKey = await this.secrets.seal(await this.keeper(), fieldOf(kid), der);
    await this.repository.insert({ kid, publicKey: x, privateKey });
    return kid;
  }

  /** The system organization, whose data key seals the keys. */
  private async keeper(): Promise<string> {
    const id = await this.status.systemId();
    if (id === null) throw new AppError('unavailable', 'The service has not started for the first time yet');
    return id;
  }
}
