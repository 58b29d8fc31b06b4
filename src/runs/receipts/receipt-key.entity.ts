import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A key that signs receipts of the whole installation. It is never deleted: old receipts name it. */
@Entity('receipt_keys')
export class ReceiptKeyEntity {
  @PrimaryColumn('text')
  kid!: string;

  /** `x` of RFC 8037 §2. */
  @Column('text', { name: 'public_key' })
  publicKey!: string;

  /** Sealed PKCS #8. */
  @Column('text', { name: 'private_key' })
  privateKey!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
