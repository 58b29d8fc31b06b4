import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { isDatabaseUnavailable } from '../../infrastructure/database';
import { makeReceipt, type Receipt, ReceiptKeys, type SignedReceipt } from '../receipts';
import type { RunRecord } from '../run/run.types';
import { receiptValues } from './receipt-values';
import { recordingText } from './recording';

/** A receipt whose key could not be read when the run ended. */
export interface UnsignedReceipt {
  readonly receipt: Receipt;
  readonly signature: null;
  readonly key_id: null;
}

/** Makes what is stored with the record of an ended run: the recording for replays, and the signed receipt. */
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

  /** The record as it is written. @throws when the database does not answer */
  async complete(record: RunRecord): Promise<RunRecord> {
    const { ending, ...rest } = record;
    if (ending === undefined) return record;
    const { facts, question, secrets } = ending;
    const receipt = makeReceipt({
      runId: record.id,
      issuer: this.issuer,
      values: receiptValues(record, facts, question),
    });
    const recording = facts === undefined ? null : recordingText(facts, secrets);
    return { ...rest, recording, receipt: JSON.stringify(await this.signed(receipt)) };
  }

  /** Signs a receipt that could not be signed before. @throws AppError `secret_unavailable` */
  async signLater({ receipt }: UnsignedReceipt): Promise<SignedReceipt> {
    return this.keys.sign(receipt);
  }

  private async signed(receipt: Receipt): Promise<SignedReceipt | UnsignedReceipt> {
    try {
      return await this.keys.sign(receipt);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.logger.warn({ msg: 'a receipt could not be signed', run_id: receipt.run_id, err: error });
      return { receipt, signature: null, key_id: null };
    }
  }
}
