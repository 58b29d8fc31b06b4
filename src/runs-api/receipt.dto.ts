import { ApiProperty } from '@nestjs/swagger';
import { RECEIPT_FAULTS, type ReceiptFault } from '../runs/receipts';
import { Id, Moment } from '../infrastructure/http';

export class ReceiptPartDto {
  salt!: string;
  @ApiProperty({ description: 'What the part says' })
  value!: unknown;
}

export class ReceiptSealDto {
  /** The writer. */
  @Id() chain!: string;
  /** Counts the seals of one organization in the chain, from 0. */
  number!: number;
  /** Root of the Merkle tree over the lines. */
  root!: string;
  /** Root of the seal before; null for the first one of the organization. */
  previous_root!: string | null;
  /** Number of lines. */
  count!: number;
  @Moment() sealed_at!: string;
  /** Ed25519 over the canonical JSON of the members above, base64url. */
  signature!: string;
  key_id!: string;
}

export class ReceiptLogDto {
  /** Digest of the stored line. */
  line!: string;
  /** From 0. */
  position!: number;
  /** Digests that lead from the line to the root. */
  path!: string[];
  seal!: ReceiptSealDto;
}

export class ReceiptBodyDto {
  @ApiProperty({ example: 'bellwether-receipt/2' })
  format!: string;
  @Id() run_id!: string;
  @Moment() issued_at!: string;
  issuer!: string | null;
  /** Digests by part: SHA-256 of the canonical JSON of `[salt, name, value]`. */
  @ApiProperty({ additionalProperties: { type: 'string' } })
  digests!: object;
  /** The parts that the reader may see. */
  @ApiProperty({ additionalProperties: { $ref: '#/components/schemas/ReceiptPartDto' } })
  parts!: object;
  /** Place of the run in the sealed log; absent in receipts of format 1. */
  log?: ReceiptLogDto;
}

/** docs/guide/receipts.md explains the parts and how to verify them. */
export class SignedReceiptDto {
  receipt!: ReceiptBodyDto;
  /** Ed25519 over the canonical JSON of the receipt without `parts`, base64url. */
  signature!: string;
  key_id!: string;
}

export class ReceiptCheckDto {
  valid!: boolean;
  /** Why it is refused. */
  @ApiProperty({ enum: RECEIPT_FAULTS })
  reason?: ReceiptFault;
  /** The part that was changed. */
  part?: string;
}
