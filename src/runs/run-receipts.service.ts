import { AppError } from '@bellwether/kernel';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../infrastructure/config';
import { isDatabaseUnavailable } from '../infrastructure/database';
import {
  type Receipt,
  ReceiptKeys,
  type ReceiptLog,
  type Seal,
  type SignedReceipt,
  type Signer,
  makeReceipt,
  sealText,
  signedText,
} from './receipts';
import type { KeptReceipt, Proof } from './run-line';

/** A receipt of an earlier release whose key could not be read when the run ended. */
export interface UnsignedReceipt {
  readonly receipt: Receipt;
  readonly signature: null;
  readonly key_id: null;
}

/** A seal, not signed when the key cannot be read. */
export type MadeSeal = Seal & { readonly signature: string | null; readonly key_id: string | null };

/** The line of a run and its place in the log. */
export interface ReceiptCase {
  readonly runId: string;
  readonly proof: Proof;
  readonly place: Omit<ReceiptLog, 'seal'>;
  readonly seal: MadeSeal;
}

/** Signs the seals of segments, and receipts when somebody asks for them. */
@Injectable()
export class RunReceipts {
  private readonly logger = new Logger('Runs');
  private readonly issuer: string | null;

  constructor(
    private readonly keys: ReceiptKeys,
    @Inject(CONFIG) { http }: Config,
  ) {
    this.issuer = http.publicUrl ?? null;
  }

  /** Signs for a while without any further I/O; null while the key cannot be read. */
  async signer(): Promise<Signer | null> {
    try {
      return await this.keys.signer();
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.logger.warn({ msg: 'the key of receipts cannot be read', err: error });
      return null;
    }
  }

  /** @throws when the database does not answer */
  async seal(seal: Seal): Promise<MadeSeal> {
    const signer = await this.signer();
    if (signer === null) return { ...seal, signature: null, key_id: null };
    return { ...seal, ...(await signer(sealText(seal))) };
  }

  /** The same receipt whenever it is asked for, until the key is replaced. @throws AppError `secret_unavailable` */
  async issue(wanted: ReceiptCase): Promise<SignedReceipt> {
    return this.issueBy(await this.keys.signer(), wanted);
  }

  /** The receipt as retention keeps it. */
  async keep(signer: Signer, wanted: ReceiptCase): Promise<KeptReceipt> {
    const { receipt, signature, key_id: keyId } = await this.issueBy(signer, wanted);
    const seal = wanted.seal.signature === null ? receipt.log?.seal : undefined;
    return {
      ...{ ...wanted.proof, issuer: this.issuer, signature, keyId },
      ...(seal === undefined ? {} : { seal: { signature: seal.signature, key_id: seal.key_id } }),
    };
  }

  /** The receipt that retention kept. @throws AppError `secret_unavailable` */
  async kept(wanted: ReceiptCase, { issuer, signature, keyId, seal }: KeptReceipt): Promise<SignedReceipt> {
    const sealed = wanted.seal.signature === null ? { ...wanted, seal: { ...wanted.seal, ...seal } } : wanted;
    const signer = sealed.seal.signature === null ? await this.keys.signer() : null;
    return { receipt: await receiptOf(signer, sealed, issuer), signature, key_id: keyId };
  }

  /** Signs a receipt of an earlier release. @throws AppError `secret_unavailable` */
  async signLater({ receipt }: UnsignedReceipt): Promise<SignedReceipt> {
    const signer = await this.keys.signer();
    return { receipt, ...(await signer(signedText(receipt))) };
  }

  private async issueBy(signer: Signer, wanted: ReceiptCase): Promise<SignedReceipt> {
    const receipt = await receiptOf(signer, wanted, this.issuer);
    return { receipt, ...(await signer(signedText(receipt))) };
  }
}

async function receiptOf(
  signer: Signer | null,
  { runId, proof, place, seal }: ReceiptCase,
  issuer: string | null,
): Promise<Receipt> {
  const { signature, key_id, ...unsigned } = seal;
  const signed = signature !== null && key_id !== null ? { signature, key_id } : await signer?.(sealText(unsigned));
  if (signed === undefined) throw new AppError('secret_unavailable', 'The key of receipts cannot be read');
  return makeReceipt({ runId, issuer, ...proof, log: { ...place, seal: { ...unsigned, ...signed } } });
}
