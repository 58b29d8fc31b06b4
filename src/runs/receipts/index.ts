export * from './check-receipt';
export { ReceiptKeys, type Signer } from './receipt-keys.service';
export { makeReceipt, merklePath, merkleRoot, type ReceiptValues, sha256, withParts } from './make-receipt';
export { ReceiptsModule } from './receipts.module';
