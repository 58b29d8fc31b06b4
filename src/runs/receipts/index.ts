export * from './check-receipt';
export { ReceiptKeys } from './receipt-keys.service';
export { makeReceipt, type ReceiptValues, sha256, withParts } from './make-receipt';
export { ReceiptsModule } from './receipts.module';
