export { canonicalJson } from './canonical-json';
export { checkReceipt, partText, signedText } from './check-receipt';
export * from './receipt.types';
