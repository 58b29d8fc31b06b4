export type { CertificateState } from './certificate';
export { OutboundClient, RESOLVE_HOST } from './outbound-client';
export type { OutboundBytes, OutboundRequest, OutboundResponse } from './outbound.types';
export type { ResolveHost } from './guarded-connector';
export { outboundFailure } from './outbound.errors';
export { OutboundModule } from './outbound.module';
export { decodedBody } from './redirect';
export { vendorGate } from './vendor-gate';
