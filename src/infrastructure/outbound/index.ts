export * from './outbound-client';
export { OutboundModule } from './outbound.module';
export type { OutboundBytes, OutboundRequest, OutboundResponse } from './outbound.types';
export { decodedBody, decoderOf } from './redirect';
export { beforeVendorCall } from './outbound-client';
