import { ApiProperty } from '@nestjs/swagger';
import { RECEIPT_FAULTS, type ReceiptFault } from '../runs/receipts';
import { Id, Moment } from '../infrastructure/http';

export class ReceiptPartDto {
  salt!: string;
  @ApiProperty({ description: 'What the part says' })
  value!: unknown;
}

export class ReceiptBodyDto {
  @ApiProperty({ example: 'bellwether-receipt/1' })
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
